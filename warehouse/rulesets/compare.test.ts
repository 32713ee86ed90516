import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Change, changesBetween, firstTexts, type Json } from './compare.ts'

const byId = (path: string): readonly string[] | null => (path === 'rows' ? ['id'] : null)
const reported = (changes: readonly Change[]): string[] =>
  changes.map(({ change, at, before, after }) => `${change} ${at.join(' ')}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`)

describe('changes between two values', () => {
  it('name members that joined, left or changed, in the order of the second, what left where it stood', () => {
    expect(reported(changesBetween({ a: 1, gone: 'x', b: 2, c: { d: null } }, { a: 1, b: 3, new: true, c: { d: '1' } }, byId))).toEqual([
      'removed gone: "x" -> undefined',
      'changed b: 2 -> 3',
      'added new: undefined -> true',
      'changed c d: null -> "1"',
    ])
  })
  it('match rows by their key and follow them into their members', () => {
    const before = {
      rows: [
        { id: 'a', rate: '15' },
        { id: 'b', rate: '5' },
        { id: 'c', rate: '0' },
      ],
    }
    const after = {
      rows: [
        { id: 'a', rate: '15' },
        { id: 'c', rate: '0.5' },
        { id: 'd', rate: '1' },
      ],
    }
    expect(reported(changesBetween(before, after, byId))).toEqual([
      'removed rows b: {"id":"b","rate":"5"} -> undefined',
      'changed rows c rate: "0" -> "0.5"',
      'added rows d: undefined -> {"id":"d","rate":"1"}',
    ])
  })
  it('name the rows that moved, and only those that moved', () => {
    const rows = (order: string): Json => ({ rows: [...order].map(id => ({ id })) })
    expect(reported(changesBetween(rows('abcd'), rows('dabc'), byId))).toEqual(['moved rows d: 4 -> 1'])
    expect(reported(changesBetween(rows('abcd'), rows('abdc'), byId))).toHaveLength(1)
  })
  it('tell which words joined and left a list of words, or that only their order changed', () => {
    expect(reported(changesBetween({ w: ['a', 'b', 'b'] }, { w: ['b', 'c'] }, byId))).toEqual([
      'removed w: "a" -> undefined',
      'removed w: "b" -> undefined',
      'added w: undefined -> "c"',
    ])
    expect(reported(changesBetween({ w: ['a', 'b'] }, { w: ['b', 'a'] }, byId))).toEqual(['changed w: ["a","b"] -> ["b","a"]'])
  })
  it('match rows without a registered key by as few of their texts as tell them apart, else by place', () => {
    const row = (country: string, account: string, rate: number): Json => ({ country, account, rate })
    const before = [row('US', 'tfsa', 15), row('US', 'rrsp', 0)]
    expect(reported(changesBetween(before, [row('US', 'rrsp', 0), row('US', 'tfsa', 30)], firstTexts))).toContain('changed US tfsa rate: 15 -> 30')
    expect(reported(changesBetween([{ n: 1 }, { n: 2 }], [{ n: 1 }, { n: 3 }], firstTexts))).toEqual(['changed 2 n: 2 -> 3'])
  })
  it('take a number by its digits', () => {
    const raw = (text: string): Json => ({ n: JSON.rawJSON(text) }) as never
    expect(changesBetween(raw('1.50'), raw('1.50'), byId)).toEqual([])
    expect(reported(changesBetween(raw('1.50'), raw('1.5'), byId))).toEqual(['changed n: 1.50 -> 1.5'])
  })
  it('are none between equal values, and some between others', () => {
    const value = fc.jsonValue().map(each => JSON.parse(JSON.stringify(each)) as Json)
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(changesBetween(a, structuredClone(a), firstTexts)).toEqual([])
        expect(changesBetween(a, b, firstTexts).length > 0).toBe(JSON.stringify(a) !== JSON.stringify(b))
      }),
    )
  })
})
