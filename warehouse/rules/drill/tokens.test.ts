import { describe, expect, it } from 'vitest'
import { textTable } from '#fixtures/text-table.ts'
import { characterPlaces, foldMarks, lowerCase } from './fold.ts'
import { decimalOf, numberStyle, tokenize, withoutDefinitions } from './tokens.ts'

const statement = (text: string): string =>
  tokenize(text)
    .map(({ kind, text: value }) => `${kind} ${value}`)
    .join(', ')

describe('numbers', () => {
  it.each(textTable`
    12.5      | 12.5
    1,250     | 1250
    1,250.5   | 1250.5
    1,234,567 | 1234567
    12,5      | 12.5
    0,125     | 0.125
    007.50    | 7.50
    1,2345    | 1.2345
  `)('%s in a text with decimal points is %s', (text, value) => {
    expect(decimalOf(text, 'point')).toBe(value)
  })
  it.each(textTable`
    1,250   | 1.250
    12,5    | 12.5
    1.250,5 | 1250.5
  `)('%s in a text with decimal commas is %s', (text, value) => {
    expect(decimalOf(text, 'comma')).toBe(value)
  })
  it.each(['1.2.3', '12,34,5', '9'.repeat(30)])('%s is no number', text => {
    expect(decimalOf(text, 'point')).toBeNull()
  })
  it('a text’s numbers show which mark is the decimal one', () => {
    expect(numberStyle('12,5 m à 3,2 g/t de 120,0 m')).toBe('comma')
    expect(numberStyle('12.5 m @ 1,250 g/t')).toBe('point')
    expect(numberStyle('Z-100,10,20,10')).toBe('point')
    expect(numberStyle('')).toBe('point')
  })
  it('a hard space parts thousands, a plain one only where commas are decimal', () => {
    expect(statement('1\u00a0250 g/t')).toBe('number 1250, word g, mark /, word t')
    expect(statement('12 345 m')).toBe('number 12, number 345, word m')
    expect(statement('1 250 g/t sur 2,5 m')).toMatch(/^number 1250, /)
  })
})

describe('tokens', () => {
  it('parts what is written without spaces', () => {
    expect(statement('12.5m@3.2g/t from120m')).toBe('number 12.5, word m, mark @, number 3.2, word g, mark /, word t, word from, number 120, word m')
  })
  it('keeps a name with its digits, and a formula of a metal', () => {
    expect(statement('DDH-21-005W1 KHDDH808 U₃O₈ core-length Cu0.5')).toBe(
      'name ddh-21-005w1, name khddh808, name u3o8, word core, mark -, word length, word cu, number 0.5',
    )
  })
  it('drops brackets that only say how something is written', () => {
    const kept = withoutDefinitions(tokenize('3.2 grams per tonne ("g/t") gold (Au) over 5 m (4 m true) ()'))
    expect(kept.map(token => token.text).join(' ')).toBe('3.2 grams per tonne gold over 5 m ( 4 m true ) ( )')
  })
  it('every token is at its stated position, in a text of any marks', () => {
    const text = '\ufeff“12,5 m” — 3.2\u202fg/t 😀 İstanbul ½ 5′\r\nA–1'
    const folded = foldMarks(text)
    expect([folded.length, lowerCase(folded).length]).toEqual([text.length, text.length])
    for (const token of tokenize(text)) expect(folded.slice(token.start, token.end)).toBe(token.raw)
  })
  it('counts places in characters', () => {
    const place = characterPlaces('a😀b😀c')
    expect([0, 1, 3, 4, 6].map(place)).toEqual([0, 1, 2, 3, 4])
  })
})
