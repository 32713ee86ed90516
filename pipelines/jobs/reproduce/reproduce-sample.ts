// The nightly job that re-executes a random sample of the receipts, and stores what came out. A killed run continues with the same sample.
import { utcDay } from '#schemas/days.ts'
import { requestRound } from '#warehouse/people/status/checks.ts'
import {
  beginReproduction,
  endReproduction,
  findReproduction,
  recordReproduction,
  reproductionSentence,
} from '#warehouse/people/status/reproductions.ts'
import type { RawStore } from '#warehouse/store/raw/raw.ts'
import { drawSample, logSize, seedOf } from '#warehouse/store/receipts/sample.ts'
import type { IngestTools } from '../../ingest/ingest.ts'
import { findSubjects, installedTools, reproduceMany } from '../../ingest/reproduce.ts'

/** The job of jobs.yaml, and its plan. */
export const reproduceJob = 'reproduce-sample'

/** Re-executes the sample of the day; returns a note. Throws the signal's reason if it is aborted: the next attempt continues. */
export async function reproduceSample(tools: IngestTools, raw: RawStore, size: number, now: () => Date, signal: AbortSignal): Promise<string> {
  const { db, log } = tools
  const day = utcDay(now())
  const begun = await db
    .selectFrom('reproduction_round')
    .select('seed')
    .where('seed', 'like', `${day}/%`)
    .orderBy('started_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  const seed = begun?.seed ?? seedOf(day, await logSize(db))
  const sample = await drawSample(db, seed, size)
  if (sample.receipt_ids.length === 0) return 'the receipt log has no entry yet'
  const done = await beginReproduction(db, { seed, population: sample.population, size: sample.receipt_ids.length, now: now().toISOString() })
  const subjects = await findSubjects(
    db,
    sample.receipt_ids.filter(id => !done.has(id)),
  )
  let at = performance.now()
  await reproduceMany(
    installedTools(tools, raw),
    subjects,
    async ({ receipt_id, result, method, reason, difference }) => {
      const milliseconds = Math.round(performance.now() - at)
      const text = difference === null ? null : JSON.stringify(difference)
      await recordReproduction(db, { seed, receipt_id, result, method, reason, difference: text, milliseconds })
      at = performance.now()
    },
    signal,
  )
  signal.throwIfAborted()
  if (!(await endReproduction(db, seed, now().toISOString()))) return ''
  await requestRound(db)
  const found = await findReproduction(db)
  if (found === null) return ''
  if (found.different > 0)
    log(
      'error',
      `receipts that re-execution does not give again: ${found.different_receipts.join(', ')}; crossfile reproduce ID shows the difference`,
    )
  return reproductionSentence(found)
}
