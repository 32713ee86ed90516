// Cells of intraday bars become records: start in UTC, the venue's session, and whether the bar was complete when it was retrieved.

import type { BarInterval, IntradayBar } from '#schemas/intraday.ts'
import { intervalSeconds } from '#schemas/intraday.ts'
import { exchangeOf } from '#schemas/spelling.ts'
import { fitsDouble } from '#schemas/values.ts'
import { instantText, sessionOf, stateAt } from '#warehouse/datasets/quotes/venue-time.ts'
import { decimalOf, isMissing } from '../csv/cells.ts'
import type { Fact, Parsed, RawDocument, Refused } from '../parsed.ts'

type Cell = string | null | undefined
type IntradayCells = {
  readonly start: number | null // ms since 1970
  readonly open: Cell
  readonly high: Cell
  readonly low: Cell
  readonly close: Cell
  readonly volume: Cell
}
export type IntradaySeries = {
  readonly symbol: string // canonical
  readonly interval: BarInterval
  readonly currency: string
  /** Up to when the source had seen trades, ms since 1970: a bar that ends later is partial. */
  readonly seenTo: number
}
export type IntradayTable = {
  readonly add: (cells: IntradayCells, at: number) => void
  readonly skip: (reason: string, rows?: number) => void
  readonly refuse: (reason: string, detail: string, record?: Readonly<Record<string, unknown>> | null) => void
  readonly parsed: (follow?: readonly string[]) => Parsed
}

const spellings: Readonly<Record<string, BarInterval>> = {
  '1m': '1m',
  '1min': '1m',
  '1minute': '1m',
  '5m': '5m',
  '5min': '5m',
  '5minute': '5m',
  '15m': '15m',
  '15min': '15m',
  '15minute': '15m',
  '30m': '30m',
  '30min': '30m',
  '30minute': '30m',
  '60m': '1h',
  '60min': '1h',
  '60minute': '1h',
  '1h': '1h',
  '1hour': '1h',
}
/** The interval that a source's word for it means; null for one that is not kept. */
export const intervalOf = (text: Cell): BarInterval | null => spellings[(text ?? '').toLowerCase()] ?? null

/** The interval of a series that does not name it: the smallest distance between two bars that follow one another. */
export function intervalBetween(starts: readonly (number | null)[]): BarInterval | null {
  let least = Number.POSITIVE_INFINITY
  for (let at = 1; at < starts.length; at += 1) {
    const distance = ((starts[at] ?? 0) - (starts[at - 1] ?? 0)) / 1000
    if (distance > 0 && distance < least) least = distance
  }
  return (Object.entries(intervalSeconds) as [BarInterval, number][]).find(([, seconds]) => seconds === least)?.[0] ?? null
}

/** Vendors show US trades after a quarter of an hour at most; what ended later may still grow. */
export const seenBy = (document: RawDocument, delaySeconds = 900): number => Date.parse(document.retrieved_at) - delaySeconds * 1000

export function intradayTable(document: RawDocument, series: IntradaySeries): IntradayTable {
  const { symbol, interval, currency, seenTo } = series
  const exchange = exchangeOf(symbol)
  const bars: Fact<'intraday_bars'>[] = []
  const taken = new Set<number>()
  const refused: Refused[] = []
  const skipped: Record<string, number> = {}
  const skip: IntradayTable['skip'] = (reason, rows = 1) => {
    skipped[reason] = (skipped[reason] ?? 0) + rows
  }
  const refuse: IntradayTable['refuse'] = (reason, detail, record = null) => {
    refused.push({ dataset: 'intraday_bars', reason, subject: symbol, detail: `${document.source} ${symbol}: ${detail}`, record })
  }

  /** Null if the source has none, undefined if it cannot be read. */
  function price(text: Cell): number | null | undefined {
    if (isMissing(text)) return null
    const decimal = decimalOf(text)
    if (decimal === null || !fitsDouble(decimal) || Number(decimal) < 0) return undefined
    return Number(decimal) === 0 ? null : Number(decimal)
  }
  function shares(text: Cell): number | null {
    const value = isMissing(text) ? Number.NaN : Number(decimalOf(text) ?? Number.NaN)
    return Number.isSafeInteger(value) && value >= 0 ? value : null
  }

  function add(cells: IntradayCells, at: number) {
    const { start } = cells
    if (start === null || Math.abs(start) > 1e13) return refuse('bad_time', `bar ${at} has no time`, { ...cells })
    if (isMissing(cells.close)) return skip('no_trade')
    const [open, high, low, close] = [price(cells.open), price(cells.high), price(cells.low), price(cells.close)]
    const where = `bar ${at} of ${instantText(start)}`
    if (open === undefined || high === undefined || low === undefined || close === undefined || close === null)
      return refuse('bad_number', `${where} has a price that is no decimal above 0`, { ...cells })
    if (high !== null && low !== null && (high < low || close > high * 1.000001 || close < low * 0.999999))
      return refuse('outside_of_range', `${where}: close ${close} is not between low ${low} and high ${high}`, { ...cells })
    // The current row at the end of a chart is not on a whole minute, or is on the close, where no bar begins.
    if (start % 60_000 !== 0) return skip('live_row')
    const volume = shares(cells.volume)
    const { session_date, session } = sessionOf(exchange, start)
    if (session === 'regular' && stateAt(exchange, start) !== 'regular' && (volume ?? 0) === 0) return skip('live_row')
    const state = stateAt(exchange, start)
    if (state === 'closed') return skip('outside_of_sessions')
    if (taken.has(start)) return skip('repeated_row')
    taken.add(start)
    bars.push({
      symbol,
      interval,
      start_at: instantText(start),
      session_date,
      session: state as IntradayBar['session'],
      open,
      high,
      low,
      close,
      volume,
      currency,
      partial: endOf(exchange, start, interval) > seenTo,
      source_name: document.source,
    })
  }
  return {
    add,
    skip,
    refuse,
    parsed: (follow = []) => ({ facts: bars.length === 0 ? {} : { intraday_bars: bars }, refused, skipped, follow }),
  }
}

/** A bar that the close cuts short ends with it. */
function endOf(exchange: ReturnType<typeof exchangeOf>, start: number, interval: BarInterval): number {
  const end = start + intervalSeconds[interval] * 1000
  if (stateAt(exchange, start) !== 'regular') return end
  let close = end
  while (close > start && stateAt(exchange, close - 60_000) !== 'regular') close -= 60_000
  return close
}
