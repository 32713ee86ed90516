// The macro pages over HTTP: the address carries what was known when, and the slider works as a plain form. Operations return their examples.
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildApp } from '../../app.ts'
import { fakes } from '../../fakes.ts'

/** The questions that the operations were asked. */
const asked: { readonly id: string; readonly as_of: unknown }[] = []
let app: FastifyInstance
beforeAll(async () => {
  const given = fakes()
  const handlers = Object.fromEntries(
    Object.entries(given.handlers as unknown as Record<string, (...all: unknown[]) => unknown>).map(([id, handler]) => [
      id,
      (question: { readonly as_of?: unknown }, ...rest: unknown[]) => {
        asked.push({ id, as_of: question.as_of })
        return handler(question, ...rest)
      },
    ]),
  )
  app = await buildApp({ ...given, handlers: handlers as unknown as typeof given.handlers })
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
it.each(['/macro?as_of=soon', '/macro/us/gdp?as_of=2026-02-30', '/macro?slid=-1'])('%s is refused as a page', async url => {
  const { status, body } = await get(url)
  expect([status, body.startsWith('<!doctype html>')]).toEqual([400, true])
})
