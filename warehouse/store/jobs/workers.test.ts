// Workers record their jobs; commands and pages read the records of those that are alive.
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { createTestDatabase, testDatabase } from '#fixtures/postgres.ts'
import { JobDefinition } from '#schemas/jobs.ts'
import { connect } from '../postgres.ts'
import { findRunningWorkers, onWorkers, recordWorker, runningJobs, type WorkerJob, whyNoWorker } from './workers.ts'

const { db, url } = await testDatabase()
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
  await db.deleteFrom('running_worker').execute()
})

const aJob = (name: string, why_off: string | null): WorkerJob => ({
  job: {
    ...JobDefinition.parse({
      title: 'a job',
      source: 'eodhd',
      plan: 'p',
      datasets: ['bars'],
      schedule: null,
      backfill: 'day',
      freshness_minutes: 60,
    }),
    name,
  },
  why_off,
})
const fail = (error: unknown): never => {
  throw error
}
/** A worker as others see it: its listening session and its record. */
async function aWorker(name: string, jobs: readonly WorkerJob[], sessionOf = url): Promise<{ kill(): Promise<void>; stop(): Promise<void> }> {
  const session = connect(sessionOf, { applicationName: 'crossfile worker listener', max: 1, kept: 1 })
  await session.pool.query('select 1')
  const record = await recordWorker(db, { worker: name, host: 'a', process: 1, version: '0.1.0' }, jobs, fail)
  let open = true
  const kill = async (): Promise<void> => {
    if (!open) return
    open = false
    const { rows } = await session.pool.query<{ pid: number }>('select pg_backend_pid() as pid')
    await session.close()
    // A session ends a moment after its connection.
    await expect.poll(async () => (await sql`select from pg_stat_activity where pid = ${rows[0]?.pid}`.execute(db)).rows.length).toBe(0)
  }
  closing.push(kill, record.close)
  return {
    kill,
    stop: async () => {
      await record.close()
      await kill()
    },
  }
}
const names = async (): Promise<string[]> => (await findRunningWorkers(db)).known.map(each => each.worker)

describe('workers that run', () => {
  test('a job is on if one of them runs it; another with other settings is named with its reason', async () => {
    await aWorker('one', [aJob('fx', null), aJob('bars', 'eodhd: no key is set')])
    await aWorker('two', [aJob('fx', 'switched off in jobs.yaml'), aJob('bars', 'eodhd: no key is set')])
    const workers = await findRunningWorkers(db)
    expect(workers.unknown).toBe(0)
    expect(onWorkers(workers, 'fx')).toEqual([
      { worker: 'one', on: true, why_off: null },
      { worker: 'two', on: false, why_off: 'switched off in jobs.yaml' },
    ])
    expect(whyNoWorker(onWorkers(workers, 'fx'))).toBeNull()
    expect(whyNoWorker(onWorkers(workers, 'bars'))).toBe('eodhd: no key is set')
    expect(whyNoWorker(onWorkers(workers, 'other'))).toBe('the jobs.yaml of this worker does not have it')
    expect(runningJobs(workers).map(job => job.name)).toEqual(['fx'])
  })
  test('one that stops removes its record', async () => {
    const worker = await aWorker('one', [aJob('fx', null)])
    await worker.stop()
    expect(await db.selectFrom('running_worker').select('worker').execute()).toEqual([])
  })
  test('the record of a killed one counts no longer, at once, though it is still there', async () => {
    const worker = await aWorker('one', [aJob('fx', null)])
    expect(await names()).toEqual(['one'])
    await worker.kill()
    expect(await findRunningWorkers(db)).toEqual({ known: [], unknown: 0 })
    expect(await db.selectFrom('running_worker').select('worker').execute()).toHaveLength(1)
  })
  test('a worker that replaces a killed one is the one that is shown', async () => {
    const killed = await aWorker('killed', [aJob('fx', 'no contact is set')])
    await killed.kill()
    await aWorker('new', [aJob('fx', null)])
    expect(await names()).toEqual(['new'])
  })
  test('a worker without a record of the last minutes is unknown, and an old record is deleted by the next worker', async () => {
    await aWorker('one', [aJob('fx', null)])
    await sql`update running_worker set seen_at = seen_at - interval '1 hour'`.execute(db)
    expect(await findRunningWorkers(db)).toEqual({ known: [], unknown: 1 })
    await sql`update running_worker set seen_at = seen_at - interval '2 days'`.execute(db)
    await aWorker('two', [aJob('fx', null)])
    expect(await db.selectFrom('running_worker').select('worker').execute()).toEqual([{ worker: 'two' }])
  })
  test('a record that this version cannot read makes the worker unknown', async () => {
    await aWorker('one', [aJob('fx', null)])
    await sql`update running_worker set jobs = '[{"name": "fx"}]'`.execute(db)
    expect(await findRunningWorkers(db)).toEqual({ known: [], unknown: 1 })
  })
  test('a worker of another database of the server is another one', async () => {
    await aWorker('one', [aJob('fx', null)], await createTestDatabase())
    expect(await findRunningWorkers(db)).toEqual({ known: [], unknown: 0 })
  })
})
