// Errors that mean that Postgres could not be reached, as opposed to an error that it returned. Only this file decides between a 503, which
// the client may repeat, and a 500.
import { CrossfileError, Upstream } from '#schemas/errors.ts'
import { diskErrorOf } from './disk-faults.ts'

/** Node's codes for a connection that was refused, lost or never established. */
const systemCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EADDRNOTAVAIL',
])

/** SQLSTATEs of a server that stops, starts, lacks resources, or ended the session (PostgreSQL manual, appendix A). */
const serverCodes: ReadonlySet<string> = new Set([
  '57P01', // admin_shutdown, also pg_terminate_backend
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now: starting, stopping or recovering
  '57P05', // idle_session_timeout
  '25P03', // idle_in_transaction_session_timeout
  '25P04', // transaction_timeout
  '57014', // query_canceled: the statement exceeded its time limit
])
/** Connection exceptions and insufficient resources: too many connections, memory, disk. */
const serverClasses = ['08', '53']

/** Errors of `pg` and its pool without a code. */
const driverMessages =
  /^(?:Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end)/

/** `cause` chains are short; a longer one is a loop. */
const deepest = 8

/** True if the error or its cause means that Postgres could not be reached: the same request may succeed shortly. */
export function isConnectionError(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > deepest) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (systemCodes.has(code) || serverCodes.has(code)) return true
  if (/^[0-9A-Z]{5}$/.test(code) && serverClasses.includes(code.slice(0, 2))) return true
  if (driverMessages.test(error.message)) return true
  // Attempts on several addresses of one name are one AggregateError.
  if (error instanceof AggregateError && error.errors.some(each => isConnectionError(each, depth + 1))) return true
  return isConnectionError(error.cause, depth + 1)
}

/** Seconds after which a client may retry: a killed server is usually back after one or two. */
export const retryAfterSeconds = 2
const retryAfterFullDiskSeconds = 60

/** The error as clients and commands get it: `Upstream` if Postgres could not be reached, else the error itself. */
export function asUpstream(error: unknown): unknown {
  if (error instanceof CrossfileError && error.status < 500) return error
  if (error instanceof Upstream || !isConnectionError(error)) return error
  if (diskErrorOf(error)?.from === 'postgres')
    return new Upstream('the disk of the database is full: nothing can be stored at the moment', {
      cause: error,
      retryAfterSeconds: retryAfterFullDiskSeconds,
      hint: 'repeat the request after the operator has freed space',
    })
  return new Upstream('the database cannot be reached at the moment', {
    cause: error,
    retryAfterSeconds,
    hint: 'repeat the request in a few seconds',
  })
}
