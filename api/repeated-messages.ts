// Fast path of the agent endpoints: a message that repeats an earlier one but for its id gets the stored result, without routing and without
// the protocol's SDK. Everything else takes the regular path, also every message whose answers have changed or expired since.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { cacheLimits } from '#schemas/cache-limits.ts'
import type { Operation } from '#schemas/operations.ts'
import { isProtocolHeader } from './agents/protocol.ts'
import type { Answering } from './answering.ts'
import type { MessageAnswer } from './handler.ts'
import { agentRefusal, originRefusal } from './plugins/agent-access.ts'
import { type Keys, presentedKey } from './plugins/auth.ts'
import { repeatedHeader } from './plugins/duplicates.ts'
import type { Limiter } from './plugins/limiter.ts'
import { commonHeaders } from './respond.ts'

type Stored = {
  readonly operation: Operation
  /** The newest release when the message was answered. */
  readonly release: number | null
  /** The stored answers that the result was made from. They are kept by the cache alone, within its bytes. */
  readonly madeFrom: readonly { readonly key: string; readonly answer: WeakRef<object> }[]
  /** Units of the message and of the calls that it made. */
  readonly cost: number
  /** The text before and after the id. */
  readonly before: string
  readonly after: string
  readonly headers: readonly string[]
}
export type RepeatedMessages = {
  /** True if the request may repeat a message: then `serve` is to be called once its body has arrived. */
  readonly mayServe: (request: IncomingMessage) => boolean
  /** True if the request was answered. Otherwise its body is unread. */
  readonly serve: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Stores the answer to a message. `release`: the newest when the message arrived. */
  readonly learn: (operation: Operation, headers: IncomingHttpHeaders, text: string, answer: MessageAnswer, release: number | null) => void
}
type Settings = {
  readonly answering: Pick<Answering, 'find'>
  readonly keys: Pick<Keys, 'recall'>
  readonly limiter: Pick<Limiter, 'tryTake' | 'policy'>
  readonly head: () => { readonly release: number | null }
  readonly baseUrl: () => string
  readonly addressOf: (request: IncomingMessage) => string
  readonly nextId: (request: IncomingMessage) => string
  readonly served: (operation: Operation, status: number, keyId: string | null) => void
}
const mostBytes = 8 * 1024
const longestResult = 64 * 1024

export function createRepeatedMessages(settings: Settings): RepeatedMessages {
  const { answering, keys, limiter, head, baseUrl, addressOf, nextId, served } = settings
  const results = openResults({ answering, head })
  const paths = new Set<string>()

  return {
    mayServe({ method, url = '', headers }) {
      const bytes = Number(headers['content-length'])
      return method === 'POST' && bytes > 0 && bytes <= mostBytes && paths.has(url)
    },
    serve(request, response) {
      const body = bodyOf(request)
      if (body === null) return false
      const found = find(request, body)
      if (found === null) {
        request.unshift(body)
        return false
      }
      const { held, id, keyId, allowance, policy } = found
      const { operation, before, after } = held
      const text = Buffer.from(`${before}${JSON.stringify(id)}${after}`)
      const headers = commonHeaders(operation, { request_id: nextId(request), keyed: true, inQuery: false, allowance, policy })
      response.writeHead(200, [...headers, ...held.headers, 'Content-Length', String(text.length)])
      response.end(text)
      served(operation, 200, keyId)
      return true
    },
    learn(operation, headers, text, answer, release) {
      const { made_from, body } = answer
      if (!made_from || made_from.length === 0 || !Buffer.isBuffer(body) || answer.status !== 200 || answer.media_type === null) return
      if (text.length > mostBytes || body.length > longestResult || release !== head().release) return
      if (made_from.some(each => answering.find(each.key) !== each.answer)) return
      const message = messageOf(text)
      const parts = message && aroundId(body.toString('utf8'), message.id)
      if (!message || !parts) return
      paths.add(operation.path)
      results.set(keyOf(operation.path, headers, message.rest), {
        operation,
        release,
        madeFrom: made_from.map(({ key, answer: from }) => ({ key, answer: new WeakRef(from) })),
        cost: made_from.reduce((sum, each) => sum + each.cost, operation.cost),
        ...parts,
        headers: [...answer.headers, 'Content-Type', answer.media_type],
      })
    },
  }

  function find(request: IncomingMessage, body: Buffer) {
    const { headers, url = '' } = request
    if (headers.host === undefined || headers.expect !== undefined || headers['content-encoding'] !== undefined) return null
    if (headers['x-request-id'] !== undefined || repeatedHeader(request.rawHeaders) !== null) return null
    const message = messageOf(body.toString('utf8'))
    const key = message && keyOf(url, headers, message.rest)
    const held = key === null ? null : results.find(key)
    if (!message || !held) return null
    const { operation, cost } = held
    // Refusals take the regular path, so that one module handles errors.
    const base = baseUrl()
    const credential = originRefusal(headers, base) === null ? recall(request) : undefined
    if (!credential || agentRefusal(operation, credential, base) !== null) return null
    const allowance = limiter.tryTake(credential.caller, operation.limit_class, cost)
    if (allowance === null) return null
    return { held, id: message.id, keyId: credential.key_id, allowance, policy: limiter.policy(credential.caller.tier, operation.limit_class) }
  }

  function recall(request: IncomingMessage) {
    try {
      const presented = presentedKey(request.headers, undefined)
      return presented === null ? undefined : keys.recall(presented, addressOf(request))
    } catch {
      return undefined // refused: the regular path sends the error
    }
  }
}

