// `/calendars`: earnings, new listings and economic releases by day. Only what an issuer or agency states; a date is never inferred.
import { addDays, utcDay } from '#schemas/days.ts'
import { question } from '#schemas/operations/operation.ts'
import { cursor, day as dayParameter, oneOf } from '#schemas/operations/parameters.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { addressOf } from '../components/address.ts'
import { type CloseLines, closeLines } from '../components/closes.ts'
import { day, instant, number, orUnknown, price } from '../components/format.ts'
import { drawnPeriods, indicatorLine } from '../components/indicator-line.ts'
import { badge, shown } from '../components/notice.ts'
import { answerLinks, companyLink, filingPath, linkTabs, pageHead, pager, section } from '../components/parts.ts'
import { numeric, table, tight } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import { type Outcome, page } from '../page.ts'

const kinds = [
  ['earnings', 'Earnings'],
  ['listings', 'New listings'],
  ['economy', 'Economy'],
] as const
const times = { before_open: 'before the open', during_market: 'during the session', after_close: 'after the close' } as const
const states = { filed: 'info', amended: 'info', priced: 'good', listed: 'good', postponed: 'warn', withdrawn: 'bad' } as const
/** What the answers of all calendars have. */
type Calendar = { readonly coverage: { readonly sentence: string }; readonly next_cursor: string | null }

export const calendarsPage = page('/calendars', 'Calendars', {
  summary: 'Reports of results, new listings and economic releases by day, each with the document that states it.',
  navigation: 'Calendars',
  question: question({
    kind: oneOf('which calendar', ['earnings', 'listings', 'economy'], 'earnings').default('earnings'),
    from: dayParameter('first day', '2026-11-01').optional(),
    to: dayParameter('last day', '2026-12-31').optional(),
    cursor,
  }),
  operations: ['list_earnings_calendar', 'list_ipo_calendar', 'list_economic_events', 'list_closes', 'get_macro_country'],
  async render({ question: { kind, from, to, cursor: after }, ask, dataNow }) {
    const first = from ?? addDays(utcDay(dataNow), kind === 'listings' ? -60 : -7)
    const last = to ?? addDays(first, 60)
    const query = { from: first, to: last, limit: 200, ...(after === undefined ? {} : { cursor: after }) }
    const address = addressOf('/calendars', { kind, from: first, to: last })
    const body = await { earnings: () => earnings(), listings: () => listings(), economy: () => economy() }[kind]()
    return {
      main: html`${pageHead('Calendars', html`${day(first)} to ${day(last)}`)}
${linkTabs(
  'Calendar',
  kinds.map(([key, label]) => ({ label, href: `/calendars?kind=${key}`, current: key === kind })),
)}
<form class="inline-form" method="get" action="/calendars"><input type="hidden" name="kind" value="${kind}">
<div class="field"><label for="from">From</label><input id="from" name="from" type="date" value="${first}"></div>
<div class="field"><label for="to">To</label><input id="to" name="to" type="date" value="${last}"></div>
<button type="submit">Show</button></form>
${body}`,
    }

    /** The section of the calendar that is chosen; `what` names its answer. */
    function calendar<T extends Calendar>(title: string, what: string, found: Outcome<T>, content: (answer: T) => Content): Html {
      const more = (next: string | null) =>
        pager({ first: after === undefined ? null : address({}), next: next === null ? null : address({ cursor: next }) })
      return section({
        id: kind,
        title,
        lead: found.ok ? html`Made ${found.value.coverage.sentence}.` : null,
        tools: answerLinks(found, what.toLowerCase()),
        body: shown(found, what, answer => [content(answer), more(answer.next_cursor)]),
      })
    }
    async function earnings() {
      const found = await ask('list_earnings_calendar', { ...query, status: 'all' })
      const lines = await closeLines(ask, found.ok ? found.value.earnings.map(each => each.symbol) : [])
      return calendar('Reports of results', 'Earnings', found, ({ earnings: rows }) => [earningsTable(rows, lines), lines.note])
    }
    async function listings() {
      const found = await ask('list_ipo_calendar', query)
      const lines = await closeLines(ask, found.ok ? found.value.ipos.map(each => each.symbol) : [])
      return calendar('New listings', 'New listings', found, ({ ipos }) => [listingsTable(ipos, lines), lines.note])
    }
    async function economy() {
      const found = await ask('list_economic_events', query)
      const figures = found.ok ? found.value.events.flatMap(({ country, figures: own }) => (own.length > 0 ? [country] : [])) : []
      const countries = await Promise.all([...new Set(figures)].map(country => ask('get_macro_country', { country, recent: drawnPeriods })))
      const note = countries.every(each => each.ok)
        ? null
        : html`<p class="small">Lines of indicators are not available for every row at the moment. Load the page again in a moment.</p>`
      const indicators = new Map(
        countries.flatMap(each => (each.ok ? each.value.indicators.map(one => [`${each.value.country} ${one.indicator}`, one] as const) : [])),
      )
      return calendar('Economic releases', 'Economic releases', found, ({ events }) => [economyTable(events, indicators), note])
    }
  },
})

