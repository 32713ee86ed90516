// Context for building answers: the lake at one release with its listings and issuers, read once.
import { cacheLimits } from '#schemas/cache-limits.ts'
import { loadPairBook, type PairBook } from '../datasets/dual-listings/pairs.ts'
import { type IssuerIndex, loadIssuerIndex } from '../datasets/filings/issuer-index.ts'
import { loadQuarterReports, type QuarterReports } from '../datasets/holdings/quarter-reports.ts'
import { loadSymbolIndex, type SymbolIndex } from '../datasets/symbols/symbol-index.ts'
import type { Lake } from '../store/lake/lake.ts'
import type { ReleaseContext } from './answer.ts'

/** Loads the listings, the issuer map and the pairs of the lake's release, as known at `asOf` (null: all of the release). */
export async function contextOf(lake: Lake, asOf: string | null): Promise<ReleaseContext> {
  const [symbols, issuers, pairs] = await Promise.all([loadSymbolIndex(lake, asOf), loadIssuerIndex(lake, asOf), loadPairBook(lake, asOf)])
  return { lake, symbols, issuers, pairs, quarterReports: quarter => loadQuarterReports(lake, quarter, asOf) }
}

export type ReleaseContexts = (lake: Lake, asOf: string | null) => Promise<ReleaseContext>

/**
 * Release contexts that share unchanged parts: releases with the same listings read them once (51,000 of them take about a
 * second), and the same for the issuer map. `kept` of each stay in memory.
 */
export function createContexts(kept: number): ReleaseContexts {
  const symbolsOf = remembered<SymbolIndex>(kept, loadSymbolIndex)
  const issuersOf = remembered<IssuerIndex>(kept, loadIssuerIndex)
  const pairsOf = remembered<PairBook>(kept, loadPairBook)
  const reportsOf = remembered<QuarterReports, string>(cacheLimits.reportQuarters, (lake, asOf, quarter) => loadQuarterReports(lake, quarter, asOf))
  return async (lake, asOf) => {
    const [symbols, issuers, pairs] = await Promise.all([
      symbolsOf(lake, asOf, ['symbols']),
      issuersOf(lake, asOf, ['issuer_tickers', 'insider_filings']),
      pairsOf(lake, asOf, ['dual_listings']),
    ])
    return { lake, symbols, issuers, pairs, quarterReports: quarter => reportsOf(lake, asOf, ['holdings_reports'], quarter) }
  }
}

type Load<T, Of extends string | undefined> = (lake: Lake, asOf: string | null, of: Of) => Promise<T>

/** A part that is loaded once for each version of its datasets and, if it has several, for each subject (`of`); the oldest are dropped. */
function remembered<T, Of extends string | undefined = undefined>(
  kept: number,
  load: Load<T, Of>,
): (lake: Lake, asOf: string | null, datasets: Parameters<Lake['versionOf']>[0], ...of: Of extends undefined ? [] : [Of]) => Promise<T> {
  const held = new Map<string, Promise<T>>()
  return (lake, asOf, datasets, ...[of]) => {
    const key = `${lake.versionOf(datasets).release} ${asOf ?? ''} ${of ?? ''}`
    let value = held.get(key)
    if (!value) {
      value = load(lake, asOf, of as Of)
      held.set(key, value)
      value.catch(() => held.delete(key))
      if (held.size > kept) held.delete(held.keys().next().value as string)
    }
    return value
  }
}
