import { describe, expect, it } from 'vitest'
import { createIdleRule } from './idle-memory.ts'

const megabytes = (count: number): number => count * 1024 * 1024

describe('garbage is collected', () => {
  it('after two idle ticks, once for what was allocated', () => {
    const rule = createIdleRule()
    expect(rule.isDue({ busy: 0.9, heapBytes: megabytes(120) })).toBe(false)
    expect(rule.isDue({ busy: 0.01, heapBytes: megabytes(120) })).toBe(false)
    expect(rule.isDue({ busy: 0.01, heapBytes: megabytes(120) })).toBe(true)
    rule.collected(megabytes(60))
    expect(rule.isDue({ busy: 0, heapBytes: megabytes(60) })).toBe(false)
    expect(rule.isDue({ busy: 0, heapBytes: megabytes(92) })).toBe(false)
    expect(rule.isDue({ busy: 0, heapBytes: megabytes(93) })).toBe(true)
  })
  it('after little growth five minutes later', () => {
    const rule = createIdleRule()
    rule.collected(megabytes(60))
    const due = Array.from({ length: 16 }, () => rule.isDue({ busy: 0, heapBytes: megabytes(69) }))
    expect(due.indexOf(true)).toBe(9)
    rule.collected(megabytes(60))
    for (let tick = 0; tick < 20; tick += 1) expect(rule.isDue({ busy: 0, heapBytes: megabytes(68) })).toBe(false)
  })
  it('never while the process works', () => {
    const rule = createIdleRule()
    for (let tick = 0; tick < 9; tick += 1) expect(rule.isDue({ busy: tick % 2 === 0 ? 0 : 0.1, heapBytes: megabytes(500) })).toBe(false)
  })
})
