// The start page: what this service is, what moved, what was filed, what is ahead, and the state of the data.
import { addDays, utcDay } from '#schemas/days.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { change, compact, day, money, orUnknown, percent, unknown } from '../components/format.ts'
import { badge, shown, type Tone } from '../components/notice.ts'
import { answerLinks, columns, companyLink, filingPath, section } from '../components/parts.ts'
import { facts, numeric, table, tight } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import { page } from '../page.ts'
import { counted } from '../words.ts'

const mostRows = 6
const daysAhead = 14
const moved = 'change_1d_pct is not null and price_is_old = false'
const fields = 'name,close,currency,change_1d_pct,dollar_volume_20d_usd,session_date'

export const homePage = page('/', 'Crossfile', {
  summary: 'Research data for North American equities: filings, prices, corporate actions and fundamentals, each figure with its source.',
  navigation: 'Start',
  operations: ['run_screener', 'search_filings', 'list_updates', 'list_earnings_calendar', 'get_status'],
  async render({ ask, dataNow }) {
    const today = utcDay(dataNow)
    const [up, down, filings, updates, reports, status] = await Promise.all([
      ask('run_screener', { filter: moved, fields, sort: 'change_1d_pct.desc', limit: mostRows }),
      ask('run_screener', { filter: moved, fields, sort: 'change_1d_pct.asc', limit: mostRows }),
      ask('search_filings', { limit: 20 }),
      ask('list_updates', { limit: 5 }),
      ask('list_earnings_calendar', { from: today, to: addDays(today, daysAhead), limit: mostRows }),
      ask('get_status'),
    ])
    return {
      main: html`${hero}
${columns(
  html`${section({ id: 'risers', title: 'Rose the most', lead: up.ok ? sessionOf(up.value) : null, tools: answerLinks(up, 'listings that rose'), body: shown(up, 'Moves', moves) })}
${section({ id: 'filings', title: 'Newest filings', tools: answerLinks(filings, 'newest filings'), body: shown(filings, 'Filings', newestFilings) })}
${section({ id: 'reports', title: 'Reports of results ahead', lead: `Confirmed days in the next ${daysAhead} days.`, tools: answerLinks(reports, 'reports ahead'), body: shown(reports, 'Reports', reportList) })}`,
  html`${section({ id: 'fallers', title: 'Fell the most', lead: down.ok ? sessionOf(down.value) : null, tools: answerLinks(down, 'listings that fell'), body: shown(down, 'Moves', moves) })}
${section({ id: 'updates', title: 'Daily updates', tools: html`<a href="/api/v1/updates.atom">Atom feed</a>`, body: shown(updates, 'Updates', updateList) })}
${section({ id: 'state', title: 'State of the data', tools: answerLinks(status, 'the state of the service'), body: shown(status, 'The state of the service', stateOf) })}`,
)}`,
    }
  },
})

const hero = html`<section class="hero">
<h1>Filings, prices and fundamentals, each figure with its source</h1>
<p class="lead">Research data for Canada and the United States. Every answer names the filing or upstream that it comes from, the release that it was made from, and a signed receipt that you can check yourself.</p>
<ul class="starts">
<li><a href="/c/GLPR.TO">A company<span>GLPR.TO: chart, fundamentals, dividends after tax</span></a></li>
<li><a href="/search?q=bank">A search<span>by symbol, name, manager or accession number</span></a></li>
<li><a href="/api/v1/public/docs">The API<span>the same data for programs, spreadsheets and agents</span></a></li>
<li><a href="/developer">An account<span>filings, insiders and holders, and keys for the API</span></a></li>
</ul>
</section>`

type Screened = AnswerOf<'run_screener'>
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)
const sessionOf = ({ session_date, total, universe }: Screened): Content =>
  session_date === null
    ? null
    : html`Session of ${day(session_date)}, ${counted(total, 'listing')} with a price${total < universe && html`, of ${universe}`}.`

function moves({ data }: Screened): Html {
  return table({
    caption: 'Listings by the change of their last session',
    captionHidden: true,
    columns: [tight('Symbol'), 'Name', numeric('Close'), numeric('Change'), numeric('Traded a day')],
    rows: data.map(row => [
      companyLink(row.code),
      textOf(row['name']),
      orUnknown(numberOf(row['close']), value => money(value, textOf(row['currency']))),
      orUnknown(numberOf(row['change_1d_pct']), value => change(value, percent(value))),
      orUnknown(numberOf(row['dollar_volume_20d_usd']), value => compact(Math.round(value), 'USD')),
    ]),
    empty: 'No listing has a price of today and of the session before.',
  })
}

/** A filing of several entities is one row: the issuer's, if it is among them. */
function newestFilings({ filings }: AnswerOf<'search_filings'>): Html {
  const rows = [...Map.groupBy(filings, ({ accession }) => accession).values()].map(
    group => group.find(({ role }) => role === 'issuer' || role === 'filer' || role === 'subject_company') ?? group[0],
  )
  return table({
    caption: 'Newest filings',
    captionHidden: true,
    columns: [tight('Filed'), tight('Form'), 'Company'],
    rows: rows
      .slice(0, mostRows)
      .map(filing => [
        filing ? day(filing.filed_date) : unknown,
        filing && html`<a href="${filingPath(filing.accession)}" title="${filing.form_title}">${filing.form}</a>`,
        filing && html`${filing.company}${filing.symbol !== null && html` ${companyLink(filing.symbol)}`}`,
      ]),
    empty: 'No filing is held yet.',
  })
}

function updateList({ updates }: AnswerOf<'list_updates'>): Html {
  if (updates.length === 0) return html`<p class="empty">No day had notable events yet.</p>`
  return html`<ul class="entries">${updates.map(({ slug, title, summary }) => html`<li><a href="/updates/${encodeURIComponent(slug)}">${title}</a><p>${summary}</p></li>`)}</ul>`
}

function reportList({ earnings, coverage }: AnswerOf<'list_earnings_calendar'>): Html {
  return table({
    caption: 'Confirmed reports ahead',
    captionHidden: true,
    columns: [tight('Day'), 'Company', tight('Time')],
    rows: earnings.map(({ date, symbol, company, time_of_day, source_symbol }) => [
      day(date),
      html`${symbol === null ? source_symbol : companyLink(symbol)} ${company}`,
      time_of_day === null ? unknown : time_of_day.replaceAll('_', ' '),
    ]),
    empty: html`No report is confirmed for these days. ${coverage.sentence}`,
  })
}

const tones: Readonly<Record<string, Tone>> = { operational: 'good', degraded: 'warn', down: 'bad', loading: 'info', unscheduled: 'plain' as Tone }

function stateOf({ status, components, as_of }: AnswerOf<'get_status'>): Html {
  const counts = Map.groupBy(components, each => each.status)
  const troubled = components.filter(each => each.status === 'degraded' || each.status === 'down').slice(0, mostRows)
  return html`${facts([
    ['Service', badge(status.replaceAll('_', ' '), tones[status] ?? 'plain')],
    ['Checked', html`<time datetime="${as_of}">${as_of.slice(0, 16).replace('T', ' ')} UTC</time>`],
    ...[...counts].map(
      ([name, group]) => [name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' '), counted(group.length, 'component')] as const,
    ),
  ])}
${
  troubled.length > 0 &&
  html`<ul class="entries">${troubled.map(({ name, status: state, detail }) => html`<li>${badge(state, tones[state] ?? 'plain')} ${name.replace('dataset:', '').replaceAll('_', ' ')}<p>${detail}</p></li>`)}</ul>`
}`
}
