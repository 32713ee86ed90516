// `crossfile incidents`: incidents and planned work on the status page, including those that a rule opened.
import { BadRequest } from '#schemas/errors.ts'
import { IncidentImpact, type IncidentOut } from '#schemas/status.ts'
import { Instant } from '#schemas/values.ts'
import { changeIncident, openIncident } from '#warehouse/people/status/incidents.ts'
import { findIncidents } from '#warehouse/people/status/status.ts'
import { oneOf, readArguments, wholeNumber } from './arguments.ts'
import { commands } from './commands.ts'
import { withDatabase } from './database.ts'
import type { Io } from './io.ts'
import { columnsOf, moment, printJson, printTable } from './output.ts'

const states = ['open', 'resolved', 'all', 'draft'] as const

export async function incidents(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('incidents', commands.incidents.options, argv)
  const state = values.state === undefined ? 'all' : oneOf('--state', values.state, states)
  const limit = wholeNumber('--limit', values.limit, { from: 1, to: 10_000, otherwise: 50 })
  const found = await withDatabase(io, { write: false }, ({ db }) => findIncidents(db, { state, limit }))
  if (values.json) printJson(io, { incidents: found })
  else if (found.length === 0) io.out(state === 'open' ? 'no incident is open' : 'no incidents')
  else {
    const columns = columnsOf('id', 'impact', 'began', 'resolved', '*title')
    const rows = found.map(each => [
      each.id,
      each.impact,
      moment(each.started_at),
      each.resolved_at === null ? 'ongoing' : moment(each.resolved_at),
      each.title,
    ])
    printTable(io, columns, rows)
  }
  return 0
}

function printIncident(io: Io, incident: IncidentOut, json: boolean | undefined): number {
  if (json) printJson(io, incident)
  else
    io.out(
      `${incident.id}: ${incident.title} (${incident.impact}), ${incident.resolved_at === null ? 'ongoing' : `resolved ${moment(incident.resolved_at)}`}`,
    )
  return 0
}

export async function incidentsOpen(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readArguments('incidents open', commands['incidents open'].options, argv)
  const title = values.title
  if (title === undefined) throw new BadRequest('incidents open: --title is missing', { hint: 'one line, such as --title "Quotes are late"' })
  const since = values.since ?? io.now().toISOString()
  if (!Instant.safeParse(since).success) throw new BadRequest(`--since ${since}: expected an instant such as 2026-11-21T14:00:00Z`)
  const impact = values.impact === undefined ? ('minor' as const) : oneOf('--impact', values.impact, IncidentImpact.options)
  const given = { title, impact, body: values.note ?? null, component: values.component ?? null, started_at: since }
  return printIncident(io, await withDatabase(io, { write: true }, ({ db }) => openIncident(db, given)), values.json)
}

export async function incidentsUpdate(argv: readonly string[], io: Io): Promise<number> {
  const about = { least: 1, most: 1, what: 'the id of the incident' }
  const { values, rest } = readArguments('incidents update', commands['incidents update'].options, argv, about)
  const impact = values.impact === undefined ? {} : { impact: oneOf('--impact', values.impact, IncidentImpact.options) }
  const change = {
    note: values.note ?? null,
    ...impact,
    ...(values.resolve ? { resolved_at: io.now().toISOString() } : {}),
    ...(values.publish ? { published: true as const } : {}),
  }
  if (change.note === null && values.impact === undefined && !values.resolve && !values.publish)
    throw new BadRequest('incidents update: nothing to change', { hint: 'give --note, --impact, --publish or --resolve' })
  return printIncident(io, await withDatabase(io, { write: true }, ({ db }) => changeIncident(db, rest[0] ?? '', change)), values.json)
}
