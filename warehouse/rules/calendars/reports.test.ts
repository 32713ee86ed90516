import { describe, expect, test } from 'vitest'
import { ReportMark } from '#schemas/calendars.ts'
import { Broken } from '#schemas/errors.ts'
import { reportMarks, sameReportDays, statusOfMark } from '../../rulesets/report-dates/rules.ts'
import { noFigures } from './earnings.ts'
import { daysApart, reportsOf, type Statement } from './reports.ts'

/** A projection of one calendar for an issuer, known on the first of November. */
function aStatement(overrides: Partial<Statement>): Statement {
  return {
    issuer: '0009900001',
    cik: '0009900001',
    symbol: 'GLPR',
    name: null,
    source_name: 'eodhd',
    status: 'estimated',
    mark: 'projected',
    date: '2026-12-10',
    window_end: null,
    time_of_day: null,
    released: false,
    month: null,
    period_end: null,
    ...noFigures,
    accession: null,
    form: null,
    quote: null,
    known_from: '2026-11-01T00:00:00Z',
    known_basis: 'retrieved',
    source: 'eodhd',
    raw_sha256: 'a'.repeat(64),
    ...overrides,
  }
}
const named = (overrides: Partial<Statement>): Statement =>
  aStatement({
    source_name: 'edgar',
    source: 'edgar',
    status: 'confirmed',
    mark: 'issuer_filing',
    symbol: null,
    accession: '0009990001-26-000001',
    ...overrides,
  })
const released = (overrides: Partial<Statement>): Statement => named({ released: true, ...overrides })
const shown = (statements: readonly Statement[]): string[] =>
  reportsOf(statements).map(({ best, statements: all }) => `${best.date} ${best.status} ${best.source_name} of ${all.length}`)

describe('statements of one report are one report', () => {
  test('the day that the issuer named precedes a calendar’s, whichever is newer', () => {
    expect(shown([aStatement({ date: '2026-12-12', known_from: '2026-11-20T00:00:00Z' }), named({ date: '2026-12-10' })])).toEqual([
      '2026-12-10 confirmed edgar of 2',
    ])
  })
  test('a confirmed day goes before a window, a window before a projection', () => {
    const window = aStatement({ source_name: 'yahoo', status: 'window', mark: 'two_days', date: '2026-12-07', window_end: '2026-12-11' })
    const confirmed = aStatement({ source_name: 'nasdaq', status: 'confirmed', mark: 'time_of_day', date: '2026-12-09' })
    expect(shown([aStatement({}), window])).toEqual(['2026-12-07 window yahoo of 2'])
    expect(shown([aStatement({}), window, confirmed])).toEqual(['2026-12-09 confirmed nasdaq of 3'])
  })
  test('a day that its source moved is no longer listed, in either direction', () => {
    const first = aStatement({ date: '2026-12-10', month: '2026-10' })
    const moved = aStatement({ date: '2026-12-15', month: '2026-10', known_from: '2026-11-10T00:00:00Z' })
    expect(shown([first, moved])).toEqual(['2026-12-15 estimated eodhd of 1'])
    expect(shown([moved, { ...first, known_from: '2026-11-12T00:00:00Z' }])).toEqual(['2026-12-10 estimated eodhd of 1'])
  })
  test('reports of different periods are two reports, however near', () => {
    expect(
      shown([
        aStatement({ date: '2026-12-10', month: '2026-06' }),
        aStatement({ date: '2026-12-28', month: '2026-09', known_from: '2026-11-10T00:00:00Z' }),
      ]),
    ).toEqual(['2026-12-28 estimated eodhd of 1', '2026-12-10 estimated eodhd of 1'])
  })
  test('quarters lie too far apart to be one report', () => {
    expect(shown([aStatement({ date: '2026-09-10' }), aStatement({ date: '2026-12-10' })]).length).toBe(2)
    expect(sameReportDays).toBeLessThan(80)
  })
})

describe('a release fulfils the statements about it', () => {
  test('results that came out later than the day was named are that report', () => {
    const release = released({ date: '2026-12-14', known_from: '2026-12-14T12:00:00Z' })
    expect(shown([aStatement({}), named({ date: '2026-12-10' }), release])).toEqual(['2026-12-14 confirmed edgar of 3'])
  })
  test('a preliminary release does not swallow the report that is still to come', () => {
    const preliminary = released({ date: '2026-11-16', known_from: '2026-11-16T12:00:00Z' })
    const ahead = aStatement({ date: '2026-12-10', known_from: '2026-11-20T00:00:00Z' })
    expect(shown([preliminary, ahead])).toEqual(['2026-11-16 confirmed edgar of 1', '2026-12-10 estimated eodhd of 1'])
  })
  test('a calendar that has the day of a past report wrong refers to that report, by its period', () => {
    const release = released({ date: '2026-11-03', month: '2026-09', known_from: '2026-11-03T21:00:00Z' })
    const wrong = aStatement({ date: '2026-11-10', month: '2026-09', mark: 'reported', status: 'confirmed', known_from: '2026-11-20T00:00:00Z' })
    expect(shown([wrong, release])).toEqual(['2026-11-03 confirmed edgar of 2'])
  })
  test('two releases on different days are two', () => {
    expect(shown([released({ date: '2026-11-03' }), released({ date: '2026-11-20' })]).length).toBe(2)
  })
})

test('days between a day and a window count from its nearer end', () => {
  const window = { date: '2026-12-07', window_end: '2026-12-11' }
  expect(daysApart(window, { date: '2026-12-09', window_end: null })).toBe(0)
  expect(daysApart(window, { date: '2026-12-14', window_end: null })).toBe(3)
  expect(daysApart({ date: '2026-12-01', window_end: null }, window)).toBe(6)
})

describe('the ruleset of report dates', () => {
  test('nothing but an issuer, a flag, a time of day or a printed result confirms a day', () => {
    const confirming = new Set(reportMarks.filter(rule => rule.status === 'confirmed').map(rule => rule.mark))
    expect([...confirming].sort()).toEqual(['issuer_filing', 'not_an_estimate', 'reported', 'time_of_day'])
    expect(ReportMark.options.every(mark => reportMarks.some(rule => rule.mark === mark))).toBe(true)
  })
  test('a mark that a source does not have is an internal error, not an estimate', () => {
    expect(() => statusOfMark('eodhd', 'time_of_day')).toThrow(Broken)
    expect(statusOfMark('yahoo', 'two_days')).toBe('window')
  })
})
