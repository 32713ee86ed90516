// Formats alerts and their firings for responses: amounts keep their digits.
import type { Selectable } from 'kysely'
import { digits } from '../../context/answer.ts'
import { type AlertTerms, type EvaluatedCondition, evaluateAlert } from '../../rules/indicators/alerts.ts'
import { indicatorRules } from '../../rulesets/indicators/rules.ts'
import { rescaled, type Verdict } from './evaluate-condition.ts'
import type { Picture } from './pictures.ts'
import type { AlertTables, SplitOn } from './tables.ts'

export type AlertRow = Selectable<AlertTables['alert']>
export type FiringRow = Selectable<AlertTables['alert_firing']>

export const termsOf = ({ condition, threshold, baseline_price, condition2, threshold2, logic }: AlertRow): AlertTerms => ({
  condition,
  threshold,
  baseline_price,
  condition2,
  threshold2,
  logic,
})

/** `splits`: those of the listing since the alert was created; none for scope watchlist, because each listing has its own. */
export function printedAlert(row: AlertRow, splits: readonly SplitOn[]): object {
  const now = rescaled(termsOf(row), splits)
  const changed = now.threshold !== row.threshold || now.baseline_price !== row.baseline_price || now.threshold2 !== row.threshold2
  return {
    id: row.alert_id,
    ticker: row.ticker,
    condition: row.condition,
    threshold: digits(now.threshold),
    baseline_price: digits(now.baseline_price),
    condition2: row.condition2,
    threshold2: digits(now.threshold2),
    logic: row.logic,
    scope: row.scope,
    status: row.status,
    triggered_at: row.triggered_at,
    triggered_price: digits(row.triggered_price),
    triggered_symbol: row.triggered_symbol,
    note: row.note,
    created_at: row.created_at,
    original: changed ? { threshold: digits(row.threshold), baseline_price: digits(row.baseline_price), threshold2: digits(row.threshold2) } : null,
  }
}

export const printedCondition = ({ value, against, ...rest }: EvaluatedCondition): object => ({
  condition: rest.condition,
  holds: rest.holds,
  value: digits(value),
  against: digits(against),
  intraday: rest.intraday,
  warmed_up: rest.warmed_up,
})

/** The inputs stored with a firing: decimals as text, so that jsonb keeps their digits. */
export const inputsOf = ({ terms, state }: Verdict, { reported, snapshot }: Picture, series: string) => ({
  series,
  threshold: terms.threshold,
  baseline_price: terms.baseline_price,
  threshold2: terms.threshold2,
  logic: terms.condition2 === null ? null : (terms.logic ?? 'AND'),
  splits: state.splits,
  price: snapshot.price,
  price_basis: reported?.price_basis ?? null,
  price_at: reported?.price_at ?? null,
  session_date: reported?.session_date ?? null,
  source: reported?.source ?? null,
  conditions: evaluateAlert(terms, snapshot, indicatorRules).conditions,
})
type Inputs = ReturnType<typeof inputsOf>

type Delivery = { readonly channel: string; readonly queued_at: string; readonly skipped: string | null }
export function printedFiring(row: FiringRow, deliveries: readonly Delivery[]): object {
  const inputs = row.inputs as Inputs
  const { threshold, baseline_price, threshold2, price, conditions } = inputs
  return {
    id: row.firing_id,
    alert_id: row.alert_id,
    symbol: row.subject,
    fired_at: row.fired_at,
    release: row.release,
    price: digits(row.price),
    rule: row.rule,
    ruleset: row.ruleset,
    inputs: {
      series: inputs.series,
      threshold: digits(threshold),
      baseline_price: digits(baseline_price),
      threshold2: digits(threshold2),
      logic: inputs.logic,
      splits: inputs.splits,
      price: digits(price),
      price_basis: inputs.price_basis,
      price_at: inputs.price_at,
      session_date: inputs.session_date,
      source: inputs.source,
      conditions: conditions.map(printedCondition),
    },
    bars: {
      count: row.bars.length,
      from: row.bars[0]?.[0] ?? null,
      to: row.bars.at(-1)?.[0] ?? null,
      closes: row.bars.map(([date, close]) => ({ date, close: digits(close) })),
    },
    deliveries: deliveries.map(({ channel, queued_at, skipped }) => ({ channel, queued_at, skipped })),
  }
}
