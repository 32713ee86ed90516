// Stored pages of spreads and pairs. A request without an instant means the present and is answered from the lake, because ages are counted
// from it (api/lake-handlers.ts); the pages are the permanent answers of a release.

import { dollarSymbol } from '#schemas/fx.ts'
import type { DatasetName } from '#schemas/index.ts'
import type { ReleaseContext } from '../../context/answer.ts'
import { type Pair, stateOf } from '../../datasets/dual-listings/pairs.ts'
import { easternDay } from '../../rules/arb/market-hours.ts'
import { curated } from '../../rulesets/dual-listings/rules.ts'
import { hasOnly } from './changed.ts'
import type { ChangedRows, StoredPage } from './stored-page.ts'

export const arbDatasets = ['quotes', 'bars', 'bar_corrections', 'corporate_actions', 'fx_rates', 'dual_listings'] as const
export const dualListingDatasets = ['symbols', 'dual_listings', 'interlistings'] as const

/** Tracked pairs whose symbols are valid on a day, by Toronto symbol. */
export const trackedPairs = (context: Pick<ReleaseContext, 'pairs'>, date: string): Pair[] =>
  context.pairs.all.filter(pair => pair.tracked && stateOf(pair, date) === 'current')

const symbolsIn = (rows: ChangedRows, names: readonly DatasetName[]): ReadonlySet<string> =>
  new Set(names.flatMap(name => (rows.get(name) ?? []).map(row => String(row['symbol']))))

const priced = ['quotes', 'bars', 'bar_corrections', 'corporate_actions'] as const satisfies readonly DatasetName[]

/** The tracked pairs that the rows of a commit change: by a price or an action of a line; a rate changes all of them. */
function changedPairs(rows: ChangedRows, context: ReleaseContext): Pair[] {
  const tracked = trackedPairs(context, easternDay(context.lake.versionOf(arbDatasets).committed_at))
  const symbols = symbolsIn(rows, priced)
  const rate = (rows.get('fx_rates') ?? []).some(
    row => ['USD', 'CAD'].includes(String(row['base_currency'])) && ['USD', 'CAD'].includes(String(row['quote_currency'])),
  )
  if (rate || symbols.has(dollarSymbol) || (rows.get('dual_listings') ?? []).length > 0) return tracked
  return tracked.filter(pair => symbols.has(pair.tsx_symbol) || symbols.has(pair.us_symbol))
}

export const arbPairsPage: StoredPage = {
  from: arbDatasets,
  standard: question => hasOnly(question, 'limit') && question['limit'] === 100,
  changed: (rows, context) => (changedPairs(rows, context).length > 0 ? [{ limit: 100 }] : []),
}

export const arbPairPage: StoredPage = {
  from: arbDatasets,
  standard: (question, context) =>
    hasOnly(question, 'toronto_sym', 'us_sym') &&
    context.pairs.of(String(question['toronto_sym'])).some(pair => pair.tracked && pair.us_symbol === question['us_sym']),
  changed: (rows, context) => changedPairs(rows, context).map(pair => ({ toronto_sym: pair.tsx_symbol, us_sym: pair.us_symbol })),
}

/** The symbols of the curated table: a directory row of another listing does not change a pair. */
const curatedSymbols = new Set(curated.pairs.flatMap(pair => [pair.tsx_symbol, pair.us_symbol]))
export const dualListingsPage: StoredPage = {
  from: dualListingDatasets,
  standard: question => hasOnly(question, 'limit') && question['limit'] === 100,
  changed: (rows, context) => {
    const symbols = symbolsIn(rows, ['symbols', 'interlistings'])
    const named = [...symbols].some(symbol => curatedSymbols.has(symbol) || context.pairs.of(symbol).length > 0)
    return named || (rows.get('dual_listings') ?? []).length > 0 ? [{ limit: 100 }] : []
  },
}
