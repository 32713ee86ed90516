// Dependencies for tests of the API without the warehouse: keys in memory, a clock that tests set, and the example of each operation as its
// answer.
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { type Operation, type OperationId, operations, type Scope } from '#schemas/operations.ts'
import type { Plans, Tier } from '#schemas/plans.ts'
import { keyDigest, mintKeyText } from '#warehouse/people/accounts/key-text.ts'
import type { UsageCount } from '#warehouse/people/accounts/key-usage.ts'
import type { ApiKey, KeyStore } from '#warehouse/people/accounts/keys.ts'
import { mintSessionText } from '#warehouse/people/users/session-text.ts'
import type { Session } from '#warehouse/people/users/sessions.ts'
import { plans } from '#warehouse/rulesets/plans/plans.ts'
import type { AnyHandler } from './answering.ts'
import { type DataHandlers, type Dependencies, type Options, ownOperations } from './handler.ts'

export const theNow = new Date('2026-11-20T21:05:00Z')
export type FakeKey = { readonly text: string; readonly key: ApiKey }

/** A key of a tier and scopes, with functions that invalidate it. */
export function aKey(given: Partial<ApiKey> = {}): FakeKey {
  const text = mintKeyText()
  const key: ApiKey = {
    key_id: `k_${text.slice(8, 16)}`,
    name: 'a key',
    owner: null,
    last4: text.slice(-4),
    tier: 'core' satisfies Tier,
    scopes: ['data:read', 'market:read'] satisfies Scope[],
    allowed_addresses: [],
    created_at: '2026-01-01T00:00:00.000Z',
    expires_at: '2027-01-01T00:00:00.000Z',
    revoked_at: null,
    last_used_at: null,
    last_used_as: null,
    last_in_query_at: null,
    halted: null,
    ...given,
  }
  return { text, key }
}

/** A key store over a list that the test may change; it counts its calls. */
export function keyList(...keys: FakeKey[]): KeyStore & { lookups: number; down: boolean; keys: FakeKey[]; uses: string[]; counts: UsageCount[] } {
  const store = {
    lookups: 0,
    down: false,
    keys,
    uses: [] as string[],
    counts: [] as UsageCount[],
    async find(sha256: Buffer) {
      store.lookups += 1
      if (store.down) throw new Error('connection refused')
      return store.keys.find(each => keyDigest(each.text).equals(sha256))?.key ?? null
    },
    async noteUses(uses: ReadonlyMap<string, { as: string }>) {
      for (const [id, { as }] of uses) store.uses.push(`${id} ${as}`)
    },
    async addUsage(counts: readonly UsageCount[]) {
      if (store.down) throw new Error('connection refused')
      store.counts.push(...counts)
    },
  }
  return store
}

/** The example of an operation, as a handler returns it. */
function exampleAnswer(id: OperationId): AnyHandler {
  const operation = operations.find(each => each.id === id)
  if (!operation) throw new TypeError(`no operation ${id}`)
  if (id === 'get_bulk_file') return () => ({ kind: 'stream', stream: Readable.from(['rows']), media_type: 'text/plain', filename: 'rows.txt' })
  if (operation.success === 204) return () => ({ kind: 'empty', status: 204 })
  return (_question, context) =>
    operation.answer === null
      ? { kind: 'text', body: String(operation.example.answer), media_type: operation.media_type, status: operation.success }
      : { ...bytes(JSON.stringify(operation.example.answer), context.release), status: operation.success }
}

const session = { email: 'a@example.org', tier: 'free', is_active: true, email_verified: true, leaving: false } as const
const since = { proved_at: '2026-11-20T21:00:00Z', created_at: '2026-11-20T21:00:00Z' } as const
/** Two signed-in sessions: a user and an administrator. */
export const fakeSessions = {
  user: mintSessionText(),
  admin: mintSessionText(),
  async find(text: string): Promise<Session | null> {
    if (text === fakeSessions.user) return { ...session, ...since, session_id: 's_user', user_id: 'u_1', kind: 'user', is_admin: false }
    if (text === fakeSessions.admin) return { ...session, ...since, session_id: 's_admin', user_id: 'u_2', kind: 'admin', is_admin: true }
    return null
  },
}

