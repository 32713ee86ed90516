// GCRA, the generic cell rate algorithm: one number per client, exact over every sliding window.

/** `interval` milliseconds between units at the long-term rate; `capacity` units that may be used immediately. */
export type Meter = { readonly interval: number; readonly capacity: number }
export type Verdict = {
  readonly allowed: boolean
  /** The theoretical arrival time to store for this client, in milliseconds. */
  readonly arrival: number
  /** Units that could be used now. */
  readonly remaining: number
  /** Milliseconds until the budget is full again. */
  readonly full_in: number
  /** Milliseconds until the refused request would pass; 0 if it passed, Infinity if it never can. */
  readonly retry_in: number
}

/**
 * Whether `cost` units pass at `now`, given the stored arrival time (0 for a new client). Over any window of length w, at most w / interval
 * + capacity units pass. A clock that goes back does not increase this number.
 */
export function checkArrival(meter: Meter, arrival: number, now: number, cost: number): Verdict {
  const { interval, capacity } = meter
  const start = Math.max(arrival, now)
  const next = start + cost * interval
  const allowed = next - now <= capacity * interval + 1e-6
  const kept = allowed ? next : start
  return {
    allowed,
    arrival: kept,
    remaining: Math.max(0, Math.floor(capacity - (kept - now) / interval + 1e-9)),
    full_in: kept - now,
    retry_in: allowed ? 0 : cost > capacity ? Number.POSITIVE_INFINITY : next - now - capacity * interval,
  }
}