/** The stored results, those of the newest release only. */
function openResults({ answering, head }: Pick<Settings, 'answering' | 'head'>) {
  const stored = new Map<string, Stored>()
  let ofRelease: number | null = null
  const isHeld = ({ key, answer }: Stored['madeFrom'][number]): boolean => {
    const found = answering.find(key)
    return found !== undefined && found === answer.deref()
  }
  return {
    /** null if there is none, or if an answer that it was made from is no longer what the cache returns. */
    find(key: string): Stored | null {
      const held = stored.get(key)
      if (!held) return null
      if (held.release === head().release && held.madeFrom.every(isHeld)) return held
      stored.delete(key)
      return null
    },
    set(key: string, result: Stored): void {
      if (ofRelease !== result.release) stored.clear()
      ofRelease = result.release
      const oldest = stored.keys().next().value
      if (stored.size >= cacheLimits.toolMessages && oldest !== undefined) stored.delete(oldest)
      stored.set(key, result)
    },
  }
}

/** The body, if it has arrived completely; otherwise null, and nothing was read. */
function bodyOf(request: IncomingMessage): Buffer | null {
  if (request.readableLength !== Number(request.headers['content-length'])) return null
  return request.read() as Buffer | null
}

type Id = string | number
/** JSON has no infinity: a number beyond the doubles would be written as null again. */
function finite(_name: string, value: unknown): unknown {
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) throw new RangeError('a number beyond the doubles')
  return value
}
/** The id of a request to call a tool, and the text of all its other members; null for every other message. */
function messageOf(text: string): { readonly id: Id; readonly rest: string } | null {
  let message: unknown
  try {
    message = JSON.parse(text, finite)
  } catch {
    return null // the regular path sends the error
  }
  if (typeof message !== 'object' || message === null || !('id' in message)) return null
  const { id, ...rest } = message
  if (!isPlainId(id) || !('method' in rest) || rest.method !== 'tools/call') return null
  return { id, rest: JSON.stringify(rest) }
}

/** Other ids may be refused by the protocol. */
const isPlainId = (id: unknown): id is Id => (typeof id === 'string' ? /^[ -~]{1,128}$/.test(id) : Number.isSafeInteger(id))

/** Everything that an answer can depend on, besides the id and the state of the service. */
function keyOf(path: string, headers: IncomingHttpHeaders, rest: string): string {
  let key = path
  for (const name in headers) if (isProtocolHeader(name)) key += `\n${name}: ${String(headers[name])}`
  return `${key}\n\n${rest}`
}

/** The text of an answer before and after its id; null if the id is not the last or the first but one of its members. */
function aroundId(text: string, id: Id): { readonly before: string; readonly after: string } | null {
  const first = '{"jsonrpc":"2.0","id":'
  const last = `,"jsonrpc":"2.0","id":`
  const idText = JSON.stringify(id)
  if (text.startsWith(`${first}${idText},"result":{`)) return { before: first, after: text.slice(first.length + idText.length) }
  if (text.startsWith('{"result":{') && text.endsWith(`}${last}${idText}}`)) return { before: text.slice(0, -(idText.length + 1)), after: '}' }
  return null
}
