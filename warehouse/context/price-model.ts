// The model of prices for answers: what one release holds of a symbol, read from one block instead of by SQL over the files of the lake.
import type { Days, Factor, FoundPrices } from '../datasets/bars/bars.ts'
import type { HeldAction } from '../datasets/corporate-actions/corporate-actions.ts'

export type ModelPrices = { readonly prices: FoundPrices; readonly factors: readonly Factor[]; readonly held: readonly HeldAction[] }

export type PriceModel = {
  /**
   * The bars of the symbols between two days, and all their factors and held actions: the same rows as the lake has at the model's release,
   * with everything that is known. Null if they must be read from the lake, for example because a block is damaged.
   */
  read(symbols: readonly string[], days: Days): Promise<ModelPrices | null>
}
