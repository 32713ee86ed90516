// Stops of upstreams: until when no process asks a source, and why. They are shared by all processes, in the table upstream_limit.
import { sql } from 'kysely'
import type { Db } from './postgres.ts'

export type UpstreamStop = {
  /** The group of hosts that share the limit, as `upstream_limit` names it. */
  readonly name: string
  /** The instant until which it is not asked; `infinity`: until an operator lifts the stop; null: it is not stopped. */
  readonly stopped_until: string | null
  readonly reason: string | null
  /** Since when it does not respond (its breaker is open); null: it responds. */
  readonly failing_since: string | null
  readonly failures: number
}

/** Groups that are stopped or do not respond, by name. The clock is that of the database. */
export async function findUpstreamStops(db: Db): Promise<UpstreamStop[]> {
  const { rows } = await sql<UpstreamStop>`
    select name, case when stopped_until > clock_timestamp() then stopped_until end::text as stopped_until,
      case when stopped_until > clock_timestamp() then stop_reason end as reason, opened_at::text as failing_since, failures
    from upstream_limit where stopped_until > clock_timestamp() or opened_at is not null order by name`.execute(db)
  return rows.map(row => ({ ...row, stopped_until: instant(row.stopped_until), failing_since: instant(row.failing_since) }))
}

const instant = (text: string | null): string | null => (text === null || text === 'infinity' ? text : new Date(text).toISOString())

/** Lifts the stop of a group and closes its breaker; in the transaction of its audit entry. Returns what was lifted, null if there was none. */
export async function liftUpstreamStop(trx: Db, name: string): Promise<UpstreamStop | null> {
  const before = (await findUpstreamStops(trx)).find(stop => stop.name === name)
  if (before === undefined) return null
  await sql`update upstream_limit set stopped_until = 'epoch', stop_reason = null, failures = 0, opened_at = null, probe_at = null where name = ${name}`.execute(
    trx,
  )
  return before
}
