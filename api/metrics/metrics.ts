// Counters and timings for Prometheus (text format 0.0.4). Labels have a fixed set of values: a route is the pattern of an operation, so a
// label never contains a symbol, id, address or key.
import type { Operation } from '#schemas/operations.ts'

/** Seconds. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const
type Timing = { readonly counts: number[]; sum: number; count: number }
export type Observed = {
  /** Null: a path without an operation. */
  readonly operation: Operation | null
  readonly status: number
  readonly seconds: number
  /** The limit that refused a request with 429. */
  readonly policy: string | null
}
export type Gauge = { readonly name: string; readonly help: string; readonly value: number; readonly labels?: Readonly<Record<string, string>> }
export type Metrics = {
  readonly observe: (observed: Observed) => void
  /** The page, with the current gauges after the counters. */
  readonly render: (gauges: readonly Gauge[]) => string
}

export function createMetrics(): Metrics {
  const requests = new Map<string, number>()
  const timings = new Map<string, Timing>()
  const refusals = new Map<string, number>()
  const add = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1)

  return {
    observe({ operation, status, seconds, policy }) {
      const about = labels({ method: operation?.method ?? 'other', route: operation?.path ?? 'unknown' })
      add(requests, `${about.slice(0, -1)},status="${status}"}`)
      if (status === 429 && policy !== null) add(refusals, labels({ policy }))
      let timing = timings.get(about)
      if (!timing) {
        timing = { counts: buckets.map(() => 0), sum: 0, count: 0 }
        timings.set(about, timing)
      }
      const at = buckets.findIndex(bound => seconds <= bound)
      if (at >= 0) timing.counts[at] = (timing.counts[at] ?? 0) + 1
      timing.sum += seconds
      timing.count += 1
    },
    render(gauges) {
      const lines = [...family('crossfile_requests_total', 'counter', 'Requests by route pattern and status', requests)]
      lines.push(...head('crossfile_request_duration_seconds', 'histogram', 'Time from the first byte of a request to its answer'))
      for (const [about, { counts, sum, count }] of sorted(timings)) {
        let below = 0
        const inner = about.slice(0, -1)
        for (const [at, bound] of buckets.entries()) {
          below += counts[at] ?? 0
          lines.push(`crossfile_request_duration_seconds_bucket${inner},le="${bound}"} ${below}`)
        }
        lines.push(`crossfile_request_duration_seconds_bucket${inner},le="+Inf"} ${count}`)
        lines.push(`crossfile_request_duration_seconds_sum${about} ${sum}`, `crossfile_request_duration_seconds_count${about} ${count}`)
      }
      lines.push(...family('crossfile_rate_limited_total', 'counter', 'Requests that a limit refused, by limit', refusals))
      for (const [name, those] of Map.groupBy(gauges, each => each.name)) {
        lines.push(...head(name, 'gauge', those[0]?.help ?? name))
        for (const each of those) lines.push(`${name}${labels(each.labels ?? {})} ${each.value}`)
      }
      return `${lines.join('\n')}\n`
    },
  }
}

const head = (name: string, type: string, help: string): string[] => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
const sorted = <T>(map: ReadonlyMap<string, T>): [string, T][] => [...map].sort(([a], [b]) => (a < b ? -1 : 1))
const family = (name: string, type: string, help: string, counts: ReadonlyMap<string, number>): string[] => [
  ...head(name, type, help),
  ...sorted(counts).map(([about, count]) => `${name}${about} ${count}`),
]
/** `{a="1",b="2"}`; values are escaped as the format requires. */
function labels(given: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(given).map(
    ([name, value]) => `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
  )
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
