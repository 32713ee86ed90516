// `crossfile telemetry`: page speed for visitors, and what the content security policy blocked, by day.
import { findViolations, findVitals } from '#warehouse/people/telemetry/store.ts'
import { readArguments, wholeNumber } from './arguments.ts'
import { commands } from './commands.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'
import { columnsOf, count, heading, printJson, printTable } from './output.ts'

export async function telemetry(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('telemetry', commands.telemetry.options, argv)
  const days = wholeNumber('--days', values.days, { from: 1, to: 400, otherwise: 7 })
  const now = io.now()
  const [vitals, violations] = await withDatabase(io, { write: false }, async ({ db }) => [
    await findVitals(db, days, now),
    await findViolations(db, days, now),
  ])
  if (values.json) {
    printJson(io, { days, vitals, violations })
    return 0
  }
  io.out(heading(io, 'Web Vitals, 75th percentile'))
  if (vitals.length === 0) io.out('none reported')
  else {
    const columns = columnsOf('day', '*page', 'metric', 'p75', 'grade', 'visits')
    const shown = (metric: string, value: number): string => (metric === 'CLS' ? value.toFixed(3) : `${Math.round(value)} ms`)
    const rows = vitals.map(each => [each.day, each.page, each.metric, shown(each.metric, each.p75), each.grade ?? 'not graded', count(each.samples)])
    printTable(io, columns, rows)
  }
  io.out('')
  io.out(heading(io, 'Blocked by the content security policy'))
  if (violations.length === 0) io.out('none reported')
  else {
    const columns = columnsOf('day', 'directive', '*blocked', 'reports')
    printTable(
      io,
      columns,
      violations.map(each => [each.day, each.directive, each.blocked, count(each.reports)]),
    )
  }
  return 0
}
