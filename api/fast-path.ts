// Fast path: serves a cached response by URL, without routing or parsing.
// It handles only requests that it can complete synchronously (known key, limit held here, body in memory). All others take the regular path.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { cacheLimits } from '#schemas/cache-limits.ts'
import type { Operation } from '#schemas/operations.ts'
import type { Answering } from './answering.ts'
import { type Keys, presentedKey, refusal } from './plugins/auth.ts'
import { repeatedHeader } from './plugins/duplicates.ts'
import { acceptedFormat, type Format, formatsOf } from './plugins/formats.ts'
import type { Caller, Limiter } from './plugins/limiter.ts'
import type { Read } from './question.ts'
import { isPrepared, sendFinished } from './respond.ts'

type Memo = {
  readonly operation: Operation
  readonly read: Pick<Read, 'name' | 'receipt'>
  readonly release: number | null
  readonly releaseNamed: boolean
  /** The format in the address; null: Accept decides. */
  readonly format: Format | null
  readonly formats: readonly Format[]
  /** The last cache key with its inputs: it is reused until the next release. */
  made: { readonly release: number | null; readonly format: Format; readonly key: string } | null
}
export type FastPath = {
  /** True if the request was answered. */
  readonly serve: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Stores the meaning of an address. Never called for an address with a key. */
  readonly learn: (url: string, read: Read) => void
}
type Settings = {
  readonly answering: Answering
  readonly keys: Keys
  readonly limiter: Limiter
  readonly head: () => { readonly release: number | null }
  readonly addressOf: (request: IncomingMessage) => string
  readonly callerOf: (request: IncomingMessage) => Caller
  readonly nextId: (request: IncomingMessage) => string
  readonly legacyRateHeaders: boolean
  readonly served: (operation: Operation, status: number, keyId: string | null) => void
}
const maxAddressLength = 1024

export function createFastPath(settings: Settings): FastPath {
  const { answering, keys, limiter, head, addressOf, callerOf, nextId, legacyRateHeaders, served } = settings
  const memos = new Map<string, Memo>()

  return {
    learn(url, read) {
      // A reduced limit has a separate header.
      if (url.length > maxAddressLength || read.clamped !== null) return
      if (memos.size >= cacheLimits.questions) memos.clear()
      const { operation, name, receipt, release, releaseNamed, format, formatNamed } = read
      const formats = formatsOf(operation)
      memos.set(url, { operation, read: { name, receipt }, release, releaseNamed, format: formatNamed ? format : null, formats, made: null })
    },
    serve(request, response) {
      const memo = memos.get(request.url ?? '')
      if (!memo || (request.method !== 'GET' && request.method !== 'HEAD')) return false
      const { headers } = request
      if (headers.host === undefined || headers.expect !== undefined || headers['x-request-id'] !== undefined) return false
      if (repeatedHeader(request.rawHeaders) !== null) return false
      const { operation } = memo
      const format = memo.format ?? acceptedFormat(headers.accept, memo.formats)
      const release = memo.release ?? head().release
      if (memo.made === null || memo.made.release !== release || memo.made.format !== format) {
        memo.made = { release, format, key: answering.keyOf({ name: memo.read.name, receipt: memo.read.receipt, format }, release) }
      }
      const answer = answering.find(memo.made.key)
      if (!answer || !isPrepared(request, answer)) return false
      const keyed = headers.authorization !== undefined || headers['x-api-key'] !== undefined
      let caller: Caller
      if (keyed) {
        // Refusals take the regular path, so that one module handles errors.
        const credential = recall()
        if (!credential || refusal(operation, credential) !== null) return false
        caller = credential.caller
      } else {
        if (operation.access !== 'public') return false
        caller = callerOf(request)
      }
      let allowance = null
      if (operation.cost > 0) {
        const taken = limiter.tryTake(caller, operation.limit_class, operation.cost)
        if (taken === null) return false
        allowance = taken
      }
      const policy = allowance === null ? '' : limiter.policy(caller.tier, operation.limit_class)
      const status = sendFinished(request, response, operation, answer, {
        request_id: nextId(request),
        keyed,
        inQuery: false,
        releaseNamed: memo.releaseNamed,
        allowance,
        policy,
        legacyRateHeaders,
        clamped: null,
      })
      served(operation, status, keyed ? caller.partition : null)
      return true

      function recall() {
        try {
          const presented = presentedKey(headers, undefined)
          return presented && keys.recall(presented, addressOf(request))
        } catch {
          return null // refused: the regular path sends the error
        }
      }
    },
  }
}
