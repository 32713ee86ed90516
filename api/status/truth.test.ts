// /health and /api/v1/status while the database is frozen or away and while the disk is full: what is found now, not the last good check,
// and the truth again afterwards. pipelines/jobs/worker/check-in-turn.test.ts has the same for the worker's status page.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { openRelay, type Relay } from '#fixtures/relay.ts'
import { loadConfig } from '#schemas/config.ts'
import { recordChecks } from '#warehouse/people/status/checks.ts'
import { connect } from '#warehouse/store/postgres.ts'
import { type Server, startServer } from '../server.ts'

/** Free blocks of the disk, if the test sets them; null: the actual ones. */
const disk = vi.hoisted(() => ({ free: null as number | null }))
vi.mock('node:fs/promises', async importOriginal => {
  const { withFreeBlocks } = await import('#fixtures/disk.ts')
  return withFreeBlocks(await importOriginal<typeof import('node:fs/promises')>(), disk)
})

let folder: string
let relay: Relay
let server: Server
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crossfile-truth-'))
  const url = await createTestDatabase()
  const { db, close } = connect(url)
  const found = { status: 'operational', latency_ms: 1, detail: null } as const
  const components = ['api', 'database', 'storage', 'worker', 'dataset:bars']
  await recordChecks(
    db,
    components.map(component => ({ component, ...found })),
    new Date(),
  )
  await close()
  relay = await openRelay(url)
  const env = { DATABASE_URL: relay.url, CROSSFILE_DATA: folder, CROSSFILE_LOG: 'silent', PORT: '0' }
  server = await startServer(loadConfig(env))
})
afterAll(async () => {
  await server.close()
  await relay.close()
  await rm(folder, { recursive: true, force: true })
})

type Health = { status: string; checks?: { name: string; status: string }[] }
type Status = { status: string; components: { name: string; status: string; detail: string | null }[] }
const ask = async <T>(path: string): Promise<T> => {
  const response = await fetch(server.address + path)
  expect(response.status).toBe(200)
  return (await response.json()) as T
}
/** What /health names as failed. */
const failed = async (): Promise<string[]> => ((await ask<Health>('/health')).checks ?? []).map(each => each.name)
const stateOf = async (): Promise<Record<string, string>> => {
  const { status, components } = await ask<Status>('/api/v1/status')
  return { overall: status, ...Object.fromEntries(components.map(each => [each.name, each.status])) }
}
/** Answers are remembered for a moment: asked until it is as expected. */
const patient = { interval: 100 }
beforeEach(async () => {
  await expect.poll(failed, patient).toEqual([])
  await expect.poll(stateOf, patient).toMatchObject({ database: 'operational', storage: 'operational', 'dataset:bars': 'operational' })
})
const away = { overall: 'down', database: 'down', storage: 'operational', api: 'operational', worker: 'unknown', 'dataset:bars': 'unknown' }

test('a database that is frozen: it neither answers nor closes a connection', async () => {
  relay.freeze()
  try {
    await expect.poll(failed, patient).toEqual(['postgres'])
    expect((await ask<Health>('/health')).status).toBe('degraded')
    await expect.poll(stateOf, patient).toEqual(away)
  } finally {
    relay.thaw()
  }
  await expect.poll(stateOf, patient).toMatchObject({ database: 'operational', 'dataset:bars': 'operational' })
})

test('a database that is away: connections end and new ones are refused', async () => {
  await relay.cut()
  try {
    await expect.poll(failed, patient).toEqual(['postgres'])
    await expect.poll(stateOf, patient).toEqual(away)
  } finally {
    await relay.restore()
  }
  await expect.poll(failed, patient).toEqual([])
})

test('a full disk, alone and while the database is away', async () => {
  disk.free = 0
  try {
    await expect.poll(failed, patient).toEqual(['storage'])
    const lone = { overall: 'down', storage: 'down', database: 'operational', 'dataset:bars': 'operational' }
    await expect.poll(stateOf, patient).toMatchObject(lone)
    const { components } = await ask<Status>('/api/v1/status')
    const storage = components.find(each => each.name === 'storage')
    expect(storage).toMatchObject({ status: 'down', detail: 'the disk of the data folder is full' })
    expect(JSON.stringify(components)).not.toContain(folder)
    await relay.cut()
    try {
      await expect.poll(failed, patient).toEqual(['postgres', 'storage'])
      await expect.poll(stateOf, patient).toEqual({ ...away, storage: 'down' })
    } finally {
      await relay.restore()
    }
  } finally {
    disk.free = null
  }
})
