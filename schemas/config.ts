// The environment, read once, checked and typed. Only this file contains the names of the variables. An empty variable counts as unset
// (compose files pass those on). A credential is a `Secret`, which prints as [secret].
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { inspect } from 'node:util'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { BadRequest } from './errors.ts'
import { duckdbMemory, duckdbThreads } from './machine.ts'
import { parseSymbol } from './spelling.ts'
import { COSIGNER_KEY, parseVerifierKey } from './verifier-key.ts'

/** A credential that no log, error or JSON shows; only the code that sends it calls `reveal`. */
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
      ctx.addIssue(`"${part.slice(0, 64)}" is not a host such as push.example.org or an origin such as https://push.example.org:8443`)
  }
  return list
})

/** Verifier key and address of each witness, with a space between them; entries are separated by commas or line ends. */
const witnessList = z.string().transform((text, ctx) => {
  const entries = text
    .split(/[,\n]/)
    .map(entry => entry.trim())
    .filter(entry => entry !== '')
  if (entries.length > 16) ctx.addIssue(`there are ${entries.length} witnesses, at most 16`)
  const witnesses = entries.flatMap(entry => {
    const [vkey = '', address = '', more] = entry.split(/\s+/)
    const key = parseVerifierKey(vkey)
    if (key?.algorithm !== COSIGNER_KEY) {
      ctx.addIssue(`"${vkey.slice(0, 64)}" is not the verifier key of a witness: NAME+ID+BASE64, as crossfile witness prints it`)
      return []
    }
    const url = URL.parse(address)
    const isPrefix =
      url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
    if (!isPrefix || more !== undefined) {
      ctx.addIssue(`"${entry.slice(0, 160)}" is not a verifier key and an address such as https://witness.example.org`)
      return []
    }
    return [{ vkey, name: key.name, url: url.href.replace(/\/+$/, '') }]
  })
  if (new Set(witnesses.map(each => each.vkey)).size !== witnesses.length) ctx.addIssue('a witness is listed twice')
  return witnesses
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
    if (!ipaddr.isValid(part) && !ipaddr.isValidCIDR(part)) ctx.addIssue(`"${part}" is not an IP address or network such as 10.0.0.0/8`)
  return list
})

/** A folder, or a bucket with a beginning of names. */
const backupPlace = z.string().transform((text, ctx) => {
  if (!text.includes('://')) return resolve(text.replace(/^~(?=\/|$)/, homedir()))
  if (/^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[\w.-]+)*\/?$/.test(text)) return text.replace(/\/$/, '')
  ctx.addIssue('expected a folder, or a bucket such as s3://my-bucket/crossfile')
  return z.NEVER
})

/** A bucket with a beginning of names. */
const bucketPlace = z
  .string()
  .regex(/^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[\w.-]+)*\/?$/, 'expected a bucket such as s3://my-bucket/crossfile')
  .transform(text => text.replace(/\/$/, ''))

