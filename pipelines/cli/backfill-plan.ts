// What a backfill comes to: pure, from the job and the arguments to the windows.
import { BadRequest } from '#schemas/errors.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import { isSession } from '#warehouse/rulesets/exchange-calendars/calendar.ts'
import { type Window, windowsOf } from '../plans.ts'
import { dayOf, symbolsOf } from './arguments.ts'

export type BackfillPlan = {
  readonly job: JobDefinition
  readonly from: string
  readonly to: string
  readonly symbols: readonly string[] | null
  readonly windows: readonly Omit<Window, 'today'>[]
}
type Asked = { readonly from: string | undefined; readonly to: string | undefined; readonly symbols: string | undefined }

/**
 * What a backfill comes to, newest days first; days on which the job's calendar has no session are left out. Throws
 * `BadRequest` where the arguments do not fit the job. `today` is the day in UTC.
 */
export function planBackfill(job: JobDefinition, asked: Asked, today: string): BackfillPlan {
  if (job.backfill === 'none')
    throw new BadRequest(`${job.name} cannot be backfilled: its source shows only the present`, { hint: `crossfile run ${job.name} asks it now` })
  if (asked.from === undefined || asked.to === undefined)
    throw new BadRequest(`backfill: --${asked.from === undefined ? 'from' : 'to'} is missing`, { hint: 'such as --from 2024-01-01 --to 2024-12-31' })
  const [from, to] = [dayOf('--from', asked.from), dayOf('--to', asked.to)]
  if (from > to) throw new BadRequest(`--from ${from} comes after --to ${to}`)
  if (to > today) throw new BadRequest(`--to ${to} is in the future`, { hint: `today is ${today} (UTC)` })
  const symbols = symbolsOf(asked.symbols)
  if (job.backfill === 'symbol' && symbols === null)
    throw new BadRequest(`${job.name} is cut by symbol, and --symbols names none`, { hint: 'such as --symbols AAPL,RY.TO' })
  if (job.backfill !== 'symbol' && symbols !== null)
    throw new BadRequest(`${job.name} asks for all symbols of a ${job.backfill} at once; --symbols does not apply`)
  const calendar = job.schedule?.calendar ?? null
  const windows = windowsOf(job.backfill, from, to, symbols).filter(
    window => job.backfill !== 'day' || calendar === null || isSession(calendar, window.from ?? from),
  )
  if (windows.length === 0) throw new BadRequest(`${calendar} has no session from ${from} to ${to}`)
  return { job, from, to, symbols, windows: job.backfill === 'symbol' ? windows : windows.toReversed() }
}
