// Candles of weeks and months over a split: one scale each, named in the answer.
import { expect, test } from 'vitest'
import { type Bar, bars, lakeOf, own } from './samples.ts'

type Chart = { interval: string; adjust: string; scale: string; basis: string; bars: Bar[] }

// Two shares for one on Wednesday 2026-05-13; 0.55 a share on the 20th, a hundredth of the price. The weeks before make the chart one of months.
const closes = {
  '2026-04-30': 230,
  '2026-05-11': 231.24,
  '2026-05-12': 232,
  '2026-05-13': 116,
  '2026-05-14': 109.22,
  '2026-05-19': 110,
  '2026-05-20': 108.9,
  '2026-05-29': 110.45,
}
const lake = () => lakeOf([[bars('GLPR.TO', closes), own('GLPR.TO', '2026-05-13,split,2,1,,,,,,,', '2026-05-20,dividend,,,1.1,CAD,,,,,')]])
const values = (bar: Bar | undefined): unknown[] => [bar?.open, bar?.high, bar?.low, bar?.close, bar?.volume]

test('a month with a split is on the scale of its last bar, volume too', async () => {
  const chart = await (await lake()).ask<Chart>('get_chart', { symbol: 'GLPR.TO', timeframe: 'max', adjust: 'none' })
  expect([chart.interval, chart.adjust, chart.scale, chart.basis]).toEqual(['1mo', 'none', 'as_of_each_candle', 'as_traded'])
  expect(chart.bars.map(bar => bar.date)).toEqual(['2026-04-30', '2026-05-11'])
  // April ended before the split; of May the two days before it are halved, their volume doubled: 2 * 2000 + 5 * 1000.
  expect(values(chart.bars[0])).toEqual([230, 230, 230, 230, 1000])
  expect(values(chart.bars[1])).toEqual([115.62, 116, 108.9, 110.45, 9000])
  expect(chart.bars[0]?.adjusted_close).toBe(113.85) // 230 / 2 * (1 - 1.1 / 110)
})

test('a week with a split is on the scale of its Friday', async () => {
  const chart = await (await lake()).ask<Chart>('get_chart', { symbol: 'GLPR.TO', timeframe: '5y', adjust: 'none' })
  expect(chart.bars.map(bar => [bar.date, ...values(bar)])).toEqual([
    ['2026-04-30', 230, 230, 230, 230, 1000],
    ['2026-05-11', 115.62, 116, 109.22, 109.22, 6000],
    ['2026-05-19', 110, 110, 108.9, 108.9, 2000],
    ['2026-05-29', 110.45, 110.45, 110.45, 110.45, 1000],
  ])
})

test('adjust=splits and adjust=all put every candle on the scale of today', async () => {
  const requested = await lake()
  const splits = await requested.ask<Chart>('get_chart', { symbol: 'GLPR.TO', timeframe: 'max', adjust: 'splits' })
  expect([splits.scale, ...splits.bars.map(values)]).toEqual(['as_of_now_splits', [115, 115, 115, 115, 2000], [115.62, 116, 108.9, 110.45, 9000]])
  const all = await requested.ask<Chart>('get_chart', { symbol: 'GLPR.TO', timeframe: 'max', adjust: 'all' })
  expect([all.scale, ...all.bars.map(values)]).toEqual([
    'as_of_now_all',
    [113.85, 113.85, 113.85, 113.85, 2000],
    [114.4638, 114.84, 108.1278, 110.45, 9000],
  ])
  const days = await requested.ask<Chart>('get_chart', { symbol: 'GLPR.TO', timeframe: '1mo', adjust: 'splits' })
  expect(days.bars.map(bar => bar.close)).toEqual([115, 115.62, 116, 116, 109.22, 110, 108.9, 110.45])
})
