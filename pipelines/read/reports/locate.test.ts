// What the pairs of fixtures/reports do not show: the recorded documents, lines that are headings and lines that are not, and
// documents made to be slow.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { processorMs } from '#fixtures/processor-time.ts'
import { describeReal, realBytes, realFolder, realPresent } from '#fixtures/real.ts'
import { words } from '#fixtures/reports/paragraphs.ts'
import { countWords, readProse } from '#warehouse/documents/prose/prose.ts'
import { currentItemWords } from '../../cli/accuracy/eightk.ts'
import { printedItems, riskFactorsOf } from '../../cli/accuracy/tenk.ts'
import { locateCurrentItems } from './current-items.ts'
import { locateItems } from './locate.ts'
import { itemOf } from './located.ts'

const line = (text: string): string => `<p><b>${text}</b></p>`
/** A 10-K whose heading of Item 1A is given; its body is long. */
const annual = (heading: string, body = `<p>${words(400)}</p>`): string =>
  `<html><body>${line('Item 1. Business')}<p>${words(60)}</p>${heading}${body}${line('Item 1B. Unresolved Staff Comments')}<p>None.</p>${line('Item 2. Properties')}<p>${words(30)}</p></body></html>`
const risksIn = (source: string, form = '10-K') => itemOf(locateItems(readProse(source), form), '1A')

describe('a heading of Item 1A', () => {
  test.each([
    line('Item 1A. Risk Factors'),
    line('ITEM 1A: RISK FACTORS'),
    line('ITEM 1.A. RISK FACTORS'),
    line('ITEM 1(A). RISK FACTORS'),
    line('Item 1A &#8211; Risk Factors'),
    line('Item 1A.Risk Factors'),
    line('ITEM 1A RISK FACTORS'),
    line('ITEM IA. RISK FACTORS'),
    line('Item 1A. Certain Risk Factors'),
    line('Item 1A. Risk Factors and Cautionary Statement Regarding Forward-Looking Statements'),
    line('PART I, ITEM 1A. RISK FACTORS'),
    line('Risk Factors (Item 1A)'),
    line('1A. RISK FACTORS'),
    '<p>Item 1A. Risk Factors</p>',
    `${line('ITEM 1A.')}${line('RISK FACTORS')}`,
    '<table><tr><td>Item 1A.</td><td></td><td>Risk Factors</td></tr></table>',
    '<p><b>I<small>TEM</small> 1A. R<small>ISK</small> F<small>ACTORS</small></b></p>',
    '<p><u>Item 1A.</u> <u>Risk Factors</u></p>',
    line('Table of Contents Item 1A. Risk Factors'),
    line('Item 1A. Risk factors that bear on our kilns'),
    line('RISK FACTORS &#8211; ITEM 1A'),
    line('&#9658; Item 1A. Risk Factors'),
    '<p>Item 1A. Risk Factors.</p>',
  ])('may read %s', heading => {
    const item = risksIn(annual(heading))
    expect(item?.status).toBe('full')
    expect(item?.words).toBe(400 + countWords(readProse(heading).text))
  })

  test.each([
    '<p>Item 1A of Part I of this report tells of risks.</p>',
    '<p>Item 1A, Risk Factors, tells of them.</p>',
    '<p>&#8220;Item 1A. Risk Factors&#8221; tells of them.</p>',
    '<p>See Item 1A. Risk Factors.</p>',
    '<p>Item 1A. Risk Factors of our last report is not repeated here.</p>',
    '<p>Item 12A. Risk Factors</p>',
  ])('is not %s', reference => {
    const source = `<html><body>${line('Item 1. Business')}<p>${words(60)}</p>${reference}<p>${words(400)}</p>${line('Item 2. Properties')}<p>One.</p>${line('Item 3. Legal Proceedings')}<p>None.</p></body></html>`
    expect(risksIn(source)?.status).toBe('not_present')
  })

  it('may bear the number of another item, by a slip', () => {
    const item = risksIn(annual(line('Item 1B. Risk Factors')))
    expect(item).toMatchObject({ status: 'full', flags: ['number_differs'], words: 404 })
  })

  it('over few words is content of an odd length, and says so', () => {
    expect(risksIn(annual(line('Item 1A. Risk Factors'), `<p>${words(90)}</p>`))).toMatchObject({ status: 'full', flags: ['shorter_than_usual'] })
    expect(risksIn(annual(line('Item 1A. Risk Factors')))?.flags).toEqual([])
  })
})

