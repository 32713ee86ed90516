// The client against recorded exchanges with the SEC: what each of them means.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { describeReal } from '#fixtures/real.ts'
import { type ClockedClient, clockedClient } from '#fixtures/replay/client.ts'
import { type Replay, startReplay } from '#fixtures/replay/server.ts'
import { NotFound, Upstream as UpstreamError } from '#schemas/errors.ts'
import { edgar, newestFilingsUrl, quarterIndexUrl, submissionsUrl } from '../sources/edgar/index.ts'

const apple = submissionsUrl('320193')
const filing = 'https://www.sec.gov/Archives/edgar/data/320193/000032019324000061/0000320193-24-000061.txt'

describeReal('recorded exchanges with the SEC', () => {
  let replay: Replay
  let client: ClockedClient
  beforeAll(async () => {
    replay = await startReplay()
  })
  afterAll(() => replay.close())
  beforeEach(() => {
    replay.clearLog()
    client = clockedClient(replay.origin, '2026-08-09T12:00:00Z')
  })
  afterEach(async () => {
    replay.refuse(null)
    replay.fail(0)
    await client.http.close()
  })
  const failure = async (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => null,
      (error: unknown) => error,
    )

  test('each found document arrives byte for byte, with the day of its last change where the service says it', async () => {
    const found = replay.exchanges.filter(exchange => exchange.status === 200)
    expect(found.length).toBe(53)
    for (const { url, body, headers } of found) {
      const document = await client.http.fetchRaw(edgar, { url })
      expect(document.url).toBe(url)
      expect(Buffer.compare(document.body, body)).toBe(0)
      expect(document.headers['last-modified']).toBe(headers['last-modified'])
    }
    expect(client.refused).toEqual([])
    // On the way they were packed, as the service packs them.
    expect(replay.log().every(requested => requested.bytes < 1_000_000)).toBe(true)
  })

  test('an index that has not changed costs a request and no byte', async () => {
    const unchanged = replay.exchanges.filter(exchange => exchange.status === 304)
    expect(unchanged.length).toBe(6)
    for (const { url, requested } of unchanged) {
      const held = { headers: { 'last-modified': requested['if-modified-since'] as string } }
      expect(await client.http.fetchChanged(edgar, { url }, held)).toMatchObject({ kind: 'unchanged' })
    }
    expect(replay.log().map(({ status, bytes }) => [status, bytes])).toEqual(Array.from({ length: 6 }, () => [304, 0]))
    expect(client.slept.every(ms => ms < 100)).toBe(true)
  })

  test('a document whose tag was marked as compressed is still recognised', async () => {
    const document = await client.http.fetchRaw(edgar, { url: filing })
    expect(document.headers['etag']).toMatch(/-gzip"$/)
    expect(await client.http.fetchChanged(edgar, { url: filing }, document)).toMatchObject({ kind: 'unchanged' })
  })

  test('the store’s AccessDenied for an index says that it is not there, and nobody stops asking', async () => {
    const error = await failure(client.http.fetchRaw(edgar, { url: quarterIndexUrl('2099-01-01') }))
    expect(error).toBeInstanceOf(NotFound)
    expect(client.events).toMatchObject([{ status: 403, outcome: 'no_index', waitSeconds: null }])
    expect((await client.http.fetchRaw(edgar, { url: apple })).status).toBe(200)
  })

  test('a key that the store does not know is not there', async () => {
    const error = await failure(client.http.fetchRaw(edgar, { url: 'https://data.sec.gov/submissions/CIK-000000001.json' }))
    expect(error).toBeInstanceOf(NotFound)
    expect(client.events).toMatchObject([{ status: 404, outcome: 'status_404' }])
  })

  test.each([403, 429] as const)('the SEC’s page with %s stops everyone for ten minutes', async status => {
    replay.refuse(status)
    const error = await failure(client.http.fetchRaw(edgar, { url: apple }))
    expect(error).toBeInstanceOf(UpstreamError)
    expect((error as UpstreamError).retryAfterSeconds).toBe(600)
    expect(client.refused).toMatchObject([{ reason: 'sec_block_page' }])
    replay.refuse(null)
    expect(String(await failure(client.http.fetchRaw(edgar, { url: filing })))).toContain('stopped for another')
    expect(replay.log()).toHaveLength(1)
  })

  test('the page of the front end with 503 is asked again', async () => {
    replay.fail(2)
    expect((await client.http.fetchRaw(edgar, { url: newestFilingsUrl(0) })).status).toBe(200)
    expect(client.events.map(event => [event.status, event.outcome])).toEqual([
      [503, 'status_503'],
      [503, 'status_503'],
      [200, 'document'],
    ])
    expect(client.refused.map(answer => answer.reason)).toEqual(['status_503', 'status_503'])
  })

  test('a start behind the list stays unavailable, and is no missing document', async () => {
    const error = await failure(client.http.fetchRaw(edgar, { url: newestFilingsUrl(5100) }))
    expect(error).toBeInstanceOf(UpstreamError)
    expect(String(error)).toContain('status 503')
    expect(replay.log()).toHaveLength(5)
  })
})
