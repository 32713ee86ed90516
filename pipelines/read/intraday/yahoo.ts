// Yahoo's chart at an interval below a day. Prices are divided by every split up to the download, as the daily ones are.
import type { TextJson } from '#schemas/number-text.ts'
import { isList, isObject } from '../csv/body.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { isRecorded } from '../quotes/table.ts'
import { splitBasis } from '../symbols/yahoo-symbol.ts'
import { type IntradaySeries, intervalOf, intradayTable, seenBy } from './table.ts'

type Fields = { readonly [name: string]: TextJson }
type YahooIntraday = {
  readonly document: RawDocument
  readonly symbol: string
  readonly currency: string
  readonly granularity: string
  /** The time of the last regular trade, seconds since 1970; NaN if the document does not state it. */
  readonly marketTime: number
  readonly timestamps: readonly number[]
  readonly result: Fields
  /** True if the range reaches the day of the answer, so that every split is shown. */
  readonly complete: boolean
  /** By how much a bar of that instant was divided, and its price multiplied back. */
  readonly multiplied: (price: string | null, seconds: number) => string | null
  readonly dividedBy: (seconds: number) => number
}

/** The bars of a chart whose granularity is minutes or hours; others (a week, a month) are not supported. */
export function parseYahooIntraday(chart: YahooIntraday): Parsed {
  const { document, symbol, currency, timestamps, result } = chart
  const interval = intervalOf(chart.granularity)
  // A file does not state when it was requested: its data ends with its last trade.
  const seenTo = isRecorded(document) ? (Number.isFinite(chart.marketTime) ? chart.marketTime * 1000 : 0) : seenBy(document)
  const series: IntradaySeries = { symbol, interval: interval ?? '1h', currency, seenTo }
  const table = intradayTable(document, series)
  if (interval === null) {
    if (timestamps.length > 0) table.skip('not_daily', timestamps.length)
    return table.parsed()
  }
  const indicators = isObject(result['indicators']) ? result['indicators'] : {}
  const quote = isList(indicators['quote']) && isObject(indicators['quote'][0]) ? indicators['quote'][0] : {}
  const cell = (name: string, at: number): string | null => {
    const values = quote[name]
    const value = isList(values) ? values[at] : null
    return typeof value === 'string' ? value : null
  }
  for (const [at, seconds] of timestamps.entries()) {
    const price = (name: string): string | null => chart.multiplied(cell(name, at), seconds)
    const by = chart.dividedBy(seconds)
    const volume = cell('volume', at)
    table.add(
      {
        start: Number.isFinite(seconds) ? seconds * 1000 : null,
        open: price('open'),
        high: price('high'),
        low: price('low'),
        close: price('close'),
        volume: by === 1 || volume === null ? volume : String(Math.round(Number(volume) / by)),
      },
      at + 1,
    )
  }
  if (!chart.complete && timestamps.length > 0) table.refuse(splitBasis(0).reason, splitBasis(timestamps.length).detail)
  return table.parsed()
}
