// Reads the service's state, for the API and the command line.
import { sql } from 'kysely'
import type { ComponentState, ComponentStatus, HistoryPoint, IncidentOut } from '#schemas/status.ts'
import { type StatusRules, statusRules } from '../../rulesets/status/rules.ts'
import type { Db } from '../../store/postgres.ts'
import { findInstalledAt } from './installed-at.ts'

const hourMs = 3_600_000

/** The newest check of each component. An old check is ignored: the worker, which makes the checks, then counts as down. */
export async function findComponents(db: Db, now: Date, rules: StatusRules = statusRules): Promise<ComponentStatus[]> {
  const rows = await db
    .selectFrom('component_check')
    .select(['component', 'status', 'latency_ms', 'detail', 'checked_at'])
    .orderBy('component')
    .execute()
  return rows.map(({ component: name, status, latency_ms, detail, checked_at }) => {
    const seconds = Math.round((now.getTime() - Date.parse(checked_at)) / 1000)
    if (seconds <= rules.unknown_after_seconds) return { name, status, latency_ms, detail, checked_at }
    const message = `not checked for ${seconds} seconds`
    return name === 'worker'
      ? { name, status: 'down', latency_ms: null, detail: `no worker has checked anything for ${seconds} seconds`, checked_at }
      : { name, status: 'unknown', latency_ms: null, detail: message, checked_at }
  })
}

/** The newest check of one component; undefined if it was never checked. */
export async function findComponent(db: Db, name: string, now: Date): Promise<ComponentStatus | undefined> {
  return (await findComponents(db, now)).find(each => each.name === name)
}

export type HistoryQuestion = { readonly component: string | null; readonly from: string; readonly to: string; readonly limit: number }
/** Hours, newest first. The worker makes the checks, so minutes without a check since the installation count as minutes without a worker. */
export async function findHistory(db: Db, question: HistoryQuestion, now: Date, rules: StatusRules = statusRules): Promise<HistoryPoint[]> {
  const rows = await db
    .selectFrom('component_hour')
    .selectAll()
    .where('hour', '>=', question.from)
    .where('hour', '<=', question.to)
    .$if(question.component !== null, query => query.where('component', '=', question.component ?? ''))
    .orderBy('hour', 'desc')
    .orderBy('component')
    .limit(question.limit)
    .execute()
  const installed = Date.parse((await findInstalledAt(db)) ?? '')
  return rows.map(({ component, hour, checks, good, worst }) => {
    const begun = Date.parse(hour)
    const ended = Math.min(begun + hourMs, now.getTime())
    // No check was due in the part of an hour before the installation.
    const passed = (ended - (installed > begun && installed < ended ? installed : begun)) / 1000
    const due = component === 'worker' ? Math.max(checks, Math.floor(passed / rules.check_seconds)) : checks
    return { component, hour, status: worst, uptime_pct: Math.round((good / due) * 10_000) / 100 }
  })
}

/** Days in UTC, newest first, summed over the hours that `findHistory` returns. */
export async function findDays(
  db: Db,
  { component, from, to, limit }: HistoryQuestion,
  now: Date,
  rules: StatusRules = statusRules,
): Promise<HistoryPoint[]> {
  const installed = await findInstalledAt(db)
  const gravity = sql`array['operational', 'unscheduled', 'loading', 'degraded', 'down']`
  const { rows } = await sql<{ component: string; day: string; worst: ComponentState; good: number; due: number }>`
    with hours as (
      select component, date_trunc('day', hour, 'UTC') as day, good, array_position(${gravity}, worst) as severity,
        case when component = 'worker'
          then greatest(checks, floor(extract(epoch from ended - case when installed > hour and installed < ended then installed else hour end) / ${rules.check_seconds}::int)) else checks end as due
      from component_hour,
        lateral (select least(hour + interval '1 hour', ${now.toISOString()}::timestamptz) as ended, ${installed}::timestamptz as installed) as limits
      where hour >= date_trunc('day', ${from}::timestamptz, 'UTC') and hour <= ${to}::timestamptz and (${component}::text is null or component = ${component})
    )
    select component, day, (${gravity})[max(severity)] as worst, sum(good)::float8 as good, sum(due)::float8 as due
    from hours group by component, day order by day desc, component limit ${limit}`.execute(db)
  return rows.map(row => ({
    component: row.component,
    hour: row.day,
    status: row.worst,
    uptime_pct: Math.min(100, Math.round((row.good / row.due) * 10_000) / 100),
  }))
}

export type IncidentFilter = { readonly state: 'open' | 'resolved' | 'all' | 'draft'; readonly limit: number }
/** Incidents, newest first. */
export async function findIncidents(db: Db, { state, limit }: IncidentFilter): Promise<IncidentOut[]> {
  const rows = await db
    .selectFrom('incident')
    .select(['incident_id', 'title', 'impact', 'body', 'started_at', 'resolved_at'])
    .where('draft', '=', state === 'draft')
    .$if(state === 'open', query => query.where('resolved_at', 'is', null))
    .$if(state === 'resolved', query => query.where('resolved_at', 'is not', null))
    .orderBy('started_at', 'desc')
    .orderBy('incident_id')
    .limit(limit)
    .execute()
  return rows.map(({ incident_id, ...rest }) => ({ id: incident_id, ...rest }))
}

/**
 * `down` if a component is, `degraded` if one is or is unknown, else `operational`. Before the first release (`released` false) sources
 * and datasets cannot be late yet: the status is `loading` unless a part of the service itself is down.
 */
export function overallOf(components: readonly ComponentStatus[], released = true): 'operational' | 'degraded' | 'down' | 'loading' {
  const outside = (name: string): boolean => name.startsWith('source:') || name.startsWith('dataset:')
  if (components.some(each => each.status === 'down' && (released || !outside(each.name)))) return 'down'
  if (!released) return 'loading'
  return components.some(each => each.status === 'degraded' || each.status === 'unknown') ? 'degraded' : 'operational'
}
