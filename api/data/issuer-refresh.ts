// For one issuer's insider transactions, asks the worker to check the source, and waits a limited time for the release with new filings. If
// it does not arrive, the answer comes from the last release with `stale: true`.

import { sql } from 'kysely'
import { cacheLimits } from '#schemas/cache-limits.ts'
import { daysBefore, utcDay } from '#schemas/days.ts'
import type { Queue } from '#warehouse/store/queue.ts'
import type { Serving } from '../serving.ts'

const jobName = 'insider-issuer'
/** An issuer that was requested within this time is not requested again, by any process. */
const freshSeconds = 60
/** Days of filings that a request checks; a backfill covers more. */
const windowDays = 90
const waitMs = 8_000
const pollMs = 50

/** Why an answer is from the last release; null if the source was checked within the last minute. */
export type Staleness = { readonly reason: 'failed' | 'slow' | 'no_worker' } | null
export type IssuerRefresh = (cik: string, now: Date) => Promise<Staleness>

type Run = { readonly run_id: number; readonly state: string; readonly release: number | null; readonly recent: boolean }
export type RefreshSettings = { readonly waitMs?: number; readonly freshSeconds?: number }

export function issuerRefresh(serving: Serving, queue: Queue, settings: RefreshSettings = {}): IssuerRefresh {
  const { db } = serving
  const limit = settings.waitMs ?? waitMs
  const fresh = settings.freshSeconds ?? freshSeconds
  const underWay = new Map<string, Promise<Staleness>>()
  /** When this process last waited without success: later requests wait for a shorter time. */
  const waitedInVain = new Map<string, number>()

  /** The newest completed run for an issuer. Runs that another attempt took over are ignored. */
  const latest = async (cik: string): Promise<Run | undefined> =>
    await db
      .selectFrom('job_run')
      .select(['run_id', 'state', 'release'])
      .select(sql<boolean>`coalesce(finished_at, clock_timestamp()) > clock_timestamp() - make_interval(secs => ${fresh})`.as('recent'))
      .where('job', '=', jobName)
      .where('partition', '=', cik)
      .where('state', '<>', 'lost')
      .orderBy('run_id', 'desc')
      .limit(1)
      .executeTakeFirst()

  async function settled(run: Run): Promise<Staleness> {
    if (run.state !== 'done') return { reason: 'failed' }
    if (run.release !== null && serving.head().release < run.release) await serving.refresh()
    return null
  }

  async function ask(cik: string, now: Date): Promise<Staleness> {
    const before = await latest(cik)
    if (before && before.state !== 'running' && before.recent) return await settled(before)
    const vain = waitedInVain.get(cik)
    const patience = vain !== undefined && performance.now() - vain < fresh * 1000 ? 0 : limit
    if (before?.state !== 'running') {
      try {
        await send(cik, now)
      } catch {
        // The queue does not exist, because no worker was ever started on this database.
        return { reason: 'no_worker' }
      }
    }
    const deadline = performance.now() + patience
    let run: Run | undefined
    do {
      run = await latest(cik)
      if (run && run.state !== 'running' && (run.run_id !== before?.run_id || before.state === 'running')) {
        waitedInVain.delete(cik)
        return await settled(run)
      }
      if (performance.now() < deadline) await new Promise(resolve => setTimeout(resolve, pollMs))
    } while (performance.now() < deadline)
    if (waitedInVain.size >= cacheLimits.slowIssuers) waitedInVain.clear()
    if (patience > 0) waitedInVain.set(cik, performance.now())
    return { reason: run?.state === 'running' ? 'slow' : 'no_worker' }
  }

  async function send(cik: string, now: Date): Promise<void> {
    const to = utcDay(now)
    const from = utcDay(daysBefore(now, windowDays))
    // Only one job of the same key waits or runs at a time.
    await queue.send(jobName, { partition: cik, from, to, symbols: [cik], backfill_id: null }, { key: cik, priority: 10 })
  }

  return (cik, now) => {
    const running = underWay.get(cik)
    if (running) return running
    const started = ask(cik, now).finally(() => underWay.delete(cik))
    underWay.set(cik, started)
    return started
  }
}
