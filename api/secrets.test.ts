// Secrets stay where they are sent to (S15): words that are nowhere else in every credential, header, query and body of what belongs to
// users, with errors forced, looked for in log lines, error bodies, rows and queue payloads.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InjectOptions } from 'fastify'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { dumpedRows } from '#fixtures/canary.ts'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { signedInUser, type TestUser } from '#fixtures/users.ts'
import { loadConfig } from '#schemas/config.ts'
import { isOfUsers, type Operation, operations } from '#schemas/operations.ts'
import { connect } from '#warehouse/store/postgres.ts'
import { installQueue } from '#warehouse/store/queue.ts'
import { buildApp } from './app.ts'
import { exampleRequest, fakes } from './fakes.ts'
import { type Server, startServer } from './server.ts'

/** In credentials; and in everything else that is sent. */
const secret = 'canarysecretqzvw'
const word = 'canarycontentqzvw'
const forms = [secret, word].flatMap(each => [each, Buffer.from(each).toString('hex'), Buffer.from(each).toString('base64').slice(0, 16)])
const found = (texts: readonly string[], wanted: readonly string[] = forms): string[] =>
  texts.filter(text => wanted.some(form => text.toLowerCase().includes(form.toLowerCase())))
const isCredential = (name: string): boolean => /password|secret|token|code|session_id|auth|signature/i.test(name)
const ofUsers = operations.filter(isOfUsers)

/** The body with another text in every member, or in one. */
function withWords(body: unknown, only: string | null = null): unknown {
  if (typeof body !== 'object' || body === null) return typeof body === 'string' ? word : body
  if (Array.isArray(body)) return body.map(each => withWords(each, only))
  const entries = Object.entries(body).map(([name, value]) => {
    if (only !== null && name !== only) return [name, value]
    return [name, typeof value === 'string' ? (isCredential(name) ? `${secret}-${name}` : word) : withWords(value)]
  })
  return Object.fromEntries(entries)
}
type Query = { readonly method: string; readonly url: string; readonly headers: Record<string, string>; readonly payload?: string }
/** Requests of an operation in which the words are: headers, query, path, all of the body, each of its members, a member too many. */
function questions(operation: Operation): Query[] {
  const { method, url, headers: own } = exampleRequest({ ...operation, access: 'public' }, '')
  const body = operation.example.body
  const form = operation.body_media[0] === 'application/x-www-form-urlencoded'
  const media: Record<string, string> = body === undefined ? {} : { 'content-type': operation.body_media[0] ?? 'application/json' }
  const written = (value: unknown): string =>
    form ? new URLSearchParams(value as Record<string, string>).toString() : typeof value === 'string' ? value : JSON.stringify(value)
  const requested = (changed: Partial<Query>, value: unknown = body): Query => ({
    method,
    url,
    headers: { ...own, ...media, ...changed.headers },
    ...(value === undefined ? {} : { payload: written(value) }),
    ...(changed.url === undefined ? {} : { url: changed.url }),
  })
  const query = url.includes('?') ? '&' : '?'
  const carried = {
    'user-agent': `Mozilla/5.0 ${word} Firefox/140.0`,
    referer: `https://example.org/?token=${secret}`,
    'x-canary': secret,
    'idempotency-key': secret,
    'stripe-signature': `t=1,v1=${secret}`,
  }
  const members = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.keys(body) : []
  return [
    requested({ headers: carried }),
    requested({ url: `${url}${query}apikey=${secret}` }),
    requested({ url: `${url}${query}token=${secret}&${word}=1` }),
    requested({ url: url.replace(/\/[^/?]*(?=$|\?)/, `/${word}`) }),
    requested({ headers: { authorization: `Bearer ${secret}` } }),
    requested({ headers: { 'x-api-key': `cf_live_${secret}` } }),
    requested({ headers: { cookie: `service_session=${secret}; service_admin=${secret}; other=${secret}` } }),
    ...(body === undefined ? [] : [requested({ headers: carried }, typeof body === 'string' ? `${body}${word}` : withWords(body))]),
    ...members.map(name => requested({}, withWords(body, name))),
    ...(members.length === 0
      ? []
      : [requested({}, { ...(body as object), no_such_member: secret }), requested({ headers: {} }, `{"broken":"${secret}`)]),
  ]
}

const lines: string[] = []
beforeEach(() => {
  vi.spyOn(process.stderr, 'write').mockImplementation(line => lines.push(String(line)) > 0)
})
afterEach(() => {
  vi.restoreAllMocks()
  lines.length = 0
})
const folder = mkdtempSync(join(tmpdir(), 'crossfile-secrets-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const envOf = (url: string): Record<string, string> => ({
  DATABASE_URL: url,
  CROSSFILE_DATA: folder,
  CROSSFILE_LOG: 'debug',
  PORT: '0',
  CROSSFILE_TRUSTED_PROXIES: '127.0.0.1',
  // What the operator configures is secret too; no server listens at these addresses.
  STRIPE_API_KEY: `sk_test_${secret}`,
  STRIPE_WEBHOOK_SECRET: `whsec_${secret}`,
  CROSSFILE_STRIPE_API: 'http://127.0.0.1:9',
  CROSSFILE_STRIPE_PRICES: '{"trader.monthly":"price_1"}',
  CROSSFILE_SMTP_URL: `smtp://user:${secret}@127.0.0.1:9`,
  EODHD_API_TOKEN: secret,
})

