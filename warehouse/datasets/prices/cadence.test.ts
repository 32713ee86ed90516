import { expect, test } from 'vitest'
import { gapsOf } from './cadence.ts'
import { anAction, aSplit } from './samples.ts'

// Toronto-Dominion's ex-dates.
const bank = [
  '2022-04-07',
  '2022-07-07',
  '2022-10-06',
  '2023-01-05',
  '2023-04-05',
  '2023-07-07',
  '2023-10-05',
  '2024-01-09',
  '2024-04-09',
  '2024-07-10',
]
const paid = (days: readonly string[]) => days.map(ex_date => anAction({ ex_date, amount: '0.96' }))

test('a quarterly payer without one ex-date has a gap around that day', () => {
  expect(gapsOf(paid(bank))).toEqual([])
  expect(gapsOf(paid(bank.filter(day => day !== '2023-10-05')))).toEqual([
    { after: '2023-07-07', before: '2024-01-09', rhythm: 'quarterly', expected: ['2023-10-08'] },
  ])
  expect(gapsOf(paid(bank.filter(day => day !== '2023-10-05' && day !== '2023-07-07')))[0]?.expected).toEqual(['2023-07-07', '2023-10-08'])
})
test('a missing month of a monthly payer is one, whatever the days of the months', () => {
  const months = Array.from({ length: 14 }, (_, at) => new Date(Date.UTC(2024, at, at % 2 === 0 ? 28 : 25)).toISOString().slice(0, 10))
  expect(gapsOf(paid(months))).toEqual([])
  expect(gapsOf(paid(months.filter((_, at) => at !== 6))).map(gap => [gap.rhythm, gap.expected.length])).toEqual([['monthly', 1]])
})
test('neither the newest payment that is due, nor a suspension, nor an irregular payer is a gap', () => {
  expect(gapsOf(paid(bank.slice(0, -1)))).toEqual([])
  expect(gapsOf(paid(bank.filter((_, at) => at < 4 || at > 7)))).toEqual([])
  expect(gapsOf(paid(['2020-01-02', '2020-11-05', '2021-02-01', '2022-08-15', '2022-09-01', '2023-12-01', '2024-02-01']))).toEqual([])
  expect(gapsOf(paid(bank.slice(0, 4)))).toEqual([])
})
test('a special dividend or a split fills no gap and breaks no rhythm', () => {
  const others = [anAction({ kind: 'special_dividend', ex_date: '2023-10-05', amount: '5' }), aSplit('2023-10-06', '2', '1')]
  expect(gapsOf([...paid(bank.filter(day => day !== '2023-10-05')), ...others])).toHaveLength(1)
})
