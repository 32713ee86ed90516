import { describe, expect, test } from 'vitest'
import { countedFilings, effectiveRows, type PlacedReport, placeReports } from './effective.ts'

const report = (id: string, given: Partial<PlacedReport> = {}): PlacedReport => ({
  filing_id: id,
  form: '13F-HR',
  amendment_type: null,
  table: 'xml',
  rows_read: 100,
  placeholders: 0,
  value_sum: '1000000',
  unit: 'dollars',
  known_from: `2026-05-0${id}T12:00:00Z`,
  report_type: '13F HOLDINGS REPORT',
  ...given,
})
const amendment = (id: string, type: PlacedReport['amendment_type'], given: Partial<PlacedReport> = {}): PlacedReport =>
  report(id, { form: '13F-HR/A', amendment_type: type, ...given })
const roles = (...reports: PlacedReport[]): string[] => placeReports(reports).map(({ role, reasons }) => [role, ...reasons].join(' '))

describe('which filings of a quarter hold', () => {
  test('a restatement replaces, new holdings add (edgartools 872)', () => {
    expect(roles(report('1'), amendment('2', 'new_holdings', { rows_read: 3 }), amendment('3', 'restatement', { rows_read: 104 }))).toEqual([
      'superseded',
      'superseded',
      'base',
    ])
    expect(roles(report('1'), amendment('2', 'restatement'), amendment('3', 'new_holdings', { rows_read: 3, value_sum: '5000' }))).toEqual([
      'superseded',
      'base',
      'adds',
    ])
  })
  test('new holdings of 4 rows leave 3,900 positions in effect (Equibles 2088)', () => {
    expect(roles(report('1', { rows_read: 3900 }), amendment('2', 'new_holdings', { rows_read: 4, value_sum: '900' }))).toEqual(['base', 'adds'])
  })
  test('a restatement of one row is partial, whatever it calls itself (13f.info 24, finsec 7)', () => {
    expect(roles(report('1'), amendment('2', 'restatement', { rows_read: 1, value_sum: '9000' }))).toEqual([
      'base',
      'restates_part partial_restatement',
    ])
    expect(roles(report('1'), amendment('2', 'restatement', { rows_read: 1, placeholders: 1, value_sum: '0' }))).toEqual([
      'base',
      'restates_part partial_restatement',
    ])
  })
  test('few rows of nearly all the value are a whole restatement: lines were put together', () => {
    expect(roles(report('1'), amendment('2', 'restatement', { rows_read: 40, value_sum: '990000' }))).toEqual(['superseded', 'base'])
  })
  test('value is compared in dollars: a restatement in the other unit is no smaller for it', () => {
    expect(roles(report('1'), amendment('2', 'restatement', { rows_read: 45, value_sum: '980', unit: 'thousands' }))).toEqual(['superseded', 'base'])
  })
  test('new holdings of 200,000 rows are added, which are more than a function takes as arguments', () => {
    const placed = placeReports([report('1', { rows_read: 900_000 }), amendment('2', 'new_holdings', { rows_read: 200_000, value_sum: '900' })])
    const rowOf = (filing_id: string, line: number) => ({ filing_id, cusip: String(line), put_call: null, shares_type: 'SH', issuer_key: 'A' })
    const rows = [rowOf('1', 0), ...Array.from({ length: 200_000 }, (_, line) => rowOf('2', line))]
    expect(effectiveRows(placed, rows)).toHaveLength(200_001)
  })
  test('new holdings that repeat the whole portfolio replace it, or everything would count twice', () => {
    expect(roles(report('1'), amendment('2', 'new_holdings', { rows_read: 101, value_sum: '1010000' }))).toEqual([
      'superseded',
      'base new_holdings_repeat_portfolio',
    ])
  })
  test('an amendment that states neither is classified by its size, with the reason', () => {
    expect(roles(report('1'), amendment('2', null))).toEqual(['superseded', 'base amendment_type_inferred'])
    expect(roles(report('1'), amendment('2', null, { rows_read: 2, value_sum: '10' }))).toEqual([
      'base',
      'restates_part amendment_type_inferred partial_restatement',
    ])
  })
  test('a notice, a table that could not be read and one that is missing change nothing', () => {
    expect(
      roles(
        report('1'),
        report('2', { form: '13F-NT', table: 'none' }),
        amendment('3', 'restatement', { table: 'unreadable' }),
        report('4', { table: 'none' }),
      ),
    ).toEqual(['base', 'notice', 'unreadable amendment_unreadable', 'no_table'])
  })
  test('the order is that of becoming known, not that of the list', () => {
    expect(placeReports([amendment('3', 'restatement'), report('1')]).map(({ report: each }) => each.filing_id)).toEqual(['1', '3'])
  })
  test('an amendment without its original still counts', () => {
    expect(roles(amendment('2', 'new_holdings', { rows_read: 2 }))).toEqual(['adds original_missing'])
    expect(roles(amendment('2', 'restatement'))).toEqual(['base original_missing'])
  })
})

test('a partial restatement replaces the securities that it names, options apart, and keeps all others', () => {
  const placed = placeReports([
    report('1'),
    amendment('2', 'new_holdings', { rows_read: 1, value_sum: '5' }),
    amendment('3', 'restatement', { rows_read: 1, value_sum: '5' }),
  ])
  const row = (filing_id: string, cusip: string, put_call: 'put' | null = null) => ({
    filing_id,
    cusip,
    put_call,
    shares_type: 'SH' as const,
    issuer_key: cusip,
  })
  const rows = [row('1', 'A'), row('1', 'A', 'put'), row('1', 'B'), row('2', 'C'), row('3', 'A')]
  expect(effectiveRows(placed, rows).map(each => `${each.filing_id}${each.cusip}${each.put_call ?? ''}`)).toEqual(['1Aput', '1B', '2C', '3A'])
  expect(countedFilings(placed)).toEqual(['1', '2', '3'])
})
