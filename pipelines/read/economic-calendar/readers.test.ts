import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fredReleaseDatesUrl } from '../../fetch/sources/fred.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { readers } from '../register.ts'
import { economicCalendarReaders } from './readers.ts'

const folder = join(import.meta.dirname, '..', '..', '..', 'fixtures', 'economic-calendar')
const bytesOf = (name: string): Buffer => readFileSync(join(folder, name))
const document = (source: string, url: string, body: Uint8Array | string): RawDocument => ({
  sha256: '0'.repeat(64),
  source,
  url,
  retrieved_at: '2024-06-30T15:00:00Z',
  status: 200,
  headers: {},
  body: typeof body === 'string' ? Buffer.from(body) : body,
})
function parsed(name: string): Parsed {
  const head = bytesOf(name).toString('utf8')
  const found = readers.flatMap(reader => {
    const url = reader.recognise(name, head)
    return url === null ? [] : [{ reader, url }]
  })
  expect(found.map(({ reader }) => reader.name)).toHaveLength(1)
  return found[0]!.reader.parse(document(found[0]!.reader.source, found[0]!.url, bytesOf(name)))
}

describe('schedules and what they say', () => {
  test('a release that was is known from its day at the latest, one to come from the schedule', () => {
    const events = parsed('release-dates.json').facts.economic_events ?? []
    expect(events.map(event => [event.date, event.known_from ?? 'retrieval'])).toEqual([
      ['2024-06-12', '2024-06-12T23:59:59Z'],
      ['2024-07-11', 'retrieval'],
    ])
  })
  test('a list that was asked with the days ahead says that nothing else is due; a page that another one follows does not', () => {
    const reader = economicCalendarReaders.find(each => each.name === 'fred.release-dates')!
    const covers = (body: string) => {
      const { facts, follow } = reader.parse(document('fred', fredReleaseDatesUrl('2024-06-01'), body))
      const [schedule] = facts.economic_schedules ?? []
      return [schedule?.scope, schedule?.covers_from, schedule?.covers_to, follow]
    }
    const body = bytesOf('release-dates.json').toString('utf8')
    expect(covers(body)).toEqual(['all', '2024-06-01', '9999-12-31', []])
    expect(covers(body.replace('"count":4', '"count":1500'))).toEqual(['all', '2024-06-01', '2024-07-11', [fredReleaseDatesUrl('2024-06-01', 1000)]])
  })
  test('a calendar that broke off is not read', () => {
    const reader = economicCalendarReaders.find(each => each.name === 'bls.calendar')!
    const cut = bytesOf('bls.ics').subarray(0, 300)
    expect(() => reader.parse(document('bls', 'https://www.bls.gov/schedule/news_release/bls.ics', cut))).toThrow('no END:VCALENDAR')
  })
})
