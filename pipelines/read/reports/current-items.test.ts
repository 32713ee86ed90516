// How filers print the items of current reports: each way by itself, in reports written by hand.
import { describe, expect, it, test } from 'vitest'
import { paragraphs, words } from '#fixtures/reports/paragraphs.ts'
import { readProse } from '#warehouse/documents/prose/prose.ts'
import { locateCurrentItems } from './current-items.ts'

const plain = (...paragraphs: readonly string[]): string => `\n${paragraphs.join('\n\n')}\n\nSIGNATURES\n\n`
const html = (...paragraphs: readonly string[]): string =>
  `<html><body>${paragraphs.map(each => `<p>${each}</p>`).join('')}<p>SIGNATURES</p></body></html>`
const found = (source: string, announced: readonly string[] | null = null): unknown[] =>
  locateCurrentItems(readProse(source), announced).map(({ item, title, words: count }) => [item, title, count])

describe('a bare number of the old form', () => {
  const expected = [
    ['2', 'Acquisition or Disposition of Assets', 7 + 60],
    ['5', 'Other Events', 4 + 40],
  ]
  test.each([
    ['below its title', plain('     Acquisition or Disposition of Assets', 'Item 2.', words(60), '    Other Events', 'Item 5.', words(40))],
    ['right below its title', plain('Acquisition or Disposition of Assets\nItem 2.', words(60), 'Other Events\nItem 5.', words(40))],
    ['below its title in HTML', html('Acquisition or Disposition of Assets', 'Item 2.', words(60), 'Other Events', 'Item 5.', words(40))],
    ['above its title', plain('Item 2.\nAcquisition or Disposition of Assets', words(60), 'Item 5.\n\nOther Events', words(40))],
  ])('%s', (_, source) => {
    expect(found(source)).toEqual(expected)
  })
  it('alone, with no title at all', () => {
    expect(found(plain('Item 2.', words(60), 'Item 5.', words(40), 'Item 7.', '(c) Exhibits'))).toEqual([
      ['2', null, 62],
      ['5', null, 42],
      ['7', null, 4],
    ])
  })
  it('with its text on the same line', () => {
    expect(found(html(`Item 5. ${words(60)}`, 'Item 7. (c) Exhibits. The lease is filed.'))).toEqual([
      ['5', null, 62],
      ['7', '(c) Exhibits.', 8],
    ])
  })
  it('at the end of a sentence that a line breaks is none', () => {
    expect(found(plain(`${words(30)} The same is told in the last report under its\nItem 5.\nWe repeat it here.`))).toEqual([])
  })
})

describe('a number', () => {
  test.each([
    ['behind a dash', `<pre>\nItem - 5.02 Departure of Directors or Principal Officers\n\n${words(30)}\n\nSIGNATURES</pre>`, '5.02'],
    ['on the line below the word', html('<b>Item</b>', '<b>5.02</b>', '<b>Departure of Directors</b>', words(30)), '5.02'],
    ['broken from the word inside of a line', html('<b>Item\n5.02</b> Departure of Directors', words(30)), '5.02'],
    ['without the word', html('<b>Section 5 - Corporate Governance</b>', '<b>5.02 Departure of Directors</b>', words(30)), '5.02'],
    ['in words', plain('ITEM FIVE.  OTHER EVENTS', words(30)), '5'],
    ['with the paragraph that it answers', plain('ITEM 5.  (b) OTHER EVENTS', words(30)), '5'],
  ])('%s', (_, source, item) => {
    expect(found(source).map(one => (one as [string])[0])).toEqual([item])
  })
  test.each([
    ['Item 404(a) of Regulation S-K asks for it.'],
    ['Item 7.01 (including Exhibit 99.1) shall not be deemed filed.'],
    ['Item 10b of the plan was amended.'],
    ['5.02 percent of the shares were voted.'],
    ['<b>2.02 per share</b>'],
  ])('in %s is none', sentence => {
    expect(found(html(words(9), sentence, words(9)))).toEqual([])
  })
})

describe('items that the header announces', () => {
  it('are found by their title alone', () => {
    const source = html(
      ...paragraphs`
        <b>Results of Operations and Financial Condition</b>
        {30 words}
        <b>Financial Statements and Exhibits</b>
        {9 words}
        <b>Exhibit Index</b>
      `,
    )
    const items = locateCurrentItems(readProse(source), ['2.02', '9.01'])
    expect(items.map(({ item, located, flags, words: count }) => [item, located, flags, count])).toEqual([
      ['2.02', 'heading', ['title_only'], 36],
      ['9.01', 'heading', ['title_only'], 13],
    ])
    // The printed titles tell them without a header, too; the filer's own do not.
    expect(found(source)).toEqual(items.map(({ item, title, words: count }) => [item, title, count]))
    const own = html('<b>Results of the Quarter</b>', words(30))
    expect(found(own)).toEqual([])
    expect(locateCurrentItems(readProse(own), ['2.02']).map(({ located }) => located)).toEqual(['heading'])
  })
  it('and are nowhere in the document are listed without a place', () => {
    const source = html('<b>Item 2.02 Results of Operations</b>', words(30))
    expect(locateCurrentItems(readProse(source), ['2.02', '8.01', 'A title of no form'])).toMatchObject([
      { item: '2.02', located: 'heading', flags: [] },
      {
        item: '8.01',
        status: 'not_present',
        located: null,
        words: 0,
        flags: ['announced_not_located'],
        reason: expect.stringContaining('announces'),
      },
    ])
  })
})

describe('two headings one below the other', () => {
  const source = html(
    ...paragraphs`
      <b>Item 1.01 Entry into a Material Definitive Agreement</b>
      <b>Item 2.03 Creation of a Direct Financial Obligation</b>
      {30 words}
      <b>Item 9.01 Financial Statements and Exhibits</b>
      {9 words}
    `,
  )
  it('are answered by the text below', () => {
    const items = locateCurrentItems(readProse(source))
    expect(items.map(({ item, status, flags }) => [item, status, flags])).toEqual([
      ['1.01', 'full', ['combined_with_2.03']],
      ['2.03', 'full', []],
      ['9.01', 'full', []],
    ])
    expect(items[0]?.end).toBe(items[1]?.end)
  })
  it('a number left out between them does not make one swallow the other', () => {
    const lost = source.replace('Item 9.01 ', '')
    expect(locateCurrentItems(readProse(lost)).map(({ item, flags }) => [item, flags])).toEqual([
      ['1.01', ['combined_with_2.03']],
      ['2.03', []],
      ['9.01', ['title_only']],
    ])
  })
})
