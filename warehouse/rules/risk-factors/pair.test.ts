import { describe, expect, it } from 'vitest'
import { choosePair, diffFamily, formsOf, itemOfForm } from './pair.ts'
import type { SectionFiling } from './risk-factors.ts'

const rules = { restated_words: 200 }
const filed = (year: number, form: string, status: string | null, more: Partial<SectionFiling> = {}): SectionFiling => ({
  accession: `0000990501-${year % 100}-00000${form.endsWith('/A') ? 2 : 1}`,
  form,
  filed_date: `${year}-02-20`,
  period_of_report: `${year - 1}-12-31`,
  company: 'NORTHFERRY STORAGE CORP',
  url: 'https://www.sec.gov/',
  known_from: `${year}-02-20T21:00:00Z`,
  source: 'edgar',
  raw_sha256: 'a'.repeat(64),
  status,
  reason: null,
  words: status === 'full' ? 5000 : 30,
  text_sha256: null,
  line: 1,
  factors: status === 'full' || status === 'update' ? 20 : 0,
  was_read: true,
  ...more,
})
const years = (chosen: ReturnType<typeof choosePair>) => [
  chosen.kind,
  chosen.old?.filed_date.slice(0, 4) ?? null,
  chosen.new?.filed_date.slice(0, 4) ?? null,
]

describe('which two filings are compared', () => {
  it('the two latest of the family', () => {
    const chosen = choosePair([filed(2023, '10-K', 'full'), filed(2024, '10-K', 'full'), filed(2025, '10-K', 'full')], {}, rules)
    expect(years(chosen)).toEqual(['pair', '2024', '2025'])
    expect(chosen.warnings).toEqual([])
  })
  it('an amendment without the section is warned of; one that restates it counts', () => {
    const filings = [
      filed(2024, '10-K', 'full'),
      filed(2025, '10-K', 'full'),
      filed(2025, '10-K/A', 'not_present', { known_from: '2025-04-01T21:00:00Z' }),
    ]
    const chosen = choosePair(filings, {}, rules)
    expect(years(chosen)).toEqual(['pair', '2024', '2025'])
    expect(chosen.new?.form).toBe('10-K')
    expect(chosen.warnings).toEqual([expect.stringContaining('0000990501-25-000002 (10-K/A, filed 2025-02-20) amends it later')])
    const restated = [...filings.slice(0, 2), { ...(filings[2] as SectionFiling), status: 'full', words: 4900 }]
    const amended = choosePair(restated, {}, rules)
    expect(years(amended)).toEqual(['pair', '2024', '2025'])
    expect(amended).toMatchObject({ old: { form: '10-K' }, new: { form: '10-K/A' } })
    expect(amended.warnings).toEqual(['0000990501-25-000002 (10-K/A) restates the section of 0000990501-25-000001 and stands in its place'])
  })
  it('a section that was not found is no unchanged one', () => {
    for (const status of ['not_present', 'incorporated_by_reference', 'cross_reference', 'empty', null]) {
      const chosen = choosePair([filed(2023, '10-K', 'full'), filed(2024, '10-K', 'full'), filed(2025, '10-K', status)], {}, rules)
      expect(chosen).toMatchObject({
        kind: 'section_missing',
        filing: { filed_date: '2025-02-20' },
        others: ['0000990501-24-000001', '0000990501-23-000001'],
      })
    }
    // The only filing before has none: changes cannot be determined.
    expect(choosePair([filed(2024, '10-K', 'incorporated_by_reference'), filed(2025, '10-K', 'full')], {}, rules).kind).toBe('section_missing')
  })
  it('a 10-Q without changes is no update; stubs before one that prints factors are skipped and reported', () => {
    expect(years(choosePair([filed(2024, '10-Q', 'full'), filed(2025, '10-Q', 'no_material_change')], {}, rules))).toEqual([
      'no_update',
      '2024',
      '2025',
    ])
    // It points to the last annual report, and prints nothing itself.
    expect(choosePair([filed(2024, '10-Q', 'full'), filed(2025, '10-Q', 'incorporated_by_reference')], {}, rules).kind).toBe('no_update')
    const chosen = choosePair([filed(2023, '10-Q', 'update'), filed(2024, '10-Q', 'no_material_change'), filed(2025, '10-Q', 'full')], {}, rules)
    expect(years(chosen)).toEqual(['pair', '2023', '2025'])
    expect(chosen.warnings).toEqual([
      expect.stringContaining('lies between and was left out: no_material_change'),
      expect.stringContaining('prints new or changed factors only'),
    ])
    expect(years(choosePair([filed(2024, '10-Q', 'no_material_change'), filed(2025, '10-Q', 'full')], {}, rules))).toEqual([
      'one_filing',
      '2024',
      '2025',
    ])
  })
  it('no filing, one filing, none of them read, smaller companies: four different answers', () => {
    expect(choosePair([], {}, rules).kind).toBe('no_filing')
    expect(choosePair([filed(2025, '10-K', 'full')], {}, rules).kind).toBe('one_filing')
    expect(choosePair([filed(2025, '10-K', null, { was_read: false })], {}, rules).kind).toBe('not_read')
    expect(choosePair([filed(2024, '10-K', 'full'), filed(2025, '10-K', 'not_required')], {}, rules).kind).toBe('not_required')
  })
  it('a newer filing that is only listed is reported', () => {
    const chosen = choosePair([filed(2023, '10-K', 'full'), filed(2024, '10-K', 'full'), filed(2025, '10-K', null, { was_read: false })], {}, rules)
    expect(years(chosen)).toEqual(['pair', '2023', '2024'])
    expect(chosen.warnings).toEqual([expect.stringContaining('is newer; its document has not been read yet')])
  })
  it('any two can be named, amendments too; one that is not ours is an error of the question', () => {
    const filings = [filed(2022, '10-K', 'full'), filed(2023, '10-K', 'full'), filed(2024, '10-K', 'full')]
    expect(years(choosePair(filings, { old: '0000990501-22-000001', new: '0000990501-24-000001' }, rules))).toEqual(['pair', '2022', '2024'])
    expect(choosePair(filings, { new: '0000990501-11-000001' }, rules)).toMatchObject({
      kind: 'unknown_accession',
      accession: '0000990501-11-000001',
    })
  })
  it('amendments of a registration statement are its versions', () => {
    const filings = [filed(2024, 'S-1', null, { factors: 30, was_read: false }), filed(2025, 'S-1/A', null, { factors: 31, was_read: false })]
    expect(choosePair(filings, {}, rules)).toMatchObject({ kind: 'pair', old: { form: 'S-1' }, new: { form: 'S-1/A' } })
  })
  it('forms of a family', () => {
    expect(formsOf('10-K')).toContain('10-K405/A')
    expect(diffFamily('10-KT/A')).toBe('10-K')
    expect(diffFamily('8-K')).toBe('')
    expect(itemOfForm('20-F', '1A')).toEqual({ stored: '3.D', factors: true })
    expect(itemOfForm('10-K', '7')).toEqual({ stored: '7', factors: false })
  })
})
