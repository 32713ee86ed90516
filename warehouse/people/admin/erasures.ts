// Erasures as administrators see them: accounts within the grace period, and erased accounts by hash.
import { type SqlBool, sql } from 'kysely'
import { dayMs } from '#schemas/days.ts'
import type { Db } from '../../store/postgres.ts'
import { graceDays } from '../privacy/erasure.ts'

export type WaitingErasure = {
  readonly user_id: string
  readonly email: string
  readonly requested_at: string
  readonly erase_after: string
  /** Whether the next run of the job `erasure` erases it. */
  readonly is_due: boolean
}
export type DoneErasure = {
  readonly subject_sha256: string
  readonly requested_at: string
  readonly erased_at: string
  /** Null: the proof came from the list of another database. */
  readonly rows: number | null
}

/** Accounts within the grace period that a list shows. */
const mostWaiting = 500
/** Number of accounts whose erasure is queued, and at most 500 of them, those that are erased first in front. */
export async function findWaitingErasures(db: Db, now: Date): Promise<{ readonly count: number; readonly waiting: readonly WaitingErasure[] }> {
  const queued = db.selectFrom('app_user').where('erasure_requested_at', 'is not', null)
  const { count } = await queued.select(query => query.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  const rows = await queued
    .select(['user_id', 'email', 'erasure_requested_at'])
    .orderBy('erasure_requested_at')
    .orderBy('user_id')
    .limit(mostWaiting)
    .execute()
  const waiting = rows.flatMap(({ user_id, email, erasure_requested_at: requested }) => {
    if (requested === null) return []
    const due = Date.parse(requested) + graceDays * dayMs
    return [{ user_id, email, requested_at: requested, erase_after: new Date(due).toISOString(), is_due: due <= now.getTime() }]
  })
  return { count: Number(count), waiting }
}

/** Number of erased accounts, and those behind `after`, newest first. */
export async function findDoneErasures(
  db: Db,
  { after, limit }: { readonly after: { readonly erased_at: string; readonly subject_sha256: string } | null; readonly limit: number },
): Promise<{ readonly count: number; readonly done: readonly DoneErasure[] }> {
  const { count } = await db
    .selectFrom('erasure')
    .select(query => query.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  const rows = await db
    .selectFrom('erasure')
    .select(['subject_sha256', 'requested_at', 'erased_at', 'counts'])
    .$if(after !== null, query =>
      query.where(
        sql<SqlBool>`(erased_at, subject_sha256) < (${after?.erased_at ?? null}::timestamptz, ${Buffer.from(after?.subject_sha256 ?? '', 'hex')})`,
      ),
    )
    .orderBy('erased_at', 'desc')
    .orderBy('subject_sha256', 'desc')
    .limit(limit)
    .execute()
  const done = rows.map(({ subject_sha256, requested_at, erased_at, counts }) => {
    const deleted = Object.values(counts)
    return {
      subject_sha256: subject_sha256.toString('hex'),
      requested_at,
      erased_at,
      rows: deleted.length === 0 ? null : deleted.reduce((sum, each) => sum + each, 0),
    }
  })
  return { count: Number(count), done }
}
