// The earnings and IPO calendars of nasdaq.com: display strings, a day or a month at a time.

import type { IpoSection } from '#schemas/calendars.ts'
import { Unreadable, Upstream } from '#schemas/errors.ts'
import type { TextJson } from '#schemas/number-text.ts'
import { parseSymbolOn } from '#schemas/spelling.ts'
import { IsoDate } from '#schemas/values.ts'
import { isObject, jsonOf, objectsOf, textIn } from '../csv/body.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'
import { longDay, shownDay, shownDecimal, shownMonth, shownRange } from './cells.ts'
import { type CalendarTable, calendarTable, countIn, earningsRow } from './rows.ts'

type Row = { readonly [name: string]: TextJson }

/** The member `data`; a response without it is an error, with any status. */
function dataOf(document: RawDocument, subject: string): Row {
  const value = jsonOf(document)
  if (!isObject(value) || !isObject(value['status'])) throw new Unreadable('no_data', `${subject}: no members data and status`)
  const code = textIn(value['status'], 'rCode')
  if (code !== null && code !== '200') throw new Upstream(`${subject}: rCode ${code}`)
  if (value['data'] === null) return {}
  if (!isObject(value['data'])) throw new Unreadable('no_data', `${subject}: data is no object`)
  return value['data']
}
const rowsOf = (value: TextJson | undefined, subject: string): Row[] => (value === null || value === undefined ? [] : objectsOf(value, subject))

const times: Readonly<Record<string, 'before_open' | 'after_close'>> = { 'time-pre-market': 'before_open', 'time-after-hours': 'after_close' }

function parseEarnings(document: RawDocument): Parsed {
  const subject = `nasdaq ${document.url}`
  const data = dataOf(document, subject)
  const rows = rowsOf(data['rows'], subject)
  const requested = /[?&]date=(\d{4}-\d\d-\d\d)/.exec(document.url)?.[1] ?? ''
  const date = longDay(textIn(data, 'asOf')) ?? (IsoDate.safeParse(requested).success ? requested : null)
  if (rows.length > 0 && date === null) throw new Unreadable('no_day', `${subject}: neither asOf nor the address tell the day of the rows`)
  const table = calendarTable()
  if (rows.length === 0) table.skip('day_without_reports')
  for (const row of rows) addReport(table, row, date as string)
  return table.parsed()
}

function addReport(table: CalendarTable, row: Row, date: string): void {
  const printed = textIn(row, 'symbol') ?? ''
  const symbol = parseSymbolOn('US', printed)?.symbol
  const time = textIn(row, 'time')
  if (symbol === undefined) {
    table.refuse('earnings_dates', 'bad_symbol', printed || 'no symbol', `a report of ${date} has no symbol of the United States`, row)
    return
  }
  if (time !== null && times[time] === undefined && time !== 'time-not-supplied') table.skip('unknown_time_of_day')
  const estimate = shownDecimal(textIn(row, 'epsForecast'))
  if (estimate === undefined) table.skip('estimate_not_read')
  const timeOfDay = times[time ?? ''] ?? null
  // Printed for past days.
  const actual = shownDecimal(textIn(row, 'eps')) ?? null
  const month = shownMonth(textIn(row, 'fiscalQuarterEnding'))
  table.add(
    'earnings_dates',
    earningsRow({
      symbol,
      source_name: 'nasdaq',
      date,
      mark: timeOfDay !== null ? 'time_of_day' : actual !== null ? 'reported' : 'no_time_of_day',
      ...(month === null ? {} : { report: month }),
      time_of_day: timeOfDay,
      name: textIn(row, 'name'),
      eps_estimate: estimate ?? null,
      // Printed for past days.
      eps_actual: actual,
      estimates: countIn(textIn(row, 'noOfEsts')),
      currency: estimate && textIn(row, 'epsForecast')?.includes('$') ? 'USD' : null,
    }),
  )
}

