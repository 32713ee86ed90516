// The 13F data set against the report that the same tables make as a filing.
import { describe, expect, test } from 'vitest'
import { coverPageColumns, zip } from '#fixtures/bulk/archives.ts'
import { holdings, holdingsReports } from '#schemas/holdings.ts'
import type { Parsed } from '../parsed.ts'
import { holdingsDataSetReader, readHoldingsDataSet } from './holdings-data-set.ts'

const url = 'https://www.sec.gov/files/structureddata/data/form-13f-data-sets/01jan2024-29feb2024_form13f.zip'
const [report, restated, notice] = ['0000990301-24-000001', '0000990301-24-000002', '0000990302-24-000001']
const lines = (...rows: readonly (readonly string[])[]): string => `${rows.map(row => row.join('\t')).join('\n')}\n`
const infoHead = [
  'ACCESSION_NUMBER',
  'INFOTABLE_SK',
  'NAMEOFISSUER',
  'TITLEOFCLASS',
  'CUSIP',
  'FIGI',
  'VALUE',
  'SSHPRNAMT',
  'SSHPRNAMTTYPE',
  'PUTCALL',
  'INVESTMENTDISCRETION',
  'OTHERMANAGER',
  'VOTING_AUTH_SOLE',
  'VOTING_AUTH_SHARED',
  'VOTING_AUTH_NONE',
]
const tables: Readonly<Record<string, string>> = {
  SUBMISSION: lines(
    ['ACCESSION_NUMBER', 'FILING_DATE', 'SUBMISSIONTYPE', 'CIK', 'PERIODOFREPORT'],
    [report, '14-FEB-2024', '13F-HR', '990301', '31-DEC-2023'],
    [restated, '20-FEB-2024', '13F-HR/A', '990301', '31-DEC-2023'],
    [notice, '13-FEB-2024', '13F-NT', '990302', '31-DEC-2023'],
  ),
  COVERPAGE: lines(
    coverPageColumns,
    [report, '31-DEC-2023', 'N', '', '', 'Ferncliff Partners LP', '13F HOLDINGS REPORT', '028-99301'],
    [restated, '31-DEC-2023', 'Y', '1', 'RESTATEMENT', 'Ferncliff Partners LP', '13F HOLDINGS REPORT', '028-99301'],
    [notice, '31-DEC-2023', 'N', '', '', 'Quiet Harbour LLC', '13F NOTICE', '028-99302'],
  ),
  SUMMARYPAGE: lines(
    ['ACCESSION_NUMBER', 'OTHERINCLUDEDMANAGERSCOUNT', 'TABLEENTRYTOTAL', 'TABLEVALUETOTAL', 'ISCONFIDENTIALOMITTED'],
    [report, '1', '2', '61000', 'N'],
    [restated, '0', '1', '9000', ''],
  ),
  OTHERMANAGER: lines(['ACCESSION_NUMBER', 'OTHERMANAGER_SK', 'CIK', 'NAME'], [notice, '7', '990301', 'Ferncliff Partners LP']),
  OTHERMANAGER2: lines(
    ['ACCESSION_NUMBER', 'SEQUENCENUMBER', 'CIK', 'FORM13FFILENUMBER', 'NAME'],
    [report, '1', '990303', '028-99303', 'Ferncliff Advisers'],
  ),
  SIGNATURE: lines(['ACCESSION_NUMBER', 'NAME', 'TITLE', 'SIGNATUREDATE'], [report, 'A. Brandt', 'CCO', '14-FEB-2024']),
  INFOTABLE: lines(
    infoHead,
    [report, '12', 'GLACIER PEAK INC', 'PUT', '99000B105', '', '1000', '50', 'SH', 'Put', 'DFND', '1', '0', '50', '0'],
    // Another filing's row is between them: rows are grouped by their accession number, not by position.
    [restated, '13', 'TIDEWRACK MOTORS INC', 'COM', '99000A108', '', '9000', '100', 'SH', '', 'SOLE', '', '100', '0', '0'],
    [report, '11', 'TIDEWRACK MOTORS INC', 'COM', '99000A108', '', '60000', '700', 'SH', '', 'SOLE', '', '700', '0', '0'],
  ),
}
async function read(changed: Readonly<Record<string, string>> = {}): Promise<Parsed[]> {
  const body = zip(Object.entries({ ...tables, ...changed }).map(([name, text]) => ({ name: `${name}.tsv`, body: Buffer.from(text) })))
  const parts: Parsed[] = []
  for await (const part of readHoldingsDataSet({ url, body })) parts.push(part)
  return parts
}

