// EODHD's calendars of earnings and IPOs (JSON), and the analysts' ratings inside its fundamentals.

import { IpoSection } from '#schemas/calendars.ts'
import { Unreadable } from '#schemas/errors.ts'
import type { TextJson } from '#schemas/number-text.ts'
import { Currency } from '#schemas/values.ts'
import { eodhd as spelling } from '#schemas/vendor-spelling.ts'
import { isObject, jsonOf, objectsOf, textIn } from '../csv/body.ts'
import { dayOf, decimalOf } from '../csv/cells.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'
import { type CalendarTable, calendarTable, consensusRow, countIn, earningsRow } from './rows.ts'

type Row = { readonly [name: string]: TextJson }
const times: Readonly<Record<string, 'before_open' | 'during_market' | 'after_close'>> = {
  beforemarket: 'before_open',
  duringmarket: 'during_market',
  aftermarket: 'after_close',
}
export const currencyIn = (row: Row, name: string): string | null => {
  const text = textIn(row, name)
  return text !== null && Currency.safeParse(text).success ? text : null
}

function rowsUnder(document: RawDocument, member: string): Row[] {
  const subject = `eodhd ${document.url}`
  const value = jsonOf(document)
  if (!isObject(value) || value[member] === undefined) throw new Unreadable('no_calendar', `${subject}: no member ${member}`)
  return objectsOf(value[member], subject)
}

function parseEarnings(document: RawDocument): Parsed {
  const table = calendarTable()
  for (const row of rowsUnder(document, 'earnings')) {
    const code = textIn(row, 'code') ?? ''
    const date = dayOf(textIn(row, 'report_date'))
    // `RY.LSE` and the like are markets that Crossfile does not cover.
    if (/\.[A-Z]{1,6}$/.test(code) && !/\.(?:US|TO|V)$/.test(code)) table.skip('other_exchange')
    else if (spelling.read(code) === null) table.refuse('earnings_dates', 'bad_symbol', code || 'no code', 'a report without a symbol', row)
    else if (date === null) table.refuse('earnings_dates', 'no_date', code, 'report_date is missing or no day', row)
    else addReport(table, row, spelling.read(code)!.symbol, date)
  }
  return table.parsed()
}

function addReport(table: CalendarTable, row: Row, symbol: string, date: string): void {
  const period = dayOf(textIn(row, 'date'))
  const actual = decimalOf(textIn(row, 'actual'))
  table.add(
    'earnings_dates',
    earningsRow({
      symbol,
      source_name: 'eodhd',
      date,
      mark: actual === null ? 'projected' : 'reported',
      ...(period === null ? {} : { report: period.slice(0, 7) }),
      time_of_day: times[(textIn(row, 'before_after_market') ?? '').toLowerCase()] ?? null,
      period_end: period,
      eps_estimate: decimalOf(textIn(row, 'estimate')),
      eps_actual: actual,
      currency: currencyIn(row, 'currency'),
    }),
  )
}

