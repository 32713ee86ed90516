import { expect, test } from 'vitest'
import type { FactorFacts } from '#schemas/corporate-actions.ts'
import { deriveFactors } from './adjust.ts'
import { pricesOf } from './closes.ts'
import { fxLookup } from './fx.ts'
import { factorChanges } from './ledger.ts'
import { anAction, aSplit, barsOf } from './samples.ts'

const rate = (text: string) => fxLookup([{ base_currency: 'USD', quote_currency: 'CAD', date: '2024-01-02', rate: text }])
const factors = (actions: Parameters<typeof deriveFactors>[0], close = 100, usd = '1.30'): FactorFacts[] =>
  deriveFactors(actions, {
    symbol: 'XYZ.TO',
    currency: 'CAD',
    prices: pricesOf(barsOf({ '2024-01-02': close, '2024-01-03': close })),
    asOf: '2026-11-20',
    fx: rate(usd),
  }).factors
const dividend = anAction({ amount: '1', currency: 'CAD' })
const reasons = (held: FactorFacts[], derived: FactorFacts[]) =>
  factorChanges(held, derived).map(({ factor, withdrawn }) => [factor.reason, withdrawn])

test('an unchanged derivation changes nothing', () => {
  expect(factorChanges(factors([dividend]), factors([dividend]))).toEqual([])
})
test('each restatement states its cause', () => {
  expect(reasons([], factors([dividend]))).toEqual([['action', false]])
  expect(reasons(factors([dividend]), [])).toEqual([['action_cancelled', true]])
  expect(reasons(factors([dividend]), factors([dividend, aSplit('2024-01-03', '2', '1')]))).toEqual([['action_added', false]])
  expect(reasons(factors([dividend]), factors([{ ...dividend, amount: '2' }]))).toEqual([['action_amended', false]])
  expect(reasons(factors([dividend]), factors([{ ...dividend, source_name: 'eodhd' }]))).toEqual([['action_replaced', false]])
  expect(reasons(factors([dividend]), factors([dividend], 101))).toEqual([['previous_close_corrected', false]])
})
test('a later rate of exchange does not restate', () => {
  const usd = { ...dividend, currency: 'USD' }
  expect(factorChanges(factors([usd]), factors([usd], 100, '1.40'))).toEqual([])
})
