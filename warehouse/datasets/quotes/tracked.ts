import { addDays } from '#schemas/days.ts'
import { exchangeOf } from '#schemas/spelling.ts'
import { quoteRules } from '../../rulesets/quotes/rules.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { sqlIn } from '../../store/sql-files.ts'
import { findNewestBarDay } from '../bars/newest-day.ts'
import { interlisted } from '../symbols/interlisted.ts'
import type { SymbolIndex } from '../symbols/symbol-index.ts'

const statements = sqlIn(import.meta.dirname, ['most-traded'])

/**
 * `known`: pairs known in advance. Symbols are ordered for sources that accept only some of them: named ones, pairs, then the most traded
 * of each exchange in turn.
 */
export async function trackedSymbols(
  lake: Lake,
  symbols: SymbolIndex,
  named: readonly string[],
  known: readonly (readonly string[])[] = [],
): Promise<string[]> {
  const { liquidity_days, most_liquid } = quoteRules.tracked
  const isListed = (symbol: string): boolean => symbols.find(symbol)?.valid_to === null
  const newest = await findNewestBarDay(lake, null)
  const since = newest === null ? null : addDays(newest, 1 - liquidity_days)
  // The day is a value of the statement: a statement that reads the bars a second time for it loads all of them into memory, which took
  // minutes for a market of 51,000 symbols.
  const traded =
    since === null
      ? []
      : await lake.query<{ symbol: string; exchange: 'US' | 'TO' | 'V' }>(
          statements['most-traded'],
          { since, us: most_liquid.US, toronto: most_liquid.TO, venture: most_liquid.V },
          { bars: 'all' },
          { since: { bars: { time: since } } },
        )
  const rank = new Map(traded.map(({ symbol }, at) => [symbol, at]))
  const pairs = symbols.all
    .filter(symbol => exchangeOf(symbol) !== 'US' && isListed(symbol))
    .flatMap(symbol => {
      const across = interlisted(symbols, symbol).filter(isListed)
      return across.length === 0 ? [] : [[symbol, ...across]]
    })
    .sort((a, b) => (rank.get(a[0] ?? '') ?? traded.length) - (rank.get(b[0] ?? '') ?? traded.length))
  return [...new Set([...named, ...known.flat().filter(isListed), ...pairs.flat(), ...traded.map(({ symbol }) => symbol).filter(isListed)])]
}
