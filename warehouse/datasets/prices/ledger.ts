// The restatement ledger: which factor rows a new derivation adds, changes or withdraws, and why. Old rows stay in their releases; appended
// rows supersede them.
import type { FactorFacts } from '#schemas/corporate-actions.ts'

export type FactorChange = { readonly factor: FactorFacts; readonly withdrawn: boolean }

/**
 * Compares one symbol's stored factors with newly derived ones. An exchange rate that is published or corrected later does not restate a
 * row. Equal rows produce no change.
 */
export function factorChanges(held: readonly FactorFacts[], derived: readonly FactorFacts[]): FactorChange[] {
  const before = new Map(held.map(factor => [factor.ex_date, factor]))
  const now = new Set(derived.map(factor => factor.ex_date))
  const changes: FactorChange[] = []
  for (const factor of derived) {
    const old = before.get(factor.ex_date)
    if (!old) changes.push({ factor, withdrawn: false })
    else {
      const reason = reasonOf(old, factor)
      if (reason !== null) changes.push({ factor: { ...factor, reason }, withdrawn: false })
    }
  }
  for (const factor of held) if (!now.has(factor.ex_date)) changes.push({ factor: { ...factor, reason: 'action_cancelled' }, withdrawn: true })
  return changes.sort((a, b) => (a.factor.ex_date < b.factor.ex_date ? -1 : 1))
}

function reasonOf(old: FactorFacts, now: FactorFacts): string | null {
  const added = now.actions.some(action => !old.actions.includes(action))
  const removed = old.actions.some(action => !now.actions.includes(action))
  if (added || removed) return added && removed ? 'action_replaced' : added ? 'action_added' : 'action_cancelled'
  if (old.split_numerator !== now.split_numerator || old.split_denominator !== now.split_denominator) return 'action_amended'
  if (old.previous_close !== now.previous_close) return 'previous_close_corrected'
  // Cash that changed together with the exchange rate: the rate known on that day stays in use.
  const declared = ({ cash_amount, fx_rate }: FactorFacts): number => Number(cash_amount) / Number(fx_rate)
  const moved = old.fx_rate !== null && now.fx_rate !== null && old.fx_rate !== now.fx_rate
  if (moved && Math.abs(declared(old) / declared(now) - 1) < 1e-9) return null
  if (old.cash_amount !== now.cash_amount || old.price_factor !== now.price_factor) return 'action_amended'
  return null
}