let addresses = 0
async function ask(server: Server, { method, url, headers, payload }: Query, who: Record<string, string>): Promise<{ status: number; text: string }> {
  addresses += 1
  const response = await fetch(server.address + url, {
    method,
    redirect: 'manual',
    headers: { 'x-forwarded-for': `2001:db8:${addresses.toString(16)}::1`, ...who, ...headers },
    ...(payload === undefined ? {} : { body: payload }),
  })
  return { status: response.status, text: await response.text() }
}

describe('the whole service', () => {
  const url = createTestDatabase()
  let server: Server
  let database: ReturnType<typeof connect>
  beforeAll(async () => {
    await installQueue(await url)
    database = connect(await url)
    server = await startServer(loadConfig(envOf(await url)))
  })
  afterAll(async () => {
    await server.close()
    await database.close()
  })
  /** Texts that a user gave to be kept are kept where the user can see and erase them; secrets nowhere but as a device is reached. */
  // The id of a chat is a name that its user chose: it opens nothing for anybody else.
  const kept = /^public\.(device|push_subscription|idempotency_key|chat_session|chat_message|chat_run|chat_event|assistant_feedback):/
  it.each(ofUsers.map(each => [each.id, each] as const))('%s reveals none of them to any client', async (_id, operation) => {
    const admin = operation.access === 'admin'
    const user: TestUser = await signedInUser(database.db, admin ? { kind: 'admin', is_admin: true } : {})
    for (const who of [user.cookie, {}]) {
      const open = 'cookie' in who || operation.access === 'public'
      for (const requested of questions(operation).slice(0, open ? undefined : 2)) {
        const { status, text } = await ask(server, requested, who)
        expect([status, status < 600]).toEqual([status, true])
        // Refusals say which member is wrong, never what a credential was.
        if (status >= 400) expect([requested.url, requested.payload, found([text], [secret])]).toEqual([requested.url, requested.payload, []])
      }
    }
    expect(found(lines)).toEqual([])
    const rows = await dumpedRows(database.pool)
    expect(found(rows, [secret]).filter(row => !kept.test(row))).toEqual([])
    expect(found(rows).filter(row => /^(pgboss|public\.(rate_budget|sign_in_failure|audit_entry|user_session))/.test(row))).toEqual([])
    // Passwords are hashed slowly, and many are sent.
  })
})

describe('an error that quotes what it was given', () => {
  it('reaches neither the log nor the client, for any operation', async () => {
    const handlers = Object.fromEntries(
      operations.map(each => [
        each.id,
        (_question: unknown, context: unknown) => {
          const { body, requested, signature, idempotency_key } = context as Record<string, unknown>
          const all = JSON.stringify([body, requested, signature, idempotency_key])
          throw new Error(`duplicate key: ${all}`, { cause: new Error(`Key (token)=(${secret}) exists: ${all}`) })
        },
      ]),
    )
    const log: string[] = []
    const app = await buildApp(
      fakes({ handlers, options: { logLevel: 'debug', accessLog: 'all', logStream: { write: line => void log.push(line) } } }),
    )
    let broken = 0
    for (const operation of ofUsers) {
      const { headers: door } = exampleRequest({ ...operation, example: { ...operation.example, body: undefined } } as Operation, '')
      for (const requested of questions(operation)) {
        const headers = { 'x-canary': secret, ...door, ...requested.headers }
        const { statusCode, body } = await app.inject({ ...requested, headers } as InjectOptions)
        if (statusCode === 500) broken += 1
        if (statusCode >= 500) expect(found([body])).toEqual([])
      }
    }
    await app.close()
    expect(broken).toBeGreaterThan(ofUsers.length)
    expect(log.filter(line => line.includes('request failed')).length).toBe(broken)
    expect(found(log)).toEqual([])
  })
})

describe('a database that is gone', () => {
  it('is logged without the content of the request', async () => {
    const url = await createTestDatabase()
    await installQueue(url)
    const { db, close } = connect(url)
    const user = await signedInUser(db)
    await close()
    const server = await startServer(loadConfig(envOf(url)))
    try {
      const name = new URL(url).pathname.slice(1)
      const client = new Client({ connectionString: url.replace(name, 'postgres') })
      await client.connect()
      await client.query(`drop database ${name} with (force)`)
      await client.end()
      const statuses = new Set<number>()
      for (const operation of ofUsers.filter(each => each.method !== 'GET')) {
        for (const requested of questions(operation).slice(-4)) {
          const { status, text } = await ask(server, requested, user.cookie)
          statuses.add(status)
          if (status >= 400) expect(found([text], [secret])).toEqual([])
        }
      }
      expect([...statuses].some(status => status >= 500)).toBe(true)
      expect(lines.length).toBeGreaterThan(0)
      expect(found(lines)).toEqual([])
    } finally {
      await server.close()
    }
  })
})
