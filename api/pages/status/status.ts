// `/status`: the state of each component with 90 days as bars, and the incidents. `/status.atom`: the incidents as a feed.
import { daysBefore, midnight, utcDay } from '#schemas/days.ts'
import type { ComponentStatus, IncidentOut } from '#schemas/status.ts'
import { renderIncidentFeed } from '#warehouse/people/status/feed.ts'
import {
  type DaysOf,
  groupComponents,
  overallSentences,
  shownDays,
  shownName,
  stateWords,
  toneOf,
  type UptimeDay,
  uptimeBars,
  uptimeDays,
  uptimeOf,
  uptimeWords,
} from '#warehouse/people/status/overview.ts'
import { day, instant, number } from '../components/format.ts'
import { badge, missing, notice, shown } from '../components/notice.ts'
import { dataLinks, pageHead, section } from '../components/parts.ts'
import { emptyState, numeric, table, tight } from '../components/table.ts'
import { type Content, type Html, html, trusted } from '../html.ts'
import { page } from '../page.ts'
import { counted } from '../words.ts'

const incidentsShown = 50

export const statusPage = page('/status', 'Status', {
  summary: 'The state of each part of the service, 90 days of checks, and incidents.',
  operations: ['get_status', 'list_status_history', 'list_incidents'],
  async render({ ask, now }) {
    const from = midnight(utcDay(daysBefore(now, shownDays - 1)))
    const [status, history, incidents] = await Promise.all([
      ask('get_status'),
      ask('list_status_history', { by: 'day', from, limit: 10_000 }),
      ask('list_incidents', { state: 'all', limit: incidentsShown }),
    ])
    if (!status.ok) return { main: html`${pageHead('Status')}${missing(status, 'The state of the service')}` }
    const { components, status: overall } = status.value
    const daysOf = history.ok ? uptimeDays(history.value.history, now) : null
    const title = overallSentences[overall]
    const failing = components.filter(each => toneOf(each.status) === 'bad' || toneOf(each.status) === 'warn')
    const planned = incidents.ok ? incidents.value.incidents.filter(each => each.resolved_at === null) : []
    const groups = groupComponents(components).map(group =>
      section({
        id: group.id,
        title: group.title,
        tools: group.id === 'service' && dataLinks(status, 'the state of the components'),
        body: [
          html`<ul class="uptimes">${group.components.map(each => componentItem(each, daysOf))}</ul>`,
          daysOf !== null && group.components.length > 0 && daysTable(group.components, daysOf),
        ],
      }),
    )
    return {
      title: `Status: ${title}`,
      main: html`${pageHead(title, html`Checked ${instant(status.as_of ?? now.toISOString())}. A worker checks every minute. <a href="/status.atom">Incidents as a feed</a>`)}
${failing.length > 0 && notice(overall === 'down' ? 'bad' : 'warn', html`<p>${counted(failing.length, 'part')} of ${components.length} ${failing.length === 1 ? 'does' : 'do'} not work as usual: ${failing.map(each => shownName(each.name)).join(', ')}.</p>`)}
${planned.map(each => incidentNotice(each))}
${groups.slice(0, 1)}
${section({
  id: 'incidents',
  title: 'Incidents',
  lead: 'Opened automatically when a part fails consecutive checks, or by the operator. Newest first.',
  tools: dataLinks(incidents, 'incidents'),
  body: shown(incidents, 'Incidents', ({ incidents: found }) =>
    found.length === 0 ? emptyState('No incident is on record.') : html`<ul class="entries">${found.map(incidentItem)}</ul>`,
  ),
})}
${groups.slice(1)}
${!history.ok && missing(history, 'The last 90 days')}
<p class="small">The worker writes the same page as <code>status.html</code> into the data folder of the service, for a web server to show while the API is down.</p>`,
    }
  },
})

function componentItem({ name, status, latency_ms, detail }: ComponentStatus, daysOf: DaysOf | null): Html {
  const days = daysOf?.(name) ?? null
  const uptime = days === null ? null : uptimeOf(days)
  return html`<li><div class="uptime-head"><h3>${shownName(name)}</h3>${latency_ms !== null && html`<span class="small">${latency_ms} ms</span>`}${badge(stateWords[status], toneOf(status))}</div>
${detail !== null && html`<p class="small">${detail}</p>`}
${days !== null && uptime !== null && html`${trusted(uptimeBars(days))}<p class="small">${uptimeWords(days)}</p>`}</li>`
}

/** The numbers behind the bars: the days of each component on which a check failed. */
function daysTable(components: readonly ComponentStatus[], daysOf: DaysOf): Content {
  const rows = components.flatMap(({ name }) =>
    daysOf(name)
      .filter((each): each is UptimeDay & { readonly uptime_pct: number } => each.uptime_pct !== null && each.uptime_pct < 100)
      .map(each => ({ name, ...each })),
  )
  const sorted = rows.toSorted((a, b) => (a.date === b.date ? (a.name < b.name ? -1 : 1) : a.date < b.date ? 1 : -1))
  return html`<details class="behind"><summary>Days with failed checks: ${rows.length}</summary>${table({
    caption: 'Days on which not every check was good, newest first',
    captionHidden: true,
    columns: ['Part', tight('Day'), numeric('Good checks'), 'Worst state'],
    rows: sorted
      .slice(0, 500)
      .map(each => [
        shownName(each.name),
        day(each.date),
        `${number(each.uptime_pct, { least: 2, most: 2 })}\u00a0%`,
        each.status === null ? null : stateWords[each.status],
      ]),
    empty: 'Every check of the last 90 days was good.',
    tall: true,
  })}</details>`
}

const lines = (text: string): Html => html`${text.split('\n').map((line, at) => (at === 0 ? line : html`<br>${line}`))}`
const impactWords = { minor: 'minor', major: 'major', critical: 'critical', maintenance: 'planned work' } as const

const incidentNotice = ({ title, impact, body, started_at }: IncidentOut): Html =>
  notice(
    impact === 'maintenance' ? 'info' : impact === 'minor' ? 'warn' : 'bad',
    html`<p><strong>${title}</strong> (${impactWords[impact]}), since ${instant(started_at)}.</p>${body !== null && html`<p>${lines(body)}</p>`}`,
  )

const incidentItem = ({ id, title, impact, body, started_at, resolved_at }: IncidentOut): Html =>
  html`<li id="${id}"><div class="panel-head"><h3>${title}</h3><span>${badge(impactWords[impact])} ${resolved_at === null ? badge('ongoing', 'warn') : badge('resolved', 'good')}</span></div>
<p>${instant(started_at)}${resolved_at !== null && html` to ${instant(resolved_at)}`}</p>${body !== null && html`<p>${lines(body)}</p>`}</li>`

export const statusFeed = page('/status.atom', 'Incidents as a feed', {
  summary: 'Incidents of the service as an Atom feed.',
  operations: ['list_incidents'],
  async render({ ask, now }) {
    const incidents = await ask('list_incidents', { state: 'all', limit: incidentsShown })
    if (!incidents.ok) return { main: html`${pageHead('Incidents')}${missing(incidents, 'Incidents')}`, status: 503 }
    return { data: renderIncidentFeed(incidents.value.incidents, now), media_type: 'application/atom+xml; charset=utf-8' }
  },
})