/** Disk space in units of 1000 or 1024; becomes bytes. */
const space = z
  .string()
  .regex(/^\d{1,6}(\.\d+)?\s*(MB|GB|TB|MiB|GiB|TiB)$/i, 'expected an amount such as 500MB or 20GB')
  .transform(text => {
    const unit = { mb: 1e6, gb: 1e9, tb: 1e12, mib: 2 ** 20, gib: 2 ** 30, tib: 2 ** 40 }[text.replace(/[\d.\s]/g, '').toLowerCase()] ?? 1
    return Math.floor(Number.parseFloat(text) * unit)
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
 * The SEC requires a contact in the User-Agent of every automated reader: a name, a mail address, or both. It becomes a header, so it may
 * contain printable ASCII only.
 */
const contact = z
  .string()
  .regex(/^[\x20-\x7e]{3,200}$/, 'expected printable ASCII of at most 200 characters')
  .regex(/[^\s@]@[^\s@]+\.[^\s@]/, 'expected an e-mail address, such as name@example.com')

/** A provider and the name of its model, `anthropic:NAME` or `openai-compatible:NAME`. */
const modelName = z
  .string()
  .regex(/^(anthropic|openai-compatible):[\w./:@-]{1,128}$/, 'expected a provider and a model, such as anthropic:NAME or openai-compatible:NAME')
  .transform(text => {
    const colon = text.indexOf(':')
    return { provider: text.slice(0, colon) as 'anthropic' | 'openai-compatible', name: text.slice(colon + 1) }
  })
/** US dollars per million tokens, of input and output. */
const modelPrices = z
  .string()
  .regex(
    /^\d{1,6}(\.\d{1,6})?[\s,]+\d{1,6}(\.\d{1,6})?$/,
    'expected two amounts in US dollars per million tokens, of input and output, such as "3 15"',
  )
  .transform(text => {
    const [input = '', output = ''] = text.split(/[\s,]+/)
    return { input, output }
  })
const amount = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, `expected a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine(number => number >= least && number <= most, `expected a whole number from ${least} to ${most}`)

const databaseUrl = z
  .string()
  .refine(
    isDatabaseUrl,
    'expected postgres://user:password@host:port/database, with the characters /, ?, #, % and @ of a password as %2F, %3F, %23, %25 and %40',
  )
  .transform(text => new Secret(text))

const port = z
  .string()
  .regex(/^\d{1,5}$/, 'expected a port from 0 (any free one) to 65535')
  .transform(Number)
  .refine(number => number <= 65535, 'expected a port from 0 (any free one) to 65535')
const region = z.string().regex(/^[a-z0-9-]{2,32}$/, 'expected a region such as us-east-1')
const host = z.string().regex(/^[\w.:%-]+$/, 'expected an address to listen on, such as 127.0.0.1 or 0.0.0.0')

/** The documentation of a setting (docs/reference/settings.md is generated from it). Texts are Markdown. */
type SettingText = {
  readonly group: string
  readonly type: string
  /** The programs that use the value. */
  readonly readBy: readonly ('worker' | 'api' | 'commands')[]
  /** What applies when the variable is not set and the schema has no default. */
  readonly unset?: string
  readonly about: string
}
const settingTexts = z.registry<SettingText>()
function setting<Schema extends z.ZodType>(group: string, schema: Schema, text: Omit<SettingText, 'group'>): Schema {
  settingTexts.add(schema, { group, ...text })
  return schema
}
const everywhere = ['worker', 'api', 'commands'] as const

/** Every variable that Crossfile reads. */
const Environment = z.object({
  DATABASE_URL: setting('Service', databaseUrl.optional(), {
    type: '`postgres://user:password@host:port/database`',
    readBy: everywhere,
    unset: 'the PostgreSQL server that `npm start` runs in the data folder',
    about: 'The PostgreSQL database.',
  }),
  HOST: setting('Service', host.default('127.0.0.1'), {
    type: 'address',
    readBy: ['api'],
    about: 'The address that the API listens on. `0.0.0.0` accepts connections from other machines.',
  }),
  PORT: setting('Service', port.default(8080), {
    type: 'port, 0 to 65535',
    readBy: ['api'],
    about: 'The port that the API listens on. 0 selects a free port.',
  }),
  CROSSFILE_PUBLIC_URL: setting('Service', webAddress.optional(), {
    type: 'http or https address',
    readBy: everywhere,
    unset: 'the address that the API listens on',
    about: 'The address at which users reach the service. Links in mail begin with it.',
  }),
  CROSSFILE_TRUSTED_PROXIES: setting('Service', proxies.default([]), {
    type: 'IP addresses and networks, separated by commas or spaces',
    readBy: ['api'],
    about: 'Reverse proxies whose `X-Forwarded-For` header names the client.',
  }),
  CROSSFILE_HOST_COOKIES: setting('Service', switched.default(false), {
    type: '`on` or `off`',
    readBy: ['api'],
    about: 'Adds the prefix `__Host-` to cookie names. Requires HTTPS.',
  }),
  CROSSFILE_PLAIN_HTTP: setting('Service', switched.default(false), {
    type: '`on` or `off`',
    readBy: ['api'],
    about:
      'Omits `Secure` from cookies, so that browsers keep them over plain HTTP. Other people on the network can then read passwords and sessions. Excludes `CROSSFILE_HOST_COOKIES`.',
  }),
  CROSSFILE_CONTROLLER: setting('Service', z.string().max(200).optional(), {
    type: 'text of at most 200 characters',
    readBy: ['api'],
    unset: 'the privacy policy names no controller',
    about: 'The person or company that is responsible for personal data. The privacy policy names it.',
  }),
  CROSSFILE_LOG: setting('Service', z.enum(logLevels, `expected one of ${logLevels.join(', ')}`).default('info'), {
    type: '`silent`, `error`, `warn`, `info` or `debug`',
    readBy: everywhere,
    about: 'The least severe level that is logged. `debug` adds stack traces.',
  }),
  CROSSFILE_LOG_FORMAT: setting('Service', z.enum(['text', 'json'], 'expected text or json').default('text'), {
    type: '`text` or `json`',
    readBy: everywhere,
    about: 'How log lines are written. `json` is one object a line with `time`, `level`, `message` and further members.',
  }),
  CROSSFILE_DATA: setting('Folders', folder.optional(), {
    type: 'folder',
    readBy: everywhere,
    unset: '`data`; in live mode `data-live`',
    about: 'The data folder: database, raw documents, lake, keys.',
  }),
  CROSSFILE_LAKE: setting('Folders', bucketPlace.optional(), {
    type: '`s3://bucket/prefix`',
    readBy: everywhere,
    unset: 'the lake is in the data folder',
    about: 'The bucket that has the files of the lake. Requires `AWS_ACCESS_KEY_ID`. See [lake in a bucket](../how-to/s3-lake.md).',
  }),
  CROSSFILE_LAKE_CACHE: setting('Folders', space.prefault('20GB'), {
    type: 'amount such as `500MB` or `20GB`',
    readBy: everywhere,
    about: 'With `CROSSFILE_LAKE`: the space in bytes that files of the lake may take in the data folder. Those in use stay in addition.',
  }),
  CROSSFILE_JOBS: setting('Folders', folder.optional(), {
    type: 'file',
    readBy: everywhere,
    unset: '`jobs.yaml` of the repository',
    about: 'The file that lists all jobs and their schedules.',
  }),
  CROSSFILE_CSV: setting('Folders', folder.optional(), {
    type: 'folder',
    readBy: ['worker'],
    unset: '`dropin` in the data folder',
    about: 'CSV files of bars, actions, symbols, pairs and business reviews. See [CSV drop-in](../how-to/csv-drop-in.md).',
  }),
  CROSSFILE_INBOX: setting('Folders', folder.optional(), {
    type: 'folder',
    readBy: ['worker', 'api'],
    unset: '`inbox` in the data folder',
    about: 'PDF files that signed-in users may process by name. See [documents](../documents.md).',
  }),
  CROSSFILE_TRANSCRIPTS: setting('Folders', folder.optional(), {
    type: 'folder',
    readBy: ['worker'],
    unset: '`transcripts` in the data folder',
    about: 'Caption files of calls with a manifest. See [transcripts](../transcripts.md).',
  }),
  CROSSFILE_CONTACT: setting('Sources', contact.optional(), {
    type: 'name and e-mail address, printable ASCII, 3 to 200 characters',
    readBy: everywhere,
    unset: 'the EDGAR jobs are off',
    about: 'The contact that the SEC requires in the User-Agent header. Switches the EDGAR jobs and live mode on.',
  }),
  CROSSFILE_OPT_IN: setting('Sources', names.default([]), {
    type: 'names of sources, separated by commas or spaces',
    readBy: ['worker', 'commands'],
    about: 'Switches on sources that have no terms for automated use: `tsx`, `tmx`, `nasdaq`, `yahoo`. See [sources](../sources.md).',
  }),
  CROSSFILE_YAHOO: setting('Sources', switched.default(false), {
    type: '`on` or `off`',
    readBy: ['worker', 'commands'],
    about: 'The same as `CROSSFILE_OPT_IN=yahoo`.',
  }),
  CROSSFILE_TRACK: setting('Sources', symbolNames.default([]), {
    type: 'symbols, separated by commas or spaces',
    readBy: ['worker'],
    about: 'Symbols whose quotes and intraday bars are requested first.',
  }),
  EODHD_API_TOKEN: setting('Sources', secret.optional(), {
    type: 'secret',
    readBy: ['worker', 'commands'],
    unset: 'EODHD is off',
    about: 'API token of EODHD.',
  }),
  TIINGO_API_KEY: setting('Sources', secret.optional(), {
    type: 'secret',
    readBy: ['worker', 'commands'],
    unset: 'Tiingo is off',
    about: 'API key of Tiingo.',
  }),
  POLYGON_API_KEY: setting('Sources', secret.optional(), {
    type: 'secret',
    readBy: ['worker', 'commands'],
    unset: 'Polygon is off',
    about: 'API key of Polygon (Massive).',
  }),
  FRED_API_KEY: setting('Sources', secret.optional(), {
    type: 'secret',
    readBy: ['worker', 'commands'],
    unset: 'FRED series come without vintages',
    about: 'API key of FRED and ALFRED.',
  }),
  ALPHAVANTAGE_API_KEY: setting('Sources', secret.optional(), {
    type: 'secret',
    readBy: ['worker', 'commands'],
    unset: 'Alpha Vantage is off',
    about: 'API key of Alpha Vantage.',
  }),
  CROSSFILE_UPSTREAM_BASE: setting('Sources', upstreamBase.optional(), {
    type: 'http or https address, or a JSON map from a source to its address',
    readBy: everywhere,
    unset: 'the addresses of the sources',
    about: 'A simulator that replaces all sources, or single ones. Switches live mode on.',
  }),
  CROSSFILE_SMTP_URL: setting('Mail and push', secret.optional(), {
    type: 'secret: `smtp://user:password@host:port` or `smtps://…`',
    readBy: everywhere,
    unset: 'mail stays in the outbox (`crossfile outbox`)',
    about: 'The mail server.',
  }),
  CROSSFILE_MAIL_FROM: setting('Mail and push', z.string().min(3).max(254).default('Crossfile <no-reply@localhost>'), {
    type: 'mail address, 3 to 254 characters',
    readBy: ['worker'],
    about: 'The sender of mail.',
  }),
  CROSSFILE_PUSH_HOSTS: setting('Mail and push', pushHosts.default([]), {
    type: 'host names and origins, separated by commas or spaces',
    readBy: ['worker', 'api'],
    about: 'Push services in addition to those of the browser makers. `*.example.org` allows all hosts below `example.org`.',
  }),
  CROSSFILE_METRICS_PORT: setting('Metrics', port.optional(), {
    type: 'port, 0 to 65535',
    readBy: ['api'],
    unset: 'no metrics are served',
    about: 'The port of `GET /metrics` (Prometheus). It is separate from the port of the API.',
  }),
  CROSSFILE_METRICS_HOST: setting('Metrics', host.default('127.0.0.1'), {
    type: 'address',
    readBy: ['api'],
    about: 'The address that the metrics port listens on.',
  }),
  STRIPE_API_KEY: setting('Payments', secret.optional(), {
    type: 'secret',
    readBy: ['api'],
    unset: 'checkout returns 503',
    about: 'API key of Stripe.',
  }),
  STRIPE_WEBHOOK_SECRET: setting('Payments', secret.optional(), {
    type: 'secret',
    readBy: ['api'],
    unset: 'the webhook returns 503',
    about: 'The secret that verifies webhook calls of Stripe.',
  }),
  CROSSFILE_STRIPE_PRICES: setting('Payments', stripePrices.default({}), {
    type: 'JSON map such as `{"trader.monthly":"price_1"}`',
    readBy: ['api'],
    about: 'The Stripe price of each plan and interval.',
  }),
  CROSSFILE_STRIPE_API: setting('Payments', webAddress.optional(), {
    type: 'http or https address',
    readBy: ['api'],
    unset: "Stripe's address",
    about: 'Another address for requests to Stripe, for tests.',
  }),
  CROSSFILE_WITNESSES: setting('Receipts', witnessList.default([]), {
    type: 'verifier key and address of each witness with a space between them; entries separated by commas or line ends; at most 16',
    readBy: ['worker', 'commands'],
    about: 'Witnesses that cosign the checkpoints of the receipt log. See [receipts](../receipts.md#witnesses).',
  }),
  CROSSFILE_MODEL: setting('Language model', modelName.optional(), {
    type: '`anthropic:NAME` or `openai-compatible:NAME`',
    readBy: ['worker', 'api'],
    unset: 'the assistant answers by rules alone',
    about: 'The provider and name of the language model. See [the assistant](../assistant-api.md).',
  }),
  CROSSFILE_MODEL_URL: setting('Language model', webAddress.optional(), {
    type: 'http or https address',
    readBy: ['worker'],
    unset: "the provider's address",
    about: 'The address of the model. Required for `openai-compatible`.',
  }),
  CROSSFILE_MODEL_KEY: setting('Language model', secret.optional(), {
    type: 'secret',
    readBy: ['worker'],
    unset: 'requests carry no key',
    about: 'The key of the model. `npm start` does not pass it to the API.',
  }),
  CROSSFILE_MODEL_IMAGES: setting('Language model', switched.default(false), {
    type: '`on` or `off`',
    readBy: ['worker', 'api'],
    about: 'The model accepts images. Otherwise `image_base64` is refused with 422.',
  }),
  CROSSFILE_MODEL_SECONDS: setting('Language model', amount(5, 110).default(60), {
    type: 'seconds, 5 to 110',
    readBy: ['worker', 'api'],
    about: 'The longest time of one answer.',
  }),
  CROSSFILE_MODEL_TOKENS: setting('Language model', amount(1_000, 1_000_000).default(60_000), {
    type: 'tokens, 1,000 to 1,000,000',
    readBy: ['worker'],
    about: 'The most tokens of one answer: input and output of all its steps.',
  }),
  CROSSFILE_MODEL_DAILY_TOKENS: setting('Language model', amount(1_000, 1_000_000_000).default(2_000_000), {
    type: 'tokens, 1,000 to 1,000,000,000',
    readBy: ['worker', 'api'],
    about: 'The most tokens of all answers of a UTC day.',
  }),
  CROSSFILE_MODEL_PRICES: setting('Language model', modelPrices.optional(), {
    type: 'two amounts such as `3 15`',
    readBy: ['worker'],
    unset: 'the cost of an answer is not reported',
    about: 'US dollars per million tokens of input and of output.',
  }),
  CROSSFILE_WORKER_CONCURRENCY: setting('Resources', count(64).default(4), {
    type: '1 to 64',
    readBy: ['worker'],
    about:
      'The number of jobs that one worker process runs at the same time. Alerts, mail, push messages and receipt watches have one more place, requests of the API and of commands two.',
  }),
  CROSSFILE_DUCKDB_MEMORY: setting('Resources', memory.optional(), {
    type: 'amount such as `512MB` or `4GB`, at least `32MB`',
    readBy: ['worker', 'commands'],
    unset: 'a quarter of the memory of the machine or container, at least `256MB`',
    about: 'The memory limit of DuckDB in the worker and in commands.',
  }),
  CROSSFILE_DUCKDB_MEMORY_API: setting('Resources', memory.optional(), {
    type: 'amount such as `512MB` or `4GB`, at least `32MB`',
    readBy: ['api'],
    unset: 'a quarter of the memory of the machine or container, from `64MB` to `256MB`',
    about: 'The memory limit of DuckDB in one API process.',
  }),
  CROSSFILE_DUCKDB_THREADS: setting('Resources', count(256).optional(), {
    type: '1 to 256',
    readBy: ['worker', 'commands'],
    unset: 'the processors of the machine or container, at most one for each `125MB` of `CROSSFILE_DUCKDB_MEMORY`',
    about: 'The number of DuckDB threads in the worker and in commands.',
  }),
  CROSSFILE_REPRODUCE_SAMPLE: setting('Resources', count(100_000).default(100), {
    type: '1 to 100000',
    readBy: ['worker'],
    about: 'Receipts that the nightly job `reproduce-sample` computes again.',
  }),
  CROSSFILE_DUCKDB_EXTENSIONS: setting('Resources', folder.optional(), {
    type: 'folder',
    readBy: [],
    unset: 'none',
    about: 'Accepted and not used: Crossfile loads no DuckDB extension.',
  }),
  CROSSFILE_BACKUP_TO: setting('Backup', backupPlace.optional(), {
    type: 'folder, or `s3://bucket/prefix`',
    readBy: ['worker', 'commands'],
    unset: 'the daily backup job is off',
    about: 'The destination of `crossfile backup` and of the daily job.',
  }),
  CROSSFILE_BACKUP_PASSPHRASE_FILE: setting('Backup', folder.optional(), {
    type: 'file',
    readBy: ['worker'],
    unset: 'the daily job leaves the keys out',
    about: 'A file whose first line is the passphrase that encrypts the keys in the daily backup. Store it apart from the backup.',
  }),
  CROSSFILE_S3_ENDPOINT: setting('Backup', webAddress.optional(), {
    type: 'http or https address',
    readBy: everywhere,
    unset: 'the address of Amazon S3 in the region',
    about: 'The address of an S3-compatible server.',
  }),
  CROSSFILE_S3_REGION: setting('Backup', region.default('us-east-1'), {
    type: 'region, 2 to 32 characters',
    readBy: everywhere,
    about: 'The region that S3 requests are signed for.',
  }),
  AWS_ACCESS_KEY_ID: setting('Backup', z.string().optional(), {
    type: 'text',
    readBy: everywhere,
    unset: 'S3 cannot be used',
    about: 'The access key of the bucket.',
  }),
  AWS_SECRET_ACCESS_KEY: setting('Backup', secret.optional(), {
    type: 'secret',
    readBy: everywhere,
    unset: 'S3 cannot be used',
    about: 'The secret of the access key.',
  }),
  AWS_SESSION_TOKEN: setting('Backup', secret.optional(), {
    type: 'secret',
    readBy: everywhere,
    unset: 'requests carry no session token',
    about: 'The session token of temporary credentials.',
  }),
})

