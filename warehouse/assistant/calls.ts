// The calls of one answer: numbered, reported as events, limited in number, and stored with their trees so that claims can point into them.
import type { AnswerEvent, AssistantCall } from '#schemas/assistant.ts'
import type { CallOperation, OperationCall, OperationOutcome } from '#schemas/operation-calls.ts'
import type { OperationId } from '#schemas/operations.ts'
import { lengthAt, parseAnswer } from './json-values.ts'
import { Refusal } from './refusal.ts'
import type { Result } from './result.ts'

export type { Result } from './result.ts'

/** Maximum calls of one answer. */
export const maxCalls = 8

type Failure = { readonly n: number; readonly operation: string; readonly status: number; readonly detail: string; readonly hint: string }
type Reply = ({ readonly ok: true } & Result) | ({ readonly ok: false } & Failure)

type Parameters = Record<string, string | number | boolean>
export type Calls = {
  /** One call. Its outcome may be a failure that the caller expects, such as 404. A call that was made before returns the same reply. */
  try(operation: OperationId, parameters?: Parameters, more?: { readonly body?: unknown; readonly signed?: boolean }): Promise<Reply>
  /** One call whose failure ends the answer: `no_data` for 404, `not_understood` for 400 and 422, `unavailable` otherwise. */
  get(operation: OperationId, parameters?: Parameters, more?: { readonly body?: unknown; readonly signed?: boolean }): Promise<Result>
  readonly made: readonly AssistantCall[]
  /** Answers by the number of their call. */
  readonly results: ReadonlyMap<number, Result>
}

type Settings = {
  readonly call: CallOperation
  readonly signal: AbortSignal
  readonly signed: boolean
  readonly onEvent: (event: AnswerEvent) => void
  readonly monotonic: () => number
}

export function createCalls({ call, signal, signed, onEvent, monotonic }: Settings): Calls {
  const made: AssistantCall[] = []
  const results = new Map<number, Result>()
  /** What the same request of this answer returned before: it is neither asked nor counted again. */
  const replies = new Map<string, Promise<Reply>>()

  async function outcomeOf(request: OperationCall, withReceipt: boolean): Promise<OperationOutcome> {
    const outcome = await call(request, { signal, signed: withReceipt })
    // An answer does not fail if no worker signs its receipt in time.
    return withReceipt && !outcome.ok && outcome.status === 503 ? await call(request, { signal, signed: false }) : outcome
  }

  function attempt(operation: OperationId, parameters: Parameters = {}, more: { body?: unknown; signed?: boolean } = {}): Promise<Reply> {
    const key = JSON.stringify([operation, Object.entries(parameters).sort(), more.body ?? null, more.signed !== false])
    const held = replies.get(key) ?? ask(operation, parameters, more)
    replies.set(key, held)
    return held
  }

  async function ask(operation: OperationId, parameters: Parameters, more: { body?: unknown; signed?: boolean }): Promise<Reply> {
    signal.throwIfAborted()
    if (made.length >= maxCalls) throw new Refusal('not_understood', 'the question needs more calls than one answer may make; ask for less at a time')
    const n = made.length + 1
    const entry = { n, operation, parameters, url: null, ok: false, release: null, as_of: null, receipt_id: null, detail: null }
    made.push(entry)
    onEvent({ event: 'tool_call', call_id: n, name: operation, arguments: { ...parameters } })
    const started = monotonic()
    const request = more.body === undefined ? { operation, parameters } : { operation, parameters, body: more.body }
    const outcome = await outcomeOf(request, signed && more.signed !== false)
    const ms = Math.round(monotonic() - started)
    if (!outcome.ok) {
      const { detail, hint } = outcome.error
      const text = typeof detail === 'string' ? detail : JSON.stringify(detail)
      made[n - 1] = { ...entry, detail: text }
      onEvent({ event: 'tool_result', call_id: n, ok: false, ms, summary: text.slice(0, 200), receipt_id: null })
      return { ok: false, n, operation, status: outcome.status, detail: text, hint: hint ?? '' }
    }
    const { url, release, as_of, receipt_id } = outcome
    const result: Result = { n, operation, tree: parseAnswer(outcome.text), release, as_of, receipt_id }
    results.set(n, result)
    made[n - 1] = { ...entry, url, ok: true, release, as_of, receipt_id }
    onEvent({ event: 'tool_result', call_id: n, ok: true, ms, summary: summaryOf(result), receipt_id })
    return { ok: true, ...result }
  }

  return {
    made,
    results,
    try: attempt,
    async get(operation, parameters, more) {
      const reply = await attempt(operation, parameters, more)
      if (reply.ok) return reply
      throw refusalOf(reply)
    },
  }
}

/** The refusal for a failed call. */
function refusalOf({ status, detail }: Failure): Refusal {
  if (status === 404) return new Refusal('no_data', detail)
  if (status === 400 || status === 422) return new Refusal('not_understood', detail)
  return new Refusal('unavailable', detail)
}

function summaryOf({ operation, tree }: Result): string {
  const lists = Object.keys((tree ?? {}) as object).filter(name => lengthAt(tree, `/${name}`) > 0 && name !== 'sources')
  return lists.length === 0 ? operation : `${operation}: ${lists.map(name => `${name} ${lengthAt(tree, `/${name}`)}`).join(', ')}`
}
