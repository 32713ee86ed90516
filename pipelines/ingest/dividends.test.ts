// What a symbol paid, each distribution once, however many sources report it and whatever is held back.
import { expect, test } from 'vitest'
import { bars, lakeOf, own, polygon, rate } from './samples.ts'

type Paid = {
  count: number
  actions: { ex_date: string; source_name: string; amount: number; currency: string; applied: { status: string } }[]
  cash_applied: { currency: string; count: number; sum: number }[]
}

const closes = { '2024-01-02': 100, '2024-01-03': 100, '2024-02-01': 100, '2024-02-02': 100, '2024-03-01': 50, '2024-03-04': 50 }
const documents = [
  bars('ZED', closes),
  own(
    'ZED',
    '2024-01-03,dividend,,,0.50,USD,,,,,',
    '2024-02-02,dividend,,,0.25,CAD,,,,,',
    '2024-03-01,split,2,1,,,,,,,',
    '2024-03-04,dividend,,,0.30,USD,,,,,',
    '2024-02-01,special_dividend,,,19.00,USD,,,,,',
  ),
  polygon('ZED', { ex_dividend_date: '2024-01-03', cash_amount: 0.5 }, { ex_dividend_date: '2024-03-04', cash_amount: 0.3 }),
  rate('2024-02-01', '1.25'),
]

test('the list of applied cash counts no second source, nothing held and no split', async () => {
  const lake = await lakeOf([documents])
  const ledger = await lake.ask<Paid>('list_corporate_actions', { symbol: 'ZED' })
  expect(ledger.count).toBe(7)
  const paid = await lake.ask<Paid>('list_corporate_actions', { symbol: 'ZED', type: 'cash', status: 'applied' })
  expect(paid.actions.map(each => [each.ex_date, each.source_name, each.amount, each.currency])).toEqual([
    ['2024-03-04', 'csv', 0.3, 'USD'],
    ['2024-02-02', 'csv', 0.25, 'CAD'],
    ['2024-01-03', 'csv', 0.5, 'USD'],
  ])
  const sums = [
    { currency: 'CAD', count: 1, sum: 0.25 },
    { currency: 'USD', count: 2, sum: 0.8 },
  ]
  expect(paid.cash_applied).toEqual(sums)
  expect(ledger.cash_applied).toEqual(sums)
  expect((await lake.ask<Paid>('list_corporate_actions', { symbol: 'ZED', type: 'cash', status: 'held' })).cash_applied).toEqual([])
})
