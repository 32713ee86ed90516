import { describe, expect, test } from 'vitest'
import { edgarDocument } from '#fixtures/edgar-document.ts'
import { describeReal, realBytes } from '#fixtures/real.ts'
import { fullTextReader, parseFullTextSearch } from './full-text.ts'
import { clockOf, parseSubmissions, submissionReferences, submissionsReader } from './submissions.ts'
import { parseTickers, tickersReader } from './tickers.ts'

type Row = { readonly form?: string; readonly filed?: string; readonly accepted?: string; readonly document?: string }
const arrays = (...rows: Row[]) => ({
  accessionNumber: rows.map((_, index) => `0000990001-24-${String(index + 1).padStart(6, '0')}`),
  filingDate: rows.map(row => row.filed ?? '2024-05-08'),
  reportDate: rows.map(() => ''),
  acceptanceDateTime: rows.map(row => row.accepted ?? '2024-05-08T16:30:00.000Z'),
  act: rows.map(() => '34'),
  form: rows.map(row => row.form ?? '8-K'),
  fileNumber: rows.map(() => ''),
  filmNumber: rows.map(() => ''),
  items: rows.map(() => '2.02,9.01'),
  size: rows.map(() => 10893),
  isXBRL: rows.map(() => 0),
  primaryDocument: rows.map(row => row.document ?? 'a.htm'),
  primaryDocDescription: rows.map(() => ''),
})
const whole = (...rows: Row[]): string =>
  JSON.stringify({
    cik: '990001',
    name: 'Tidewrack Motors Inc',
    filings: { recent: arrays(...rows), files: [{ name: 'CIK0000990001-submissions-001.json' }] },
  })
const url = 'https://data.sec.gov/submissions/CIK0000990001.json'
const accepted = (...rows: Row[]) => submissionsReader.parse(edgarDocument(whole(...rows), url)).facts.filings?.map(row => row.accepted_at)

describe('a submissions file', () => {
  test('rows carry the CIK, items and the primary document without its rendering folder; older pages are followed', () => {
    const parsed = submissionsReader.parse(edgarDocument(whole({ form: '4', document: 'xslF345X05/wk-form4.xml' }), url))
    expect(parsed.facts.filings?.[0]).toMatchObject({
      cik: '0000990001',
      company: 'Tidewrack Motors Inc',
      items: ['2.02', '9.01'],
      primary_document: 'wk-form4.xml',
    })
    expect(parsed.follow).toEqual(['https://data.sec.gov/submissions/CIK0000990001-submissions-001.json'])
  })

  test('a page of bare arrays takes its CIK from its address, and is unreadable without one', () => {
    const page = JSON.stringify(arrays({ form: '4' }))
    const parsed = submissionsReader.parse(edgarDocument(page, 'https://data.sec.gov/submissions/CIK0000990001-submissions-001.json'))
    expect(parsed.facts.filings?.[0]?.cik).toBe('0000990001')
    expect(() => submissionsReader.parse(edgarDocument(page, 'recorded:older.json'))).toThrow('names a CIK')
  })

  test('an evening filing dated the next business day shows that the file keeps Eastern time', () => {
    expect(accepted({ form: '10-Q', filed: '2023-08-04', accepted: '2023-08-03T18:04:43.000Z' }, {})).toEqual([
      '2023-08-03T22:04:43Z',
      '2024-05-08T20:30:00Z',
    ])
  })

  test('an acceptance before six or after ten in the evening Eastern shows that the file keeps UTC', () => {
    expect(accepted({ form: '4', accepted: '2024-05-08T22:31:00.000Z' }, {})).toEqual(['2024-05-08T22:31:00Z', '2024-05-08T16:30:00Z'])
    expect(accepted({ form: '4', filed: '2024-05-08', accepted: '2024-05-09T01:10:00.000Z' }, {})).toEqual([
      '2024-05-09T01:10:00Z',
      '2024-05-08T16:30:00Z',
    ])
  })

  test('a file that decides nothing is read as Eastern, the later instant', () => {
    expect(accepted({ form: '4', accepted: '2024-05-08T16:31:00.000Z' })).toEqual(['2024-05-08T20:31:00Z'])
    expect(clockOf(arrays())).toBe('eastern')
  })

  test('midnight is no acceptance time: the day is all that is known', () => {
    const [row] =
      submissionsReader.parse(edgarDocument(whole({ form: '10-K', filed: '1997-12-05', accepted: '1997-12-05T00:00:00.000Z' }), url)).facts.filings ??
      []
    expect(row).toMatchObject({ accepted_at: null, known_from: '1997-12-06T03:00:00Z', known_basis: 'filed' })
  })

  test('letters to and from the staff are public only when they are released', () => {
    const [row] = submissionsReader.parse(edgarDocument(whole({ form: 'CORRESP' }), url)).facts.filings ?? []
    expect(row?.known_from).toBeUndefined()
  })

  test('arrays of different length, other JSON and HTML are unreadable', () => {
    const ragged = { ...arrays({}, {}), form: ['4'] }
    expect(() => parseSubmissions('x', Buffer.from(JSON.stringify(ragged)))).toThrow('form has 1 entries')
    expect(() => parseSubmissions('x', Buffer.from('{"a":1}'))).toThrow('accessionNumber')
    expect(() => parseSubmissions('x', Buffer.from('<html>'))).toThrow('expected JSON')
  })
})

