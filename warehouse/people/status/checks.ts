// The round of checks that one worker makes every minute: each result is stored as the newest check and added to its hour, and the rule
// opens and resolves incidents.

import { randomBytes } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import { daysBefore } from '#schemas/days.ts'
import type { ComponentState } from '#schemas/status.ts'
import { checkIncident, impactOf, type StatusRules, statusRules } from '../../rulesets/status/rules.ts'
import { checkChannel } from '../../store/notifications.ts'
import type { Database, Db } from '../../store/postgres.ts'

export type Check = {
  readonly component: string
  readonly status: ComponentState
  readonly latency_ms: number | null
  readonly detail: string | null
}

/**
 * A round may begin so much earlier than a minute after the one before. Workers look for it at moments half a minute apart: without this, a round that
 * began late in a busy process would make the next one half a minute late, which the history of the status counts as a time without a worker.
 */
const earlyMs = 5_000

/** True for the one caller, among all processes, that makes the round that is due at `now`. */
export async function takeRound(db: Db, now: Date, rules: StatusRules = statusRules): Promise<boolean> {
  const due = new Date(now.getTime() - rules.check_seconds * 1000 + earlyMs).toISOString()
  const taken = await db
    .updateTable('check_round')
    .set({ started_at: now.toISOString() })
    .where('started_at', '<=', due)
    .returning('started_at')
    .executeTakeFirst()
  return taken !== undefined
}

/** Makes the next round due now, because the result of a check has just changed, and wakes the workers for it. */
export async function requestRound(db: Db): Promise<void> {
  await sql`with due as (update check_round set started_at = '-infinity' returning 1) select pg_notify(${checkChannel}, '') from due`.execute(db)
}

const isGood = (status: ComponentState): boolean => status === 'operational'
const gravity: readonly ComponentState[] = ['unscheduled', 'loading', 'operational', 'degraded', 'down']
const worse = (a: ComponentState, b: ComponentState): ComponentState => (gravity.indexOf(a) >= gravity.indexOf(b) ? a : b)

/** Stores a whole round or nothing, in a few statements for all components. Components that are no longer checked are deleted; their hours stay. */
export async function recordChecks(db: Db, checks: readonly Check[], now: Date, rules: StatusRules = statusRules): Promise<void> {
  const at = now.toISOString()
  await db.transaction().execute(async trx => {
    const before = new Map((await trx.selectFrom('component_check').selectAll().execute()).map(row => [row.component, row]))
    const rows = checks.map(check => {
      const last = before.get(check.component)
      const failing = !isCounted(check) || isGood(check.status) ? 0 : (last?.failing ?? 0) + 1
      const passing = isCounted(check) && isGood(check.status) ? (last?.passing ?? 0) + 1 : 0
      return { ...check, checked_at: at, since: last?.status === check.status ? last.since : at, failing, passing }
    })
    if (rows.length > 0)
      await trx
        .insertInto('component_check')
        .values(rows)
        .onConflict(conflict =>
          conflict.column('component').doUpdateSet(({ ref }) => ({
            status: ref('excluded.status'),
            latency_ms: ref('excluded.latency_ms'),
            detail: ref('excluded.detail'),
            checked_at: ref('excluded.checked_at'),
            since: ref('excluded.since'),
            failing: ref('excluded.failing'),
            passing: ref('excluded.passing'),
          })),
        )
        .execute()
    await countHour(trx, checks.filter(isCounted), `${at.slice(0, 13)}:00:00Z`)
    await followRules(trx, rows, at, rules)
    const gone = [...before.keys()].filter(component => !checks.some(check => check.component === component))
    if (gone.length > 0) {
      await trx.deleteFrom('component_check').where('component', 'in', gone).execute()
      await resolveIncidents(trx, gone, at, 'this component is no longer part of the installation')
    }
    const oldest = daysBefore(now, rules.keep_hours_days).toISOString()
    await trx.deleteFrom('component_hour').where('hour', '<', oldest).execute()
  })
}

const isCounted = ({ status }: Check): boolean => status !== 'unscheduled' && status !== 'loading'

async function countHour(trx: Transaction<Database>, checks: readonly Check[], hour: string): Promise<void> {
  if (checks.length === 0) return
  const held = await trx.selectFrom('component_hour').select(['component', 'worst']).where('hour', '=', hour).execute()
  const worst = new Map(held.map(row => [row.component, row.worst]))
  await trx
    .insertInto('component_hour')
    .values(
      checks.map(({ component, status }) => ({
        component,
        hour,
        checks: 1,
        good: isGood(status) ? 1 : 0,
        worst: worse(worst.get(component) ?? status, status),
      })),
    )
    .onConflict(conflict =>
      conflict.columns(['component', 'hour']).doUpdateSet({
        checks: sql`component_hour.checks + excluded.checks`,
        good: sql`component_hour.good + excluded.good`,
        worst: sql`excluded.worst`,
      }),
    )
    .execute()
}

type Recorded = Check & { readonly failing: number; readonly passing: number }

async function followRules(trx: Transaction<Database>, checks: readonly Recorded[], at: string, rules: StatusRules): Promise<void> {
  const incidents = await trx.selectFrom('incident').select('component').where('opened_by', '=', 'rule').where('resolved_at', 'is', null).execute()
  const open = new Set(incidents.map(row => row.component))
  for (const check of checks) {
    const verdict = checkIncident(check, open.has(check.component), rules)
    if (verdict === 'resolve') await resolveIncidents(trx, [check.component], at, null)
    if (verdict === 'open' && (check.status === 'down' || check.status === 'degraded')) await openIncident(trx, check, check.status, at, rules)
  }
}

async function openIncident(
  trx: Transaction<Database>,
  { component, detail, failing }: Recorded,
  status: 'down' | 'degraded',
  at: string,
  rules: StatusRules,
): Promise<void> {
  const minutes = Math.round(((failing - 1) * rules.check_seconds) / 60)
  await trx
    .insertInto('incident')
    .values({
      incident_id: newIncidentId(),
      component,
      title: `${component} is ${status}`,
      impact: impactOf(component, status, rules),
      body: detail,
      opened_by: 'rule',
      // It began with the first of the consecutive checks.
      started_at: new Date(Date.parse(at) - minutes * 60_000).toISOString(),
      resolved_at: null,
    })
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

async function resolveIncidents(trx: Transaction<Database>, components: readonly string[], at: string, note: string | null): Promise<void> {
  await trx
    .updateTable('incident')
    .set({ resolved_at: at, ...(note === null ? {} : { body: sql<string>`coalesce(body || ${'\n'}, '') || ${note}` }) })
    .where('component', 'in', components)
    .where('opened_by', '=', 'rule')
    .where('resolved_at', 'is', null)
    .execute()
}

export const newIncidentId = (): string => `inc_${randomBytes(8).toString('hex')}`
