// Limits the reports of one address, separately from the limits of the API, because anyone may send them.
import { checkArrival } from './gcra.ts'

const mostAddresses = 50_000

/** True while an address sent fewer than `perMinute` within a minute, and all together fewer than `ofAll`. `monotonic` in milliseconds. */
export function createMeter(perMinute: number, ofAll: number, monotonic: () => number): (address: string) => boolean {
  const own = { interval: 60_000 / perMinute, capacity: perMinute }
  const shared = { interval: 60_000 / ofAll, capacity: ofAll }
  const arrivals = new Map<string, number>()
  let together = 0
  return address => {
    const at = monotonic()
    const verdict = checkArrival(own, arrivals.get(address) ?? 0, at, 1)
    if (!verdict.allowed) return false
    const all = checkArrival(shared, together, at, 1)
    if (!all.allowed) return false
    together = all.arrival
    if (arrivals.size >= mostAddresses) for (const [old, arrival] of arrivals) if (arrival <= at) arrivals.delete(old)
    // If all entries are in use, no new address is admitted.
    if (arrivals.size >= mostAddresses && !arrivals.has(address)) return false
    arrivals.set(address, verdict.arrival)
    return true
  }
}
