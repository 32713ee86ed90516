import { describe, expect, test } from 'vitest'
import type { IpoEvent } from '#schemas/calendars.ts'
import { type DealFiling, dealsOf, stageOf, symbolOfDeal, type Withdrawal } from './deals.ts'

function aFiling(overrides: Partial<DealFiling>): DealFiling {
  return {
    accession: '0009990001-26-000001',
    cik: '0009965001',
    company: 'Saltlick Sensors, Inc.',
    form: 'S-1',
    filed_date: '2026-08-28',
    file_number: '333-991001',
    terms: 'preliminary',
    initial: true,
    security: 'share',
    shares: null,
    currency: 'USD',
    price: null,
    price_low: null,
    price_high: null,
    gross: null,
    trust: null,
    selling_holders_only: false,
    underwriters: [],
    lock_up_days: null,
    proposed_symbol: 'SLTK',
    exchange: 'Nasdaq Global Market',
    listing: 'proposed',
    known_from: '2026-08-28T20:41:10Z',
    known_basis: 'accepted',
    source: 'edgar',
    raw_sha256: 'a'.repeat(64),
    ...overrides,
  }
}
function anEvent(overrides: Partial<IpoEvent>): IpoEvent {
  return {
    source_name: 'nasdaq',
    deal: '1990001-120001',
    section: 'expected',
    company: 'SALTLICK SENSORS INC',
    symbol: 'SLTK',
    venue: 'NASDAQ Global',
    status: 'filed',
    event_date: '2026-11-18',
    filed_date: null,
    amended_date: null,
    expected_date: '2026-11-18',
    priced_date: null,
    withdrawn_date: null,
    price_low: '14.00',
    price_high: '16.00',
    price: null,
    shares: null,
    amount: null,
    currency: 'USD',
    known_from: '2026-11-10T12:00:00Z',
    known_basis: 'retrieved',
    source: 'nasdaq',
    raw_sha256: 'b'.repeat(64),
    withdrawn: false,
    ...overrides,
  }
}
const first = aFiling({})
const amended = aFiling({
  accession: '0009990001-26-000002',
  form: 'S-1/A',
  filed_date: '2026-10-30',
  price_low: '14.00',
  price_high: '16.00',
  known_from: '2026-10-30T12:00:00Z',
})
const final = aFiling({
  accession: '0009990001-26-000003',
  form: '424B4',
  terms: 'final',
  filed_date: '2026-11-19',
  price: '16.50',
  lock_up_days: 180,
  known_from: '2026-11-19T21:20:09Z',
})
const request = (form: string, date: string): Withdrawal => ({
  accession: '0009990001-26-000009',
  cik: '0009965001',
  form,
  filed_date: date,
  file_number: null,
  url: 'https://www.sec.gov/Archives/edgar/data/9965001/0009990001-26-000009.txt',
  known_from: `${date}T22:00:00Z`,
  known_basis: 'filed',
  source: 'edgar',
  raw_sha256: 'c'.repeat(64),
})
const only = (filings: readonly DealFiling[], requests: readonly Withdrawal[] = [], events: readonly IpoEvent[] = []) => {
  const deals = dealsOf(filings, requests, events)
  expect(deals).toHaveLength(1)
  return deals[0]!
}

describe('filings and calendars of one offering are one deal', () => {
  test('by the issuer’s name however it is spelled, the registration’s number naming it', () => {
    const deal = only([amended, first], [], [anEvent({}), anEvent({ source_name: 'eodhd', deal: 'SLTK.US', company: 'Saltlick Sensors, Inc.' })])
    expect([deal.deal, deal.events.length, symbolOfDeal(deal)]).toEqual(['333-991001', 2, 'SLTK'])
  })
  test('an equal symbol alone proves nothing', () => {
    expect(dealsOf([first], [], [anEvent({ company: 'Salton Tackle Holdings' })])).toHaveLength(2)
  })
  test('what calendars alone tell keeps its name, whichever of them spoke last', () => {
    const [old, late] = [anEvent({}), anEvent({ source_name: 'alphavantage', deal: 'SLTK Saltlick Sensors', known_from: '2026-11-15T12:00:00Z' })]
    expect([only([], [], [old, late]).deal, only([], [], [{ ...old, known_from: '2026-11-16T12:00:00Z' }, late]).deal]).toEqual([
      'alphavantage SLTK Saltlick Sensors',
      'alphavantage SLTK Saltlick Sensors',
    ])
  })
  test('two tries years apart are two deals', () => {
    expect(dealsOf([first], [], [anEvent({ event_date: '2024-03-01', expected_date: '2024-03-01' })])).toHaveLength(2)
  })
  test('a resale and a listed company’s shelf are no first offering; a direct listing and a blank check are their own kinds', () => {
    expect(dealsOf([aFiling({ initial: false, selling_holders_only: true, listing: 'listed' })], [], [])).toEqual([])
    expect(dealsOf([aFiling({ form: '424B5', initial: null })], [], [])).toEqual([])
    expect(only([aFiling({ initial: null, selling_holders_only: true, listing: 'proposed' })]).kind).toBe('direct_listing')
    expect(only([aFiling({ trust: '100000000', security: 'unit' })]).kind).toBe('blank_check')
  })
})

