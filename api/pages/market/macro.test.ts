// The macro pages over HTTP: the address carries what was known when, and the slider works as a plain form. Operations return their examples.
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { operations } from '#schemas/operations.ts'
import type { AnyHandler } from '../../answering.ts'
import { buildApp } from '../../app.ts'
import { bytes, fakes, observed } from '../../fakes.ts'
import { stepped } from '../components/indicator-line.ts'

/** The questions that the operations were asked. */
const asked: { readonly id: string; readonly as_of: unknown; readonly recent: unknown }[] = []
let app: FastifyInstance
beforeAll(async () => {
  const given = fakes()
  const handlers = observed(given.handlers, (id, { as_of, recent }: { readonly as_of?: unknown; readonly recent?: unknown }) => {
    asked.push({ id, as_of, recent })
  })
  app = await buildApp({ ...given, handlers })
})
afterAll(() => app.close())

async function get(url: string) {
  asked.length = 0
  const { statusCode, headers, body } = await app.inject({ url, headers: { accept: 'text/html' } })
  return { status: statusCode, location: headers.location, body }
}

it('a country is asked for as it was known at the end of the day in the address', async () => {
  const { status, body } = await get('/macro?country=US&as_of=2026-08-31')
  expect(status).toBe(200)
  expect(asked.filter(each => each.id === 'get_macro_country').map(each => each.as_of)).toEqual(['2026-08-31T23:59:59Z'])
  expect(body).toContain('name="as_of" type="date" value="2026-08-31"')
  expect((await get('/macro?country=US')).body).toContain('type="range"')
})
it.each([
  // The examples are of 2026-11-20: the slider has the ends of the 60 months before, and the day itself.
  ['/macro?country=us&slid=0', '/macro?country=US&as_of=2021-11-30'],
  ['/macro?country=US&slid=59', '/macro?country=US&as_of=2026-10-31'],
  ['/macro?country=US&slid=60', '/macro?country=US'],
  ['/macro/us/unemployment_rate?slid=99999', '/macro/us/unemployment_rate'],
])('the slider without script: %s leads to %s', async (from, to) => {
  const { status, location } = await get(from)
  expect([status, location]).toEqual([303, to])
})
it('a series is asked for as known, and for every vintage', async () => {
  const { status } = await get('/macro/ca/unemployment_rate?as_of=2026-08-31')
  expect([status, asked.filter(each => each.id === 'get_macro_series').map(each => each.as_of)]).toEqual([200, ['2026-08-31T23:59:59Z', undefined]])
})
it('one request draws the last periods of every indicator', async () => {
  const { body } = await get('/macro?country=CA')
  expect(asked.filter(each => each.id.startsWith('get_macro')).map(each => [each.id, each.recent])).toEqual([['get_macro_country', 24]])
  expect(body).toMatch(/<svg class="spark"[^>]* role="img" aria-label="[^"]+: first [^"]+, last [^"]+, lowest [^"]+, highest [^"]+"><path d="M/)
})
it('the calendar of releases draws the last periods of the figures, with one request for each country', async () => {
  const exampleOf = (id: string) => operations.find(each => each.id === id)?.example.answer as Record<string, unknown>
  const known = exampleOf('get_macro_country')
  const [indicator] = known['indicators'] as { indicator: string }[]
  const recent = [
    { date: '2026-01-01', value: 3 },
    { date: '2026-04-01', value: 5 },
  ]
  const country = { ...known, indicators: [{ ...indicator, title: 'Gross domestic product', frequency: 'quarterly', recent }] }
  const calendar = exampleOf('list_economic_events')
  const [event] = calendar['events'] as object[]
  const release = { ...event, country: 'US', figures: [{ indicator: indicator?.indicator, title: '', unit: '', series: '' }] }
  const requested: unknown[] = []
  const handlers = {
    list_economic_events: async () => bytes(JSON.stringify({ ...calendar, events: [release, release] })),
    get_macro_country: async (question: unknown) => {
      requested.push(question)
      return bytes(JSON.stringify(country))
    },
  }
  const own = await buildApp(fakes({ handlers: handlers as unknown as Record<string, AnyHandler> }))
  const { body } = await own.inject({ url: '/calendars?kind=economy', headers: { accept: 'text/html' } })
  await own.close()
  expect(requested).toEqual([expect.objectContaining({ country: 'US', recent: 24 })])
  expect(
    body.replaceAll('\u00a0', ' ').split('aria-label="Gross domestic product, Q1 2026 to Q2 2026: first 3, last 5, lowest 3, highest 5"').length,
  ).toBe(3)
})
it.each([
  // October 2025 was not counted, and is left out by its source.
  ['monthly', ['2025-08-01', '2025-09-01', '2025-11-01'], [0, 1, null, 2]],
  ['monthly', ['2025-12-01', '2026-01-01'], [0, 1]],
  ['quarterly', ['2025-10-01', '2026-04-01'], [0, null, 1]],
  ['semiannual', ['2025-01-01', '2025-07-01', '2026-07-01'], [0, 1, null, 2]],
  ['annual', ['2021-01-01', '2024-01-01'], [0, null, null, 1]],
  // Days without trading are no gaps, and days that fit no step are taken as they are listed.
  ['daily', ['2026-11-13', '2026-11-16'], [0, 1]],
  ['quarterly', ['2025-10-01', '2025-11-01'], [0, 1]],
  ['monthly', [], []],
] as const)('%s values of %j are drawn as %j', (frequency, dates, values) =>
  expect(
    stepped(
      dates.map((date, value) => ({ date, value })),
      frequency,
    ),
  ).toEqual(values),
)
it('a missing value is a gap', () => {
  const values = [1, null, 2].map((value, at) => ({ date: `2026-0${at + 1}-01`, value }))
  expect(stepped(values, 'monthly')).toEqual([1, null, 2])
})
it.each(['/macro?as_of=soon', '/macro/us/gdp?as_of=2026-02-30', '/macro?slid=-1'])('%s is refused as a page', async url => {
  const { status, body } = await get(url)
  expect([status, body.startsWith('<!doctype html>')]).toEqual([400, true])
})
