// The files of `crossfile adjust` in vendors' formats: any document that a reader recognises may serve as bars or actions,
// and a vendor's adjusted column, or Lean's factor table, as the expected series.
import { BadRequest, CrossfileError, Unreadable } from '#schemas/errors.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import type { Ohlcv } from '#warehouse/datasets/prices/adjust.ts'
import { dateIn } from '#warehouse/rulesets/exchange-calendars/calendar.ts'
import { barReaders } from '../../read/bars/readers.ts'
import { corporateActionReaders } from '../../read/corporate-actions/readers.ts'
import { fileName, stem } from '../../read/csv/body.ts'
import type { Parsed, RawDocument, Reader } from '../../read/parsed.ts'
import { some } from '../output.ts'
import { type ActionRow, type BarFile, type Note, unnamed } from './adjust-files.ts'

/** A file has no retrieval day: this one is far ahead, so that no bar counts as taken before its close. */
const retrieved = '2100-01-01T00:00:00Z'
/** Read line by line with separate messages (adjust-files.ts). */
const plain = new Set(['csv.actions'])

/** The content of a vendor's document, null if the file is a plain table. Throws `BadRequest` with the vendor's refusal. */
function vendorDocument(
  file: string,
  text: string,
  readers: readonly Reader[],
  wanted: string | null,
): { readonly reader: Reader; readonly parsed: Parsed } | null {
  const own = fileName(file.replaceAll('\\', '/'))
  const ending = /\.[a-z]+$/i.exec(own)?.[0] ?? ''
  // Documents of one symbol do not name it: their file name does, or the option (EODHD also spells the exchange of the United States).
  const names = wanted === null ? [own] : [`${wanted}${ending}`, `${wanted}.US${ending}`, own]
  const head = text.slice(0, 65_536)
  for (const reader of readers) {
    if (plain.has(reader.name)) continue
    let failure: CrossfileError | null = null
    for (const name of names) {
      const url = reader.recognise(name, head)
      if (url === null) continue
      const attempt = parsedAs(reader, url, text)
      if (!(attempt instanceof CrossfileError)) return { reader, parsed: attempt }
      failure ??= attempt
      if (!(attempt instanceof Unreadable && attempt.reason === 'symbol_not_stated')) break
    }
    if (failure)
      throw new BadRequest(`${file}: read as ${reader.name}: ${failure.message}`, {
        hint:
          wanted === null
            ? 'give the document as its source sent it, and --symbol if its name does not give the symbol'
            : 'give the document as its source sent it',
        cause: failure,
      })
  }
  return null
}

function parsedAs(reader: Reader, url: string, text: string): Parsed | CrossfileError {
  const body = new TextEncoder().encode(text)
  const document: RawDocument = { sha256: '', source: reader.source, url, retrieved_at: retrieved, status: 200, headers: {}, body }
  try {
    return reader.parse(document)
  } catch (error) {
    if (error instanceof CrossfileError) return error
    throw error
  }
}

/** The requested symbol of a document: `--symbol`, the one in the file name, or the only one. */
function chosen(file: string, symbols: readonly string[], wanted: string | null): string {
  const named = wanted ?? parseSymbol(stem(file.replaceAll('\\', '/')))?.symbol ?? null
  if (named !== null && symbols.includes(named)) return named
  if (symbols.length === 1 && wanted === null) return symbols[0]!
  const some = symbols.slice(0, 8).join(', ')
  if (wanted !== null) throw new BadRequest(`${file}: it has no rows of ${wanted}`, { hint: `it has ${some || 'no symbol at all'}` })
  throw new BadRequest(`${file}: holds ${symbols.length} symbols`, { hint: `say which: --symbol ${symbols[0] ?? 'RY.TO'}; it has ${some}` })
}

const notesOf = (parsed: Parsed): Note[] => [
  ...parsed.refused.map(({ reason, detail }) => ({ line: 0, reason, detail })),
  ...Object.entries(parsed.skipped).map(([reason, rows]) => ({ line: 0, reason, detail: some(rows, 'row was left out', 'rows were left out') })),
]

export type VendorBars = BarFile & { readonly symbol: string; readonly reader: string }

