// The shared budget of the rate limits: processes lease slices of it, so that a single request needs no database write.
import { type Kysely, sql } from 'kysely'
import type { AccountTables } from './tables.ts'

/** A lease request of a process: up to `wanted` units, which it spends within the lease or not at all. */
export type LeaseRequest = {
  readonly partition: string
  /** Microseconds between two units at the long-run rate. */
  readonly interval_us: number
  /** Units that may be granted in one burst. */
  readonly capacity: number
  /** Cap of one UTC day; null: none. */
  readonly daily: number | null
  readonly wanted: number
}
export type Lease = {
  readonly granted: number
  /** Milliseconds until one more unit would be granted; 0 if one is available now. */
  readonly retry_ms: number
  /** Units that would be granted now, after this lease. */
  readonly left: number
  readonly daily_exhausted: boolean
}
export type LimitStore = { readonly lease: (requested: LeaseRequest) => Promise<Lease> }

/** Leases from the table rate_budget, in one statement, using the clock of Postgres, which all processes share. */
export function sharedBudget(db: Kysely<AccountTables>): LimitStore {
  return { lease: requested => lease(db, requested) }
}

async function lease(db: Kysely<AccountTables>, { partition, interval_us, capacity, daily, wanted }: LeaseRequest): Promise<Lease> {
  const step = Math.ceil(interval_us)
  const cap = daily ?? Number.MAX_SAFE_INTEGER
  // statement_timestamp(): one instant for the whole statement. Casts: a bound value has no type there.
  const now = sql`(extract(epoch from statement_timestamp()) * 1000000)::bigint`
  const today = sql`(statement_timestamp() at time zone 'UTC')::date`
  const late = sql`greatest(b.arrival_us - ${now}, 0)`
  const usedToday = sql`(case when b.day = ${today} then b.used else 0 end)`
  const granted = sql`greatest(least(${wanted}::bigint, (${capacity * step}::bigint - ${late}) / ${step}::bigint, ${cap}::bigint - ${usedToday}), 0)`
  const first = Math.max(0, Math.min(wanted, capacity, cap))
  const { rows } = await sql<{ granted: number; late_us: number; used: number }>`
    insert into rate_budget as b (partition, arrival_us, day, used, granted)
    values (${partition}, ${now} + ${first * step}::bigint, ${today}, ${first}::bigint, ${first}::bigint)
    on conflict (partition) do update set
      arrival_us = greatest(b.arrival_us, ${now}) + ${granted} * ${step}::bigint,
      day = ${today},
      used = ${usedToday} + ${granted},
      granted = ${granted}
    returning b.granted, b.used, greatest(b.arrival_us - ${now}, 0) as late_us`.execute(db)
  const row = rows[0]
  if (!row) throw new TypeError('rate_budget: the upsert returned no row')
  const available = (capacity * step - row.late_us) / step
  const exhausted = row.used >= cap
  return {
    granted: row.granted,
    retry_ms: available >= 1 ? 0 : Math.ceil(((1 - available) * step) / 1000),
    left: Math.max(0, Math.min(Math.floor(available), cap - row.used)),
    daily_exhausted: exhausted,
  }
}

/** Deletes partitions that were not used since yesterday; a new row starts with the same full budget. */
export async function sweepBudget(db: Kysely<AccountTables>): Promise<void> {
  await sql`delete from rate_budget where day < (statement_timestamp() at time zone 'UTC')::date - 1`.execute(db)
}
