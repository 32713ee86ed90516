// Calls of operations inside this process: what agents and the assistant ask instead of sending HTTP requests to ourselves.
import type { Operation, OperationId } from './operations.ts'
import { isOfUsers } from './operations.ts'

/** One question. `parameters` holds those of the path and of the query together, by name; `body` is what a POST would carry. */
export type OperationCall = {
  readonly operation: OperationId
  readonly parameters: Readonly<Record<string, string | number | boolean>>
  readonly body?: unknown
  /** Of a form that has its effect once, however often it is submitted. */
  readonly idempotency_key?: string
}

export type OperationError = { readonly detail: string; readonly code: string; readonly hint?: string; readonly docs: string }

export type OperationOutcome =
  | {
      readonly ok: true
      /** The canonical name, `GET /api/v1/…?…`: what a receipt's subject and the cache use. */
      readonly name: string
      /** Path and query that give the same bytes over HTTP (`/api/v1/…`). */
      readonly url: string
      /** The JSON body as HTTP sends it, every digit kept. */
      readonly text: string
      readonly release: number | null
      readonly as_of: string | null
      readonly receipt_id: string | null
    }
  | { readonly ok: false; readonly status: number; readonly error: OperationError }

/**
 * Asks one operation for one caller. `signed: true` requests a receipt, as `receipt=1` does, of operations that give one. Rejects with the
 * signal's reason when the signal is aborted; every other failure is an outcome with `ok: false`.
 */
export type CallOperation = (call: OperationCall, options: { readonly signal: AbortSignal; readonly signed: boolean }) => Promise<OperationOutcome>

/** Whether an operation may be called in this way: it answers JSON, changes nothing, and concerns no user's own records. */
export function isCallable(operation: Operation): boolean {
  if (isOfUsers(operation) || operation.access === 'agent' || operation.answer === null || operation.served_from === 'file') return false
  return operation.method === 'GET' || (operation.method === 'POST' && operation.calculates)
}

/**
 * Whether a page may call an operation as the person who looks at it: JSON or nothing as the answer, the person's own records included.
 * Pages, files, streams and agent endpoints are requested by browsers and programs themselves.
 */
export function isCallableByPage(operation: Operation): boolean {
  const { access, answer, success, served_from } = operation
  return access !== 'agent' && served_from !== 'file' && (answer !== null || success === 202 || success === 204)
}
