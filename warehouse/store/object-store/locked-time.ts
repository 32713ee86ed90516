// A common limit of time for the requests to a bucket that are sent while a lock is held for which others wait. Without it, each request has
// its own attempts, and a failing bucket would hold the lock for minutes. This file imports nothing, so that a local lake loads no client.
import { AsyncLocalStorage } from 'node:async_hooks'

/** Milliseconds that the requests of one transaction may take, without the time for the bytes of their bodies. */
export const lockedMs = 20_000

const limits = new AsyncLocalStorage<{ endsAt: number }>()

/** Runs `work`; requests to a bucket in it fail once `ms` have passed. Within another limit, the one that ends first counts. */
export async function withLockedTime<T>(work: () => Promise<T>, ms = lockedMs): Promise<T> {
  const limit = { endsAt: Math.min(limits.getStore()?.endsAt ?? Number.POSITIVE_INFINITY, performance.now() + ms) }
  try {
    return await limits.run(limit, work)
  } finally {
    // What the work has begun and did not wait for, such as a timer, has no limit.
    limit.endsAt = Number.POSITIVE_INFINITY
  }
}

/** Milliseconds that are left for requests of this work; null: it holds no lock. */
export function lockedTimeLeft(): number | null {
  const { endsAt = Number.POSITIVE_INFINITY } = limits.getStore() ?? {}
  return endsAt === Number.POSITIVE_INFINITY ? null : endsAt - performance.now()
}

/** Adds the time that a body needs, which does not count: a large file has to be stored too. */
export function allowLockedBytes(ms: number): void {
  const limit = limits.getStore()
  if (limit !== undefined) limit.endsAt += ms
}
