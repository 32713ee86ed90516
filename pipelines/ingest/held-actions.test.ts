// Large distributions: the fall of the price is a witness, and what is still held is named beside the bars.
import { expect, test } from 'vitest'
import { addDays } from '#schemas/days.ts'
import { bars, lakeOf, own } from './samples.ts'

type Eod = {
  held_actions: { kind: string; ex_date: string; source_name: string; amount: number | null; reason: string; detail: string | null }[]
  bars: { date: string; adjusted_close: number }[]
}
const eod = (more: object = {}) => ({ symbol: 'JENYX', order: 'asc', adjust: 'none', ...more })
const distribution = own('JENYX', '2024-12-12,dividend,,,16.88,USD,,,,,')
const series = (after: number) => bars('JENYX', { '2024-12-10': 60.5, '2024-12-11': 60.71, '2024-12-12': after, '2024-12-13': after })

test('JENYX: 16.88 with 60.71 to 43.38 on the ex-date needs no second source', async () => {
  const lake = await lakeOf([[series(43.38), distribution]])
  const answer = await lake.ask<Eod>('get_eod', eod())
  expect(answer.held_actions).toEqual([])
  expect(answer.bars[1]?.adjusted_close).toBeCloseTo(60.71 - 16.88, 10)
  expect((await lake.actions('JENYX')).map(each => each.applied.status)).toEqual(['applied'])
})

test.each([60.2, 52, 30])('a price that goes to %s does not bear it out: it is held, and the bars say so', async after => {
  const lake = await lakeOf([[series(after), distribution]])
  const { held_actions, bars: days } = await lake.ask<Eod>('get_eod', eod())
  expect(held_actions).toMatchObject([{ kind: 'dividend', ex_date: '2024-12-12', source_name: 'csv', amount: 16.88, reason: 'needs_second_source' }])
  expect(days[1]?.adjusted_close).toBe(60.71)
  // It would change no bar from its ex-date on.
  expect((await lake.ask<Eod>('get_eod', eod({ from: '2024-12-12' }))).held_actions).toEqual([])
})

test('a fall on a later day than the ex-date is no witness', async () => {
  const halted = bars('JENYX', { '2024-12-10': 60.5, '2024-12-11': 60.71, '2024-12-13': 43.38 })
  expect((await (await lakeOf([[halted, distribution]])).ask<Eod>('get_eod', eod())).held_actions).toHaveLength(1)
})

test("TD.TO 2023-10-05: a regular payer's missing dividend is a finding, until it comes", async () => {
  const days = ['2022-04-07', '2022-07-07', '2022-10-06', '2023-01-05', '2023-04-05', '2023-07-07', '2024-01-09', '2024-04-09']
  const prices = bars('TD.TO', Object.fromEntries([...days, '2023-10-05'].flatMap(day => [addDays(day, -1), day]).map(day => [day, 80])))
  const paid = own('TD.TO', ...days.map(day => `${day},dividend,,,0.96,CAD,,,,,`))
  const missing = own('TD.TO', '2023-10-05,dividend,,,0.96,CAD,,,,,')
  const lake = await lakeOf([[prices, paid]])
  expect(lake.refused).toEqual(['dividend_gap'])
  const filled = await lakeOf([[prices, paid], [missing]])
  expect([filled.refused, filled.settled.includes('TD.TO|dividend_gap|2023-07-07')]).toEqual([['dividend_gap'], true])
  expect((await lakeOf([[prices, paid, missing]])).refused).toEqual([])
  // Without prices over the gap nothing says that the shares traded at all.
  const halted = bars('TD.TO', Object.fromEntries(days.flatMap(day => [addDays(day, day === '2024-01-09' ? 0 : -1), day]).map(day => [day, 80])))
  expect((await lakeOf([[halted, paid]])).refused.filter(reason => reason === 'dividend_gap')).toEqual([])
})
