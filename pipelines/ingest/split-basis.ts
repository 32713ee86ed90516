// Bars with an unknown split divisor, restored to traded prices once every split between them and their retrieval is known:
// incoming bars before they are compared, stored ones by a correction of each.
import type { BarFacts } from '#schemas/bars.ts'
import { daysBetween } from '#schemas/days.ts'
import { splitRatio } from '#warehouse/datasets/prices/actions.ts'
import { compare, one } from '#warehouse/datasets/prices/ratio.ts'
import { priceRules } from '#warehouse/datasets/prices/rules.ts'
import { dateIn } from '#warehouse/rulesets/exchange-calendars/calendar.ts'
import type { Lake } from '#warehouse/store/lake/lake.ts'
import { type KnownSplit, sharesAfter, undividedPrice, undividedVolume } from '../read/bars/split-basis.ts'
import type { ParsedDocument, Row, RowsByDataset } from './types.ts'

type History = {
  readonly symbol: string
  readonly source_name: string
  readonly from_date: string
  readonly to_date: string
  readonly known_from: string
}
/** What a stored action states about shares. */
export type Action = {
  readonly symbol: string
  readonly kind: string
  readonly ex_date: string
  readonly sequence: number
  readonly source_name: string
  readonly numerator: string | null
  readonly denominator: string | null
  readonly cancelled: boolean
}
type HeldBar = BarFacts & { readonly source: string; readonly known_from: string; readonly raw_sha256: string }

export type Explained = {
  /** The bars of a document; those of unknown basis are restored if the splits up to its retrieval are known. */
  readonly incoming: (bars: readonly BarFacts[], retrievedAt: string) => readonly BarFacts[]
  /** Corrections of stored bars that the splits of this batch explain. */
  readonly held: () => Promise<Row[]>
}

const splitKinds = ['split', 'stock_dividend']
const kinds = "kind in ('split', 'stock_dividend', 'spinoff')"
const isUnknown = ({ basis }: BarFacts): boolean => basis === 'split_adjusted_unknown'
const isSplitRow = (row: Row): boolean => [...splitKinds, 'spinoff'].includes(String(row['kind']))

/** Reads the known splits of symbols with bars of unknown basis; without such bars, or without new splits, nothing is read. */
export async function splitsExplained(documents: readonly ParsedDocument[], lake: Lake, rows: RowsByDataset): Promise<Explained> {
  const newHistories = (rows.get('split_histories') ?? []) as unknown as readonly History[]
  const acted = (rows.get('corporate_actions') ?? []).filter(isSplitRow) as unknown as readonly Action[]
  const news = [...new Set([...newHistories, ...acted].map(row => row.symbol))].sort()
  const unknown = documents.flatMap(({ parsed }) => (parsed.bars ?? []).filter(isUnknown).map(bar => bar.symbol))
  const symbols = [...new Set([...news, ...unknown])].sort()
  if (symbols.length === 0) return { incoming: bars => bars, held: async () => [] }
  const [histories, actions] = await Promise.all([
    lake.query<History>('select symbol, source_name, from_date, to_date, known_from from split_histories', {}, { split_histories: symbols }),
    lake.query<Action>(
      `select symbol, kind, ex_date, sequence, source_name, numerator, denominator, cancelled from corporate_actions where ${kinds}`,
      {},
      { corporate_actions: symbols },
    ),
  ])
  const newest = new Map([...actions, ...acted].map(row => [[row.symbol, row.kind, row.ex_date, row.sequence, row.source_name].join('|'), row]))
  const known = new Map([...histories, ...newHistories].map(row => [[row.symbol, row.source_name, row.from_date].join('|'), row]))
  const historiesOf = Map.groupBy(known.values(), row => row.symbol)
  const splitsOf = Map.groupBy(
    [...newest.values()].filter(row => !row.cancelled),
    row => row.symbol,
  )
  const explainer = new Map(symbols.map(symbol => [symbol, explainerOf(historiesOf.get(symbol) ?? [], splitsOf.get(symbol) ?? [])]))
  const back = <B extends BarFacts>(bar: B, retrievedAt: string): B | null => explainer.get(bar.symbol)?.(bar, dayIn(retrievedAt)) ?? null
  return {
    incoming: (bars, retrievedAt) => bars.map(bar => (isUnknown(bar) ? (back(bar, retrievedAt) ?? bar) : bar)),
    held: async () => {
      const touched = news.filter(symbol => (historiesOf.get(symbol) ?? []).length > 0)
      if (touched.length === 0) return []
      const bars = await lake.query<HeldBar>(heldSql, {}, { bars: touched, bar_corrections: touched })
      return bars.flatMap(bar => {
        const traded = back(bar, bar.known_from)
        const since = (historiesOf.get(bar.symbol) ?? []).map(row => row.known_from)
        return traded ? [correctionOf(bar, traded, since)] : []
      })
    },
  }
}

