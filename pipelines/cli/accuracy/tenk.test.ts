// The judges of reports can say no, and know a report's form by its cover.
import { describe, expect, it, test } from 'vitest'
import { textTable } from '#fixtures/text-table.ts'
import { readProse } from '#warehouse/documents/prose/prose.ts'
import type { Found } from './compare.ts'
import { eightk } from './eightk.ts'
import { formOnCover, tenk } from './tenk.ts'

const found = (source: string): Found => ({
  document: { url: '', body: Buffer.from(source), sha256: '', source: 'edgar', retrieved_at: '', status: 200, headers: {} },
  reader: null,
  other: () => 'there is no other',
})

test.each(textTable`
  FORM 10-K                                      | 10-K
  Form 10-K405                                   | 10-K405
  FORM 10-KSB                                    | 10-KSB
  FORM 10–Q                                      | 10-Q
  Form 10 - Q                                    | 10-Q
  FORM 20-F                                      | 20-F
  ANNUAL INFORMATION FORM                        | 40-F
  QUARTERLY REPORT                               | 10-Q
  FORM 10-Q. The last Form 10-K is not this one. | 10-Q
`)('a cover that says %s is of a %s', (cover, form) => {
  expect(formOnCover(readProse(cover))).toBe(form)
})

describe('the judge of risk factors', () => {
  const source =
    '<p>FORM 10-K</p><p><b>Item 1. Business</b></p><p>Kilns.</p><p><b>Item 1A. Risk Factors</b></p><p>Not applicable.</p><p><b>Item 2. Properties</b></p><p>One.</p>'
  const evaluated = (entry: Record<string, unknown>) => tenk(found(source), entry, Object.keys(entry)).map(({ field, equal }) => [field, equal])

  it('takes the status, or one that is right too, and words within five', () => {
    expect(evaluated({ item_1a_status: 'not_required', item_1a_words: 11 })).toEqual([
      ['item_1a_status', true],
      ['item_1a_words', true],
    ])
    expect(evaluated({ item_1a_status: 'empty', item_1a_accept: ['not_required'] })).toEqual([['item_1a_status', true]])
  })
  it('refuses another status, more words, and a section where there is none', () => {
    expect(evaluated({ item_1a_status: 'full', item_1a_words: 12 })).toEqual([
      ['item_1a_status', false],
      ['item_1a_words', false],
    ])
    expect(evaluated({ item_1a_words: null })).toEqual([['item_1a_words', false]])
  })
})

it('the judge of current reports compares the numbers of the items, not their words', () => {
  const source = '<p><b>Item 2.02 Results of Operations and Financial Condition</b></p><p>The release is attached.</p><p>SIGNATURES</p>'
  const equal = (items: unknown) =>
    eightk(found(source), { items }, ['items'])
      .filter(({ field }) => field === 'items')
      .map(outcome => outcome.equal)
  expect(equal({ '2.02': 999 })).toEqual([true])
  expect(equal({ '2.02': 9, '9.01': 3 })).toEqual([false])
  expect(equal({ '7.01': 9 })).toEqual([false])
})
