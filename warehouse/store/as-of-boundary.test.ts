// A row is known from its instant on: a question as of exactly that instant has it, one of a millisecond before has it not. For every
// dataset, and for each read that compares instants by itself.
import { beforeAll, describe, expect, it, test } from 'vitest'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { type DatasetName, datasetNames, datasetOf } from '#schemas/index.ts'
import { findListed, findSchedules } from '../datasets/beneficial-ownership/beneficial-ownership.ts'
import { findCalendar } from '../datasets/economic-calendar/events.ts'
import { readFilingQuestion } from '../datasets/filings/filing-question.ts'
import { findCandidates, indexFilings } from '../datasets/filings/search-index.ts'
import { findKnownFacts, type KnownFact } from '../datasets/fundamentals/fundamentals.ts'
import { sqlOf } from '../models/screener/sql.ts'
import { figuresAt } from '../rules/sharia/figures.ts'
import { type KnownReview, subjectState } from '../rules/sharia/screen.ts'
import { curatedEvents } from '../rulesets/macro/releases.ts'
import type { Lake } from './lake/lake.ts'

const warehouse = await worldWarehouse()
let lake: Lake
beforeAll(async () => {
  lake = await warehouse.lake()
})
/** The instant a millisecond before. */
const justBefore = (instant: string): string => new Date(Date.parse(instant) - 1).toISOString()
/** Instants as the lake prints them may have offsets and fractions: compared as instants. */
const isAt = (instant: string) => (row: { readonly known_from: string }) => Date.parse(row.known_from) === Date.parse(instant)

describe('each dataset of the bundled universe', () => {
  const read = (name: DatasetName, as_of: string | null) =>
    lake.query<{ known_from: string }>(`select known_from from ${name}_history order by known_from desc`, { as_of }, {
      [`${name}_history`]: 'all',
    } as never)
  it.each(datasetNames.filter(name => datasetOf(name).columns.some(column => column.name === 'known_from')))('%s', async name => {
    const rows = await read(name, null)
    if (rows.length === 0) return
    // The newest, the oldest and one between, so that the question leaves rows on either side.
    for (const row of [rows[0], rows[Math.floor(rows.length / 2)], rows.at(-1)]) {
      const instant = new Date(Date.parse((row as (typeof rows)[number]).known_from)).toISOString()
      const expected = rows.filter(each => Date.parse(each.known_from) <= Date.parse(instant)).length
      const own = rows.filter(isAt(instant)).length
      expect(own).toBeGreaterThan(0)
      expect([name, (await read(name, instant)).length]).toEqual([name, expected])
      expect([name, (await read(name, justBefore(instant))).length]).toEqual([name, expected - own])
    }
  })
})

describe('facts of a company, by the instant at which their filing was public', () => {
  const concepts = ['us-gaap:Assets', 'us-gaap:Revenues', 'us-gaap:NetIncomeLoss']
  let cik = ''
  let newest = ''
  beforeAll(async () => {
    cik = String(warehouse.world.issuers.find(each => each.key === 'MPLS')?.cik ?? '')
    const facts = await findKnownFacts(lake, cik, concepts, { since: null, at: null })
    newest = facts.map(fact => fact.known_from).sort((a, b) => Date.parse(b) - Date.parse(a))[0] as string
  })
  test('find-facts-at.sql', async () => {
    const at = async (instant: string): Promise<number> =>
      (await findKnownFacts(lake, cik, concepts, { since: null, at: instant })).filter(isAt(newest)).length
    expect(await at(newest)).toBeGreaterThan(0)
    expect(await at(justBefore(newest))).toBe(0)
  })
  test('facts-at.sql of the screener', async () => {
    const at = async (instant: string): Promise<number> =>
      (await lake.query(sqlOf('facts-at'), { concepts, oldest: '2000-01-01', at: instant }, { company_facts: [cik], filings: [cik] })).length
    const [whole, without] = [await at(newest), await at(justBefore(newest))]
    const own = (await findKnownFacts(lake, cik, concepts, { since: null, at: newest })).filter(isAt(newest)).length
    expect(whole - without).toBe(own)
  })
})

