// Polygon's snapshots (last trade, bid and ask, the day so far), its market status and its daily open and close.

import { Unreadable } from '#schemas/errors.ts'
import type { TextJson } from '#schemas/number-text.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { calendarYears, halfDaysOf, isSession } from '#warehouse/rulesets/exchange-calendars/calendar.ts'
import { isObject, jsonOf, objectsOf, textIn } from '../csv/body.ts'
import { barTable, dayOf } from '../csv/cells.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'
import { epochMs, type QuoteTable, quoteTable } from './table.ts'

type Row = { readonly [name: string]: TextJson }
const part = (row: Row, name: string): Row => (isObject(row[name]) ? row[name] : {})

/** `p` and `s` of lastQuote are the bid and its size, `P` and `S` the ask's. If the plan has no trades, the last minute is used. */
function addSnapshot(table: QuoteTable, row: Row, delayed: boolean, at: number) {
  const listing = parseSymbol(`US:${textIn(row, 'ticker') ?? ''}`)
  if (!listing) return table.skip('unreadable_symbol')
  const [day, before, trade, book, minute] = ['day', 'prevDay', 'lastTrade', 'lastQuote', 'min'].map(name => part(row, name)) as [
    Row,
    Row,
    Row,
    Row,
    Row,
  ]
  const tradeTime = epochMs(textIn(trade, 't'))
  const minuteTime = epochMs(textIn(minute, 't'))
  const byTrade = textIn(trade, 'p') !== null && tradeTime !== null
  const bookTime = epochMs(textIn(book, 't'))
  const time = byTrade ? tradeTime : minuteTime === null ? bookTime : minuteTime + 60_000
  if (time === null) return table.skip('no_price')
  table.add(
    {
      symbol: listing.symbol,
      time,
      price: byTrade ? textIn(trade, 'p') : textIn(minute, 'c'),
      bid: textIn(book, 'p'),
      ask: textIn(book, 'P'),
      bid_size: textIn(book, 's'),
      ask_size: textIn(book, 'S'),
      book_time: bookTime,
      open: textIn(day, 'o'),
      high: textIn(day, 'h'),
      low: textIn(day, 'l'),
      previous_close: textIn(before, 'c'),
      volume: textIn(day, 'v'),
      currency: 'USD',
      delay_seconds: delayed ? 900 : null,
    },
    at,
  )
}

function parseSnapshot(document: RawDocument): Parsed {
  const value = jsonOf(document)
  if (!isObject(value) || (!isObject(value['ticker']) && value['tickers'] === undefined))
    throw new Unreadable('not_a_snapshot', `polygon ${document.url}: no member ticker or tickers`)
  const rows = isObject(value['ticker']) ? [value['ticker']] : objectsOf(value['tickers'], `polygon ${document.url}`)
  const table = quoteTable(document)
  for (const [at, row] of rows.entries()) addSnapshot(table, row, textIn(value, 'status') === 'DELAYED', at + 1)
  return table.parsed()
}

/** Polygon's coming days are compared with our calendar: a difference is reported to the operator, never applied silently. */
function parseStatus(document: RawDocument): Parsed {
  const value = jsonOf(document)
  const table = quoteTable(document)
  if (isObject(value)) {
    if (textIn(value, 'market') === null) throw new Unreadable('not_a_status', `polygon ${document.url}: no member market`)
    table.skip('market_status')
    return table.parsed()
  }
  for (const [at, row] of objectsOf(value, `polygon ${document.url}`).entries()) {
    const [date, status] = [dayOf(textIn(row, 'date')), textIn(row, 'status')]
    const venue = textIn(row, 'exchange') ?? ''
    if (date === null || status === null) table.refuse('bad_row', venue, `row ${at + 1} has no day and status`, row)
    else if (!/^(?:NYSE|NASDAQ)$/.test(venue)) table.skip('other_exchange')
    else if (date < calendarYears('US').from || date > calendarYears('US').to) table.skip('beyond_the_calendar')
    else {
      const ours = !isSession('US', date)
        ? 'closed'
        : halfDaysOf('US', Number(date.slice(0, 4))).some(day => day.date === date)
          ? 'early-close'
          : 'open'
      if (ours === status) table.skip('agrees_with_the_calendar')
      else table.refuse('calendar_differs', venue, `${venue} on ${date}: "${status.slice(0, 20)}", our calendar has ${ours}`, row)
    }
  }
  return table.parsed()
}

const openClose = /^https:\/\/api\.polygon\.io\/v1\/open-close\/([^/?]+)\/(\d{4}-\d\d-\d\d)(?:\?(.*))?$/

/** A daily bar of one symbol. The document does not say whether it is adjusted; the address does, and by default it is. */
function parseOpenClose(document: RawDocument): Parsed {
  const value = jsonOf(document)
  const table = barTable()
  const listing = isObject(value) ? parseSymbol(`US:${textIn(value, 'symbol') ?? ''}`) : null
  if (!isObject(value) || !listing) throw new Unreadable('not_an_open_close', `polygon ${document.url}: no symbol`)
  if (new URLSearchParams(openClose.exec(document.url)?.[3] ?? '').get('adjusted') === 'false') {
    const cell = (name: string): string | null => textIn(value, name)
    table.add(
      {
        symbol: listing.symbol,
        date: cell('from'),
        open: cell('open'),
        high: cell('high'),
        low: cell('low'),
        close: cell('close'),
        volume: cell('volume'),
      },
      1,
    )
  } else {
    table.refuse('adjusted_prices', listing.symbol, 'the day is adjusted for splits, or not marked as unadjusted; request adjusted=false', value)
    table.skip('adjusted_prices')
  }
  return table.parsed()
}

export const polygonSnapshotReader = reader('polygon.snapshot', 'quotes', {
  reads: url => /^https:\/\/api\.polygon\.io\/v2\/snapshot\/locale\/us\/markets\/stocks\//.test(url),
  matches: head => /^\s*\{/.test(head) && /"prevDay"\s*:/.test(head) && /"tickers?"\s*:\s*[[{]/.test(head),
  parse: parseSnapshot,
})
export const polygonStatusReader = reader('polygon.market_status', 'quotes', {
  reads: url => /^https:\/\/api\.polygon\.io\/v1\/marketstatus\/(?:now|upcoming)(?:\?|$)/.test(url),
  matches: head => {
    const now = /^\s*\{/.test(head) && /"serverTime"\s*:/.test(head) && /"exchanges"\s*:\s*\{/.test(head)
    const upcoming = /^\s*\[\s*\{/.test(head) && /"status"\s*:\s*"(?:closed|early-close)"/.test(head) && /"exchange"\s*:/.test(head)
    return now || upcoming
  },
  parse: parseStatus,
})
export const polygonOpenCloseReader = reader('polygon.open_close', 'quotes', {
  reads: url => openClose.test(url),
  matches: head =>
    /^\s*\{/.test(head) && /"from"\s*:\s*"\d{4}-\d\d-\d\d"/.test(head.slice(0, 1000)) && /"(?:afterHours|preMarket)"\s*:/.test(head.slice(0, 1000)),
  parse: parseOpenClose,
})
