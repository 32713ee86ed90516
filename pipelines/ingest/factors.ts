// Adjustment factors follow from actions, bars and rates. They are derived again for every symbol that a batch touches, and written
// if they changed. The rows of all releases are the restatement ledger.

import type { Bar } from '#schemas/bars.ts'
import type { CorporateAction, FactorFacts } from '#schemas/corporate-actions.ts'
import { addDays } from '#schemas/days.ts'
import { exchangeOf } from '#schemas/spelling.ts'
import type { SymbolInterval } from '#schemas/symbols.ts'
import { spansOf } from '#warehouse/datasets/bars/bars.ts'
import { actionKey } from '#warehouse/datasets/prices/actions.ts'
import { gapsOf, reportedGap } from '#warehouse/datasets/prices/cadence.ts'
import { pricesOf } from '#warehouse/datasets/prices/closes.ts'
import { deriveFactors } from '#warehouse/datasets/prices/derive.ts'
import { evaluateActions } from '#warehouse/datasets/prices/evaluate-actions.ts'
import { fxLookup, type RateRow } from '#warehouse/datasets/prices/fx.ts'
import { factorChanges } from '#warehouse/datasets/prices/ledger.ts'
import { loadSymbolIndex, type SymbolIndex } from '#warehouse/datasets/symbols/symbol-index.ts'
import { calendarOf, calendarYears, sessionsOf } from '#warehouse/rulesets/exchange-calendars/calendar.ts'
import type { Lake } from '#warehouse/store/lake/lake.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { Decisions, Origin, RefusedBy, Row, RowsByDataset } from './types.ts'
import { changedVerdicts, type HeldVerdict, verdictsOf } from './verdicts.ts'

/** The bars that a symbol's actions are checked against: its own, and before its first one those of its instrument's earlier symbols. */
function barsOfAllSymbols(index: SymbolIndex, symbol: string, barsOf: ReadonlyMap<string, readonly BarPoint[]>): readonly BarPoint[] {
  const spans = spansOf(index, symbol)
  if (spans.length === 1 && spans[0]?.from === null && spans[0].to === null) return barsOf.get(symbol) ?? []
  return spans.flatMap(span =>
    (barsOf.get(span.symbol) ?? []).filter(bar => (span.from === null || span.from <= bar.date) && (span.to === null || bar.date <= span.to)),
  )
}

type BarPoint = {
  readonly symbol: string
  readonly date: string
  readonly close: number
  readonly volume: number | null
  readonly currency: string
} & Pick<Bar, 'basis' | 'raw_sha256' | 'known_from'>
type FactorRow = FactorFacts & {
  readonly known_from: string
  readonly known_basis: string
  readonly withdrawn: boolean
  readonly source: string
  readonly raw_sha256: string
}

/** An action's price is checked against the bars around its ex-date; bars of one day do not affect an action much earlier. */
const evaluatedDays = 45

/**
 * Symbols with an action that has no factor and that bars from `firstDay` on may settle (null: any, since rates arrived). For symbols
 * in `resumed`, which had no bar shortly before, every action may be waiting.
 */
async function openSymbols(lake: Lake, firstDay: string | null, resumed: ReadonlySet<string>): Promise<string[]> {
  const ask = async (from: string, range: 'all' | readonly string[]): Promise<string[]> => {
    const open = await lake.query<{ symbol: string }>(
      `select distinct a.symbol from corporate_actions as a
       where a.ex_date >= $from::date
         and not exists (select 1 from adjustment_factors as f where f.symbol = a.symbol and f.ex_date = a.ex_date and f.ex_date >= $from::date)`,
      { from },
      { corporate_actions: range, adjustment_factors: range },
      { since: { corporate_actions: { time: from }, adjustment_factors: { time: from } } },
    )
    return open.map(row => row.symbol)
  }
  const anyDay = '0001-01-01'
  if (firstDay === null) return await ask(anyDay, 'all')
  const from = firstDay === '9999-12-31' ? firstDay : addDays(firstDay, -evaluatedDays)
  return [...(await ask(from, 'all')), ...(resumed.size === 0 ? [] : await ask(anyDay, [...resumed].sort()))]
}

/**
 * Symbols whose factors a batch can change: `decided` by an operator, new or changed actions, and actions still without a factor
 * whose bars or rates arrived. `resumed`: symbols of the batch's bars that had none in the weeks before.
 */