describe('schedules of a window', () => {
  const search = (since: string, until: string) => ({ schedule: '13D' as const, since, until, as_of: null })
  const more = { issuer_cik: null, cusip: null, after: null, limit: 100 }
  let known = ''
  beforeAll(async () => {
    const [newest] = await findSchedules(lake, { ...search('2000-01-01T00:00:00Z', '2030-01-01T00:00:00Z'), ...more })
    known = new Date(Date.parse((newest as { known_from: string }).known_from)).toISOString()
  })
  test('one that became known at its very end is in it, one at its very beginning is in the window before', async () => {
    const found = async (since: string, until: string): Promise<number> =>
      (await findSchedules(lake, { ...search(since, until), ...more })).filter(isAt(known)).length
    expect(await found('2000-01-01T00:00:00Z', known)).toBe(1)
    expect(await found('2000-01-01T00:00:00Z', justBefore(known))).toBe(0)
    expect(await found(known, '2030-01-01T00:00:00Z')).toBe(0)
    expect(await found(justBefore(known), '2030-01-01T00:00:00Z')).toBe(1)
  })
  test('one of an issuer that has a later one too, by its own instant', async () => {
    const rows = await findSchedules(lake, { ...search('2000-01-01T00:00:00Z', '2030-01-01T00:00:00Z'), ...more })
    const older = rows.find((row, at) => rows.slice(0, at).some(each => each.issuer_key === row.issuer_key)) as (typeof rows)[number]
    const instant = new Date(Date.parse(older.known_from)).toISOString()
    const ids = async (since: string): Promise<string[]> =>
      (await findSchedules(lake, { ...search(since, '2030-01-01T00:00:00Z'), ...more })).map(row => row.filing_id)
    expect([(await ids(instant)).includes(older.filing_id), (await ids(justBefore(instant))).includes(older.filing_id)]).toEqual([false, true])
    // At this end of the window the issuer itself is known by no other schedule.
    const until = async (end: string): Promise<number> =>
      (await findSchedules(lake, { ...search('2000-01-01T00:00:00Z', end), ...more })).filter(row => row.filing_id === older.filing_id).length
    expect([await until(instant), await until(justBefore(instant))]).toEqual([1, 0])
  })
  test('and so the lists of the indexes', async () => {
    const all = await findListed(lake, search('2000-01-01T00:00:00Z', '2030-01-01T00:00:00Z'))
    const last = new Date(Math.max(...all.map(each => Date.parse((each as { known_from?: string }).known_from ?? known)))).toISOString()
    const count = async (since: string, until: string): Promise<number> =>
      (await findListed(lake, search(since, until))).filter(each => each.inside).length
    const whole = await count('2000-01-01T00:00:00Z', '2030-01-01T00:00:00Z')
    expect(await count('2000-01-01T00:00:00Z', last)).toBe(whole)
    expect(await count('2000-01-01T00:00:00Z', justBefore(last))).toBe(whole - 1)
    expect(await count(last, '2030-01-01T00:00:00Z')).toBe(0)
    expect(await count(justBefore(last), '2030-01-01T00:00:00Z')).toBe(1)
  })
})

test('the index of filings: a row from its instant on, and a later version from that version’s instant on', async () => {
  const { db } = warehouse.runtime.postgres
  const first = '2026-11-20T10:00:00.000Z'
  const second = '2026-11-20T11:00:00.000Z'
  const row = {
    accession: '0009900099-26-000031',
    cik: '0009900099',
    form: '8-K',
    filed_date: '2026-11-20',
    company: 'Boundary Ferries',
    items: [],
    primary_description: null,
  }
  const index = (given: object, release: number) =>
    db.transaction().execute(trx => indexFilings(trx, new Map<DatasetName, object[]>([['filings', [{ ...row, ...given }]]]) as never, release))
  const found = async (as_of: string): Promise<number> =>
    (await findCandidates(db, { ...readFilingQuestion({ q: 'boundary ferries' }), ciks: null, after: null, as_of, limit: 5 }, lake.release + 2))
      .length
  await index({ known_from: first, withdrawn: false }, lake.release + 1)
  await index({ known_from: second, withdrawn: true }, lake.release + 2)
  expect([await found(justBefore(first)), await found(first), await found(justBefore(second)), await found(second)]).toEqual([0, 1, 1, 0])
})

test('curated events of the economic calendar', async () => {
  const [event] = curatedEvents()
  if (!event) throw new TypeError('no curated event')
  const empty = { query: async () => [] } as unknown as Lake
  const listed = async (as_of: string): Promise<number> =>
    (await findCalendar(empty, { from: event.date, to: event.date, country: event.country, as_of })).events.filter(
      each => each.event_id === event.event_id,
    ).length
  expect([await listed(event.known_from), await listed(justBefore(event.known_from))]).toEqual([1, 0])
})

describe('a Sharia screen', () => {
  const known = '2026-03-02T21:15:00.000Z'
  test('has a review from its instant on', () => {
    const review = { symbol: 'NFST', status: 'clean', reviewed_at: '2026-03-01', known_from: known } as unknown as KnownReview
    const subject = { type: 'common', facts: [], market: {} as never, reviews: [review], industry: null } as const
    expect([subjectState(subject, known).review, subjectState(subject, justBefore(known)).review]).toEqual([review, null])
  })
  test('has the figures of a filing from its instant on', () => {
    const fact = {
      ...{ taxonomy: 'us-gaap', concept: 'Assets', unit: 'USD', period_start: null, period_end: '2025-12-31', value: '200', fy: 2025 },
      ...{
        form: '10-K',
        filed_date: '2026-03-02',
        accession: '0009900099-26-000001',
        place: 1,
        known_from: known,
        source: 'edgar',
        raw_sha256: 'a'.repeat(64),
      },
    } as unknown as KnownFact
    expect([figuresAt([fact], known).balance === null, figuresAt([fact], justBefore(known)).balance === null]).toEqual([false, true])
  })
})
