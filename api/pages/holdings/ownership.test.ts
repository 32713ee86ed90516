// The page of large owners over HTTP: the percent of class from filing to filing. Operations return their examples.
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildApp } from '../../app.ts'
import { fakeSessions, fakes } from '../../fakes.ts'

let app: FastifyInstance
beforeAll(async () => {
  app = await buildApp(fakes())
})
afterAll(() => app.close())

const get = async (url: string): Promise<string> =>
  (await app.inject({ url, headers: { accept: 'text/html', cookie: `service_session=${fakeSessions.user}` } })).body

it.each([
  // The examples of the operations: 5.2, 8.1 and 9.04 per cent; 6.3 and 10.3 per cent.
  ['13d', 'Percent of class in 3 filings of this owner: first 5.2\u00a0%, last 9.0\u00a0%, lowest 5.2\u00a0%, highest 9.0\u00a0%'],
  ['13g', 'Percent of class in 2 filings of this owner: first 6.3\u00a0%, last 10.3\u00a0%, lowest 6.3\u00a0%, highest 10.3\u00a0%'],
])('%s: the line has the figures of the history, oldest first', async (kind, label) => {
  expect(await get(`/ownership?kind=${kind}`)).toContain(`role="img" aria-label="${label}"`)
})
it('every number of days that the page offers is answered', async () => {
  const body = await get('/ownership')
  const offered = [...body.matchAll(/href="(\/ownership\?[^"]*days=(\d+)[^"]*)"[^>]*>\2 days/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'))
  expect(offered.length).toBeGreaterThan(2)
  for (const url of offered) expect(await get(url), url).toContain('<ul class="cards">')
})
