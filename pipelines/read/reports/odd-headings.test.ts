// Headings of items that are printed otherwise than the form prints them, or that lost a part: in reports written by hand with
// invented names.
import { describe, expect, it, test } from 'vitest'
import { paragraphs, words } from '#fixtures/reports/paragraphs.ts'
import { readProse } from '#warehouse/documents/prose/prose.ts'
import { locateItems } from './locate.ts'
import type { LocatedItem } from './located.ts'

const plain = (...paragraphs: readonly string[]): string => `\n${paragraphs.join('\n\n')}\n`
const html = (...paragraphs: readonly string[]): string => `<html><body>${paragraphs.map(text => `<p>${text}</p>`).join('\n')}</body></html>`
const located = (source: string, form = '10-K'): LocatedItem[] => locateItems(readProse(source), form)
const one = (source: string, item: string, form = '10-K'): LocatedItem | undefined => located(source, form).find(each => each.item === item)
const bodyOf = (source: string, item: string, form = '10-K'): string | undefined => {
  const prose = readProse(source)
  const found = locateItems(prose, form).find(each => each.item === item)
  return found && prose.text.slice(found.headingEnd, found.end).replace(/\s+/g, ' ').trim()
}

describe('a title on two lines of plain text', () => {
  test.each([
    ["Item 7.  Management's Discussion and Analysis of Financial Condition and\n         Results of Operations"],
    ["Item 7.  Management's Discussion and Analysis of Financial Condition\n         and Results of Operations."],
  ])('%j opens Item 7', heading => {
    const source = plain(
      'Item 6.  Selected Financial Data',
      'None.',
      heading,
      words(30),
      'Item 8.  Financial Statements and Supplementary Data',
      'None.',
    )
    expect(bodyOf(source, '7')).toBe(words(30))
    expect(bodyOf(source, '6')).toBe('None.')
  })
  test.each([
    ['the title goes on at the margin', ''],
    ['a rule of dashes is below it', `\n${'-'.repeat(12)}`],
  ])('%s, with no word that asks for more', (_, below) => {
    const source = plain(
      'Item 12.  Security Ownership of Certain Beneficial Owners and Management',
      'None.',
      `Item 13. Certain Relationships and Related Transactions, and Director\nIndependence${below}`,
      words(30),
      'Item 14.  Principal Accountant Fees and Services',
      words(12),
    )
    expect(bodyOf(source, '13')?.endsWith(words(30))).toBe(true)
    expect(bodyOf(source, '12')).toBe('None.')
  })
  it('a sentence that breaks behind the word Item opens none', () => {
    const source = plain(
      'Item 1. Financial Statements',
      `${words(60)} Of what may go wrong with the kilns in winter more is said elsewhere. See Item\n1A. Risk Factors and Item 7 for more. ${words(40)}`,
      "Item 2. Management's Discussion and Analysis of Financial Condition",
      words(30),
    )
    expect(
      located(source, '10-Q')
        .filter(({ end, start }) => end > start)
        .map(({ item }) => item),
    ).toEqual(['1', '2'])
  })
  it('that ends in a comma goes on', () => {
    const source = plain(
      'ITEM 9. CHANGES IN ACCOUNTANTS',
      'None.',
      'ITEM 14. EXHIBITS, FINANCIAL STATEMENT SCHEDULES,\n         AND REPORTS ON FORM 8-K',
      words(20),
    )
    expect(bodyOf(source, '14')).toBe(words(20))
  })
})

