// Stored pages of spreads and pairs. A question that names no instant is asked about this moment and is answered from the lake, since
// an age is counted from it (api/lake-handlers.ts); the pages are what a release says of itself, for ever.

import { dollarSymbol } from '#schemas/fx.ts'
import type { DatasetName } from '#schemas/index.ts'
import { easternDay } from '../../arb/market-hours.ts'
import type { Pair } from '../../dual-listings/pairs.ts'
import { curated } from '../../rulesets/dual-listings/rules.ts'
import type { Ground } from '../answer.ts'
import { arbDatasets, trackedPairs } from '../arb.ts'
import { dualListingDatasets } from '../dual-listings.ts'
import type { ChangedRows, PagedOperation, PageQuestion } from '../paged.ts'

const isOnly = (question: PageQuestion, ...names: readonly string[]): boolean => Object.keys(question).sort().join() === names.join()
const symbolsIn = (rows: ChangedRows, names: readonly DatasetName[]): ReadonlySet<string> =>
  new Set(names.flatMap(name => (rows.get(name) ?? []).map(row => String(row['symbol']))))

const priced = ['quotes', 'bars', 'bar_corrections', 'corporate_actions'] as const satisfies readonly DatasetName[]

/** The tracked pairs that the rows of a commit change: by a price or an action of a line, by the rate all of them. */
function changedPairs(rows: ChangedRows, ground: Ground): Pair[] {
  const tracked = trackedPairs(ground, easternDay(ground.lake.versionOf(arbDatasets).committed_at))
  const symbols = symbolsIn(rows, priced)
  const rate = (rows.get('fx_rates') ?? []).some(
    row => ['USD', 'CAD'].includes(String(row['base_currency'])) && ['USD', 'CAD'].includes(String(row['quote_currency'])),
  )
  if (rate || symbols.has(dollarSymbol) || (rows.get('dual_listings') ?? []).length > 0) return tracked
  return tracked.filter(pair => symbols.has(pair.tsx_symbol) || symbols.has(pair.us_symbol))
}

export const arbPairsPage: PagedOperation = {
  operation: 'list_arb_pairs',
  from: arbDatasets,
  standard: question => isOnly(question, 'limit') && question['limit'] === 100,
  changed: (rows, ground) => (changedPairs(rows, ground).length > 0 ? [{ limit: 100 }] : []),
}

export const arbPairPage: PagedOperation = {
  operation: 'get_arb_pair',
  from: arbDatasets,
  standard: (question, ground) =>
    isOnly(question, 'toronto_sym', 'us_sym') &&
    ground.pairs.of(String(question['toronto_sym'])).some(pair => pair.tracked && pair.us_symbol === question['us_sym']),
  changed: (rows, ground) => changedPairs(rows, ground).map(pair => ({ toronto_sym: pair.tsx_symbol, us_sym: pair.us_symbol })),
}

/** The symbols that the curated table names: a directory of another listing says nothing of a pair. */
const curatedSymbols = new Set(curated.pairs.flatMap(pair => [pair.tsx_symbol, pair.us_symbol]))
export const dualListingsPage: PagedOperation = {
  operation: 'list_dual_listings',
  from: dualListingDatasets,
  standard: question => isOnly(question, 'limit') && question['limit'] === 100,
  changed: (rows, ground) => {
    const symbols = symbolsIn(rows, ['symbols', 'interlistings'])
    const named = [...symbols].some(symbol => curatedSymbols.has(symbol) || ground.pairs.of(symbol).length > 0)
    return named || (rows.get('dual_listings') ?? []).length > 0 ? [{ limit: 100 }] : []
  },
}
