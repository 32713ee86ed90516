// The rows of the model of prices from the lake: for each symbol what releases after `base` changed, for base 0 everything.
import { Broken } from '#schemas/errors.ts'
import type { DatasetName } from '#schemas/index.ts'
import { type Factor, findFactorsOf } from '../../datasets/bars/bars.ts'
import { findHeldOf, type HeldAction } from '../../datasets/corporate-actions/corporate-actions.ts'
import type { Catalogue } from '../../store/lake/catalogue.ts'
import type { ConnectionPool } from '../../store/lake/connections.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { openLake, type Verifier } from '../../store/lake/open.ts'
import type { Scope } from '../../store/lake/scope.ts'
import { type Entry, encodeEntry, type Table } from './entry.ts'
import type { Named } from './part.ts'

/** What the entries are made of: a release that changes none of these has the model of the release before. */
export const priceInputs = ['bars', 'bar_corrections', 'adjustment_factors', 'action_verdicts', 'corporate_actions'] as const satisfies DatasetName[]

/** Bars that one statement reads: 15 MB in memory, and a third of a second in which the process does little else. */
const statementBars = 100_000
/** Other rows of a symbol count as so many bars. */
const symbolWeight = 50

type Reading = { readonly connections: ConnectionPool; readonly verifier: Verifier }
export type Counted = { bars: number }

/**
 * The entries of all symbols that releases from `base` (excluded) to the catalogue's changed, in ascending order. `counted` gets the number
 * of bars in them.
 */
export async function* changedEntries(
  catalogue: Catalogue,
  { connections, verifier }: Reading,
  base: number,
  counted: Counted,
): AsyncGenerator<Named> {
  const whole = openLake(catalogue, connections, verifier)
  // Files without a row of a later release are not opened.
  const files = new Map([...catalogue.files].map(([name, of]) => [name, of.filter(file => file.release_max > base)]))
  const newer = base === 0 ? whole : openLake({ ...catalogue, files }, connections, verifier)
  const changed = await changedSymbols(newer, base)
  const all = [...new Set(Object.values(changed).flatMap(symbols => [...symbols.keys()]))].sort()
  let batch: string[] = []
  let weight = 0
  for (const [at, symbol] of all.entries()) {
    batch.push(symbol)
    weight += symbolWeight + (changed.bars.get(symbol) ?? 0)
    if (weight < statementBars && at < all.length - 1) continue
    yield* entriesOf(batch, changed, whole, newer, base, counted)
    batch = []
    weight = 0
  }
}

type Changed = Readonly<Record<(typeof priceInputs)[number], ReadonlyMap<string, number>>>

/** The symbols that later releases have rows of, with their number, by dataset. */
async function changedSymbols(lake: Lake, base: number): Promise<Changed> {
  const found: [string, ReadonlyMap<string, number>][] = []
  for (const name of priceInputs) {
    const rows = await lake.query<{ symbol: string; rows: number }>(
      `select symbol, count(*)::double as rows from ${name}_history where release_from > $base group by symbol`,
      { base },
      { [`${name}_history`]: 'all' } as Scope,
      { streamed: true },
    )
    found.push([name, new Map(rows.map(row => [row.symbol, row.rows]))])
  }
  return Object.fromEntries(found) as Changed
}

async function* entriesOf(
  symbols: readonly string[],
  changed: Changed,
  whole: Lake,
  newer: Lake,
  base: number,
  counted: Counted,
): AsyncGenerator<Named> {
  const among = (...names: readonly (keyof Changed)[]): string[] => symbols.filter(symbol => names.some(name => changed[name].has(symbol)))
  const corrected = among('bar_corrections')
  const factored = among('adjustment_factors')
  const acted = among('action_verdicts', 'corporate_actions')
  const bars = await barsOf(newer, among('bars'), base)
  const corrections = corrected.length === 0 ? new Map<string, Table>() : await correctionsOf(whole, corrected)
  const factors = factored.length === 0 ? [] : await findFactorsOf(whole, factored, null, null)
  const held = acted.length === 0 ? [] : await findHeldOf(whole, acted, '0001-01-01', '9999-12-31', null)
  const factorsBySymbol = Map.groupBy(factors, factor => factor.symbol)
  const heldBySymbol = Map.groupBy(held, action => action.symbol)
  for (const symbol of symbols) {
    const own = bars.get(symbol)
    counted.bars += own?.day.length ?? 0
    const entry: Entry = {
      ...(own ? { bars: own } : {}),
      ...(changed.bar_corrections.has(symbol) ? { corrections: corrections.get(symbol) ?? noBars } : {}),
      ...(changed.adjustment_factors.has(symbol) ? { factors: (factorsBySymbol.get(symbol) ?? []).map(withoutNames) } : {}),
      ...(changed.action_verdicts.has(symbol) || changed.corporate_actions.has(symbol)
        ? { held: heldBySymbol.get(symbol) ?? ([] as HeldAction[]) }
        : {}),
    }
    yield { symbol, bytes: encodeEntry(entry) }
  }
}

const withoutNames = ({ symbol: _symbol, raw_sha256: _document, ...factor }: Factor & { readonly raw_sha256: string }): Omit<Factor, 'symbol'> =>
  factor

type Column = { readonly [K in keyof Table]: Table[K][number] } & { readonly symbol: string }
/** Integers are read as doubles, which they fit: BIGINT takes several times as long. */
const columns = `symbol, (date - date '1970-01-01')::double as day, open, high, low, close, volume::double as volume,
  epoch_us(known_from)::double as known_us, currency, basis, source`
const noBars: Table = { day: [], open: [], high: [], low: [], close: [], volume: [], known_us: [], currency: [], basis: [], source: [] }

async function barsOf(lake: Lake, symbols: readonly string[], base: number): Promise<Map<string, Table>> {
  if (symbols.length === 0) return new Map()
  const sql = `select ${columns} from bars_history where release_from > $base and symbol between $first and $last order by symbol, date`
  const range = { base, first: symbols[0] as string, last: symbols.at(-1) as string }
  return tablesOf(await lake.columns<Column>(sql, range, { bars_history: symbols }, { streamed: true }))
}

const correctionsOf = async (lake: Lake, symbols: readonly string[]): Promise<Map<string, Table>> =>
  tablesOf(await lake.columns<Column>(`select ${columns} from bar_corrections order by symbol, date`, {}, { bar_corrections: symbols }))

/** The rows of each symbol, from columns in order of symbols. */
function tablesOf({
  count,
  columns: { symbol, ...rest },
}: {
  readonly count: number
  readonly columns: { readonly [K in keyof Column]: Column[K][] }
}) {
  const tables = new Map<string, Table>()
  for (const volume of rest.volume)
    if (volume !== null && !Number.isSafeInteger(volume)) throw new Broken(`the volume ${volume} of a bar is beyond 2^53`)
  for (let from = 0, to = 1; from < count; from = to, to += 1) {
    while (to < count && symbol[to] === symbol[from]) to += 1
    const part = Object.fromEntries(Object.entries(rest).map(([name, values]) => [name, values.slice(from, to)]))
    tables.set(symbol[from] as string, part as unknown as Table)
  }
  return tables
}