describe('the status of a deal', () => {
  const stage = (deal: Parameters<typeof stageOf>[0], listed: string | null = null): string => {
    const { status, date, priced_date, priced_basis } = stageOf(deal, listed === null ? null : { since: listed })
    return `${status} ${date} ${priced_date} ${priced_basis}`
  }
  test('filed, amended, priced by its final prospectus, listed', () => {
    expect(stage(only([first]))).toBe('filed 2026-08-28 null null')
    expect(stage(only([amended, first]))).toBe('amended 2026-10-30 null null')
    expect(stage(only([final, amended, first]))).toBe('priced 2026-11-19 2026-11-19 prospectus_filed')
    expect(stage(only([final, amended, first]), '2026-11-20')).toBe('listed 2026-11-20 2026-11-19 prospectus_filed')
    // In the first directory there is: listed, but since when is unknown.
    expect(stageOf(only([final, amended, first]), { since: null })).toMatchObject({ status: 'listed', date: '2026-11-19' })
  })
  test('a calendar has the day of pricing that the prospectus, filed a day later, does not', () => {
    const overrides = anEvent({ section: 'priced', status: 'priced', expected_date: null, priced_date: '2026-11-18', price: '16.50' })
    expect(stage(only([final, amended, first], [], [overrides]))).toBe('priced 2026-11-18 2026-11-18 calendar')
    const other = anEvent({ section: 'priced', status: 'priced', event_date: '2026-06-01', expected_date: null, priced_date: '2026-06-01' })
    expect(stage(only([final, amended, first], [], [other]))).toBe('priced 2026-11-19 2026-11-19 prospectus_filed')
  })
  test('an expected day is the deal’s day until it is priced', () => {
    expect(stage(only([amended, first], [], [anEvent({})]))).toBe('amended 2026-11-18 null null')
    expect(stageOf(only([final, first], [], [anEvent({})]), null).expected_date).toBeNull()
  })
  test('a request to withdraw ends a deal, unless it is taken back', () => {
    expect(stage(only([amended, first], [request('RW', '2026-11-12')]))).toBe('withdrawn 2026-11-12 null null')
    expect(stage(only([amended, first], [request('RW WD', '2026-11-13'), request('RW', '2026-11-12')]))).toBe('amended 2026-10-30 null null')
    expect(stage(only([amended, first], [request('RW', '2026-08-01')]))).toBe('amended 2026-10-30 null null')
  })
  test('of simultaneous entries of a calendar the later stage applies; a later entry, or an amendment, replaces it', () => {
    const gone = anEvent({ section: 'withdrawn', status: 'withdrawn', event_date: '2026-11-12', expected_date: null, withdrawn_date: '2026-11-12' })
    const filed = anEvent({ section: 'filed', event_date: '2026-08-28', filed_date: '2026-08-28', expected_date: null })
    expect(stage(only([], [], [filed, gone]))).toBe('withdrawn 2026-11-12 null null')
    const postponed = anEvent({
      section: 'postponed',
      status: 'postponed',
      event_date: '2026-11-05',
      expected_date: null,
      known_from: '2026-11-06T00:00:00Z',
    })
    expect(stage(only([first], [], [postponed]))).toBe('postponed 2026-11-05 null null')
    expect(stage(only([aFiling({ ...amended, filed_date: '2026-11-09', known_from: '2026-11-09T12:00:00Z' }), first], [], [postponed]))).toBe(
      'amended 2026-11-09 null null',
    )
    expect(stage(only([first], [], [postponed, anEvent({})]))).toBe('filed 2026-11-18 null null')
  })
})
