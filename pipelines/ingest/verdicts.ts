// The outcome of checking each reported action against prices, as rows: a client sees which of them restated history, and
// why the others did not.

import type { ActionVerdict, CorporateAction } from '#schemas/corporate-actions.ts'
import { daysBetween } from '#schemas/days.ts'
import type { DerivedFactor } from '#warehouse/datasets/prices/actions.ts'
import { actionKey, actionLabel } from '#warehouse/datasets/prices/actions.ts'
import type { Unapplied } from '#warehouse/datasets/prices/derive.ts'
import type { ActionVerdicts } from '#warehouse/datasets/prices/evaluate-actions.ts'
import type { Row } from './types.ts'

type Statement = Pick<ActionVerdict, 'status' | 'reason' | 'detail'>
/** A row of `action_verdicts` as the lake holds it. */
export type HeldVerdict = Pick<ActionVerdict, 'symbol' | 'kind' | 'ex_date' | 'sequence' | 'source_name'> & Statement

/** An effective action without a factor: what is missing, or why it never gets one. The texts omit days, because they change. */
const unappliedStatus: Readonly<Record<Unapplied['reason'], Statement['status']>> = {
  ex_date_ahead: 'waiting',
  no_fx_rate: 'waiting',
  no_ex_close: 'waiting',
  before_first_bar: 'left_out',
  no_cash_leaves: 'left_out',
  amount_exceeds_price: 'held',
  no_amount: 'held',
  no_ratio: 'held',
}
/** An action that repeats one within this many days changes the other's verdict. */
const neighbourDays = 7

/** The verdict on each action of a symbol, by `actionKey`. */
export function verdictsOf(
  evaluated: ActionVerdicts<CorporateAction>,
  factors: readonly DerivedFactor[],
  unapplied: readonly Unapplied[],
): ReadonlyMap<string, Statement> {
  const statements = new Map<string, Statement>()
  const inFactor = new Set(factors.flatMap(factor => factor.actions.map(label => `${factor.ex_date} ${label}`)))
  for (const action of evaluated.effective)
    if (inFactor.has(`${action.ex_date} ${actionLabel(action)}`))
      statements.set(actionKey(action), { status: 'applied', reason: 'in_factor', detail: null })
  for (const { action, reason, detail } of unapplied)
    statements.set(actionKey(action), { status: unappliedStatus[reason], reason, detail: reason === 'ex_date_ahead' ? null : detail })
  for (const { action, reason, detail } of evaluated.held) statements.set(actionKey(action), { status: 'held', reason, detail })
  for (const { action, reason, detail } of evaluated.ignored)
    statements.set(actionKey(action), { status: reason === 'same_as_other_source' ? 'confirms' : 'left_out', reason, detail })
  return statements
}

/** The rows that change stored ones; each is known since the newest report that it can depend on. */
export function changedVerdicts(
  actions: readonly CorporateAction[],
  statements: ReadonlyMap<string, Statement>,
  held: readonly HeldVerdict[],
): Row[] {
  const before = new Map(held.map(row => [actionKey(row), row]))
  return actions.flatMap(action => {
    const now = statements.get(actionKey(action))
    const old = before.get(actionKey(action))
    if (!now || (old && old.status === now.status && old.reason === now.reason && old.detail === now.detail)) return []
    const near = actions.filter(each => Math.abs(daysBetween(each.ex_date, action.ex_date)) <= neighbourDays)
    const newest = near.reduce((latest, each) => (Date.parse(each.known_from) > Date.parse(latest.known_from) ? each : latest), action)
    const { symbol, kind, ex_date, sequence, source_name, source, raw_sha256 } = action
    const { known_from, known_basis } = newest
    return [{ symbol, kind, ex_date, sequence, source_name, ...now, known_from, known_basis, source, raw_sha256, withdrawn: false }]
  })
}
