// The log of a run: what is kept, what the limits leave out, and which run a line belongs to.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { findRunLines, sweepRunLines } from '#warehouse/store/jobs/run-log.ts'
import { alsoToRun, createRunLog, noteRun, withRunLog } from './run-log.ts'

const { db } = await testDatabase()
const clock = (): Date => new Date('2026-11-20T21:30:00.000Z')
async function aRun(): Promise<number> {
  const row = { job: 'fx', queue_job: null, attempt: 0, partition: 'p', backfill_id: null, worker: 'test', state: 'running' as const }
  const made = { ...row, finished_at: null, release: null, error: null }
  return (await db.insertInto('job_run').values(made).returning('run_id').executeTakeFirstOrThrow()).run_id
}
const open = (run: number) =>
  createRunLog(db, run, clock, error => {
    throw error
  })
const messages = async (run: number): Promise<string[]> => (await findRunLines(db, run, 0, 10_000)).map(({ level, message }) => `${level} ${message}`)

test('lines of two runs at the same time stay apart, and the log of the worker gets them too', async () => {
  const shown: string[] = []
  const log = alsoToRun((level, message) => shown.push(`${level} ${message}`))
  const work = async (name: string): Promise<number> => {
    const run = await aRun()
    const lines = open(run)
    await withRunLog(lines, async () => {
      log('debug', `${name} requests`)
      await new Promise(resolve => setImmediate(resolve))
      noteRun('info', `${name} commits`)
    })
    await lines.close()
    return run
  }
  const [one, two] = await Promise.all([work('one'), work('two')])
  log('info', 'no run')
  expect(await messages(one)).toEqual(['debug one requests', 'info one commits'])
  expect(await messages(two)).toEqual(['debug two requests', 'info two commits'])
  expect(shown.sort()).toEqual(['debug one requests', 'debug two requests', 'info no run'])
})

test('a run keeps 1500 lines and 500 warnings more, counts the rest, and shortens long lines', async () => {
  const run = await aRun()
  const lines = open(run)
  lines.add('info', `${'x'.repeat(3000)}\nforged line`)
  for (let n = 2; n <= 1600; n += 1) lines.add('debug', `line ${n}`)
  for (let n = 1; n <= 600; n += 1) lines.add('warn', `warning ${n}`)
  await lines.close()
  const kept = await messages(run)
  expect([kept.length, kept[0]?.length, kept[1499], kept[1500], kept[1999]]).toEqual([
    2001,
    2006,
    'debug line 1500',
    'warn warning 1',
    'warn warning 500',
  ])
  expect(kept.at(-1)).toBe('info 200 more lines are left out: a run keeps 1500 lines, and 500 warnings and errors more')
  expect((await findRunLines(db, run, 1999, 10)).map(each => each.line)).toEqual([2000, 2001])
})

test('lines that could not be stored are stored with the next ones', async () => {
  const failures: unknown[] = []
  // The run does not exist yet: the first attempt to store fails.
  const { rows } = await sql<{ next: number }>`select max(run_id)::int + 1 as next from job_run`.execute(db)
  const run = rows[0]?.next ?? 1
  const lines = createRunLog(db, run, clock, error => failures.push(error))
  for (let n = 1; n <= 200; n += 1) lines.add('info', `line ${n}`)
  await expect.poll(() => failures.length).toBeGreaterThan(0)
  expect(await aRun()).toBe(run)
  await lines.close()
  expect((await messages(run)).length).toBe(200)
})

test('lines are removed after 30 days, and their runs stay', async () => {
  const run = await aRun()
  const lines = open(run)
  lines.add('info', 'old')
  await lines.close()
  expect(await sweepRunLines(db, new Date('2026-12-20T21:29:59.000Z'))).toBe(0)
  expect(await sweepRunLines(db, new Date('2026-12-20T21:30:01.000Z'))).toBeGreaterThan(0)
  expect(await messages(run)).toEqual([])
  expect(await db.selectFrom('job_run').select('run_id').where('run_id', '=', run).executeTakeFirst()).toBeDefined()
})
