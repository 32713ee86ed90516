// The environment, read once, checked and typed: the only file that knows the variables' names. An empty variable counts as
// unset (compose files pass those on). A credential is a `Secret`, which prints as [secret] wherever it lands.
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { inspect } from 'node:util'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { BadRequest } from './errors.ts'
import { parseSymbol } from './spelling.ts'

/** A credential that no log, error or JSON shows; `reveal` at the one place that sends it. */
export class Secret {
  readonly #value: string
  constructor(value: string) {
    this.#value = value
  }
  reveal(): string {
    return this.#value
  }
  toString(): string {
    return '[secret]'
  }
  toJSON(): string {
    return '[secret]'
  }
  [inspect.custom](): string {
    return '[secret]'
  }
}

const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const

const secret = z.string().transform(text => new Secret(text))
const folder = z.string().transform(text => resolve(text.replace(/^~(?=\/|$)/, homedir())))
const webAddress = z.string().refine(isWebAddress, 'expected an http:// or https:// address')
const count = (most: number) =>
  z
    .string()
    .regex(/^\d{1,6}$/, `expected a whole number from 1 to ${most}`)
    .transform(Number)
    .refine(number => number >= 1 && number <= most, `expected a whole number from 1 to ${most}`)
const switched = z.enum(['on', 'off'], 'expected on or off').transform(text => text === 'on')

/** Names of sources, separated by commas or spaces. */
const names = z
  .string()
  .regex(/^[a-z0-9-]+(?:[\s,]+[a-z0-9-]+)*$/, 'expected names of sources such as "tmx nasdaq"')
  .transform(text => text.split(/[\s,]+/))

/** Listings in any usual spelling, canonical inside. */
const symbolNames = z.string().transform((text, ctx) =>
  text
    .split(/[\s,]+/)
    .filter(part => part !== '')
    .flatMap(part => {
      const symbol = parseSymbol(part)?.symbol
      if (symbol === undefined) ctx.addIssue(`"${part.slice(0, 32)}" is not a symbol such as RY.TO or SHOP`)
      return symbol ?? []
    }),
)

/** Host names (`*.` for all below one) and whole origins; http only on this machine. */
const pushHosts = z.string().transform((text, ctx) => {
  const list = text.split(/[\s,]+/).filter(part => part !== '')
  for (const part of list) {
    const url = part.includes('://') ? URL.parse(part) : null
    const origin = url !== null && url.origin === part && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)))
    if (!origin && !/^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(part))
      ctx.addIssue(`"${part.slice(0, 64)}" is no host such as push.example.org and no origin such as https://push.example.org:8443`)
  }
  return list
})

/** Memory as DuckDB writes it, in units of 1000 or 1024; becomes megabytes (10^6 bytes). */
const memory = z
  .string()
  .regex(/^\d{1,6}(\.\d+)?\s*(MB|GB|MiB|GiB)$/i, 'expected an amount such as 512MB or 4GB')
  .transform(text => {
    const unit = { mb: 1, gb: 1000, mib: 1.048576, gib: 1073.741824 }[text.replace(/[\d.\s]/g, '').toLowerCase()] ?? 1
    return Math.floor(Number.parseFloat(text) * unit)
  })
  .refine(megabytes => megabytes >= 32, 'expected at least 32MB')

/** One address for every upstream, or a JSON map from an upstream's name to its address. */
const upstreamBase = z.string().transform((text, ctx) => {
  if (!text.trimStart().startsWith('{')) {
    if (isWebAddress(text)) return text.replace(/\/+$/, '')
    ctx.addIssue('expected an http:// address, or a JSON map such as {"edgar":"http://127.0.0.1:9000"}')
    return z.NEVER
  }
  try {
    const map = z.record(z.string(), webAddress).parse(JSON.parse(text))
    return Object.fromEntries(Object.entries(map).map(([name, base]) => [name, base.replace(/\/+$/, '')]))
  } catch {
    ctx.addIssue('expected a JSON map from an upstream to an http:// address, such as {"edgar":"http://127.0.0.1:9000"}')
    return z.NEVER
  }
})

const proxies = z.string().transform((text, ctx) => {
  const list = text.split(/[\s,]+/).filter(part => part !== '')
  for (const part of list)
    if (!ipaddr.isValid(part) && !ipaddr.isValidCIDR(part)) ctx.addIssue(`"${part}" is no IP address or network such as 10.0.0.0/8`)
  return list
})

/** A folder, or a bucket with a beginning of names. */
const backupPlace = z.string().transform((text, ctx) => {
  if (!text.includes('://')) return resolve(text.replace(/^~(?=\/|$)/, homedir()))
  if (/^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[\w.-]+)*\/?$/.test(text)) return text.replace(/\/$/, '')
  ctx.addIssue('expected a folder, or a bucket such as s3://my-bucket/crossfile')
  return z.NEVER
})

