// Checks texts in a thread, so that the event loop of the API does not wait.
import type { ClaimCheck } from '#schemas/claims.ts'
import { BadRequest, type BodyFault, type ErrorCode } from '#schemas/errors.ts'
import { openWorkerPool } from '../store/worker-pool.ts'
import type { CheckedAnswer } from './check-text.ts'

type Input = { readonly text: string; readonly answers: readonly CheckedAnswer[] }
type Message =
  | { readonly checked: ClaimCheck }
  | { readonly refused: { message: string; status: number; code: ErrorCode; hint?: string; items?: readonly BodyFault[] } }
const ask = openWorkerPool<Input, Message>({
  module: new URL('./check-thread.ts', import.meta.url),
  what: 'the check of the text',
  hint: 'send a shorter text, or fewer receipts',
  limitMs: 10_000,
  heapMegabytes: 256,
})

/** As `checkClaims`, one text after another in one thread. Throws `Upstream` for a check of more than 10 seconds. */
export async function checkClaimsInThread(input: Input): Promise<ClaimCheck> {
  const message = await ask(input)
  if ('checked' in message) return message.checked
  const { message: text, ...details } = message.refused
  throw new BadRequest(text, details)
}
