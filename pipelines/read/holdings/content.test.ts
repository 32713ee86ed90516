// Difficult 13F filings that are known from other readers, each rebuilt with fictional data (fixtures/holdings/index.md).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseFiling } from '../edgar/full-submission.ts'
import { parseBareHoldings } from './readers.ts'

const folder = join(import.meta.dirname, '..', '..', '..', 'fixtures', 'holdings')
const documentOf = (name: string, url = `recorded:${name}`) => ({
  sha256: 'a'.repeat(64),
  source: 'edgar',
  url,
  retrieved_at: '2026-01-02T03:04:05Z',
  status: 200,
  headers: {},
  body: readFileSync(join(folder, name)),
})
function filed(name: string) {
  const { facts, refused } = parseFiling(documentOf(name))
  const [report] = facts.holdings_reports ?? []
  if (report === undefined) throw new TypeError(`${name} has no report`)
  return { report, rows: facts.holdings ?? [], refused, filings: facts.filings ?? [] }
}

describe('Form 13F inside a submission', () => {
  test('included managers come from the summary page, those who report instead from the cover (edgartools 512, 523)', () => {
    const { report, rows } = filed('0000990301-24-000001.txt')
    expect(report.included_managers.map(each => [each.number, each.name])).toEqual([
      ['1', 'Oakes Trust Co'],
      ['02', 'Wrenfield Capital (UK) LLP'],
    ])
    expect(report.cover_managers).toEqual([])
    expect(rows[0]?.other_managers.map(each => each.name)).toEqual(['Oakes Trust Co', 'Wrenfield Capital (UK) LLP'])
    expect(rows[3]).toMatchObject({ other_managers: [{ number: '7', name: null }], flags: ['manager_unresolved'] })
    expect(filed('0000990309-20-000010.txt').report).toMatchObject({
      table: 'none',
      cover_managers: [{ file_number: '028-90301' }],
      included_managers: [],
    })
  })
  test('a value copied into the share count is flagged and implies no price (Equibles PR 3499)', () => {
    const { report, rows } = filed('0000990306-24-000007.txt')
    expect(rows.map(row => row.flags)).toEqual([['value_in_shares'], ['value_in_shares'], []])
    expect(report).toMatchObject({ implied_prices: 1, flags: ['values_in_shares'], unit: 'dollars' })
  })
  test('a restatement is told from new holdings, and when confidential treatment ended (edgartools 872)', () => {
    expect(filed('0000990305-24-000005.txt').report).toMatchObject({ amendment_type: 'restatement', amendment_number: '1', is_amendment: 'true' })
    expect(filed('0000990305-24-000006.txt').report).toMatchObject({
      amendment_type: 'new_holdings',
      confidential_denied_or_expired: 'true',
      date_denied_or_expired: '2024-08-29',
    })
  })
  test('Latin-1 bytes are read as such (13f.info 4), a row with an unreadable cell stays, and the cover’s count is held against the rows', () => {
    const { report, rows, refused } = filed('0000990307-24-000008.txt')
    expect(report).toMatchObject({ manager_name: 'Société Générique', rows_read: 4, entry_total: '9', entry_difference: -5, placeholders: 1 })
    expect(rows.map(row => row.issuer_name)).toEqual(['Café AT&T & Sons', 'CONFIDENTIAL', 'OSSUARY BOOKS INC', 'MERIDIAN LOOM CORP'])
    expect(refused).toMatchObject([{ reason: 'unreadable_cell', record: { line: 3, field: 'value' } }])
  })
  test('a table that breaks off is refused by itself; the filing is listed and the report says so', () => {
    const { report, rows, refused, filings } = filed('0000990308-24-000009.txt')
    expect([report.table, rows.length, refused.map(each => each.reason), filings.length]).toEqual(['unreadable', 0, ['malformed_xml'], 1])
  })
  test('rows are known from the acceptance of their filing', () => {
    for (const row of filed('0000990301-24-000001.txt').rows) expect([row.known_from, row.known_basis]).toEqual(['2024-02-14T21:15:02Z', 'accepted'])
  })
  test.each([
    ['0000990320-03-000020.txt', 9],
    ['0000990321-09-000021.txt', 10],
    ['0000990322-13-000022.txt', 6],
    ['0000990323-11-000023.txt', 4],
    ['0000990324-12-000024.txt', 3],
  ])('%s: as many rows as the text-era cover announces, and their sum (edgartools 469, 476, 1072)', (name, rows) => {
    const { report } = filed(name)
    expect(report).toMatchObject({ table: 'text', rows_read: rows, entry_difference: 0, rows_refused: 0 })
    expect(Math.abs(Number(report.value_difference))).toBeLessThan(1)
  })
})

describe('bare documents', () => {
  test('a table names nobody: rows of an unknown quarter, without dollars; its address may name the manager', () => {
    const alone = parseBareHoldings(documentOf('0000990314-table-alone.xml'))
    expect(alone.facts.holdings_reports).toBeUndefined()
    expect(alone.facts.holdings).toMatchObject([
      { quarter: 'unknown', manager_cik: null, value: '91000', value_usd: null, filing_id: `sha256:${'a'.repeat(64)}` },
    ])
    const placed = parseBareHoldings(
      documentOf('0000990314-table-alone.xml', 'https://www.sec.gov/Archives/edgar/data/990314/000099031424000015/infotable.xml'),
    )
    expect(placed.facts.holdings).toMatchObject([{ manager_cik: '0000990314', accession: '0000990314-24-000015' }])
  })
  test('a cover gives a report without rows, its unit by the form’s version and not by its quarter', () => {
    expect(parseBareHoldings(documentOf('0000990310-cover-alone.xml')).facts.holdings_reports).toMatchObject([
      { quarter: '2020Q4', table: 'none', unit: 'dollars', unit_source: 'form_version', flags: ['bare_cover'] },
    ])
  })
})
