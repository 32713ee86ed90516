// Results of the nightly re-execution of a sample of receipts (migrations/0033-receipt-watches.sql).
import { type Generated, sql } from 'kysely'
import type { ReproductionStatus } from '#schemas/status.ts'
import type { Db } from '../../store/postgres.ts'
import type { Check } from './checks.ts'

export type ReproductionTables = {
  reproduction_round: { seed: string; population: number; size: number; started_at: string; ended_at: Generated<string | null> }
  reproduction_result: {
    seed: string
    receipt_id: string
    result: 'equal' | 'different' | 'not_possible'
    method: string | null
    reason: string | null
    difference: string | null
    milliseconds: number
  }
}

declare module '../../store/database.ts' {
  interface Database extends ReproductionTables {}
}

/** The component of the status. */
const reproductionComponent = 'reproduction'

type Row = Omit<ReproductionStatus, 'share_equal'>

/** The newest finished round; null before the first one. */
export async function findReproduction(db: Db): Promise<ReproductionStatus | null> {
  const { rows } = await sql<Row>`
    select r.seed, r.population::float8 as population, r.size, r.ended_at,
      (count(*) filter (where x.result = 'equal'))::int as equal, (count(*) filter (where x.result = 'different'))::int as different,
      (count(*) filter (where x.result = 'not_possible'))::int as not_possible,
      coalesce(array_agg(x.receipt_id order by x.receipt_id) filter (where x.result = 'different'), '{}') as different_receipts
    from reproduction_round r left join reproduction_result x on x.seed = r.seed
    where r.seed = (select seed from reproduction_round where ended_at is not null order by ended_at desc, seed limit 1)
    group by r.seed`.execute(db)
  const [row] = rows
  if (!row) return null
  const tried = row.equal + row.different
  // Rounded down, so that a difference is never shown as 1.
  return { ...row, share_equal: tried === 0 ? null : Math.floor((row.equal / tried) * 10_000) / 10_000 }
}

/** The round in one sentence. */
export function reproductionSentence({ equal, different, not_possible, seed }: ReproductionStatus): string {
  const tried = equal + different
  const rest = not_possible === 0 ? '' : `, ${not_possible} not possible`
  return `${equal} of ${tried} re-executed receipts gave equal bytes${rest} (sample ${seed})`
}

/** The check of the component; none before the first round. */
export async function checkReproduction(db: Db): Promise<Check[]> {
  const found = await findReproduction(db)
  if (found === null) return []
  const status = found.different > 0 ? 'degraded' : 'operational'
  return [{ component: reproductionComponent, status, latency_ms: null, detail: reproductionSentence(found) }]
}

/** Rounds that are kept. */
const keptRounds = 400

/** Begins a round, or continues one that a killed worker left; returns the receipts that have a result already. */
export async function beginReproduction(
  db: Db,
  round: { readonly seed: string; readonly population: number; readonly size: number; readonly now: string },
): Promise<ReadonlySet<string>> {
  const { seed, population, size, now } = round
  await db
    .insertInto('reproduction_round')
    .values({ seed, population, size, started_at: now })
    .onConflict(conflict => conflict.column('seed').doNothing())
    .execute()
  const rows = await db.selectFrom('reproduction_result').select('receipt_id').where('seed', '=', seed).execute()
  return new Set(rows.map(each => each.receipt_id))
}

export async function recordReproduction(db: Db, result: ReproductionTables['reproduction_result']): Promise<void> {
  await db
    .insertInto('reproduction_result')
    .values(result)
    .onConflict(conflict => conflict.columns(['seed', 'receipt_id']).doNothing())
    .execute()
}

/** Ends the round and forgets the oldest ones; false if it had ended before. */
export async function endReproduction(db: Db, seed: string, now: string): Promise<boolean> {
  const done = await db
    .updateTable('reproduction_round')
    .set({ ended_at: now })
    .where('seed', '=', seed)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  await sql`delete from reproduction_round where seed in (select seed from reproduction_round order by started_at desc, seed offset ${keptRounds})`.execute(
    db,
  )
  return done.numUpdatedRows === 1n
}
