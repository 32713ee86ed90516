// Whether the bucket answers, from the requests that this process sends anyway and from small ones while it sends none. A health check reads
// the outcome and sends no request.
import type { Availability, Objects } from '../remote.ts'

const probeMs = 15_000
/** An answer of this age is enough to begin a commit. */
const checkMs = 5_000

export type AvailabilityRecord = Availability & {
  /** Records the outcome of a request: why the bucket is away or refuses, or null if it answered. */
  note(failure: string | null): void
}

/**
 * Throws `Upstream` if the bucket is away, refuses the credentials or does not exist. Reads one byte: the response to a HEAD has no body, so
 * that it does not tell a missing bucket from a missing object.
 */
export async function askBucket(objects: Pick<Objects, 'bytes'>): Promise<void> {
  await objects.bytes('releases.parquet', { offset: 0, length: 1 })
}

/** `ask` sends one small request with one short attempt, and rejects if the bucket is away or refuses. `now`: milliseconds that only go forward. */
export function recordAvailability(ask: () => Promise<unknown>, now = (): number => performance.now()): AvailabilityRecord {
  let fault: string | null = null
  let answeredMs = Number.NEGATIVE_INFINITY
  let probing: Promise<string | null> | null = null
  const listeners = new Set<(fault: string | null) => void>()

  function note(failure: string | null): void {
    if (failure === null) answeredMs = now()
    const isChanged = (failure === null) !== (fault === null)
    fault = failure
    if (isChanged) for (const listener of listeners) listener(fault)
  }

  async function askNow(): Promise<string | null> {
    await ask().then(
      () => note(null),
      (error: unknown) => note(error instanceof Error ? error.message : String(error)),
    )
    return fault
  }

  function probe(): Promise<string | null> {
    probing ??= askNow().finally(() => {
      probing = null
    })
    return probing
  }

  return {
    note,
    fault: () => fault,
    probe,
    check: async () => (fault === null && now() - answeredMs < checkMs ? null : await probe()),
    watch(onChange, everyMs = probeMs) {
      listeners.add(onChange)
      const timer = setInterval(() => {
        // A failure that arrives after a later answer does not count for longer than this.
        if (fault !== null || now() - answeredMs >= everyMs) void probe()
      }, everyMs)
      timer.unref()
      return () => {
        clearInterval(timer)
        listeners.delete(onChange)
      }
    },
  }
}
