// The model of prices for answers: what one release holds of a symbol, read from one block instead of by SQL over the files of the lake.
import type { Days, Factor, FoundPrices } from '../datasets/bars/bars.ts'
import type { HeldAction } from '../datasets/corporate-actions/corporate-actions.ts'

export type ModelPrices = { readonly prices: FoundPrices; readonly factors: readonly Factor[]; readonly held: readonly HeldAction[] }

/** A column of texts with few different values: `words[codes[place]]`. */
export type WordColumn = { readonly words: readonly string[]; readonly codes: Float64Array }
/**
 * Bars of one symbol in ascending order of their days, `count` in each column. `day`: days since 1970-01-01; `known_us`: microseconds since
 * then; NaN is null. The next table that is decoded has the same arrays: nothing may be awaited between reading a table and its last use.
 */
export type PriceColumns = {
  readonly count: number
  readonly day: Float64Array
  readonly open: Float64Array
  readonly high: Float64Array
  readonly low: Float64Array
  readonly close: Float64Array
  readonly volume: Float64Array
  readonly known_us: Float64Array
  readonly currency: WordColumn
  readonly basis: WordColumn
  readonly source: WordColumn
}
export type SymbolPrices = {
  /** All factors and held actions of the symbol. */
  readonly factors: readonly Factor[]
  readonly held: readonly HeldAction[]
  /** The bars between two days. Null if they are not one table of bars without corrections, and must be read as `read` does. */
  columns(days: Days): PriceColumns | null
}

export type PriceModel = {
  /**
   * The bars of the symbols between two days, and all their factors and held actions: the same rows as the lake has at the model's release,
   * with everything that is known. Null if they must be read from the lake, for example because a block is damaged.
   */
  read(symbols: readonly string[], days: Days): Promise<ModelPrices | null>
  /** The same of one symbol, for an answer that is printed without a record for each bar. */
  readSymbol(symbol: string): Promise<SymbolPrices | null>
}
