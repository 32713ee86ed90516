// A symbol of which bars are held and which no directory lists answers everywhere, and says so.
import { expect, test } from 'vitest'
import { resolveHeld } from '#warehouse/answers/listed.ts'
import { bars, lakeOf, own } from './samples.ts'

type Covered = { count: number; coverage: { status: string; sentence: string } }
const documents = [bars('XIU.TO', { '2024-01-04': 30, '2024-01-05': 31 }), own('XIU.TO', '2024-01-05,dividend,,,0.2,CAD,,,,,')]

test('answers of bars say that no directory lists it; of other symbols, that nothing was loaded', async () => {
  const lake = await lakeOf([documents])
  const eod = (symbol: string, more: object = {}) => lake.ask<Covered>('get_eod', { symbol, order: 'asc', adjust: 'none', ...more })
  expect(await eod('XIU.TO')).toMatchObject({ count: 2, coverage: { status: 'not_listed' } })
  expect(await eod('XIU.TO', { from: '2025-01-01' })).toMatchObject({ count: 0, coverage: { status: 'not_loaded' } })
  expect(await eod('ZED')).toMatchObject({ count: 0, coverage: { status: 'not_loaded' } })
  expect(await lake.ask<Covered>('get_chart', { symbol: 'XIU.TO', timeframe: '1y', adjust: 'none' })).toMatchObject({
    count: 2,
    coverage: { status: 'not_listed', sentence: 'Bars of XIU.TO are held; no directory that was read lists it.' },
  })
  expect(await lake.ask<Covered>('list_eod_revisions', { symbol: 'XIU.TO', limit: 10 })).toMatchObject({
    count: 1,
    coverage: { status: 'not_listed' },
  })
  expect(await lake.ask<Covered>('get_intraday', { symbol: 'XIU.TO', interval: '5m', session: 'regular', adjust: 'none', limit: 10 })).toMatchObject({
    count: 0,
    coverage: { status: 'not_loaded' },
  })
  expect(await resolveHeld(await lake.ground(), 'XIU.TO')).toBe('XIU.TO')
  await expect(resolveHeld(await lake.ground(), 'ZED')).rejects.toThrow('no symbol ZED is known')

  await expect(lake.ask('get_symbol', { symbol: 'XIU.TO' })).rejects.toThrow('no directory that was read lists XIU.TO')
})