describe('a 13F data set', async () => {
  const [part] = await read()
  const reports = part?.facts.holdings_reports ?? []
  const rows = part?.facts.holdings ?? []

  test('gives the report of each filing with its cover, its managers and how its rows add up', () => {
    expect(
      reports.map(each => [each.accession, each.form, each.table, each.rows_read, each.value_sum, each.entry_difference, each.value_difference]),
    ).toEqual([
      [report, '13F-HR', 'xml', 2, '61000', 0, '0'],
      [restated, '13F-HR/A', 'xml', 1, '9000', 0, '0'],
      [notice, '13F-NT', 'none', 0, '0', null, null],
    ])
    expect(reports[0]).toMatchObject({
      manager_name: 'Ferncliff Partners LP',
      quarter: '2023Q4',
      included_managers: [{ number: '1', cik: '0000990303' }],
      signature_date: '2024-02-14',
      unit: 'dollars',
    })
    expect(reports[1]).toMatchObject({ amendment_type: 'restatement', amendment_number: '1' })
    expect(reports[2]?.cover_managers).toMatchObject([{ cik: '0000990301' }])
  })
  test('gives the rows in the order of their surrogate keys, puts apart, other managers resolved', () => {
    expect(rows.filter(row => row.accession === report)).toMatchObject([
      { line: 1, issuer_name: 'TIDEWRACK MOTORS INC', value_usd: '60000', shares: '700', put_call: null, voting_sole: '700' },
      { line: 2, put_call: 'put', discretion: 'DFND', other_managers: [{ number: '1', name: 'Ferncliff Advisers', cik: '0000990303' }] },
    ])
  })
  test('fits the schemas and only fills what is missing', () => {
    for (const [dataset, facts] of [
      [holdingsReports, reports],
      [holdings, rows],
    ] as const)
      for (const { known_from, known_basis, ...fact } of facts) {
        expect([known_from?.slice(11), known_basis]).toEqual(['03:00:00Z', 'filed'])
        dataset.facts.parse(fact)
      }
    expect(part?.fills).toBe(true)
    expect(part?.refused).toEqual([])
  })
  test('refuses a filing without a readable heading and rows of a filing that nobody submitted', async () => {
    const [first] = await read({
      SUBMISSION: tables['SUBMISSION']?.replace('14-FEB-2024', '') ?? '',
      INFOTABLE: `${tables['INFOTABLE']}0000990309-24-000009${'\t'.repeat(14)}\n`,
    })
    expect(first?.refused.map(each => `${each.subject} ${each.reason}`)).toEqual([
      '0000990309-24-000009 submission_missing',
      `${report} submission_unreadable`,
    ])
    expect(first?.facts.holdings_reports).toHaveLength(2)
  })
  test('comes in parts of whole filings', async () => {
    const many = Array.from({ length: 61_000 }, (_, at) => [
      at < 30_000 ? report : restated,
      String(100 + at),
      'TIDEWRACK MOTORS INC',
      'COM',
      '99000A108',
      '',
      '10',
      '1',
      'SH',
      '',
      'SOLE',
      '',
      '1',
      '0',
      '0',
    ])
    const parts = await read({ INFOTABLE: lines(infoHead, ...many) })
    expect(parts.map(each => each.facts.holdings?.length)).toEqual([30_000, 31_000])
    expect(parts.map(each => new Set(each.facts.holdings?.map(row => row.accession)).size)).toEqual([1, 1])
  })
  test('is known by both shapes of its address', () => {
    expect(holdingsDataSetReader.reads(url)).toBe(true)
    expect(holdingsDataSetReader.reads(url.replace('01jan2024-29feb2024', '2023q4'))).toBe(true)
    expect(holdingsDataSetReader.reads(url.replace('form13f.zip', 'form345.zip'))).toBe(false)
  })
})
