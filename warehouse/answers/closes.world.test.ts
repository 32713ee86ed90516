// Closes of many symbols over the bundled universe: exactly those of the end-of-day operation, from the lake and from the model of prices.
import { expect, test } from 'vitest'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { addDays } from '#schemas/days.ts'
import type { ReleaseContext } from '../context/answer.ts'
import { contextOf } from '../context/release-contexts.ts'
import { priceInputs } from '../models/prices/changes.ts'
import { openPrices } from '../models/prices/serve.ts'
import { buildPrices } from '../models/prices/store.ts'
import type { EodQuestion } from './eod.ts'
import { buildPayload } from './index.ts'
import type { QuestionOf } from './types.ts'

const warehouse = await worldWarehouse()
const { db, writer } = warehouse.runtime.tools
const lake = await warehouse.lake()
const context = await contextOf(lake, null)
const now = '2026-11-20T00:00:00Z'

type Close = { readonly symbol: string; readonly date: string; readonly close: number; readonly adjusted_close: number; readonly basis?: string }
type Closes = {
  readonly from: string
  readonly to: string
  readonly count: number
  readonly closes: readonly Close[]
  readonly held: readonly string[]
  readonly unknown: readonly string[]
  readonly without_bars: readonly string[]
}
const closes = async (question: Partial<QuestionOf<'list_closes'>> & { symbols: string[] }, on: ReleaseContext = context): Promise<Closes> =>
  JSON.parse(String((await buildPayload('list_closes', on, question as QuestionOf<'list_closes'>, now))?.payload)) as Closes
type Eod = { readonly bars: readonly Omit<Close, 'symbol'>[]; readonly held_actions: readonly object[] }
const eod = async (question: Partial<EodQuestion> & { symbol: string }): Promise<Eod> =>
  JSON.parse(String((await buildPayload('get_eod', context, { adjust: 'none', order: 'asc', ...question } as EodQuestion, now))?.payload)) as Eod

const { symbols } = Object.groupBy(
  await lake.query<{ symbol: string }>(
    'select distinct symbol from bars union select symbol from symbols order by 1',
    {},
    { bars: 'all', symbols: 'all' },
  ),
  () => 'symbols' as const,
)
const all = (symbols ?? []).map(row => row.symbol)
const groups = Array.from({ length: Math.ceil(all.length / 50) }, (_, at) => all.slice(at * 50, (at + 1) * 50))

test('every symbol has the closes of its end-of-day answer, with renames, splits, corrections and held actions', async () => {
  const days = { from: '2026-03-02', to: '2026-11-20' }
  let [rows, held] = [0, 0]
  for (const group of groups) {
    const found = await closes({ symbols: group, ...days })
    expect(found).toMatchObject({ ...days, count: found.closes.length })
    for (const symbol of group) {
      const expected = await eod({ symbol, ...days })
      expect(
        found.closes.filter(row => row.symbol === symbol).map(({ date, close, adjusted_close, basis }) => [date, close, adjusted_close, basis]),
        symbol,
      ).toEqual(expected.bars.map(({ date, close, adjusted_close, basis }) => [date, close, adjusted_close, basis]))
      if (expected.bars.length > 0 && expected.held_actions.length > 0) {
        expect(found.held, symbol).toContain(symbol)
        held += 1
      }
      rows += expected.bars.length
    }
    expect([...new Set(found.closes.map(row => row.symbol))]).toEqual(group.filter(symbol => found.closes.some(row => row.symbol === symbol)))
  }
  expect(rows).toBeGreaterThan(5_000)
  expect(held).toBeGreaterThan(0)
})

test('the model of prices gives the same bytes as the lake', async () => {
  await buildPrices({ db, writer })
  const reader = openPrices({ db, data: writer.data, onDamage: () => {} })
  await reader.refresh()
  const prices = reader.at(lake.versionOf(priceInputs).release)
  if (!prices) throw new Error('no model of prices was opened')
  for (const group of groups) expect(await closes({ symbols: group }, { ...context, prices })).toEqual(await closes({ symbols: group }))
  await reader.close()
})

test('without days they are the 45 days up to the day of the answer, also of an earlier one', async () => {
  const found = await closes({ symbols: ['GLPR.TO'], as_of: '2026-09-30T20:00:00Z' })
  expect([found.from, found.to]).toEqual([addDays('2026-09-30', -45), '2026-09-30'])
  expect(found.closes.every(row => row.date >= found.from && row.date <= found.to)).toBe(true)
  expect(found.closes.map(row => row.date)).toEqual(
    (await eod({ symbol: 'GLPR.TO', from: found.from, to: found.to, as_of: '2026-09-30T20:00:00Z' })).bars.map(bar => bar.date),
  )
})

test('a first day after the day of the answer has no closes', async () => {
  const found = await closes({ symbols: ['GLPR.TO'], from: '2031-01-01' })
  expect(found).toMatchObject({ from: '2031-01-01', to: '2031-01-01', count: 0, without_bars: ['GLPR.TO'] })
})

test('symbols that have no bar are listed by the reason', async () => {
  const found = await closes({ symbols: ['ZZZZ.TO', 'GLPR.TO'], from: '1990-01-01', to: '1990-02-01' })
  expect(found).toMatchObject({ count: 0, closes: [], unknown: ['ZZZZ.TO'], without_bars: ['GLPR.TO'] })
})

test.each([
  [{ from: '2026-02-01', to: '2026-01-01' }, 'from 2026-02-01 is after to 2026-01-01'],
  [{ from: '2025-01-01', to: '2026-01-03' }, 'from 2025-01-01 to 2026-01-03 is more than 366 days'],
])('days in the wrong order or too many are refused: %j', async (days, detail) => {
  await expect(closes({ symbols: ['GLPR.TO'], ...days })).rejects.toMatchObject({ name: 'BadRequest', message: detail })
})
