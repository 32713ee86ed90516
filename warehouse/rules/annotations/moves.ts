// Notable moves: returns that are large against the returns before them. Pure. Uses only + - * / and square roots, so that every
// machine gets the same digits.
import type { AnnotationRules } from '../../rulesets/annotations/rules.ts'

export type Close = { readonly date: string; readonly close: number }
export type Move = {
  readonly date: string
  readonly previous_date: string
  readonly return: number
  readonly volatility: number
  readonly returns_before: number
  /** Places in the series. */
  readonly at: number
}
export type Moves = { readonly moves: readonly Move[]; readonly evaluated: number; readonly volatility: number | null }

/** The moves of a series, oldest first (days ascending). A return is not evaluated if fewer than `least_returns` precede it or all of them are zero. */
export function movesOf(series: readonly Close[], rules: Pick<AnnotationRules, 'returns_before' | 'least_returns' | 'threshold'>): Moves {
  const returns = series.slice(1).map((row, at) => row.close / (series[at] as Close).close - 1)
  const moves: Move[] = []
  let evaluated = 0
  for (const [at, value] of returns.entries()) {
    const before = returns.slice(Math.max(0, at - rules.returns_before), at)
    const volatility = deviationOf(before, rules.least_returns)
    if (volatility === null) continue
    evaluated += 1
    if (Math.abs(value) < rules.threshold * volatility) continue
    const [previous, row] = [series[at] as Close, series[at + 1] as Close]
    moves.push({ date: row.date, previous_date: previous.date, return: value, volatility, returns_before: before.length, at: at + 1 })
  }
  return { moves, evaluated, volatility: deviationOf(returns.slice(-rules.returns_before), rules.least_returns) }
}

/** Sample standard deviation; null if there are fewer values than `least` or all values are equal. */
function deviationOf(values: readonly number[], least: number): number | null {
  if (values.length < least) return null
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) * (value - mean), 0)
  const deviation = Math.sqrt(squares / (values.length - 1))
  return deviation > 1e-12 ? deviation : null
}
