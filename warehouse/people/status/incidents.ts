// Incidents that the operator publishes: open, update, resolve.
import { sql } from 'kysely'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import type { IncidentImpact, IncidentOut } from '#schemas/status.ts'
import type { Db } from '../../store/postgres.ts'
import { newIncidentId } from './checks.ts'

export type NewIncident = {
  readonly title: string
  readonly impact: IncidentImpact
  readonly body: string | null
  readonly component: string | null
  readonly started_at: string
}

const out = ({ incident_id, title, impact, body, started_at, resolved_at }: IncidentOut & { incident_id: string }): IncidentOut => ({
  id: incident_id,
  title,
  impact,
  body,
  started_at,
  resolved_at,
})

/** Opens an incident, or a draft that only administrators see; only the operator resolves it. Throws `BadRequest` for a component that is not checked. */
export async function openIncident(db: Db, given: NewIncident, as: 'published' | 'draft' = 'published'): Promise<IncidentOut> {
  if (given.component !== null) {
    const known = (await db.selectFrom('component_check').select('component').orderBy('component').execute()).map(row => row.component)
    if (!known.includes(given.component)) {
      throw new BadRequest(`no component is called "${given.component.slice(0, 60)}"`, {
        hint: known.length > 0 ? `components: ${known.join(', ')}` : 'nothing was checked yet: start a worker, or name no component',
      })
    }
  }
  if (given.title.trim() === '' || given.title.length > 200) throw new BadRequest('a title has 1 to 200 characters')
  const row = await db
    .insertInto('incident')
    .values({ ...given, incident_id: newIncidentId(), opened_by: 'operator', resolved_at: null, draft: as === 'draft' })
    .returningAll()
    .executeTakeFirstOrThrow()
  return out(row as never)
}

/** Updates an incident; `resolved_at` ends it, `published` makes a draft public. Throws `NotFound`; `BadRequest` if it would end before it began. */
export async function changeIncident(
  db: Db,
  id: string,
  change: { readonly note?: string | null; readonly impact?: IncidentImpact; readonly resolved_at?: string; readonly published?: true },
): Promise<IncidentOut> {
  const held = await db.selectFrom('incident').selectAll().where('incident_id', '=', id).executeTakeFirst()
  if (!held) throw new NotFound(`no incident ${id.slice(0, 40)}`, { hint: 'crossfile incidents lists them' })
  if (change.resolved_at !== undefined && Date.parse(change.resolved_at) < Date.parse(held.started_at))
    throw new BadRequest(`incident ${id} began at ${held.started_at}: it cannot have ended before`)
  const note = change.note ?? null
  if (note === null && change.impact === undefined && change.resolved_at === undefined && change.published === undefined) return out(held as never)
  const row = await db
    .updateTable('incident')
    .set({
      ...(note === null ? {} : { body: sql<string>`coalesce(body || ${'\n'}, '') || ${note}` }),
      ...(change.impact === undefined ? {} : { impact: change.impact }),
      ...(change.published === undefined ? {} : { draft: false }),
      ...(change.resolved_at === undefined ? {} : { resolved_at: held.resolved_at ?? change.resolved_at }),
    })
    .where('incident_id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return out((row ?? held) as never)
}
