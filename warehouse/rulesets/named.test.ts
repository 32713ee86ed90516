import { describe, expect, it } from 'vitest'
import { didYouMean, keyOf, nearestRows, quoted, refused } from './named.ts'

const rows = [
  { name: 'reg_s', spellings: ['reg_s', 'Regulation S, offshore'] },
  { name: 'reg_a_tier1', spellings: ['reg_a_tier1', 'Regulation A, Tier 1'] },
  { name: 'reg_a_tier2', spellings: ['reg_a_tier2', 'Regulation A, Tier 2'] },
  { name: 'Yukon', spellings: ['Yukon', 'yk'] },
]

describe('names that a request writes', () => {
  it.each([
    ['D.C.', 'dc'],
    ['Île-du-Prince-Édouard', 'ileduprinceedouard'],
    ['506(b)', '506b'],
    ['', ''],
  ])('%j is compared as %j', (text, key) => expect(keyOf(text)).toBe(key))
  it('what a text begins comes before what is a letter apart, each row once', () => {
    expect(nearestRows('Reg A', rows, 2)).toEqual(['reg_a_tier1', 'reg_a_tier2'])
    expect(nearestRows('reg_t', rows, 1)).toEqual(['reg_s'])
    expect(nearestRows('yukn', rows, 3)).toEqual(['Yukon'])
  })
  it('a code of two letters is not near to another', () => {
    expect([nearestRows('UK', rows, 3), nearestRows('', rows, 3)]).toEqual([[], []])
  })
  it('refusals quote what was written and name the member', () => {
    expect(didYouMean(['A', 'B'])).toBe('did you mean A or B? ')
    expect(didYouMean([])).toBe('')
    expect(quoted('x"y')).toBe('"x\\"y"')
    expect(refused('state', 'there is none', 'one of A')).toMatchObject({
      status: 422,
      message: 'state: there is none',
      hint: 'state: one of A',
      items: [{ loc: ['body', 'state'], msg: 'there is none' }],
    })
  })
})
