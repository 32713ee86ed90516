/** Time between two lines about requests that were refused to shed load. */
const pauseMs = 60_000

/**
 * Counts requests that were refused to shed load, and logs their number at most once a minute, so that clients cannot fill the log.
 * `monotonic`: milliseconds.
 */
export function createShedLog(write: (requests: number) => void, monotonic: () => number): () => void {
  let [requests, writtenAt] = [0, Number.NEGATIVE_INFINITY]
  return () => {
    requests += 1
    if (monotonic() - writtenAt < pauseMs) return
    write(requests)
    requests = 0
    writtenAt = monotonic()
  }
}
