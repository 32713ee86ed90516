// Updates in Postgres: revisions that are only added, and the number of views of each update.
import { sql } from 'kysely'
import type { DailyUpdateFull, DailyUpdateSummary } from '#schemas/updates.ts'
import type { Db } from '../store/postgres.ts'
import { digestOf, type Update } from './write.ts'

/** The content of a revision, without the release and the receipts: equal if nothing new is known. */
const textsOf = (statements: Update['statements']): string => JSON.stringify(statements.map(each => each.text))

/**
 * Adds an update as the next revision of its slug, unless the newest one has the same content. Returns the added revision; null if none was
 * added. Runs in a transaction.
 */
export async function addUpdate(trx: Db, update: Update): Promise<number | null> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`daily_update ${update.slug}`}, 0))`.execute(trx)
  const newest = await trx
    .selectFrom('daily_update')
    .select(['revision', 'statements'])
    .where('slug', '=', update.slug)
    .orderBy('revision', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (newest && textsOf(newest.statements) === textsOf(update.statements)) return null
  const revision = (newest?.revision ?? 0) + 1
  const { statements, ...columns } = update
  await trx
    .insertInto('daily_update')
    .values({ ...columns, statements: JSON.stringify(statements), revision, sha256: digestOf(update) })
    .execute()
  return revision
}

/** The newest revision of each update. */
const newestOf = (db: Db) =>
  db
    .selectFrom(db.selectFrom('daily_update').selectAll().distinctOn('slug').orderBy('slug').orderBy('revision', 'desc').as('u'))
    .leftJoin('daily_update_view as v', 'v.slug', 'u.slug')

export type FeedFilter = {
  readonly ticker: string | null
  readonly category: 'daily' | 'issuer' | null
  readonly from: string | null
  readonly to: string | null
}
const filtered = (db: Db, { ticker, category, from, to }: FeedFilter) =>
  newestOf(db)
    .$if(ticker !== null, query => query.where('u.ticker', '=', ticker))
    .$if(category !== null, query => query.where('u.category', '=', category as string))
    .$if(from !== null, query => query.where('u.date', '>=', from as string))
    .$if(to !== null, query => query.where('u.date', '<=', to as string))

/** Summaries, the newest day first, within a day by slug; and their total number. */
export async function findUpdates(
  db: Db,
  filter: FeedFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly updates: readonly DailyUpdateSummary[]; readonly total: number }> {
  const [rows, counted] = await Promise.all([
    filtered(db, filter)
      .select(['u.slug', 'u.date', 'u.title', 'u.summary', 'u.ticker', 'u.category', 'u.llm_provider', 'v.views'])
      .orderBy('u.date', 'desc')
      .orderBy('u.slug')
      .limit(limit)
      .offset(offset)
      .execute(),
    filtered(db, filter)
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow(),
  ])
  return { updates: rows.map(({ views, ...row }) => ({ ...row, view_count: views ?? 0 })), total: Number(counted.total) }
}

/** The newest revision of an update; null if the slug does not exist. */
export async function findUpdate(db: Db, slug: string): Promise<DailyUpdateFull | null> {
  const row = await newestOf(db)
    .where('u.slug', '=', slug)
    .select(['u.slug', 'u.date', 'u.title', 'u.summary', 'u.ticker', 'u.category', 'u.llm_provider', 'v.views'])
    .select(['u.body', 'u.revision', 'u.release', 'u.rules', 'u.statements'])
    .executeTakeFirst()
  if (!row) return null
  const { views, body, revision, release, rules, statements, ...summary } = row
  return { ...summary, view_count: views ?? 0, body, revision, release, rules, statements: [...statements] }
}

/** The number of updates for each day from `from` on, the newest first, and in total. */
export async function countUpdates(
  db: Db,
  from: string,
): Promise<{ readonly days: readonly { readonly date: string; readonly count: number }[]; readonly total: number }> {
  const days = await db
    .selectFrom('daily_update')
    .select(({ fn }) => ['date', fn.count<number>('slug').distinct().as('count')])
    .where('date', '>=', from)
    .groupBy('date')
    .orderBy('date', 'desc')
    .execute()
  const all = await db
    .selectFrom('daily_update')
    .select(({ fn }) => fn.count<number>('slug').distinct().as('total'))
    .executeTakeFirstOrThrow()
  return { days: days.map(({ date, count }) => ({ date, count: Number(count) })), total: Number(all.total) }
}

/** Adds one reading to each of some updates. */
export async function addViews(db: Db, slugs: readonly string[]): Promise<void> {
  if (slugs.length === 0) return
  await db
    .insertInto('daily_update_view')
    .values([...new Set(slugs)].sort().map(slug => ({ slug, views: 1 })))
    .onConflict(conflict => conflict.column('slug').doUpdateSet({ views: sql`daily_update_view.views + 1` }))
    .execute()
}

/** The newest day with an update; null if there is none. */
export async function newestUpdateDay(db: Db): Promise<string | null> {
  const row = await db
    .selectFrom('daily_update')
    .select(({ fn }) => fn.max('date').as('date'))
    .executeTakeFirst()
  return row?.date ?? null
}
