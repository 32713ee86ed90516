// Recorded prospectuses, where they lie beside the project: every fact of the facts file, and what its keys do not name.
import { expect, test } from 'vitest'
import { describeReal, realBytes, realPresent, realText } from '#fixtures/real.ts'
import { decodeText } from '#warehouse/documents/prose/decode.ts'
import { offering } from '../../cli/accuracy/offering.ts'
import { parseProspectus } from './parse.ts'

type Facts = Record<string, Record<string, unknown>>
const factsOf = (path: string): Facts =>
  Object.fromEntries(Object.entries((realPresent ? JSON.parse(realText(path)) : {}) as Facts).filter(([key]) => key.startsWith('offering/')))
const notes = ['file', 'text', 'reason', 'placeholder', 'section', 'headings', 'issuer']
const sets = [
  ['edgar', 'edgar/facts.json'],
  ['edgar', 'edgar2/facts-edgar-offering.json'],
  ['edgar2', 'edgar2/facts.json'],
] as const
const recorded = (folder: string, key: string) => ({
  sha256: '',
  source: 'edgar',
  url: `recorded:${key}`,
  retrieved_at: '',
  status: 200,
  headers: {},
  body: realBytes(`${folder}/${key}`),
})

describeReal('edgar2/offering', () => {
  const cases = sets.flatMap(([folder, file]) => Object.entries(factsOf(file)).map(([key, entry]) => [file, key, folder, entry] as const))

  test.each(cases)('%s: %s', (_file, key, folder, entry) => {
    const outcomes = offering(
      { document: recorded(folder, key), reader: null, other: () => '' },
      entry,
      Object.keys(entry).filter(field => !notes.includes(field)),
    )
    expect(outcomes.filter(outcome => !outcome.equal)).toEqual([])
  })

  test('of an initial offering: option, uses with amounts, the first of the table as lead, two financial tables and the capitalization', () => {
    const { offering: read, financials } = parseProspectus(decodeText(realBytes('edgar/offering/camp4-424b4.html.gz')), {
      accession: '0000000000-00-000000',
      cik: '0000000000',
      company: null,
      form: '424B4',
      filed_date: '2024-10-11',
      file_number: null,
      document: null,
    })
    expect(read).toMatchObject({
      overallotment_shares: '1023000',
      overallotment_days: 30,
      lock_up_days: 180,
      proposed_symbol: 'CAMP',
      terms: 'final',
    })
    expect(read.uses.map(use => use.amount)).toEqual(['26000000', '18000000', '10000000', null])
    expect(read.underwriters.map(each => [each.lead, each.shares])).toEqual([
      [true, '2796200'],
      [false, '1977800'],
      [false, '1329900'],
      [false, '716100'],
    ])
    expect(new Set(financials.map(row => row.table_number)).size).toBe(3)
    expect(
      financials.filter(row => row.line_item === 'net_income' && row.period_months === 12).map(row => [row.value, row.scale, row.audited]),
    ).toEqual([
      ['-49291', 1000, true],
      ['-44192', 1000, true],
    ])
    expect(financials.filter(row => row.difference !== null)).toEqual([])
  })
})
