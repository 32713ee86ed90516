// Rows of documents as text become the file that the same rows become one by one.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { datasetOf } from '#schemas/index.ts'
import { openDuckdb } from '../duckdb.ts'
import { readJsonSql } from './json-lines.ts'
import { type PackedRows, packRows, readPackedSql, spoolPacked, unpackRows } from './packed-rows.ts'
import { type Staged, spoolRows, stage, withRelease } from './stage.ts'

const dataset = datasetOf('holdings')
const folder = mkdtempSync(join(tmpdir(), 'crossfile-packed-'))
let instance: DuckDBInstance
let connection: DuckDBConnection
beforeAll(async () => {
  instance = await openDuckdb({ memoryLimit: '512MB', threads: 2, tempFolder: '', folders: [folder] })
  connection = await instance.connect()
})
afterAll(() => {
  instance.closeSync()
  rmSync(folder, { recursive: true, force: true })
})

type Row = Readonly<Record<string, unknown>>
const names = ['AMBER "A" \\ CO', 'Société Générale 価', 'tab\tand\nline', '', '\u0000', null, '𝔘'.repeat(300)]
/** The rows of a filing of `count` lines. */
const filing = (manager: number, count: number, more: Row = {}): Row[] =>
  Array.from({ length: count }, (_, at) => ({
    ...{ quarter: '2026Q3', manager_cik: String(9_980_000 + manager).padStart(10, '0'), filing_id: `0009980000-26-${String(900_000 - manager)}` },
    ...{ line: at + 1, accession: null, period_of_report: '2026-09-30', issuer_name: names[at % names.length], issuer_key: `KEY ${at}` },
    ...{ class_title: 'COM', cusip: at % 3 === 0 ? null : '037833100', cusip_filed: null, figi: null, value: '12345678901234567890.5' },
    ...{ value_usd: null, shares: String(at), shares_type: 'SH', put_call: null, discretion: 'SOLE', other_managers_filed: null },
    other_managers: at % 4 === 0 ? [] : [{ number: '1', name: at % 2 === 0 ? null : 'Other', cik: null }],
    ...{ voting_sole: '1', voting_shared: null, voting_none: null, placeholder: at % 5 === 0, flags: at % 2 === 0 ? [] : ['a', 'b'] },
    ...{ known_from: '2026-11-13T21:15:00.123Z', known_basis: 'accepted', source: 'edgar', raw_sha256: 'ab'.repeat(32), withdrawn: false, ...more },
  }))
const packed = (rows: readonly Row[]): PackedRows => {
  const found = packRows(dataset, rows)
  if (found === null) throw new Error('the rows are not packed')
  return found
}

async function stagedOne(rows: readonly Row[]): Promise<Staged> {
  const { longest } = await spoolRows(rows, join(folder, 'rows.ndjson'))
  const source = withRelease(readJsonSql(dataset, join(folder, 'rows.ndjson'), longest), 7)
  return await stage(connection, dataset, source, join(folder, 'rows.parquet'), dataset.key)
}
async function stagedPacked(documents: readonly PackedRows[]): Promise<Staged> {
  const files: string[] = []
  const { rows, longest } = await spoolPacked(documents, number => join(folder, `packed-${number}.ndjson`), files)
  expect(files.length > 1).toBe(rows > 20_000)
  expect(rows).toBe(documents.reduce((sum, each) => sum + each.rows, 0))
  const source = withRelease(readPackedSql(dataset, files, longest), 7)
  return await stage(connection, dataset, source, join(folder, 'packed.parquet'), dataset.key)
}
const bytes = (file: Staged): Buffer => readFileSync(file.path)

describe('packed rows', () => {
  // More than a row group, several lines of the text, and the boundaries of one.
  const filings = [filing(3, 7000), filing(1, 1), filing(2, 500), filing(4, 501)]
  test.each([
    ['', filings],
    [' through several', [...filings, filing(5, 30_000), filing(6, 10)]],
  ])('become the same file%s', async (_what, all) => {
    const one = await stagedOne(all.flat())
    const other = await stagedPacked(all.map(packed))
    expect(bytes(other).equals(bytes(one))).toBe(true)
    expect({ ...other, path: '' }).toEqual({ ...one, path: '' })
  })
  test('are the rows again', () => {
    for (const rows of filings) expect(unpackRows(dataset, packed(rows))).toEqual(rows)
  })
  test('are refused if a key is there twice', async () => {
    await expect(stagedPacked([packed(filing(1, 5)), packed(filing(1, 5))])).rejects.toThrow(
      'holdings: the key {"filing_id":"0009980000-26-899999","line":1} occurs 2 times in one batch',
    )
  })
})

describe('rows are not packed', () => {
  const [first, second] = filing(1, 2) as [Row, Row]
  test.each([
    ['no row is there', []],
    ['a column that is the same in a document differs', [first, { ...second, quarter: '2026Q2' }]],
    ['their numbers repeat', [first, { ...second, line: 1 }]],
    ['their numbers descend', [second, first]],
    ['a row has no number', [first, { ...second, line: null }]],
  ])('if %s', (_what, rows) => expect(packRows(dataset, rows)).toBeNull())
  test('if their dataset is another', () => expect(packRows(datasetOf('filings'), [{ accession: '1' }])).toBeNull())
})
