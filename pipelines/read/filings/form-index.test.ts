import { describe, expect, test } from 'vitest'
import { describeReal, realBytes, realText } from '#fixtures/real.ts'
import type { RawDocument } from '../parsed.ts'
import { isOwnershipForm } from './address.ts'
import { formIndexReader, indexReferences, parseFormIndex } from './form-index.ts'

const rule = '-'.repeat(141)
const fixed = (heading: string, ...lines: string[]): string => `Description:  Index\n\n${heading}\n${rule}\n${lines.join('\n')}\n`
const formHeading = 'Form Type   Company Name                                                  CIK         Date Filed  File Name'
const companyHeading = 'Company Name                                                  Form Type   CIK         Date Filed  File Name'
const aDocument = (text: string): RawDocument => ({
  sha256: '0'.repeat(64),
  source: 'edgar',
  url: 'recorded:index/form.idx',
  retrieved_at: '2026-01-02T03:04:05Z',
  status: 200,
  headers: {},
  body: Buffer.from(text, 'latin1'),
})

describe("EDGAR's indexes", () => {
  test('the four layouts give the same line', () => {
    const path = 'edgar/data/990001/0000990001-24-000001.txt'
    const line = { form: '10-K405', company: 'Caf\u00e9 Tide  & Co', cik: '0000990001', filed_date: '2024-05-08', accession: '0000990001-24-000001' }
    const layouts = [
      fixed(formHeading, `10-K405     Caf\u00e9 Tide  & Co${' '.repeat(46)}990001      20240508    ${path}         `),
      fixed(companyHeading, `Caf\u00e9 Tide  & Co${' '.repeat(46)}10-K405     990001      2024-05-08  ${path}`),
      fixed('CIK|Company Name|Form Type|Date Filed|File Name', `990001|Caf\u00e9 Tide  & Co|10-K405|2024-05-08|${path}`),
      fixed(
        companyHeading.replace('File Name', 'URL'),
        `Caf\u00e9 Tide  & Co${' '.repeat(46)}10-K405     990001      2024-05-08  https://www.sec.gov/Archives/edgar/data/990001/0000990001-24-000001-index.htm`,
      ),
    ]
    for (const layout of layouts) expect(parseFormIndex(layout)).toEqual({ lines: [line], unread: [] })
  })

  test('a name that overruns its column, and a form type that does, are still cut at the border', () => {
    const text = fixed(
      formHeading,
      "X-17A-5     UNITED HARBOUR MASTERS' FINANCIAL SERVICES OF ELDER A LIMITED PARTNERS  990002      2021-02-24  edgar/data/990002/9999999997-21-003146.txt",
      'SCHEDULE 13G/A  TIDEWRACK MOTORS INC                                        990001      2025-02-24  edgar/data/990001/0000990001-25-000002.txt',
    )
    expect(parseFormIndex(text).lines.map(line => [line.form, line.company, line.cik])).toEqual([
      ['X-17A-5', "UNITED HARBOUR MASTERS' FINANCIAL SERVICES OF ELDER A LIMITED PARTNERS", '0000990002'],
      ['SCHEDULE 13G/A', 'TIDEWRACK MOTORS INC', '0000990001'],
    ])
    const company = fixed(
      companyHeading,
      "UNITED HARBOUR MASTERS' FINANCIAL SERVICES OF ELDER A LIMITED PARTNERS  X-17A-5     990002      2021-02-24  edgar/data/990002/9999999997-21-003146.txt",
    )
    expect(parseFormIndex(company).lines[0]).toMatchObject({ form: 'X-17A-5', cik: '0000990002' })
  })

  test('a line that cannot be read is listed, the others stay', () => {
    const text = fixed(
      formHeading,
      'garbage',
      '4           A                           990001      20240508    edgar/data/990001/0000990001-24-000001.txt',
    )
    const parsed = formIndexReader.parse(aDocument(text))
    expect(parsed.facts.filings).toHaveLength(1)
    expect(parsed.refused).toEqual([expect.objectContaining({ reason: 'index_line_unreadable', subject: 'line 5' })])
  })

  test('an accession under several CIKs is one filing to ask for and one row per CIK', () => {
    const line = (cik: string): string => `4           A                           ${cik}      20240508    edgar/data/${cik}/0000990001-24-000001.txt`
    const document = aDocument(fixed(formHeading, line('990001'), line('990101'), line('990001')))
    const parsed = formIndexReader.parse(document)
    expect(parsed.facts.filings?.map(row => row.cik)).toEqual(['0000990001', '0000990101'])
    expect(parsed.skipped).toEqual({ filing_repeated: 1 })
    expect(parsed.follow).toEqual(['https://www.sec.gov/Archives/edgar/data/990001/0000990001-24-000001.txt'])
    expect(indexReferences(document)).toEqual([{ url: parsed.follow[0], form: '4', cik: '0000990001', accession: '0000990001-24-000001' }])
  })

  test('a filing of an index is known from the closing hour of its day', () => {
    const text = fixed(formHeading, '4           A                           990001      20240508    edgar/data/990001/0000990001-24-000001.txt')
    expect(formIndexReader.parse(aDocument(text)).facts.filings?.[0]).toMatchObject({
      known_from: '2024-05-09T02:00:00Z',
      known_basis: 'filed',
      accepted_at: null,
    })
  })

  test('a block page is no index', () => {
    expect(() => parseFormIndex('<html>Request Rate Threshold Exceeded</html>')).toThrow('no heading')
  })

  test('addresses of all indexes are known', () => {
    const base = 'https://www.sec.gov/Archives/edgar'
    for (const path of [
      'daily-index/2020/QTR1/form.20200318.idx',
      'full-index/2021/QTR1/form.idx',
      'full-index/master.idx',
      'daily-index/2024/QTR2/company.20240508.idx',
    ]) {
      expect(formIndexReader.reads(`${base}/${path}`)).toBe(true)
    }
    expect(formIndexReader.reads(`${base}/daily-index/2020/QTR1/`)).toBe(false)
  })
})

describeReal('recorded indexes', () => {
  test('the daily form index of 2020-03-18 has 4,084 lines, 2,040 of them Form 4', () => {
    const { lines, unread } = parseFormIndex(realBytes('edgar/index/form.20200318.idx').toString('latin1'))
    expect(unread).toEqual([])
    expect(lines).toHaveLength(4084)
    const count = (form: string): number => lines.filter(line => line.form === form).length
    expect([count('4'), count('8-K'), count('10-K'), count('SC 13G'), count('SC 13D'), count('13F-HR'), count('S-1')]).toEqual([
      2040, 232, 68, 34, 6, 1, 1,
    ])
  })

  test('the jobs that read Forms 3, 4 and 5 ask for each accession once', () => {
    const references = indexReferences(aDocument(realText('edgar/index/form.20200318.idx')))
    const ownership = references.filter(reference => isOwnershipForm(reference.form))
    expect(new Set(ownership.map(reference => reference.accession)).size).toBe(ownership.length)
    expect(ownership.length).toBeLessThan(1300)
  })

  test('the defective index gives ten lines', () => {
    const { lines } = parseFormIndex(realText('edgar/index/badform.idx.txt'))
    expect(lines).toHaveLength(10)
    expect(lines[5]).toMatchObject({ form: '1-A POS', company: 'ALFADAN INC.' })
    expect(lines[6]).toMatchObject({ form: 'X-17A-5', cik: '0000820694', filed_date: '2021-02-24' })
  })

  test('an index without lines is an answer', () => {
    expect(parseFormIndex(realText('edgar/index/empty-form.idx'))).toEqual({ lines: [], unread: [] })
  })
})