export async function symbolsToDerive(lake: Lake, rows: RowsByDataset, decided: readonly string[], resumed: ReadonlySet<string>): Promise<string[]> {
  const symbols = new Set([...decided, ...(rows.get('corporate_actions') ?? []).map(row => String(row['symbol']))])
  const priced = new Set([...(rows.get('bars') ?? []), ...(rows.get('bar_corrections') ?? [])].map(row => String(row['symbol'])))
  const rated = (rows.get('fx_rates') ?? []).length > 0
  const listed = (rows.get('symbols') ?? []).length > 0
  if (priced.size === 0 && !rated && !listed) return [...symbols].sort()
  if (listed) for (const symbol of await relistedSymbols(lake, rows)) symbols.add(symbol)
  const firstDay = (rows.get('bars') ?? []).reduce((least, row) => (String(row['date']) < least ? String(row['date']) : least), '9999-12-31')
  for (const symbol of await openSymbols(lake, rated ? null : firstDay, resumed)) if (rated || priced.has(symbol)) symbols.add(symbol)
  // A corrected close before an ex-date changes that factor.
  for (const row of rows.get('bar_corrections') ?? []) symbols.add(String(row['symbol']))
  const early = await lake.query<{ symbol: string; ex_date: string }>(
    'select symbol, max(ex_date) as ex_date from adjustment_factors where ex_date >= $first::date group by symbol',
    { first: firstDay },
    { adjustment_factors: 'all' },
    { since: { adjustment_factors: { time: firstDay } } },
  )
  const lastEx = new Map(early.map(row => [row.symbol, row.ex_date]))
  for (const row of rows.get('bars') ?? []) if ((lastEx.get(String(row['symbol'])) ?? '') >= String(row['date'])) symbols.add(String(row['symbol']))
  return [...symbols].sort()
}

export type IndexOf = () => Promise<SymbolIndex>
/** The listings including this batch. */
const indexWith = (lake: Lake, rows: RowsByDataset, indexOf?: IndexOf): Promise<SymbolIndex> => {
  const changed = (rows.get('symbols') ?? []) as unknown as SymbolInterval[]
  return indexOf && changed.length === 0 ? indexOf() : loadSymbolIndex(lake, null, changed)
}

/** Symbols with actions whose instrument's listings a batch changes: a rename brings the price before its ex-date, a reuse takes one away. */
async function relistedSymbols(lake: Lake, rows: RowsByDataset): Promise<string[]> {
  const acting = await lake.query<{ symbol: string }>('select distinct symbol from corporate_actions', {}, { corporate_actions: 'all' })
  if (acting.length === 0) return []
  const index = await indexWith(lake, rows)
  const changed = new Set(
    (rows.get('symbols') ?? []).flatMap(row => [String(row['symbol']), ...index.history(String(row['instrument_id'])).map(each => each.symbol)]),
  )
  return acting.map(row => row.symbol).filter(symbol => changed.has(symbol))
}

const keyed = <R extends Readonly<Record<string, unknown>>>(columns: readonly string[], known: readonly R[], changed: readonly Row[]): R[] => {
  const rows = new Map(known.map(row => [columns.map(column => String(row[column])).join('|'), row]))
  for (const row of changed) rows.set(columns.map(column => String(row[column])).join('|'), row as unknown as R)
  return [...rows.values()]
}
/** Stored bars, with the batch's bars replacing those of the same day: a few new ones among whole histories. */
function withNewBars(held: readonly BarPoint[], changed: readonly Row[]): BarPoint[] {
  const fresh = new Map<string, Map<string, BarPoint>>()
  for (const row of changed as unknown as readonly BarPoint[]) {
    const days = fresh.get(row.symbol)
    if (days) days.set(row.date, row)
    else fresh.set(row.symbol, new Map([[row.date, row]]))
  }
  const kept = held.filter(row => !fresh.get(row.symbol)?.has(row.date))
  for (const days of fresh.values()) for (const row of days.values()) kept.push(row)
  return kept
}
const bySymbol = <R extends { readonly symbol: string }>(rows: readonly R[]): Map<string, R[]> => Map.groupBy(rows, row => row.symbol)

export type FactorChanges = { readonly rows: Row[]; readonly verdicts: Row[]; readonly refused: RefusedBy[]; readonly settled: string[] }

/** Few enough that each query names them and skips every other row group of the bars; whole histories are in memory in the meantime. */
const symbolsAtOnce = 48

