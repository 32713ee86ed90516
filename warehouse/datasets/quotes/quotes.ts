import type { StoredRow } from '#schemas/dataset.ts'
import { addDays } from '#schemas/days.ts'
import type { quotes } from '#schemas/quotes.ts'
import { exchangeOf } from '#schemas/spelling.ts'
import { quoteRules, rankOf } from '../../rulesets/quotes/rules.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { sqlIn } from '../../store/sql-files.ts'
import type { FactorRow } from '../bars/bars.ts'

const statements = sqlIn(import.meta.dirname, ['find-splits', 'find-quotes'])

export type QuoteRow = Omit<StoredRow<typeof quotes>, 'known_basis' | 'withdrawn'>

/**
 * The newest quote of each source for the symbols, as known at `at` (an instant). Covers sessions of the ruleset's `look_back_days`; with
 * `all`, every session, which reads every file of the symbols.
 */
export async function findQuotes(lake: Lake, symbols: readonly string[], at: string, asOf: string | null, all = false): Promise<QuoteRow[]> {
  if (symbols.length === 0) return []
  const since = all ? '0001-01-01' : addDays(at.slice(0, 10), -quoteRules.look_back_days)
  return await lake.query<QuoteRow>(statements['find-quotes'], { since, as_of: asOf }, { quotes_history: symbols })
}

/** Splits of the symbols with an ex-date from `since` (a day) on. */
export async function findSplits(lake: Lake, symbols: readonly string[], since: string, asOf: string | null): Promise<FactorRow[]> {
  if (!(await lake.holds('adjustment_factors', symbols))) return []
  return await lake.query<FactorRow>(statements['find-splits'], { since, as_of: asOf }, { adjustment_factors: symbols })
}

/**
 * If a source prints no time, the newest possible time of its price is used: within one session it does not contradict a trade with a
 * printed time.
 */
function newestClaims(rows: readonly QuoteRow[]): readonly QuoteRow[] {
  const sessions = rows.filter(row => row.time_basis === 'trade').map(row => row.session_date)
  const last = sessions.reduce((a, b) => (b > a ? b : a), '')
  return rows.filter(row => row.time_basis === 'trade' || row.session_date > last)
}

/** The chosen quote of each symbol; one with a price precedes one without. `rows` are at most one per source and symbol. */
export function pickQuotes(rows: readonly QuoteRow[]): Map<string, QuoteRow> {
  const picked = new Map<string, QuoteRow>()
  for (const [symbol, all] of Map.groupBy(rows, row => row.symbol)) {
    const priced = all.filter(row => row.price !== null)
    const own = priced.length > 0 ? priced : all
    const claims = newestClaims(own)
    const newest = Math.max(...claims.map(row => Date.parse(row.quoted_at)))
    const recent = claims.filter(row => newest - Date.parse(row.quoted_at) <= quoteRules.gives_way_seconds * 1000)
    const exchange = exchangeOf(symbol)
    recent.sort(
      (a, b) => rankOf('quotes', exchange, a.source_name) - rankOf('quotes', exchange, b.source_name) || (a.source_name < b.source_name ? -1 : 1),
    )
    picked.set(symbol, recent[0] as QuoteRow)
  }
  return picked
}
