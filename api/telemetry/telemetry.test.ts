// Reports of browsers through the whole service: always answered alike, kept where they can be read.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { aggregateVitals, findViolations, findVitals } from '#warehouse/people/telemetry/store.ts'
import { openSharedClock } from '#warehouse/store/shared-clock.ts'
import { createMeter } from '../plugins/meter.ts'
import { type Server, startServer } from '../server.ts'

const { config, runtime } = await worldWarehouse()
const { db, pool } = runtime.postgres
// The server dates reports by the clock of Postgres.
const clock = await openSharedClock(db)
/** A report of a moment ago is one of yesterday when midnight lies between. */
const days = 2
let server: Server
beforeAll(async () => {
  server = await startServer({ ...config, trustedProxies: ['127.0.0.1'] })
})
afterAll(async () => {
  clock.close()
  await server.close()
})

let serial = 0
/** Each from a separate address, if none is given. */
async function send(path: string, body: string, type: string | null, named?: string): Promise<Response> {
  serial += 1
  const address = named ?? `198.51.${serial >> 8}.${serial & 255}`
  const headers = { 'x-forwarded-for': address, 'sec-fetch-site': 'cross-site', origin: 'null', ...(type === null ? {} : { 'content-type': type }) }
  return await fetch(`${server.address}/api/v1${path}`, { method: 'POST', headers, body: Buffer.from(body) })
}
const violation = JSON.stringify({ 'csp-report': { 'effective-directive': 'img-src', 'blocked-uri': 'https://cdn.example.net/?token=CANARY' } })
const reporting = JSON.stringify([{ type: 'csp-violation', body: { effectiveDirective: 'img-src', blockedURL: 'https://cdn.example.net/CANARY' } }])
const vitals = JSON.stringify({ url: 'https://crossfile.example.org/docs?token=CANARY', LCP: 1200, INP: 50, CLS: 0.01, FID: 3 })

describe('a report', () => {
  it('of the security policy is taken in both formats, from wherever a browser sends it', async () => {
    for (const [body, type] of [
      [violation, 'application/csp-report'],
      [reporting, 'application/reports+json'],
      [violation, 'application/json'],
    ] as const) {
      const answered = await send('/csp-report', body, type)
      expect([answered.status, await answered.text()]).toEqual([204, ''])
    }
    expect(await findViolations(db, days, clock.now())).toMatchObject([{ directive: 'img-src', blocked: 'cdn.example.net', reports: 3 }])
  })
  it('of Web Vitals is taken as a beacon sends it', async () => {
    for (const type of ['text/plain;charset=UTF-8', 'application/json']) expect((await send('/metrics/vitals', vitals, type)).status).toBe(204)
    await aggregateVitals(db)
    const found = await findVitals(db, days, clock.now())
    expect(found.map(({ page, metric, samples, p75, grade }) => [page, metric, samples, p75, grade])).toEqual([
      ['/docs', 'CLS', 2, 0.01, 'good'],
      ['/docs', 'FID', 2, 3, null],
      ['/docs', 'INP', 2, 50, 'good'],
      ['/docs', 'LCP', 2, 1200, 'good'],
    ])
  })
  it.each<[string, string, string]>([
    ['/csp-report', '{"csp-report":', 'application/json'],
    ['/csp-report', '{"__proto__":{"x":1}}', 'application/json'],
    ['/csp-report', 'CANARY', 'application/csp-report'],
    ['/csp-report', '', 'application/csp-report'],
    ['/metrics/vitals', '', 'application/json'],
    ['/metrics/vitals', '<script>CANARY</script>', 'text/plain'],
    ['/metrics/vitals', '['.repeat(30), 'text/plain'],
    ['/metrics/vitals', '\u0001\u0002', 'text/plain'],
    ['/metrics/vitals', '{"url":"/\\u0000","LCP":1}', 'text/plain'],
    ['/metrics/vitals', '{"url":"/docs","LCP":1e400}', 'text/plain'],
  ])('to %s that cannot be read is answered as any other: %s', async (path, body, type) => {
    const answered = await send(path, body, type)
    expect([answered.status, await answered.text()]).toEqual([204, ''])
  })
  it('that is too long, or of a type that no browser sends, is refused without an echo', async () => {
    for (const [path, bytes] of [
      ['/csp-report', 16_385],
      ['/metrics/vitals', 4097],
    ] as const) {
      expect((await send(path, ' '.repeat(bytes - 1), 'text/plain')).status).toBe(204)
      const answered = await send(path, `"CANARY${' '.repeat(bytes)}`, 'text/plain')
      expect([answered.status, (await answered.text()).includes('CANARY')]).toEqual([413, false])
    }
    const answered = await send('/csp-report', '<CANARY/>', 'application/xml')
    expect([answered.status, (await answered.text()).includes('CANARY')]).toEqual([415, false])
  })
  it('leaves nothing behind that it should not', async () => {
    const tables = await Promise.all(['vital_sample', 'vital_daily', 'csp_daily'].map(async name => (await pool.query(`select * from ${name}`)).rows))
    expect(JSON.stringify(tables)).not.toMatch(/CANARY|token|198\.51|example\.org/)
  })
  it('beyond thirty a minute of one address is answered alike and not kept', async () => {
    const one = JSON.stringify({ url: '/flood', LCP: 1 })
    const answered = await Promise.all(Array.from({ length: 100 }, () => send('/metrics/vitals', one, 'text/plain', '203.0.113.9')))
    expect(new Set(answered.map(each => each.status))).toEqual(new Set([204]))
    const kept = (await pool.query("select count(*)::int as kept from vital_sample where page = '/flood'")).rows[0].kept
    expect(kept).toBeGreaterThanOrEqual(30)
    expect(kept).toBeLessThanOrEqual(45)
  })
})

it('a meter lets so many of an address through in any minute, and so many of all', () => {
  let at = 0
  const listens = createMeter(30, 50, () => at)
  const through = (address: string, times: number): number => Array.from({ length: times }, () => listens(address)).filter(Boolean).length
  expect([through('a', 100), through('b', 100), through('c', 100)]).toEqual([30, 20, 0])
  at = 60_000
  expect(through('c', 100)).toBe(30)
  at = 62_000
  expect(through('c', 100)).toBe(1)
})
