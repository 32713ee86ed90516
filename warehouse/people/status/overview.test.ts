import { expect, it } from 'vitest'
import type { ComponentStatus, HistoryPoint } from '#schemas/status.ts'
import { groupComponents, uptimeBars, uptimeDays, uptimeOf, uptimeWords } from './overview.ts'

const now = new Date('2026-11-20T12:00:00Z')
const point = (date: string, uptime_pct: number, status: HistoryPoint['status'] = 'operational'): HistoryPoint => ({
  component: 'api',
  hour: `${date}T00:00:00Z`,
  status,
  uptime_pct,
})
const component = (name: string, status: ComponentStatus['status']): ComponentStatus => ({
  name,
  status,
  latency_ms: null,
  detail: null,
  checked_at: '2026-11-20T12:00:00Z',
})

it('groups hold the service, its datasets and its sources, failing components first', () => {
  const groups = groupComponents([component('api', 'operational'), component('dataset:bars', 'operational'), component('worker', 'down')])
  expect(groups.map(each => [each.title, each.components.map(({ name }) => name)])).toEqual([
    ['Service', ['worker', 'api']],
    ['Datasets', ['dataset:bars']],
  ])
})
it('a day without a check is unknown and takes no part in the mean', () => {
  const days = uptimeDays([point('2026-11-20', 99.999), point('2026-11-18', 50, 'down')], now, 4)('api')
  expect(days.map(each => [each.date, each.uptime_pct])).toEqual([
    ['2026-11-17', null],
    ['2026-11-18', 50],
    ['2026-11-19', null],
    ['2026-11-20', 99.999],
  ])
  expect(uptimeOf(days)).toBe(74.99)
  expect(uptimeWords(days)).toBe('74.99 % of the checks of 2 days were good; 1 day with failures')
  expect([...uptimeBars(days).matchAll(/class="(good|warn|bad|none)"/g)].map(each => each[1])).toEqual(['none', 'bad', 'none', 'good'])
})
it('a failure is never rounded up to 100 %', () => {
  expect(uptimeOf(uptimeDays([point('2026-11-20', 99.99), point('2026-11-19', 100)], now, 2)('api'))).toBe(99.99)
})
it('a component that was never checked has no uptime', () => {
  const days = uptimeDays([], now, 2)('api')
  expect([uptimeOf(days), uptimeWords(days)]).toEqual([null, 'not checked in the last 2 days'])
})
