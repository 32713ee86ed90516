import { describe, expect, it } from 'vitest'
import type { Conversation } from '#schemas/assistant.ts'
import { understand } from './understand.ts'

const now = new Date('2026-11-20T09:30:00Z')
const before: Conversation = {
  subject: { kind: 'listing', symbol: 'GLPR.TO', us_symbol: null, name: null, cik: null, country: null, indicator: null, id: null },
  measure: 'line_item',
  period: null,
  inputs: { items: 'revenue' },
}

describe('a question', () => {
  it.each([
    ['price of TSX:GLPR', ['GLPR.TO']],
    ['$hltb quote', ['HLTB']],
    ['glpr.to dividends', ['GLPR.TO']],
    ['PRICE OF GLPR.TO', ['GLPR.TO']],
    ['What is the EPS of RDGT in USD under AAOIFI?', ['RDGT']],
    ['Is there an RRSP in the US?', []],
  ])('%s names the symbols %j', (question, symbols) => {
    expect(understand(question, now, null).symbols).toEqual(symbols)
  })
  it('finds names in capitals and in lower case', () => {
    expect(understand('Who holds Great Lakes & Prairie Railway?', now, null).names[0]).toBe('Great Lakes & Prairie Railway')
    expect(understand('who holds great lakes & prairie railway?', now, null).names[0]).toBe('great lakes & prairie railway')
  })
  it('continues a conversation only where it is a follow-up', () => {
    expect(understand('and in 2024?', now, before)).toMatchObject({
      topic: 'line_item',
      carried: true,
      period: { from: '2024-01-01', to: '2024-12-31' },
    })
    expect(understand('same for its US line', now, before)).toMatchObject({ topic: 'line_item', carried: true, otherLine: 'US' })
    expect(understand('wibble wobble wubble flump zork', now, before).topic).toBeNull()
  })
  it('tells an order from a question about its cost', () => {
    expect(understand('Buy 100 shares of RDGT for me', now, null).topic).toBe('write')
    expect(understand('How much would it cost to buy 100 shares of RDGT?', now, null).topic).not.toBe('write')
  })
  it.each(['GLPR.TO close on 2026-02-30', 'price of GLPR in 1899', 'dividends in 3024'])('%s names a period that is none', question => {
    expect(understand(question, now, null).badPeriod).not.toBeNull()
  })
  it('does not hang on hostile text', () => {
    for (const text of [
      'a '.repeat(1000),
      '(('.repeat(900),
      'between 1 March and '.repeat(90),
      '1,'.repeat(900),
      "'".repeat(1900),
      'A'.repeat(1999),
      '<'.repeat(1999),
    ])
      expect(understand(text, now, null).question.length).toBeGreaterThan(0)
  })
})
