// Intraday bars of EODHD, Polygon and Tiingo: raw, with start times in UTC. The symbol and the interval are in the address; a file
// without one is named after its symbol, and its interval is the distance of its bars.

import { Unreadable } from '#schemas/errors.ts'
import type { BarInterval } from '#schemas/intraday.ts'
import type { TextJson } from '#schemas/number-text.ts'
import type { ParsedSymbol } from '#schemas/spelling.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { eodhd as eodhdSpelling, tiingo as tiingoSpelling } from '#schemas/vendor-spelling.ts'
import { isObject, jsonOf, objectsOf, pathOf, stem, textIn } from '../csv/body.ts'
import { currencyOf } from '../csv/cells.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { epochMs, isoMs } from '../quotes/table.ts'
import { reader } from '../reader.ts'
import { type IntradayTable, intervalBetween, intervalOf, intradayTable, seenBy } from './table.ts'

type Row = { readonly [name: string]: TextJson }
type Found = { readonly symbol: string; readonly interval: BarInterval }

function found(document: RawDocument, listing: ParsedSymbol | null, requested: string | null, starts: readonly (number | null)[]): Found {
  const subject = `${document.source} ${document.url}`
  if (!listing) throw new Unreadable('symbol_not_stated', `${subject}: neither the address nor the name of the file gives the symbol`)
  const interval = requested === null ? intervalBetween(starts) : intervalOf(requested)
  if (interval === null)
    throw new Unreadable('interval_not_kept', `${subject}: bars of ${requested ?? 'no known'} interval; kept are 1m, 5m, 15m, 30m and 1h`)
  return { symbol: listing.symbol, interval }
}
const tableOf = (document: RawDocument, { symbol, interval }: Found): IntradayTable =>
  intradayTable(document, { symbol, interval, currency: currencyOf(symbol), seenTo: seenBy(document) })
const query = (url: string, name: string): string | null => URL.parse(url)?.searchParams.get(name) ?? null

const eodhdUrl = /^https:\/\/eodhd\.com\/api\/intraday\/([^/?]+)(?:\?|$)/
function parseEodhd(document: RawDocument): Parsed {
  const rows = objectsOf(jsonOf(document), `eodhd ${document.url}`)
  const starts = rows.map(row => epochMs(textIn(row, 'timestamp')))
  const name = decodeURIComponent(eodhdUrl.exec(document.url)?.[1] ?? stem(pathOf(document.url)))
  const series = found(document, eodhdSpelling.read(name), query(document.url, 'interval'), starts)
  const table = tableOf(document, series)
  for (const [at, row] of rows.entries()) table.add({ start: starts[at] ?? null, ...ohlcv(row, 'open', 'high', 'low', 'close', 'volume') }, at + 1)
  return table.parsed()
}
const ohlcv = (row: Row, open: string, high: string, low: string, close: string, volume: string) => ({
  open: textIn(row, open),
  high: textIn(row, high),
  low: textIn(row, low),
  close: textIn(row, close),
  volume: textIn(row, volume),
})

const polygonUrl = /^https:\/\/api\.polygon\.io\/v2\/aggs\/ticker\/([^/?]+)\/range\/(\d+)\/(minute|hour)\//
function parsePolygon(document: RawDocument): Parsed {
  const value = jsonOf(document)
  if (!isObject(value) || (value['results'] === undefined && value['resultsCount'] === undefined))
    throw new Unreadable('not_aggregates', `polygon ${document.url}: an object with results was expected`)
  const rows = objectsOf(value['results'] ?? [], `polygon ${document.url}`)
  const requested = polygonUrl.exec(document.url)
  const starts = rows.map(row => epochMs(textIn(row, 't')))
  const listing = parseSymbol(`US:${textIn(value, 'ticker') ?? decodeURIComponent(requested?.[1] ?? '')}`)
  if (rows.length === 0) return { facts: {}, refused: [], skipped: {}, follow: [] }
  if (value['adjusted'] !== false) {
    const detail = `polygon ${document.url}: ${rows.length} bars are adjusted for splits, or not marked as unadjusted; request adjusted=false`
    const refused = [{ dataset: 'intraday_bars' as const, reason: 'adjusted_prices', subject: listing?.symbol ?? '', detail, record: null }]
    return { facts: {}, refused, skipped: { adjusted_prices: rows.length }, follow: [] }
  }
  const table = tableOf(document, found(document, listing, requested ? `${requested[2]}${requested[3]}` : null, starts))
  for (const [at, row] of rows.entries()) table.add({ start: starts[at] ?? null, ...ohlcv(row, 'o', 'h', 'l', 'c', 'v') }, at + 1)
  const next = textIn(value, 'next_url')
  return table.parsed(next === null ? [] : [next])
}

const tiingoUrl = /^https:\/\/api\.tiingo\.com\/iex\/([^/?]+)\/prices(?:\?|$)/
/** Trades at IEX only, so the volume, if requested, is dropped. */
function parseTiingo(document: RawDocument): Parsed {
  const rows = objectsOf(jsonOf(document), `tiingo ${document.url}`)
  const starts = rows.map(row => isoMs(textIn(row, 'date')))
  const name = decodeURIComponent(tiingoUrl.exec(document.url)?.[1] ?? stem(pathOf(document.url)))
  if (rows.length === 0) return { facts: {}, refused: [], skipped: {}, follow: [] }
  const series = found(document, tiingoSpelling.read(name), query(document.url, 'resampleFreq'), starts)
  const table = tableOf(document, series)
  for (const [at, row] of rows.entries()) {
    if (textIn(row, 'volume') !== null) table.skip('volume_of_one_venue_left_out')
    table.add({ start: starts[at] ?? null, ...ohlcv(row, 'open', 'high', 'low', 'close', ''), volume: null }, at + 1)
  }
  return table.parsed()
}

export const eodhdIntradayReader = reader('eodhd.intraday', 'intraday_bars', {
  reads: url => eodhdUrl.test(url),
  matches: head => /^\s*\[\s*\{/.test(head) && /"timestamp"\s*:\s*\d+\s*,\s*"gmtoffset"\s*:/.test(head) && /"datetime"\s*:/.test(head),
  parse: parseEodhd,
})
export const polygonIntradayReader = reader('polygon.intraday', 'intraday_bars', {
  reads: url => polygonUrl.test(url),
  matches: (head, path) => /^\s*\{/.test(head) && /range__?\d+__?(?:minute|hour)/.test(path) && head.includes('"adjusted"'),
  parse: parsePolygon,
})
export const tiingoIntradayReader = reader('tiingo.iex_intraday', 'intraday_bars', {
  reads: url => tiingoUrl.test(url),
  matches: head =>
    /^\s*\[\s*\{\s*"date"\s*:\s*"\d{4}-\d\d-\d\dT/.test(head) &&
    !/^\s*\[\s*\{\s*"date"\s*:\s*"[\d-]{10}T00:00:00/.test(head) &&
    !/divCash/i.test(head),
  parse: parseTiingo,
})
