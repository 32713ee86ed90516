// The data clock: the current instant for market data. It is the machine's clock, except in an installation of the bundled universe. The
// data of the universe end on a fixed day, so its data clock is frozen shortly after that day, and look-backs, quotes, calendars and alerts
// give the same answers in any year. Sessions, keys, limits, receipts and schedules always use the machine's clock. This module loads no
// library: the supervisor of `crossfile start` uses it, and stays small.
import type { Db } from './postgres.ts'

type DataClockTable = {
  data_clock: { one: boolean; frozen_at: string; released_at: string | null }
}

declare module './database.ts' {
  interface Database extends DataClockTable {}
}

/** `frozen_at` is an RFC 3339 instant in UTC, or null if the machine's clock applies. */
export type DataClock = { readonly frozen_at: string | null }

/** The data clock of this installation: one indexed read of one row. */
export async function findDataClock(db: Db): Promise<DataClock> {
  const row = await db.selectFrom('data_clock').select('frozen_at').where('released_at', 'is', null).executeTakeFirst()
  return { frozen_at: row ? new Date(row.frozen_at).toISOString() : null }
}

/** The current instant for market data: the frozen one, else `now`. */
export const dataNow = (clock: DataClock, now: Date): Date => (clock.frozen_at === null ? now : new Date(clock.frozen_at))

/** Freezes the data clock of an installation that loads the bundled universe. A clock that was released stays released. */
export async function freezeDataClock(db: Db, instant: string): Promise<void> {
  await db
    .insertInto('data_clock')
    .values({ one: true, frozen_at: instant, released_at: null })
    .onConflict(conflict => conflict.column('one').doUpdateSet({ frozen_at: instant }))
    .execute()
}

/**
 * Switches an installation of the universe to the machine's clock, permanently, because the operator's data arrived: with a frozen clock,
 * newer data would be invisible. Returns true if this call changed it.
 */
export async function releaseDataClock(db: Db, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('data_clock')
    .set({ released_at: now.toISOString() })
    .where('released_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** One sentence for users: what the data clock is and why; null if the machine's clock applies. */
export const describeDataClock = ({ frozen_at }: DataClock): string | null =>
  frozen_at === null
    ? null
    : `Bundled fictional universe: its clock is set to ${frozen_at.slice(0, 16).replace('T', ' ')} UTC, after its last trading day.`
