// Checks bars against the restatement guard, document by document, with what the lake and the batch already hold.

import type { BarFacts } from '#schemas/bars.ts'
import { addDays } from '#schemas/days.ts'
import { datasetOf } from '#schemas/index.ts'
import { splitRatio } from '#warehouse/datasets/prices/actions.ts'
import { numberOf } from '#warehouse/datasets/prices/ratio.ts'
import type { Lake } from '#warehouse/store/lake/lake.ts'
import { guardBars, type KnownBar } from '../read/bars/guard.ts'
import { sessionCloses } from '../read/bars/sessions.ts'
import { rowOf, schemaRefusal } from './facts.ts'
import { fingerprintOf } from './fingerprint.ts'
import { splitsExplained } from './split-basis.ts'
import type { Decisions, ParsedDocument, RefusedBy, Row, RowsByDataset } from './types.ts'
import { volumesAsTraded } from './volumes.ts'

export type BarChanges = {
  readonly bars: Row[]
  readonly corrections: Row[]
  readonly refused: RefusedBy[]
  readonly counts: Record<string, number>
  /** Symbols without a bar in the weeks before: new ones, and those that trade again after a long halt. */
  readonly resumed: ReadonlySet<string>
}

/** Days before a document's first bar that are read too, so that a jump at its first row is detected. */
const lookBackDays = 16
/** Above this number, all symbols of the days are read instead of single ones. */
const singleSymbols = 400

/** When a whole market is read, only the symbols of the document leave DuckDB. */
const wanted = 'date between $from::date and $to::date and symbol in (select unnest($symbols))'
const knownSql = (columns: string): string => `select ${columns} from bars
  where ${wanted} and not exists (select 1 from bar_corrections as c where c.symbol = bars.symbol and c.date = bars.date)
  union all
  select ${columns} from bar_corrections where ${wanted}`
const knownDaysSql = knownSql('symbol, date, open, high, low, close, volume, currency, basis, source, known_from')
const closesBeforeSql = knownSql('symbol, date, close, currency')

type Held = Map<string, Map<string, KnownBar>>
type CloseBefore = Pick<KnownBar, 'symbol' | 'date' | 'close' | 'currency'>

/** The stored bars of the days from `first` to `last`, and of the days before them the close and currency that reveal a jump. */
async function heldBars(lake: Lake, symbols: readonly string[], first: string, last: string): Promise<Held> {
  const range = symbols.length > singleSymbols ? ('all' as const) : symbols
  const held: Held = new Map(symbols.map(symbol => [symbol, new Map()]))
  const scope = { bars: range, bar_corrections: range }
  const from = addDays(first, -lookBackDays)
  // Half a million rows for a market: read as columns, so that each becomes one object.
  const { count, columns: before } = await lake.columns<CloseBefore>(closesBeforeSql, { from, to: addDays(first, -1), symbols }, scope, {
    since: { bars: { time: from, hold: ['symbol', 'date', 'close', 'currency'] } },
  })
  for (let at = 0; at < count; at += 1) {
    const [symbol, date] = [before.symbol[at] as string, before.date[at] as string]
    const [close, currency] = [before.close[at] as number, before.currency[at] as string]
    held.get(symbol)?.set(date, { symbol, date, close, currency, open: null, high: null, low: null, volume: null, basis: 'as_traded', source: '' })
  }
  const days = await lake.query<KnownBar>(knownDaysSql, { from: first, to: last, symbols }, scope, { since: { bars: { time: first } } })
  for (const bar of days) held.get(bar.symbol)?.set(bar.date, bar)
  return held
}

/** The newest stored day of each symbol. */
async function newestDays(lake: Lake, held: Held, last: string, range: 'all' | readonly string[]): Promise<Map<string, string>> {
  const newest = new Map<string, string>()
  for (const [symbol, days] of held) for (const date of days.keys()) if (date > (newest.get(symbol) ?? '')) newest.set(symbol, date)
  const later = await lake.query<{ symbol: string; date: string }>(
    'select symbol, max(date) as date from bars where date > $last::date group by symbol',
    { last },
    { bars: range },
    { since: { bars: { time: last } } },
  )
  for (const { symbol, date } of later) newest.set(symbol, date)
  return newest
}

