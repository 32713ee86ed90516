// Precomputed, signed bodies: release N uses the newest page at or before N.

import { sql } from 'kysely'
import type { Db } from './postgres.ts'
import type { Receipt } from './receipts/receipt.ts'
import { insertReceipts } from './receipts/store.ts'
import { slicesOf } from './slices.ts'

export type Page = {
  readonly operation: string
  readonly question: string
  readonly release_from: number
  readonly as_of: string
  /** True: signed on request, and subject to the bound on such answers (requested-answers.ts). */
  readonly requested?: boolean
} & (
  | { readonly payload: Buffer; readonly receipt: Receipt }
  | { readonly payload: null; readonly receipt: null } // changed, built on first request
)
export type FoundPage = { readonly release_from: number; readonly payload: Buffer | null; readonly receipt_id: string | null; readonly as_of: string }

/** The page for a release; null if the request never had one. */
export async function findPage(db: Db, operation: string, question: string, release: number): Promise<FoundPage | null> {
  const row = await db
    .selectFrom('page')
    .select(['release_from', 'payload', 'receipt_id', 'as_of'])
    .where('operation', '=', operation)
    .where('question', '=', question)
    .where('release_from', '<=', release)
    .orderBy('release_from', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

export type KeptAnswer = {
  readonly operation: string
  readonly question: string
  readonly release_from: number
  readonly as_of: string
  readonly payload: Buffer
  readonly receipt_id: string
}
/** Stores the answer of a stored receipt again, if it is not stored any more: a later version of the code may not be able to make it. */
export async function keepAnswer(db: Db, { receipt_id, ...answer }: KeptAnswer): Promise<void> {
  await db
    .insertInto('page')
    .values({ ...answer, receipt_id, used_at: sql<string>`clock_timestamp()` })
    .onConflict(conflict => conflict.columns(['operation', 'question', 'release_from']).doNothing())
    .execute()
}

/** Stores pages with their receipts; an existing page without payload is filled. */
export async function insertPages(db: Db, pages: readonly Page[]): Promise<void> {
  await insertReceipts(
    db,
    pages.flatMap(page => (page.receipt ? [page.receipt] : [])),
  )
  for (const some of slicesOf(pages, 500)) {
    await db
      .insertInto('page')
      .values(
        some.map(page => ({
          operation: page.operation,
          question: page.question,
          release_from: page.release_from,
          payload: page.payload,
          receipt_id: page.receipt?.receipt_id ?? null,
          as_of: page.as_of,
          used_at: page.requested === true ? sql<string>`clock_timestamp()` : null,
        })),
      )
      .onConflict(conflict =>
        conflict
          .columns(['operation', 'question', 'release_from'])
          .doUpdateSet(eb => ({ payload: eb.ref('excluded.payload'), receipt_id: eb.ref('excluded.receipt_id') }))
          .where('page.payload', 'is', null),
      )
      .execute()
  }
}
