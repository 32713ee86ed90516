// How a run ends: what its last event is, and whether it counts.
import type { z } from 'zod'
import type { AssistantEvent, Usage as UsageSchema } from '#schemas/assistant.ts'
import { BadRequest, Upstream } from '#schemas/errors.ts'
import type { RunAnswer } from './run-records.ts'
import type { Run, RunEnd } from './runs.ts'

/** A model's token use; null: no model took part, or its cost is not known. */
export type Usage = z.infer<typeof UsageSchema>

/** The reason of an abort signal when the process stops, as opposed to a client that disconnected. */
export class Stopping extends Error {}

const noUsage: Usage = { input_tokens: null, output_tokens: null, cost_usd: null }
const doneEvent = ({ run_id }: Pick<Run, 'run_id'>, answer: RunAnswer, usage: Usage): AssistantEvent => ({
  event: 'done',
  message_id: run_id,
  usage,
  finish_reason: answer.envelope.refused === null ? 'stop' : 'refused',
})

/** An answer that only states why there is none does not count. */
export const answeredEnd = (run: Pick<Run, 'run_id'>, answer: RunAnswer, usage: Usage = noUsage): RunEnd => ({
  state: 'answered',
  answer,
  counts: answer.envelope.refused === null,
  last: doneEvent(run, answer, usage),
})

/** The end of a run that threw: refunded, unless its client disconnected and `spent`: a part of the answer was sent, or a model was paid. */
export function failedEnd(error: unknown, signal: AbortSignal, spent: boolean): RunEnd {
  const stopping = signal.aborted && signal.reason instanceof Stopping
  if (signal.aborted && !stopping)
    return {
      state: 'cancelled',
      counts: spent,
      last: {
        event: 'error',
        code: 'bad_request',
        detail: 'the client disconnected, so the work was cancelled',
        hint: 'send the question again',
        retryable: true,
      },
    }
  if (error instanceof BadRequest)
    return {
      state: 'failed',
      counts: false,
      last: { event: 'error', code: error.code, detail: error.message, hint: error.hint ?? null, retryable: false },
    }
  const detail = error instanceof Upstream ? error.message : stopping ? 'the service is being restarted' : 'an internal error occurred'
  return {
    state: 'failed',
    counts: false,
    last: {
      event: 'error',
      code: error instanceof Upstream || stopping ? 'upstream_unavailable' : 'internal_error',
      detail,
      hint: 'send the question again; it was not counted',
      retryable: true,
    },
  }
}
