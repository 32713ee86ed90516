// Volume as traded, from a source that prints it in shares of the retrieval day: the source's splits are reversed. What a
// reverse split rounded away is lost.
import type { BarFacts } from '#schemas/bars.ts'
import type { SymbolInterval } from '#schemas/symbols.ts'
import { loadSymbolIndex } from '#warehouse/datasets/symbols/symbol-index.ts'
import { dateIn } from '#warehouse/rulesets/exchange-calendars/calendar.ts'
import type { Lake } from '#warehouse/store/lake/lake.ts'
import type { Action } from './split-basis.ts'
import type { Origin, ParsedDocument, RowsByDataset } from './types.ts'

const splitKinds = ['split', 'stock_dividend']

/** The bars of a document with volume as traded. `rows` are the batch's; its actions and listings count too. */
export type AsTraded = (bars: readonly BarFacts[], origin: Origin) => readonly BarFacts[]

/** Reads the splits that the sources of such documents report; without such a document nothing is read. */
export async function volumesAsTraded(documents: readonly ParsedDocument[], lake: Lake, rows: RowsByDataset): Promise<AsTraded> {
  const symbols = [
    ...new Set(
      documents.filter(({ parsed }) => parsed.volumes === 'split_adjusted').flatMap(({ parsed }) => (parsed.bars ?? []).map(bar => bar.symbol)),
    ),
  ]
  if (symbols.length === 0) return bars => bars
  const known = await lake.query<Action>(
    "select symbol, kind, ex_date, sequence, source_name, numerator, denominator, cancelled from corporate_actions where kind in ('split', 'stock_dividend')",
    {},
    { corporate_actions: symbols },
  )
  const own = new Set(symbols)
  const fresh = ((rows.get('corporate_actions') ?? []) as unknown as Action[]).filter(row => own.has(row.symbol) && splitKinds.includes(row.kind))
  const newest = new Map([...known, ...fresh].map(row => [[row.symbol, row.kind, row.ex_date, row.sequence, row.source_name].join('|'), row]))
  const splits = Map.groupBy(
    [...newest.values()].filter(row => !row.cancelled),
    row => `${row.source_name} ${row.symbol}`,
  )
  if (splits.size === 0) return bars => bars
  const index = await loadSymbolIndex(lake, null, (rows.get('symbols') ?? []) as unknown as SymbolInterval[])
  /** The instruments that had the symbol: a later company's split does not apply to an earlier one. */
  const instrumentAt = (symbol: string, date: string): string | undefined => {
    const intervals = index.listingsOf(symbol)
    return (intervals.findLast(each => each.valid_from <= date) ?? intervals[0])?.instrument_id
  }
  return (bars, origin) => {
    const retrievedDay = dateIn('America/New_York', origin.retrieved_at)
    return bars.map(bar => {
      if (bar.volume === null) return bar
      let volume = bar.volume
      for (const { symbol, ex_date, numerator, denominator } of splits.get(`${origin.source} ${bar.symbol}`) ?? []) {
        if (ex_date <= bar.date || ex_date > retrievedDay || instrumentAt(symbol, ex_date) !== instrumentAt(symbol, bar.date)) continue
        volume = (volume * Number(denominator ?? 1)) / Number(numerator ?? 1)
      }
      return volume === bar.volume ? bar : { ...bar, volume: Math.round(volume) }
    })
  }
}
