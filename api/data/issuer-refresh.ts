// A request for one issuer's insider transactions asks the worker for what is new at the source, waits a bounded time for the
// release that holds it, and otherwise is answered from the last release, as its as_of says.
import { sql } from 'kysely'
import type { Queue } from '#warehouse/queue.ts'
import type { Serving } from '../serving.ts'

const jobName = 'insider-issuer'
/** An issuer that was asked about within this time is not asked about again. */
const freshMinutes = 10
/** Days of filings that a request brings up to date; a backfill brings more. */
const windowDays = 90
const waitMs = 3_000
const pollMs = 50

export type IssuerRefresh = (cik: string, now: Date) => Promise<void>

export function issuerRefresh(serving: Serving, queue: Queue): IssuerRefresh {
  const { db } = serving
  const recent = async (cik: string): Promise<{ state: string } | undefined> =>
    await db
      .selectFrom('job_run')
      .select('state')
      .where('job', '=', jobName)
      .where('partition', '=', cik)
      .where('started_at', '>', sql<string>`clock_timestamp() - make_interval(mins => ${freshMinutes})`)
      .orderBy('run_id', 'desc')
      .limit(1)
      .executeTakeFirst()

  return async (cik, now) => {
    if ((await recent(cik)) !== undefined) return
    const to = now.toISOString().slice(0, 10)
    const from = new Date(now.getTime() - windowDays * 86_400_000).toISOString().slice(0, 10)
    await queue.send(jobName, { partition: cik, from, to, symbols: [cik], backfill_id: null }, { key: cik, priority: 10 })
    for (let waited = 0; waited < waitMs; waited += pollMs) {
      await new Promise(resolve => setTimeout(resolve, pollMs))
      const run = await recent(cik)
      if (run && run.state !== 'running') {
        await serving.refresh()
        return
      }
    }
  }
}
