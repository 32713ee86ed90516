// Long texts are interpreted in a worker thread: 256 KiB take half a second.
import type { DrillInterpretRequest } from '#schemas/drill.ts'
import { BadRequest, type BodyFault, type ErrorCode } from '#schemas/errors.ts'
import type { DrillRules } from '../../rulesets/drill/rules.ts'
import { openWorkerPool } from '../../store/worker-pool.ts'
import { type Interpretation, interpretDrill } from './interpret.ts'

/** Shorter texts take a few milliseconds, less than passing them to a thread costs. */
const longText = 8 * 1024
const manyIntervals = 50

type Message =
  | { readonly read: Interpretation }
  | { readonly refused: { message: string; status: number; code: ErrorCode; hint?: string; items?: readonly BodyFault[] } }
const ask = openWorkerPool<{ readonly request: DrillInterpretRequest; readonly ruleset: string }, Message>({
  module: new URL('./drill-thread.ts', import.meta.url),
  what: 'the interpretation',
  hint: 'send a shorter text',
  limitMs: 20_000,
  heapMegabytes: 512,
})

/** As `interpretDrill`; throws `Upstream` if it takes longer than 20 seconds. */
export async function interpretInWorker(request: DrillInterpretRequest, rules: DrillRules): Promise<Interpretation> {
  if (request.text.length <= longText && request.intervals.length <= manyIntervals) return interpretDrill(request, rules)
  const message = await ask({ request, ruleset: rules.ruleset })
  if ('read' in message) return message.read
  const { message: text, ...details } = message.refused
  throw new BadRequest(text, details)
}