const earningsTable = (rows: AnswerOf<'list_earnings_calendar'>['earnings'], lines: CloseLines): Html =>
  table({
    caption: 'Reports by day',
    captionHidden: true,
    columns: ['Day', 'Company', 'Closes, 45 days', 'When', 'Status', tight('Period'), numeric('EPS'), numeric('Estimate'), 'Source'],
    rows: rows.map(each => {
      const filing = each.statements.find(one => one.accession !== null)
      return [
        [day(each.date), each.window_end !== null && html` to ${day(each.window_end)}`],
        [each.symbol !== null && html`${companyLink(each.symbol)} `, each.company],
        lines.of(each.symbol),
        each.time_of_day === null ? null : times[each.time_of_day],
        badge(each.reported ? 'reported' : each.status, each.status === 'confirmed' ? 'good' : 'warn'),
        each.fiscal_period,
        orUnknown(each.eps_actual, value => number(value)),
        orUnknown(each.eps_estimate, value => number(value)),
        filing?.accession
          ? html`<a href="${filingPath(filing.accession)}" title="${filing.quote ?? ''}">${filing.form ?? 'filing'}</a>`
          : each.source_name,
      ]
    }),
    empty: 'No report is known for these days.',
  })
const listingsTable = (ipos: AnswerOf<'list_ipo_calendar'>['ipos'], lines: CloseLines): Html =>
  table({
    caption: 'Offerings and first listings by day',
    captionHidden: true,
    columns: [
      tight('Day'),
      'Company',
      'Closes, 45 days',
      'Status',
      numeric('Price'),
      numeric('Shares'),
      'Underwriters',
      tight('Lock-up ends'),
      'Source',
    ],
    rows: ipos.map(each => {
      const filing = each.statements.find(one => one.accession !== null)
      const unit = each.currency === null ? '' : `\u00a0${each.currency}`
      return [
        day(each.date),
        [
          each.symbol !== null ? html`${companyLink(each.symbol)} ` : each.proposed_symbol !== null && html`<code>${each.proposed_symbol}</code> `,
          each.company,
        ],
        lines.of(each.symbol),
        [badge(each.status, states[each.status]), each.kind === 'blank_check' && html` ${badge('blank check')}`],
        each.price !== null
          ? `${price(each.price)}${unit}`
          : each.price_low !== null && each.price_high !== null
            ? `${price(each.price_low)} to ${price(each.price_high)}${unit}`
            : null,
        orUnknown(each.shares, value => number(value)),
        each.underwriters.length === 0 ? null : each.underwriters.slice(0, 3).join(', '),
        each.lock_up_expiry === null ? null : day(each.lock_up_expiry),
        filing?.accession
          ? html`<a href="${filingPath(filing.accession)}">${filing.form ?? 'filing'}</a>`
          : (each.statements[0]?.source_name ?? null),
      ]
    }),
    empty: 'No offering or first listing is known for these days.',
  })
type Indicators = ReadonlyMap<string, AnswerOf<'get_macro_country'>['indicators'][number]>
/** The line of the first figure of a release, the one whose values the row has. */
function figureLine({ country, figures }: AnswerOf<'list_economic_events'>['events'][number], indicators: Indicators): Content {
  const found = indicators.get(`${country} ${figures[0]?.indicator}`)
  return found === undefined ? null : indicatorLine(found.title, found.frequency, found.recent ?? [])
}
const economyTable = (events: AnswerOf<'list_economic_events'>['events'], indicators: Indicators): Html =>
  table({
    caption: 'Releases by day',
    captionHidden: true,
    columns: [tight('When'), tight('Country'), 'Release', 'Period', numeric('Actual'), numeric('Before'), `${drawnPeriods} periods`, 'Agency'],
    rows: events.map(each => [
      each.scheduled_at === null ? day(each.date) : instant(each.scheduled_at),
      each.country,
      each.title,
      each.period,
      orUnknown(each.actual, value => number(value)),
      orUnknown(each.previous, value => number(value)),
      figureLine(each, indicators),
      each.agency,
    ]),
    empty: 'No release is scheduled for these days.',
  })
