import { join, resolve } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { describeSettings, loadConfig, Secret } from './config.ts'
import { BadRequest } from './errors.ts'
import { COSIGNER_KEY, LOG_KEY, printVerifierKey } from './verifier-key.ts'

test('an empty environment gives a whole configuration on this machine only', () => {
  expect(loadConfig({})).toMatchObject({
    databaseUrl: null,
    host: '127.0.0.1',
    port: 8080,
    dataFolder: resolve('data'),
    csvFolder: resolve('data/dropin'),
    transcriptsFolder: resolve('data/transcripts'),
    jobsFile: join(import.meta.dirname, '..', 'jobs.yaml'),
    contact: null,
    upstreamBase: null,
    yahoo: false,
    logLevel: 'info',
    trustedProxies: [],
  })
})

test('an empty variable counts as unset, as compose files pass it on', () => {
  expect(loadConfig({ DATABASE_URL: '', CROSSFILE_CONTACT: '  ', EODHD_API_TOKEN: '' })).toEqual(loadConfig({}))
})

test('every variable that cannot be used is named with what to change, in one error', () => {
  const wrong = {
    PORT: '80800',
    DATABASE_URL: 'mysql://localhost/x',
    CROSSFILE_CONTACT: 'nobody',
    CROSSFILE_YAHOO: 'yes',
    CROSSFILE_DUCKDB_MEMORY: 'plenty',
    CROSSFILE_TRUSTED_PROXIES: '10.0.0.0/8, proxy.example',
    CROSSFILE_UPSTREAM_BASE: '{"edgar":"ftp://x"}',
    CROSSFILE_CONTCAT: 'name@example.com',
  }
  let thrown: unknown
  try {
    loadConfig(wrong)
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(BadRequest)
  const { message, hint } = thrown as BadRequest
  for (const name of Object.keys(wrong)) {
    expect(message).toContain(`${name}: `)
    expect(hint).toContain(name)
  }
  expect(message).toContain('has 8 settings')
  expect(message).toContain('PORT: expected a port from 0 (any free one) to 65535')
  expect(message).toContain('"proxy.example" is not an IP address')
  expect(message).toContain('CROSSFILE_CONTCAT: no such setting')
})

test('an error never repeats a credential', () => {
  expect(() => loadConfig({ DATABASE_URL: 'user:hunter2@db' })).toThrow(expect.objectContaining({ message: expect.not.stringContaining('hunter2') }))
})

test('a credential is readable only where it is revealed', () => {
  const { eodhdToken } = loadConfig({ EODHD_API_TOKEN: 'canary' })
  expect(eodhdToken).toBeInstanceOf(Secret)
  expect(eodhdToken?.reveal()).toBe('canary')
  const shown = [String(eodhdToken), JSON.stringify({ eodhdToken }), inspect({ eodhdToken }, { showHidden: true }), `${eodhdToken}`].join()
  expect(shown).not.toContain('canary')
  expect(shown).toContain('[secret]')
})

test.each([
  ['postgres://crossfile:p@ss/w#rd@db:5432/crossfile', false],
  ['postgres://crossfile:a/b@db/crossfile', false],
  ['postgres://crossfile:a?b@db/crossfile', false],
  ['postgres://crossfile:a#b@db/crossfile', false],
  ['postgres://crossfile:100%@db/crossfile', false],
  ['postgres://crossfile:p%40ss%2Fw%23rd%25@db:5432/crossfile', true],
  ['postgres://crossfile:p@ss@db/crossfile?sslmode=require', true],
  ['postgres://db/crossfile', true],
])('the password in DATABASE_URL is encoded: %s %j', (DATABASE_URL, isGood) => {
  const load = () => loadConfig({ DATABASE_URL }).databaseUrl?.reveal()
  if (isGood) expect(load()).toBe(DATABASE_URL)
  else expect(load).toThrow(/DATABASE_URL: expected postgres:.+ of a password as %2F/)
})

test('upstreams have one address for all or one each, without a slash at the end', () => {
  expect(loadConfig({ CROSSFILE_UPSTREAM_BASE: 'http://127.0.0.1:9000/' }).upstreamBase).toBe('http://127.0.0.1:9000')
  expect(loadConfig({ CROSSFILE_UPSTREAM_BASE: '{"edgar":"http://127.0.0.1:9000/e/"}' }).upstreamBase).toEqual({ edgar: 'http://127.0.0.1:9000/e' })
})

test('memory is read in units of 1000 and 1024', () => {
  expect(loadConfig({ CROSSFILE_DUCKDB_MEMORY: '1.5GB', CROSSFILE_DUCKDB_MEMORY_API: '512MiB' })).toMatchObject({
    duckdbMemoryMb: 1500,
    duckdbMemoryApiMb: 536,
  })
})

test.each<[string, readonly string[] | null]>([
  ['', []],
  ['push.example.org, *.push.example.net', ['push.example.org', '*.push.example.net']],
  [
    'https://push.example.org:8443 http://127.0.0.1:9000 http://[::1]:9000',
    ['https://push.example.org:8443', 'http://127.0.0.1:9000', 'http://[::1]:9000'],
  ],
  ['http://push.example.org', null],
  ['http://127.0.0.1.example.org', null],
  ['https://push.example.org/path', null],
  ['https://user@push.example.org', null],
  ['*', null],
  ['*.', null],
  ['localhost', null],
])('CROSSFILE_PUSH_HOSTS "%s" is %j', (text, hosts) => {
  const load = () => loadConfig({ CROSSFILE_PUSH_HOSTS: text }).pushHosts
  if (hosts === null) expect(load).toThrow('CROSSFILE_PUSH_HOSTS')
  else expect(load()).toEqual(hosts)
})

test('a lake in a bucket needs credentials, and its cache has a size', () => {
  const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }
  expect(loadConfig({})).toMatchObject({ lake: null, lakeCacheBytes: 20_000_000_000 })
  expect(loadConfig({ CROSSFILE_LAKE: 's3://my-bucket/a/b/', CROSSFILE_LAKE_CACHE: '1.5GiB', ...keys })).toMatchObject({
    lake: 's3://my-bucket/a/b',
    lakeCacheBytes: 1_610_612_736,
  })
  expect(() => loadConfig({ CROSSFILE_LAKE: 's3://my-bucket' })).toThrow('CROSSFILE_LAKE: a bucket, without credentials')
  expect(() => loadConfig({ CROSSFILE_LAKE: '/srv/lake', ...keys })).toThrow('CROSSFILE_LAKE: expected a bucket such as')
  expect(() => loadConfig({ CROSSFILE_LAKE_CACHE: '20' })).toThrow('CROSSFILE_LAKE_CACHE: expected an amount such as')
})

