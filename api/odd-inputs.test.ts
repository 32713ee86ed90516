// Every parameter, body member and header of every operation, each with every odd input of fixtures/odd-inputs.ts, over the bundled
// universe with real credentials: the answer is never a 5xx, and every error has the one error shape.
import { createHash } from 'node:crypto'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { oddBodies, oddCredentials, oddHeaders, oddInBody, oddInPath, oddInQuery } from '#fixtures/odd-inputs.ts'
import { drillRelease } from '#fixtures/pdf/drill-release.ts'
import { credentialFor } from '#fixtures/users.ts'
import { worldKey, worldWarehouse, worldWorker } from '#fixtures/warehouse.ts'
import { ErrorAnswer } from '#schemas/answer.ts'
import { Secret } from '#schemas/config.ts'
import { type Operation, operations } from '#schemas/operations.ts'
import { requestOf, widePlans } from './fakes.ts'
import { parameterNames } from './question.ts'
import { type Server, startServer } from './server.ts'

type Request = {
  readonly method: Operation['method']
  readonly url: string
  readonly headers: Record<string, string>
  readonly payload?: string | Buffer
}
const warehouse = await worldWarehouse()
await worldWorker(warehouse)
const key = await worldKey(warehouse)
const { db } = warehouse.runtime.postgres
let server: Server
let app: FastifyInstance
beforeAll(async () => {
  server = await startServer({ ...warehouse.config, stripeWebhookSecret: new Secret('whsec_of_this_test') }, widePlans)
  app = server.app
  description = (await app.inject('/openapi.json')).json()
})
afterAll(() => server.close())

let serial = 0
/** Sends a request from a separate address, so that no failure of another one counts against it. */
async function send({ method, url, headers, payload }: Request): Promise<Answer> {
  serial += 1
  const remoteAddress = `10.${(serial >> 16) & 255}.${(serial >> 8) & 255}.${serial & 255}`
  const response = await app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }), remoteAddress } as InjectOptions)
  return { status: response.statusCode, type: String(response.headers['content-type'] ?? ''), body: response.body }
}

const Problem = z.object({
  type: z.url(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  instance: z.string(),
  code: z.string(),
  docs: z.url(),
})
/** An error of an agent endpoint: JSON-RPC 2.0, section 5.1; refusals before a message is read carry the members of ErrorAnswer too. */
const AgentError = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]),
  error: z.object({ code: z.int(), message: z.string() }),
})
/** Operations that this installation reports as unavailable: it has no Stripe key. */
const unconfigured = new Set(['create_checkout'])
type Answer = { readonly status: number; readonly type: string; readonly body: string }
/** What is wrong with an answer: a 5xx, an error in another shape, or a status or media type that the description lacks. Null: nothing. */
function faultOf(operation: Operation, { status, type, body }: Answer): string | null {
  if (status >= 500 && !(status === 503 && unconfigured.has(operation.id))) return `${status} ${body.slice(0, 200)}`
  const undescribed = described(operation, status, type, body)
  if (undescribed !== null) return undescribed
  if (status < 400 || type.startsWith('text/html')) return null
  const shape = type.startsWith('application/problem+json') ? Problem : operation.agent === null ? ErrorAnswer : AgentError
  const read = shape.safeParse(JSON.parse(body))
  return read.success ? null : `${status} is no error of the one shape: ${body.slice(0, 200)}`
}

type Response = { readonly $ref?: string; readonly content?: Readonly<Record<string, unknown>> }
type Description = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Response>> }>>>>
  readonly components: { readonly responses: Readonly<Record<string, Response>> }
}
let description: Description
/** Statuses of what is refused before or around every operation, which `default` describes; all others are named by the operation. */
const byDefault = new Set([405, 408, 414, 417, 431])
/** Why the description lacks the status or the media type; null: it has both. A bad key is 401 or 403 even if none is needed. */
function described(operation: Operation, status: number, type: string, body: string): string | null {
  const { responses } = description.paths[operation.path]?.[operation.method.toLowerCase()] ?? { responses: {} }
  const general = byDefault.has(status) || (operation.access === 'public' && (status === 401 || status === 403)) ? responses['default'] : undefined
  const found = responses[String(status)] ?? general
  if (!found) return `${status} is not described`
  const name = found.$ref?.split('/').at(-1)
  const { content } = name === undefined ? found : (description.components.responses[name] ?? {})
  if (content === undefined) return body === '' ? null : `${status} has a body, and none is described`
  const bare = type.split(';', 1)[0] ?? ''
  return bare in content ? null : `${status} of type ${bare} is not described: ${Object.keys(content).join(', ')}`
}