/** Bars from a vendor's document; null if the file is a plain table. */
export function vendorBars(file: string, text: string, wanted: string | null): VendorBars | null {
  // A table of one symbol is read by its columns, whichever vendor wrote it: the messages name lines.
  const header = text.replace(/^\ufeff?\s*/, '').split(/\r?\n/, 1)[0] ?? ''
  if (!/^[[{]/.test(header) && /\bdate(?:time)?\b/i.test(header) && !/(?:^|[,;\t|])"?(?:symbol|ticker|code)"?[,;\t|]/i.test(header)) return null
  const found = vendorDocument(file, text, barReaders, wanted)
  if (!found) return null
  const { reader, parsed } = found
  const all = parsed.bars ?? []
  const notes = notesOf(parsed)
  if (all.length === 0) {
    const why = notes[0] ? `${notes[0].reason}: ${notes[0].detail}` : 'it has no bar'
    throw new BadRequest(`${file}: no bars (${reader.name}): ${why}`, { hint: 'give bars as traded, not adjusted ones' })
  }
  const symbol = chosen(file, [...new Set(all.map(bar => bar.symbol))], wanted)
  const own = all.filter(bar => bar.symbol === symbol).sort((a, b) => (a.date < b.date ? -1 : 1))
  const bars = own.map(({ date, open, high, low, close, volume }): Ohlcv => ({ date, open, high, low, close, volume }))
  return { bars, currency: own[0]?.currency ?? null, notes, symbol, reader: reader.name }
}

/** Actions from a vendor's document, numbered from `from`; null if the file is a plain table. */
export function vendorActions(file: string, text: string, symbol: string, from: number): { actions: ActionRow[]; notes: Note[] } | null {
  const found = vendorDocument(file, text, [...corporateActionReaders, ...barReaders], symbol === unnamed ? null : symbol)
  if (!found) return null
  const { parsed, reader } = found
  const all = parsed.facts.corporate_actions ?? []
  const symbols = [...new Set(all.map(action => action.symbol))]
  // Lean and others keep the symbol in the file name, which may differ from that of the bars.
  const own = all.filter(action => action.symbol === symbol)
  const taken = own.length > 0 || symbols.length !== 1 ? own : all
  const others = all.length - taken.length
  const notes = notesOf({ ...parsed, skipped: {} }).filter(note => note.reason !== 'split_basis_unverified')
  if (others > 0)
    notes.push({ line: 0, reason: 'other_symbols', detail: `${some(others, 'action')} of symbols other than ${symbol} (${reader.name})` })
  return { actions: taken.map((action, at) => ({ ...action, symbol, sequence: from + at, line: from + at })), notes }
}

type Closes = ReadonlyMap<string, number>
const number = (value: unknown): number =>
  typeof value === 'number' ? value : typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
const objectOf = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null

/**
 * Adjusted closes from a vendor's document: the adjusted column of JSON rows, of Alpha Vantage's days and Yahoo's chart, or
 * Lean's factor table times the raw bars. Null if the file is a plain table.
 */
export function vendorExpected(file: string, text: string, bars: readonly Ohlcv[]): Closes | null {
  if (/^\ufeff?\d{8},[\d.]+,[\d.]+(?:,|\r?\n)/.test(text)) return leanExpected(text, bars)
  if (!/^\s*[[{]/.test(text)) return null
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new BadRequest(`${file}: looks like JSON but is invalid or truncated`, { hint: 'give the document as its source sent it', cause })
  }
  const closes = Array.isArray(value) ? rowCloses(value) : (alphaVantageCloses(value) ?? chartCloses(value))
  if (closes === null || closes.size === 0)
    throw new BadRequest(`${file}: no adjusted closes in this JSON`, {
      hint: 'known: rows with date and adjusted_close or adjClose, Alpha Vantage daily adjusted, Yahoo chart',
    })
  return closes
}

function rowCloses(rows: readonly unknown[]): Closes {
  const closes = new Map<string, number>()
  for (const row of rows) {
    const cells = objectOf(row)
    const date = String(cells?.['date'] ?? '').slice(0, 10)
    const close = number(cells?.['adjusted_close'] ?? cells?.['adjClose'] ?? cells?.['adj_close'] ?? cells?.['adjustedClose'])
    if (/^\d{4}-\d\d-\d\d$/.test(date) && Number.isFinite(close)) closes.set(date, close)
  }
  return closes
}
function alphaVantageCloses(value: unknown): Closes | null {
  const days = objectOf(objectOf(value)?.['Time Series (Daily)'])
  if (!days) return null
  return new Map(Object.entries(days).map(([date, day]) => [date, number(objectOf(day)?.['5. adjusted close'])]))
}
function chartCloses(value: unknown): Closes | null {
  const result = objectOf((objectOf(objectOf(value)?.['chart'])?.['result'] as readonly unknown[] | undefined)?.[0])
  const times = result?.['timestamp']
  const column = objectOf((objectOf(result?.['indicators'])?.['adjclose'] as readonly unknown[] | undefined)?.[0])?.['adjclose']
  const zone = objectOf(result?.['meta'])?.['exchangeTimezoneName']
  if (!Array.isArray(times) || !Array.isArray(column)) return null
  const closes = new Map<string, number>()
  for (const [at, time] of times.entries()) {
    const close = column[at] as unknown
    if (typeof time === 'number' && typeof close === 'number')
      closes.set(dateIn(typeof zone === 'string' ? zone : 'America/New_York', new Date(time * 1000).toISOString()), close)
  }
  return closes
}
/** Adjusted = raw times price and split factor of the first row on or after the bar. */
function leanExpected(text: string, bars: readonly Ohlcv[]): Closes {
  const rows = text
    .replace(/^\ufeff/, '')
    .trim()
    .split(/\r?\n/)
    .map(line => line.split(','))
    .map(([day = '', price, split]) => ({ date: `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`, factor: Number(price) * Number(split) }))
    .sort((a, b) => (a.date < b.date ? -1 : 1))
  let at = 0
  const closes = new Map<string, number>()
  for (const bar of [...bars].sort((a, b) => (a.date < b.date ? -1 : 1))) {
    while (at < rows.length - 1 && rows[at]!.date < bar.date) at += 1
    if (bar.close !== null) closes.set(bar.date, bar.close * (rows[at]?.factor ?? 1))
  }
  return closes
}
