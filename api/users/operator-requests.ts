// Requests of an administrator to the worker: sent to its queue, and its answer awaited for a bounded time.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { BadRequest, Upstream } from '#schemas/errors.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { type OperatorRequest, operatorQueue, type Queue } from '#warehouse/store/queue.ts'

const waitMs = 6_000
const pollMs = 100
const failureEvery = 10
const Refused = z.object({ refused: z.string(), hint: z.string().nullable() })

/** The same for two requests only if they are the same; short, whatever they name. */
const partitionOf = (request: OperatorRequest): string => `${request.kind} ${createHash('sha256').update(JSON.stringify(request)).digest('hex')}`

/** Sends a request; null if the same one waits or runs already. `transaction`: it is sent if the transaction commits. */
export const sendToWorker = (queue: Queue, request: OperatorRequest, transaction?: Db): Promise<string | null> =>
  queue.send(
    operatorQueue,
    { partition: partitionOf(request), from: null, to: null, symbols: null, backfill_id: null, request },
    transaction === undefined ? {} : { transaction },
  )

/** The answer of the worker; null if there is none in time. Throws `BadRequest` if the worker refused, `Upstream` if it failed. */
export async function answerOfWorker<S extends z.ZodType>(queue: Queue, job: string, schema: S): Promise<z.output<S> | null> {
  for (let look = 1; look * pollMs <= waitMs; look += 1) {
    await new Promise(resolve => setTimeout(resolve, pollMs))
    const output = await queue.output(operatorQueue, job)
    if (output !== null) {
      const refused = Refused.safeParse(output)
      if (refused.success) throw new BadRequest(refused.data.refused, refused.data.hint === null ? {} : { hint: refused.data.hint })
      return schema.parse(output)
    }
    const failure = look % failureEvery === 0 ? await queue.failure(operatorQueue, job) : null
    if (failure !== null) throw new Upstream(failure.shown ?? 'the worker failed, and its log has the reason')
  }
  return null
}

/** Requests the worker's answer. Throws `Upstream` if no worker answers in time. */
export async function askWorker<S extends z.ZodType>(queue: Queue, request: OperatorRequest, schema: S): Promise<z.output<S>> {
  const job = await sendToWorker(queue, request)
  const answer = job === null ? null : await answerOfWorker(queue, job, schema)
  if (answer !== null) return answer
  throw new Upstream(job === null ? 'the same request is under way' : 'no worker answered in time', {
    retryAfterSeconds: 5,
    hint: 'repeat the request; if it is refused again, start a worker: crossfile worker',
  })
}
