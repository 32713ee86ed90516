// Cells of quotes become records: units converted to whole ones, placeholder zeros omitted, and the time checked against the
// venue's calendar. A quote without a price, a bid and an ask is not a quote; one without a time is refused, never dated.

import type { Quote, QuoteSession, QuoteTimeBasis } from '#schemas/quotes.ts'
import { exchangeOf } from '#schemas/spelling.ts'
import { fitsDouble } from '#schemas/values.ts'
import { hoursOf, instantText, lastTradingInstant, sessionOf } from '#warehouse/datasets/quotes/venue-time.ts'
import { quoteRules, unitOf } from '#warehouse/rulesets/quotes/rules.ts'
import { decimalOf, isMissing } from '../csv/cells.ts'
import type { Fact, Parsed, RawDocument, Refused } from '../parsed.ts'

type Cell = string | null | undefined
export type QuoteCells = {
  readonly symbol: string // canonical
  /** The time of the price, ms since 1970; a day if the source prints only that; null if it prints nothing. */
  readonly time: number | string | null
  /** Set if the source states which session the price belongs to. */
  readonly session?: QuoteSession
  readonly price: Cell
  readonly regular_price?: Cell
  /** The time of the regular price, ms since 1970, if the source prints it. */
  readonly regular_time?: number | null
  readonly bid?: Cell
  readonly ask?: Cell
  readonly bid_size?: Cell
  readonly ask_size?: Cell
  readonly book_time?: number | null
  readonly open?: Cell
  readonly high?: Cell
  readonly low?: Cell
  readonly previous_close?: Cell
  readonly volume?: Cell
  readonly currency: string // as printed
  readonly halted?: boolean | null
  readonly delay_seconds?: number | null
}
export type QuoteTable = {
  readonly add: (cells: QuoteCells, at: number) => void
  readonly skip: (reason: string, rows?: number) => void
  readonly refuse: (reason: string, subject: string, detail: string, record?: Readonly<Record<string, unknown>> | null) => void
  readonly parsed: () => Parsed
}

/** Seconds, milliseconds, microseconds or nanoseconds since 1970, distinguished by their size, in ms; null for anything else. */
export function epochMs(text: Cell): number | null {
  const value = text === null || text === undefined || text.trim() === '' ? Number.NaN : Number(text)
  if (!Number.isFinite(value) || value <= 0) return null
  const ms = value < 1e11 ? value * 1000 : value < 1e14 ? value : value < 1e17 ? value / 1e3 : value / 1e6
  return ms < 1e13 ? Math.floor(ms) : null
}

/** The instant of a text such as `2019-01-30T10:33:38.186520297-05:00`, in ms; null for other text or without a zone. */
export function isoMs(text: Cell): number | null {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,3})\d{0,9})?(Z|[+-]\d\d:\d\d)$/.exec(text?.trim() ?? '')
  const at = match ? Date.parse(`${match[1]}.${(match[2] ?? '0').padEnd(3, '0')}${match[3]}`) : Number.NaN
  return Number.isFinite(at) ? at : null
}

/** True for a file of a folder: it does not state when it was requested, so nothing is dated by that. */
export const isRecorded = (document: RawDocument): boolean =>
  document.headers['x-crossfile-recorded'] !== undefined || document.url.startsWith('recorded:')

/** The day in the name of a recorded file, `getQuoteBySymbol_SHOP_2024-06-27.json`; null if the name has none. */
const dayInName = (document: RawDocument): string | null =>
  /(?<!\d)(\d{4}-\d\d-\d\d)(?!\d)/.exec(document.headers['x-crossfile-recorded'] ?? document.url)?.[1] ?? null

type Dated = Pick<Quote, 'quoted_at' | 'time_basis' | 'session_date' | 'session'>
type Doubt = { readonly reason: string; readonly detail: string }

/** `delaySeconds` is subtracted if the source prints no time: the shown price is at least that old. */
function dated(document: RawDocument, cells: QuoteCells): Dated | Doubt {
  const exchange = exchangeOf(cells.symbol)
  const retrieved = Date.parse(document.retrieved_at)
  // A response that last changed before the request contains nothing newer than that change.
  const changed = Date.parse(document.headers['last-modified'] ?? '')
  const shown = (changed < retrieved ? changed : retrieved) - (cells.delay_seconds ?? 0) * 1000
  if (typeof cells.time === 'number') {
    if (cells.time > retrieved + quoteRules.time_tolerance_seconds * 1000)
      return { reason: 'time_ahead', detail: `its time ${instantText(cells.time)} is after our asking at ${document.retrieved_at}` }
    const placed = sessionOf(exchange, cells.time)
    return { quoted_at: instantText(cells.time), time_basis: 'trade', ...placed, ...(cells.session ? { session: cells.session } : {}) }
  }
  const day = cells.time ?? (isRecorded(document) ? dayInName(document) : null)
  if (day !== null) {
    const hours = hoursOf(exchange, day)
    if (!hours || hours.open > shown) return { reason: 'not_a_session', detail: `${day} is no session of its exchange up to ${instantText(shown)}` }
    return placedAt(Math.min(hours.close, shown), 'day', day)
  }
  if (isRecorded(document)) return { reason: 'time_not_stated', detail: 'neither the quote nor the name of the file gives its time' }
  const at = lastTradingInstant(exchange, shown)
  return placedAt(at, 'asked', sessionOf(exchange, at).session_date)
}
const placedAt = (at: number, time_basis: QuoteTimeBasis, session_date: string): Dated => ({
  quoted_at: instantText(at),
  time_basis,
  session_date,
  session: 'regular',
})

