// Macro and the economic calendar of the bundled universe: answers, pages, an earlier as_of, and a rebuild from raw.
import { describe, expect, test } from 'vitest'
import { answersOf, operationOf, type Requested } from '#fixtures/answers.ts'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import { canonicalQuery } from '#schemas/operations/canonical.ts'
import type { macroOperations } from '#schemas/operations/macro.ts'
import { findPage } from '#warehouse/store/pages.ts'
import { sha256Hex } from '#warehouse/store/raw/pack.ts'
import { firstVintage, fredObservationsUrl } from '../../fetch/sources/fred.ts'
import { ingest } from '../../ingest/ingest.ts'

const warehouse = await worldWarehouse()
const { runtime, lake } = warehouse
const { ask: answerOf, payloadOf, reproduced } = answersOf(warehouse)
type Id = (typeof macroOperations)[number]['id']

type Row = Readonly<Record<string, unknown>>
type Answer = Row & {
  readonly coverage: Row
  readonly observations: readonly Row[]
  readonly indicators: readonly Row[]
  readonly countries: readonly Row[]
  readonly events: readonly Row[]
  readonly next_cursor: string | null
}
const ask = (id: Id, requested: Requested, release?: number): Promise<Answer> => answerOf(id, requested, release)

describe('an indicator', () => {
  const unemployment = { country: 'US', indicator: 'unemployment_rate' }
  test('the month in which nothing was counted is no row', async () => {
    const { observations } = await ask('get_macro_series', { ...unemployment, from: '2025-08-01', to: '2025-12-01' })
    expect(observations.map(row => row['date'])).toEqual(['2025-08-01', '2025-09-01', '2025-11-01', '2025-12-01'])
  })
  test('a holiday that the source calls missing is a row without a value', async () => {
    const { observations } = await ask('get_macro_series', { country: 'US', indicator: 'DGS10', from: '2025-12-24', to: '2025-12-26' })
    expect(observations.map(row => [row['date'], row['value'] === null])).toEqual([
      ['2025-12-24', false],
      ['2025-12-25', true],
      ['2025-12-26', false],
    ])
  })
  test('revisions are kept: the first value, the later ones, and what was known on a day between', async () => {
    const requested = { country: 'US', indicator: 'employment', from: '2026-07-01', to: '2026-07-01' }
    const { observations } = await ask('get_macro_series', { ...requested, vintages: '1' })
    const vintages = observations[0]?.['vintages'] as readonly Row[]
    expect(vintages).toHaveLength(3)
    expect(observations[0]).toMatchObject({ revised: true, value: vintages[2]?.['value'], first_published: vintages[0]?.['vintage'] })
    const early = await ask('get_macro_series', { ...requested, as_of: String(vintages[1]?.['vintage']).replace(/\d\d$/, '01') })
    expect(early.observations[0]).toMatchObject({ value: vintages[0]?.['value'], revised: false })
    const first = await ask('get_macro_series', { ...requested, value: 'first' })
    expect(first.observations[0]).toMatchObject({ value: vintages[0]?.['value'], vintage: vintages[0]?.['vintage'] })
  })
  test('on the day before a release nobody knew it', async () => {
    const { observations } = await ask('get_macro_series', { country: 'CA', indicator: 'cpi', from: '2026-08-01', as_of: '2026-10-15T00:00:00Z' })
    expect(observations.map(row => row['date'])).toEqual(['2026-08-01'])
  })
  test('an exchange rate is carried over holidays only when asked, and says of which day it is', async () => {
    const days = { country: 'CA', indicator: 'usd_cad', from: '2026-11-11', to: '2026-11-12' }
    expect((await ask('get_macro_series', days)).observations.map(row => row['date'])).toEqual(['2026-11-12'])
    expect(
      (await ask('get_macro_series', { ...days, fill: 'carry' })).observations.map(row => [row['date'], row['observed_on'], row['carried']]),
    ).toEqual([
      ['2026-11-11', '2026-11-10', true],
      ['2026-11-12', '2026-11-12', false],
    ])
  })
  test('pages go on where they ended, in both orders', async () => {
    for (const order of ['asc', 'desc']) {
      const whole = await ask('get_macro_series', { country: 'US', indicator: 'cpi', order })
      const seen: unknown[] = []
      let cursor: string | null = null
      do {
        const page: Answer = await ask('get_macro_series', { country: 'US', indicator: 'cpi', order, limit: '15', ...(cursor ? { cursor } : {}) })
        seen.push(...page.observations)
        cursor = page.next_cursor
      } while (cursor !== null)
      expect(seen).toEqual(whole.observations)
    }
  })
  test('what is registered and not loaded is told from what does not exist', async () => {
    const answer = await ask('get_macro_series', { country: 'US', indicator: 'housing_starts' })
    expect([answer['count'], answer['series'], answer.coverage['status']]).toEqual([0, null, 'not_loaded'])
    const none = await ask('get_macro_series', { ...unemployment, from: '1990-01-01', to: '1990-12-01' })
    expect(none.coverage['status']).toBe('none')
    await expect(ask('get_macro_series', { country: 'US', indicator: 'unemploymet' })).rejects.toThrow(NotFound)
    await expect(ask('get_macro_series', { country: 'EU', indicator: 'gdp' })).rejects.toThrow(NotFound)
    await expect(ask('get_macro_series', { ...unemployment, series: 'fred:PAYEMS' })).rejects.toThrow(NotFound)
    await expect(ask('get_macro_series', { ...unemployment, fill: 'carry' })).rejects.toThrow(BadRequest)
  })
})

