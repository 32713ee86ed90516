import type { BarBasis } from '#schemas/bars.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { sqlIn } from '../../store/sql-files.ts'
import type { Span, SymbolIndex } from '../symbols/symbol-index.ts'

const statements = sqlIn(import.meta.dirname, ['find-bars', 'find-prices', 'find-uncorrected-prices', 'find-factors', 'find-last-bars'])

export type BarRow = {
  readonly symbol: string
  readonly date: string
  readonly open: number | null
  readonly high: number | null
  readonly low: number | null
  readonly close: number
  readonly volume: number | null
  readonly currency: string
  readonly basis: BarBasis
  readonly source: string
  readonly known_from: string
  readonly raw_sha256: string
}
/** The fields of a bar that an answer prints, one column each, without document hashes. `known_us`: microseconds since 1970. */
export type Prices = {
  readonly date: readonly string[]
  readonly open: readonly (number | null)[]
  readonly high: readonly (number | null)[]
  readonly low: readonly (number | null)[]
  readonly close: readonly number[]
  readonly volume: readonly (number | null)[]
  readonly currency: readonly string[]
  readonly basis: readonly BarBasis[]
  readonly source: readonly string[]
  readonly known_us: readonly number[]
}
export type FactorRow = {
  readonly symbol: string
  readonly ex_date: string
  readonly split_numerator: string
  readonly split_denominator: string
  readonly cash_amount: string | null
  readonly price_factor: number
  readonly fx_rate_date: string | null
  readonly spinoff: boolean
  readonly source: string
  readonly known_from: string
  readonly raw_sha256: string
}
export type Days = { readonly from: string | null; readonly to: string | null }

/** The spans of the symbol's instrument; for a symbol without a listing, the symbol itself. */
export function spansOf(index: SymbolIndex, symbol: string): readonly Span[] {
  const listing = index.find(symbol)
  return listing ? index.spans(listing.instrument_id) : [{ symbol, from: null, to: null }]
}

/** Whether an event under a symbol on a day belongs to the instrument. */
export const within = (spans: readonly Span[], row: { readonly symbol: string; readonly date: string }): boolean =>
  spans.some(span => span.symbol === row.symbol && (span.from === null || span.from <= row.date) && (span.to === null || row.date <= span.to))

/** Raw bars of the spans between two days, oldest first, one a day: the latest symbol wins if two vendors file a day twice. */
export async function findBars(lake: Lake, spans: readonly Span[], days: Days, asOf: string | null): Promise<readonly BarRow[]> {
  const keys = [...new Set(spans.map(span => span.symbol))]
  const rows = await lake.query<BarRow>(
    statements['find-bars'],
    { from: days.from ?? '0001-01-01', to: days.to ?? '9999-12-31', as_of: asOf },
    { bars: keys, bar_corrections: keys },
  )
  const kept = oneADay(
    rows.length,
    at => (rows[at] as BarRow).date,
    at => (rows[at] as BarRow).symbol,
    spans,
    keys,
  )
  return kept === null ? rows : kept.map(at => rows[at] as BarRow)
}

/** Which rows, in order of days, are the instrument's, and of one day the latest symbol's; null: all of them. */
function oneADay(
  count: number,
  dateOf: (at: number) => string,
  symbolOf: (at: number) => string,
  spans: readonly Span[],
  keys: readonly string[],
): number[] | null {
  if (keys.length === 1 && spans[0]?.from === null && spans[0].to === null) return null
  const order = new Map(keys.map((key, at) => [key, at]))
  const byDay = new Map<string, number>()
  for (let at = 0; at < count; at += 1) {
    const [date, symbol] = [dateOf(at), symbolOf(at)]
    if (!within(spans, { date, symbol })) continue
    const held = byDay.get(date)
    if (held === undefined || (order.get(symbol) ?? 0) > (order.get(symbolOf(held)) ?? 0)) byDay.set(date, at)
  }
  return [...byDay.values()]
}

/** The bars at these places, in their order. */
export const pickPrices = (prices: Prices, places: readonly number[]): Prices => {
  const pick = <T>(column: readonly T[]): T[] => places.map(at => column[at] as T)
  const { date, open, high, low, close, volume, currency, basis, source, known_us } = prices
  return {
    date: pick(date),
    open: pick(open),
    high: pick(high),
    low: pick(low),
    close: pick(close),
    volume: pick(volume),
    currency: pick(currency),
    basis: pick(basis),
    source: pick(source),
    known_us: pick(known_us),
  }
}

