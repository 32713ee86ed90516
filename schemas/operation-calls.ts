// Calls of operations inside this process: agents and the assistant use them in place of HTTP requests to this service.
import type { Operation, OperationId } from './operations.ts'
import { isOfUsers } from './operations.ts'

/** One call. `parameters` contains those of the path and of the query, by name; `body` is the body of a POST. */
export type OperationCall = {
  readonly operation: OperationId
  readonly parameters: Readonly<Record<string, string | number | boolean>>
  readonly body?: unknown
  /** The key of a form that takes effect once, however often it is submitted. */
  readonly idempotency_key?: string
}

export type OperationError = {
  readonly detail: string
  readonly code: string
  readonly hint?: string
  readonly docs: string
  /** What is wrong with each member of the body, for pages. */
  readonly items?: readonly { readonly loc: readonly (string | number)[]; readonly msg: string }[]
}

/** An answer in the cache of this process: while the cache returns `answer` for `key`, the same call has the same outcome. */
export type StoredAnswer = { readonly key: string; readonly answer: object; readonly cost: number }

export type OperationOutcome =
  | {
      readonly ok: true
      /** The canonical name, `GET /api/v1/…?…`, as receipts and the cache use it. */
      readonly name: string
      /** Path and query that return the same bytes over HTTP (`/api/v1/…`). */
      readonly url: string
      /** The JSON body as over HTTP, with every digit. */
      readonly text: string
      readonly release: number | null
      readonly as_of: string | null
      readonly receipt_id: string | null
      /** Absent for an answer that is not stored. */
      readonly stored?: StoredAnswer
      /** Cookies that the operation sets, as `Set-Cookie` and value, for pages. */
      readonly cookies?: readonly string[]
    }
  | { readonly ok: false; readonly status: number; readonly error: OperationError }

/**
 * Calls one operation for one caller. `signed: true` requests a receipt like `receipt=1`, if the operation has receipts. Rejects with the
 * reason of the signal when it is aborted; every other failure is an outcome with `ok: false`.
 */
export type CallOperation = (call: OperationCall, options: { readonly signal: AbortSignal; readonly signed: boolean }) => Promise<OperationOutcome>

/** Whether an operation may be called in this way: it returns JSON, changes nothing, and does not concern records of a user. */
export function isCallable(operation: Operation): boolean {
  if (isOfUsers(operation) || operation.access === 'agent' || operation.answer === null || operation.served_from === 'file') return false
  return operation.method === 'GET' || (operation.method === 'POST' && operation.calculates)
}

/**
 * Whether a page may call an operation as its visitor: it returns JSON or nothing, and may concern the visitor's records. Pages, files,
 * streams and agent endpoints are requested by browsers and programs directly.
 */
export function isCallableByPage(operation: Operation): boolean {
  const { access, answer, success, served_from } = operation
  return access !== 'agent' && served_from !== 'file' && (answer !== null || success === 202 || success === 204)
}
