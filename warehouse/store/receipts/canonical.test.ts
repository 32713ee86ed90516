import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalText, parseCanonical, plainDataFault, statementBytes } from './canonical.ts'

/** Plain data as a statement may hold it. */
const { statementData } = fc.letrec(tie => ({
  statementData: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.string({ unit: 'binary' }),
    fc.maxSafeInteger().map(n => n + 0),
    fc.array(tie('statementData'), { maxLength: 5 }),
    fc.dictionary(fc.string({ unit: 'binary' }), tie('statementData'), { maxKeys: 5, noNullPrototype: true }),
  ),
}))

describe('canonical JSON (RFC 8785)', () => {
  it('gives the example of section 3.2.2', () => {
    const input = JSON.parse(
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    )
    expect(canonicalText(input, 'json')).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    )
  })

  it('sorts member names by UTF-16 code units, as section 3.2.3 shows', () => {
    const input = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    }
    const text = canonicalText(input, 'statement')
    const order = [...text.matchAll(/:"([^"]+)"/g)].map(match => match[1])
    expect(order).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ])
  })

  it('represents the same value, whatever the order of the members', () => {
    fc.assert(
      fc.property(statementData, data => {
        const bytes = statementBytes(data)
        const reversed = JSON.parse(JSON.stringify(data), (_, value: unknown) =>
          value !== null && typeof value === 'object' && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).reverse()) : value,
        )
        expect(statementBytes(reversed).equals(bytes)).toBe(true)
        expect(parseCanonical(bytes, 'statement')).toEqual({ value: JSON.parse(JSON.stringify(data)) })
      }),
      { seed: 20261120, numRuns: 300 },
    )
  })
})

describe('what a statement cannot hold', () => {
  const cycle: unknown[] = []
  cycle.push(cycle)
  const hidden = Object.defineProperty({}, 'a', { value: 'x', enumerable: false })
  const getter = Object.defineProperty({}, 'a', { get: () => 'x', enumerable: true })
  const named = Object.assign(['x'], { a: 'x' })
  const refused: readonly (readonly [string, unknown])[] = [
    ['a decimal number', 1.5],
    ['an integer beyond 2^53', 2 ** 53],
    ['negative zero', -0],
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['null', null],
    ['a boolean', true],
    ['undefined', undefined],
    ['a list with undefined', [undefined]],
    ['a bigint', 1n],
    ['a symbol', Symbol('s')],
    ['a function', () => 1],
    ['a Date', new Date(0)],
    ['a Map', new Map([['a', 1]])],
    ['a Set', new Set(['a'])],
    ['bytes', new Uint8Array(2)],
    ['a boxed string', Object('x')],
    ['a regular expression', /x/],
    ['a lone surrogate', '\ud800'],
    ['a lone surrogate in a name', { '\udc00': 'x' }],
    ['a list with a hole', new Array(2)],
    ['a list with a named property', named],
    ['a hidden property', hidden],
    ['a getter', getter],
    ['a symbol key', { [Symbol('s')]: 'x' }],
    ['a toJSON method', { toJSON: () => 'x' }],
    ['a proxy', new Proxy({}, {})],
    ['an object of a class', new (class Bar {})()],
    ['a cycle', cycle],
  ]
  it.each(refused)('refuses %s', (_name, value) => {
    expect(plainDataFault({ a: value }, 'statement')).toMatch(/^\$\.a/)
    expect(() => statementBytes({ a: value })).toThrow('canonical JSON: $.a')
  })

  it('is refused where `canonicalize` alone would change it in silence', () => {
    const changed = refused.filter(([, value]) => {
      try {
        return canonicalize({ a: value }) !== undefined
      } catch {
        return false
      }
    })
    expect(changed.length).toBeGreaterThan(15) // which is why the guard checks first
  })
})

describe('canonical bytes', () => {
  const refused = [
    ['white space', '{"a": 1}'],
    ['members out of order', '{"b":1,"a":1}'],
    ['a member twice', '{"a":1,"a":1}'],
    ['a needless escape', '{"a":"\\u0041"}'],
    ['an escaped slash', '{"a":"\\/"}'],
    ['an exponent', '{"a":1e0}'],
    ['a decimal point', '{"a":1.0}'],
    ['negative zero', '{"a":-0}'],
    ['a byte order mark', '\ufeff{"a":1}'],
    ['a line end', '{"a":1}\n'],
    ['an escaped lone surrogate', '{"a":"\\ud800"}'],
    ['deep nesting', `${'['.repeat(5000)}${']'.repeat(5000)}`],
    ['nothing', ''],
  ] as const
  it.each(refused)('have no form with %s', (_name, text) => {
    expect(parseCanonical(Buffer.from(text), 'statement')).toHaveProperty('fault')
  })

  it('are UTF-8 in its shortest form', () => {
    expect(parseCanonical(Buffer.from([0x22, 0xc0, 0x80, 0x22]), 'statement')).toHaveProperty('fault')
    expect(parseCanonical(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'statement')).toHaveProperty('fault')
  })
})
