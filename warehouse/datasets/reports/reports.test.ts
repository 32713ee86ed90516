// Reading items and exhibits: what was known at each instant, amendments separately, text only on request.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ReportExhibit, ReportItem } from '#schemas/reports.ts'
import { openDuckdb } from '../../store/duckdb.ts'
import { type MemoryLake, openMemoryLake } from '../../store/lake/memory.ts'
import { findReportExhibits, findReportItems } from './reports.ts'

const folder = mkdtempSync(join(tmpdir(), 'crossfile-reports-'))
afterAll(() => rmSync(folder, { recursive: true }))

const cik = '0009909001'
const provenance = { known_basis: 'accepted', source: 'edgar', raw_sha256: 'a'.repeat(64), withdrawn: false } as const
function item(year: number, form: string, number: string, line: number): ReportItem {
  return {
    accession: `0009909001-${year - 2000}-00000${form.endsWith('/A') ? 2 : 1}`,
    cik,
    form,
    filed_date: `${year}-02-10`,
    period_of_report: `${year - 1}-12-31`,
    line,
    part: 'I',
    item: number,
    title: null,
    status: 'full',
    reason: null,
    words: 3,
    text: `Item ${number}. ${year}`,
    text_sha256: 'b'.repeat(64),
    document: 'd10k.htm',
    document_type: form,
    source_start: 1,
    source_end: 2,
    located: 'heading',
    anchor: null,
    flags: [],
    known_from: `${year}-02-10T21:00:00Z`,
    ...provenance,
  }
}
function exhibit(line: number, type: string, isRelease: boolean): ReportExhibit {
  const about = { accession: '0009909001-25-000009', cik, form: '8-K', filed_date: '2025-05-01', known_from: '2025-05-01T20:05:00Z' }
  return { ...about, line, type, document: null, description: null, title: null, words: 9, is_earnings_release: isRelease, ...provenance }
}

let memory: MemoryLake
beforeAll(async () => {
  memory = await openMemoryLake(await openDuckdb({ memoryLimit: '256MB', threads: 1, tempFolder: '', folders: [folder] }))
  const spool = (lines: string): Promise<string> => {
    const path = join(folder, `${Math.random()}.ndjson`)
    writeFileSync(path, lines)
    return Promise.resolve(path)
  }
  const release = { release: 1, committed_at: '2026-11-20T22:00:00Z' }
  const items = [item(2024, '10-K', '1A', 2), item(2025, '10-K', '1', 1), item(2025, '10-K', '1A', 2), item(2026, '10-K/A', '1A', 1)]
  await memory.add('report_items', items, release, spool)
  await memory.add('report_exhibits', [exhibit(1, 'EX-10.1', false), exhibit(2, 'EX-99.1', true)], release, spool)
})
afterAll(() => memory.close())

describe('items of reports', () => {
  it('come newest first, in the order of the document, and without their text', async () => {
    const found = await findReportItems(memory.at(1), { cik, as_of: null, limit: 10 })
    expect(found.map(row => [row.filed_date, row.item, row.text])).toEqual([
      ['2026-02-10', '1A', null],
      ['2025-02-10', '1', null],
      ['2025-02-10', '1A', null],
      ['2024-02-10', '1A', null],
    ])
  })
  it('of a form leave its amendments out unless they are asked for', async () => {
    const dates = async (amendments: boolean) =>
      (await findReportItems(memory.at(1), { cik, item: '1A', form: '10-K', amendments, text: true, as_of: null, limit: 10 })).map(row => row.text)
    expect(await dates(false)).toEqual(['Item 1A. 2025', 'Item 1A. 2024'])
    expect(await dates(true)).toEqual(['Item 1A. 2026', 'Item 1A. 2025', 'Item 1A. 2024'])
  })
  it('are known from the acceptance of their filing', async () => {
    const found = await findReportItems(memory.at(1), { cik, item: '1A', as_of: '2025-02-10T20:59:59Z', limit: 10 })
    expect(found.map(row => row.filed_date)).toEqual(['2024-02-10'])
  })
})

describe('exhibits of reports', () => {
  it('are listed in the order of the filing, releases of results by themselves', async () => {
    const types = async (releases: boolean) =>
      (await findReportExhibits(memory.at(1), { cik, releases, as_of: null, limit: 10 })).map(row => row.type)
    expect(await types(false)).toEqual(['EX-10.1', 'EX-99.1'])
    expect(await types(true)).toEqual(['EX-99.1'])
  })
})
