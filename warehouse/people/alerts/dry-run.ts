// Evaluates an alert on each past daily close, without saving anything.
import { setImmediate as breathe } from 'node:timers/promises'
import { maxFirings } from '#schemas/alerts.ts'
import { addDays } from '#schemas/days.ts'
import { digits, type ReleaseContext } from '../../context/answer.ts'
import { spansOf } from '../../datasets/bars/bars.ts'
import { findSplits } from '../../datasets/quotes/quotes.ts'
import { type AlertTerms, type EvaluatedCondition, evaluateAlert, fires } from '../../rules/indicators/alerts.ts'
import { type IndicatorRules, indicatorRules } from '../../rulesets/indicators/rules.ts'
import { adjusted, findCloses, findLast, ofInstrument, splitsOf } from './closes.ts'
import { inWords } from './evaluate-condition.ts'
import { priceDatasets } from './pictures.ts'
import { printedCondition } from './print.ts'

/** Calendar days before the first evaluated one that contain the closes for an RSI. */
const warmUpDays = 400
/** Number of days evaluated before yielding to other requests. */
const atOnce = 25

export type History = { readonly dates: readonly string[]; readonly closes: readonly string[] }
type Reading = Pick<EvaluatedCondition, 'value' | 'against'>
type Session = { readonly date: string; readonly close: string; readonly readings: readonly Reading[] }
type WouldFire = { readonly date: string; readonly price: string; readonly conditions: readonly EvaluatedCondition[] }
export type DryRun = {
  readonly from: string | null
  readonly to: string | null
  readonly sessions: number
  readonly unknown: number
  readonly baseline_price: string | null
  readonly holds_now: boolean | null
  readonly firings: readonly WouldFire[]
  /** Each evaluated session, oldest first. */
  readonly history: readonly Session[]
}

/** Evaluates the alert on each close from a day on; closes in shares of the newest day, oldest first. */
export async function replay(made: AlertTerms, { dates, closes }: History, from: string, rules: IndicatorRules = indicatorRules): Promise<DryRun> {
  const first = dates.findIndex(date => date >= from)
  if (first < 0)
    return { from: null, to: null, sessions: 0, unknown: 0, baseline_price: made.baseline_price, holds_now: null, firings: [], history: [] }
  const baseline_price = made.baseline_price ?? closes[Math.max(0, first - 1)] ?? null
  const terms = { ...made, baseline_price }
  const firings: WouldFire[] = []
  const history: Session[] = []
  let [last, now, unknown]: [boolean | null, boolean | null, number] = [null, null, 0]
  for (let at = first; at < closes.length; at += 1) {
    const price = closes[at] as string
    const evaluated = evaluateAlert(terms, { price, closes: closes.slice(Math.max(0, at + 1 - rules.rsi.bars), at + 1), intraday: false }, rules)
    history.push({ date: dates[at] as string, close: price, readings: evaluated.conditions.map(({ value, against }) => ({ value, against })) })
    if (fires(last, evaluated.holds, rules)) firings.push({ date: dates[at] as string, price, conditions: evaluated.conditions })
    if (evaluated.holds === null) unknown += 1
    now = evaluated.holds
    last = now ?? last
    if ((at - first) % atOnce === atOnce - 1) await breathe()
  }
  return {
    from: dates[first] ?? null,
    to: dates.at(-1) ?? null,
    sessions: closes.length - first,
    unknown,
    baseline_price,
    holds_now: now,
    firings,
    history,
  }
}

/** The body of a dry run over some listings, `days` back from the newest close of each. */
export async function dryRun(
  context: ReleaseContext,
  symbols: readonly string[],
  terms: AlertTerms,
  days: number,
  now: string,
  leftOut: number,
): Promise<object> {
  const { lake, symbols: index } = context
  const wanted = symbols.map(symbol => ({ symbol, spans: spansOf(index, symbol) }))
  const keys = [...new Set(wanted.flatMap(({ spans }) => spans.map(span => span.symbol)))]
  const lasts = await findLast(lake, keys, '0001-01-01')
  const ends = [...lasts.values()].map(({ date }) => date).sort()
  const since = addDays(ends[0] ?? now.slice(0, 10), -days - warmUpDays)
  const bySymbol = await findCloses(lake, keys, since)
  const splits = keys.length === 0 ? [] : await findSplits(lake, keys, since, null)
  const runs: { readonly symbol: string; readonly run: DryRun }[] = []
  for (const { symbol, spans } of wanted) {
    const closes = ofInstrument(bySymbol, spans)
    const newest = closes.dates.at(-1) ?? now.slice(0, 10)
    const history = { dates: closes.dates, closes: adjusted(closes, splitsOf(splits, spans, newest)) }
    runs.push({ symbol, run: await replay(terms, history, addDays(newest, 1 - days)) })
  }
  const firings = runs
    .flatMap(({ symbol, run }) => run.firings.map((firing, at) => ({ symbol, rearmed: at > 0, ...firing })))
    .sort((a, b) => (a.date > b.date ? -1 : a.date < b.date ? 1 : a.symbol < b.symbol ? -1 : 1))
  return {
    release: lake.versionOf(priceDatasets).release,
    ruleset: indicatorRules.ruleset,
    rule: inWords(terms),
    series: indicatorRules.series.name,
    symbols: runs.map(({ symbol, run }) => ({
      symbol,
      from: run.from,
      to: run.to,
      sessions: run.sessions,
      baseline_price: digits(run.baseline_price),
      holds_now: run.holds_now,
      unknown_sessions: run.unknown,
      firings: run.firings.length,
    })),
    history: (runs.length === 1 ? (runs[0]?.run.history ?? []) : []).map(({ date, close, readings }) => ({
      date,
      close: digits(close),
      readings: readings.map(({ value, against }) => ({ value: digits(value), against: digits(against) })),
    })),
    symbols_left_out: leftOut,
    count: firings.length,
    firings: firings.slice(0, maxFirings).map(({ symbol, date, price, rearmed, conditions }) => ({
      symbol,
      date,
      price: digits(price),
      rearmed,
      conditions: conditions.map(printedCondition),
    })),
  }
}