/** Operations that end the session or the account that sent them: each request has its own. */
const ends = new Set(['sign_out', 'delete_my_account', 'change_password', 'admin_logout'])
const credential = ({ access }: Operation): Promise<Record<string, string>> => credentialFor(access, db, warehouse.config.dataFolder, key)
const example = (operation: Operation, headers: Record<string, string>): Request => requestOf(operation, headers, drillRelease().bytes)

/** How many accepted and refused inputs of one parameter or member are sent. Which ones changes from one parameter to the next. */
const most = { accepted: 6, refused: 2 }
let turn = 0
function inTurn<T>(all: readonly T[], count: number): T[] {
  return Array.from({ length: Math.min(count, all.length) }, () => {
    turn += 1
    return all[turn % all.length] as T
  })
}
/** Every input is read by the schema; of those that it accepts and of those that it refuses, some are sent. */
function worthSending(odds: readonly string[], accepts: (odd: string) => boolean, count = most): string[] {
  const { accepted = [], refused = [] } = Object.groupBy(odds, odd => (accepts(odd) ? 'accepted' : 'refused'))
  return [...inTurn(accepted, count.accepted), ...inTurn(refused, count.refused)]
}
/** True if a parameter's schema takes the percent-encoded text; texts that cannot be decoded never reach it. */
function acceptsText(schema: z.ZodType | undefined, odd: string): boolean {
  try {
    return schema?.safeParse(decodeURIComponent(odd.replaceAll('+', ' '))).success ?? false
  } catch {
    return false
  }
}

/** Requests that differ from a good one in one parameter of the query or the path. */
function* inAddress(operation: Operation, good: Request): Generator<Request> {
  const [path = '', query = ''] = good.url.split('?', 2)
  const kept = query.split('&').filter(part => part !== '')
  const { shape } = operation.question
  const [parts, names] = [path.split('/'), operation.path.split('/')]
  for (const name of parameterNames(operation)) {
    const others = kept.filter(part => !part.startsWith(`${name}=`))
    const at = (text: string): Request => ({ ...good, url: `${path}?${[...others, text].join('&')}` })
    for (const odd of worthSending(oddInQuery, odd => acceptsText(shape[name], odd))) yield at(`${name}=${odd}`)
    yield at(name)
    yield at(`${name}=1&${name}=1`)
  }
  for (const [at, name] of names.entries()) {
    if (!name.startsWith('{')) continue
    for (const odd of worthSending(oddInPath, odd => acceptsText(shape[name.slice(1, -1)], odd)))
      yield { ...good, url: [...parts.slice(0, at), odd, ...parts.slice(at + 1)].join('/') + (query === '' ? '' : `?${query}`) }
  }
}