export type Setting = SettingText & { readonly name: string; readonly default: string }

/** Every setting with its documentation, in the order of the groups. */
export function describeSettings(): readonly Setting[] {
  const defaults: Readonly<Record<string, unknown>> = Environment.parse({})
  return Object.entries(Environment.shape).map(([name, schema]) => {
    const text = settingTexts.get(schema)
    if (text === undefined) throw new TypeError(`${name} has no documentation: wrap its schema in setting(...) in schemas/config.ts`)
    // An amount is described as its default is written: its value is a number without a unit.
    return { ...text, name, default: text.unset ?? defaultText(schema instanceof z.ZodPrefault ? schema.def.defaultValue : defaults[name]) }
  })
}

function defaultText(value: unknown): string {
  if (typeof value === 'boolean') return value ? '`on`' : '`off`'
  if (typeof value === 'number' || typeof value === 'string') return `\`${value}\``
  return 'none'
}

/** The language model that the worker calls. The API has its settings without the key. */
export type ModelConfig = {
  readonly provider: 'anthropic' | 'openai-compatible'
  readonly name: string
  /** Base URL, without a trailing slash; null: the provider's URL. */
  readonly url: string | null
  readonly key: Secret | null
  /** The model accepts images. */
  readonly images: boolean
  /** Maximum time of one answer. */
  readonly seconds: number
  /** Maximum tokens of one answer, input and output of all its steps. */
  readonly tokens: number
  /** Maximum tokens of all answers of a UTC day. */
  readonly dailyTokens: number
  /** US dollars per million tokens, as decimals; null: the cost of an answer is not known. */
  readonly prices: { readonly input: string; readonly output: string } | null
}

