// One run of a job outside its schedule, as an operator requests it.
import { addDays } from '#schemas/days.ts'
import { BadRequest } from '#schemas/errors.ts'
import type { JobDefinition } from '#schemas/jobs.ts'
import type { JobData } from '#warehouse/store/queue.ts'
import { dayOf, symbolsOf } from './arguments.ts'

/** The range of a job that requests data by symbol, if no day is given; any other range needs a backfill. */
const symbolDays = 365

/** The request of one run. Throws `BadRequest` if the arguments do not fit the job. */
export function planRun(
  job: JobDefinition,
  requested: { readonly date: string | undefined; readonly symbols: string | undefined },
  today: string,
): JobData {
  const date = requested.date === undefined ? null : dayOf('--date', requested.date)
  if (date !== null && date > today) throw new BadRequest(`--date ${date} is in the future`, { hint: `today is ${today} (UTC)` })
  const symbols = symbolsOf(requested.symbols)
  const bySymbol = job.backfill === 'symbol'
  if (bySymbol && symbols === null)
    throw new BadRequest(`${job.name} requests data by symbol, and --symbols is missing`, { hint: 'such as --symbols AAPL,RY.TO' })
  if (!bySymbol && symbols !== null) throw new BadRequest(`${job.name} requests all symbols together; --symbols does not apply`)
  if (date !== null && job.backfill === 'none') throw new BadRequest(`${job.name} requests only present data; --date does not apply`)
  const to = date ?? today
  const from = date ?? (bySymbol ? addDays(today, -symbolDays) : today)
  return { partition: bySymbol ? `${symbols?.join(',')} ${from}..${to}` : to, from, to, symbols, backfill_id: null }
}
