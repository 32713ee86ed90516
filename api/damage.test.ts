// Lake files that change under a running API: no wrong number is answered or signed, what needs them is refused, the rest goes on.
import { readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { flipBit } from '#fixtures/damage.ts'
import { worldKey, worldWarehouse, worldWorker } from '#fixtures/warehouse.ts'
import { damageUnderApi } from '#fixtures/world/chaos/damage.ts'
import { randomOf } from '#fixtures/world/random.ts'
import { buildDueModels } from '#pipelines/jobs/models/models.ts'
import { dropDamagedBuilds, findBuildFiles } from '#warehouse/models/check.ts'
import { findKnownDamage } from '#warehouse/people/status/damage.ts'
import { findDeadLetters } from '#warehouse/store/jobs/dead-letters.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { findDamage, recheckDamage } from '#warehouse/store/lake/damage.ts'
import { lakePath } from '#warehouse/store/lake/open.ts'
import { type Server, startServer } from './server.ts'

const seed = Number(process.env['CROSSFILE_TEST_SEED'] ?? 20_261_120)
const warehouse = await worldWarehouse()
await worldWorker(warehouse)
const key = await worldKey(warehouse)
const { db } = warehouse.runtime.postgres
const data = warehouse.config.dataFolder
let server: Server
beforeAll(async () => {
  server = await startServer(warehouse.config)
})
afterAll(() => server.close())

async function ask(path: string): Promise<{ status: number; body: string }> {
  const response = await fetch(server.address + path, { headers: { authorization: `Bearer ${key}` } })
  return { status: response.status, body: await response.text() }
}

describe('a lake file that changes after it was verified', () => {
  it(`is never answered from: 40 damages, seed ${seed}`, async () => {
    const symbols = ['NGP.TO', 'NGP', 'GLPR.TO', 'BHWU', 'HSTI.TO', 'PSR-UN.TO']
    const days = { from: '2025-11-01', to: '2026-11-19' }
    const tally = await damageUnderApi({ data, db, ask, symbols, random: randomOf(seed, 'damage'), faults: 40, days, signedEach: 10 })
    expect(tally).toMatchObject({ faults: 40, wrong: 0, signedWrong: 0, others: [] })
    expect(tally.refused).toBeGreaterThan(10)
    expect(tally.signed).toBeGreaterThan(0)
  })

  it('refuses only what needs it, also after a restart, and reports degraded until it is repaired', async () => {
    const files = (await loadCatalogue(db)).files.get('bars') ?? []
    const paths = files.map(file => lakePath(data, file))
    const whole = await Promise.all(paths.map(path => readFile(path)))
    for (const path of paths) await flipBit(path)
    const look = async () => {
      const refused = await ask('/api/v1/market/eod/NGP.TO?from=2026-10-02&to=2026-11-12')
      expect(refused.status).toBe(503)
      expect(JSON.parse(refused.body)).toMatchObject({ code: 'upstream_unavailable', detail: expect.stringContaining('the dataset bars is damaged') })
      expect(refused.body).not.toContain(data)
      expect((await ask('/api/v1/data/form4?ticker=BRLX')).status).toBe(200)
      expect((await ask('/api/v1/market/actions/NGP.TO')).status).toBeLessThan(500)
      await expect
        .poll(async () => JSON.parse((await ask('/health')).body))
        .toMatchObject({ status: 'degraded', checks: [{ name: 'files', status: 'failed', detail: expect.stringContaining('dataset:bars') }] })
      expect((await findDamage(db)).map(file => file.dataset)).toContain('bars')
    }
    await look()
    await server.close()
    server = await startServer(warehouse.config)
    await look()
    for (const [at, path] of paths.entries()) await writeFile(path, whole[at] as Buffer)
    expect((await ask('/api/v1/market/eod/NGP.TO?from=2026-10-02&to=2026-11-11')).status).toBe(200)
    expect(await recheckDamage(db, warehouse.runtime.tools.writer.verifier)).toEqual([])
    await expect.poll(async () => JSON.parse((await ask('/health')).body).status).toBe('ok')
  })
})

describe('a build of a model that changes on the disk', () => {
  it('is not signed from: the answer names the model, the status is degraded until it is built again, and no dead letter is left', async () => {
    // The rows are in memory of this process from here on; the worker reads the file.
    expect((await ask('/api/v1/market/screener?limit=1')).status).toBe(200)
    const paths = (await findBuildFiles(db, data)).map(file => file.path)
    for (const path of paths) await flipBit(path)
    expect((await ask('/api/v1/market/screener?limit=2')).status).toBe(200)
    const refused = await ask('/api/v1/market/screener?limit=3&receipt=true')
    expect(refused.status).toBe(503)
    expect(JSON.parse(refused.body).detail).toContain('the receipt could not be signed: the dataset model screener is damaged')
    await expect.poll(async () => JSON.parse((await ask('/health')).body).status).toBe('degraded')
    const { byComponent } = await findKnownDamage(db)
    expect([...byComponent.keys()]).toEqual(['model:screener'])
    expect(await findDeadLetters(db)).toEqual([])
    expect(await dropDamagedBuilds(db, data)).not.toEqual([])
    expect((await findKnownDamage(db)).files).toEqual([])
    await buildDueModels({ db, writer: warehouse.runtime.tools.writer }, Date.now(), true)
    await expect.poll(async () => JSON.parse((await ask('/health')).body).status).toBe('ok')
    await expect.poll(async () => (await ask('/api/v1/market/screener?limit=4&receipt=true')).status, { interval: 500 }).toBe(200)
  })
})
