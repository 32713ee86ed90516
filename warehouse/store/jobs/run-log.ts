// The log of a run: what it requested, committed and refused, line by line. The worker writes it, administrators and the operator read it.
import { daysBefore } from '#schemas/days.ts'
import type { Db } from '../postgres.ts'
import type { RunLine } from './tables.ts'

export type { RunLine }

/** Days after which a line is removed. */
const keptDays = 30

/** Stores lines. A line that is stored already is kept, so that a repeated attempt changes nothing. */
export async function storeRunLines(db: Db, runId: number, lines: readonly RunLine[]): Promise<void> {
  if (lines.length === 0) return
  await db
    .insertInto('job_run_line')
    .values(lines.map(line => ({ run_id: runId, ...line })))
    .onConflict(conflict => conflict.columns(['run_id', 'line']).doNothing())
    .execute()
}

/** At most `limit` lines of a run after the line `after`, in their order. */
export const findRunLines = (db: Db, runId: number, after: number, limit: number): Promise<RunLine[]> =>
  db
    .selectFrom('job_run_line')
    .select(['line', 'at', 'level', 'message'])
    .where('run_id', '=', runId)
    .where('line', '>', after)
    .orderBy('line')
    .limit(limit)
    .execute()

/** Removes lines older than `keptDays`; the number of removed lines. */
export async function sweepRunLines(db: Db, now: Date): Promise<number> {
  const gone = await db.deleteFrom('job_run_line').where('at', '<', daysBefore(now, keptDays).toISOString()).executeTakeFirst()
  return Number(gone.numDeletedRows)
}
