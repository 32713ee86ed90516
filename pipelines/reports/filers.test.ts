// How filers print their items: each way by itself, in reports written by hand with invented names.
import { describe, expect, it, test } from 'vitest'
import { readProse } from '../documents/prose.ts'
import { locateItems } from './locate.ts'
import type { LocatedItem } from './located.ts'

const words = (count: number): string => Array.from({ length: count }, (_, at) => ['The', 'kiln', 'may', 'fail', 'in', 'winter.'][at % 6]).join(' ')
/** Lines of plain text, with a blank line between two paragraphs. */
const plain = (...paragraphs: readonly string[]): string => `\n${paragraphs.join('\n\n')}\n`
const located = (source: string, form = '10-K'): LocatedItem[] => locateItems(readProse(source), form)
const printed = (source: string, form = '10-K'): string[] => located(source, form).flatMap(({ item, start, end }) => (end > start ? [item] : []))
const textOf = (source: string, item: string, form = '10-K'): string | undefined => {
  const prose = readProse(source)
  const found = locateItems(prose, form).find(each => each.item === item)
  return found && prose.text.slice(found.headingEnd, found.end).replace(/\s+/g, ' ').trim()
}

describe('items numbered in words', () => {
  const source = plain(
    '                 PART ONE',
    'ITEM ONE - BUSINESS',
    words(60),
    'ITEM TWO - PROPERTIES',
    words(20),
    'ITEM SIX - SELECTED FINANCIAL DATA',
    words(30),
    "ITEM SEVEN - MANAGEMENT'S DISCUSSION AND ANALYSIS OF FINANCIAL CONDITION",
    words(90),
    'See Item Eight.',
    'ITEM EIGHT - FINANCIAL STATEMENTS AND SUPPLEMENTARY DATA',
    words(90),
    'ITEM FOURTEEN - EXHIBITS AND REPORTS ON FORM 8-K',
    'None.',
  )
  it('are those items', () => {
    expect(printed(source)).toEqual(['1', '2', '6', '7', '8', '14'])
    expect(textOf(source, '2')).toBe(words(20))
  })
  it('two under one heading, as with digits', () => {
    const both = plain(
      'Item One and Two. Business and Properties',
      words(60),
      'ITEM THREE. LEGAL PROCEEDINGS',
      'None.',
      'ITEM FOUR. RESERVED',
      'None.',
    )
    expect(located(both).map(({ item, flags }) => [item, flags[0]])).toEqual([
      ['1A', undefined],
      ['1', 'combined_with_2'],
      ['2', 'combined_with_1'],
      ['3', undefined],
      ['4', undefined],
    ])
  })
})

describe('an item of another rule', () => {
  test.each([
    'Item 1114(b)(2) of Regulation AB, Significant Enhancement Provider Information',
    'Item 1117 Legal Proceedings',
    'Item 404 Transactions with Related Persons',
    'Item 4.01 Changes in Registrant&#8217;s Certifying Accountant',
  ])('%s is none of this form', heading => {
    const source = `<p><b>Item 1. Business</b></p><p>${words(60)}</p><p><b>${heading}</b></p><p>${words(40)}</p><p><b>Item 15. Exhibits</b></p><p>None.</p>`
    expect(printed(source)).toEqual(['1', '15'])
  })
})
