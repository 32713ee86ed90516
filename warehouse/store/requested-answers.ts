// The bound on answers that were signed on request. Every distinct question with receipt=1 stores its answer; the ones that were not used
// for the longest time are removed. Their receipts, statements and places in the log stay, and requesting the question at the same release
// again stores the same bytes under the same receipt id.
import { sql } from 'kysely'
import type { Db } from './postgres.ts'

export type Bound = { readonly answers: number; readonly bytes: number }
/** The bound, in number and in bytes of the answers. Answers that a watch or one of its changes names are kept in addition to it. */
export const requestedBound: Bound = { answers: 100_000, bytes: 2 * 1024 ** 3 }
/** After this number of signed requests a worker applies the bound: it is exceeded by at most as many answers for each worker. */
export const sweepAfter = 256

/** Records that an answer was used. Within an hour of the last use, nothing is written. */
export async function touchRequested(db: Db, receiptId: string): Promise<void> {
  await db
    .updateTable('page')
    .set({ used_at: sql<string>`clock_timestamp()` })
    .where('receipt_id', '=', receiptId)
    .where('used_at', '<', sql<string>`clock_timestamp() - interval '1 hour'`)
    .execute()
}

/** Removes the answers beyond the bound, the longest unused first; returns how many. */
export async function sweepRequested(db: Db, { answers, bytes }: Bound = requestedBound): Promise<number> {
  const { rows } = await sql<{ removed: number }>`
    with kept as (
      select first_receipt_id as receipt_id from receipt_watch union select receipt_id from receipt_watch
      union select before_receipt_id from receipt_change union select after_receipt_id from receipt_change
    ), ranked as (
      select operation, question, release_from, used_at, row_number() over (order by used_at desc, receipt_id) as place,
        sum(octet_length(payload)) over (order by used_at desc, receipt_id) as total
      from page where used_at is not null and not exists (select from kept where kept.receipt_id = page.receipt_id)
    ), removed as (
      delete from page using ranked
      where page.operation = ranked.operation and page.question = ranked.question and page.release_from = ranked.release_from
        -- An answer that is used during this statement stays.
        and page.used_at = ranked.used_at and (ranked.place > ${answers} or ranked.total > ${bytes})
      returning 1
    ) select count(*)::int as removed from removed`.execute(db)
  return rows[0]?.removed ?? 0
}
