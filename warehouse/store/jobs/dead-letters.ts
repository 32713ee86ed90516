// The dead-letter queue as the operator sees it: failed jobs with their reason, and their retry. pg-boss moves a job there after its last
// attempt (its queue and output are in the source_ columns); queue.bury moves one there immediately, with both in the data.
import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../postgres.ts'
import { deadLetterQueue, type JobData, type Queue } from '../queue.ts'

export type DeadLetter = {
  readonly id: string
  readonly job: string
  readonly partition: string
  readonly backfill_id: number | null
  readonly since: string
  /** Null if it failed before any attempt. */
  readonly attempts: number | null
  readonly reason: string
  readonly data: JobData
}

const Data = z.looseObject({
  job: z.string().optional(),
  reason: z.unknown().optional(),
  partition: z.string().default(''),
  from: z.string().nullable().default(null),
  to: z.string().nullable().default(null),
  symbols: z.array(z.string()).nullable().default(null),
  backfill_id: z.number().nullable().default(null),
  request: z.record(z.string(), z.unknown()).optional(),
})
const Reason = z.looseObject({
  error: z.string().optional(),
  message: z.string().optional(),
  value: z.looseObject({ message: z.string().optional() }).optional(),
})

/** The error message in an attempt's output. */
function sentence(output: unknown): string {
  const read = Reason.safeParse(output)
  const message = read.success ? (read.data.message ?? read.data.value?.message) : undefined
  if (message !== undefined) return read.success && read.data.error && read.data.error !== 'Error' ? `${read.data.error}: ${message}` : message
  return output === null || output === undefined
    ? 'no reason was kept: its worker was killed at the last attempt'
    : JSON.stringify(output).slice(0, 300)
}

/** False before the first worker: the queue has no tables yet. */
export async function hasQueue(db: Db): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`select to_regclass('pgboss.job') is not null as there`.execute(db)
  return rows[0]?.there === true
}

type Row = { id: string; data: unknown; created_on: string; source_name: string | null; source_retry_count: number | null; source_output: unknown }

/** All dead letters, newest first. */
export async function findDeadLetters(db: Db): Promise<DeadLetter[]> {
  if (!(await hasQueue(db))) return []
  const { rows } = await sql<Row>`
    select id, data, created_on, source_name, source_retry_count, source_output from pgboss.job
    where name = ${deadLetterQueue} and state < 'active' order by created_on desc, id`.execute(db)
  return rows.map(row => {
    const { job, reason, ...data } = Data.parse(row.data ?? {})
    return {
      id: row.id,
      job: row.source_name ?? job ?? 'unknown',
      partition: data.partition,
      backfill_id: data.backfill_id,
      since: row.created_on,
      attempts: row.source_retry_count === null ? null : row.source_retry_count + 1,
      reason: sentence(row.source_output ?? reason),
      data: {
        partition: data.partition,
        from: data.from,
        to: data.to,
        symbols: data.symbols,
        backfill_id: data.backfill_id,
        ...(data.request ? { request: data.request } : {}),
      },
    }
  })
}

/**
 * Puts a dead letter back into its queue, in one transaction; false if another process did in the meantime. If the same window waits or
 * runs already, that job replaces it.
 */
export const redrive = (db: Db, queue: Queue, letter: DeadLetter): Promise<boolean> => db.transaction().execute(trx => redriveIn(trx, queue, letter))

/** The same in a transaction of the caller. */
export async function redriveIn(trx: Db, queue: Queue, letter: DeadLetter): Promise<boolean> {
  const { rows } =
    await sql`delete from pgboss.job where name = ${deadLetterQueue} and id = ${letter.id}::uuid and state < 'active' returning id`.execute(trx)
  if (rows.length === 0) return false
  const backfill = letter.backfill_id
  if (backfill !== null) {
    await trx
      .updateTable('backfill_window')
      .set({ state: 'waiting', finished_at: null })
      .where('backfill_id', '=', backfill)
      .where('partition', '=', letter.partition)
      .where('state', '=', 'failed')
      .execute()
  }
  await queue.send(letter.job, letter.data, {
    transaction: trx,
    ...(backfill === null ? {} : { key: windowKey(backfill, letter.partition), priority: -1 }),
  })
  return true
}

/**
 * Removes the dead letters whose work a completed run did: those of the same job with exactly the window of the run. A job that failed
 * because its workers were killed then needs no decision of the operator.
 */
export async function dismissDeadLetters(db: Db, run: number, data: JobData): Promise<void> {
  await sql`delete from pgboss.job where name = ${deadLetterQueue} and state < 'active'
    and source_name = (select job from job_run where run_id = ${run}) and data - 'job' - 'reason' = ${JSON.stringify(data)}::jsonb`.execute(db)
}

/** A window of a backfill waits or runs once, independent of the scheduled run of the same day. */
export const windowKey = (backfill: number, partition: string): string => `backfill ${backfill}|${partition}`