export const nasdaqEarningsReader = reader('nasdaq.earnings-calendar', 'earnings_dates', {
  reads: url => /^https:\/\/api\.nasdaq\.com\/api\/calendar\/earnings(?:\?|$)/.test(url),
  matches: (head, path) => {
    if (!/^\s*\{\s*"data"\s*:/.test(head)) return false
    const listed = head.includes('"epsForecast"') && head.includes('"noOfEsts"')
    // A day without reports has no columns, and an error no data: the file name identifies the requested calendar.
    const empty = /earnings/i.test(path) && head.includes('"rCode"')
    const refused = /^\s*\{\s*"data"\s*:\s*null\b/.test(head) && head.includes('"bCodeMessage"') && !/ipo/i.test(path)
    return listed || empty || refused
  },
  parse: parseEarnings,
})

/** The meaning of a section of the calendar, and the column that contains its day. */
const sections: readonly { readonly name: string; readonly section: IpoSection; readonly day: string }[] = [
  { name: 'priced', section: 'priced', day: 'pricedDate' },
  { name: 'upcoming', section: 'expected', day: 'expectedPriceDate' },
  { name: 'filed', section: 'filed', day: 'filedDate' },
  { name: 'withdrawn', section: 'withdrawn', day: 'withdrawDate' },
]

function parseIpos(document: RawDocument): Parsed {
  const subject = `nasdaq ${document.url}`
  const data = dataOf(document, subject)
  const table = calendarTable()
  for (const { name, section, day } of sections) {
    const outer = data[name]
    const inner = isObject(outer) && isObject(outer['upcomingTable']) ? outer['upcomingTable'] : outer
    const rows = isObject(inner) ? rowsOf(inner['rows'], `${subject} ${name}`) : []
    if (rows.length === 0) table.skip('section_without_deals')
    for (const row of rows) addDeal(table, row, section, day)
  }
  return table.parsed()
}

function addDeal(table: CalendarTable, row: Row, section: IpoSection, day: string): void {
  const company = textIn(row, 'companyName')
  const subject = textIn(row, 'dealID') ?? company ?? `a deal of ${section}`
  const date = shownDay(textIn(row, day))
  if (company === null || date === null) {
    table.refuse(
      'ipo_events',
      company === null ? 'no_company' : 'no_date',
      subject,
      `${section}: ${company === null ? 'companyName' : day} is missing or unreadable`,
      row,
    )
    return
  }
  const price = shownRange(textIn(row, 'proposedSharePrice'))
  if (price === undefined) table.skip('price_not_read')
  const amount = textIn(row, 'dollarValueOfSharesOffered')
  const symbol = textIn(row, 'proposedTickerSymbol')
  table.add('ipo_events', {
    source_name: 'nasdaq',
    deal: textIn(row, 'dealID') ?? `${symbol ?? ''} ${company}`,
    section,
    company,
    symbol,
    venue: textIn(row, 'proposedExchange'),
    status: section === 'expected' ? 'filed' : section,
    event_date: date,
    filed_date: shownDay(textIn(row, 'filedDate')),
    amended_date: null,
    expected_date: section === 'expected' ? date : null,
    priced_date: section === 'priced' ? date : null,
    withdrawn_date: section === 'withdrawn' ? date : null,
    // Before pricing, a single figure is the proposed price.
    price_low: section === 'priced' ? null : (price?.low ?? null),
    price_high: section === 'priced' ? null : (price?.high ?? null),
    price: section === 'priced' ? (price?.low ?? null) : null,
    shares: shownDecimal(textIn(row, 'sharesOffered')) ?? null,
    amount: shownDecimal(amount) ?? null,
    currency: amount?.includes('$') || price ? 'USD' : null,
  })
}

export const nasdaqIpoReader = reader('nasdaq.ipo-calendar', 'ipo_events', {
  reads: url => /^https:\/\/api\.nasdaq\.com\/api\/ipo\/calendar(?:\?|$)/.test(url),
  matches: (head, path) => {
    if (!/^\s*\{\s*"data"\s*:/.test(head)) return false
    const listed = head.includes('"priced"') && head.includes('"upcomingTable"')
    return listed || (/ipo/i.test(path) && head.includes('"rCode"'))
  },
  parse: parseIpos,
})