describe('a line that names a part', () => {
  const body = `<p>${words(400)}</p>`
  const lineOf = (text: string, html: boolean): string => (html ? line(text) : `\n${text}\n`)
  /** A report whose Item 1A is followed by `between` and then by an item of the next part. */
  const report = (between: readonly string[], html: boolean): string =>
    html
      ? `<html><body>${line('Item 1. Business')}<p>${words(60)}</p>${line('Item 1A. Risk Factors')}${body}${between.map(line).join('')}${line('Item 5. Market for Registrant&#8217;s Common Equity')}<p>${words(40)}</p></body></html>`
      : `\nITEM 1.  BUSINESS\n\n${words(60)}\n\nITEM 1A.  RISK FACTORS\n\n${words(400)}\n${between.map(text => lineOf(text, false)).join('')}\nITEM 5.  MARKET FOR REGISTRANT'S COMMON EQUITY\n\n${words(40)}\n`
  const textOf = (source: string): string => {
    const prose = readProse(source)
    const item = itemOf(locateItems(prose, '10-K'), '1A')
    return item ? prose.text.slice(item.headingEnd, item.end).trim() : ''
  }

  describe.each([
    ['HTML', true],
    ['plain text', false],
  ])('in %s', (_format, html) => {
    test.each([[['PART II']], [['PART II - OTHER INFORMATION']], [['Part II']], [['PART II', 'OTHER INFORMATION']]])(
      '%j behind Item 1A is no part of it',
      between => {
        const found = textOf(report(between, html))
        expect(found.replace(/\s+/g, ' ')).toBe(words(400))
      },
    )
    it('adds no words to the item', () => {
      const found = itemOf(locateItems(readProse(report(['PART II'], html)), '10-K'), '1A')
      // 400 words and the heading `Item 1A. Risk Factors`, of four.
      expect(found?.words).toBe(404)
    })
  })

  it('of the same part is the running head of a page, and the text behind it still belongs to Item 1A', () => {
    const last = '<p>Our last kiln may fail.</p>'
    const source = annual(line('Item 1A. Risk Factors'), `${body}${line('PART I')}${last}`)
    expect(textOf(source).replace(/\s+/g, ' ')).toBe(`${words(400)} PART I Our last kiln may fail.`)
  })
})

describe('a stub', () => {
  const stubs: readonly (readonly [form: string, status: string, texts: readonly string[]])[] = [
    [
      '10-K',
      'not_required',
      [
        'Not applicable.',
        'As a smaller reporting company, we are not required to provide this information.',
        'Omitted.',
        'Omitted in accordance with General Instruction J to Form 10-K.',
      ],
    ],
    [
      '10-K',
      'incorporated_by_reference',
      ['Incorporated herein by reference to Exhibit 99.1.', 'The information on pages 12 to 19 of our Annual Report is incorporated by reference.'],
    ],
    [
      '10-K',
      'cross_reference',
      [
        'The section entitled &#8220;Risk Factors&#8221; in Management&#8217;s Discussion and Analysis, pages 20 to 31 of this report.',
        'See &#8220;Risk Factors&#8221; in Item 7.',
      ],
    ],
    ['10-K', 'empty', ['[Reserved]', '', 'Kiln Works | 2024 Form 10-K | 18']],
    ['10-K/A', 'incorporated_by_reference', ['See Item 1A of the Original Filing.']],
    ['10-K/A', 'no_material_change', ['There are no material changes from the risk factors in our Annual Report on Form 10-K.']],
    [
      '10-Q',
      'no_material_change',
      ['None.', 'There has been no material change in our risk factors.', 'Our risk factors have not materially changed since the last Form 10-K.'],
    ],
    ['10-Q', 'incorporated_by_reference', ['See our Annual Report on Form 10-K for the year ended June 30, 2024.']],
    ['10-Q', 'not_required', ['Not required for smaller reporting companies.']],
    ['10-Q', 'update', ['We may lose the lease of our kiln, as our landlord told us in May.']],
  ]
  test.each(stubs.flatMap(([form, status, texts]) => texts.map(text => [form, text, status] as const)))('of a %s: %s is %s', (form, stub, status) => {
    const source = `<html><body>${line('PART II')}${line('Item 1. Legal Proceedings')}<p>None.</p>${line('Item 1A. Risk Factors')}<p>${stub}</p>${line('Item 2. Properties')}<p>${words(20)}</p>${line('Item 6. Exhibits')}</body></html>`
    expect(risksIn(source, form)?.status).toBe(status)
  })
})

