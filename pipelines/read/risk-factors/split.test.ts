import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { processorMs } from '#fixtures/processor-time.ts'
import { describeReal, realText } from '#fixtures/real.ts'
import { countWords, readProse } from '#warehouse/documents/prose/prose.ts'
import { locateItems } from '../reports/locate.ts'
import { itemOf } from '../reports/located.ts'
import { splitFactors } from './split.ts'

const split = (html: string) => {
  const prose = readProse(html)
  return splitFactors(prose, { start: 0, end: prose.text.length })
}
const words = (count: number, name = 'word'): string => Array.from({ length: count }, (_, at) => `${name}${at % 97}`).join(' ')
const bold = (text: string): string => `<p style="font-weight:bold">${text}</p>`
const plain = (text: string): string => `<p>${text}</p>`

describe('a section of risk factors', () => {
  it('nothing is no factor', () => {
    expect(split('').factors).toEqual([])
    expect(split(bold('Item 1A. Risk Factors')).factors).toEqual([])
  })
  it('what is split covers the section in order, and no word stands in two factors', () => {
    const part = fc.oneof(
      fc.integer({ min: 4, max: 20 }).map(count => bold(`We may ${words(count)}.`)),
      fc.integer({ min: 1, max: 90 }).map(count => plain(`${words(count, 'body')}.`)),
      fc.constant(bold('Risks Related to Our Business')),
      fc.integer({ min: 3, max: 30 }).map(count => `<p><i>Something may ${words(count)}:</i> ${words(60, 'led')}</p>`),
      fc.constant(plain('• a bullet of five words')),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 25 }), parts => {
        const html = parts.join('\n')
        const { factors } = split(html)
        const all = countWords(readProse(html).text)
        expect(factors.reduce((sum, factor) => sum + factor.words, 0)).toBeLessThanOrEqual(all)
        for (const [at, factor] of factors.entries()) {
          expect(factor.rank).toBe(at + 1)
          expect(factor.start).toBeLessThan(factor.end)
          expect(factor.start).toBeGreaterThanOrEqual(factors[at - 1]?.end ?? 0)
          expect(factor.heading).not.toBe('')
        }
      }),
    )
  })
  it('a heading in two lines is one, a table with figures has none', () => {
    const html = [
      bold('We may lose a customer<br>on whom we depend.'),
      plain(words(60)),
      '<table><tr><td><b>Customers</b></td><td><b>2024</b></td></tr><tr><td>Largest</td><td>38</td></tr></table>',
      plain(words(30)),
      bold('We may be fined.'),
      plain(words(70)),
    ].join('\n')
    expect(split(html).factors.map(factor => factor.heading)).toEqual(['We may lose a customer on whom we depend.', 'We may be fined.'])
  })
  it.each([
    ['one paragraph of five million characters', plain(words(800_000))],
    ['a hundred thousand headings', Array.from({ length: 100_000 }, (_, at) => bold(`We may fail ${at}.`)).join('')],
    ['twelve thousand factors', Array.from({ length: 12_000 }, (_, at) => bold(`We may fail ${at}.`) + plain(words(45))).join('')],
    ['nested emphasis without end', '<b><i><u>'.repeat(100_000) + words(1000)],
    ['stops without words', plain('. '.repeat(1_000_000))],
  ])('%s is read in a few seconds', (_, html) => {
    const ms = processorMs(() => expect(split(html).factors.length).toBeLessThanOrEqual(2_000))
    expect(ms).toBeLessThan(20_000)
  })
})

describeReal('recorded reports', () => {
  // As a person reads the pages: bold, bold italic, run-in italic and run-in bold headings.
  it.each([
    ['nvda-10k-fy2024.html.gz', '10-K', 24, 4],
    ['jnj-10k-fy2024.html.gz', '10-K', 20, 6],
    ['meta-10k-fy2024.html.gz', '10-K', 48, 5],
    ['aapl-10k-fy2024.html', '10-K', 28, 5],
    ['ibm-10k-fy2024.html', '10-K', 25, 5],
    ['ge-10k-fy2023-cross-reference-index.html.gz', '10-K', 17, 4],
    ['nvda-10q-2025-08.html', '10-Q', 2, 1],
  ])('%s: %s, %i factors in %i groups', (name, form, factors, groups) => {
    const prose = readProse(realText(`edgar/tenk/${name}`))
    const item = itemOf(locateItems(prose, form), '1A')
    const found = splitFactors(prose, { start: item?.headingEnd ?? 0, end: item?.end ?? 0 })
    expect([found.factors.length, new Set(found.factors.map(factor => factor.group)).size]).toEqual([factors, groups])
    const read = found.factors.reduce((sum, factor) => sum + factor.words, 0) + found.summary_words + found.introduction_words
    // Only the groups' headings and the running heads of pages are dropped.
    expect(read / (item?.words ?? 1)).toBeGreaterThan(0.96)
  })
})