/** A JSON map from tier and interval to the id of a price. */
const stripePrices = z.string().transform((text, ctx) => {
  try {
    return z
      .record(z.string().regex(/^(trader|alpha|apex|prime)\.(monthly|yearly)$/), z.string().regex(/^\w{1,255}$/))
      .refine(map => new Set(Object.values(map)).size === Object.keys(map).length)
      .parse(JSON.parse(text))
  } catch {
    ctx.addIssue('expected a JSON map of prices, each once, such as {"trader.monthly":"price_1","trader.yearly":"price_2"}')
    return z.NEVER
  }
})

/**
 * SEC asks every automated reader for a contact in its User-Agent: a name, an address to write to, or both. It becomes a
 * header, so it holds printable ASCII only.
 */
const contact = z
  .string()
  .regex(/^[\x20-\x7e]{3,200}$/, 'expected printable ASCII of at most 200 characters')
  .regex(/[^\s@]@[^\s@]+\.[^\s@]/, 'expected an e-mail address, such as name@example.com')

const databaseUrl = z
  .string()
  .refine(isDatabaseUrl, 'expected postgres://user:password@host:port/database')
  .transform(text => new Secret(text))

const port = z
  .string()
  .regex(/^\d{1,5}$/, 'expected a port from 0 (any free one) to 65535')
  .transform(Number)
  .refine(number => number <= 65535, 'expected a port from 0 (any free one) to 65535')
const host = z.string().regex(/^[\w.:%-]+$/, 'expected an address to listen on, such as 127.0.0.1 or 0.0.0.0')

/** Every variable that Crossfile reads. */
const Environment = z.object({
  DATABASE_URL: databaseUrl.optional(),
  HOST: host.default('127.0.0.1'),
  PORT: port.default(8080),
  CROSSFILE_DATA: folder.optional(),
  CROSSFILE_JOBS: folder.optional(),
  CROSSFILE_CONTACT: contact.optional(),
  CROSSFILE_UPSTREAM_BASE: upstreamBase.optional(),
  CROSSFILE_YAHOO: switched.default(false),
  CROSSFILE_OPT_IN: names.default([]),
  CROSSFILE_TRACK: symbolNames.default([]),
  CROSSFILE_CSV: folder.optional(),
  CROSSFILE_PUBLIC_URL: webAddress.optional(),
  CROSSFILE_CONTROLLER: z.string().max(200).optional(),
  CROSSFILE_HOST_COOKIES: switched.default(false),
  CROSSFILE_PLAIN_HTTP: switched.default(false),
  CROSSFILE_SMTP_URL: secret.optional(),
  CROSSFILE_MAIL_FROM: z.string().min(3).max(254).default('Crossfile <no-reply@localhost>'),
  CROSSFILE_PUSH_HOSTS: pushHosts.default([]),
  CROSSFILE_METRICS_PORT: port.optional(),
  CROSSFILE_METRICS_HOST: host.default('127.0.0.1'),
  STRIPE_API_KEY: secret.optional(),
  STRIPE_WEBHOOK_SECRET: secret.optional(),
  CROSSFILE_STRIPE_PRICES: stripePrices.default({}),
  CROSSFILE_STRIPE_API: webAddress.optional(),
  EODHD_API_TOKEN: secret.optional(),
  TIINGO_API_KEY: secret.optional(),
  POLYGON_API_KEY: secret.optional(),
  FRED_API_KEY: secret.optional(),
  ALPHAVANTAGE_API_KEY: secret.optional(),
  CROSSFILE_LOG: z.enum(logLevels, `expected one of ${logLevels.join(', ')}`).default('info'),
  CROSSFILE_TRUSTED_PROXIES: proxies.default([]),
  CROSSFILE_WORKER_CONCURRENCY: count(64).default(4),
  CROSSFILE_DUCKDB_MEMORY: memory.default(2000),
  CROSSFILE_DUCKDB_MEMORY_API: memory.default(256),
  CROSSFILE_DUCKDB_THREADS: count(256).default(2),
  CROSSFILE_DUCKDB_EXTENSIONS: folder.optional(),
  CROSSFILE_BACKUP_TO: backupPlace.optional(),
  CROSSFILE_BACKUP_PASSPHRASE_FILE: folder.optional(),
  CROSSFILE_S3_ENDPOINT: webAddress.optional(),
  CROSSFILE_S3_REGION: z
    .string()
    .regex(/^[a-z0-9-]{2,32}$/, 'expected a region such as us-east-1')
    .default('us-east-1'),
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: secret.optional(),
  AWS_SESSION_TOKEN: secret.optional(),
})