test('the described default of an amount is the default', () => {
  const amounts = describeSettings().filter(({ type }) => type.startsWith('amount'))
  expect(Object.fromEntries(amounts.map(each => [each.name, each.default]))).toEqual({
    CROSSFILE_LAKE_CACHE: '`20GB`',
    CROSSFILE_DUCKDB_MEMORY: 'a quarter of the memory of the machine or container, at least `256MB`',
    CROSSFILE_DUCKDB_MEMORY_API: 'a quarter of the memory of the machine or container, from `64MB` to `256MB`',
  })
  expect(loadConfig({ CROSSFILE_LAKE_CACHE: '20GB' })).toEqual(loadConfig({}))
})

test('cookies may leave HTTPS by an explicit setting only, and not together with a prefix that needs HTTPS', () => {
  expect(loadConfig({}).cookies).toEqual({ prefixed: false, secure: true })
  expect(loadConfig({ CROSSFILE_PLAIN_HTTP: 'on' }).cookies).toEqual({ prefixed: false, secure: false })
  expect(() => loadConfig({ CROSSFILE_PLAIN_HTTP: 'on', CROSSFILE_HOST_COOKIES: 'on' })).toThrow('CROSSFILE_PLAIN_HTTP')
})

test('a model is a provider and a name; what it lacks is named, and its key is a secret', () => {
  expect(loadConfig({}).model).toBeNull()
  const given = {
    CROSSFILE_MODEL: 'openai-compatible:qwen3:8b',
    CROSSFILE_MODEL_URL: 'http://127.0.0.1:11434/v1/',
    CROSSFILE_MODEL_KEY: 'canary',
    CROSSFILE_MODEL_PRICES: '3, 15.5',
  }
  const { model } = loadConfig(given)
  expect(model).toMatchObject({
    provider: 'openai-compatible',
    name: 'qwen3:8b',
    url: 'http://127.0.0.1:11434/v1',
    images: false,
    seconds: 60,
    prices: { input: '3', output: '15.5' },
  })
  expect(inspect(model)).not.toContain('canary')
  expect(loadConfig({ CROSSFILE_MODEL: 'anthropic:some-model' }).model).toMatchObject({ provider: 'anthropic', url: null, key: null })
  for (const [wrong, about] of [
    [{ CROSSFILE_MODEL: 'gpt' }, 'expected a provider and a model'],
    [{ CROSSFILE_MODEL: 'openai-compatible:x' }, 'CROSSFILE_MODEL_URL: missing'],
    [{ CROSSFILE_MODEL_KEY: 'canary' }, 'CROSSFILE_MODEL: missing'],
    [{ ...given, CROSSFILE_MODEL_SECONDS: '600' }, 'from 5 to 110'],
    [{ ...given, CROSSFILE_MODEL_PRICES: 'cheap' }, 'two amounts'],
  ] as const) {
    expect(() => loadConfig(wrong)).toThrow(about)
    expect(() => loadConfig(wrong)).toThrow(expect.objectContaining({ message: expect.not.stringContaining('canary') }))
  }
})