export async function deriveBars(documents: readonly ParsedDocument[], lake: Lake, rows: RowsByDataset, decisions: Decisions): Promise<BarChanges> {
  const resumed = new Set<string>()
  const changes: BarChanges = { bars: [], corrections: [], refused: [], counts: {}, resumed }
  const priced = documents.filter(({ parsed }) => (parsed.bars?.length ?? 0) > 0)
  const explain = await splitsExplained(priced, lake, rows)
  changes.corrections.push(...(await explain.held()))
  if (priced.length === 0) return changes
  const all = priced.flatMap(({ parsed }) => parsed.bars ?? [])
  const symbols = [...new Set(all.map(bar => bar.symbol))]
  const first = all.reduce((least, bar) => (bar.date < least ? bar.date : least), '9999-12-31')
  const last = all.reduce((most, bar) => (bar.date > most ? bar.date : most), '0000-01-01')
  const held = await heldBars(lake, symbols, first, last)
  for (const row of changes.corrections as unknown as readonly KnownBar[])
    if (held.get(row.symbol)?.has(row.date)) held.get(row.symbol)?.set(row.date, row)
  const range = symbols.length > singleSymbols ? ('all' as const) : symbols
  for (const [symbol, days] of held) if (days.size === 0) resumed.add(symbol)
  const newest = await newestDays(lake, held, last, range)
  const splits = await splitRatios(lake, rows, range, addDays(first, -lookBackDays))
  const sessionClose = sessionCloses()
  const { record } = datasetOf('bars')
  const asTraded = await volumesAsTraded(priced, lake, rows)
  for (const { origin, parsed } of priced) {
    const printed = explain.incoming(parsed.bars ?? [], origin.retrieved_at)
    const incoming = parsed.volumes === 'split_adjusted' ? asTraded(printed, origin) : printed
    const known = [...new Set(incoming.map(bar => bar.symbol))].flatMap(symbol => [...(held.get(symbol)?.values() ?? [])])
    const guarded = guardBars(incoming, known, {
      source: origin.source,
      retrieved_at: origin.retrieved_at,
      sessionClose,
      lastHeld: symbol => newest.get(symbol) ?? null,
      splitsOn: (symbol, date) => splits.get(`${symbol} ${date}`) ?? [],
    })
    const released: BarFacts[] = []
    for (const refused of guarded.refused) {
      const decision = decisions.get(fingerprintOf(refused, origin.sha256))?.decision
      const bar = incoming.find(each => each === refused.record)
      if (decision === 'released' && bar) released.push(bar)
      else if (decision !== 'rejected') changes.refused.push({ refused, origin })
    }
    const take = (bar: BarFacts, correction: { reason: string; previous_close: number } | null): void => {
      const row = rowOf({ ...bar, ...(correction ?? {}) }, origin)
      const checked = (correction ? datasetOf('bar_corrections').record : record).safeParse(row)
      if (!checked.success) {
        changes.refused.push({ refused: schemaRefusal('bars', row, checked.error.issues[0]), origin })
        return
      }
      if (correction) replaceOrPush(changes.corrections, row)
      else changes.bars.push(row)
      held.get(bar.symbol)?.set(bar.date, { ...bar, source: origin.source, known_from: origin.retrieved_at })
      if ((newest.get(bar.symbol) ?? '') < bar.date) newest.set(bar.symbol, bar.date)
    }
    for (const bar of guarded.append) take(bar, null)
    for (const { reason, previous_close, ...bar } of guarded.corrections) take(bar, { reason, previous_close })
    for (const bar of released) {
      const before = held.get(bar.symbol)?.get(bar.date)
      take(bar, before ? { reason: 'released_by_operator', previous_close: before.close } : null)
    }
    for (const [name, count] of Object.entries(guarded.counts)) if (count > 0) changes.counts[name] = (changes.counts[name] ?? 0) + count
  }
  return changes
}

/** If one batch corrects a bar twice, the later document's correction applies. */
function replaceOrPush(rows: Row[], row: Row): void {
  const at = rows.findIndex(each => each['symbol'] === row['symbol'] && each['date'] === row['date'])
  if (at < 0) rows.push(row)
  else rows[at] = row
}

type SplitRow = {
  readonly symbol: string
  readonly ex_date: string
  readonly kind: string
  readonly numerator: string | null
  readonly denominator: string | null
  readonly cancelled: boolean
}
const splitKinds = ['split', 'stock_dividend', 'spinoff']

/** New shares per old of the splits that a source reports, by symbol and ex-date. */
async function splitRatios(lake: Lake, rows: RowsByDataset, range: 'all' | readonly string[], from: string): Promise<Map<string, number[]>> {
  const known = await lake.query<SplitRow>(
    "select distinct symbol, ex_date, kind, numerator, denominator, cancelled from corporate_actions where kind in ('split', 'stock_dividend', 'spinoff') and ex_date >= $from::date order by all",
    { from },
    { corporate_actions: range },
    { since: { corporate_actions: { time: from } } },
  )
  const mine = (rows.get('corporate_actions') ?? []) as unknown as readonly SplitRow[]
  const ratios = new Map<string, number[]>()
  for (const row of [...known, ...mine.filter(each => splitKinds.includes(each.kind))]) {
    const shares = row.cancelled ? null : splitRatio(row)
    const key = `${row.symbol} ${row.ex_date}`
    if (shares) ratios.set(key, [...(ratios.get(key) ?? []), numberOf(shares)])
  }
  return ratios
}