export const eodhdEarningsReader = reader('eodhd.earnings-calendar', 'earnings_dates', {
  reads: url => /^https:\/\/eodhd\.com\/api\/calendar\/earnings\?/.test(url),
  matches: head => /^\s*\{/.test(head) && head.includes('"report_date"') && head.includes('"before_after_market"'),
  parse: parseEarnings,
})

/** An amount whose 0 means unknown: EODHD's calendar prints 0 for it. */
const positive = (row: Row, name: string): string | null => {
  const decimal = decimalOf(textIn(row, name))
  return decimal !== null && Number(decimal) > 0 ? decimal : null
}

function parseIpos(document: RawDocument): Parsed {
  const table = calendarTable()
  for (const row of rowsUnder(document, 'ipos')) {
    const [code, company] = [textIn(row, 'code'), textIn(row, 'name')]
    const subject = code ?? company ?? 'a deal'
    const section = IpoSection.safeParse((textIn(row, 'deal_type') ?? '').toLowerCase()).data
    const status = section === 'expected' ? 'filed' : section
    const [start, filed, amended] = [dayOf(textIn(row, 'start_date')), dayOf(textIn(row, 'filing_date')), dayOf(textIn(row, 'amended_date'))]
    const date = status === 'amended' ? (amended ?? start ?? filed) : (start ?? amended ?? filed)
    if (company === null) table.refuse('ipo_events', 'no_company', subject, 'a deal without a name', row)
    else if (section === undefined || status === undefined)
      table.refuse('ipo_events', 'unknown_status', subject, `deal_type "${textIn(row, 'deal_type') ?? ''}" is none that is known`, row)
    else if (date === null) table.refuse('ipo_events', 'no_date', subject, 'neither start_date nor filing_date is a day', row)
    else
      table.add('ipo_events', {
        source_name: 'eodhd',
        deal: code === null ? company : `${code} ${company}`,
        section,
        company,
        symbol: code?.replace(/\.(?:US|TO|V)$/, '') ?? null,
        venue: textIn(row, 'exchange'),
        status,
        event_date: date,
        filed_date: filed,
        amended_date: amended,
        expected_date: status === 'filed' || status === 'amended' ? start : null,
        priced_date: status === 'priced' ? start : null,
        withdrawn_date: status === 'withdrawn' ? start : null,
        price_low: positive(row, 'price_from'),
        price_high: positive(row, 'price_to'),
        price: positive(row, 'offer_price'),
        shares: positive(row, 'shares'),
        amount: null,
        currency: currencyIn(row, 'currency'),
      })
  }
  return table.parsed()
}

export const eodhdIpoReader = reader('eodhd.ipo-calendar', 'ipo_events', {
  reads: url => /^https:\/\/eodhd\.com\/api\/calendar\/ipos\?/.test(url),
  matches: head => /^\s*\{/.test(head) && head.includes('"ipos"') && head.includes('"deal_type"'),
  parse: parseIpos,
})

/** EODHD's mean runs from 5, strong buy, to 1, strong sell. */
const scale = '5 strong buy to 1 strong sell'

/** Ratings as `{"Rating", "TargetPrice", "StrongBuy" …}`: the whole response if a filter selects them, otherwise a member of it. */
function parseRatings(document: RawDocument): Parsed {
  const subject = `eodhd ${document.url}`
  const value = jsonOf(document)
  if (!isObject(value)) throw new Unreadable('no_ratings', `${subject}: an object was expected`)
  const code =
    /\/api\/fundamentals\/([^?/]+)/.exec(document.url)?.[1] ??
    (isObject(value['General']) ? `${textIn(value['General'], 'Code')}.${textIn(value['General'], 'Exchange')}` : '')
  const symbol = spelling.read(decodeURIComponent(code))?.symbol
  const table = calendarTable()
  const ratings = value['AnalystRatings'] ?? (value['StrongBuy'] === undefined ? undefined : value)
  if (symbol === undefined) table.skip('other_exchange')
  else if (!isObject(ratings) || textIn(ratings, 'Rating') === null) table.skip('no_ratings')
  else
    table.add(
      'analyst_consensus',
      consensusRow({
        symbol,
        source_name: 'eodhd',
        month: document.retrieved_at.slice(0, 7),
        strong_buy: countIn(textIn(ratings, 'StrongBuy')),
        buy: countIn(textIn(ratings, 'Buy')),
        hold: countIn(textIn(ratings, 'Hold')),
        sell: countIn(textIn(ratings, 'Sell')),
        strong_sell: countIn(textIn(ratings, 'StrongSell')),
        rating_mean: positive(ratings, 'Rating'),
        rating_scale: scale,
        target_mean: positive(ratings, 'TargetPrice'),
        target_currency: isObject(value['General']) ? currencyIn(value['General'], 'CurrencyCode') : null,
      }),
    )
  return table.parsed()
}

export const eodhdRatingsReader = reader('eodhd.analyst-ratings', 'analyst_consensus', {
  reads: url => /^https:\/\/eodhd\.com\/api\/fundamentals\/[^?]+\?(?:.*&)?filter=[A-Za-z,:]*AnalystRatings/.test(url),
  matches: head => /^\s*\{/.test(head) && head.includes('"AnalystRatings"') && head.includes('"StrongBuy"'),
  parse: parseRatings,
})
