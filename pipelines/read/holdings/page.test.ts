// The page that EDGAR renders of a 13F's information table, written by hand with invented names.
import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { datasets } from '#schemas/index.ts'
import type { RawDocument } from '../parsed.ts'
import { isTablePage } from './page.ts'
import { holdingsPageReader, parseHoldingsPage } from './readers.ts'

const heads = (figi: boolean): string => {
  const cells = (...texts: readonly string[]): string => `<tr>${texts.map(text => `<td class="FormTextC">${text}</td>`).join('')}</tr>`
  const own = (text: string): string[] => (figi ? [text] : [])
  return [
    `<tr><td>COLUMN 1</td><td>COLUMN 2</td><td>COLUMN 3</td>${figi ? '<td></td>' : ''}<td>COLUMN 4</td><td colspan="3">COLUMN 5</td><td>COLUMN 6</td><td>COLUMN 7</td><td colspan="3">COLUMN 8</td></tr>`,
    `<tr><td></td><td></td><td></td>${figi ? '<td></td>' : ''}<td>VALUE</td><td>SHRS OR</td><td>SH/</td><td>PUT/</td><td>INVESTMENT</td><td>OTHER</td><td colspan="3">VOTING AUTHORITY</td></tr>`,
    cells(
      'NAME OF ISSUER',
      'TITLE OF CLASS',
      'CUSIP',
      ...own('FIGI'),
      '(to the nearest dollar)',
      'PRN AMT',
      'PRN',
      'CALL',
      'DISCRETION',
      'MANAGER',
      'SOLE',
      'SHARED',
      'NONE',
    ),
  ].join('')
}
const row = (...texts: readonly string[]): string => `<tr>${texts.map(text => `<td class="FormData">${text}</td>`).join('')}</tr>`
const page = (rows: string, figi = true): string =>
  `<html><head><title>SEC FORM 13-F Information Table</title></head><body><table><tr><td>FORM 13F INFORMATION TABLE</td></tr></table><table summary="Form 13F-NT Header Information">${heads(figi)}${rows}</table></body></html>`
const documentOf = (html: string, url = 'recorded:page'): RawDocument => ({
  ...{ url, sha256: 'ab'.repeat(32), source: 'edgar', retrieved_at: '', status: 200, headers: {}, body: Buffer.from(html) },
})

describe('a rendered information table', () => {
  const rows = `${row('KILN WORKS INC', 'COM', '12345A109', 'BBG000000001', '1,234,567', '10,000', 'SH', '', 'SOLE', '', '10,000', '0', '0')}${row('GLAZE &amp; CO', 'NOTE 3.000% 1/0', '98765B208', '', '500,000', '400,000', 'PRN', 'Put', 'DFND', '1,2', '0', '400,000', '0')}`
  it.each([true, false])('gives its rows as the XML does (with a column of FIGI: %s)', figi => {
    const html = page(
      figi ? rows : rows.replace('<td class="FormData">BBG000000001</td>', '').replace('98765B208</td><td class="FormData"></td>', '98765B208</td>'),
      figi,
    )
    const { facts, refused } = parseHoldingsPage(documentOf(html))
    expect(refused).toEqual([])
    expect(facts.holdings).toMatchObject([
      {
        ...{ line: 1, issuer_name: 'KILN WORKS INC', cusip: '12345A109', figi: figi ? 'BBG000000001' : null, value: '1234567', shares: '10000' },
        ...{ shares_type: 'SH', put_call: null, discretion: 'SOLE', voting_sole: '10000' },
      },
      {
        line: 2,
        issuer_name: 'GLAZE & CO',
        value: '500000',
        shares_type: 'PRN',
        put_call: 'put',
        discretion: 'DFND',
        other_managers_filed: '1,2',
        voting_shared: '400000',
      },
    ])
    for (const fact of facts.holdings ?? []) expect(datasets.holdings.facts.safeParse(fact).error).toBeUndefined()
  })
  it('in the fixture reads the same', () => {
    const { facts } = parseHoldingsPage(documentOf(readFileSync(new URL('../../../fixtures/holdings/rendered-table.html', import.meta.url), 'utf8')))
    expect(facts.holdings?.map(({ cusip, value, shares, put_call }) => [cusip, value, shares, put_call])).toEqual([
      ['12345A109', '1234567', '10000', null],
      ['98765B208', '500000', '400000', 'put'],
    ])
  })
  it('takes no total and no rule for a row, and the filing and manager from its address', () => {
    const url = 'https://www.sec.gov/Archives/edgar/data/1000005/000100000525000001/xslForm13F_X02/table.xml'
    const { facts, fills } = parseHoldingsPage(documentOf(page(`${rows}${row('TOTAL', '', '', '', '1,734,567')}<tr><td><hr></td></tr>`), url))
    expect(facts.holdings?.map(({ filing_id, manager_cik }) => [filing_id, manager_cik])).toEqual([
      ['0001000005-25-000001', '0001000005'],
      ['0001000005-25-000001', '0001000005'],
    ])
    expect([fills, holdingsPageReader.reads(url)]).toEqual([true, true])
  })
  it('keeps a figure that cannot be read as null, and says so', () => {
    const { refused } = parseHoldingsPage(
      documentOf(page(row('KILN WORKS INC', 'COM', '12345A109', '', 'many', '10,000', 'SH', '', 'SOLE', '', '1', '0', '0'))),
    )
    expect(refused.map(({ dataset }) => dataset)).toEqual(['holdings'])
  })
})

test.each([
  ['another page', '<html><body><table><tr><td>Name of issuer</td></tr></table></body></html>'],
  ['no page', 'nothing'],
])('%s is refused', (_, html) => {
  expect(() => parseHoldingsPage(documentOf(html))).toThrow(expect.objectContaining({ reason: 'not_information_table' }))
  expect(isTablePage(html)).toBe(false)
})
it('is known by its heads', () => {
  expect(isTablePage(page(''))).toBe(true)
})
