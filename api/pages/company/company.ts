// The page of a listing. Each section has its own answer and explains itself if there is none.
import { utcDay } from '#schemas/days.ts'
import { question } from '#schemas/operations/operation.ts'
import { oneOf, symbol } from '#schemas/operations/parameters.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { priceChart } from '../components/chart.ts'
import { lockedSections, missing, shown } from '../components/notice.ts'
import { answerLinks, columns, companyPath, linkTabs, pageHead, section } from '../components/parts.ts'
import { emptyState } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import { type Outcome, page } from '../page.ts'
import { actionsTable, type Country, dividendOf, sampleShares, taxSection } from './dividends.ts'
import { analystsTable, filingsTable, holdersTable, insidersTable, riskFactors } from './filings.ts'
import { fundamentalsSection } from './fundamentals.ts'
import { companyHead, crossListing, type Figures, keyFigures } from './head.ts'
import { firstDay, intradayPoints, priceSection, type Range, rangeNames, ranges } from './prices.ts'
import { calendarSection, shariaMatrix } from './screens.ts'

type Part<A> = {
  readonly id: string
  readonly title: string
  readonly what: string
  readonly outcome: Outcome<A>
  readonly body: (value: A) => Content
}

const unasked: Outcome<never> = { ok: false, status: 404, error: { detail: 'there is nothing to show', code: 'not_found', docs: '' } }

/** Address of the page with some of its choices changed. */
function hrefWith(symbolName: string, choices: Readonly<Record<string, string>>, changes: Readonly<Record<string, string>>, anchor: string): string {
  const defaults: Readonly<Record<string, string>> = { range: '1y', prices: 'adjusted' }
  const query = Object.entries({ ...choices, ...changes }).filter(([name, value]) => value !== '' && value !== defaults[name])
  const text = new URLSearchParams(query).toString()
  return `${companyPath(symbolName)}${text === '' ? '' : `?${text}`}#${anchor}`
}

