import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { zip } from '#fixtures/bulk/archives.ts'
import { onlyReaderOf } from '#fixtures/pairs.ts'
import { textTable } from '#fixtures/text-table.ts'
import { fredObservationsUrl } from '../../fetch/sources/fred.ts'
import { tableUrl } from '../../fetch/sources/statcan.ts'
import { worldBankUrl } from '../../fetch/sources/worldbank.ts'
import type { Parsed, RawDocument, Reader } from '../parsed.ts'
import { readers } from '../register.ts'
import { copyrightIn } from './fred-metadata.ts'
import { periodStart } from './observations.ts'
import { macroReaders } from './readers.ts'

const folder = join(import.meta.dirname, '..', '..', '..', 'fixtures', 'macro')
const bytesOf = (name: string): Buffer => readFileSync(join(folder, name))

function document(source: string, url: string, body: Uint8Array | string): RawDocument {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return { sha256: '0'.repeat(64), source, url, retrieved_at: '2024-06-30T15:00:00Z', status: 200, headers: {}, body: bytes }
}
const readerOf = (name: string) => onlyReaderOf(readers, name, bytesOf(name))
function parsed(name: string): Parsed {
  const { reader, url } = readerOf(name)
  return reader.parse(document(reader.source, url, bytesOf(name)))
}
const named = (name: string): Reader => macroReaders.find(reader => reader.name === name)!

describe('vintages of FRED', () => {
  const reported = parsed('observations-vintages.json').facts.macro_observations ?? []
  test('a revision is a row more, known from the end of its day in St. Louis', () => {
    expect(reported.filter(row => row.date === '2024-01-01').map(row => [row.vintage, row.value, row.known_from])).toEqual([
      ['2024-02-09', '101.50', '2024-02-10T05:59:00Z'],
      ['2024-03-08', '101.40', '2024-03-09T05:59:00Z'],
    ])
  })
  test('what stood when the archive began was published before', () => {
    expect(reported.find(row => row.date === '2023-12-01')?.vintage_basis).toBe('seen')
    expect(reported.find(row => row.date === '2024-01-01')?.vintage_basis).toBe('released')
  })
  test('a value that was taken back, with none in its place, is missing from the day after', () => {
    expect(reported.filter(row => row.date === '2024-03-01').map(row => [row.vintage, row.value, row.status])).toEqual([
      ['2024-04-12', '102.75', null],
      ['2024-05-10', null, 'withdrawn'],
    ])
  })
  test('where the question cuts the period, a value stood on its first day, and may be older', () => {
    const body = bytesOf('observations-vintages.json').toString('utf8').replace('"realtime_start":"1776-07-04"', '"realtime_start":"2024-03-08"')
    const rows = named('fred.observations').parse(document('fred', fredObservationsUrl('LANTERN1', '2024-03-08'), body)).facts.macro_observations
    expect(rows?.filter(row => row.vintage === '2024-03-08').map(row => row.vintage_basis)).toEqual(['seen', 'seen'])
  })
  test('a page that another one follows says where it is, and takes back nothing in its last row', () => {
    const value = JSON.parse(bytesOf('observations-vintages.json').toString('utf8')) as { observations: object[] }
    const page = JSON.stringify({ ...value, count: 200_000, observations: value.observations.slice(0, 6) })
    const made = named('fred.observations').parse(document('fred', fredObservationsUrl('LANTERN1', '1776-07-04'), page))
    expect(made.follow).toEqual([`${fredObservationsUrl('LANTERN1', '1776-07-04', 100_000)}`])
    expect(made.facts.macro_observations?.filter(row => row.status === 'withdrawn')).toEqual([])
  })
  test('an address names the series; a file that names none keeps its own name', () => {
    const body = bytesOf('observations-snapshot.json')
    const series = (url: string) => named('fred.observations').parse(document('fred', url, body)).facts.macro_observations?.[0]?.series
    expect(series('https://api.stlouisfed.org/fred/series/observations?series_id=CPIAUCSL&units=pch')).toBe('fred:CPIAUCSL/pch')
    expect(series('recorded:data/cpi-of-mine.json')).toBe('fred:file/cpi-of-mine/pch')
  })
})

describe('the zip of a table', () => {
  const url = 'https://www150.statcan.gc.ca/n1/tbl/csv/99100204-eng.zip'
  const [csv, about] = ['table-99100204.csv', 'table-99100204_MetaData.csv'].map(bytesOf) as [Buffer, Buffer]
  const partsOf = async (body: Buffer): Promise<Parsed[]> => {
    const parts: Parsed[] = []
    for await (const part of named('statcan.table-zip').parts!(document('statcan', url, body))) parts.push(part)
    return parts
  }
  test('is read member by member, and names its table', async () => {
    const parts = await partsOf(
      zip([
        { name: '99100204.csv', body: csv },
        { name: '99100204_MetaData.csv', body: about },
      ]),
    )
    expect(parts.map(part => [part.facts.macro_observations?.length ?? 0, part.facts.macro_series?.[0]?.table_id])).toEqual([
      [3, '99-10-0204'],
      [0, '99-10-0204'],
    ])
    expect(() => named('statcan.table-zip').parse(document('statcan', url, ''))).toThrow('member by member')
  })
  test('a member that lies is held back beside the others; an archive that broke off is not read', async () => {
    const parts = await partsOf(
      zip([
        { name: '99100204.csv', body: csv },
        { name: 'more.csv', body: about, crc: 1 },
      ]),
    )
    expect(parts.flatMap(part => part.refused.map(held => held.reason))).toContain('wrong_crc')
    expect(parts[0]?.facts.macro_observations).toHaveLength(3)
    await expect(partsOf(zip([{ name: '99100204.csv', body: csv }]).subarray(0, 100))).rejects.toThrow('end-of-directory')
  })
  test('is what the address of a table leads to', () => {
    const body = JSON.stringify({ status: 'SUCCESS', object: url })
    expect(named('statcan.table-address').parse(document('statcan', tableUrl('99100204'), body)).follow).toEqual([url])
    const elsewhere = JSON.stringify({ status: 'SUCCESS', object: 'https://example.com/x.zip' })
    expect(() => named('statcan.table-address').parse(document('statcan', tableUrl('99100204'), elsewhere))).toThrow('address of a zip')
  })
})

test('a first page of the World Bank says which comes next', () => {
  const made = named('worldbank.indicators').parse(document('worldbank', worldBankUrl('ZZ.LMP.TOTL', 2000, 2023), bytesOf('worldbank-v2.json')))
  expect(made.follow).toEqual([worldBankUrl('ZZ.LMP.TOTL', 2000, 2023, 2)])
})

test.each(textTable`
  2014       | 2014-01-01
  2014-03    | 2014-03-01
  2014-03-07 | 2014-03-07
  2014Q2     | 2014-04-01
  2014M11    | 2014-11-01
`)('the period %s begins on %s', (text, day) => {
  expect(periodStart(text)).toBe(day)
})
test.each(['2013/2014', '2014-13', '2014-02-30', ''])('%j is no period', text => {
  expect(periodStart(text)).toBeNull()
})

test('rights are the sentences of the notes that speak of them', () => {
  expect(copyrightIn('Counted daily. Copyright, 2020, Somebody. More at the site.')).toBe('Copyright, 2020, Somebody.')
  expect(copyrightIn('Counted daily.')).toBeNull()
})
