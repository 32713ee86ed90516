import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { XMLParser } from 'fast-xml-parser'
import { sql } from 'kysely'
import { request } from 'undici'
import { afterAll, describe, expect, test } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { JobDefinition } from '#schemas/jobs.ts'
import { renderIncidentFeed } from '#warehouse/people/status/feed.ts'
import { installQueue } from '#warehouse/store/queue.ts'
import { openLogFolder } from '#warehouse/store/receipts/log/open-folder.ts'
import { listWitnesses, registerWitnesses, settleWitness } from '#warehouse/store/receipts/log/witnesses.ts'
import { checkFreshness, type ProbeTools, probeAll } from './probe.ts'
import { renderStatusPage } from './status-page.ts'

const { db, url } = await testDatabase()
await installQueue(url)
const servers: ReturnType<typeof createServer>[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

async function anApi(status: number, body: object = {}): Promise<string> {
  const server = createServer((_request, response) => void response.writeHead(status).end(JSON.stringify(body)))
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
async function leases(...addresses: (string | null)[]): Promise<void> {
  await sql`delete from reader_lease`.execute(db)
  for (const [at, address] of addresses.entries())
    await sql`insert into reader_lease (process, catalogue_version, expires_at, address) values (${`api:${at}`}, 0, now() + interval '1 minute', ${address})`.execute(
      db,
    )
}
const edgarJob: JobDefinition = {
  ...JobDefinition.parse({
    title: 'a job',
    source: 'edgar',
    plan: 'p',
    datasets: ['filings'],
    schedule: null,
    backfill: 'day',
    freshness_minutes: 60,
  }),
  name: 'filings',
}
const receiptLog = openLogFolder(import.meta.dirname, null)
const probe = async (on: readonly JobDefinition[] = [], bucket: ProbeTools['bucket'] = null) => {
  const now = new Date((await sql<{ at: string }>`select clock_timestamp() as at`.execute(db)).rows[0]?.at ?? '')
  const checks = await probeAll({ db, dataFolder: import.meta.dirname, on, now: () => now, monotonic: () => performance.now(), bucket, receiptLog })
  return new Map(checks.map(check => [check.component, check]))
}

describe('the API is asked over HTTP', () => {
  test('down where no process holds a lease, or none of them answers', async () => {
    await leases()
    expect((await probe()).get('api')).toMatchObject({ status: 'down', detail: 'no API process is known to run' })
    await leases(await anApi(503), 'http://127.0.0.1:1', null)
    expect((await probe()).get('api')).toMatchObject({ status: 'down', detail: '2 of 2 processes did not answer' })
  })
  test('loading while its only reason not to be ready is that nothing was released yet', async () => {
    await leases(await anApi(503, { detail: 'not ready: release failed', code: 'upstream_unavailable' }))
    expect((await probe()).get('api')).toMatchObject({ status: 'loading', detail: 'answers; nothing was released yet' })
    await leases(await anApi(503, { detail: 'not ready: postgres, release failed', code: 'upstream_unavailable' }))
    expect((await probe()).get('api')).toMatchObject({ status: 'down' })
  })
  test('degraded where one of two answers, operational where all do', async () => {
    const good = await anApi(200)
    await leases(good, 'http://127.0.0.1:1')
    expect((await probe()).get('api')).toMatchObject({ status: 'degraded', detail: '1 of 2 processes did not answer' })
    await leases(good, await anApi(200))
    expect((await probe()).get('api')).toMatchObject({ status: 'operational', detail: null })
  })
  test('degraded where nothing accepts or refuses a connection, as on a lost machine, before an attempt to connect ends by itself', async () => {
    const lost = await silentPort()
    try {
      const address = `http://127.0.0.1:${lost.port}`
      const attempt = request(address).then(
        () => 'an answer',
        () => 'the attempt ended',
      )
      await leases(await anApi(200), address)
      const checks = probe()
      expect(await Promise.race([checks.then(() => 'the checks ended'), attempt])).toBe('the checks ended')
      expect((await checks).get('api')).toMatchObject({ status: 'degraded', detail: '1 of 2 processes did not answer' })
    } finally {
      lost.end()
    }
  })
})

/** A port that answers no attempt to connect: its process is stopped, and its queue is full. */
async function silentPort(): Promise<{ readonly port: number; readonly end: () => void }> {
  const program = "const s = require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(s.address().port))"
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const port = Number(await new Promise(resolve => child.stdout.once('data', resolve)))
  child.kill('SIGSTOP')
  const queue = Array.from({ length: 8 }, () => connect(port, '127.0.0.1').on('error', () => undefined))
  await new Promise(resolve => setTimeout(resolve, 200))
  return {
    port,
    end() {
      for (const socket of queue) socket.destroy()
      child.kill('SIGKILL')
    },
  }
}

test('the bucket of the lake is a component if there is one, and its address is not shown', async () => {
  expect((await probe()).has('bucket')).toBe(false)
  expect((await probe([], { probe: async () => null })).get('bucket')).toMatchObject({ status: 'operational', detail: null })
  const fault = 's3://a-bucket: requests are refused: 403 SignatureDoesNotMatch'
  expect((await probe([], { probe: async () => fault })).get('bucket')).toMatchObject({
    status: 'degraded',
    detail: expect.stringMatching(/^the bucket of the lake does not answer or refuses: [^/]*$/),
  })
})

test('witnesses are a component if there are any, which names those that do not cosign and not their addresses', async () => {
  expect((await probe()).has('witnesses')).toBe(false)
  await registerWitnesses(
    db,
    ['one', 'two'].map(name => ({ vkey: name, name: `${name}.example`, url: 'https://private.example' })),
  )
  expect((await probe()).get('witnesses')).toMatchObject({ status: 'operational' })
  const [one] = await listWitnesses(db)
  if (one) expect(await settleWitness(db, one, { state: 'refused', detail: 'status 404', size: 0 })).toBe(true)
  expect((await probe()).get('witnesses')).toMatchObject({
    status: 'degraded',
    detail: '1 of 2 do not cosign the receipt log: one.example (refused)',
  })
  await registerWitnesses(db, [])
  expect((await probe()).has('witnesses')).toBe(false)
})

describe('a source', () => {
  test('that told us to stop is degraded, one whose breaker is open is down, one that no job asks is not checked', async () => {
    expect((await probe()).has('source:edgar')).toBe(false)
    expect((await probe([edgarJob])).get('source:edgar')).toMatchObject({ status: 'operational' })
    await sql`insert into upstream_limit (name, stopped_until, stop_reason) values ('sec', now() + interval '10 minutes', 'block_page')`.execute(db)
    expect((await probe([edgarJob])).get('source:edgar')).toMatchObject({ status: 'degraded', detail: expect.stringContaining('block_page') })
    await sql`update upstream_limit set stopped_until = 'epoch', opened_at = now() where name = 'sec'`.execute(db)
    expect((await probe([edgarJob])).get('source:edgar')).toMatchObject({ status: 'down', detail: expect.stringContaining('does not answer since') })
  })
})

describe('a dataset', () => {
  test('that nothing was loaded into yet is loading in a new installation, and late after its limit', async () => {
    await sql`update schema_migrations set applied_at = now()`.execute(db)
    expect((await probe([edgarJob])).get('dataset:filings')).toMatchObject({ status: 'loading' })
    await sql`update schema_migrations set applied_at = now() - interval '61 minutes'`.execute(db)
    expect((await probe([edgarJob])).get('dataset:filings')).toMatchObject({ status: 'degraded' })
  })

  test('is judged against the target of the jobs that feed it', async () => {
    expect((await probe([edgarJob])).get('dataset:filings')).toMatchObject({
      status: 'degraded',
      detail: 'nothing was loaded yet; the target is 60 minutes',
    })
    const evaluated = { dataset: 'bars', rows: 1, files: 1, bytes: 1, newest: null, changed_at: null, jobs: ['bars-us'], limit_minutes: 60 }
    const now = new Date('2026-11-20T20:00:00Z')
    const at = '2026-11-20T18:30:00Z'
    expect(checkFreshness({ ...evaluated, state: 'stale', loaded_at: at }, now).detail).toBe('last loaded 90 minutes ago; the target is 60 minutes')
    expect(checkFreshness({ ...evaluated, state: 'ok', loaded_at: at }, now).status).toBe('operational')
    expect(checkFreshness({ ...evaluated, state: 'no_limit', loaded_at: at }, now).status).toBe('unscheduled')
  })
})

describe('the page', () => {
  test('shows what an upstream or an operator wrote as text', () => {
    const page = renderStatusPage(
      [
        { name: 'aardvark', status: 'operational', latency_ms: 1, detail: null, checked_at: '2026-11-20T20:00:00Z' },
        { name: 'api', status: 'down', latency_ms: null, detail: '<script>alert(1)</script>', checked_at: '2026-11-20T20:00:00Z' },
      ],
      [{ id: 'inc_1', title: 'a "b" & <c>', impact: 'major', body: 'x\n<y>', started_at: '2026-11-20T19:00:00Z', resolved_at: null }],
      new Date('2026-11-20T20:00:00Z'),
    )
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(page).toContain('a &quot;b&quot; &amp; &lt;c&gt;')
    expect(page).toContain('x<br>&lt;y&gt;')
    expect(page).not.toContain('<script>')
    expect(page.indexOf('>api<')).toBeLessThan(page.indexOf('>aardvark<'))
  })
})

describe('the feed', () => {
  const incident = { title: 'a <b> & c', impact: 'major', body: null, started_at: '2026-11-20T19:00:00Z' } as const
  test('has an entry for each incident, newest change as its own date, text as text', () => {
    const feed = renderIncidentFeed(
      [
        { ...incident, id: 'inc_2', resolved_at: '2026-11-20T20:30:00Z' },
        { ...incident, id: 'inc_1', resolved_at: null },
      ],
      new Date('2026-11-21T00:00:00Z'),
    )
    const read = new XMLParser({ ignoreAttributes: false }).parse(feed) as { feed: { updated: string; entry: { id: string; title: string }[] } }
    expect(read.feed.updated).toBe('2026-11-20T20:30:00Z')
    expect(read.feed.entry.map(each => [each.id, each.title])).toEqual([
      ['urn:crossfile:incident:inc_2', 'Resolved: a <b> & c'],
      ['urn:crossfile:incident:inc_1', 'a <b> & c'],
    ])
  })
})
