// Long texts are interpreted aside: 256 KiB take half a second.
import type { DrillInterpretRequest } from '#schemas/drill.ts'
import { BadRequest, type BodyFault, type ErrorCode } from '#schemas/errors.ts'
import { openAside } from '../aside.ts'
import type { DrillRules } from '../rulesets/drill/rules.ts'
import { type Interpretation, interpretDrill } from './interpret.ts'

/** Shorter texts are read in a few milliseconds, less than handing them over is worth. */
const longText = 8 * 1024
const manyIntervals = 50

type Message =
  | { readonly read: Interpretation }
  | { readonly refused: { message: string; status: number; code: ErrorCode; hint?: string; items?: readonly BodyFault[] } }
const ask = openAside<{ readonly request: DrillInterpretRequest; readonly ruleset: string }, Message>({
  module: new URL('./drill-thread.ts', import.meta.url),
  what: 'the interpretation',
  hint: 'send a shorter text',
  limitMs: 20_000,
  heapMegabytes: 512,
})

/** As `interpretDrill`; throws `Upstream` where it takes longer than 20 seconds. */
export async function interpretAside(request: DrillInterpretRequest, rules: DrillRules): Promise<Interpretation> {
  if (request.text.length <= longText && request.intervals.length <= manyIntervals) return interpretDrill(request, rules)
  const message = await ask({ request, ruleset: rules.ruleset })
  if ('read' in message) return message.read
  const { message: text, ...details } = message.refused
  throw new BadRequest(text, details)
}
