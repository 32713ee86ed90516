// Tax schedules: federal and provincial brackets, basic amounts, surtax and abatement together give the published combined tables, for
// every bracket.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textTable } from '#fixtures/text-table.ts'
import { compare, decimalOf, ratioOf, unreduced } from '../../datasets/prices/ratio.ts'
import { flowThroughRules, flowThroughRulesets } from '../../rulesets/flow-through/rules.ts'
import { type Band, bandsOf, combinedPct, least, marginalPct, most, taxOn, zero } from './bands.ts'

const of2026 = flowThroughRules('fts@2026')
const of2025 = flowThroughRules('fts@2025')
const codes = of2026.jurisdictions.map(each => each.code)
const rateAt = (bands: readonly Band[], income: string): string => decimalOf(marginalPct(bands, ratioOf(income)), 4)

/** Rows of a printed table, `rate to`: the last one is open above. */
const rows = (text: string): { rate: string; to: string | null }[] =>
  text.split(';').map(row => {
    const [rate = '', to] = row.trim().split(' ')
    return { rate: decimalOf(ratioOf(rate)), to: to ?? null }
  })
const ownRows = (code: string, above: string) =>
  bandsOf(of2026, code)
    .filter(band => compare(band.from, ratioOf(above)) >= 0)
    .map(band => ({ rate: decimalOf(combinedPct(band), 4), to: band.to && decimalOf(band.to) }))

describe('combined rates of 2026, as the published tables print them', () => {
  const alberta = '22.00 58523; 28.50 61200; 30.50 117045; 36.00 154259; 38.00 181440; 41.29 185111; 42.29 246813; 43.29 258482; 47.00 370220; 48.00'
  const columbia =
    '21.70 58523; 28.20 100728; 31.00 115648; 32.79 117045; 38.29 140430; 40.70 181440; 43.99 190405; 46.09 258482; 49.80 265545; 53.50'
  const manitoba = '26.75 58523; 33.25 100000; 37.90 117045; 43.40 181440; 46.69 200000; 47.54 258482; 51.25 400000; 50.40'
  const ontario = '23.15 58523; 29.65 94907; 31.48 107785; 33.89 111814; 37.91 117045; 43.41 150000; 44.97 181440; 48.26 220000; 49.82 258482; 53.53'
  it.each([
    ['AB', '22769', '14', alberta],
    ['BC', '50363', '19.6', columbia],
    ['MB', '47000', '24.8', manitoba],
    ['ON', '53891', '19.05', ontario],
  ])('%s: below %s the first rate, above it every bracket', (code, first, rate, table) => {
    expect(rateAt(bandsOf(of2026, code), first)).toBe(rate)
    expect(ownRows(code, first)).toEqual(rows(table))
  })
  it.each([
    ['PE', '23.5 33328'],
    ['NL', '22.7 44678'],
    ['NS', '22.79 30995'],
  ])('%s: the first bracket is %s', (code, row) => {
    const [{ rate, to } = { rate: '', to: null }] = rows(row)
    const bands = bandsOf(of2026, code)
    expect([rateAt(bands, to ?? ''), rateAt(bands, String(Number(to) + 1)) === rate]).toEqual([rate, false])
  })
  it('bears no tax within the basic amounts', () => {
    expect(rateAt(bandsOf(of2026, 'AB'), '16452')).toBe('0')
    expect(rateAt(bandsOf(of2026, 'AB'), '16453')).toBe('14')
    expect(decimalOf(taxOn(bandsOf(of2026, 'AB'), ratioOf('22769'), 'provincial'))).toBe('0')
    expect(decimalOf(taxOn(bandsOf(of2026, 'AB'), ratioOf('22769'), 'federal'), 2)).toBe('884.38')
  })
})

describe('highest combined rates', () => {
  const top = (code: string, year = of2026): string => rateAt(bandsOf(year, code), '5000000')
  it.each([
    ['AB', '48'],
    ['BC', '53.5'],
    ['MB', '50.4'],
    ['NB', '52.5'],
    ['NL', '54.8'],
    ['NS', '54'],
    ['NT', '47.05'],
    ['NU', '44.5'],
    ['ON', '53.53'],
    ['PE', '52'],
    ['QC', '53.31'],
    ['SK', '47.5'],
    ['YT', '48'],
  ])('%s: %s %% in both years', (code, rate) => {
    expect([top(code), top(code, of2025)]).toEqual([rate, rate])
  })
})

describe('2025', () => {
  it.each(textTable`
    AB | 50000  | 22.5
    BC | 40000  | 19.56
    SK | 60000  | 33
    QC | 40000  | 26.11
    ON | 95000  | 31.48
    ON | 112000 | 37.91
    NU | 120000 | 35
    YT | 300000 | 45.8
  `)('%s at %s: %s %%', (code, income, rate) => {
    expect(rateAt(bandsOf(of2025, code), income)).toBe(rate)
  })
})

describe('whatever the place and the income', () => {
  const dollars = fc.integer({ min: 0, max: 200_000_000 }).map(cents => decimalOf(unreduced(BigInt(cents), 100n)))
  const place = fc.record({ rules: fc.constantFrom(...flowThroughRulesets), code: fc.constantFrom(...codes) })
  it('tax rises with income, never faster than the highest rate, and is never negative', () => {
    fc.assert(
      fc.property(place, dollars, dollars, ({ rules, code }, a, b) => {
        const bands = bandsOf(rules, code)
        const [low, high] = [least(ratioOf(a), ratioOf(b)), most(ratioOf(a), ratioOf(b))]
        for (const part of ['federal', 'provincial'] as const) {
          const [less, more] = [taxOn(bands, low, part), taxOn(bands, high, part)]
          expect(compare(less, zero)).toBeGreaterThanOrEqual(0)
          expect(compare(more, less)).toBeGreaterThanOrEqual(0)
          expect(compare(more, high)).toBeLessThanOrEqual(0)
        }
      }),
    )
  })
  it('the marginal rate lies between those of the lowest and the highest bands', () => {
    fc.assert(
      fc.property(place, dollars, ({ rules, code }, income) => {
        const bands = bandsOf(rules, code)
        const rates = bands.map(combinedPct)
        const rate = marginalPct(bands, ratioOf(income))
        expect(compare(rate, rates.reduce(least))).toBeGreaterThanOrEqual(0)
        expect(compare(rate, rates.reduce(most))).toBeLessThanOrEqual(0)
      }),
    )
  })
  it('bands follow each other from nothing to no end', () => {
    for (const rules of flowThroughRulesets)
      for (const code of codes) {
        const bands = bandsOf(rules, code)
        expect(decimalOf(bands[0]?.from ?? ratioOf('1'))).toBe('0')
        bands.forEach((band, at) => void expect(band.to).toEqual(bands[at + 1]?.from ?? null))
      }
  })
})