describe('countries', () => {
  test('each indicator with its latest value, which is the last of its series', async () => {
    const { indicators } = await ask('get_macro_country', { country: 'USA' })
    const latest = indicators.find(row => row['indicator'] === 'cpi')?.['latest'] as Row
    const { observations } = await ask('get_macro_series', { country: 'US', indicator: 'cpi' })
    expect(latest).toMatchObject({ date: observations.at(-1)?.['date'], value: observations.at(-1)?.['value'] })
  })
  test.each([
    ['US', undefined],
    ['US', '2026-09-15T00:00:00Z'],
    ['CA', undefined],
  ])('the last periods of each indicator of %s as known at %s are the last ones of its series', async (country, as_of) => {
    const known = as_of === undefined ? {} : { as_of }
    const { indicators } = await ask('get_macro_country', { country, recent: '5', ...known })
    const loaded = indicators.filter(row => row['latest'] !== null)
    expect(loaded.length).toBeGreaterThan(3)
    for (const row of loaded) {
      const { observations } = await ask('get_macro_series', { country, indicator: String(row['indicator']), order: 'desc', limit: '5', ...known })
      expect([row['indicator'], row['recent']]).toEqual([row['indicator'], observations.map(({ date, value }) => ({ date, value })).reverse()])
    }
    expect(indicators.filter(row => row['latest'] === null).every(row => (row['recent'] as Row[]).length === 0)).toBe(true)
    // The parameter adds a member, and changes no other one.
    const plain = await ask('get_macro_country', { country, ...known })
    expect(indicators.map(({ recent: _recent, ...others }) => others)).toEqual(plain.indicators)
  })
  test('a value that the source calls missing is a period without a value, and latest is the one before', async () => {
    // The bond market was closed on 25 December 2025, and FRED marks the day.
    const { observations } = await ask('get_macro_series', { country: 'US', indicator: 'DGS10', from: '2025-12-24', to: '2025-12-26' })
    const [eve, missing] = observations
    expect(missing).toMatchObject({ date: '2025-12-25', value: null })
    const { indicators } = await ask('get_macro_country', { country: 'US', recent: '3', as_of: String(missing?.['known_from']) })
    const yields = indicators.find(row => row['series'] === 'fred:DGS10') ?? {}
    const recent = yields['recent'] as readonly Row[]
    expect(recent).toContainEqual({ date: '2025-12-25', value: null })
    expect(recent).toContainEqual({ date: '2025-12-24', value: eve?.['value'] })
    const valued = recent.filter(row => row['value'] !== null)
    expect([yields['previous'], yields['latest']]).toMatchObject(valued.slice(-2))
  })
  test('the list counts what is loaded', async () => {
    const { countries } = await ask('list_macro_countries', {})
    const canada = await ask('get_macro_country', { country: 'CA' })
    expect(countries.find(row => row['country'] === 'CA')?.['with_data']).toBe(canada['with_data'])
    expect(countries.find(row => row['country'] === 'FR')?.['with_data']).toBe(2)
    expect(countries.find(row => row['country'] === 'DE')?.['with_data']).toBe(0)
  })
  test.each([
    ['list_macro_countries', {}],
    ['get_macro_country', { country: 'CA' }],
    ['get_macro_country', { country: 'CA', recent: '24' }],
    ['get_macro_country', { country: 'JP' }],
  ] as const)('a stored page of %s is what the lake answers: %o', async (id, requested) => {
    const question = operationOf(id).question.parse(requested) as Readonly<Record<string, unknown>>
    const release = (await lake()).release
    const page = await findPage(runtime.postgres.db, id, canonicalQuery(question), release)
    expect(page?.payload?.toString('utf8')).toBe((await payloadOf(id, requested, page?.release_from)).payload.payload.toString('utf8'))
  })
})

