// `status.html` and `status.atom` in the data folder: the state of the service as a page, and its incidents as a feed (RFC 4287),
// for any web server to show while the API is down.
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ComponentStatus, IncidentOut } from '#schemas/status.ts'
import { findComponents, findIncidents, overallOf } from '#warehouse/people/status/status.ts'
import { type DataClock, describeDataClock, findDataClock } from '#warehouse/store/data-clock.ts'
import type { Db } from '#warehouse/store/postgres.ts'

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
const sentences = {
  operational: 'Everything that is checked works',
  degraded: 'Parts are late or slow',
  down: 'Something does not work',
  loading: 'Nothing was released yet: the first data are being loaded',
} as const

const gravity: readonly ComponentStatus['status'][] = ['down', 'unknown', 'degraded', 'loading', 'operational', 'unscheduled']

/** The page at one instant: no script, no external resources. `incidents`: null while they cannot be read. */
export function renderStatusPage(
  components: readonly ComponentStatus[],
  incidents: readonly IncidentOut[] | null,
  now: Date,
  { clock = { frozen_at: null }, released = true }: { readonly clock?: DataClock; readonly released?: boolean } = {},
): string {
  const at = now.toISOString().slice(0, 19).replace('T', ' ')
  const overall = overallOf(components, released)
  const notice = describeDataClock(clock)
  // Failing components come first.
  const sorted = [...components].sort((a, b) => gravity.indexOf(a.status) - gravity.indexOf(b.status))
  const rows = sorted.map(
    ({ name, status, latency_ms, detail }) =>
      `<tr class="${status}"><th scope="row">${escaped(name)}</th><td>${status}</td><td>${latency_ms === null ? '' : `${latency_ms} ms`}</td><td>${escaped(detail ?? '')}</td></tr>`,
  )
  const items = incidents?.map(
    ({ title, impact, body, started_at, resolved_at }) =>
      `<li><b>${escaped(title)}</b> (${impact}) since ${started_at.slice(0, 16).replace('T', ' ')}${resolved_at === null ? '' : `, resolved ${resolved_at.slice(0, 16).replace('T', ' ')}`}${body === null ? '' : `<br>${escaped(body).replaceAll('\n', '<br>')}`}</li>`,
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Crossfile: ${overall}</title>
<style>
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #ddd;vertical-align:top}
.operational td:nth-child(2){color:#0a6b2d}.degraded td:nth-child(2){color:#8a5a00}.down td:nth-child(2),.unknown td:nth-child(2){color:#a11}
</style></head><body>
<h1>${sentences[overall]}</h1>
${notice === null ? '' : `<p>${escaped(notice)}</p>\n`}<p>Checked ${at} UTC. This page is written every minute; an older time means that no worker runs.</p>
<table><thead><tr><th scope="col">component</th><th scope="col">state</th><th scope="col">latency</th><th scope="col">detail</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table>
<h2>Incidents</h2>
${items === undefined ? '<p>They cannot be read while the database is down.</p>' : items.length === 0 ? '<p>None in the record.</p>' : `<ul>${items.join('\n')}</ul>`}
</body></html>
`
}

/** The incidents as an Atom feed; an entry is updated when its incident is resolved. */
export function renderIncidentFeed(incidents: readonly IncidentOut[], now: Date): string {
  const changedAt = (each: IncidentOut): string => each.resolved_at ?? each.started_at
  const updated = incidents.map(changedAt).reduce((a, b) => (a > b ? a : b), '') || now.toISOString()
  const entries = incidents.map(
    each => `  <entry>
    <id>urn:crossfile:incident:${each.id}</id>
    <title>${escaped(`${each.resolved_at === null ? '' : 'Resolved: '}${each.title}`)}</title>
    <published>${each.started_at}</published>
    <updated>${changedAt(each)}</updated>
    <category term="${each.impact}"/>
    <content type="text">${escaped(each.body ?? each.title)}</content>
  </entry>`,
  )
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>urn:crossfile:incidents</id>
  <title>Crossfile: incidents</title>
  <author><name>Crossfile</name></author>
  <updated>${updated}</updated>
${entries.join('\n')}
</feed>
`
}

export async function writeStatusPage(dataFolder: string, db: Db, now: Date): Promise<void> {
  const incidents = await findIncidents(db, { state: 'all', limit: 20 })
  const { release } = await db.selectFrom('head').select('release').executeTakeFirstOrThrow()
  const page = renderStatusPage(await findComponents(db, now), incidents, now, { clock: await findDataClock(db), released: release > 0 })
  await replace(dataFolder, 'status.html', page)
  await replace(dataFolder, 'status.atom', renderIncidentFeed(incidents, now))
}

/** The page while the database is down: incidents are stored there, so it shows none. */
export async function writeComponentsPage(dataFolder: string, components: readonly ComponentStatus[], now: Date): Promise<void> {
  await replace(dataFolder, 'status.html', renderStatusPage(components, null, now))
}

/** Space that is released when the disk is full, so that the page can still be replaced. */
const reserveBytes = 256 * 1024

/** A reader gets the old file or the new one, never a partial one, even on a full disk. */
async function replace(folder: string, name: string, text: string): Promise<void> {
  const path = join(folder, name)
  const reserve = join(folder, '.status-reserve')
  const write = async (): Promise<void> => {
    await writeFile(`${path}.new`, text)
    await rename(`${path}.new`, path)
  }
  try {
    await write()
    if (!existsSync(reserve)) await writeFile(reserve, randomBytes(reserveBytes))
  } catch (error) {
    if (!['ENOSPC', 'EDQUOT'].includes(String((error as NodeJS.ErrnoException).code)) || !existsSync(reserve)) throw error
    await rm(reserve)
    await write()
  }
}
