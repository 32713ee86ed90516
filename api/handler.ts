// What a handler of a route receives and returns. `buildApp` does everything else.
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { cacheLimits } from '#schemas/cache-limits.ts'
import type { CallOperation, StoredAnswer } from '#schemas/operation-calls.ts'
import type { Operation, OperationId, QuestionOf } from '#schemas/operations.ts'
import type { LimitClass, Plans } from '#schemas/plans.ts'
import type { LimitStore } from '#warehouse/people/accounts/budget.ts'
import type { KeyStore } from '#warehouse/people/accounts/keys.ts'
import type { Party } from '#warehouse/people/users/fair-queue.ts'
import type { Client } from '#warehouse/people/users/origins.ts'
import type { Session, Visitor } from '#warehouse/people/users/sessions.ts'
import type { DataClock } from '#warehouse/store/data-clock.ts'
import type { AnswerTags } from './answer-tags.ts'
import type { Observed } from './metrics/metrics.ts'
import type { Credential } from './plugins/auth.ts'
import type { CookieSettings } from './plugins/cookies.ts'
import type { Format } from './plugins/formats.ts'

export type Answered =
  | {
      readonly kind: 'bytes'
      /** The JSON body, ready to send. */
      readonly body: Buffer
      /** Opaque, without quotes; equal tags of an address have equal bytes. */
      readonly etag: string
      readonly release: number | null
      /** The instant of the newest data in the answer. */
      readonly last_modified: string | null
      readonly receipt_id: string | null
      /** True if the same request for the same release always returns these bytes; only answers with release= are sent as immutable. */
      readonly immutable: boolean
      readonly next_cursor?: string | null
      /** Milliseconds for which this process may repeat it, if that is less than the operation allows. */
      readonly repeat_ms?: number
      readonly status?: number
      /** Further headers of this answer, as name, value, name, value. */
      readonly headers?: readonly string[]
    }
  | { readonly kind: 'empty'; readonly status: 202 | 204; readonly headers?: readonly string[] }
  | {
      readonly kind: 'file'
      readonly path: string
      /** False if the file changed since it was verified: then the bytes that were read are not sent. */
      readonly confirm?: () => Promise<boolean>
      readonly bytes: number
      readonly sha256: string
      readonly media_type: string
      readonly filename?: string
    }
  | {
      readonly kind: 'text'
      readonly body: string | Buffer
      readonly media_type: string
      readonly etag?: string
      readonly status?: number
      readonly headers?: readonly string[]
      /** The page's Content-Security-Policy, if it is not that of the documentation. */
      readonly policy?: string
    }
  | { readonly kind: 'stream'; readonly stream: Readable; readonly media_type: string; readonly filename: string }
  /** An answer to one message of an agent or an event stream: never cached and never compressed. */
  | {
      readonly kind: 'message'
      readonly status: number
      readonly media_type: string | null
      readonly body: Buffer | Readable
      /** As name, value, name, value. */
      readonly headers: readonly string[]
      /** The stored answers from which it was made, if they alone determine it: while they are stored, the same message has the same answer. */
      readonly made_from?: readonly StoredAnswer[]
    }
  /** Server-sent events, sent when they occur. */
  | { readonly kind: 'events'; readonly stream: Readable }

export type MessageAnswer = Extract<Answered, { kind: 'message' }>

