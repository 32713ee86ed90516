// `status.html` and `status.atom` in the data folder: the state of the service as a page with the look of its other pages, and its
// incidents as a feed, for any web server to show while the API is down.
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { daysBefore } from '#schemas/days.ts'
import type { ComponentStatus, HistoryPoint, IncidentOut } from '#schemas/status.ts'
import { renderIncidentFeed } from '#warehouse/people/status/feed.ts'
import {
  type DaysOf,
  groupComponents,
  overallSentences,
  shownDays,
  shownName,
  stateWords,
  toneOf,
  uptimeBars,
  uptimeDays,
  uptimeOf,
  uptimeWords,
} from '#warehouse/people/status/overview.ts'
import { findComponents, findDays, findIncidents, overallOf } from '#warehouse/people/status/status.ts'
import { type DataClock, describeDataClock, findDataClock } from '#warehouse/store/data-clock.ts'
import type { Db } from '#warehouse/store/postgres.ts'

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** The colours and sizes of the service's pages (api/pages/styles), in the file itself: it is shown when nothing else can be loaded. */
const style = `:root{color-scheme:light dark;--paper:light-dark(#f6f8fa,#0d1117);--card:light-dark(#fff,#151b23);--line:light-dark(#dde3ea,#2a3441);--ink:light-dark(#16202b,#e4eaf1);--soft:light-dark(#526070,#9aa8b8);--good:light-dark(#0c6b41,#6fd6a4);--warn:light-dark(#7a4b00,#f0c06a);--bad:light-dark(#a8231c,#ff9a92);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
*{box-sizing:border-box}body{margin:0 auto;max-width:62rem;padding:clamp(1rem,4vw,2.25rem);background:var(--paper);color:var(--ink);overflow-wrap:break-word}
h1{margin:0;font-size:clamp(1.5rem,1.2rem + 1.2vw,2.1rem);line-height:1.2;letter-spacing:-.018em}h2{margin:0 0 .5rem;font-size:1.15rem}h3{margin:0;font-size:1rem;font-weight:620}p{margin:.3rem 0 1rem}
.lead,.soft{color:var(--soft)}section{margin:0 0 1.25rem;padding:1.1rem 1.25rem;background:var(--card);border:1px solid var(--line);border-radius:10px}
ul{list-style:none;margin:0;padding:0}li{padding:.6rem 0;border-top:1px solid var(--line)}li:first-child{border-top:0}ul.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(22rem,100%),1fr));gap:1.1rem 2rem;align-items:start}.grid li{padding:0;border:0;min-width:0}.row{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.1rem 1rem}
.badge{padding:.04rem .5rem;border:1px solid currentColor;border-radius:99px;font-size:.78rem;font-weight:600;white-space:nowrap}.badge.good{color:var(--good)}.badge.warn{color:var(--warn)}.badge.bad{color:var(--bad)}.badge.plain{color:var(--soft)}
.uptime{display:block;width:100%;height:1.5rem;margin:.3rem 0}.uptime .good{fill:var(--good)}.uptime .warn{fill:var(--warn)}.uptime .bad{fill:var(--bad)}.uptime .none{fill:var(--line)}small{color:var(--soft)}`

type Further = {
  readonly clock?: DataClock
  readonly released?: boolean
  /** Days of the components; null while they cannot be read. */
  readonly history?: readonly HistoryPoint[] | null
}

/** The page at one instant: no script, no external resources. `incidents`: null while they cannot be read. */
export function renderStatusPage(
  components: readonly ComponentStatus[],
  incidents: readonly IncidentOut[] | null,
  now: Date,
  { clock = { frozen_at: null }, released = true, history = null }: Further = {},
): string {
  const overall = overallOf(components, released)
  const notice = describeDataClock(clock)
  const daysOf = history === null ? null : uptimeDays(history, now)
  const groups = groupComponents(components).map(
    ({ id, title, components: of }) => `<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2><ul class="grid">
${of.map(each => componentItem(each, daysOf)).join('\n')}
</ul></section>`,
  )
  const items = incidents?.map(
    ({ title, impact, body, started_at, resolved_at }) =>
      `<li><div class="row"><h3>${escaped(title)}</h3><b class="badge ${resolved_at === null ? 'bad' : 'plain'}">${resolved_at === null ? 'ongoing' : 'resolved'}</b></div><small>${impact}, since ${minute(started_at)}${resolved_at === null ? '' : `, resolved ${minute(resolved_at)}`}</small>${body === null ? '' : `<br>${escaped(body).replaceAll('\n', '<br>')}`}</li>`,
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>Status: ${overallSentences[overall]} · Crossfile</title>
<link rel="alternate" type="application/atom+xml" title="Incidents" href="status.atom">
<style>
${style}
</style></head><body><main>
<h1>${overallSentences[overall]}</h1>
${notice === null ? '' : `<p>${escaped(notice)}</p>\n`}<p class="lead">Checked ${minute(now.toISOString())}. A worker writes this copy every minute, also while the API is down; an older time means that no worker runs. Incidents as a feed: <a href="status.atom">status.atom</a></p>
<section aria-labelledby="incidents"><h2 id="incidents">Incidents</h2>
${items === undefined ? '<p>They cannot be read while the database is down.</p>' : items.length === 0 ? '<p>None in the record.</p>' : `<ul>${items.join('\n')}</ul>`}
</section>
${groups.join('\n')}
</main></body></html>
`
}

const minute = (at: string): string => `${at.slice(0, 16).replace('T', ' ')} UTC`

function componentItem({ name, status, latency_ms, detail }: ComponentStatus, daysOf: DaysOf | null): string {
  const facts = [...(latency_ms === null ? [] : [`${latency_ms} ms`]), ...(detail === null ? [] : [escaped(detail)])]
  const head = `<div class="row"><h3>${escaped(shownName(name))}</h3><b class="badge ${toneOf(status)}">${stateWords[status]}</b></div>`
  const days = daysOf?.(name) ?? null
  const bars = days === null || uptimeOf(days) === null ? '' : `${uptimeBars(days)}<small>${uptimeWords(days)}</small>`
  return `<li>${head}${facts.length === 0 ? '' : `<small>${facts.join(': ')}</small>`}${bars}</li>`
}

/** Entries that 90 days of the components of one installation have at most. */
const mostDays = 20_000

export async function writeStatusPage(dataFolder: string, db: Db, now: Date): Promise<void> {
  const incidents = await findIncidents(db, { state: 'all', limit: 20 })
  const { release } = await db.selectFrom('head').select('release').executeTakeFirstOrThrow()
  const from = daysBefore(now, shownDays - 1).toISOString()
  const history = await findDays(db, { component: null, from, to: now.toISOString(), limit: mostDays }, now)
  const page = renderStatusPage(await findComponents(db, now), incidents, now, { clock: await findDataClock(db), released: release > 0, history })
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