export type Config = {
  /** `bundled`: the fictional universe, until a contact, a key or another upstream is given. Default of the data folder. */
  readonly mode: 'bundled' | 'live'
  /** Null: the embedded server under the data folder. */
  readonly databaseUrl: Secret | null
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** Where people reach the service, without a slash at the end: links in mail begin with it. Null: the address listened on. */
  readonly publicUrl: string | null
  /** Who answers for personal data, as the privacy policy names them. */
  readonly controller: string | null
  /** `prefixed`: names begin with `__Host-`. `secure` false: browsers may keep them over plain HTTP, where others can read them. */
  readonly cookies: { readonly prefixed: boolean; readonly secure: boolean }
  /** `smtp://user:password@host:port` or `smtps://…`; null: mail stays in the outbox, where `crossfile outbox` shows it. */
  readonly smtpUrl: Secret | null
  readonly mailFrom: string
  /** Hosts and origins that pushes may go to beside those of the browsers' makers (warehouse/rulesets/push). */
  readonly pushHosts: readonly string[]
  /** Where GET /metrics is served, apart from the API; null: nowhere. 0: any free port. */
  readonly metricsPort: number | null
  readonly metricsHost: string
  readonly stripeKey: Secret | null
  readonly stripeWebhookSecret: Secret | null
  /** `trader.monthly` -> Stripe's id of the price. */
  readonly stripePrices: Readonly<Record<string, string>>
  /** Where Stripe is asked; null: at its own address. */
  readonly stripeApi: string | null
  /** Absolute. */
  readonly dataFolder: string
  /** Absolute path of jobs.yaml. */
  readonly jobsFile: string
  /** Who the SEC can write to; null: no live EDGAR. */
  readonly contact: string | null
  /** Where the upstreams really are (the simulator): one address for all, or one per upstream. No slash at the end. */
  readonly upstreamBase: string | Readonly<Record<string, string>> | null
  readonly yahoo: boolean
  /** Sources without terms for automated use that the operator switched on, e.g. `tmx`; sources/settings.ts checks their names. */
  readonly optIn: readonly string[]
  /** Symbols that quotes and intraday bars are asked for before all others. */
  readonly track: readonly string[]
  /** Drop-in folder for CSV files of bars and actions. */
  readonly csvFolder: string
  readonly eodhdToken: Secret | null
  readonly tiingoKey: Secret | null
  readonly polygonKey: Secret | null
  readonly fredKey: Secret | null
  readonly alphavantageKey: Secret | null
  readonly logLevel: (typeof logLevels)[number]
  /** Addresses and networks whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[]
  /** Jobs that one worker process runs at a time. */
  readonly workerConcurrency: number
  /** Of the worker's and command line's DuckDB, in megabytes (10^6 bytes). */
  readonly duckdbMemoryMb: number
  /** Of one API process's DuckDB, in megabytes. */
  readonly duckdbMemoryApiMb: number
  readonly duckdbThreads: number
  /** Folder with DuckDB extensions that the operator brought; null: none is ever loaded. */
  readonly duckdbExtensions: string | null
  /** Where the job `backup` writes: a folder or `s3://bucket/prefix`; null: the job is off. */
  readonly backupTo: string | null
  /** Holds the passphrase that encrypts the keys of a scheduled backup; null: it has no keys. */
  readonly backupPassphraseFile: string | null
  readonly s3: {
    /** Null: that of Amazon for the region. No slash at the end. */
    readonly endpoint: string | null
    readonly region: string
    readonly accessKeyId: string | null
    readonly secretAccessKey: Secret | null
    readonly sessionToken: Secret | null
  }
}

/** Of the tests, of the bootstrap (pipelines/cli/with-parent.mjs) and of docker-compose.yml: none of our settings. */
const others = /^CROSSFILE_(TEST_.*|PARENT_PIPE|PUBLISH)$/

const repository = resolve(import.meta.dirname, '..')

