import { describe, expect, it } from 'vitest'
import { type HistoryEntry, type Measured, readHistory, withMeasured, worseThanBefore } from './history.ts'
import { compared, type Figure, figure } from './measure.ts'

const machine = { processor: 'A', cores: 2 }
const run = (figures: readonly Figure[], more: Partial<Measured> = {}): Measured => ({
  measured_at: '2026-11-28T00:00:00Z',
  machine,
  scale: 0.1,
  load_average: 0.1,
  reports: [{ name: 'b', title: '', figures, notes: [], failed: null }],
  ...more,
})
const kept = (figures: readonly Figure[], more: Partial<Measured> = {}): HistoryEntry[] => withMeasured([], '0.1.0', run(figures, more))
const ms = (value: number): Figure => figure('p50', 'ms', [value])

describe('figures that became worse', () => {
  it.each([
    ['slower', ms(10), ms(12), ['b: p50: 10 to 12 ms (+20 %) since 0.1.0']],
    ['as fast within a tenth', ms(10), ms(10.9), []],
    ['faster', ms(10), ms(1), []],
    ['fewer requests', figure('p50', 'requests/s', [100]), figure('p50', 'requests/s', [80]), ['b: p50: 100 to 80 requests/s (-20 %) since 0.1.0']],
    ['more requests', figure('p50', 'requests/s', [100]), figure('p50', 'requests/s', [180]), []],
    ['a count without a better side', figure('p50', 'rows', [100]), figure('p50', 'rows', [1]), []],
    [
      'an aim that says more is better',
      figure('p50', 'share', [0.9], { of: 'value', least: 0.5 }),
      figure('p50', 'share', [0.7], { of: 'value', least: 0.5 }),
      ['b: p50: 0.9 to 0.7 share (-22 %) since 0.1.0'],
    ],
  ])('%s', (_name, before, now, lines) => {
    expect(worseThanBefore(kept([before]), run([now])).slice(0, -1)).toEqual(lines)
  })
  it('are those of the ratio where both runs had a baseline, on any machine', () => {
    const other = run([compared('p50', 'ms', [30], 'plain', [20])], { machine: { processor: 'B', cores: 64 } })
    expect(worseThanBefore(kept([compared('p50', 'ms', [10], 'plain', [10])]), other)).toEqual([
      'b: p50: 1 to 1.5 ratio (+50 %) since 0.1.0',
      '1 figures compared with earlier ones, 1 are worse by more than 10 %',
    ])
  })
  it('are not searched on another machine or at another scale', () => {
    const none = ['0 figures compared with earlier ones, 0 are worse by more than 10 %']
    expect(worseThanBefore(kept([ms(1)]), run([ms(9)], { machine: { processor: 'B', cores: 2 } }))).toEqual(none)
    expect(worseThanBefore(kept([ms(1)]), run([ms(9)], { scale: 1 }))).toEqual(none)
    expect(worseThanBefore([], run([ms(9)]))).toEqual(none)
  })
})

describe('the kept figures', () => {
  it('of one name grow by bench, and the newest of several names is compared', () => {
    const first = withMeasured([], '0.1.0', run([ms(10)]))
    const both = withMeasured(first, '0.1.0', run([figure('p99', 'ms', [20])]))
    expect(Object.keys(both[0]?.figures ?? {})).toEqual(['b: p50', 'b: p99'])
    const next = withMeasured(both, '0.2.0', run([ms(20)]))
    expect(worseThanBefore(next, run([ms(21), figure('p99', 'ms', [40])])).slice(0, -1)).toEqual(['b: p99: 20 to 40 ms (+100 %) since 0.1.0'])
  })
  it('of this repository can be read', () => {
    expect(readHistory().length).toBeGreaterThan(0)
  })
})
