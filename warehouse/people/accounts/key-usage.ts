// What API keys were used for: counted by each API process in memory, added to the database every half minute, listed by day and class.
import { sql } from 'kysely'
import { addDays, daysBefore, daysFrom, utcDay } from '#schemas/days.ts'
import type { KeyUsage } from '#schemas/keys.ts'
import { type LimitClass as Class, LimitClass } from '#schemas/plans.ts'
import type { Db } from '../../store/postgres.ts'
import type { Trx } from '../users/own-rows.ts'

/** Requests of one key, of one class of limits, on one UTC day. `units` are those of the requests that were not refused. */
export type UsageCount = {
  readonly key_id: string
  readonly day: string
  readonly class: Class
  requests: number
  units: number
  limited: number
  refused: number
  failed: number
}

/** Counts in memory until they are taken. */
export type UsageCounter = {
  /** Counts an answered request of a key: `units` by the cost of its operation, `status` the HTTP status. */
  readonly count: (keyId: string, limitClass: Class, units: number, status: number) => void
  /** Returns the counts and begins again from zero. */
  readonly take: () => UsageCount[]
  /** Adds counts that could not be written. */
  readonly putBack: (counts: readonly UsageCount[]) => void
}

export function createUsageCounter(now: () => Date): UsageCounter {
  let held = new Map<string, UsageCount>()
  const at = (keyId: string, day: string, limitClass: Class): UsageCount => {
    const name = `${keyId} ${day} ${limitClass}`
    let count = held.get(name)
    if (!count) {
      count = { key_id: keyId, day, class: limitClass, requests: 0, units: 0, limited: 0, refused: 0, failed: 0 }
      held.set(name, count)
    }
    return count
  }
  return {
    count(keyId, limitClass, units, status) {
      const count = at(keyId, utcDay(now()), limitClass)
      count.requests += 1
      if (status === 429) count.limited += 1
      else if (status >= 500) count.failed += 1
      else if (status >= 400) count.refused += 1
      if (status < 400) count.units += units
    },
    take() {
      const taken = [...held.values()]
      held = new Map()
      return taken
    },
    putBack(counts) {
      for (const { key_id, day, class: limitClass, ...more } of counts) {
        const count = at(key_id, day, limitClass)
        for (const name of ['requests', 'units', 'limited', 'refused', 'failed'] as const) count[name] += more[name]
      }
    },
  }
}

/** Adds counts to the stored ones, in one transaction. Counts of a key that was deleted meanwhile are left out. */
export async function addUsage(db: Db, counts: readonly UsageCount[]): Promise<void> {
  if (counts.length === 0) return
  // In one order, so that two processes that write the same rows do not wait for each other.
  const rows = [...counts].sort((a, b) => (`${a.key_id} ${a.day} ${a.class}` < `${b.key_id} ${b.day} ${b.class}` ? -1 : 1))
  await sql`
    insert into key_usage as u (key_id, owner, day, class, requests, units, limited, refused, failed)
    select k.key_id, k.owner, c.day, c.class, c.requests, c.units, c.limited, c.refused, c.failed
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as c(key_id text, day date, class text, requests bigint, units bigint, limited bigint, refused bigint, failed bigint)
    join api_key k using (key_id)
    order by k.key_id, c.day, c.class
    on conflict (key_id, day, class) do update set
      requests = u.requests + excluded.requests, units = u.units + excluded.units, limited = u.limited + excluded.limited,
      refused = u.refused + excluded.refused, failed = u.failed + excluded.failed`.execute(db)
}

const usageDays = 30
/** Use of the user's keys over the last 30 UTC days, today included; revoked and expired keys too, if they were used in it. */
export async function listOwnUsage(trx: Trx, userId: string, now: Date): Promise<KeyUsage> {
  const to = utcDay(now)
  const from = addDays(to, 1 - usageDays)
  const rows = await trx
    .selectFrom('key_usage as u')
    .innerJoin('api_key as k', 'k.key_id', 'u.key_id')
    .where('u.owner', '=', userId)
    .where('u.day', '>=', from)
    .where('u.day', '<=', to)
    .select(['u.key_id', 'k.name', 'k.last4', 'u.class', 'u.requests', 'u.units', 'u.limited', 'u.refused', 'u.failed'])
    .select(sql<string>`u.day::text`.as('day'))
    .orderBy('k.created_at', 'desc')
    .orderBy('u.key_id')
    .execute()
  const days = daysFrom(from, to)
  const lists = new Map<string, KeyUsage['usage'][number]>()
  for (const row of rows) {
    const name = `${row.key_id} ${row.class}`
    let list = lists.get(name)
    if (!list) {
      const days_ = days.map(day => ({ day, requests: 0, units: 0, limited: 0, refused: 0, failed: 0 }))
      list = { key_id: row.key_id, name: row.name, last4: row.last4, class: row.class, ...zero(), days: days_ }
      lists.set(name, list)
    }
    const onDay = list.days.find(({ day }) => day === row.day)
    for (const part of parts) {
      list[part] += Number(row[part])
      if (onDay) onDay[part] = Number(row[part])
    }
  }
  const usage = [...lists.values()]
  const order = LimitClass.options
  const keys = [...new Set(usage.map(({ key_id }) => key_id))]
  usage.sort((a, b) => keys.indexOf(a.key_id) - keys.indexOf(b.key_id) || order.indexOf(a.class) - order.indexOf(b.class))
  return { from, to, count: usage.length, usage }
}
const parts = ['requests', 'units', 'limited', 'refused', 'failed'] as const
const zero = () => ({ requests: 0, units: 0, limited: 0, refused: 0, failed: 0 })

/** Days after which counts are deleted; the policy states them. */
const keptDays = 90
/** Deletes counts that are older than the policy states; returns how many. */
export async function sweepUsage(db: Db, now: Date): Promise<number> {
  const done = await db
    .deleteFrom('key_usage')
    .where('day', '<', utcDay(daysBefore(now, keptDays)))
    .executeTakeFirst()
  return Number(done.numDeletedRows)
}
