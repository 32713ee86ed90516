// The cost of a backfill, reported before it starts: each available route over the whole range, and the chosen one.
import type { BackfillPlan } from '../jobs/backfill/backfill-plan.ts'
import type { Io } from './io.ts'
import { columnsOf, count, table } from './output.ts'

const size = (bytes: number): string =>
  bytes >= 1e12 ? `${(bytes / 1e12).toFixed(1)} TB` : bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.max(1, Math.round(bytes / 1e6))} MB`
const hours = (value: number): string => (value >= 0.1 ? `${value.toFixed(1)} h` : `${Math.max(1, Math.ceil(value * 60))} min`)

export type Costs = {
  readonly routes: readonly {
    readonly route: string
    readonly from: string | null
    readonly to: string | null
    readonly requests: number
    readonly bytes: number
    readonly hours: number
    readonly note: string
  }[]
  readonly taken: readonly {
    readonly route: string
    readonly from: string
    readonly to: string
    readonly requests: number
    readonly bytes: number
    readonly hours: number
  }[]
}

/** Every route with its cost for the part of the range that it covers. `from` null: it covers none of it. */
export function costsOf({ routes, segments, from, to, symbols }: BackfillPlan, today: string): Costs {
  return {
    routes: routes.map(route => {
      const [part] = route.covers({ from, to, symbols }, today)
      const cost = part ? route.cost(part) : { requests: 0, bytes: 0, hours: 0 }
      return { route: route.name, from: part?.from ?? null, to: part?.to ?? null, ...cost, note: route.note }
    }),
    taken: segments.map(({ route, range, cost }) => ({ route: route.name, from: range.from, to: range.to, ...cost })),
  }
}

export function printCosts(io: Io, costs: Costs): void {
  if (costs.routes.length === 0) return
  const columns = columnsOf('route', 'covers', '>requests', '>bytes', '>time', '*coverage')
  const rows = costs.routes.map(each => [
    each.route,
    each.from === null ? 'none' : `${each.from} to ${each.to}`,
    each.from === null ? '' : `about ${count(each.requests)}`,
    each.from === null ? '' : size(each.bytes),
    each.from === null ? '' : hours(each.hours),
    each.note,
  ])
  for (const line of table(io, columns, rows)) io.err(line)
  for (const each of costs.taken)
    io.err(`taken: ${each.route} for ${each.from} to ${each.to}: about ${count(each.requests)} requests, ${size(each.bytes)}, ${hours(each.hours)}`)
}