/** The factor rows that change, and the held actions; `rows` are this batch's new rows, not yet in the lake. */
export async function deriveFactorRows(
  lake: Lake,
  rows: RowsByDataset,
  symbols: readonly string[],
  decisions: Decisions,
  indexOf?: IndexOf,
): Promise<FactorChanges> {
  const changes: FactorChanges = { rows: [], verdicts: [], refused: [], settled: [] }
  const knownRates = await lake.query<RateRow>('select base_currency, quote_currency, date, rate from fx_rates', {}, { fx_rates: 'all' })
  const fx = fxLookup(
    keyed(
      ['base_currency', 'quote_currency', 'date'],
      knownRates as readonly (RateRow & Readonly<Record<string, unknown>>)[],
      rows.get('fx_rates') ?? [],
    ),
  )
  const index = await indexWith(lake, rows, indexOf)
  const chunks = Array.from({ length: Math.ceil(symbols.length / symbolsAtOnce) }, (_, at) =>
    symbols.slice(at * symbolsAtOnce, (at + 1) * symbolsAtOnce),
  )
  const read = (chunk: readonly string[] | undefined) => (chunk ? heldOf(lake, index, chunk) : null)
  let coming = read(chunks[0])
  for (const [at, chunk] of chunks.entries()) {
    const held = await coming
    if (!held) break
    // The next symbols are read while these are evaluated.
    coming = read(chunks[at + 1])
    coming?.catch(() => undefined)
    const own = new Set(held.allSymbols)
    const mine = (name: 'bars' | 'bar_corrections' | 'corporate_actions'): Row[] =>
      (rows.get(name) ?? []).filter(row => own.has(String(row['symbol'])))
    const actionsOf = bySymbol(keyed(['symbol', 'kind', 'ex_date', 'sequence', 'source_name'], held.actions, mine('corporate_actions')))
    const barsOf = bySymbol(withNewBars(held.bars, [...mine('bars'), ...mine('bar_corrections')]))
    const factorsOf = bySymbol(held.factors)
    const verdictsHeld = bySymbol(held.verdicts)
    for (const symbol of chunk) {
      const bars = barsOfAllSymbols(index, symbol, barsOf)
      const before = { factors: factorsOf.get(symbol) ?? [], verdicts: verdictsHeld.get(symbol) ?? [] }
      deriveSymbol(symbol, actionsOf.get(symbol) ?? [], bars, before, fx, decisions, changes)
    }
  }
  return changes
}

/** The lake's data for some symbols: their actions, factors and verdicts, and the bars of every symbol that their instruments had. */
async function heldOf(lake: Lake, index: SymbolIndex, chunk: readonly string[]) {
  // An instrument's price before a rename is stored under its old symbol.
  const allSymbols = [...new Set(chunk.flatMap(symbol => spansOf(index, symbol).map(span => span.symbol)).concat(chunk))]
  const [actions, bars, factors, verdicts] = await Promise.all([
    lake.query<CorporateAction & Readonly<Record<string, unknown>>>(
      'select * exclude (release_from) from corporate_actions',
      {},
      { corporate_actions: chunk },
    ),
    lake.query<BarPoint>(
      `select symbol, date, close, volume, currency, basis, raw_sha256, known_from from bars where not exists (select 1 from bar_corrections as c where c.symbol = bars.symbol and c.date = bars.date)
       union all select symbol, date, close, volume, currency, basis, raw_sha256, known_from from bar_corrections`,
      {},
      { bars: allSymbols, bar_corrections: allSymbols },
    ),
    lake.query<FactorRow>('select * exclude (release_from) from adjustment_factors', {}, { adjustment_factors: chunk }),
    lake.query<HeldVerdict>(heldVerdictsSql, {}, { action_verdicts: chunk }),
  ])
  return { allSymbols, actions, bars, factors, verdicts }
}

const heldVerdictsSql = 'select symbol, kind, ex_date, sequence, source_name, status, reason, detail from action_verdicts'

/** Sessions of the venue strictly between two days; the part outside the calendar's years counts none. */
const sessionsBetween = (symbol: string) => {
  const calendar = calendarOf(exchangeOf(symbol))
  const { from, to } = calendarYears(calendar)
  return (after: string, before: string): number => {
    const [first, last] = [after < from ? from : after, before > to ? to : before]
    return first >= last ? 0 : sessionsOf(calendar, first, last).filter(day => day > after && day < before).length
  }
}

