// The calendars and the consensus of the bundled universe: answers, pages, an earlier as_of, and a rebuild from raw.
import { describe, expect, test } from 'vitest'
import { answersOf, type Requested } from '#fixtures/answers.ts'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import type { calendarOperations } from '#schemas/operations/calendars.ts'
import { canonicalQuery } from '#schemas/operations/canonical.ts'
import { findPage } from '#warehouse/store/pages.ts'

const warehouse = await worldWarehouse()
const { runtime, lake } = warehouse
const { ask: answerOf, payloadOf, reproduced } = answersOf(warehouse)
type Id = (typeof calendarOperations)[number]['id']

type Row = Readonly<Record<string, unknown>>
type Answer = Row & {
  readonly earnings: readonly Row[]
  readonly ipos: readonly Row[]
  readonly consensus: readonly Row[]
  readonly coverage: Row
  readonly next_cursor: string | null
}
const ask = (id: Id, requested: Requested, release?: number): Promise<Answer> => answerOf(id, requested, release)
const ahead = { from: '2026-11-20', to: '2027-02-28' }
const line = (row: Row): string => `${row['date']} ${row['symbol']} ${row['status']} ${row['mark']}`

describe('the earnings calendar', () => {
  test('lists confirmed days only, unless projections are asked for, and says by what', async () => {
    const confirmed = (await ask('list_earnings_calendar', ahead)).earnings
    expect(confirmed.map(line)).toEqual([
      '2026-12-02 NA.TO confirmed time_of_day',
      '2026-12-03 CBC.TO confirmed time_of_day',
      '2026-12-08 PMBF confirmed time_of_day',
      '2026-12-10 ORDT confirmed time_of_day',
      '2027-01-26 GLPR confirmed issuer_filing',
      '2027-02-11 MPLS confirmed issuer_filing',
    ])
    const estimated = (await ask('list_earnings_calendar', { ...ahead, status: 'estimated' })).earnings
    expect(estimated.map(line)).toEqual([
      '2026-12-07 TMRN window two_days',
      '2026-12-10 BXH-B estimated no_time_of_day',
      '2026-12-15 HLTB estimated projected',
      '2026-12-15 LTHS.TO estimated projected',
      '2027-02-25 CAYM estimated roughly_named',
    ])
    expect((await ask('list_earnings_calendar', { ...ahead, status: 'all' })).earnings).toHaveLength(confirmed.length + estimated.length)
  })
  test('a day that the issuer named stands although a calendar projects another, and both are shown', async () => {
    const [row] = (await ask('list_earnings_calendar', { ...ahead, symbol: 'MPLS.TO' })).earnings
    expect(row).toMatchObject({
      symbol: 'MPLS.TO',
      date: '2027-02-11',
      time_of_day: 'before_open',
      source_name: 'edgar',
      sources_agree: false,
      eps_estimate: 0.71,
    })
    const statements = row?.['statements'] as readonly Row[]
    expect(statements.map(each => each['source_name'])).toEqual(expect.arrayContaining(['edgar', 'eodhd']))
    expect(statements[0]).toMatchObject({ accession: expect.any(String), quote: expect.stringContaining('February 11, 2027') })
  })
  test('a release is the report that a calendar told of, with the time of its acceptance', async () => {
    const [row] = (await ask('list_earnings_calendar', { from: '2026-11-03', to: '2026-11-03', symbol: 'MPLS' })).earnings
    expect(row).toMatchObject({
      date: '2026-11-03',
      reported: true,
      time_of_day: 'after_close',
      fiscal_period: '2026-09',
      eps_actual: 0.61,
      estimate_source: 'eodhd',
    })
    // EODHD has the day of this report a week late: one report, not two.
    const own = (await ask('list_earnings_calendar', { from: '2026-10-25', to: '2026-11-30', symbol: 'RDGT', status: 'all' })).earnings
    expect(own.map(line)).toEqual(['2026-11-03 RDGT confirmed issuer_filing'])
    expect(own[0]?.['sources_agree']).toBe(false)
  })
  test('a day that was moved stands where it stood, asked of a day before', async () => {
    const before = await ask('list_earnings_calendar', { ...ahead, status: 'all', symbol: 'ORDT', as_of: '2026-11-10T00:00:00Z' })
    expect(before.earnings.map(line)).toEqual(['2026-12-08 ORDT estimated projected'])
    const after = await ask('list_earnings_calendar', { ...ahead, status: 'all', symbol: 'ORDT' })
    expect(after.earnings.map(line)).toEqual(['2026-12-10 ORDT confirmed time_of_day'])
  })
  test('nothing loaded is told from nothing there', async () => {
    const early = await ask('list_earnings_calendar', { ...ahead, as_of: '2024-01-02T00:00:00Z' })
    expect([early['count'], early.coverage['status']]).toEqual([0, 'not_loaded'])
    expect(early.coverage['sentence']).toContain('EODHD_API_TOKEN')
    const quiet = await ask('list_earnings_calendar', { from: '2026-12-24', to: '2026-12-26' })
    expect([quiet['count'], quiet.coverage['status']]).toEqual([0, 'loaded'])
  })
  test('pages end where the next begins', async () => {
    const whole = (await ask('list_earnings_calendar', { ...ahead, status: 'all' })).earnings
    const paged: Row[] = []
    let cursor: string | null = null
    do {
      const page: Answer = await ask('list_earnings_calendar', { ...ahead, status: 'all', limit: '4', ...(cursor === null ? {} : { cursor }) })
      paged.push(...page.earnings)
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(paged).toEqual(whole)
  })
  test('days the wrong way round, too many of them and unknown symbols are refused with a hint', async () => {
    await expect(ask('list_earnings_calendar', { from: '2026-12-31', to: '2026-12-01' })).rejects.toThrow(BadRequest)
    await expect(ask('list_ipo_calendar', { from: '2020-01-01', to: '2026-12-01' })).rejects.toThrow('more than 366 days')
    await expect(ask('list_earnings_calendar', { ...ahead, symbol: 'ZZZQ' })).rejects.toThrow(NotFound)
    await expect(ask('get_analyst_recs', { symbol: 'ZZZQ' })).rejects.toThrow(NotFound)
  })
})

describe('the IPO calendar', () => {
  const autumn = { from: '2026-09-01', to: '2026-12-31' }
  const saltlick = (answer: Answer): Row | undefined => answer.ipos.find(row => row['proposed_symbol'] === 'SLTK')
  test('filings and calendars of one offering are one row, the lock-up counted from the pricing', async () => {
    const row = saltlick(await ask('list_ipo_calendar', autumn))
    expect(row).toMatchObject({
      deal: '333-991001',
      status: 'priced',
      kind: 'offering',
      form: 'S-1',
      filed_date: '2026-08-28',
      amended_date: '2026-10-30',
      priced_date: '2026-11-18',
      priced_basis: 'calendar',
      price: 16.5,
      price_low: 14,
      price_high: 16,
      shares: 6_500_000,
      lock_up_days: 180,
      lock_up_expiry: '2027-05-17',
      lock_up_session: '2027-05-17',
    })
    const statements = row?.['statements'] as readonly Row[]
    expect(statements.filter(each => each['source_name'] === 'edgar').map(each => each['change'])).toEqual([
      'priced',
      'range_amended',
      'range_amended',
      'first',
    ])
    expect(new Set(statements.map(each => each['source_name']))).toEqual(new Set(['edgar', 'eodhd', 'nasdaq']))
  })
  test('the end of a lock-up is a day of the calendar; what no prospectus states has none', async () => {
    const may = await ask('list_ipo_calendar', { from: '2027-05-10', to: '2027-05-20' })
    expect(may.ipos.map(row => row['proposed_symbol'])).toEqual(['SLTK'])
    const others = (await ask('list_ipo_calendar', autumn)).ipos.filter(row => row['proposed_symbol'] !== 'SLTK')
    expect(others.every(row => row['lock_up_days'] === null && row['lock_up_expiry'] === null)).toBe(true)
  })
  test('withdrawn, postponed and expected deals, and a first listing that no offering explains', async () => {
    const rows = (await ask('list_ipo_calendar', autumn)).ipos.map(
      row => `${row['date']} ${row['symbol'] ?? row['proposed_symbol']} ${row['status']} ${row['kind']}`,
    )
    expect(rows).toEqual([
      '2026-09-10 TMRN listed new_listing',
      '2026-11-12 TWRK withdrawn offering',
      '2026-11-17 OSTL postponed offering',
      '2026-11-18 SLTK priced offering',
      '2026-12-02 GNNT amended offering',
      '2026-12-09 BRKW filed offering',
    ])
    expect((await ask('list_ipo_calendar', { ...autumn, status: 'withdrawn' })).ipos.map(row => row['company'])).toEqual(['Tidewrack Energy Ltd.'])
  })
  test('resales and shelves of listed companies are no deals, renamed and moved lines no first listings', async () => {
    const rows = (await ask('list_ipo_calendar', { from: '2025-11-19', to: '2026-11-19' })).ipos
    const names = rows.map(row => String(row['symbol'] ?? row['proposed_symbol']))
    for (const symbol of ['HLTB', 'BRLX', 'VLTC', 'SWU.TO', 'SWUC']) expect(names).not.toContain(symbol)
    // Directories do not distinguish a new name from a new company: the answer names the line that ended before.
    const follows = (symbol: string): unknown => rows.find(row => row['symbol'] === symbol)?.['may_follow']
    expect([follows('KCG.V'), follows('SBF.V'), follows('LTHS.TO'), follows('TMRN')]).toEqual([['KCX.V'], ['ALC-P.V'], [], []])
  })
  test('before the pricing was known the deal was amended, in its raised range', async () => {
    const row = saltlick(await ask('list_ipo_calendar', { ...autumn, as_of: '2026-11-15T00:00:00Z' }))
    expect(row).toMatchObject({ status: 'amended', expected_date: '2026-11-18', priced_date: null, price: null, price_low: 14, lock_up_expiry: null })
  })
})

describe('what analysts say', () => {
  test('per source, with its own scale, by month', async () => {
    const { consensus, coverage } = await ask('get_analyst_recs', { symbol: 'MPLS' })
    expect(coverage['status']).toBe('read')
    expect(consensus.map(each => each['source_name'])).toEqual(['eodhd', 'yahoo'])
    expect(consensus[0]?.['current']).toMatchObject({
      month: '2026-11',
      strong_buy: 5,
      ratings: 14,
      rating_mean: 4.14,
      rating_scale: '5 strong buy to 1 strong sell',
      target_currency: 'USD',
    })
    expect(consensus[1]).toMatchObject({
      current: { rating_mean: 1.86, rating_scale: '1 strong buy to 5 strong sell', analysts: 14 },
      history: [{ month: '2026-10', buy: 5 }],
    })
  })
  test('the page that the ingest stored says the same', async () => {
    const { question, payload } = await payloadOf('get_analyst_recs', { symbol: 'CBC.TO' })
    const page = await findPage(runtime.postgres.db, 'get_analyst_recs', canonicalQuery(question), payload.release)
    expect(page?.payload?.toString()).toBe(payload.payload.toString())
  })
  test('none loaded of a listing, and none loaded at all, are told apart and name what to switch on', async () => {
    const none = await ask('get_analyst_recs', { symbol: 'NA.TO' })
    expect([none['count'], none.coverage['status']]).toEqual([0, 'none'])
    const early = await ask('get_analyst_recs', { symbol: 'MPLS', as_of: '2026-11-01T00:00:00Z' })
    expect([early['count'], early.coverage['status']]).toEqual([0, 'not_loaded'])
    expect(early.coverage['switch_on']).toEqual(expect.arrayContaining([expect.stringContaining('CROSSFILE_OPT_IN=yahoo')]))
  })
})

test('an earlier release answers as it did', async () => {
  const newest = (await lake()).release
  const requested = { ...ahead, status: 'all' }
  const first = await ask('list_earnings_calendar', requested, 1)
  expect(first.earnings.length).toBeLessThan((await ask('list_earnings_calendar', requested, newest)).earnings.length)
})

test.each([
  ['list_earnings_calendar', { ...ahead, status: 'all' }],
  ['list_earnings_calendar', { from: '2026-10-20', to: '2026-11-20', symbol: 'MPLS' }],
  ['list_earnings_calendar', { from: '2026-12-24', to: '2026-12-26' }],
  ['list_ipo_calendar', { from: '2026-09-01', to: '2026-12-31' }],
  ['list_ipo_calendar', { from: '2026-09-01', to: '2026-12-31', limit: '2' }],
  ['get_analyst_recs', { symbol: 'MPLS' }],
  ['get_analyst_recs', { symbol: 'NA.TO' }],
] as const)('a signed %s is made again from its raw documents: %o', async (id, requested) => {
  expect(await reproduced(id, requested)).toMatchObject({ reproduced: true, reason: null })
})
