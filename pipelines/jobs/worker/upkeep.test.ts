import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { loadConfig } from '#schemas/config.ts'
import { sha256Hex } from '#warehouse/store/raw/pack.ts'
import { openRuntime, type Runtime } from '../../ingest/runtime.ts'
import { readJobs } from '../jobs-file.ts'
import { openParts, type WorkerParts } from './parts.ts'
import { readHeldJob } from './tasks.ts'
import { askForUnread } from './upkeep.ts'

let data: string
let runtime: Runtime
let parts: WorkerParts
const logged: string[] = []

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'crossfile-upkeep-'))
  const config = loadConfig({ CROSSFILE_DATA: data, DATABASE_URL: await createTestDatabase() })
  runtime = await openRuntime(config, (_level, line) => logged.push(line), 'crossfile test')
  parts = await openParts(runtime, readJobs(config), () => {})
})
afterAll(async () => {
  await parts.close()
  await runtime.close()
  await rm(data, { recursive: true, force: true })
})

test('a worker that starts with unread documents makes the job that reads them ready, also after a failed attempt', async () => {
  const body = Buffer.from('text')
  const document = {
    sha256: sha256Hex(body),
    source: 'csv',
    url: 'file:text.txt',
    retrieved_at: '2026-11-20T12:00:00Z',
    status: 200,
    headers: {},
    body,
  }
  await runtime.raw.keep([document])
  await parts.queue.define(readHeldJob, { retryLimit: 2, retryDelay: 3600, retryDelayMax: 3600, expireInSeconds: 600 })
  const isReady = async (): Promise<boolean> => (await parts.queue.ready()).includes(readHeldJob)
  await askForUnread(runtime, parts)
  await expect.poll(isReady).toBe(true)
  const [claimed] = await parts.queue.claim(readHeldJob, 1)
  if (!claimed) throw new Error('the job was not claimed')
  await parts.queue.fail(claimed, { message: 'the disk is full' })
  expect(await isReady()).toBe(false)
  await askForUnread(runtime, parts)
  await expect.poll(isReady).toBe(true)
  expect(logged.at(-1)).toBe('1 document is kept and not read yet, such as file:text.txt: the job read-held reads them')
})