describe('CROSSFILE_WITNESSES', () => {
  const key = (name: string, algorithm: 1 | 4 = COSIGNER_KEY, byte = 7) =>
    printVerifierKey({ name, algorithm, x: Buffer.alloc(32, byte).toString('base64url') })
  const load = (text: string) => loadConfig({ CROSSFILE_WITNESSES: text }).witnesses
  const one = key('a.example/w')
  test('lists verifier keys with addresses, separated by commas or line ends', () => {
    expect(loadConfig({}).witnesses).toEqual([])
    const two = key('b.example', COSIGNER_KEY, 8)
    expect(load(`${one} https://a.example/w/ ,\n ${two}\thttp://127.0.0.1:4040`)).toEqual([
      { vkey: one, name: 'a.example/w', url: 'https://a.example/w' },
      { vkey: two, name: 'b.example', url: 'http://127.0.0.1:4040' },
    ])
  })
  test.each([
    [one, 'not a verifier key and an address'],
    [`${one} ftp://a.example`, 'not a verifier key and an address'],
    [`${one} https://user@a.example`, 'not a verifier key and an address'],
    [`${one} https://a.example/?key=1`, 'not a verifier key and an address'],
    [`${one} https://a.example more`, 'not a verifier key and an address'],
    [`${key('a.example', LOG_KEY)} https://a.example`, 'not the verifier key of a witness'],
    [`${one.replace('a.example', 'b.example')} https://a.example`, 'not the verifier key of a witness'],
    [`https://a.example ${one}`, 'not the verifier key of a witness'],
    [`${one} https://a.example, ${one} https://b.example`, 'a witness is listed twice'],
    [Array.from({ length: 17 }, (_, at) => `${key('a.example', COSIGNER_KEY, at)} https://a.example`).join(','), 'there are 17 witnesses'],
  ])('refuses %j', (text, message) => {
    expect(() => load(text)).toThrow(message)
  })
})
