// The clock that all processes of an installation share: that of Postgres. Sessions, limits, notices and checks are written by one process
// and checked by another, or by SQL, so a machine whose clock is wrong must not make them expire early or never.
import { sql } from 'kysely'
import { onBeat, turnMs } from './beat.ts'
import type { Db } from './postgres.ts'

/** `now` is the time of Postgres, within the error of one round trip, without a query; `close` ends the measurements. */
export type SharedClock = { readonly now: () => Date; readonly close: () => void }

const measureMs = 30_000

/** Measures the time of Postgres now and every 30 seconds. Between two measurements the machine's monotonic clock is used. */
export async function openSharedClock(db: Db): Promise<SharedClock> {
  let base = await measure(db)
  const measuring = onBeat(measureMs, turnMs.fifth, () => {
    // While Postgres is down the last measurement stays valid: the monotonic clock drifts by milliseconds.
    measure(db).then(
      found => {
        base = found
      },
      () => undefined,
    )
  })
  return { now: () => new Date(base + performance.now()), close: measuring.stop }
}

/** The time of Postgres less the monotonic clock, in milliseconds; the response is dated at the middle of the round trip. */
async function measure(db: Db): Promise<number> {
  const before = performance.now()
  const { rows } = await sql<{ ms: number }>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(db)
  return (rows[0] as { ms: number }).ms - (before + performance.now()) / 2
}
