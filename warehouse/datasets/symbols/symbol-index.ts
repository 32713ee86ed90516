// All listings of a release in memory (51,000 symbols are about 20 MB): symbols resolve without a query.

import type { StoredRow } from '#schemas/dataset.ts'
import { addDays } from '#schemas/days.ts'
import { NotFound } from '#schemas/errors.ts'
import { nearestSymbols, parseSymbol } from '#schemas/spelling.ts'
import type { symbols } from '#schemas/symbols.ts'
import type { Lake } from '../../store/lake/lake.ts'

export type Interval = StoredRow<typeof symbols>
/** Days on which bars under `symbol` belong to the instrument; null is open. */
export type Span = { readonly symbol: string; readonly from: string | null; readonly to: string | null }

export type SymbolIndex = {
  readonly release: number
  /** The interval of the symbol: the current one, else the latest that ended. Null if no instrument had it. */
  find(symbol: string): Interval | null
  /** Every interval of the symbol, oldest first. */
  listingsOf(symbol: string): readonly Interval[]
  /** Every interval of an instrument, oldest first. */
  history(instrumentId: string): readonly Interval[]
  /**
   * Which bars are the instrument's: each of its symbols, from the day after the end of the symbol's previous listing to its own end. Days
   * without a listing between two of them belong to the later one. Spans of one symbol never overlap.
   */
  spans(instrumentId: string): readonly Span[]
  byCik(cik: string): readonly Interval[]
  /** The release that last changed a listing under the symbol or of its instrument: descriptions of the symbol depend on them. 0 for an unknown one. */
  changedIn(symbol: string): number
  /** Canonical symbols, sorted. */
  readonly all: readonly string[]
  nearest(text: string): readonly string[]
}

const columns =
  'instrument_id, symbol, exchange, mic, name, issuer, type, currency, cik, valid_from, valid_to, end_reason, successor, predecessor, etf, source_symbol, known_from, known_basis, source, raw_sha256, withdrawn, release_from'

/**
 * Reads the listings of the lake's release as known at `asOf` (null: all of the release); `changed` are rows of an uncommitted batch that
 * replace the lake's rows.
 */
export async function loadSymbolIndex(
  lake: Lake,
  asOf: string | null,
  changed: readonly Omit<Interval, 'release_from'>[] = [],
): Promise<SymbolIndex> {
  const rows = await lake.query<Interval>(`select ${columns} from symbols order by symbol, valid_from`, { as_of: asOf }, { symbols: 'all' })
  if (changed.length === 0) return symbolIndexOf(rows, lake.release)
  const byKey = new Map(rows.map(row => [`${row.symbol} ${row.valid_from}`, row]))
  for (const row of changed) byKey.set(`${row.symbol} ${row.valid_from}`, { ...row, release_from: lake.release + 1 })
  const merged = [...byKey.keys()].sort().map(key => byKey.get(key) as Interval)
  return symbolIndexOf(merged, lake.release)
}

export function symbolIndexOf(rows: readonly Interval[], release: number): SymbolIndex {
  const bySymbol = grouped(rows, row => row.symbol)
  const byInstrument = grouped(rows, row => row.instrument_id)
  const byCik = grouped(
    rows.filter(row => row.cik !== null),
    row => row.cik as string,
  )
  for (const list of byInstrument.values()) list.sort((a, b) => (a.valid_from < b.valid_from ? -1 : a.valid_from > b.valid_from ? 1 : 0))
  const all = [...bySymbol.keys()].sort()
  const find = (symbol: string): Interval | null => {
    const list = bySymbol.get(symbol)
    return list?.find(row => row.valid_to === null) ?? list?.at(-1) ?? null
  }
  return {
    release,
    find,
    listingsOf: symbol => bySymbol.get(symbol) ?? [],
    history: id => byInstrument.get(id) ?? [],
    spans(id) {
      return (byInstrument.get(id) ?? []).map((own, at, mine) => {
        const listingsOf = bySymbol.get(own.symbol) ?? []
        const place = listingsOf.indexOf(own)
        const before = listingsOf[place - 1]
        const after = listingsOf[place + 1]
        return {
          symbol: own.symbol,
          // A vendor files the whole past of an instrument under its current symbol.
          from: !before ? null : before.valid_to === null || before.valid_to >= own.valid_from ? own.valid_from : addDays(before.valid_to, 1),
          to: after ? endBefore(own, after) : own.valid_to !== null && at < mine.length - 1 ? own.valid_to : null,
        }
      })
    },
    byCik: cik => byCik.get(cik) ?? [],
    changedIn(symbol) {
      const own = bySymbol.get(symbol) ?? []
      const related = own.flatMap(row => byInstrument.get(row.instrument_id) ?? [])
      return [...own, ...related].reduce((newest, row) => Math.max(newest, row.release_from), 0)
    },
    all,
    nearest: text => nearestSymbols(text, all, 3),
  }
}

/** The last day of a listing whose symbol another took later. */
function endBefore(own: Interval, after: Interval): string {
  const last = addDays(after.valid_from, -1)
  return own.valid_to !== null && own.valid_to < last ? own.valid_to : last
}

/** The listing that any usual spelling or a CIK names. Throws `NotFound` with the nearest symbols as hint. */
export function resolveListing(index: SymbolIndex, requested: string): Interval {
  const cik = /^\d{1,10}$/.test(requested) ? requested.padStart(10, '0') : null
  const own = cik ? index.byCik(cik) : []
  const parsed = own.length > 0 ? null : parseSymbol(requested)
  const found = own.find(row => row.valid_to === null) ?? own.at(-1) ?? (parsed ? index.find(parsed.symbol) : null)
  if (found) return found
  const near = index.nearest(parsed?.symbol ?? requested.toUpperCase())
  throw new NotFound(`no symbol ${parsed?.symbol ?? requested.slice(0, 32)} is known`, {
    hint: near.length > 0 ? `nearest symbols: ${near.join(', ')}` : 'GET /api/v1/market/symbols?query= finds symbols by name',
  })
}

function grouped(rows: readonly Interval[], keyOf: (row: Interval) => string): Map<string, Interval[]> {
  const groups = new Map<string, Interval[]>()
  for (const row of rows) {
    const key = keyOf(row)
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return groups
}
