// EODHD: bars of a whole exchange on one day, bars of one symbol. JSON and CSV have the same columns; CSV is the default.

import { Unreadable } from '#schemas/errors.ts'
import { eodhd as spelling } from '#schemas/vendor-spelling.ts'
import { columnName, csvRows, headerOf, jsonOf, objectsOf, pathOf, stem, type TableRow, textIn } from '../csv/body.ts'
import { barTable } from '../csv/cells.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'

const host = /^https:\/\/eodhd\.com\/api\//
/** The boards of the United States are one exchange here; `CC`, `LSE` and others are not covered. */
const exchanges: Readonly<Record<string, 'US' | 'TO' | 'V'>> = {
  US: 'US',
  NYSE: 'US',
  NASDAQ: 'US',
  BATS: 'US',
  AMEX: 'US',
  ARCA: 'US',
  TO: 'TO',
  V: 'V',
}
const bulk = /^https:\/\/eodhd\.com\/api\/eod-bulk-last-day\/([A-Z]+)(?:\?|$)/
export const bulkType = (url: string): string | null => {
  if (!bulk.test(url)) return null
  return URL.parse(url)?.searchParams.get('type') ?? 'eod'
}

/** The rows of a document in either format, cells by `columnName`. */
export function eodhdRows(document: RawDocument, needed: readonly string[]): TableRow[] {
  const [first] = new TextDecoder()
    .decode(document.body.subarray(0, 64))
    .replace(/^\ufeff/, '')
    .trimStart()
  if (first !== '[' && first !== '{') return csvRows(document, needed)
  const value = jsonOf(document)
  return objectsOf(value, `eodhd ${document.url}`).map((row, index) => ({
    cells: Object.fromEntries(Object.keys(row).map(name => [columnName(name), textIn(row, name) ?? ''])),
    at: index + 1,
  }))
}

/** The canonical symbol of a bulk row, or the reason why the row is skipped. */
export function bulkSymbol({ cells }: TableRow, document: RawDocument): { readonly symbol: string } | { readonly skipped: string } {
  const code = cells['exchangeshortname'] || cells['exchange'] || cells['ex'] || bulk.exec(document.url)?.[1] || ''
  const exchange = exchanges[code.toUpperCase()]
  if (!exchange) return { skipped: 'other_exchange' }
  const read = spelling.read(`${cells['code'] ?? ''}.${exchange}`)
  return read ? { symbol: read.symbol } : { skipped: 'unreadable_symbol' }
}

/** The symbol of `/api/eod/AAPL.US`, or of a file named `AAPL.US.json`. */
export function symbolInPath(document: RawDocument): string {
  const name = /^https:/.test(document.url) ? decodeURIComponent(pathOf(document.url).split('/').at(-1) ?? '') : stem(pathOf(document.url))
  const read = spelling.read(name)
  if (read) return read.symbol
  throw new Unreadable('symbol_not_stated', `eodhd ${document.url}: neither the document nor its name gives the symbol, e.g. AAPL.US.json`)
}

const ohlcv = (cells: TableRow['cells']) => ({
  date: cells['date'],
  open: cells['open'],
  high: cells['high'],
  low: cells['low'],
  close: cells['close'],
  volume: cells['volume'],
})

function parseBulk(document: RawDocument): Parsed {
  const table = barTable()
  for (const row of eodhdRows(document, ['code', 'date', 'close'])) {
    const found = bulkSymbol(row, document)
    if ('skipped' in found) table.skip(found.skipped)
    else table.add({ symbol: found.symbol, ...ohlcv(row.cells) }, row.at)
  }
  return table.parsed()
}

function parseSymbolBars(document: RawDocument): Parsed {
  const table = barTable()
  const symbol = symbolInPath(document)
  for (const row of eodhdRows(document, ['date', 'close'])) table.add({ symbol, ...ohlcv(row.cells) }, row.at)
  // As EODHD documents its history: open, high, low and close as traded, volume adjusted for splits.
  return { ...table.parsed(), volumes: 'split_adjusted' }
}

const jsonHas = (head: string, ...names: string[]): boolean =>
  /^\s*\[\s*\{/.test(head) && names.every(name => head.slice(0, 2000).includes(`"${name}"`))

export const eodhdBulkBarsReader = reader('eodhd.bulk_bars', 'bars', {
  reads: url => bulkType(url) === 'eod',
  matches: head => {
    const header = headerOf(head)
    const csv = header[0] === 'code' && header.includes('ex') && header.includes('close')
    return csv || jsonHas(head, 'code', 'exchange_short_name', 'close', 'adjusted_close')
  },
  parse: parseBulk,
})

export const eodhdBarsReader = reader('eodhd.bars', 'bars', {
  reads: url => host.test(url) && /\/api\/eod\/[^/?]+(?:\?|$)/.test(url) && ['d', null].includes(URL.parse(url)?.searchParams.get('period') ?? null),
  matches: head => {
    const header = headerOf(head)
    const csv = header[0] === 'date' && header.includes('adjustedclose') && header.includes('close') && !header.includes('symbol')
    return csv || (jsonHas(head, 'date', 'adjusted_close', 'close') && !head.slice(0, 2000).includes('"code"'))
  },
  parse: parseSymbolBars,
})
