// What a scraper gets: counts by closed lists of labels, on the operator's port alone, and nothing of anybody.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signedInUser } from '#fixtures/users.ts'
import { worldKey, worldWarehouse } from '#fixtures/warehouse.ts'
import { operations } from '#schemas/operations.ts'
import { type Server, startServer } from '../server.ts'
import { createMetrics } from './metrics.ts'

const warehouse = await worldWarehouse()
const key = await worldKey(warehouse)
let server: Server
beforeAll(async () => {
  server = await startServer({ ...warehouse.config, metricsPort: 0 })
})
afterAll(() => server.close())
const scrape = async (): Promise<string> => await (await fetch(`${server.metricsAddress}/metrics`)).text()

describe('the page of metrics', () => {
  it('counts requests by pattern and status, from memory too, and holds nothing of who asked for what', async () => {
    const user = await signedInUser(warehouse.runtime.postgres.db)
    for (let n = 0; n < 3; n += 1)
      await (await fetch(`${server.address}/api/v1/market/symbols/CANARY?x=CANARY`, { headers: { authorization: `Bearer ${key}` } })).text()
    for (let n = 0; n < 4; n += 1) await (await fetch(`${server.address}/api/v1/themes`)).text()
    await (await fetch(`${server.address}/CANARY/"\\`)).text()
    await (await fetch(`${server.address}/api/v1/push/subscriptions`, { headers: user.cookie })).text()
    const text = await scrape()
    expect(text).toMatch(/crossfile_requests_total\{method="GET",route="\/api\/v1\/market\/symbols\/\{symbol\}",status="4\d\d"\} 3\n/)
    expect(text).toContain('crossfile_requests_total{method="GET",route="/api/v1/themes",status="200"} 4\n')
    expect(text).toContain('crossfile_requests_total{method="GET",route="/api/v1/push/subscriptions",status="200"} 1\n')
    expect(text).toMatch(/crossfile_requests_total\{method="other",route="unknown",status="4\d\d"\} 1\n/)
    expect(text).toContain('crossfile_request_duration_seconds_count{method="GET",route="/api/v1/themes"} 4\n')
    expect(text).toMatch(/\ncrossfile_sessions 1\n/)
    expect(text).toMatch(/\ncrossfile_release [1-9]\d*\n/)
    expect(text).toContain('\ncrossfile_up 1\n')
    for (const secret of ['CANARY', key, user.token, user.user_id, user.email, '127.0.0.1']) expect(text).not.toContain(secret)
    const routes = new Set([...text.matchAll(/route="([^"]*)"/g)].map(each => each[1]))
    expect([...routes].filter(route => route !== 'unknown' && !operations.some(each => each.path === route))).toEqual([])
  })
  it('is whole: every family has its help and type once, every line is a sample', async () => {
    const lines = (await scrape()).trimEnd().split('\n')
    const types = lines.filter(line => line.startsWith('# TYPE'))
    expect(new Set(types).size).toBe(types.length)
    const sample = /^[a-z0-9_]+(\{[a-z_]+="[^"\n]*"(,[a-z_]+="[^"\n]*")*\})? -?\d+(\.\d+)?(e[+-]?\d+)?$/
    expect(lines.filter(line => !line.startsWith('# ') && !sample.test(line))).toEqual([])
    const counts = [...(await scrape()).matchAll(/_bucket\{method="GET",route="\/api\/v1\/themes",le="([^"]+)"\} (\d+)/g)].map(each =>
      Number(each[2]),
    )
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  })
  it('is served only on its port, which answers nothing else', async () => {
    expect((await fetch(`${server.address}/metrics`)).status).toBe(404)
    expect((await fetch(`${server.metricsAddress}/api/v1/themes`)).status).toBe(404)
    expect((await fetch(`${server.metricsAddress}/metrics`, { method: 'POST' })).status).toBe(405)
  })
  it('counts refusals by limit, and what took longer than any bucket', async () => {
    const metrics = createMetrics()
    metrics.observe({ operation: null, status: 429, seconds: 20, policy: 'reads' })
    expect(metrics.render([{ name: 'crossfile_up', help: 'x', value: 0 }])).toContain('crossfile_rate_limited_total{policy="reads"} 1\n')
    expect(metrics.render([])).toContain('_bucket{method="other",route="unknown",le="10"} 0\n')
  })
})