type Node = { readonly properties?: Readonly<Record<string, Node>>; readonly anyOf?: readonly Node[]; readonly items?: Node }
/** Paths of the members of a body, two levels deep. */
function membersOf(schema: z.ZodType): string[][] {
  const own = (node: Node): [string, Node][] => [
    ...Object.entries(node.properties ?? {}),
    ...(node.anyOf ?? []).flatMap(own),
    ...(node.items ? own(node.items).map(([name, inner]): [string, Node] => [`0.${name}`, inner]) : []),
  ]
  const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Node
  return own(root).flatMap(([name, node]) => [[name], ...own(node).map(([inner]) => [name, ...inner.split('.')])])
}
/** Of passwords fewer are sent: each costs as much time to hash as hundreds of other requests. */
const hashed = { accepted: 1, refused: 2 }
const place = '\u0001odd\u0001'
/** The JSON of a body with a member replaced by JSON text. */
function bodyWith(body: unknown, path: readonly string[], odd: string): string {
  const copy = structuredClone(body ?? {}) as Record<string, unknown>
  let at = copy
  for (const [depth, name] of path.entries()) {
    if (depth === path.length - 1) at[name] = place
    else {
      const next = typeof at[name] === 'object' && at[name] !== null ? at[name] : path[depth + 1] === '0' ? [{}] : {}
      at[name] = next
      at = next as Record<string, unknown>
    }
  }
  return JSON.stringify(copy).replace(JSON.stringify(place), () => odd)
}
function* inBody(operation: Operation, good: Request): Generator<Request> {
  if (operation.body === null) return
  const form = operation.body_media[0] === 'application/x-www-form-urlencoded'
  for (const media of operation.body_media)
    for (const payload of operation.raw_body ? oddBodies : worthSending(oddBodies, () => false))
      yield { ...good, headers: { ...good.headers, 'content-type': media }, payload }
  const { body } = operation.example
  if (form) {
    for (const name of Object.keys(body as object))
      for (const odd of ['x&more=1', `1&${name}=2`, ...worthSending(oddInQuery, () => false)]) {
        const others = Object.entries(body as Record<string, string>).filter(([other]) => other !== name)
        yield { ...good, payload: `${new URLSearchParams(others)}&${name}=${odd}` }
      }
    return
  }
  const given = typeof body === 'string' ? (JSON.parse(body) as unknown) : body
  const paths = operation.raw_body ? Object.keys(given as object).map(name => [name]) : membersOf(operation.body)
  const accepts = (text: string): boolean => operation.raw_body || (operation.body?.safeParse(JSON.parse(text)).success ?? false)
  for (const path of paths)
    for (const odd of worthSending(oddInBody, odd => accepts(bodyWith(given, path, odd)), path.at(-1)?.includes('password') ? hashed : most))
      yield { ...good, payload: bodyWith(given, path, odd) }
}
/** Operations that hash a password or wait as long as one that does: a share of the headers is sent. */
const costly = new Set([
  'register_account',
  'sign_in',
  'change_password',
  'request_password_reset',
  'admin_login',
  ...['in', 'up'].map(way => `post_developer_sign_${way}`),
  'post_developer_forgotten',
])
/** Headers with operation-specific handling are all sent to that operation; headers with shared handling are sent in turn. */
function* inHeaders(operation: Operation, good: Request): Generator<Request> {
  const own =
    operation.served_from === 'file' ? ['range', 'if-range'] : operation.raw_body ? ['stripe-signature'] : operation.body ? ['idempotency-key'] : []
  const names = Object.entries(oddHeaders)
  const chosen = inTurn(names, costly.has(operation.id) ? 2 : 8)
  for (const [name, odds] of [...chosen.filter(([each]) => !own.includes(each)), ...names.filter(([each]) => own.includes(each))])
    for (const odd of own.includes(name) && !costly.has(operation.id) ? odds : inTurn(odds, 1))
      yield { ...good, headers: { ...good.headers, [name]: odd } }
  const { authorization, cookie, ...rest } = good.headers
  for (const odd of inTurn(oddCredentials, costly.has(operation.id) ? 1 : 3)) yield { ...good, headers: { ...rest, ...odd } }
}