export type Context = {
  readonly operation: Operation
  /** `GET /api/v1/…?…`: the canonical question, as the subject of a receipt names it. */
  readonly name: string
  /** Parameters as sent, before they were made canonical: a spelling can have more than one meaning. */
  readonly parameters: Readonly<Record<string, string>>
  /** Body of a POST, checked; undefined otherwise. */
  readonly body: unknown
  readonly credential: Credential | null
  /** The signed-in user; null if there is none. Operations of access `user` and `admin` always have one. */
  readonly user: Session | null
  /** The origin of the request as sessions and consent store it: shortened address and family of the browser. */
  readonly visitor: Visitor
  /** The address for which failures and floods are counted (/64 of IPv6). */
  readonly address: string
  /** The same address with the devices of the request's cookie, and whether the client is still connected. */
  readonly client: Client
  readonly idempotency_key: string | null
  /** Headers of the request, for operations of access `agent` only; null for all others. */
  readonly headers: IncomingHttpHeaders | null
  /** The header of a signature over the body (`Stripe-Signature`), of an operation with `raw_body`. */
  readonly signature: string | null
  /** The header Last-Event-ID: the last event that a client of a stream received. */
  readonly last_event_id: string | null
  /** The release to answer from: the requested one, or the newest of this process; null before the first. */
  readonly release: number | null
  /** The instant of the newest release, or of a frozen data clock: the answer contains nothing later. */
  readonly as_of: string
  readonly format: Format
  readonly now: () => Date
  /** The instant that counts as now for market data: frozen in an installation of the bundled universe. */
  readonly dataNow: () => Date
  readonly base_url: string
  /** True if a browser uses plain HTTP with another name than this machine's: it drops cookies that are marked `Secure`. */
  readonly plain_http: boolean
  readonly request_id: string
  /** Units of each limit class that this caller could use immediately. */
  readonly remaining: (limitClass: LimitClass) => number
  /**
   * Calls operations as the caller of this request, inside this process. `opens`: operations that this one permits in addition to those of
   * the credential; `countedIn`: the limit class that counts the calls, by default that of each operation; `forPage`: also operations on
   * the caller's own records.
   */
  readonly operation_calls: (opens?: ReadonlySet<OperationId>, countedIn?: LimitClass | null, forPage?: boolean) => CallOperation
}
/** The share of queues that a request uses: that of its account, or of its address. */
export const partyOf = ({ user, credential, address }: Pick<Context, 'user' | 'credential' | 'address'>): Party => ({
  account: user?.user_id ?? credential?.account ?? address,
  address,
})
export type Handler<Id extends OperationId = OperationId> = (question: QuestionOf<Id>, context: Context) => Answered | Promise<Answered>
/** One handler per operation, by its id. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> }
/** Those that buildApp provides: health, plans, catalogue and descriptions. The register of pages answers `get_docs`. */
export const ownOperations = [
  'get_health',
  'get_healthz',
  'get_readiness',
  'ping',
  'list_plans',
  'get_catalog',
  'get_data_health',
  'get_openapi_json',
  'get_openapi_yaml',
  'get_public_openapi',
  'get_docs',
] as const satisfies readonly OperationId[]
export type OwnOperation = (typeof ownOperations)[number]
export type DataHandlers = Omit<Handlers, OwnOperation>

export type Probe = () => Promise<void>
/** A probe's failure whose message /health may show: a plain reason without names of files, hosts or buckets. */
export class PartFailed extends Error {}
export type Dependencies = {
  readonly version: string
  /** Absolute, without a slash at the end. From configuration, never from the Host header. */
  readonly baseUrl: () => string
  readonly now: () => Date
  /** Maximum pause of a client within a long body; tests shorten it. */
  readonly stalledMs?: number
  /** The installation's data clock; null or absent: the machine's clock counts for market data too. Read on every request. */
  readonly dataClock?: () => DataClock
  /** Milliseconds that only go forward; default performance.now. */
  readonly monotonic?: () => number
  readonly keys: KeyStore
  /** The session for the text that a browser or client sends. */
  readonly sessions?: { readonly find: (text: string, now: Date) => Promise<Session | null> }
  /** The token in the forms of a session's pages; null if the session has ended. */
  readonly formTokens?: (session: Session) => Promise<string | null>
  /** How cookies are named and marked; default: without the prefix, `Secure`. */
  readonly cookies?: CookieSettings
  /** `store` null: this process has the whole budget (one API process). */
  readonly limits: { readonly plans: Plans; readonly store: LimitStore | null }
  /** The release that this process answers from, and its instant. Fast: called on every request. */
  readonly head: () => { readonly release: number | null; readonly as_of: string }
  /** Datasets with a damaged file: they make /health report degraded. */
  readonly damaged?: () => readonly string[]
  /** Calls the listener when a signing key was rotated or revoked: cached answers may name receipts that are no longer valid. */
  readonly onSigningKeys?: (listener: () => void) => void
  readonly handlers: DataHandlers
  /** The tag of the current answer that a client has already, if it is known without its bytes. */
  readonly heldTag?: AnswerTags['heldTag']
  /** The probes of /health/ready; a probe that rejects, or takes longer than a second, makes it 503. */
  readonly probes: Readonly<Record<string, Probe>>
  /** Components whose failure /health reports; this process can answer without them. */
  readonly parts?: Readonly<Record<string, Probe>>
  /** Called for every answered request; updates the metrics. */
  readonly observe?: (observed: Observed) => void
  readonly options?: Partial<Options>
}
export type Options = {
  /** Addresses and CIDR ranges whose X-Forwarded-For is trusted. Default none. */
  readonly trustedProxies: readonly string[]
  /** pino's level, or false for no log. */
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | false
  readonly logStream: { write(line: string): void }
  /** Log every request, or only those that failed or took longer than a second. */
  readonly accessLog: 'all' | 'problems'
  /** Bytes of finished answers that may be cached in memory. */
  readonly cacheBytes: number
  /** Also send X-RateLimit-Limit, -Remaining and -Reset. */
  readonly legacyRateHeaders: boolean
  readonly connectionsPerAddress: number
}
export const defaultOptions: Omit<Options, 'logStream'> = {
  trustedProxies: [],
  logLevel: 'info',
  accessLog: 'problems',
  cacheBytes: cacheLimits.answerBytes,
  legacyRateHeaders: false,
  connectionsPerAddress: 64,
}