describe('the economic calendar', () => {
  const ahead = { from: '2026-11-01', to: '2026-12-31' }
  test('a release that two schedules list is one event, with what came out and what was known before', async () => {
    const { events } = await ask('list_economic_events', { ...ahead, country: 'US' })
    const cpi = events.filter(event => event['title'] === 'Consumer Price Index')
    expect(cpi.map(event => [event['date'], event['period'], event['schedules']])).toEqual([
      ['2026-11-12', 'October 2026', ['bls', 'fred']],
      ['2026-12-16', 'November 2026', ['bls', 'fred']],
    ])
    const { observations } = await ask('get_macro_series', { country: 'US', indicator: 'cpi', from: '2026-09-01' })
    expect([cpi[0]?.['previous'], cpi[0]?.['actual']]).toEqual(observations.map(row => row['value']))
    expect([cpi[1]?.['previous'], cpi[1]?.['actual'], cpi[1]?.['consensus']]).toEqual([observations[1]?.['value'], null, null])
  })
  test('a release that was moved stands on its new day only; before the move on its old one', async () => {
    const days = async (requested: Readonly<Record<string, string>>) =>
      (await ask('list_economic_events', { ...ahead, country: 'US', ...requested })).events
        .filter(event => event['title'] === 'Consumer Price Index' && String(event['date']).startsWith('2026-12'))
        .map(event => event['date'])
    expect(await days({})).toEqual(['2026-12-16'])
    expect(await days({ as_of: '2026-11-06T00:00:00Z' })).toEqual(['2026-12-14'])
  })
  test('by day, time and country, each page from where the last one ended', async () => {
    const whole = await ask('list_economic_events', ahead)
    const seen: Row[] = []
    let cursor: string | null = null
    do {
      const page: Answer = await ask('list_economic_events', { ...ahead, limit: '3', ...(cursor ? { cursor } : {}) })
      seen.push(...page.events)
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(seen).toEqual(whole.events)
    expect(whole.events.map(event => String(event['date']))).toEqual(whole.events.map(event => String(event['date'])).sort())
    expect(new Set(whole.events.map(event => event['country']))).toEqual(new Set(['US', 'CA']))
  })
  test('the banks’ announcements are there without anything loaded; of other days it says that nothing is', async () => {
    const early = await ask('list_economic_events', { from: '2026-01-01', to: '2026-02-28', as_of: '2026-01-02T00:00:00Z' })
    expect(early.events.map(event => event['agency'])).toEqual(['Bank of Canada', 'Federal Open Market Committee'])
    const none = await ask('list_economic_events', { from: '2010-01-01', to: '2010-02-28' })
    expect([none['count'], none.coverage['status']]).toEqual([0, 'not_loaded'])
  })
})

test.each([
  ['get_macro_series', { country: 'US', indicator: 'employment', from: '2026-01-01', vintages: '1' }],
  ['get_macro_series', { country: 'US', indicator: 'gdp', as_of: '2026-05-15' }],
  ['get_macro_series', { country: 'CA', indicator: 'usd_cad', from: '2026-11-01', fill: 'carry' }],
  ['get_macro_series', { country: 'US', indicator: 'm2' }],
  ['get_macro_country', { country: 'US' }],
  ['get_macro_country', { country: 'US', recent: '24' }],
  ['get_macro_country', { country: 'DE' }],
  ['list_macro_countries', {}],
  ['list_economic_events', { from: '2026-11-01', to: '2026-12-31' }],
  ['list_economic_events', { from: '2026-11-01', to: '2026-12-31', as_of: '2026-11-06', limit: '2' }],
] as const)('a signed %s is made again from its raw documents: %o', async (id, requested) => {
  expect(await reproduced(id, requested)).toMatchObject({ reproduced: true, reason: null })
})

describe('vintages that arrive out of order', () => {
  const page = (url: string, retrieved_at: string, from: string, rows: readonly (readonly [string, string, string, string])[]) => {
    const observations = rows.map(([realtime_start, realtime_end, date, value]) => ({ realtime_start, realtime_end, date, value }))
    const head = { realtime_start: from, realtime_end: '9999-12-31', units: 'lin', output_type: 1, count: rows.length, offset: 0, limit: 100_000 }
    const body = Buffer.from(JSON.stringify({ ...head, observations }))
    return { source: 'fred', url, retrieved_at, status: 200, headers: {}, body, sha256: sha256Hex(body) }
  }
  const take = async (document: ReturnType<typeof page>) => {
    const [kept] = await runtime.raw.keep([document])
    const documents = [{ raw_id: kept?.raw_id as number, document }]
    return await ingest(runtime.tools, { job: 'macro-fred', partition: document.retrieved_at, documents, decisions: new Map(), fence: null })
  }
  const since = page(fredObservationsUrl('HOUST', '2025-01-01'), '2026-11-20T15:00:00Z', '2025-01-01', [
    ['2025-01-01', '2025-02-18', '2024-11-01', '1300'],
    ['2025-02-19', '9999-12-31', '2024-11-01', '1310'],
  ])
  const archive = page(fredObservationsUrl('HOUST', firstVintage), '2026-11-20T16:00:00Z', firstVintage, [
    ['2024-11-19', '9999-12-31', '2024-10-01', '1250'],
    ['2024-12-18', '2025-02-18', '2024-11-01', '1300'],
    ['2025-02-19', '9999-12-31', '2024-11-01', '1310'],
  ])
  test('the archive fills in what came before, and nothing is told twice', async () => {
    const newest = async (asOf: string) =>
      (await ask('get_macro_series', { country: 'US', indicator: 'housing_starts', from: '2024-11-01', as_of: asOf })).observations[0]
    expect((await take(since)).rows).toMatchObject({ macro_observations: 2 })
    expect(await newest('2024-12-31')).toBeUndefined()
    expect(await newest('2025-01-15')).toMatchObject({ value: 1300, first_published: null })
    expect((await take(archive)).rows).toMatchObject({ macro_observations: 2 })
    expect(await newest('2024-12-31')).toMatchObject({ value: 1300, vintage: '2024-12-18', first_published: '2024-12-18' })
    expect(await newest('2026-01-01')).toMatchObject({ value: 1310, revised: true, first_published: '2024-12-18' })
  })
})