describe('a heading without its number among headings with numbers', () => {
  const report = (business: string, legal: string, vote: string): string =>
    html(
      `<b>${business}</b>`,
      words(200),
      '<b>Item 1A. Risk Factors</b>',
      words(500),
      '<b>Item 2. Properties</b>',
      words(40),
      `<b>${legal}</b>`,
      words(50),
      `<b>${vote}</b>`,
      'None.',
      '<b>Item 5. Market for the Common Equity</b>',
      words(60),
    )
  const bare = report('Business', 'Legal Proceedings', 'Submission of Matters to a Vote of Security Holders')
  test.each([
    ['1', 200],
    ['2', 40],
    ['3', 50],
    ['4', 1],
  ])('Item %s keeps its own words alone', (item, count) => {
    expect(bodyOf(bare, item)?.split(' ')).toHaveLength(count)
  })
  it('may be of the filer’s own words where it begins as the form’s', () => {
    const source = report('Business of the Group', 'Legal Proceedings and Claims', 'Submission of Matters to Holders')
    expect(bodyOf(source, '2')?.split(' ')).toHaveLength(40)
    expect(bodyOf(source, '3')?.split(' ')).toHaveLength(50)
  })
  it('opens an item of a 20-F, a lettered one a part of its item', () => {
    const source = html(
      ...paragraphs`
        <b>Item 3. Key Information</b>
        <b>D. Risk Factors</b>
        {400 words}
        <b>Information on the Company</b>
        {90 words}
        <b>Item 5. Operating and Financial Review and Prospects</b>
        {90 words}
        <b>Item 6. Directors, Senior Management and Employees</b>
        {30 words}
      `,
    )
    expect(bodyOf(source, '4', '20-F')?.split(' ')).toHaveLength(90)
    expect(bodyOf(source, '3.D', '20-F')?.split(' ')).toHaveLength(400)
  })
  it('is none where a note of the statements begins with its number', () => {
    const source = html(
      ...paragraphs`
        <b>Item 2. Properties</b>
        {40 words}
        <b>Item 3. Legal Proceedings</b>
        None.
        <b>Item 8. Financial Statements and Supplementary Data</b>
        {40 words}
        <b>Item 15. Exhibits</b>
        {20 words}
        <b>1. Business</b>
        {90 words}
      `,
    )
    expect(one(source, '1')?.start ?? 0).toBe(0)
  })
})

describe('numbers of items', () => {
  const quarterly = plain(
    'PART I - FINANCIAL INFORMATION',
    'Item I.  Financial Statements',
    words(60),
    "Item II.  Management's Discussion and Analysis of Financial Condition and\n          Results of Operations",
    words(50),
    'Item IV(T).  Controls and Procedures',
    words(20),
    'PART II - OTHER INFORMATION',
    'Item I.  Legal Proceedings',
    'None.',
    'Item 1-A  Risk Factors',
    'There have been no material changes from the risk factors in our annual report on Form 10-K.',
    'Item 2 (C).  Changes in Securities and Use of Proceeds',
    words(12),
    'Item 6. (a) Exhibits',
    words(10),
  )
  it('are read in Roman figures, with a dash, and with the letter of a paragraph behind them', () => {
    expect(located(quarterly, '10-Q').flatMap(({ part, item, start, end }) => (end > start ? [`${part} ${item}`] : []))).toEqual([
      'I 1',
      'I 2',
      'I 4',
      'II 1',
      'II 1A',
      'II 2',
      'II 6',
    ])
  })
  it('several of one heading open as many items', () => {
    const source = html(
      ...paragraphs`
        <b>Item 9B. Other Information</b>
        None.
        <b>Items 10, 11, 12 and 13. Directors, Executive Officers and Corporate Governance; Executive Compensation; Security Ownership of Certain Beneficial Owners and Management; Certain Relationships and Related Transactions</b>
        The proxy statement is incorporated by reference.
        <b>Item 14. Principal Accountant Fees and Services</b>
        None.
      `,
    )
    for (const item of ['10', '11', '12', '13']) expect(one(source, item)?.status).toBe('incorporated_by_reference')
    const alone = plain(
      ...paragraphs`
        Item 9.  Changes in Accountants
        None.
        Items 10, 11, 12 and 13.
        The information required by these items is incorporated by reference from the proxy statement.
        Item 14.  Exhibits
        None.
      `,
    )
    for (const item of ['10', '11', '12', '13']) expect(one(alone, item)?.status).toBe('incorporated_by_reference')
  })
})

