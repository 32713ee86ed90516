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

describe('plain text of the first years', () => {
  const twentyF = (heading: string): string =>
    plain(
      'Item 1. Identity of Directors, Senior Management and Advisers',
      'Not applicable',
      'Item 3. Key Information',
      words(60),
      heading,
      words(400),
      'Item 4. Information on the Company',
      words(120),
      'Item 14. Material Modifications to the Rights of Security Holders and Use of\n          Proceeds',
      'None',
      'Item 15. Reserved for future use',
      'Not applicable',
      'Item 16. Reserved for future use',
      'Not applicable',
      'Item 18. Financial Statements',
      words(30),
      'Item 19. Financial Statements and Exhibits',
      words(30),
    )
  test.each(['Risk factors\n------------', 'Risk factors\n- ------------', 'Risk Factors\n============', 'Risk factors', 'D.  Risk factors'])(
    'the risk factors of a 20-F stand below %j',
    heading => {
      const found = located(twentyF(heading), '20-F').find(({ item }) => item === '3.D')
      expect(found).toMatchObject({ status: 'full', located: 'heading', flags: expect.arrayContaining(['title_only']) })
      expect(textOf(twentyF(heading), '3.D', '20-F')?.replace(/^[-= ]+/, '')).toBe(words(400))
    },
  )
  it('a sentence that begins with the words is no heading', () => {
    const inText = `${words(9)}\nRisk factors are told of in our last report and in the prospectus of the\noffering. ${words(400)}`
    expect(located(twentyF(inText), '20-F').find(({ item }) => item === '3.D')?.status).toBe('not_present')
  })
  it('reserved items and the last ones are items; a title may go on in the line below', () => {
    const source = twentyF('Risk factors')
    expect(printed(source, '20-F')).toEqual(['1', '3', '3.D', '4', '14', '15', '16', '18', '19'])
    expect(located(source, '20-F').find(({ item }) => item === '14')).toMatchObject({
      title: 'Material Modifications to the Rights of Security Holders and Use of Proceeds',
      status: 'full',
      words: 15,
    })
  })
  it('a stub in the line below a title is no part of it', () => {
    const source = plain('ITEM 1. BUSINESS', words(60), 'ITEM 3. LEGAL PROCEEDINGS\n        None.', 'ITEM 4. RESERVED\n        Not applicable')
    expect(located(source).find(({ item }) => item === '3')?.title).toBe('LEGAL PROCEEDINGS')
  })
})

describe('a part that is answered as a whole', () => {
  const source = plain(
    'ITEM 8. FINANCIAL STATEMENTS AND SUPPLEMENTARY DATA',
    words(90),
    'ITEM 9. CHANGES IN AND DISAGREEMENTS WITH ACCOUNTANTS',
    'None.',
    '                   PART III',
    `     The information required by Part III is incorporated by reference\nto the proxy statement. ${words(40)}`,
    '     It was filed in May.',
    '                   PART IV',
    'ITEM 14. EXHIBITS AND REPORTS ON FORM 8-K',
    words(30),
  )
  it('ends the item before, however much stands below it', () => {
    expect(textOf(source, '9')).toBe('None.')
  })
  it('exhibits of item 14, before 2003, are of part IV', () => {
    expect(located(source).find(({ item }) => item === '14')?.part).toBe('IV')
  })
  it('a running head of the same part, or of a part that is taken back, ends nothing', () => {
    const running = plain(
      'ITEM 7. MANAGEMENT’S DISCUSSION AND ANALYSIS',
      words(90),
      'PART II',
      words(90),
      'PART I',
      words(90),
      'PART II',
      words(9),
      'ITEM 8. FINANCIAL STATEMENTS',
      words(60),
    )
    expect(textOf(running, '7')?.split(' ').length).toBe(90 + 2 + 90 + 2 + 90 + 2 + 9)
  })
})