function deriveSymbol(
  symbol: string,
  actions: readonly CorporateAction[],
  bars: readonly BarPoint[],
  held: { readonly factors: readonly FactorRow[]; readonly verdicts: readonly HeldVerdict[] },
  fx: ReturnType<typeof fxLookup>,
  decisions: Decisions,
  changes: FactorChanges,
): void {
  const last = bars.reduce<BarPoint | null>((newest, bar) => (newest === null || bar.date > newest.date ? bar : newest), null)
  if (!last) return
  const prices = pricesOf(bars)
  const currency = last.currency
  const finding = (action: CorporateAction, reason: string, detail: string) => ({
    dataset: 'corporate_actions' as const,
    reason,
    detail,
    subject: actionKey(action),
    record: { ...action },
  })
  const originOf = (action: CorporateAction): Origin => ({
    sha256: action.raw_sha256,
    source: action.source,
    url: '',
    retrieved_at: action.known_from,
  })
  const evaluated = evaluateActions(actions, {
    prices,
    currency,
    asOf: last.date,
    decisions: decidedActions(decisions),
    fx,
    sessionsBetween: sessionsBetween(symbol),
  })
  const { factors, unapplied } = deriveFactors(evaluated.effective, { symbol, currency, prices, fx, asOf: last.date })
  for (const { action, reason, detail } of evaluated.held)
    changes.refused.push({ refused: finding(action, reason, detail), origin: originOf(action) })
  for (const { action, reason, detail } of unapplied) {
    const row = actions.find(each => actionKey(each) === actionKey(action))
    if (row && reviewed.has(reason)) changes.refused.push({ refused: finding(row, reason, detail), origin: originOf(row) })
  }
  const stillHeld = new Set(evaluated.held.map(each => actionKey(each.action)))
  for (const action of actions) if (!stillHeld.has(actionKey(action))) changes.settled.push(actionKey(action))
  findGaps(symbol, actions, bars, decisions, changes)
  writeChanges(actions, factors as FactorFacts[], held.factors, changes)
  changes.verdicts.push(...changedVerdicts(actions, verdictsOf(evaluated, factors, unapplied), held.verdicts))
}

/** A regular payer's missing dividend, over days with bars, is a finding; it is settled when the dividend arrives. */
function findGaps(
  symbol: string,
  actions: readonly CorporateAction[],
  bars: readonly BarPoint[],
  decisions: Decisions,
  changes: FactorChanges,
): void {
  const remaining = actions.filter(action => !action.cancelled)
  const gaps = gapsOf(remaining).filter(gap => bars.some(bar => bar.date > gap.after && bar.date < gap.before))
  const subject = (day: string): string => `${symbol}|dividend_gap|${day}`
  for (const gap of gaps) {
    const next = remaining.find(action => action.ex_date === gap.before) as CorporateAction
    const refused = {
      dataset: 'corporate_actions' as const,
      reason: 'dividend_gap',
      detail: `${symbol} ${reportedGap(gap)}`,
      subject: subject(gap.after),
      record: { symbol, ...gap },
    }
    const origin = { sha256: next.raw_sha256, source: next.source, url: '', retrieved_at: next.known_from }
    if (decisions.get(fingerprintOf(refused, origin.sha256))?.decision !== 'rejected') changes.refused.push({ refused, origin })
  }
  const open = new Set(gaps.map(gap => gap.after))
  for (const day of new Set(remaining.map(action => action.ex_date))) if (!open.has(day)) changes.settled.push(subject(day))
}

const decidedActions = (decisions: Decisions): Map<string, 'released' | 'rejected'> =>
  new Map([...decisions.values()].filter(each => each.dataset === 'corporate_actions').map(each => [each.subject, each.decision]))

/** The reasons without a factor, among those of effective actions, that an operator should see. */
const reviewed = new Set<string>(['amount_exceeds_price', 'no_fx_rate', 'no_amount', 'no_ratio'])

function writeChanges(
  actions: readonly CorporateAction[],
  factors: readonly FactorFacts[],
  held: readonly FactorRow[],
  changes: FactorChanges,
): void {
  const facts = held.map(
    ({ known_from: _from, known_basis: _basis, withdrawn: _withdrawn, source: _source, raw_sha256: _raw, ...rest }) => rest as FactorFacts,
  )
  for (const { factor, withdrawn } of factorChanges(facts, factors))
    changes.rows.push({ ...factor, ...provenanceOf(actions, factor.ex_date), withdrawn })
}

/** A factor is known since the newest of its day's reports; `retrieved` if one of them is dated only by the retrieval. */
function provenanceOf(actions: readonly CorporateAction[], exDate: string): Pick<Row, 'known_from' | 'known_basis' | 'source' | 'raw_sha256'> {
  const day = actions.filter(action => action.ex_date === exDate)
  const newest = day.reduce<CorporateAction | null>(
    (latest, action) => (latest === null || Date.parse(action.known_from) > Date.parse(latest.known_from) ? action : latest),
    null,
  )
  if (!newest) throw new TypeError(`a factor of ${exDate} without an action`)
  const retrieved = day.some(action => action.known_basis === 'retrieved')
  return {
    known_from: newest.known_from,
    known_basis: retrieved ? 'retrieved' : newest.known_basis,
    source: newest.source,
    raw_sha256: newest.raw_sha256,
  }
}