/** Bid, ask and the day's range, of vendors that name them alike. `book`: when bid and ask were valid, in ms. */
export const bookAndRange = (cell: (name: string) => string | null, book: number | null) => ({
  bid: cell('bidPrice'),
  ask: cell('askPrice'),
  bid_size: cell('bidSize'),
  ask_size: cell('askSize'),
  book_time: book,
  open: cell('open'),
  high: cell('high'),
  low: cell('low'),
})

export function quoteTable(document: RawDocument): QuoteTable {
  const { source } = document
  const quotes: Fact<'quotes'>[] = []
  const refused: Refused[] = []
  const skipped: Record<string, number> = {}
  const skip: QuoteTable['skip'] = (reason, rows = 1) => {
    skipped[reason] = (skipped[reason] ?? 0) + rows
  }
  const refuse: QuoteTable['refuse'] = (reason, subject, detail, record = null) => {
    refused.push({ dataset: 'quotes', reason, subject, detail: `${source} ${subject}: ${detail}`, record })
  }

  /** The price in whole units; null if the source has none; undefined if it cannot be read, which is reported. */
  function price(cells: QuoteCells, name: PriceName, minor: boolean, at: number): number | null | undefined {
    const text = cells[name]
    if (isMissing(text)) return null
    const plain = decimalOf(text)
    const decimal = plain !== null && minor ? decimalOf(`${plain}e-2`) : plain
    if (decimal === null || Number(decimal) < 0 || !fitsDouble(decimal)) {
      refuse('bad_number', cells.symbol, `quote ${at} has ${name} "${String(text).slice(0, 40)}", expected a price`, { ...cells })
      return undefined
    }
    if (Number(decimal) > 0) return Number(decimal)
    skip('zero_price_taken_as_missing')
    return null
  }
  function count(text: Cell): number | null {
    if (isMissing(text)) return null
    const value = Number(decimalOf(text) ?? Number.NaN)
    if (Number.isSafeInteger(value) && value >= 0) return value
    skip('bad_count_taken_as_missing')
    return null
  }

  /** Before the open the day's figures that sources print are still those of the session before, whose close is then the previous one. */
  function ofItsDay(cells: QuoteCells, { regular_price, open, high, low, previous_close }: Prices<never>, date: string) {
    const regular = cells.regular_time ?? null
    const before = regular !== null && sessionOf(exchangeOf(cells.symbol), regular).session_date < date
    return before
      ? { regular_price: null, open: null, high: null, low: null, previous_close: regular_price ?? previous_close, volume: false }
      : { regular_price, open, high, low, previous_close, volume: true }
  }

  function add(cells: QuoteCells, at: number) {
    const unit = unitOf(cells.currency)
    if (!unit) return refuse('unknown_unit', cells.symbol, `quoted in "${cells.currency.slice(0, 10)}", expected an ISO 4217 currency`, { ...cells })
    const prices = Object.fromEntries(priceNames.map(name => [name, price(cells, name, unit.minor !== null, at)])) as Prices<undefined>
    if (priceNames.some(name => prices[name] === undefined)) return
    const found = prices as Prices<never>
    if (found.price === null && found.bid === null && found.ask === null) return skip('no_price')
    // Such a source continues to print the price of an earlier session, without stating which.
    if (cells.time === null && !isRecorded(document) && count(cells.volume) === 0) return skip('no_trade_of_the_session')
    const time = dated(document, cells)
    if ('reason' in time) return refuse(time.reason, cells.symbol, time.detail, { ...cells })
    const { price: last, bid, ask } = found
    const { regular_price, open, high, low, previous_close, volume } = ofItsDay(cells, found, time.session_date)
    quotes.push({
      symbol: cells.symbol,
      source_name: source,
      ...time,
      price: last,
      regular_price: regular_price === last ? null : regular_price,
      bid,
      ask,
      bid_size: bid === null ? null : count(cells.bid_size),
      ask_size: ask === null ? null : count(cells.ask_size),
      book_at: cells.book_time === null || cells.book_time === undefined ? null : instantText(cells.book_time),
      open,
      high,
      low,
      previous_close,
      volume: volume ? count(cells.volume) : null,
      currency: unit.currency,
      minor_unit: unit.minor,
      halted: cells.halted ?? null,
      delay_seconds: cells.delay_seconds ?? null,
    })
  }
  return { add, skip, refuse, parsed: () => ({ facts: quotes.length === 0 ? {} : { quotes }, refused, skipped, follow: [] }) }
}

const priceNames = ['price', 'regular_price', 'bid', 'ask', 'open', 'high', 'low', 'previous_close'] as const
type PriceName = (typeof priceNames)[number]
type Prices<Unread> = { readonly [N in PriceName]: number | null | Unread }
