// Lean's map files: the tickers of a US instrument with their last days, oldest first, no header (`20041130,qqq,Q`). The first row is the
// first day; the last one is in 2050 while the instrument trades. The file's name is the last ticker.
import { addDays } from '#schemas/days.ts'
import { Unreadable } from '#schemas/errors.ts'
import { parseSymbolOn, splitSymbol } from '#schemas/spelling.ts'
import { calendarYears, nextSession } from '#warehouse/rulesets/exchange-calendars/calendar.ts'
import type { Parsed, RawDocument, Reader, Rename } from '../parsed.ts'
import { reader } from '../reader.ts'
import { csvRows, dayOf, documentText, isDay, listingBox, parsedSymbols } from './document.ts'
import { usType } from './names.ts'

const mics: Readonly<Record<string, string>> = { N: 'XNYS', Q: 'XNAS', P: 'ARCX', A: 'XASE', Z: 'BATS', V: 'IEXG' }
const open = '2050'
const line = /^\d{8},[A-Za-z0-9.\-/]{1,16}(?:,[A-Z]?)?$/

type Row = { readonly date: string; readonly ticker: string; readonly symbol: string; readonly mic: string | null }
/** A stretch of days, both ends included, under one ticker. */
type TickerSpan = Row & { readonly first: string; readonly last: string | null }

/** The first session after the last one of a ticker; the calendar day if the calendar does not cover it. */
function startAfter(date: string): string {
  const { from, to } = calendarYears('US')
  if (date > from && date < to) return nextSession('US', date)
  return addDays(date, 1)
}

function tickerSpans(rows: readonly Row[]): TickerSpan[] {
  const spans: TickerSpan[] = []
  for (const [at, row] of rows.slice(1).entries()) {
    const before = rows[at]!
    const first = at === 0 ? before.date : startAfter(before.date)
    const last = row.date.startsWith(open) ? null : row.date
    const current = spans.at(-1)
    if (current?.symbol === row.symbol) spans[spans.length - 1] = { ...current, ...row, last }
    else spans.push({ ...row, first, last })
  }
  return spans
}

function parse(document: RawDocument): Parsed {
  const box = listingBox()
  const rows: Row[] = []
  for (const [index, [day = '', ticker = '', exchange = '']] of csvRows(documentText(document, 'lean map')).entries()) {
    const date = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`
    const parsed = parseSymbolOn('US', ticker)
    if (parsed && isDay(date)) rows.push({ date, ticker, symbol: parsed.symbol, mic: mics[exchange] ?? null })
    else box.refuse('unreadable_row', `lean map line ${index + 1}: "${day},${ticker}"`, ticker || `line ${index + 1}`, { day, ticker, exchange })
  }
  rows.sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0))
  if (rows.length < 2) throw new Unreadable('too_short', `lean map ${document.url}: ${rows.length} rows; a first and a last day were expected`)
  const spans = tickerSpans(rows)
  for (const { ticker, symbol, mic, first, last } of spans) {
    const type = usType({ marks: splitSymbol(symbol).marks, name: '', issuer: null }, { etf: false, nextShares: false })
    const listing = {
      symbol,
      exchange: 'US' as const,
      source_symbol: ticker,
      mic,
      name: '',
      issuer: null,
      type,
      currency: 'USD',
      cik: null,
      etf: false,
    }
    box.add({ ...listing, first_date: first, last_date: last })
  }
  const renames = spans
    .slice(1)
    .map(({ symbol, first }, at): Rename => ({ exchange: 'US', from: spans[at]!.symbol, to: symbol, date: first, name: null }))
  const { listings, refused, skipped } = box
  return parsedSymbols({ directories: [{ date: dayOf(document), scope: [], listings }], renames, refused, skipped })
}

export const leanMapReaders: readonly Reader[] = [
  reader('lean.map', 'symbols', {
    reads: url => /(?:map_files\/[^/]+|-map)\.csv$/.test(url), // files only
    matches: head => {
      const lines = head
        .replace(/^\uFEFF/, '')
        .split(/\r?\n/, 3)
        .filter(text => text !== '')
      return lines.length >= 2 && lines.every(text => line.test(text)) && /^\d{8},[A-Za-z]/.test(lines[0]!)
    },
    parse,
  }),
]
