import { afterEach, describe, expect, test, vi } from 'vitest'
import { onBeat, untilBeat } from './beat.ts'

describe('loops that wake up together', () => {
  test('wait until their interval divides the clock again, whenever they began', () => {
    expect([0, 1, 4_999, 5_001, 12_300].map(now => untilBeat(5_000, 0, now))).toEqual([5_001, 5_000, 2, 5_000, 2_701])
    // An interval of three times the other ends with every third of its ends.
    for (const now of [0, 7, 4_000, 14_998.7, 15_001.4, 29_000]) expect((now + untilBeat(15_000, 0, now)) % 5_000).toBeCloseTo(1, -1)
  })

  test('do not wake twice at one moment, if the timer ends within the millisecond before or after it', () => {
    for (const late of [0.2, 0.9, 1.4, 3]) {
      const next = untilBeat(5_000, 40, 5_040 + late)
      expect(next).toBeGreaterThan(4_990)
      expect(next).toBeLessThanOrEqual(5_001)
    }
  })

  test('wake up in turns', () => {
    expect(untilBeat(5_000, 40, 5_000)).toBe(41)
    expect(untilBeat(5_000, 40, 10)).toBe(31)
    expect(untilBeat(5_000, 40, 5_041)).toBe(5_000)
  })
})

describe('a timer that runs with the others', () => {
  afterEach(() => vi.useRealTimers())

  test('calls at each interval until it is stopped', () => {
    vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const seen: number[] = []
    const beat = onBeat(5_000, 0, () => seen.push(Math.round(performance.now())))
    vi.advanceTimersByTime(15_100)
    beat.stop()
    vi.advanceTimersByTime(60_000)
    expect(seen.length).toBe(3)
    for (const [index, at] of seen.entries()) expect(Math.abs(at - (index + 1) * 5_000)).toBeLessThan(10)
  })
})
