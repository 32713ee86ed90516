// A whole backfill and a run against the simulator, in this process: no worker is alive here.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { startWorldServer, type WorldServer } from '#fixtures/world/server.ts'
import { freezeDataClock, releaseDataClock } from '#warehouse/store/data-clock.ts'
import { connect, type Postgres } from '#warehouse/store/postgres.ts'
import { keptIo } from './kept-io.ts'
import { main } from './main.ts'

let env: Record<string, string> = {}
let simulator: WorldServer
let postgres: Postgres
const data = mkdtempSync(join(tmpdir(), 'crossfile-cli-'))

beforeAll(async () => {
  simulator = await startWorldServer({ scale: 'small', port: 0 })
  const url = await createTestDatabase()
  postgres = connect(url)
  env = { DATABASE_URL: url, CROSSFILE_DATA: data, CROSSFILE_UPSTREAM_BASE: simulator.origin }
})
afterAll(async () => {
  await postgres?.close()
  await simulator?.close()
  rmSync(data, { recursive: true, force: true })
})

const backfill = ['backfill', 'fx', '--from', '2026-08-03', '--to', '2026-11-13']

test('where no worker is alive the windows run in this process, and the second time nothing is asked', async () => {
  const io = keptIo(env)
  expect(await main([...backfill, '--json'], io, env)).toBe(0)
  const first = io.json<{ rows: number }>()
  expect(first).toMatchObject({ job: 'fx', finished: true, windows: { total: 2, done: 2, failed: 0, waiting: 0 }, fetched: 2, failed: [] })
  expect(first.rows).toBeGreaterThan(0)
  expect(io.output.err).toContain('no worker is alive: the windows run in this process')

  const requested = simulator.log().length
  const again = keptIo(env)
  expect(await main(backfill, again, env)).toBe(0)
  expect(again.output.err[0]).toContain('2 done before')
  expect(simulator.log().length).toBe(requested)
})

test('stopped before the end, it says how to go on and leaves the windows waiting', async () => {
  const io = keptIo(env)
  io.interrupt()
  expect(await main(['backfill', 'fx', '--from', '2025-01-01', '--to', '2025-12-31'], io, env)).toBe(130)
  expect(io.output.out.join()).toBe('0 of 4 windows done. The same command resumes it.')
  const waiting = await postgres.db.selectFrom('backfill_window').select('state').where('state', '=', 'waiting').execute()
  expect(waiting).toHaveLength(4)
  await postgres.db.updateTable('backfill_window').set({ state: 'done' }).execute()
})

test('a window whose worker died at its last attempt counts as failed, with that reason', async () => {
  const argv = ['backfill', 'fx', '--from', '2024-01-01', '--to', '2024-03-31']
  expect(await main([...argv, '--no-wait'], keptIo(env), env)).toBe(0)
  // As pg-boss leaves it after the last heartbeat that never came.
  await postgres.pool.query("delete from pgboss.job where name = 'fx' and data ->> 'partition' = '2024-Q1'")
  const { backfill_id } = await postgres.db
    .selectFrom('backfill')
    .select('backfill_id')
    .where('from_date', '=', '2024-01-01')
    .executeTakeFirstOrThrow()
  const { failAbandoned, findFailedWindows } = await import('../jobs/backfill/backfill-rows.ts')
  await failAbandoned(postgres.db, backfill_id, 'fx')
  expect(await findFailedWindows(postgres.db, backfill_id)).toEqual([
    { partition: '2024-Q1', attempts: 0, reason: 'its worker was killed at the last attempt' },
  ])
})

test('one run is waited for and shows what it came to', async () => {
  const io = keptIo(env)
  expect(await main(['run', 'symbols-us', '--json'], io, env)).toBe(0)
  expect(io.json()).toMatchObject({ job: 'symbols-us', state: 'done', run: { state: 'done', fetched: 2 } })
})

test('a dry run says what each route costs and writes nothing', async () => {
  const io = keptIo(env)
  const requested = simulator.log().length
  expect(await main(['backfill', 'insider', '--from', '2026-06-01', '--to', '2026-11-13', '--dry-run', '--json'], io, env)).toBe(0)
  expect(io.json()).toMatchObject({
    job: 'insider',
    routes: [{ route: 'datasets' }, { route: 'feed' }, { route: 'documents' }],
    taken: [{ route: 'datasets' }, {}],
  })
  expect(io.output.err.join('\n')).toMatch(/datasets .* about \d+ .*\n[\s\S]*taken: datasets for 2026-06-01 to 2026-09-30/)
  expect(simulator.log().length).toBe(requested)
  expect(await postgres.db.selectFrom('backfill').select('job').where('job', '=', 'insider').execute()).toEqual([])
})

test('a quarter by data set and the days behind it by feed are a handful of requests', async () => {
  const requested = simulator.log().length
  const io = keptIo(env)
  expect(await main(['backfill', 'insider', '--from', '2026-09-29', '--to', '2026-10-02', '--json'], io, env)).toBe(0)
  const urls = simulator.log().slice(requested)
  expect(urls.some(each => each.url.endsWith('2026q3_form345.zip'))).toBe(true)
  expect(urls.length).toBeLessThan(10)
  expect(io.json()).toMatchObject({ finished: true, failed: [] })
})

test('in an installation of the bundled universe a backfill ends with the day of its clock, whatever the day of the machine', async () => {
  const url = await createTestDatabase()
  const universe = connect(url)
  const own = { DATABASE_URL: url, CROSSFILE_DATA: data }
  const lastDay = async (): Promise<unknown> => {
    const io = keptIo(own, { at: '2027-12-25T20:00:00Z' })
    expect(await main(['backfill', 'fx', '--from', '2026-11-02', '--dry-run', '--json'], io, own)).toBe(0)
    return io.json()['to']
  }
  try {
    await freezeDataClock(universe.db, '2026-11-20T09:30:00Z')
    expect(await lastDay()).toBe('2026-11-20')
    await releaseDataClock(universe.db, new Date('2027-12-25T20:00:00Z'))
    expect(await lastDay()).toBe('2027-12-25')
  } finally {
    await universe.close()
  }
})
