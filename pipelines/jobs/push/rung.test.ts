// A notice that a user asks for reaches the browser at once: from the API through the queue and the worker's job to the push service.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { startPushService } from '#fixtures/push-service.ts'
import { signedInUser } from '#fixtures/users.ts'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { enqueuePush, ringPush } from '#warehouse/people/push/send.ts'
import { saveSubscription } from '#warehouse/people/push/subscriptions.ts'
import { asUser } from '#warehouse/people/users/own-rows.ts'
import { openQueue } from '#warehouse/store/queue.ts'
import { startWorker } from '../worker/worker.ts'

const { config, runtime } = await worldWarehouse()
const { db } = runtime.postgres
const service = await startPushService()
afterAll(() => service.close())

it('a notice is sent when the job is rung, long before its schedule', async () => {
  const jobsFile = join(config.dataFolder, 'jobs.yaml')
  // New Year's night: nothing but the bell sends it.
  const job = 'title: Send notices, source: crossfile, plan: push-send, datasets: [], backfill: none, freshness_minutes: null, enabled: "on"'
  writeFileSync(jobsFile, `version: 1\njobs:\n  push-send: { ${job}, schedule: { cron: "0 0 1 1 *", time_zone: UTC, calendar: null } }\n`)
  const worker = await startWorker({ ...config, jobsFile, pushHosts: [service.origin] }, () => {})
  const queue = await openQueue(db, false, () => {})
  try {
    const { user_id } = await signedInUser(db)
    const arrived = async (many: number): Promise<void> => {
      while (service.received.length < many) await new Promise(resolve => setTimeout(resolve, 20))
    }
    await asUser(db, user_id, async trx => {
      await saveSubscription(trx, user_id, { ...service.browser(), tickers: null }, new Date())
      expect(await enqueuePush(trx, { user_id, dedupe_key: 'one', title: 'AAPL', body: 'above 200' })).toBe(1)
    })
    await ringPush(queue)
    await arrived(1)
    expect(service.faults).toEqual([])
    expect(service.received[0]?.payload).toMatchObject({ title: 'AAPL', body: 'above 200', url: null })
  } finally {
    await queue.close()
    await worker.stop()
  }
})