describe('tickers and full-text search', () => {
  test('both ticker files give the same entries, the exchange where the file has it', () => {
    const objects = '{"0":{"cik_str":990001,"ticker":"TIDW","title":"TIDEWRACK MOTORS INC"}}'
    const rows =
      '{"fields":["cik","name","ticker","exchange"],"data":[[990001,"TIDEWRACK MOTORS INC","TIDW","NYSE"],[990001,"TIDEWRACK MOTORS INC","TIDW-PA",null]]}'
    expect(parseTickers('x', Buffer.from(objects))).toEqual([
      { cik: '0000990001', symbol: 'TIDW', name: 'TIDEWRACK MOTORS INC', exchange_name: null },
    ])
    expect(parseTickers('x', Buffer.from(rows)).map(entry => entry.exchange_name)).toEqual(['NYSE', null])
    expect(() => parseTickers('x', Buffer.from('{"fields":["a"],"data":[]}'))).toThrow('expected cik')
    expect(tickersReader.reads('https://www.sec.gov/files/company_tickers_exchange.json')).toBe(true)
  })

  test('a hit names its filing under each of its entities', () => {
    const hit = {
      _id: '0000990001-24-000001:a.htm',
      _source: {
        adsh: '0000990001-24-000001',
        ciks: ['0000990001', '0000990101'],
        display_names: ['Tidewrack Motors (Maine) Inc  (TIDW, TIDW-PA)  (CIK 0000990001)', 'Marsh Ottilie  (CIK 0000990101)'],
        form: '4',
        file_date: '2024-05-08',
        items: [],
      },
    }
    const body = JSON.stringify({ hits: { total: { value: 10_000, relation: 'gte' }, hits: [hit, hit] } })
    const parsed = fullTextReader.parse(edgarDocument(body, 'https://efts.sec.gov/LATEST/search-index?q=tide'))
    expect(parsed.facts.filings?.map(row => row.company)).toEqual(['Tidewrack Motors (Maine) Inc', 'Marsh Ottilie'])
    expect(parsed.skipped).toEqual({ filing_repeated: 2 })
  })
})

describeReal('recorded JSON of EDGAR', () => {
  test("Apple's file keeps Eastern time: an 8-K of 16:30 is known at 20:30 UTC in summer and 21:30 in winter", () => {
    const file = submissionsReader.parse(
      edgarDocument(realBytes('edgar/submissions/CIK0000320193.json'), 'https://data.sec.gov/submissions/CIK0000320193.json'),
    )
    const at = (accession: string) => file.facts.filings?.find(row => row.accession === accession)?.accepted_at
    expect(file.facts.filings).toHaveLength(1000)
    expect(at('0000320193-23-000075')).toBe('2023-08-03T20:30:21Z')
    expect(at('0000320193-23-000005')).toBe('2023-02-02T21:30:33Z')
    expect(file.follow).toEqual(['https://data.sec.gov/submissions/CIK0000320193-submissions-001.json'])
  })

  test('an older page, a person and a company without filings are read', () => {
    const references = (name: string) =>
      submissionReferences(edgarDocument(realBytes(`edgar/submissions/${name}`), `https://data.sec.gov/submissions/${name}`))
    expect(references('CIK0000320193-submissions-001.json')).toHaveLength(988)
    expect(references('CIK0001718179.json').filter(reference => reference.form === '4')).toHaveLength(10)
    expect(references('CIK0000350001.json')).toEqual([])
  })

  test('tickers and search pages have the recorded numbers of rows', () => {
    expect(parseTickers('x', realBytes('edgar/tickers/company_tickers.json'))).toHaveLength(9610)
    expect(parseFullTextSearch('x', realBytes('edgar/efts/100_hits.json')).hits).toHaveLength(100)
    expect(parseFullTextSearch('x', realBytes('edgar/efts/1_hit.json')).total).toEqual({ value: 1, relation: 'eq' })
  })
})
