// Status, its history and incidents, read from the rows that the worker writes.
import { createHash } from 'node:crypto'
import { dayMs } from '#schemas/days.ts'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import { printable } from '#schemas/operations/parameters.ts'
import type { ComponentStatus } from '#schemas/status.ts'
import { bucketAway, checkStorage, shown, withinMs, withoutDatabase } from '#warehouse/people/status/live.ts'
import { findReproduction } from '#warehouse/people/status/reproductions.ts'
import { findComponents, findDays, findHistory, findIncidents, overallOf } from '#warehouse/people/status/status.ts'
import type { Answered, Handler } from '../handler.ts'
import { nearest } from '../plugins/nearest.ts'
import type { Serving } from '../serving.ts'

/** A database that takes longer counts as not responding. */
const databaseMs = 2_000

export function statusHandlers(serving: Serving) {
  const answer = (members: object, asOf: string): Answered => {
    const { release } = serving.head()
    const body = Buffer.from(JSON.stringify({ ...members, as_of: asOf, release, sources: [] }))
    const etag = createHash('sha256').update(body).digest('base64url').slice(0, 27)
    return { kind: 'bytes', body, etag, release, last_modified: asOf, receipt_id: null, immutable: false }
  }

  /** The components of the newest answer, used while the database is unavailable. */
  let known: readonly ComponentStatus[] = []
  /** The newest checks, with those that this process replaces by its own: the disk, and whether database and bucket respond. */
  const componentsNow = async (at: Date): Promise<readonly ComponentStatus[]> => {
    const storage = await checkStorage(serving.data)
    const bucket = serving.remote === null || serving.remote.availability.fault() === null ? [] : [bucketAway]
    try {
      const found = await withinMs(databaseMs, findComponents(serving.db, at))
      known = found
      return found.map(each => {
        if (each.name === 'storage' && (storage.status !== 'operational' || each.status !== 'operational')) return shown(storage, at)
        return each.name === 'bucket' && bucket[0] !== undefined ? shown(bucket[0], at) : each
      })
    } catch {
      // The error is the finding.
      const api = { component: 'api', status: 'operational', latency_ms: null, detail: null } as const
      return withoutDatabase(known, [storage, api, ...bucket], at)
    }
  }

  const status: Handler<'get_status'> = async (_question, { now }) => {
    const damage = serving.damage()
    const components = (await componentsNow(now())).map(each => {
      const detail = damage.get(each.name)
      return detail === undefined ? each : { ...each, status: 'degraded' as const, detail }
    })
    const newest = components.map(each => each.checked_at).reduce((a, b) => (a > b ? a : b), '')
    // While the database is unavailable, its components are known from before, and this is not.
    const reproduction = await withinMs(databaseMs, findReproduction(serving.db)).catch(() => null)
    return answer(
      { status: overallOf(components, serving.head().release > 0), count: components.length, components, reproduction },
      newest || now().toISOString(),
    )
  }

  const refuseUnknown = async (component: string, at: Date): Promise<void> => {
    const names = (await findComponents(serving.db, at)).map(({ name }) => name)
    if (names.includes(component)) return
    const near = nearest(component, names)
    throw new NotFound(`there is no component ${printable(component)}`, {
      hint: `${near === null ? '' : `did you mean ${near}? `}The components are ${names.join(', ') || 'known from the first check of a worker on'}`,
    })
  }

  const history: Handler<'list_status_history'> = async (question, { now }) => {
    const to = question.to ?? now().toISOString()
    const from = question.from ?? `${new Date(Date.parse(to) - dayMs).toISOString().slice(0, 13)}:00:00Z`
    if (Date.parse(from) > Date.parse(to)) throw new BadRequest(`from ${from} is after to ${to}`, { hint: 'give a from that is before to' })
    const find = question.by === 'day' ? findDays : findHistory
    const found = await find(serving.db, { component: question.component ?? null, from, to, limit: question.limit }, now())
    // A component that is no longer checked still has a history.
    if (found.length === 0 && question.component !== undefined) await refuseUnknown(question.component, now())
    return answer({ from, to, count: found.length, history: found }, now().toISOString())
  }

  const incidents: Handler<'list_incidents'> = async ({ state, limit }, { now }) => {
    const found = await findIncidents(serving.db, { state, limit })
    return answer({ count: found.length, incidents: found }, now().toISOString())
  }
  return { get_status: status, list_status_history: history, list_incidents: incidents }
}
