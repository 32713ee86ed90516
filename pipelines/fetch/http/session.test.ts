// Yahoo's cookie and crumb: made once, sent with every question that needs them, kept nowhere, and given up where they ran out.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Upstream as UpstreamError } from '#schemas/errors.ts'
import { createHttpClient, type HttpClient, type RefusedAnswer } from '../http.ts'
import { yahooQuotesUrl } from '../sources/quote-addresses.ts'
import { yahoo, yahooChartUrl } from '../sources/yahoo.ts'
import { createPoliteness, memoryStore } from './politeness.ts'
import { cookiesOf } from './session.ts'

const quote = '{"quoteResponse":{"result":[{"quoteType":"EQUITY","symbol":"ZED"}],"error":null}}'
const staleCrumb = '{"finance":{"result":null,"error":{"code":"Unauthorized","description":"Invalid Crumb"}}}'
type Seen = { readonly path: string; readonly cookie: string | undefined }
let server: Server
let base = ''
let seen: Seen[] = []
let answer: (path: string, response: ServerResponse) => void = () => {}

beforeAll(async () => {
  server = createServer((request: IncomingMessage, response) => {
    seen.push({ path: request.url ?? '', cookie: request.headers.cookie })
    answer(request.url ?? '', response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
const clients: HttpClient[] = []
afterEach(async () => {
  server.closeAllConnections()
  await Promise.all(clients.splice(0).map(client => client.close()))
})
afterAll(() => void server.close())

/** What Yahoo does: the cookie's page answers 404, the crumb's with one word. `crumbs` in turn, the last for ever. */
function yahooLike(crumbs: readonly string[], isGood: (crumb: string | null) => boolean, crumbStatus = 200) {
  seen = []
  let given = 0
  answer = (path, response) => {
    const url = new URL(`https:/${path}`)
    if (url.hostname === 'fc.yahoo.com')
      response.writeHead(404, { 'set-cookie': ['A3=d=abc&S=def; Domain=.yahoo.com; Secure', 'gone=; Max-Age=0'] }).end('not found')
    else if (url.pathname === '/v1/test/getcrumb') {
      response.writeHead(crumbStatus, { 'content-type': 'text/plain' }).end(crumbs[Math.min(given, crumbs.length - 1)])
      given += 1
    } else if (url.pathname.startsWith('/v7/') && !isGood(url.searchParams.get('crumb')))
      response.writeHead(401, { 'content-type': 'application/json' }).end(staleCrumb)
    else response.writeHead(200, { 'content-type': 'application/json' }).end(quote)
  }
}

function aClient() {
  let clock = Date.parse('2026-11-20T15:00:00Z')
  const now = () => clock
  const sleep = async (ms: number) => {
    clock += ms
  }
  const refused: RefusedAnswer[] = []
  const client = createHttpClient({
    settings: { version: '0.1.0', contact: null, keys: {}, optIn: ['yahoo'], base: { yahoo: base }, simulatorPerSecond: null },
    politeness: createPoliteness(memoryStore(now), { now, sleep }),
    now,
    sleep,
    random: () => 0.5,
    keepRaw: async each => void refused.push(each),
  })
  clients.push(client)
  return { client, refused }
}
const paths = () => seen.map(({ path }) => path.split('?')[0])
const quotePath = '/query2.finance.yahoo.com/v7/finance/quote'

describe("Yahoo's session", () => {
  test('a cookie, a crumb, and then both with every question; the document shows neither', async () => {
    yahooLike(['good.Crumb1'], crumb => crumb === 'good.Crumb1')
    const { client } = aClient()
    const document = await client.fetchRaw(yahoo, { url: yahooQuotesUrl(['ZED']) })
    await client.fetchRaw(yahoo, { url: yahooQuotesUrl(['ZED', 'MAPL.TO']) })
    expect(paths()).toEqual(['/fc.yahoo.com/', '/query2.finance.yahoo.com/v1/test/getcrumb', quotePath, quotePath])
    expect(seen[2]?.cookie).toBe('A3=d=abc&S=def')
    expect(seen[2]?.path).toContain('crumb=good.Crumb1')
    expect(document.url).toBe('https://query2.finance.yahoo.com/v7/finance/quote?symbols=ZED')
    expect(JSON.stringify(document.headers)).not.toContain('Crumb1')
  })
  test('a chart needs none', async () => {
    yahooLike(['good.Crumb1'], () => true)
    await aClient().client.fetchRaw(yahoo, { url: yahooChartUrl('ZED', 0, 86_400) })
    expect(paths()).toEqual(['/query2.finance.yahoo.com/v8/finance/chart/ZED'])
  })
  test('a crumb that ran out is replaced at once, without a pause for everybody', async () => {
    let good = 'first.Crumb'
    yahooLike(['first.Crumb', 'second.Crumb'], crumb => crumb === good)
    const { client } = aClient()
    await client.fetchRaw(yahoo, { url: yahooQuotesUrl(['ZED']) })
    good = 'second.Crumb'
    const document = await client.fetchRaw(yahoo, { url: yahooQuotesUrl(['ZED']) })
    expect(Buffer.from(document.body).toString()).toBe(quote)
    expect(seen.filter(({ path }) => path.includes('getcrumb'))).toHaveLength(2)
  })
  test.each([
    ['"Too Many Requests" in place of a crumb', 'Too Many Requests', 429],
    ['the same with status 200', 'Too Many Requests', 200],
    ['a page', '<!DOCTYPE html><html><body>consent</body></html>', 200],
    ['an object', '{"finance":{"result":null}}', 200],
  ])('%s is no session: nothing is asked with it, and nothing is known', async (_name, body, status) => {
    yahooLike([body], () => true, status)
    const failed: unknown = await aClient()
      .client.fetchRaw(yahoo, { url: yahooQuotesUrl(['ZED']) })
      .then(
        () => null,
        (error: unknown) => error,
      )
    expect(failed).toBeInstanceOf(UpstreamError)
    expect(String(failed)).toContain('no session')
    expect(paths()).not.toContain(quotePath)
  })
  test('no session stops nothing that needs none, unless our pace was refused', async () => {
    yahooLike(['<html>consent</html>'], () => true)
    const { client } = aClient()
    await expect(client.fetchRaw(yahoo, { url: yahooQuotesUrl(['ZED']) })).rejects.toThrow('no session')
    await client.fetchRaw(yahoo, { url: yahooChartUrl('ZED', 0, 86_400) })
    yahooLike(['Too Many Requests'], () => true, 429)
    await expect(client.fetchRaw(yahoo, { url: yahooQuotesUrl(['ZED']) })).rejects.toThrow('no session')
    await expect(client.fetchRaw(yahoo, { url: yahooChartUrl('ZED', 0, 86_400) })).rejects.toThrow('stopped')
  })
  test('a crumb that never was good stops everybody, as a refusal does', async () => {
    yahooLike(['never.Good'], () => false)
    const { client, refused } = aClient()
    await expect(client.fetchRaw(yahoo, { url: yahooQuotesUrl(['ZED']) })).rejects.toThrow('Invalid Crumb')
    expect(refused.map(({ reason }) => reason)).toEqual(['throttled'])
    expect(refused[0]?.document.url).toMatch(/^refused:throttled:/)
  })
  test('cookies are their names and values; what is deleted or holds odd bytes is left out', () => {
    expect(cookiesOf(['A1=x; Path=/', 'A3=d=1&S=2; Secure', 'gone=; Max-Age=0', 'bad name=1', 'split=a b'])).toBe('A1=x; A3=d=1&S=2')
  })
})
