// When the worker looks at the queue again, if nothing wakes it.
import { describe, expect, test } from 'vitest'
import { pauseAfter } from './wakeup.ts'

const nothing = { ready: [], isActive: false, nextMs: null }

describe('the pause between two looks at the queue', () => {
  test('is long only if notifications arrive and nothing but a notification can make a job ready', () => {
    expect(pauseAfter(nothing, true, 12_300)).toBe(7_701)
    expect(pauseAfter(nothing, false)).toBe(1_000)
    // A job that runs elsewhere may be lost, which no process announces.
    expect(pauseAfter({ ...nothing, isActive: true }, true)).toBe(1_000)
    expect(pauseAfter({ ...nothing, ready: ['bars'] }, true)).toBe(1_000)
  })
  test('ends when a waiting job becomes ready', () => {
    expect(pauseAfter({ ...nothing, nextMs: 1_250 }, true, 12_300)).toBe(1_250)
    expect(pauseAfter({ ...nothing, nextMs: 600_000 }, true, 12_300)).toBe(7_701)
  })
})