describe('what a short answer says', () => {
  const report = (answer: string): string =>
    plain('Item 1.  Business', words(90), 'Item 2.  Properties', answer, 'Item 3.  Legal Proceedings', 'None.')
  test.each([
    ['Omitted.', 'not_required'],
    ['Intentionally omitted', 'not_required'],
    [
      'Reported on pages 30-36 (and the tables on pages\n37, 38 and 39) of the Annual Report to Share Owners for the year.',
      'incorporated_by_reference',
    ],
    ['It is described in the Form F-4 in the section headed “Sheds”, which is incorporated herein by reference.', 'incorporated_by_reference'],
    [`${words(130)} The remaining information is incorporated by reference to the proxy statement.`, 'full'],
  ])('%j is %s', (answer, status) => {
    expect(one(report(answer), '2')?.status).toBe(status)
  })
  it('a letter of a 20-F that only points is found, however short', () => {
    const source = html(
      ...paragraphs`
        <b>Item 2. Offer Statistics and Expected Timetable</b>
        Not applicable.
        <b>Item 3. Key Information</b>
        <b>B. Capitalization and Indebtedness</b>
        {40 words}
        <b>D. Risk Factors</b>
        The risk factors are described in the Form F-4 and are incorporated herein by reference.
        <b>Item 4. Information on the Company</b>
        {60 words}
      `,
    )
    expect(one(source, '3.D', '20-F')).toMatchObject({ status: 'incorporated_by_reference', words: 18 })
  })
})

it('the first item of a contents table in plain text has no page where its parts have', () => {
  const source = plain(
    ...paragraphs`
      Item 1. Financial Statements (Unaudited)
      a) Condensed Statements of Income for the six months ended July 27, 2025 3
      b) Condensed Balance Sheets 4
      Item 2. Management’s Discussion and Analysis of Financial Condition 24
      Item 3. Quantitative and Qualitative Disclosures About Market Risk 31
      Item 4. Controls and Procedures 32
      Item 5. Other Information 38
      Signature 40
      {90 words}
      Item 1. Financial Statements (Unaudited)
      {400 words}
      Item 2. Management’s Discussion and Analysis of Financial Condition
      {200 words}
      Item 3. Quantitative and Qualitative Disclosures About Market Risk
      {40 words}
      Item 4. Controls and Procedures
      {50 words}
    `,
  )
  expect(bodyOf(source, '1', '10-Q')).toBe(words(400))
})

it('executive officers that no style marks are a section of plain text, up to a heading that goes on with the item', () => {
  const source = plain(
    ...['Item 1. Business', words(200), 'Item 2. Properties', words(40), 'Item 3. Legal Proceedings', words(30)],
    ...['Item 4. Mine Safety Disclosures', 'Not applicable.', 'Executive Officers of the Registrant'],
    `Ann Rook, 51, has led the customers\nbusiness since 2019. ${words(40)}`,
    ...['Item 5. Market for the Common Equity', words(40), 'Item 6. Reserved', 'None.', 'Item 7. Discussion and Analysis', words(50)],
    ...['Item 8. Financial Statements and Supplementary Data', words(50)],
  )
  expect(bodyOf(source, '4')).toBe('Not applicable.')
  expect(bodyOf(source, 'executive_officers')?.endsWith(words(40))).toBe(true)
})

it('items that a list of omissions letters are not required', () => {
  const row = (letter: string, item: string): string => `<table><tr><td>(${letter})</td><td><b>${item}</b></td></tr></table>`
  const source = html(
    '<b>PART I</b>',
    '<b>The following items have been omitted in accordance with General Instruction J to Form 10-K:</b>',
    row('a', 'Item 1. Business.'),
    row('b', 'Item 1A. Risk Factors.'),
    row('c', 'Item 2. Properties.'),
    row('d', 'Item 3. Legal Proceedings.'),
    '<b>Item 1B. Unresolved Staff Comments.</b>',
    'None.',
    '<b>Item 4. Mine Safety Disclosures.</b>',
    'Not applicable.',
  )
  for (const item of ['1', '1A', '2', '3']) expect(one(source, item)?.status).toBe('not_required')
  expect(bodyOf(source, '1B')).toBe('None.')
})
