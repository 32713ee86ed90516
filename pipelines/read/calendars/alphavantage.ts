// Alpha Vantage: expected earnings and IPOs as CSV, and the analysts' part of a company's overview. A refusal is JSON for every request.
import { Unreadable } from '#schemas/errors.ts'
import { Currency } from '#schemas/values.ts'
import { alphaVantage as spelling } from '#schemas/vendor-spelling.ts'
import { csvRows, headerOf, isObject, jsonOf, textIn } from '../csv/body.ts'
import { dayOf, decimalOf, isMissing } from '../csv/cells.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'
import { calendarTable, consensusRow, countIn, earningsRow } from './rows.ts'

const currencyOf = (text: string | undefined): string | null => (text !== undefined && Currency.safeParse(text).success ? text : null)
const times: Readonly<Record<string, 'before_open' | 'after_close'>> = { 'pre-market': 'before_open', 'post-market': 'after_close' }
const requestsFunction =
  (name: string) =>
  (url: string): boolean =>
    URL.parse(url)?.hostname === 'www.alphavantage.co' && URL.parse(url)?.searchParams.get('function') === name

/** The responses of a function as CSV with these columns. */
const csvOf = (name: string, columns: readonly string[]) => ({
  reads: requestsFunction(name),
  matches: (head: string): boolean => columns.every(column => headerOf(head).includes(column)),
})

function parseEarnings(document: RawDocument): Parsed {
  const table = calendarTable()
  for (const { cells, at } of csvRows(document, ['symbol', 'reportdate', 'fiscaldateending'])) {
    const symbol = spelling.read(cells['symbol'] ?? '')?.symbol
    const date = dayOf(cells['reportdate'])
    const period = dayOf(cells['fiscaldateending'])
    if (symbol === undefined || date === null) {
      table.refuse(
        'earnings_dates',
        symbol === undefined ? 'bad_symbol' : 'no_date',
        cells['symbol'] || `line ${at}`,
        `line ${at} has no ${symbol === undefined ? 'symbol' : 'day'}`,
        cells,
      )
      continue
    }
    table.add(
      'earnings_dates',
      earningsRow({
        symbol,
        source_name: 'alphavantage',
        date,
        mark: 'projected',
        ...(period === null ? {} : { report: period.slice(0, 7) }),
        time_of_day: times[cells['timeoftheday'] ?? ''] ?? null,
        name: cells['name'] || null,
        period_end: period,
        eps_estimate: decimalOf(cells['estimate']),
        currency: currencyOf(cells['currency']),
      }),
    )
  }
  return table.parsed()
}

export const alphaVantageEarningsReader = reader('alphavantage.earnings-calendar', 'earnings_dates', {
  ...csvOf('EARNINGS_CALENDAR', ['symbol', 'reportdate', 'fiscaldateending', 'estimate']),
  parse: parseEarnings,
})

/** A price whose 0 means unknown. */
const positive = (text: string | undefined): string | null => {
  const decimal = decimalOf(text)
  return decimal !== null && Number(decimal) > 0 ? decimal : null
}

function parseIpos(document: RawDocument): Parsed {
  const table = calendarTable()
  for (const { cells, at } of csvRows(document, ['symbol', 'name', 'ipodate'])) {
    const date = dayOf(cells['ipodate'])
    const [symbol, company] = [cells['symbol'] || null, cells['name'] || null]
    if (date === null || company === null) {
      table.refuse(
        'ipo_events',
        company === null ? 'no_company' : 'no_date',
        symbol ?? `line ${at}`,
        `line ${at} has no ${company === null ? 'name' : 'day'}`,
        cells,
      )
      continue
    }
    const [low, high] = [positive(cells['pricerangelow']), positive(cells['pricerangehigh'])]
    table.add('ipo_events', {
      source_name: 'alphavantage',
      deal: `${symbol ?? ''} ${company}`.trim(),
      section: 'expected',
      company,
      symbol,
      venue: cells['exchange'] || null,
      status: 'filed',
      event_date: date,
      filed_date: null,
      amended_date: null,
      expected_date: date,
      priced_date: null,
      withdrawn_date: null,
      price_low: low,
      price_high: high,
      price: null,
      shares: null,
      amount: null,
      currency: currencyOf(cells['currency']),
    })
  }
  return table.parsed()
}

export const alphaVantageIpoReader = reader('alphavantage.ipo-calendar', 'ipo_events', {
  ...csvOf('IPO_CALENDAR', ['symbol', 'ipodate', 'pricerangelow', 'pricerangehigh']),
  parse: parseIpos,
})

/** The overview also prints ratios and a market value, which have no dataset: they follow from filings and prices. */
const identity = new Set(['Symbol', 'AssetType', 'Name', 'CIK', 'Exchange', 'Currency'])

function parseOverview(document: RawDocument): Parsed {
  const subject = `alphavantage ${document.url}`
  const value = jsonOf(document)
  // An unknown symbol is answered with an empty object; so is a symbol that the vendor has no overview of.
  if (!isObject(value)) throw new Unreadable('no_overview', `${subject}: an object was expected`)
  const table = calendarTable()
  const printed = textIn(value, 'Symbol')
  const symbol = printed === null ? null : spelling.read(printed)?.symbol
  if (printed === null) table.skip('no_overview')
  else if (!symbol) table.refuse('analyst_consensus', 'bad_symbol', printed, 'no symbol of a covered exchange', null)
  else {
    const read = (name: string): string | null => (isMissing(textIn(value, name)) ? null : textIn(value, name))
    const row = consensusRow({
      symbol,
      source_name: 'alphavantage',
      month: document.retrieved_at.slice(0, 7),
      strong_buy: countIn(read('AnalystRatingStrongBuy')),
      buy: countIn(read('AnalystRatingBuy')),
      hold: countIn(read('AnalystRatingHold')),
      sell: countIn(read('AnalystRatingSell')),
      strong_sell: countIn(read('AnalystRatingStrongSell')),
      target_mean: positive(read('AnalystTargetPrice') ?? undefined),
      target_currency: positive(read('AnalystTargetPrice') ?? undefined) === null ? null : currencyOf(read('Currency') ?? undefined),
    })
    const hasRatings = row.target_mean !== null || [row.strong_buy, row.buy, row.hold, row.sell, row.strong_sell].some(count => count !== null)
    if (hasRatings) table.add('analyst_consensus', row)
    else table.skip('no_ratings')
    table.skip('overview_figures_not_taken', Object.keys(value).filter(name => !identity.has(name) && !name.startsWith('Analyst')).length)
  }
  return table.parsed()
}

export const alphaVantageOverviewReader = reader('alphavantage.overview', 'analyst_consensus', {
  reads: requestsFunction('OVERVIEW'),
  matches: head => /^\s*\{\s*"Symbol"/.test(head) && head.includes('"AssetType"') && head.includes('"LatestQuarter"'),
  parse: parseOverview,
})