export type Config = {
  /** `bundled`: the fictional universe, until a contact, a key or another upstream is given. Default of the data folder. */
  readonly mode: 'bundled' | 'live'
  /** Null: the embedded server under the data folder. */
  readonly databaseUrl: Secret | null
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** Public base URL of the service, without a trailing slash: links in mail begin with it. Null: the listening address. */
  readonly publicUrl: string | null
  /** The controller of personal data, as listed in the privacy policy. */
  readonly controller: string | null
  /** `prefixed`: names begin with `__Host-`. `secure` false: browsers may keep them over plain HTTP, where others can read them. */
  readonly cookies: { readonly prefixed: boolean; readonly secure: boolean }
  /** `smtp://user:password@host:port` or `smtps://…`; null: mail stays in the outbox, where `crossfile outbox` shows it. */
  readonly smtpUrl: Secret | null
  readonly mailFrom: string
  /** Hosts and origins that pushes may go to in addition to the browser vendors' (warehouse/rulesets/push). */
  readonly pushHosts: readonly string[]
  /** Where GET /metrics is served, apart from the API; null: nowhere. 0: any free port. */
  readonly metricsPort: number | null
  readonly metricsHost: string
  /** Witnesses of the receipt log: verifier key (C2SP), its name, and the address without a slash at the end. */
  readonly witnesses: readonly { readonly vkey: string; readonly name: string; readonly url: string }[]
  readonly stripeKey: Secret | null
  readonly stripeWebhookSecret: Secret | null
  /** `trader.monthly` -> Stripe's id of the price. */
  readonly stripePrices: Readonly<Record<string, string>>
  /** Base URL of Stripe's API; null: Stripe's default. */
  readonly stripeApi: string | null
  /** Null: the assistant uses only rules. */
  readonly model: ModelConfig | null
  /** Absolute. */
  readonly dataFolder: string
  /** Absolute path of jobs.yaml. */
  readonly jobsFile: string
  /** Contact for the SEC; null: no live EDGAR. */
  readonly contact: string | null
  /** Base URLs that replace the upstreams' (the simulator): one for all, or one per upstream. No trailing slash. */
  readonly upstreamBase: string | Readonly<Record<string, string>> | null
  readonly yahoo: boolean
  /** Sources without terms for automated use that the operator switched on, e.g. `tmx`; sources/settings.ts checks their names. */
  readonly optIn: readonly string[]
  /** Symbols whose quotes and intraday bars are requested first. */
  readonly track: readonly string[]
  /** Drop-in folder for CSV files of bars and actions. */
  readonly csvFolder: string
  /** Folder of PDF files that signed-in users may process by name. */
  readonly inboxFolder: string
  /** Drop-in folder for caption files of calls and their manifests. */
  readonly transcriptsFolder: string
  readonly eodhdToken: Secret | null
  readonly tiingoKey: Secret | null
  readonly polygonKey: Secret | null
  readonly fredKey: Secret | null
  readonly alphavantageKey: Secret | null
  readonly logLevel: (typeof logLevels)[number]
  readonly logFormat: 'text' | 'json'
  /** Addresses and networks whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[]
  /** Jobs that one worker process runs at a time. */
  readonly workerConcurrency: number
  /** Of the worker's and command line's DuckDB, in megabytes (10^6 bytes). */
  readonly duckdbMemoryMb: number
  /** Of one API process's DuckDB, in megabytes. */
  readonly duckdbMemoryApiMb: number
  readonly duckdbThreads: number
  readonly reproduceSample: number
  /** Folder with DuckDB extensions installed by the operator; null: none is loaded. */
  readonly duckdbExtensions: string | null
  /** The bucket of the lake, `s3://bucket/prefix`; null: the lake is in the data folder. */
  readonly lake: string | null
  /** Bytes that cached files of the lake may take, if it is in a bucket. */
  readonly lakeCacheBytes: number
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

/** Variables of the tests, of the bootstrap (pipelines/cli/with-parent.mjs) and of docker-compose.yml, which are not settings. */
const others = /^CROSSFILE_(TEST_.*|PARENT_PIPE|PARENT_NPM|PUBLISH)$/

const repository = resolve(import.meta.dirname, '..')

/**
 * The configuration from `env`, defaults filled in. Throws `BadRequest` that lists every invalid variable with what to
 * change. An unknown `CROSSFILE_…` variable is invalid, because it is usually misspelt.
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''))
  const known = Object.keys(Environment.shape)
  const unknown = Object.keys(given)
    .filter(name => name.startsWith('CROSSFILE_') && !others.test(name) && !known.includes(name))
    .map(name => `${name}: no such setting; there are ${known.filter(each => each.startsWith('CROSSFILE_')).join(', ')}`)
  const read = Environment.safeParse(given, { jitless: true })
  if (read.success) unknown.push(...clashesIn(read.data))
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
  return configOf(read.data)
}

/** Settings that are each valid and cannot be used together. */
function clashesIn(values: z.output<typeof Environment>): string[] {
  const found: string[] = []
  if (values.CROSSFILE_PLAIN_HTTP && values.CROSSFILE_HOST_COOKIES)
    found.push('CROSSFILE_PLAIN_HTTP: on, and CROSSFILE_HOST_COOKIES too; a cookie named __Host- needs HTTPS, so set one of them to off')
  if (values.CROSSFILE_MODEL?.provider === 'openai-compatible' && values.CROSSFILE_MODEL_URL === undefined)
    found.push('CROSSFILE_MODEL_URL: missing; openai-compatible has no default address, so set one such as http://127.0.0.1:11434/v1')
  if (values.CROSSFILE_MODEL === undefined && (values.CROSSFILE_MODEL_URL !== undefined || values.CROSSFILE_MODEL_KEY !== undefined))
    found.push('CROSSFILE_MODEL: missing, and CROSSFILE_MODEL_URL or CROSSFILE_MODEL_KEY is set; name the model or unset them')
  if (values.CROSSFILE_LAKE !== undefined && (values.AWS_ACCESS_KEY_ID === undefined || values.AWS_SECRET_ACCESS_KEY === undefined))
    found.push('CROSSFILE_LAKE: a bucket, without credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
  return found
}

function configOf(values: z.output<typeof Environment>): Config {
  // Live if a contact or a key is configured; the bundled universe otherwise. The two never share a folder by accident.
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
  const share = duckdbMemory()
  const duckdbMemoryMb = values.CROSSFILE_DUCKDB_MEMORY ?? share.worker
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
    witnesses: values.CROSSFILE_WITNESSES,
    stripeKey: values.STRIPE_API_KEY ?? null,
    stripeWebhookSecret: values.STRIPE_WEBHOOK_SECRET ?? null,
    stripePrices: values.CROSSFILE_STRIPE_PRICES,
    stripeApi: values.CROSSFILE_STRIPE_API?.replace(/\/+$/, '') ?? null,
    model: modelOf(values),
    dataFolder,
    jobsFile: values.CROSSFILE_JOBS ?? join(repository, 'jobs.yaml'),
    contact: values.CROSSFILE_CONTACT ?? null,
    upstreamBase: values.CROSSFILE_UPSTREAM_BASE ?? null,
    yahoo: values.CROSSFILE_YAHOO,
    optIn: values.CROSSFILE_OPT_IN,
    track: values.CROSSFILE_TRACK,
    csvFolder: values.CROSSFILE_CSV ?? join(dataFolder, 'dropin'),
    inboxFolder: values.CROSSFILE_INBOX ?? join(dataFolder, 'inbox'),
    transcriptsFolder: values.CROSSFILE_TRANSCRIPTS ?? join(dataFolder, 'transcripts'),
    eodhdToken: values.EODHD_API_TOKEN ?? null,
    tiingoKey: values.TIINGO_API_KEY ?? null,
    polygonKey: values.POLYGON_API_KEY ?? null,
    fredKey: values.FRED_API_KEY ?? null,
    alphavantageKey: values.ALPHAVANTAGE_API_KEY ?? null,
    logLevel: values.CROSSFILE_LOG,
    logFormat: values.CROSSFILE_LOG_FORMAT,
    trustedProxies: values.CROSSFILE_TRUSTED_PROXIES,
    workerConcurrency: values.CROSSFILE_WORKER_CONCURRENCY,
    duckdbMemoryMb,
    duckdbMemoryApiMb: values.CROSSFILE_DUCKDB_MEMORY_API ?? share.api,
    duckdbThreads: values.CROSSFILE_DUCKDB_THREADS ?? duckdbThreads(duckdbMemoryMb),
    reproduceSample: values.CROSSFILE_REPRODUCE_SAMPLE,
    duckdbExtensions: values.CROSSFILE_DUCKDB_EXTENSIONS ?? null,
    lake: values.CROSSFILE_LAKE ?? null,
    lakeCacheBytes: values.CROSSFILE_LAKE_CACHE,
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

function modelOf(values: z.output<typeof Environment>): ModelConfig | null {
  if (values.CROSSFILE_MODEL === undefined) return null
  return {
    ...values.CROSSFILE_MODEL,
    url: values.CROSSFILE_MODEL_URL?.replace(/\/+$/, '') ?? null,
    key: values.CROSSFILE_MODEL_KEY ?? null,
    images: values.CROSSFILE_MODEL_IMAGES,
    seconds: values.CROSSFILE_MODEL_SECONDS,
    tokens: values.CROSSFILE_MODEL_TOKENS,
    dailyTokens: values.CROSSFILE_MODEL_DAILY_TOKENS,
    prices: values.CROSSFILE_MODEL_PRICES ?? null,
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

/** A `/`, `?` or `#` in a password ends the address before its host: what follows has the `@`. */
function isDatabaseUrl(text: string): boolean {
  const address = URL.parse(text)
  if (address === null || !['postgres:', 'postgresql:'].includes(address.protocol)) return false
  const { username, password, pathname, search, hash } = address
  return !`${pathname}${search}${hash}`.includes('@') && isDecodable(username) && isDecodable(password)
}

function isDecodable(text: string): boolean {
  try {
    // Its result is used: the bundler of the programs removes a call of this function otherwise, and the check with it.
    return decodeURIComponent(text).length <= text.length
  } catch {
    return false // what the check is for
  }
}
