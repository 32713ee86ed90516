import { describe, expect, it } from 'vitest'
import { parseWithNumberText } from './number-text.ts'

/** What JSON.parse gives with a function that keeps the source of each number; null for a text that is not JSON. */
function bySource(text: string): string | null {
  const keep = (_name: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === 'number' ? context?.source : value
  try {
    return JSON.stringify(JSON.parse(text, keep))
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
function byScan(text: string): string | null {
  try {
    return JSON.stringify(parseWithNumberText(text))
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

describe('JSON with numbers as text', () => {
  it('keeps every digit, and strings as they are', () => {
    const text = '{"a":185.640000,"b":[-0,1E-7,12345678901234567890],"c":"1, \\"2\\": 3","d":null,"e":true,"\\u0031":4}'
    expect(parseWithNumberText(text)).toEqual({
      a: '185.640000',
      b: ['-0', '1E-7', '12345678901234567890'],
      c: '1, "2": 3',
      d: null,
      e: true,
      '1': '4',
    })
    expect(parseWithNumberText('7')).toBe('7')
  })

  it.each(['', '01', '1.', '.5', '+1', '1e', '--1', '1-2', '{1:2}', '{"a":1', '"\\"', '1 2', '[1,]', 'NaN', '1"2"', '{"a" 1}'])(
    'refuses %s',
    text => {
      expect(() => parseWithNumberText(text)).toThrow(SyntaxError)
    },
  )

  it('agrees with JSON.parse on texts made of pieces of JSON', () => {
    const pieces = [
      '"',
      '\\',
      '1',
      '0',
      '-',
      '.',
      'e',
      '+',
      ':',
      ',',
      '{',
      '}',
      '[',
      ']',
      ' ',
      '\n',
      'true',
      '"a"',
      '12.50',
      '{"a":1}',
      '[1,2]',
      '"x":',
    ]
    let state = 20_261_129
    const draw = (below: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
      return (state >>> 12) % below
    }
    let valid = 0
    for (let at = 0; at < 50_000; at += 1) {
      const text = Array.from({ length: 1 + draw(8) }, () => pieces[draw(pieces.length)]).join('')
      const expected = bySource(text)
      expect(byScan(text), text).toBe(expected)
      if (expected !== null) valid += 1
    }
    expect(valid).toBeGreaterThan(500)
  })
})
