import { describe, expect, it } from 'vitest'
import { sparkline } from './sparkline.ts'

const line = (values: readonly (number | null)[]): string => `${sparkline({ label: 'Rate', values, show: value => `${value} %` }) ?? 'nothing'}`
const path = (values: readonly (number | null)[]): string => / d="([^"]*)"/.exec(line(values))?.[1] ?? ''

describe('a sparkline', () => {
  it('runs from the left to the right margin, the lowest value at the bottom and the highest at the top', () => {
    // 96 by 24 with a margin of 2: x from 2 to 94, y from 22 (lowest) to 2 (highest).
    expect(path([1, 3, 2])).toBe('M2 22L48 2L94 12')
    expect(path([-1, -3])).toBe('M2 2L94 22')
  })
  it('has a gap for null, which is no 0, and a dot for a value between two gaps', () => {
    expect(path([1, 3, null, 2, 1])).toBe('M2 22L25 2M71 12L94 22')
    expect(path([1, 2, null, 3, null])).toBe('M2 22L25 12M71 2h0')
  })
  it('has values that do not change in the middle, also zeros', () => {
    expect(path([5, 5])).toBe('M2 12L94 12')
    expect(path([0, 0])).toBe('M2 12L94 12')
  })
  it('states first, last, lowest and highest value, and how many values are missing', () => {
    expect(line([2, 5, 1, 3])).toContain('role="img" aria-label="Rate: first 2 %, last 3 %, lowest 1 %, highest 5 %"')
    expect(line([null, 2, null, 3])).toContain('aria-label="Rate: first 2 %, last 3 %, lowest 2 %, highest 3 %; 2 without a value"')
  })
  it.each([[[]], [[1]], [[null, 1, null]], [[null, null]]])('%j shows no course', values => expect(line(values)).toBe('nothing'))
  it('has no script and no inline style, escapes its label, and is small', () => {
    const text = `${sparkline({ label: 'A & "B" <i>', values: Array.from({ length: 24 }, (_, at) => Math.sin(at) * 1e6), show: String })}`
    expect(text).toContain('aria-label="A &amp; &quot;B&quot; &lt;i&gt;: first 0,')
    expect(text).not.toMatch(/style=|<script|<i>/)
    expect(text.length).toBeLessThan(700)
  })
})