async function sweep(operation: Operation, requests: (operation: Operation, good: Request) => Iterable<Request>): Promise<string[]> {
  const faults: string[] = []
  let good = example(operation, await credential(operation))
  for (const request of requests(operation, good)) {
    if (ends.has(operation.id)) good = { ...good, headers: { ...good.headers, ...(await credential(operation)) } }
    const answer = await send(
      ends.has(operation.id) ? { ...request, headers: { ...request.headers, cookie: good.headers['cookie'] ?? '' } } : request,
    )
    const fault = faultOf(operation, answer)
    if (fault) faults.push(`${request.method} ${request.url.slice(0, 200)} ${(request.payload ?? '').slice(0, 200)}: ${fault}`)
  }
  return faults
}
const each = operations.map(operation => [operation.id, operation] as const)
/** The cursor again, with its content changed and its check sum made right: what a client can send that reads how cursors are made. */
function forged(cursor: string, change: (body: { k: unknown[]; r: unknown }) => object): string {
  const body = JSON.stringify(change(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8').slice(8)) as { k: unknown[]; r: unknown }))
  const sum = createHash('sha256').update(`crossfile cursor 1\n${body}`).digest('base64url').slice(0, 8)
  return Buffer.from(sum + body).toString('base64url')
}
const oddKeys = [
  null,
  '',
  'x',
  '\u0000',
  '\ud800',
  '9'.repeat(128),
  '2026-99-99',
  '0000-01-01T00:00:00Z',
  "' or 1=1 --",
  -1,
  0.5,
  1e21,
  1.7e308,
  2 ** 53,
  2 ** 31,
]
function* forgeries(cursor: string): Generator<string> {
  const { length } = (JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8').slice(8)) as { k: unknown[] }).k
  for (const odd of oddKeys)
    for (let at = 0; at < length; at += 1) yield forged(cursor, body => ({ ...body, k: body.k.map((each, place) => (place === at ? odd : each)) }))
  for (const k of [[], [null], ['x'], [1, 2, 3, 4, 5, 6, 7, 8]]) yield forged(cursor, body => ({ ...body, k }))
  yield Buffer.from(`${createHash('sha256').update('crossfile cursor 1\n{').digest('base64url').slice(0, 8)}{`).toString('base64url')
  for (const r of [0, 9_007_199_254_740_991, 999_999_999, 1]) yield forged(cursor, body => ({ ...body, r }))
}
/** Rows of a user, two of each kind that is listed in pages. */
async function withRows(headers: Record<string, string>): Promise<void> {
  const bodies: Readonly<Record<string, readonly object[]>> = {
    '/api/v1/alerts': [
      { ticker: 'GLPR.TO', condition: 'above', threshold: 1 },
      { ticker: 'GLPR', condition: 'below', threshold: 1 },
    ],
    '/api/v1/ipo-alerts': [
      { ticker: 'SLTK', event: 'lockup_soon', lead_days: 10 },
      { ticker: 'SLTK', event: 'lockup_soon', lead_days: 5 },
    ],
    '/api/v1/portfolio/positions': [
      { ticker: 'GLPR.TO', quantity: 1, currency: 'CAD' },
      { ticker: 'GLPR', quantity: 1, currency: 'USD' },
    ],
    '/api/v1/consent/record': [
      { consent_type: 'a', action: 'granted' },
      { consent_type: 'b', action: 'granted' },
    ],
  }
  for (const [url, posted] of Object.entries(bodies))
    for (const body of posted) {
      const { status, body: text } = await send({
        method: 'POST',
        url,
        headers: { ...headers, 'content-type': 'application/json' },
        payload: JSON.stringify(body),
      })
      expect([url, status, status < 300 ? '' : text]).toEqual([url, 201, ''])
    }
}
describe('a cursor that was changed', () => {
  const paged = each.filter(([, { question }]) => 'cursor' in question.shape)
  // Lists that the bundled universe fills with one page of one row or less.
  const short = new Set([
    'list_expert_reviews',
    'list_alert_firings',
    'list_account_requests',
    'list_job_runs',
    'list_audit',
    'list_admin_keys',
    'list_admin_mail',
    'list_erasures',
  ])
  it.each(paged)('%s', async (id, operation) => {
    const headers = await credential(operation)
    if (operation.access === 'user') await withRows(headers)
    const [path = '', query = ''] = operation.example.request.split('?', 2)
    const kept = query
      .split('&')
      .filter(part => part !== '' && !/^(limit|cursor|query|from|to|receipt|since|as_of|status|symbol|period|item)=/.test(part))
    const url = `${path}?${[...kept, 'limit=1'].join('&')}`
    const first = await send({ method: 'GET', url, headers })
    const cursor = first.status === 200 ? (JSON.parse(first.body) as { next_cursor?: string | null }).next_cursor : undefined
    expect([id, url, typeof cursor === 'string' || short.has(id)]).toEqual([id, url, true])
    if (typeof cursor !== 'string') return
    const faults: string[] = []
    for (const changed of forgeries(cursor)) {
      const fault = faultOf(operation, await send({ method: 'GET', url: `${url}&cursor=${changed}`, headers }))
      if (fault) faults.push(`${Buffer.from(changed, 'base64url').toString('utf8').slice(8, 200)}: ${fault}`)
    }
    expect(faults).toEqual([])
  })
})
describe('Idempotency-Key', () => {
  // Checkout hands the key to Stripe, which this installation has not configured; the example's user is not the one who signed in.
  const refusedBefore = new Set([...unconfigured, 'attribute_referral'])
  const writing = each.filter(([id, { method, access }]) => method !== 'GET' && (access === 'user' || access === 'admin') && !refusedBefore.has(id))
  it.each(writing)('is read by %s if its description has it, and by it alone', async (_id, operation) => {
    const good = example(operation, await credential(operation))
    const { status, body } = await send({ ...good, headers: { ...good.headers, 'idempotency-key': 'two words' } })
    const refused = status === 400 && body.includes('the Idempotency-Key is invalid')
    expect([status, body.slice(0, 120), refused]).toEqual([status, body.slice(0, 120), operation.idempotency_key])
  })
})
describe('a date outside the supported ones', () => {
  it.each([
    ['/api/v1/themes?as_of=0110-12-17', 'as_of=0110-12-17 is before the earliest supported date 1900-01-01'],
    ['/api/v1/themes?as_of=1900-01-01T00:00:00%2B00:01', 'as_of=1900-01-01T00:00:00+00:01 is before the earliest supported date 1900-01-01'],
    ['/api/v1/market/earnings-calendar?from=0000-01-01', 'from=0000-01-01 is before the earliest supported date 1900-01-01'],
    ['/api/v1/market/ipo-calendar?to=2200-01-01', 'to=2200-01-01 is after the latest supported date 2199-12-31'],
    ['/api/v1/status/history?to=9999-12-31T23:59:59-23:59', 'to=9999-12-31T23:59:59-23:59 is after the latest supported date 2199-12-31'],
    ['/api/v1/data/13f/manager/0009980001?period=1899Q4', 'period=1899Q4 is before the earliest supported date 1900-01-01'],
  ])('%s', async (url, detail) => {
    const { status, body } = await send({ method: 'GET', url, headers: { authorization: `Bearer ${key}` } })
    expect([status, (JSON.parse(body) as { detail: string }).detail]).toEqual([400, detail])
  })
  it('in a body is named too, and the first and the last supported day pass', async () => {
    const admin = await credential(operations.find(each => each.access === 'admin') as Operation)
    const payload = JSON.stringify({ title: 'a', started_at: '0999-12-31T00:00:00Z' })
    const { status, body } = await send({
      method: 'POST',
      url: '/api/v1/admin/incidents',
      headers: { ...admin, 'content-type': 'application/json' },
      payload,
    })
    expect([status, body]).toEqual([422, expect.stringContaining('0999-12-31T00:00:00Z is before the earliest supported date 1900-01-01')])
    for (const url of ['/api/v1/themes?as_of=1900-01-01', '/api/v1/market/eod/GLPR.TO?from=1900-01-01&to=2199-12-31'])
      expect([url, (await send({ method: 'GET', url, headers: {} })).status]).toEqual([url, 200])
  })
})
describe('address', () => {
  it.each(each)('%s', async (_id, operation) => expect(await sweep(operation, inAddress)).toEqual([]))
})
describe('body', () => {
  it.each(each.filter(([, { body }]) => body !== null))('%s', async (_id, operation) => expect(await sweep(operation, inBody)).toEqual([]))
})
describe('headers', () => {
  it.each(each)('%s', async (_id, operation) => expect(await sweep(operation, inHeaders)).toEqual([]))
})
