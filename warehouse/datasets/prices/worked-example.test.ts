// The worked example of docs/adjusted-close.md: every number on that page is the engine's.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { plainDecimal } from '#schemas/values.ts'
import { adjustBars } from './adjust.ts'
import { pricesOf } from './closes.ts'
import { deriveFactors } from './derive.ts'
import { evaluateActions } from './evaluate-actions.ts'
import { fxLookup } from './fx.ts'
import { anAction, aSplit, barsOf } from './samples.ts'

const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'adjusted-close.md'), 'utf8')
const bars = barsOf({ '2024-01-02': 100, '2024-01-03': 100, '2024-01-04': 102, '2024-01-05': 81.6, '2024-01-08': 40.4, '2024-01-09': 40.8 })
const fx = fxLookup([{ base_currency: 'USD', quote_currency: 'CAD', date: '2024-01-02', rate: '1.3316' }])
const context = { prices: pricesOf(bars), currency: 'CAD', asOf: '2024-01-09', fx }
const dividend = anAction({ ex_date: '2024-01-03', amount: '0.50', currency: 'USD' })
const spinoff = anAction({ kind: 'spinoff', ex_date: '2024-01-05', amount: '20.40', currency: 'CAD' })
const split = aSplit('2024-01-08', '2', '1')
const pair = anAction({ ex_date: '2024-01-08', amount: '0.40', currency: 'CAD' })
const factorsOf = (actions: Parameters<typeof deriveFactors>[0]) => deriveFactors(actions, { symbol: 'XYZ', ...context }).factors
const printed = (value: number): string => plainDecimal(Number(value.toPrecision(12)))
/** The cells of the page's rows that begin with a text. */
const cellsOf = (start: string): string[][] =>
  page
    .split('\n')
    .filter(line => line.startsWith(`| ${start}`))
    .map(line => line.split('|').map(cell => cell.trim()))

test('each action is taken, the spin-off by the fall of the price', () => {
  const { effective, held } = evaluateActions([dividend, spinoff, split, pair], { ...context, decisions: new Map() })
  expect([effective.length, held]).toEqual([4, []])
})
test('the factors are those of the page', () => {
  const factors = factorsOf([dividend, spinoff, split, pair])
  expect(factors.map(factor => [factor.ex_date, printed(factor.price_factor), factor.cash_amount])).toEqual([
    ['2024-01-03', '0.993342', '0.6658'],
    ['2024-01-05', '0.8', '20.4'],
    ['2024-01-08', '0.495098039216', '0.4'],
  ])
  for (const { ex_date, price_factor } of factors)
    expect(cellsOf(`${ex_date}, `).map(cells => cells[5]?.split(' = ').at(-1))).toEqual([printed(price_factor)])
  const [perOld] = factorsOf([split, { ...pair, amount_basis: 'pre_split' }])
  expect(page).toContain(`1/2 × (1 − 0.40 / 81.60) = ${printed(perOld!.price_factor)}`)
  const [booked] = factorsOf([anAction({ kind: 'spinoff', ex_date: '2024-01-05', numerator: '1.25', denominator: '1' })])
  expect(booked?.price_factor).toBe(0.8)
})
test('the series is that of the page', () => {
  const factors = factorsOf([dividend, spinoff, split, pair])
  const [all, splits] = [adjustBars(bars, factors), adjustBars(bars, factors, 'split')]
  for (const [at, bar] of bars.entries()) {
    const cells = cellsOf(`${bar.date} |`).find(row => row.length === 7)
    expect([cells?.[4], cells?.[5]]).toEqual([printed(all[at]!.close!), printed(splits[at]!.close!)])
  }
  expect(all[3]?.volume).toBe(2000)
})
