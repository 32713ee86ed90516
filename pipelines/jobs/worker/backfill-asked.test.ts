// A backfill that an administrator asked for: the worker cuts it into windows, once, and says why where it cannot.
import { expect, test } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { openRequestQueue } from '#fixtures/request-queue.ts'
import { loadConfig } from '#schemas/config.ts'
import { insertBackfill, listBackfills } from '#warehouse/store/jobs/backfills.ts'
import { findRuns } from '#warehouse/store/jobs/runs.ts'
import { backfillQueue } from '#warehouse/store/queue.ts'
import { defineQueue, readJobs } from '../jobs-file.ts'
import type { RequestTools } from './request-tools.ts'
import { runRequest } from './requests.ts'

const { db } = await testDatabase()
const config = loadConfig({ CROSSFILE_UPSTREAM_BASE: 'http://127.0.0.1:9' })
const jobs = readJobs(config)
const queue = await openRequestQueue(db)
await defineQueue(queue, jobs, 'fx')

async function ask(job: string, settings = config): Promise<number> {
  const range = { job, from: '2024-01-01', to: '2024-12-31', symbols: null }
  const backfill_id = await insertBackfill(db, range)
  const data = { partition: `backfill ${backfill_id}`, from: null, to: null, symbols: null, backfill_id: null, request: { backfill_id } }
  await queue.send(backfillQueue, data, { key: `backfill ${backfill_id}` })
  const [claimed] = await queue.claim(backfillQueue, 1)
  if (!claimed) throw new TypeError('nothing was claimed')
  const tools = { ingest: { db }, queue, jobs, config: settings, dataNow: () => new Date('2026-11-21T12:00:00Z') } as unknown as RequestTools
  await runRequest(tools, claimed)
  return backfill_id
}

test('is cut into the windows of its job, which wait for a worker; asked again, nothing is sent twice', async () => {
  const id = await ask('fx')
  const waiting = async (): Promise<number> => (await queue.claim('fx', 100)).length
  expect(await listBackfills(db, 5, 'fx')).toMatchObject([{ backfill_id: id, total: 4, waiting: 4, done: 0, failed: 0 }])
  expect(await ask('fx')).toBe(id)
  expect(await listBackfills(db, 5, 'fx')).toMatchObject([{ total: 4, waiting: 4 }])
  expect(await waiting()).toBe(4)
  expect(await listBackfills(db, 5, 'symbols-us')).toEqual([])
})

test.each([
  ['symbols-us', 'has only current data'],
  ['never-heard-of', 'there is no job'],
])('of %s it says why it cannot be', async (job, why) => {
  const id = await ask(job)
  expect(await findRuns(db, { job, state: null, limit: 5 })).toMatchObject([
    { backfill_id: id, state: 'failed', error: expect.stringContaining(why) },
  ])
})

test('of a job that is off by the settings of the worker, a failed run says so', async () => {
  await ask('bars-us', loadConfig({}))
  const [run] = await findRuns(db, { job: 'bars-us', state: 'failed', limit: 1 })
  expect(run?.error).toContain('bars-us is off')
})
