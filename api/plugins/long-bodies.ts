// Limits the number of long bodies that are read at a time. A request takes a place after it has sent a short body, and keeps it until the
// body is complete. A client that stops sending loses its place.
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BadRequest } from '#schemas/errors.ts'
import type { Operation } from '#schemas/operations.ts'
import { type FairQueue, openFairQueue, type Party } from '#warehouse/people/users/fair-queue.ts'
import { within } from '../within.ts'

/** Bytes that every request may send without a place. */
export const shortBytes = 64 * 1024
/** Operations with very long bodies have separate places, so that uploads of documents do not block images of chats. */
const largeBytes = 8 * 1024 * 1024
/** A client with a place that sends nothing for this time has stopped. */
const stalledMs = 3_000
const shares = { account: { running: 1, waiting: 4 }, address: { running: 2, waiting: 8 }, network: { running: 2, waiting: 12 } } as const

export type LongBodySettings = { readonly partyOf: (request: FastifyRequest) => Party; readonly stalledMs?: number }
type ReadLong = (operation: Operation, request: FastifyRequest, reply: FastifyReply, payload: Readable) => Readable

/** Reads bodies of any length; those above `shortBytes` wait for a place. Throws 408 for a client that stops, 413 for a body that is too long. */
export function createLongBodies({ partyOf, stalledMs: patience = stalledMs }: LongBodySettings): ReadLong {
  const queues = new Map<string, FairQueue>()
  function queueOf({ id, body_bytes }: Operation): FairQueue {
    const name = body_bytes >= largeBytes ? id : ''
    const known = queues.get(name)
    if (known) return known
    const queue = openFairQueue({ what: 'long requests', atOnce: name === '' ? 12 : 3, waiting: 24, waitMs: 5_000, ...shares })
    queues.set(name, queue)
    return queue
  }

  async function* partsOf(operation: Operation, request: FastifyRequest, reply: FastifyReply, payload: Readable): AsyncGenerator<Buffer> {
    const gone = new AbortController()
    let end = (): void => undefined
    const left = (): void => {
      gone.abort()
      end()
    }
    reply.raw.once('close', left)
    let [bytes, placed] = [0, false]
    try {
      const parts = payload.iterator({ destroyOnReturn: false })
      for (;;) {
        const { done, value } = placed ? await within(patience, parts.next(), stopped) : await parts.next()
        if (done) return
        bytes += (value as Buffer).length
        if (bytes > operation.body_bytes) throw tooLong(operation.body_bytes)
        if (bytes > shortBytes && !placed) {
          end = await queueOf(operation)(partyOf(request), gone.signal)
          placed = true
        }
        yield value as Buffer
      }
    } finally {
      reply.raw.off('close', left)
      end()
    }
  }
  return (operation, request, reply, payload) => Readable.from(partsOf(operation, request, reply, payload), { objectMode: true })
}

export const tooLong = (most: number): BadRequest =>
  new BadRequest(`the body is longer than ${most} bytes, the most that this operation reads`, {
    status: 413,
    code: 'payload_too_large',
    hint: `send at most ${most} bytes`,
  })
const stopped = (): BadRequest =>
  new BadRequest('the client stopped sending its body', { status: 408, code: 'bad_request', hint: 'send the whole request without a pause' })
