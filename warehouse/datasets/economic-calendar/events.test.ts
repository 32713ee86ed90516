import { describe, expect, test } from 'vitest'
import { compareKeys, keyOf, type ListedEvent, mergeEvents } from './events.ts'

const anEvent = (more: Partial<ListedEvent>): ListedEvent => ({
  schedule: 'bls',
  event_id: 'cpi',
  country: 'US',
  agency: 'Bureau of Labor Statistics',
  release_id: null,
  title: 'Consumer Price Index',
  period: 'October 2026',
  date: '2026-11-12',
  scheduled_at: '2026-11-12T13:30:00Z',
  url: null,
  known_from: '2026-11-05T11:00:00Z',
  known_basis: 'retrieved',
  source: 'bls',
  raw_sha256: '0'.repeat(64),
  ...more,
})
const ofFred: Partial<ListedEvent> = {
  schedule: 'fred',
  event_id: '10 2026-11-12',
  release_id: '10',
  period: null,
  known_from: '2026-10-01T00:00:00Z',
}

describe('lists that have the same release', () => {
  test('on one day: one event, in the words of the agency, known since the first of them', () => {
    const merged = mergeEvents([anEvent(ofFred), anEvent({})])
    expect(merged.map(each => [each.period, each.schedules, each.known_from])).toEqual([['October 2026', ['bls', 'fred'], '2026-10-01T00:00:00Z']])
  })
  test('on two days: both are kept, so that the disagreement is seen', () => {
    expect(mergeEvents([anEvent({ ...ofFred, date: '2026-11-13' }), anEvent({})]).map(each => each.date)).toEqual(['2026-11-12', '2026-11-13'])
  })
  test('a release of the same title in the other country is another one', () => {
    const canadian = anEvent({ schedule: 'statcan', country: 'CA', agency: 'Statistics Canada' })
    expect(mergeEvents([canadian, anEvent({})]).map(each => [each.country, each.release?.agency])).toEqual([
      ['CA', 'Statistics Canada'],
      ['US', 'Bureau of Labor Statistics'],
    ])
  })
  test('an unregistered title has no figures, and is kept', () => {
    expect(mergeEvents([anEvent({ title: 'Lamps Lit' }), anEvent({})]).map(each => each.release?.fred_release ?? null)).toEqual([10, null])
  })
})

test('events come by day, then by time; one without a time of day comes first', () => {
  const [none, early, late] = [anEvent({ scheduled_at: null }), anEvent({}), anEvent({ scheduled_at: '2026-11-12T19:00:00Z' })]
  expect([late, early, none].sort((a, b) => compareKeys(keyOf(a!), keyOf(b!)))).toEqual([none, early, late])
})