/** The example of an operation as a request of a permitted client; `key`: text of an API key. */
export function exampleRequest({ method, access, body_media, example }: Operation, key: string) {
  const credential: Record<string, string> =
    access === 'public'
      ? {}
      : access === 'user'
        ? { cookie: `service_session=${fakeSessions.user}` }
        : access === 'admin'
          ? { cookie: `service_admin=${fakeSessions.admin}` }
          : { authorization: `Bearer ${key}` }
  return requestOf({ method, body_media, example }, credential)
}

/** The example of an operation as a request with these headers. */
export function requestOf(
  { method, body_media, example }: Pick<Operation, 'method' | 'body_media' | 'example'>,
  headers: Record<string, string>,
  file?: Uint8Array,
) {
  if (example.body === undefined) return { method, url: example.request, headers }
  const [media = 'application/json'] = body_media
  if (media === 'multipart/form-data') return { method, url: example.request, ...exampleForm(headers, file) }
  const payload =
    media === 'application/x-www-form-urlencoded'
      ? new URLSearchParams(example.body as Record<string, string>).toString()
      : typeof example.body === 'string'
        ? example.body
        : JSON.stringify(example.body)
  return { method, url: example.request, headers: { ...headers, 'content-type': media }, payload }
}

/** A form with a small file: `fileBytes` default to the beginning of a PDF. */
export function exampleForm(headers: Record<string, string> = {}, fileBytes: Uint8Array = Buffer.from('%PDF-1.7\n'), filename = 'release.pdf') {
  const boundary = '----crossfile-example'
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\nContent-Type: application/pdf\r\n\r\n`
  return {
    headers: { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
    payload: Buffer.concat([Buffer.from(head), fileBytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  }
}

export function bytes(body: string, release: number | null = 1) {
  const etag = createHash('sha256').update(body).digest('hex').slice(0, 16)
  return {
    kind: 'bytes',
    body: Buffer.from(body),
    etag,
    release,
    last_modified: '2026-11-20T21:04:11.500Z',
    receipt_id: null,
    immutable: true,
  } as const
}

/** Plans with limits that no test reaches unintentionally. */
export const widePlans: Plans = {
  ...plans,
  plans: plans.plans.map(plan => ({
    ...plan,
    rates: Object.fromEntries(
      Object.keys(plan.rates).map(name => [name, { limit: 6_000_000, window_seconds: 60, burst: 1_000_000, daily: null }]),
    ) as typeof plan.rates,
  })),
}

type Given = {
  readonly keys?: KeyStore
  readonly plans?: Plans
  readonly handlers?: Readonly<Record<string, AnyHandler>>
  readonly options?: Partial<Options>
  readonly clock?: { ms: number }
  readonly head?: { release: number | null; as_of: string }
  readonly probes?: Dependencies['probes']
  readonly store?: Dependencies['limits']['store']
}

/** Handlers that call `before` with what an operation is asked, then answer as the given ones. */
export function observed(handlers: DataHandlers, before: (id: string, question: never, context: never) => void): DataHandlers {
  const observe = (id: string, handler: (...parameters: never[]) => unknown) => (question: never, context: never) => {
    before(id, question, context)
    return handler(question, context)
  }
  return Object.fromEntries(Object.entries(handlers).map(([id, handler]) => [id, observe(id, handler as never)])) as unknown as DataHandlers
}

/** Dependencies whose data operations return their examples, unless the test gives a handler. */
export function fakes(given: Given = {}): Dependencies {
  const clock = given.clock ?? { ms: 0 }
  const examples = Object.fromEntries(operations.map(each => [each.id, exampleAnswer(each.id as OperationId)]))
  for (const id of ownOperations) delete examples[id]
  return {
    version: '0.1.0',
    baseUrl: () => 'http://api.test',
    now: () => new Date(theNow.getTime() + clock.ms),
    monotonic: () => clock.ms + 1000,
    keys: given.keys ?? keyList(),
    sessions: fakeSessions,
    limits: { plans: given.plans ?? widePlans, store: given.store ?? null },
    head: () => given.head ?? { release: 4711, as_of: '2026-11-20T21:04:11Z' },
    handlers: { ...examples, ...given.handlers } as unknown as DataHandlers,
    probes: given.probes ?? { postgres: async () => {} },
    options: { logLevel: false, ...given.options },
  }
}