/** The columns of `find-prices.sql`, or the same from the model of prices. `corrected` is omitted if no row is a correction. */
export type FoundPrices = {
  readonly count: number
  readonly columns: Prices & { readonly symbol: readonly string[]; readonly corrected?: readonly boolean[] }
}
type FoundPrice = { readonly [K in keyof Prices]: Prices[K][number] } & { readonly symbol: string; readonly corrected: boolean }

/**
 * The bars of `findBars`, without their documents. Files are sorted, so rows mostly come in order and are only checked here:
 * sorting, joining corrections and reading hashes in SQL costs a third of the query, and records of the rows as much again.
 */
export async function findPrices(lake: Lake, spans: readonly Span[], days: Days, asOf: string | null): Promise<Prices> {
  return orderedPrices(await findPricesOf(lake, [...new Set(spans.map(span => span.symbol))], days, asOf), spans)
}

/** The stored bars and corrections of the symbols between two days, in any order; `orderedPrices` takes those of an instrument. */
export async function findPricesOf(lake: Lake, symbols: readonly string[], days: Days, asOf: string | null): Promise<FoundPrices> {
  const parameters = { from: days.from ?? '0001-01-01', to: days.to ?? '9999-12-31', as_of: asOf }
  return (await lake.holds('bar_corrections', symbols))
    ? await lake.columns<FoundPrice>(statements['find-prices'], parameters, { bars: symbols, bar_corrections: symbols })
    : await lake.columns<Omit<FoundPrice, 'corrected'>>(statements['find-uncorrected-prices'], parameters, { bars: symbols })
}

/** The rows of some of the symbols that were read together. */
export function rowsOfSymbols({ count, columns }: FoundPrices, symbols: ReadonlySet<string>): FoundPrices {
  const places = columns.symbol.flatMap((symbol, at) => (symbols.has(symbol) ? [at] : []))
  if (places.length === count) return { count, columns }
  const { symbol, corrected } = columns
  const picked = { ...pickPrices(columns, places), symbol: places.map(at => symbol[at] as string) }
  return { count: places.length, columns: corrected ? { ...picked, corrected: places.map(at => corrected[at] as boolean) } : picked }
}

/** Rows of the spans' symbols in any order as the instrument's prices: oldest first, a correction in place of the bar that it corrects. */
export function orderedPrices({ count, columns }: FoundPrices, spans: readonly Span[]): Prices {
  const keys = [...new Set(spans.map(span => span.symbol))]
  const { date, symbol, corrected = [] } = columns
  const inOrder = (a: number, b: number): number =>
    textOrder(date[a], date[b]) || textOrder(symbol[a], symbol[b]) || Number(corrected[a] ?? false) - Number(corrected[b] ?? false)
  let sorted = true
  for (let at = 1; at < count && sorted; at += 1) sorted = inOrder(at - 1, at) <= 0
  let places = sorted ? null : Array.from({ length: count }, (_, at) => at).sort(inOrder)
  if (corrected.some(Boolean)) {
    const all = places ?? Array.from({ length: count }, (_, at) => at)
    // A correction directly follows the bar that it corrects.
    places = all.filter((at, place) => {
      const next = all[place + 1]
      return next === undefined || corrected[next] !== true || date[next] !== date[at] || symbol[next] !== symbol[at]
    })
  }
  const ordered = places
  const placeOf = (at: number): number => (ordered ? (ordered[at] as number) : at)
  const kept = oneADay(
    ordered?.length ?? count,
    at => date[placeOf(at)] as string,
    at => symbol[placeOf(at)] as string,
    spans,
    keys,
  )
  const chosen = kept ? kept.map(placeOf) : ordered
  return chosen ? pickPrices(columns, chosen) : columns
}

const textOrder = (a = '', b = ''): number => (a < b ? -1 : a > b ? 1 : 0)

/** A factor without its document. */
export type Factor = Omit<FactorRow, 'raw_sha256'>
type FactorVersion = FactorRow & { readonly withdrawn: boolean; readonly release_from: number }
/** Instants as text that sorts: a fraction is printed only if there is one. */
const sortable = (instant: string): string => `${instant.slice(0, 19)}.${instant.slice(20, -1).padEnd(6, '0')}`
/** The preferred one of two versions of a factor: the newest release, then the later known instant, then the document's hash. */
const holdsBefore = (a: FactorVersion, b: FactorVersion): boolean =>
  a.release_from !== b.release_from
    ? a.release_from > b.release_from
    : a.known_from !== b.known_from
      ? sortable(a.known_from) > sortable(b.known_from)
      : a.raw_sha256 < b.raw_sha256

