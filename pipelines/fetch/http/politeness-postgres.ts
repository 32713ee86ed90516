// The rules of politeness.ts on one Postgres row per host group: each call is one statement, which locks the row and reads the
// database's clock after that, so processes need no common clock. A test proves it equal to the pure function.
import { z } from 'zod'
import { Upstream as UpstreamError } from '#schemas/errors.ts'
import { failuresToOpen, longestQueueMs, probeMs, type SlotStore, stepMs } from './politeness.ts'

/** What a pool, a client or a transaction of `pg` offers. */
export type Queryable = { query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> }

const Taken = z.object({
  verdict: z.enum(['granted', 'stopped', 'open', 'quota_hour', 'quota_day', 'busy']),
  wait_ms: z.number(),
  stop_reason: z.string().nullable(),
})

const ms = (parameter: string): string => `(${parameter}::float8 * interval '1 millisecond')`

// $1 name, $2 step, $3 burst, $4 cost, $5 per hour, $6 per day, $7 longest queue, $8 probe interval (times in ms)
const take = (clock: string): string => `
update upstream_limit as l
set (verdict, wait_ms, tat, probe_at, quota_hour, hour_used, quota_day, day_used) = (
  select
    verdict,
    1000 * extract(epoch from case verdict
      when 'stopped' then l.stopped_until - now
      when 'open' then next_probe - now
      when 'quota_hour' then hour + interval '1 hour' - now
      when 'quota_day' then day + interval '1 day' - now
      else wait end)::float8,
    case verdict when 'granted' then greatest(due, now) + ${ms('$2')} else l.tat end,
    case when verdict = 'granted' and l.opened_at is not null then now else l.probe_at end,
    case verdict when 'granted' then hour else l.quota_hour end,
    case verdict when 'granted' then used_hour + $4::int else l.hour_used end,
    case verdict when 'granted' then day else l.quota_day end,
    case verdict when 'granted' then used_day + $4::int else l.day_used end
  from (
    select *, case
      when l.stopped_until > now then 'stopped'
      when next_probe > now then 'open'
      when used_hour + $4::int > $5::int then 'quota_hour'
      when used_day + $4::int > $6::int then 'quota_day'
      when wait > ${ms('$7')} then 'busy'
      else 'granted' end as verdict
    from (
      select now, hour, day, due,
        case when l.quota_hour = hour then l.hour_used else 0 end as used_hour,
        case when l.quota_day = day then l.day_used else 0 end as used_day,
        case when l.opened_at is not null and coalesce(l.probe_at, l.opened_at) <= now then coalesce(l.probe_at, l.opened_at) + ${ms('$8')} end as next_probe,
        greatest(due - ($3::float8 - 1) * ${ms('$2')} - now, interval '0') as wait
      from (
        select now,
          date_trunc('hour', now, 'UTC') as hour,
          date_trunc('day', now, 'UTC') as day,
          case when l.tat > now + ${ms('$7')} + $3::float8 * ${ms('$2')} then now + ${ms('$2')} else l.tat end as due
        from (select ${clock} as now offset 0) as clock
      ) as times
    ) as state
  ) as decision
)
where l.name = $1
returning verdict, wait_ms, stop_reason`

const stop = (clock: string): string => `
insert into upstream_limit as l (name, stopped_until, stop_reason) values ($1, ${clock} + ${ms('$2')}, $3)
on conflict (name) do update
set stopped_until = greatest(l.stopped_until, excluded.stopped_until), stop_reason = excluded.stop_reason`

const failed = (clock: string): string => `
insert into upstream_limit as l (name, failures) values ($1, 1)
on conflict (name) do update
set failures = l.failures + 1,
    opened_at = case when l.failures + 1 >= $2::int then coalesce(l.opened_at, ${clock}) else l.opened_at end`

const succeeded = `
update upstream_limit set failures = 0, opened_at = null, probe_at = null
where name = $1 and (failures <> 0 or opened_at is not null)`

/** `clock` is an SQL expression for the present; only the test against the pure function overrides it. */
export function postgresStore(database: Queryable, clock = 'clock_timestamp()'): SlotStore {
  const run = async (text: string, values: unknown[]): Promise<unknown[]> => {
    try {
      return (await database.query(text, values)).rows
    } catch (error) {
      throw new UpstreamError(`${values[0]}: the database, which holds this upstream's shared rate limit, could not be queried`, {
        cause: error,
        retryAfterSeconds: 5,
      })
    }
  }
  return {
    take: async (limits, cost) => {
      const values = [limits.group, stepMs(limits), limits.burst, cost, limits.perHour, limits.perDay, longestQueueMs, probeMs]
      let rows = await run(take(clock), values)
      if (rows.length === 0) {
        await run('insert into upstream_limit (name) values ($1) on conflict (name) do nothing', [limits.group])
        rows = await run(take(clock), values)
      }
      const row = Taken.parse(rows[0])
      return { verdict: row.verdict, waitMs: row.wait_ms, reason: row.verdict === 'granted' ? null : row.stop_reason }
    },
    stop: async (group, seconds, reason) => void (await run(stop(clock), [group, seconds * 1000, reason])),
    outcome: async (group, ok) => void (await (ok ? run(succeeded, [group]) : run(failed(clock), [group, failuresToOpen]))),
  }
}
