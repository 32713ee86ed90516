// Prints the cost of a backfill before it starts.
import type { Costs } from '../jobs/backfill/backfill-cost.ts'
import type { Io } from './io.ts'
import { columnsOf, count, some, table } from './output.ts'

const size = (bytes: number): string =>
  bytes >= 1e12 ? `${(bytes / 1e12).toFixed(1)} TB` : bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.max(1, Math.round(bytes / 1e6))} MB`
const hours = (value: number): string => (value >= 0.1 ? `${value.toFixed(1)} h` : `${Math.max(1, Math.ceil(value * 60))} min`)

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
    io.err(`taken: ${each.route} for ${each.from} to ${each.to}: about ${some(each.requests, 'request')}, ${size(each.bytes)}, ${hours(each.hours)}`)
}