export const companyPage = page('/c/{symbol}', 'Company', {
  summary: 'Prices with the events that moved them, fundamentals, dividends, screens and filings of one listing.',
  question: question({
    symbol: symbol(),
    range: oneOf('period of the chart', ranges, '1y').default('1y'),
    prices: oneOf('prices restated for splits and distributions, or as traded', ['adjusted', 'traded'], 'adjusted').default('adjusted'),
    issuer: oneOf('country in which the issuer is resident, for withholding tax', ['CA', 'US']).optional(),
  }),
  operations: [
    'get_symbol',
    'run_screener',
    'get_quotes',
    'get_eod',
    'get_intraday',
    'list_corporate_actions',
    'get_fundamentals',
    'get_earnings',
    'get_arb_pair',
    'get_sharia_screen_all',
    'get_analyst_recs',
    'get_withholding',
    'search_filings',
    'get_form4',
    'get_filing_diff',
    'get_13f_issuer',
  ],
  sample: '/c/GLPR.TO',
  async render({ question: { symbol: requested, range, prices, issuer }, ask, dataNow, release }) {
    const [listing, screened] = await Promise.all([
      ask('get_symbol', { symbol: requested }),
      ask('run_screener', { filter: `code in (${requested})`, fields: 'all', limit: 1 }),
    ])
    if (!listing.ok && listing.status === 404) return notListed(requested, listing)
    const name = listing.ok ? listing.value.symbol : requested
    if (name !== requested) return { redirect: companyPath(name) }
    const figures = screened.ok ? (screened.value.data[0] ?? null) : null
    const other = typeof figures?.['interlisted'] === 'string' ? figures['interlisted'] : null
    const [toronto, us] = other === null ? [null, null] : name.endsWith('.TO') ? [name, other] : [other, name]
    const country: Country = issuer ?? (/\.(?:TO|V)$/.test(name) || other?.endsWith('.TO') ? 'CA' : 'US')
    // A separate operation requests the newest filings from the source, so the page does not wait for them.
    const pinned: Readonly<Record<string, number>> = release === null ? {} : { release }
    const actionsRequest = ask('list_corporate_actions', { symbol: name })
    const taxRequest = actionsRequest.then(async actions => {
      const dividend = actions.ok ? dividendOf(actions.value) : null
      const amount = dividend === null ? '' : String(Number((dividend.amount * sampleShares).toFixed(6)))
      return { dividend, answer: dividend === null ? unasked : await ask('get_withholding', { issuer_country: country, amount }) }
    })
    const [actions, tax, quotes, bars, minutes, fundamentals, earnings, pair, sharia, analysts, filings, insiders, risks, holders] =
      await Promise.all([
        actionsRequest,
        taxRequest,
        ask('get_quotes', { symbols: other === null ? name : `${name},${other}` }),
        range === '5d' ? unasked : ask('get_eod', { symbol: name, from: firstDay(range, dataNow) }),
        range === '5d' ? ask('get_intraday', { symbol: name, interval: '15m', from: firstDay(range, dataNow), session: 'regular' }) : unasked,
        ask('get_fundamentals', { symbol: name }),
        ask('get_earnings', { symbol: name, limit: 12 }),
        toronto === null || us === null ? unasked : ask('get_arb_pair', { toronto_sym: toronto, us_sym: us }),
        ask('get_sharia_screen_all', { symbol: name }),
        ask('get_analyst_recs', { symbol: name }),
        ask('search_filings', { ticker: name, limit: 100, ...pinned }),
        ask('get_form4', { ticker: name, limit: 200, ...pinned }),
        ask('get_filing_diff', { ticker: name, form: annualForm(figures) }),
        ask('get_13f_issuer', { query: name }),
      ])
    const choices = { range, prices, issuer: issuer ?? '' }
    const quote = quotes.ok ? (quotes.value.quotes.find(each => each.symbol === name) ?? null) : null
    const adjusted = prices === 'adjusted'
    /** Sections that need an account, for one notice at the end. */
    const locked: string[] = []
    const part = <A>({ outcome, what, title, body, id }: Part<A>): Html | null => {
      if (outcome.ok || outcome.status !== 401) return section({ id, title, tools: answerLinks(outcome, what), body: shown(outcome, title, body) })
      locked.push(title)
      return null
    }
    const today = utcDay(dataNow)
    return {
      title: listing.ok ? `${name} ${listing.value.name ?? ''}`.trim() : name,
      description: `${listing.ok ? (listing.value.name ?? name) : name}: prices, fundamentals, dividends, screens and filings.`,
      modules: ['price-chart', 'line-chart'],
      main: html`${listing.ok ? companyHead(listing.value, figures, quote) : html`${pageHead(name)}${missing(listing, 'The listing')}`}
${section({
  id: 'price',
  title: 'Price',
  tools: answerLinks(range === '5d' ? minutes : bars, 'prices'),
  body: html`<div class="chart-bar">${rangeTabs(name, range, choices)}${priceTabs(name, prices, choices, range)}</div>
${
  range === '5d'
    ? shown(minutes, 'Prices below a day', answer => intraday(name, answer))
    : shown(bars, 'Prices', answer => priceSection(name, range, adjusted, answer, { actions, earnings, filings, insiders }))
}`,
})}
${columns(
  part({
    id: 'figures',
    title: 'Key figures',
    outcome: screened,
    what: 'key figures',
    body: () => (figures === null ? emptyState('The screener has no figures of this listing.') : keyFigures(figures)),
  }),
  html`${section({
    id: 'calendar',
    title: 'Dates ahead',
    tools: answerLinks(earnings, 'report days'),
    body: calendarSection(earnings, actions, today),
  })}${
    other !== null &&
    section({
      id: 'lines',
      title: 'Cross-listing',
      tools: answerLinks(pair, 'the spread'),
      body: crossListing(quotes.ok ? quotes.value.quotes : [], pair),
    })
  }`,
)}
${part({ id: 'fundamentals', title: 'Fundamentals', outcome: fundamentals, what: 'fundamentals', body: fundamentalsSection })}
${section({
  id: 'dividends',
  title: 'Dividends and splits',
  tools: answerLinks(actions, 'corporate actions'),
  body: html`${shown(actions, 'Dividends and splits', actionsTable)}${
    tax.dividend &&
    taxSection({ dividend: tax.dividend, country, hrefOf: each => hrefWith(name, choices, { issuer: each }, 'dividends'), answer: tax.answer })
  }`,
})}
${part({ id: 'sharia', title: 'Sharia screens', outcome: sharia, what: 'Sharia screens', body: shariaMatrix })}
${columns(
  html`${part({ id: 'filings', title: 'Filings', outcome: filings, what: 'filings', body: filingsTable })}${part({ id: 'holders', title: 'Holders', outcome: holders, what: 'holders', body: holdersTable })}`,
  html`${part({ id: 'insiders', title: 'Insider trades', outcome: insiders, what: 'insider trades', body: insidersTable })}${part({ id: 'risks', title: 'Risk factors', outcome: risks, what: 'risk factors', body: riskFactors })}`,
)}
${part({ id: 'analysts', title: 'Analysts', outcome: analysts, what: 'analysts', body: analystsTable })}
${lockedSections(locked)}`,
    }
  },
})

/** The form of the newest annual report, as the comparison of risk factors takes it. */
function annualForm(figures: Figures | null): string {
  const form = figures?.['annual_report_form']
  return form === '20-F' || form === '40-F' ? form : '10-K'
}

const rangeTabs = (name: string, range: Range, choices: Readonly<Record<string, string>>): Html =>
  linkTabs(
    'Period',
    ranges.map(each => ({ label: rangeNames[each], href: hrefWith(name, choices, { range: each }, 'price'), current: each === range })),
  )
const priceTabs = (name: string, prices: string, choices: Readonly<Record<string, string>>, range: Range): Content =>
  range !== '5d' &&
  linkTabs('Prices', [
    { label: 'Adjusted', href: hrefWith(name, choices, { prices: 'adjusted' }, 'price'), current: prices === 'adjusted' },
    { label: 'As traded', href: hrefWith(name, choices, { prices: 'traded' }, 'price'), current: prices === 'traded' },
  ])

function intraday(name: string, answer: AnswerOf<'get_intraday'>): Html {
  const points = intradayPoints(answer.bars)
  if (points.length === 0) return emptyState(answer.coverage.sentence)
  return priceChart({
    id: 'price-chart',
    label: `${name}, prices of 15 minutes in regular hours, from ${points[0]?.time} to ${points.at(-1)?.time}`,
    currency: answer.currency ?? '',
    points,
  })
}

function notListed(
  requested: string,
  outcome: Extract<Outcome<unknown>, { ok: false }>,
): { title: string; main: Html; status: number; search: string } {
  return {
    title: `${requested}: not found`,
    status: 404,
    search: requested,
    main: html`${pageHead(`No listing ${requested}`)}${missing(outcome, requested)}<p>${outcome.error.hint}</p><p><a class="button" href="/search?q=${encodeURIComponent(requested)}">Search for it</a></p>`,
  }
}
