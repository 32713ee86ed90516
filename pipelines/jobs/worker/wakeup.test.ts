// When the worker looks at the queue again, if nothing wakes it.
import { describe, expect, test } from 'vitest'
import { pollMs } from '#warehouse/store/notifications.ts'
import { pauseAfter } from './wakeup.ts'

const nothing = { ready: [], isActive: false, nextMs: null }

describe('the pause between two looks at the queue', () => {
  test('is long only if notifications arrive and nothing but a notification can make a job ready', () => {
    expect(pauseAfter(nothing, 10_000, 12_300)).toBe(7_701)
    expect(pauseAfter(nothing, 30_000, 12_300)).toBe(17_701)
    expect(pauseAfter(nothing, pollMs)).toBe(1_000)
    // A job that runs elsewhere may be lost, which no process announces.
    expect(pauseAfter({ ...nothing, isActive: true }, 30_000)).toBe(1_000)
    expect(pauseAfter({ ...nothing, ready: ['bars'] }, 30_000)).toBe(1_000)
  })
  test('ends when a waiting job becomes ready', () => {
    expect(pauseAfter({ ...nothing, nextMs: 1_250 }, 10_000, 12_300)).toBe(1_250)
    expect(pauseAfter({ ...nothing, nextMs: 600_000 }, 10_000, 12_300)).toBe(7_701)
  })
})