const columns = 'symbol, date, open, high, low, close, volume, currency, basis, source, known_from, raw_sha256'
const heldSql = `select ${columns} from bars
  where basis = 'split_adjusted_unknown' and not exists (select 1 from bar_corrections as c where c.symbol = bars.symbol and c.date = bars.date)
  union all select ${columns} from bar_corrections where basis = 'split_adjusted_unknown' order by symbol, date`

const dayIn = (instant: string): string => dateIn('America/New_York', instant)

/** The traded bar is known since both its document and the histories that explain it were. */
function correctionOf(bar: HeldBar, traded: BarFacts, histories: readonly string[]): Row {
  const known_from = [bar.known_from, ...histories].reduce((a, b) => (Date.parse(b) > Date.parse(a) ? b : a))
  const { source, raw_sha256 } = bar
  const facts = { reason: 'basis_known', previous_close: bar.close, known_from, known_basis: 'retrieved', source, raw_sha256, withdrawn: false }
  const { symbol, date, open, high, low, close, volume, currency, basis } = traded
  return { symbol, date, open, high, low, close, volume, currency, basis, ...facts }
}

/**
 * The bar as traded, or null if a split between it and `retrieved` may be missing: the histories omit a day, two sources report
 * different ratios for one day, the same split appears on two days, or a spin-off may also have been divided out.
 */
function explainerOf(histories: readonly History[], actions: readonly Action[]) {
  const splits: KnownSplit[] = []
  const unclear: string[] = actions.filter(row => row.kind === 'spinoff').map(row => row.ex_date)
  for (const [date, rows] of Map.groupBy(
    actions.filter(row => row.kind !== 'spinoff'),
    row => row.ex_date,
  )) {
    const ratios = rows.map(splitRatio)
    const [first] = ratios
    if (!first || ratios.some(each => each === null || compare(each, first) !== 0)) unclear.push(date)
    else splits.push({ ex_date: date, ratio: first })
  }
  splits.sort((a, b) => (a.ex_date < b.ex_date ? -1 : 1))
  for (const [at, split] of splits.entries()) {
    const before = splits[at - 1]
    if (before && compare(before.ratio, split.ratio) === 0 && daysBetween(before.ex_date, split.ex_date) <= priceRules.duplicate_days)
      unclear.push(before.ex_date, split.ex_date)
  }
  return <B extends BarFacts>(bar: B, retrieved: string): B | null => {
    if (unclear.some(date => date > bar.date && date <= retrieved) || !covers(histories, bar.date, retrieved)) return null
    const shares = sharesAfter(splits, bar.date, retrieved)
    if (compare(shares, one) === 0) return { ...bar, basis: 'as_traded' }
    const price = (value: number): number => Number(undividedPrice(value, shares))
    const maybe = (value: number | null): number | null => (value === null ? null : price(value))
    const volume = bar.volume === null ? null : undividedVolume(bar.volume, shares)
    return { ...bar, open: maybe(bar.open), high: maybe(bar.high), low: maybe(bar.low), close: price(bar.close), volume, basis: 'reconstructed' }
  }
}

/** Whether stretches of days, laid end to end, reach from one day to another. */
function covers(histories: readonly History[], from: string, to: string): boolean {
  let reached = from
  for (;;) {
    if (reached >= to) return true
    const further = histories.filter(row => row.from_date <= reached).reduce((most, row) => (row.to_date > most ? row.to_date : most), reached)
    if (further === reached) return false
    reached = further
  }
}
