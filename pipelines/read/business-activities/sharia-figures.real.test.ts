// The screens' inputs from recorded company facts, as known on a day (numbered facts of the recorded set's index).
import { expect, test } from 'vitest'
import { describeReal, realBytes } from '#fixtures/real.ts'
import type { KnownFact } from '#warehouse/datasets/fundamentals/fundamentals.ts'
import { type FigureName, figureOf, figuresAt } from '#warehouse/rules/sharia/figures.ts'
import { shariaConcepts } from '#warehouse/rulesets/sharia/rules.ts'
import { fundamentalsReaders } from '../fundamentals/company-facts.ts'

const wanted = new Set(shariaConcepts)
function factsOf(name: string): KnownFact[] {
  const reader = fundamentalsReaders.find(each => each.reads('https://data.sec.gov/api/xbrl/companyfacts/CIK0000000001.json')) ?? expect.fail()
  const document = {
    sha256: 'a'.repeat(64),
    source: 'edgar',
    url: 'https://data.sec.gov/api/xbrl/companyfacts/CIK0000000001.json',
    retrieved_at: '2026-11-01T00:00:00Z',
    status: 200,
    headers: {},
    body: realBytes(`edgar/companyfacts/${name}`),
  }
  return (reader.parse(document).facts.company_facts ?? [])
    .filter(fact => wanted.has(`${fact.taxonomy}:${fact.concept}`))
    .map(fact => ({ ...fact, known_from: fact.known_from ?? document.retrieved_at, source: 'edgar', raw_sha256: document.sha256 }))
}

describeReal('figures of recorded company facts', () => {
  const at = (name: string, day: string) => {
    const { balance, year, counts } = figuresAt(factsOf(name), `${day}T12:00:00Z`)
    const of = (figure: FigureName) => figureOf(balance, figure)?.value ?? null
    const flow = (figure: FigureName) => figureOf(year, figure)
    return { balance, year, counts, of, flow }
  }

  test('Marvell: the year to 2026-01-31, then the quarter after it', () => {
    const march = at('mrvl.json', '2026-04-01')
    expect([march.balance?.period_end, march.of('total_assets'), march.year?.period_end, march.flow('revenue')?.value]).toEqual([
      '2026-01-31',
      '22285300000',
      '2026-01-31',
      '8194600000',
    ])
    const june = at('mrvl.json', '2026-06-15')
    expect([june.balance?.period_end, june.of('debt'), june.of('debt_with_operating_leases'), june.of('receivables')]).toEqual([
      '2026-05-02',
      '4961300000',
      '5277200000',
      '1871700000',
    ])
    expect(june.counts.findLast(each => each.basis === 'cover')).toMatchObject({ at: '2026-05-21', value: '874800000', reports_on: '2026-05-02' })
  })

  test('Snowflake: known on the day, and no position at all once it is too old', () => {
    const before = at('snow.json.gz', '2025-03-01')
    const after = at('snow.json.gz', '2025-04-15')
    expect([before.year?.period_end, before.flow('revenue')?.value]).toEqual(['2024-01-31', '2806489000'])
    expect([after.of('total_assets'), after.flow('revenue')?.value]).toEqual(['9033938000', '3626396000'])
    // Convertible notes, cash and securities of both maturities.
    const quarter = at('snow.json.gz', '2025-06-30')
    expect([quarter.balance?.period_end, quarter.of('debt')]).toEqual(['2025-04-30', '2273600000'])
    expect(figureOf(quarter.balance, 'interest_bearing_assets')?.parts).toHaveLength(3)
    const late = at('snow.json.gz', '2026-10-31')
    expect([late.balance, late.year]).toEqual([null, null])
  })

  test('an IFRS filer: borrowings as one figure, interest as revenue', () => {
    const { of, flow, counts } = at('lpa-ifrs-or-foreign.json', '2025-06-30')
    expect([of('debt'), flow('interest_income')?.value, flow('interest_income')?.concept]).toEqual([
      '267216692',
      '302808',
      'ifrs-full:RevenueFromInterest',
    ])
    expect(of('debt_with_operating_leases')).toBe('280646789')
    expect(counts.at(-1)?.basis).toBe('cover')
  })
})