describe('documents made to be slow', () => {
  const items = '<p>Item 1A. Risk Factors</p><p>Item 2. Properties</p><p>Item 7. Management&#8217;s Discussion</p>'
  const contents = `<table>${'<tr><td>Item 1. Business</td><td>3</td></tr>'.repeat(6)}</table><p>${'kiln '.repeat(60)}</p>`
  test.each<[string, (times: number) => string, number]>([
    ['headings without number', times => '<p>Item 1A. Risk Factors</p>'.repeat(times), 150_000],
    ['items in turn', times => items.repeat(times), 40_000],
    ['links to one place', times => `<a name="x"></a>${'<p><a href="#x">Item 1A. Risk Factors</a></p>'.repeat(times)}`, 80_000],
    ['one line', times => `Item 1A. ${'Risk Factors, '.repeat(times)}`, 300_000],
    ['marks', times => `<p>Item 1A ${'. '.repeat(times)}Risk Factors</p>`, 2_000_000],
    ['blanks in plain text', times => `ITEM 1A.${' '.repeat(times)}RISK FACTORS\n`, 4_000_000],
    ['many small contents', times => contents.repeat(times), 8_000],
    ['numbers', times => '<p>1 2 3 4, 5-6</p>'.repeat(times), 250_000],
  ])('%s', (_, sourceOf, times) => {
    // Compared with the processor time of a quarter: 4 times for work in proportion to the length, 16 for its square.
    const [quarter, whole] = [readProse(sourceOf(times / 4)), readProse(sourceOf(times))]
    for (const locate of [(prose: typeof whole) => locateItems(prose, '10-K'), locateCurrentItems]) {
      const ms = processorMs(() => locate(quarter))
      expect(processorMs(() => locate(whole))).toBeLessThan(10 * ms + 500)
    }
  })

  it('gives spans inside of the text for any text', () => {
    const piece = fc.constantFrom(
      'Item 1A. Risk Factors',
      '<p>',
      '</p>',
      '<table><tr><td>',
      '</table>',
      'PART II',
      'Item 7.',
      '\n',
      'Item 1. Business',
      '<b>',
      '</b>',
      'None.',
      '12',
      '\t',
      'SIGNATURES',
      '<a href="#a">',
      '<a name="a">',
      '</a>',
      'D. Risk factors',
      'Item 2.02 Results',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.constantFrom('10-K', '10-Q', '20-F', '40-F', '10-KSB'), (pieces, form) => {
        const prose = readProse(pieces.join(' '))
        for (const item of [...locateItems(prose, form), ...locateCurrentItems(prose)]) {
          expect(item.start).toBeGreaterThanOrEqual(0)
          expect(item.headingEnd).toBeGreaterThanOrEqual(item.start)
          expect(item.end).toBeGreaterThanOrEqual(item.headingEnd)
          expect(item.end).toBeLessThanOrEqual(prose.text.length)
          expect(item.words).toBe(countWords(prose.text, item.start, item.end))
        }
      }),
      { numRuns: 300, seed: 4 },
    )
  })
})

type Entry = { item_1a_words: number | null; item_1a_status: string; item_1a_accept?: string[]; items?: unknown }
const sets = ['edgar', 'edgar2'].filter(set => realPresent && existsSync(join(realFolder, set, 'facts.json')))
const entries = sets.flatMap(set => {
  const facts = JSON.parse(readFileSync(join(realFolder, set, 'facts.json'), 'utf8')) as Record<string, Entry>
  return Object.entries(facts).map(([key, entry]) => [join(set, key), entry] as const)
})

describeReal('recorded reports', () => {
  test.each(entries.filter(([path]) => /^edgar2?.tenk./.test(path)))('%s', (path, entry) => {
    const stored = realBytes(path)
    const body = stored[0] === 0x1f && stored[1] === 0x8b ? gunzipSync(stored) : stored
    const { item, items, form } = riskFactorsOf({ url: '', body, sha256: '', source: 'edgar', retrieved_at: '', status: 200, headers: {} })
    expect([entry.item_1a_status, ...(entry.item_1a_accept ?? [])]).toContain(item?.status)
    if (entry.item_1a_words === null) expect(item?.status).toBe('not_present')
    else expect(item?.words).toBe(entry.item_1a_words)
    if (Array.isArray(entry.items)) expect(printedItems(items, form).toSorted()).toEqual(entry.items.toSorted())
  })
  test.each(entries.filter(([path]) => /^edgar2?.eightk.raw./.test(path)))('%s', (path, entry) => {
    expect(Object.keys(currentItemWords(realBytes(path))).toSorted()).toEqual(Object.keys(entry.items ?? {}).toSorted())
  })
})