/**
 * The configuration that `env` asks for, defaults filled in. Throws `BadRequest` that lists every variable that cannot be
 * used, with what to change; a `CROSSFILE_…` variable that nobody reads is one of them, since it is most often misspelt.
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''))
  const known = Object.keys(Environment.shape)
  const unknown = Object.keys(given)
    .filter(name => name.startsWith('CROSSFILE_') && !others.test(name) && !known.includes(name))
    .map(name => `${name}: no such setting; there are ${known.filter(each => each.startsWith('CROSSFILE_')).join(', ')}`)
  const read = Environment.safeParse(given)
  const clash = read.success && read.data.CROSSFILE_PLAIN_HTTP && read.data.CROSSFILE_HOST_COOKIES
  if (clash) unknown.push('CROSSFILE_PLAIN_HTTP: on, and CROSSFILE_HOST_COOKIES too; a cookie named __Host- needs HTTPS, so set one of them to off')
  const wrong = read.success ? [] : read.error.issues.map(issue => `${String(issue.path[0])}: ${issue.message}`)
  if (!read.success || unknown.length > 0) {
    const lines = [...wrong, ...unknown]
    throw new BadRequest(
      `the environment has ${lines.length} setting${lines.length === 1 ? '' : 's'} that cannot be used:\n  ${lines.join('\n  ')}`,
      {
        hint: `set or unset ${[...new Set(lines.map(line => line.slice(0, line.indexOf(':'))))].join(', ')}`,
      },
    )
  }
  const values = read.data
  // Live as soon as somebody says who runs this or brings a key; the bundled universe otherwise. The two never share a folder by accident.
  const live = [
    values.CROSSFILE_CONTACT,
    values.EODHD_API_TOKEN,
    values.TIINGO_API_KEY,
    values.POLYGON_API_KEY,
    values.FRED_API_KEY,
    values.ALPHAVANTAGE_API_KEY,
    values.CROSSFILE_UPSTREAM_BASE,
  ]
  const mode = live.some(setting => setting !== undefined) ? 'live' : 'bundled'
  const dataFolder = values.CROSSFILE_DATA ?? resolve(mode === 'live' ? 'data-live' : 'data')
  return {
    mode,
    databaseUrl: values.DATABASE_URL ?? null,
    host: values.HOST,
    port: values.PORT,
    publicUrl: values.CROSSFILE_PUBLIC_URL?.replace(/\/+$/, '') ?? null,
    controller: values.CROSSFILE_CONTROLLER ?? null,
    cookies: { prefixed: values.CROSSFILE_HOST_COOKIES, secure: !values.CROSSFILE_PLAIN_HTTP },
    smtpUrl: values.CROSSFILE_SMTP_URL ?? null,
    mailFrom: values.CROSSFILE_MAIL_FROM,
    pushHosts: values.CROSSFILE_PUSH_HOSTS,
    metricsPort: values.CROSSFILE_METRICS_PORT ?? null,
    metricsHost: values.CROSSFILE_METRICS_HOST,
    stripeKey: values.STRIPE_API_KEY ?? null,
    stripeWebhookSecret: values.STRIPE_WEBHOOK_SECRET ?? null,
    stripePrices: values.CROSSFILE_STRIPE_PRICES,
    stripeApi: values.CROSSFILE_STRIPE_API?.replace(/\/+$/, '') ?? null,
    dataFolder,
    jobsFile: values.CROSSFILE_JOBS ?? join(repository, 'jobs.yaml'),
    contact: values.CROSSFILE_CONTACT ?? null,
    upstreamBase: values.CROSSFILE_UPSTREAM_BASE ?? null,
    yahoo: values.CROSSFILE_YAHOO,
    optIn: values.CROSSFILE_OPT_IN,
    track: values.CROSSFILE_TRACK,
    csvFolder: values.CROSSFILE_CSV ?? join(dataFolder, 'dropin'),
    eodhdToken: values.EODHD_API_TOKEN ?? null,
    tiingoKey: values.TIINGO_API_KEY ?? null,
    polygonKey: values.POLYGON_API_KEY ?? null,
    fredKey: values.FRED_API_KEY ?? null,
    alphavantageKey: values.ALPHAVANTAGE_API_KEY ?? null,
    logLevel: values.CROSSFILE_LOG,
    trustedProxies: values.CROSSFILE_TRUSTED_PROXIES,
    workerConcurrency: values.CROSSFILE_WORKER_CONCURRENCY,
    duckdbMemoryMb: values.CROSSFILE_DUCKDB_MEMORY,
    duckdbMemoryApiMb: values.CROSSFILE_DUCKDB_MEMORY_API,
    duckdbThreads: values.CROSSFILE_DUCKDB_THREADS,
    duckdbExtensions: values.CROSSFILE_DUCKDB_EXTENSIONS ?? null,
    backupTo: values.CROSSFILE_BACKUP_TO ?? null,
    backupPassphraseFile: values.CROSSFILE_BACKUP_PASSPHRASE_FILE ?? null,
    s3: {
      endpoint: values.CROSSFILE_S3_ENDPOINT?.replace(/\/+$/, '') ?? null,
      region: values.CROSSFILE_S3_REGION,
      accessKeyId: values.AWS_ACCESS_KEY_ID ?? null,
      secretAccessKey: values.AWS_SECRET_ACCESS_KEY ?? null,
      sessionToken: values.AWS_SESSION_TOKEN ?? null,
    },
  }
}

function isWebAddress(text: string): boolean {
  const address = URL.parse(text)
  return address !== null && (address.protocol === 'http:' || address.protocol === 'https:')
}

/** True for the names and addresses of the machine itself, as a URL's `hostname` writes them. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}

function isDatabaseUrl(text: string): boolean {
  const address = URL.parse(text)
  return address !== null && (address.protocol === 'postgres:' || address.protocol === 'postgresql:')
}
