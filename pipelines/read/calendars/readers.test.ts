import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { firstReaderOf } from '#fixtures/pairs.ts'
import { type DatasetName, datasetOf } from '#schemas/index.ts'
import { alphaVantageEarningsUrl, alphaVantageIpoUrl, overviewUrl } from '../../fetch/sources/alphavantage.ts'
import { eodhdEarningsUrl, eodhdIpoUrl, ratingsUrl } from '../../fetch/sources/eodhd.ts'
import { nasdaqEarningsUrl, nasdaqIpoUrl } from '../../fetch/sources/nasdaq.ts'
import { tmxEarningsUrl } from '../../fetch/sources/tmx.ts'
import { yahooSummaryUrl } from '../../fetch/sources/yahoo.ts'
import { rowOf } from '../../ingest/facts.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { readers } from '../register.ts'
import { longDay, shownDay, shownDecimal, shownMonth, shownRange } from './cells.ts'
import { calendarReaders } from './readers.ts'

const folder = join(import.meta.dirname, '..', '..', '..', 'fixtures', 'calendars')
const bytesOf = (name: string): Buffer => readFileSync(join(folder, name))
const documents = readdirSync(folder).filter(name => !name.endsWith('.expected.json') && name !== 'index.md')

const document = (source: string, url: string, body: Uint8Array): RawDocument => ({
  sha256: '0'.repeat(64),
  source,
  url,
  retrieved_at: '2026-11-20T12:00:00Z',
  status: 200,
  headers: {},
  body,
})
const readerOf = (name: string) => firstReaderOf(name, bytesOf(name))
function parsed(name: string): Parsed {
  const { reader, url } = readerOf(name)
  return reader.parse(document(reader.source, url, bytesOf(name)))
}

describe('documents of calendars and what they say', () => {
  test.each(documents)('%s', name => {
    expect(calendarReaders).toContain(readerOf(name).reader)
    expect(parsed(name)).toEqual(JSON.parse(bytesOf(`${name}.expected.json`).toString('utf8')))
  })
  test('every row fits its dataset', () => {
    for (const name of documents) {
      for (const [dataset, rows] of Object.entries(parsed(name).facts)) {
        for (const row of rows) {
          const whole = rowOf(row, { source: 'x', url: 'x', sha256: '0'.repeat(64), retrieved_at: '2026-11-20T12:00:00Z' })
          expect(datasetOf(dataset as DatasetName).record.safeParse(whole).error).toBeUndefined()
        }
      }
    }
  })
  test.each([
    ['nasdaq.earnings-calendar', nasdaqEarningsUrl('2026-12-03')],
    ['nasdaq.ipo-calendar', nasdaqIpoUrl('2026-12')],
    ['tmx.enhanced-earnings', tmxEarningsUrl('2026-12-03')],
    ['yahoo.quote-summary', yahooSummaryUrl('RY.TO')],
    ['eodhd.earnings-calendar', eodhdEarningsUrl('2026-11-01', '2026-12-31')],
    ['eodhd.ipo-calendar', eodhdIpoUrl('2026-11-01', '2026-12-31')],
    ['eodhd.analyst-ratings', ratingsUrl('BRK-B.US')],
    ['alphavantage.earnings-calendar', alphaVantageEarningsUrl],
    ['alphavantage.ipo-calendar', alphaVantageIpoUrl],
    ['alphavantage.overview', overviewUrl('SHOP.TRT')],
  ])('%s reads the address that its job asks for', (name, url) => {
    expect(readers.filter(reader => reader.reads(url)).map(reader => reader.name)).toEqual([name])
  })
})

describe('what a report day means', () => {
  const days = (name: string) =>
    (parsed(name).facts.earnings_dates ?? []).map(row => `${row.symbol} ${row.date}${row.window_end ? `..${row.window_end}` : ''} ${row.status}`)
  test('two instants on different days are a window, on one day a day; only a flag that says so makes it confirmed', () => {
    expect(days('quoteSummary-calendarEvents-GLPR.TO.json')).toEqual(['GLPR.TO 2026-12-01..2026-12-02 window'])
    expect(days('quoteSummary-all-PMBF.json')).toEqual(['PMBF 2026-12-08 estimated'])
    expect(days('quoteSummary-calendarEvents-MPLS.json')).toEqual(['MPLS 2026-12-01 confirmed'])
    expect(days('quoteSummary-calendarEvents-HSTI-U.TO.json')).toEqual([])
  })
  test('an instant after midnight in UTC is the evening of the exchange’s day before', () => {
    const [row] = parsed('quoteSummary-calendarEvents-MPLS.json').facts.earnings_dates ?? []
    expect(new Date(1_796_173_200_000).toISOString()).toBe('2026-12-02T01:00:00.000Z')
    expect([row?.date, row?.time_of_day]).toEqual(['2026-12-01', 'after_close'])
  })
  test('a source that says no time of day did not confirm the day; EODHD never does before the report', () => {
    expect(days('nasdaq-earnings.json').filter(row => row.endsWith(' confirmed'))).toEqual(['PMBF 2026-12-03 confirmed', 'HLTB 2026-12-03 confirmed'])
    expect(days('eodhd-earnings.json')).toEqual(['MPLS 2026-11-03 confirmed', 'CBC.TO 2026-12-03 estimated', 'HLTB 2026-12-15 estimated'])
    expect(days('alphavantage-earnings.csv').every(row => row.endsWith(' estimated'))).toBe(true)
  })
  test('TMX does not tell the board: the symbol stays open, but for shells', () => {
    expect(parsed('getEnhancedEarningsForDate_2026-12-02.json').facts.earnings_dates?.map(row => row.symbol)).toEqual([
      'NA.CA',
      'CPP-UN.CA',
      'ALC-P.V',
      'OLD-H.V',
    ])
  })
})

describe('cells as pages print them', () => {
  test.each([
    ['$47,076,153,012', '47076153012'],
    ['($0.11)', '-0.11'],
    ['($0.00)', '0.00'],
    ['$3.46', '3.46'],
    ['N/A', null],
    ['', null],
    ['about a dollar', undefined],
  ])('%s is %s', (text, decimal) => expect(shownDecimal(text)).toBe(decimal))
  test('days and months', () => {
    expect([shownDay('7/03/2024'), shownDay('12/31/2026'), shownDay('2/30/2026'), shownDay('N/A'), shownDay(null)]).toEqual([
      '2024-07-03',
      '2026-12-31',
      null,
      null,
      null,
    ])
    expect([longDay('Wed, Jul 3, 2024'), longDay('Wed, Jul 33, 2024'), longDay(null)]).toEqual(['2024-07-03', null, null])
    expect([shownMonth('May/2024'), shownMonth('Smarch/2024'), shownMonth('')]).toEqual(['2024-05', null, null])
  })
  test('ranges', () => {
    expect([shownRange('4.00-6.00'), shownRange('4.00'), shownRange(null), shownRange('4-5-6'), shownRange('four')]).toEqual([
      { low: '4.00', high: '6.00' },
      { low: '4.00', high: '4.00' },
      null,
      undefined,
      undefined,
    ])
  })
})
