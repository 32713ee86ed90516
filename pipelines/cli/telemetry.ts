// `crossfile telemetry`: page speed for visitors, and what the content security policy blocked, by day.
import { findViolations, findVitals } from '#warehouse/people/telemetry/store.ts'
import { readArguments, wholeNumber } from './arguments.ts'
import { commands } from './commands.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'
import { count, heading, printJson, table } from './output.ts'

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
    const columns = [{ head: 'day' }, { head: 'page', wide: true }, { head: 'metric' }, { head: 'p75' }, { head: 'grade' }, { head: 'visits' }]
    const shown = (metric: string, value: number): string => (metric === 'CLS' ? value.toFixed(3) : `${Math.round(value)} ms`)
    const rows = vitals.map(each => [each.day, each.page, each.metric, shown(each.metric, each.p75), each.grade ?? 'not graded', count(each.samples)])
    for (const line of table(io, columns, rows)) io.out(line)
  }
  io.out('')
  io.out(heading(io, 'Blocked by the content security policy'))
  if (violations.length === 0) io.out('none reported')
  else {
    const columns = [{ head: 'day' }, { head: 'directive' }, { head: 'blocked', wide: true }, { head: 'reports' }]
    for (const line of table(
      io,
      columns,
      violations.map(each => [each.day, each.directive, each.blocked, count(each.reports)]),
    ))
      io.out(line)
  }
  return 0
}
