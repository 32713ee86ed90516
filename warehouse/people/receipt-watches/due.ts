// Which watched questions a release makes due, and what is recorded of an evaluation that found no change.
import { sql } from 'kysely'
import type { Lake } from '../../store/lake/lake.ts'
import type { Db } from '../../store/postgres.ts'

/** Watches of one question that have the same answer. */
export type DueQuestion = {
  readonly question: string
  readonly receipt_id: string
  readonly watch_ids: readonly string[]
  /** The oldest release that was compared for one of them. */
  readonly checked_release: number
}

const active = sql`exists (select from app_user u where u.user_id = w.user_id and u.is_active and u.erasure_requested_at is null)`

/** Marks the watches as compared whose datasets did not change up to the release; returns how many. */
export async function passUnchanged(db: Db, lake: Lake, now: string): Promise<number> {
  const { rows: sets } = await sql<{ datasets: string[] }>`
    select distinct datasets from receipt_watch where checked_release < ${lake.release} and datasets is not null and problem is null`.execute(db)
  let passed = 0
  for (const { datasets } of sets) {
    const { release } = lake.versionOf(datasets as Parameters<Lake['versionOf']>[0])
    const done = await db
      .updateTable('receipt_watch')
      .set({ checked_release: lake.release, checked_at: now })
      .where('datasets', '=', sql<string[]>`${datasets}::text[]`)
      .where('problem', 'is', null)
      .where('checked_release', '<', lake.release)
      .where('checked_release', '>=', release)
      .executeTakeFirst()
    passed += Number(done.numUpdatedRows)
  }
  return passed
}

/**
 * At most `most` questions with a watch that was not compared with the release yet, in a fair order: the longest waiting watch of each
 * user, then the second one of each, and so on. Watches of users who are disabled or leave are not due. `except`: questions of this round
 * that gave no answer.
 */
export async function findDue(db: Db, release: number, most: number, except: readonly string[] = []): Promise<DueQuestion[]> {
  const { rows } = await sql<DueQuestion>`
    with due as (
      select w.*, row_number() over (partition by w.user_id order by w.checked_at, w.watch_id) as turn
      from receipt_watch w
      where w.checked_release < ${release} and ${active} and w.question || ' ' || w.receipt_id <> all(${[...except]}::text[])
    )
    select question, receipt_id, array_agg(watch_id order by watch_id) as watch_ids, min(checked_release)::int as checked_release
    from due group by question, receipt_id order by min(turn), min(checked_at), question, receipt_id limit ${most}`.execute(db)
  return rows
}

/** Number of questions that are still due. */
export async function countDue(db: Db, release: number): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(distinct (w.question, w.receipt_id))::int as waiting from receipt_watch w where w.checked_release < ${release} and ${active}`.execute(
    db,
  )
  return rows[0]?.waiting ?? 0
}

export type Compared = {
  readonly release: number
  readonly datasets: readonly string[] | null
  readonly problem: string | null
  readonly now: string
}

/**
 * Records an evaluation without a change. `release` is not raised by a temporary problem: the watches stay due. Watches that have another
 * answer by now are left as they are.
 */
export async function recordCompared(db: Db, { watch_ids, receipt_id }: DueQuestion, { release, datasets, problem, now }: Compared): Promise<void> {
  await db
    .updateTable('receipt_watch')
    .set({
      checked_release: sql<number>`greatest(checked_release, ${release})`,
      checked_at: now,
      problem,
      ...(datasets === null ? {} : { datasets: [...datasets] }),
    })
    .where('watch_id', 'in', [...watch_ids])
    .where('receipt_id', '=', receipt_id)
    .execute()
}