/** The factors of the spans with an ex-date up to `to`, oldest first. A symbol has some dozens: they are ranked here, which SQL does in twice the time. */
export async function findFactors(lake: Lake, spans: readonly Span[], to: string | null, asOf: string | null): Promise<FactorRow[]> {
  return ofSpans(await findFactorsOf(lake, [...new Set(spans.map(span => span.symbol))], to, asOf), spans)
}

/** The newest version of each factor of the symbols, oldest ex-date first; none of a factor that it withdraws. */
export async function findFactorsOf(lake: Lake, symbols: readonly string[], to: string | null, asOf: string | null): Promise<FactorRow[]> {
  if (!(await lake.holds('adjustment_factors', symbols))) return []
  const versions = await lake.query<FactorVersion>(
    statements['find-factors'],
    { to: to ?? '9999-12-31', as_of: asOf },
    { adjustment_factors_history: symbols },
  )
  const newest = new Map<string, FactorVersion>()
  for (const version of versions) {
    const key = `${version.ex_date} ${version.symbol}`
    const held = newest.get(key)
    if (!held || holdsBefore(version, held)) newest.set(key, version)
  }
  return [...newest]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .filter(([, row]) => !row.withdrawn)
    .map(([, { withdrawn: _withdrawn, release_from: _release, ...row }]) => row)
}

/** The rows whose ex-date belongs to the instrument. */
export const ofSpans = <Row extends { readonly symbol: string; readonly ex_date: string }>(rows: readonly Row[], spans: readonly Span[]): Row[] =>
  rows.filter(row => within(spans, { symbol: row.symbol, date: row.ex_date }))

/**
 * The newest bar of each symbol and the one before it, newest first within a symbol; of days from `since` on, if that is given,
 * which spares reading twenty years for two rows.
 */
export async function findLastBars(lake: Lake, symbols: readonly string[], asOf: string | null, since: string | null = null): Promise<BarRow[]> {
  return await lake.query<BarRow>(
    statements['find-last-bars'],
    { as_of: asOf, since: since ?? '0001-01-01' },
    { bars: symbols, bar_corrections: symbols },
  )
}

type Provenance = { readonly source: string; readonly raw_sha256: string; readonly known_from: string }
// The bars by which an action is checked and priced: the close before its ex-date, and how the price moved around it.
const barsAroundSql = `with around as (select unnest($ex_dates)::date as ex_date)
  select distinct source, raw_sha256, known_from from bars where exists (select 1 from around where date between ex_date - 25 and ex_date + 12)
  union select distinct source, raw_sha256, known_from from bar_corrections where exists (select 1 from around where date between ex_date - 25 and ex_date + 12)`

/**
 * The source documents of factors: the bars around each ex-date, every report of the symbols' actions, and the exchange rates that
 * converted them.
 */
export async function factorOrigins(
  lake: Lake,
  spans: readonly Span[],
  factors: readonly Pick<FactorRow, 'ex_date' | 'fx_rate_date'>[],
  asOf: string | null,
): Promise<Provenance[]> {
  const keys = [...new Set(spans.map(span => span.symbol))]
  const days = [...new Set(factors.map(factor => factor.fx_rate_date).filter(day => day !== null))]
  const exDates = [...new Set(factors.map(factor => factor.ex_date))]
  const [closes, actions, rates] = await Promise.all([
    lake.query<Provenance>(barsAroundSql, { ex_dates: exDates, as_of: asOf }, { bars: keys, bar_corrections: keys }),
    lake.query<Provenance>('select source, raw_sha256, known_from from corporate_actions', { as_of: asOf }, { corporate_actions: keys }),
    days.length === 0
      ? []
      : lake.query<Provenance>(
          'select source, raw_sha256, known_from from fx_rates where date::varchar in (select unnest($days))',
          { days, as_of: asOf },
          { fx_rates: 'all' },
        ),
  ])
  return [...closes, ...actions, ...rates]
}

/** The documents of the splits by which reconstructed bars were converted back to traded prices. */
export async function splitOrigins(lake: Lake, spans: readonly Span[], asOf: string | null): Promise<Provenance[]> {
  const keys = [...new Set(spans.map(span => span.symbol))]
  const [splits, histories] = await Promise.all([
    lake.query<Provenance>(
      "select distinct source, raw_sha256, known_from from corporate_actions where kind in ('split', 'stock_dividend')",
      { as_of: asOf },
      { corporate_actions: keys },
    ),
    lake.query<Provenance>('select source, raw_sha256, known_from from split_histories', { as_of: asOf }, { split_histories: keys }),
  ])
  return [...splits, ...histories]
}
