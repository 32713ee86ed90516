// `crossfile jobs`, `run` and `status` next to workers whose settings differ from those of the shell.
import { afterEach, expect, test } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { loadConfig } from '#schemas/config.ts'
import { recordWorker } from '#warehouse/store/jobs/workers.ts'
import { connect } from '#warehouse/store/postgres.ts'
import { readJobs, version, whyOff } from '../jobs/jobs-file.ts'
import { keptIo } from './kept-io.ts'
import { main } from './main.ts'

const { db, url } = await testDatabase()
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A worker with these settings. */
async function aWorker(process: number, settings: Record<string, string>, { runs = version }: { runs?: string } = {}): Promise<void> {
  const session = connect(url, { applicationName: 'crossfile worker listener', max: 1, kept: 1 })
  await session.pool.query('select 1')
  const config = loadConfig({ CROSSFILE_DATA: '/nonexistent', ...settings })
  const jobs = readJobs(config)
  const record = await recordWorker(
    db,
    { worker: `host:${process}:x`, host: 'host', process, version: runs },
    [...jobs.values()].map(job => ({ job, why_off: whyOff(job, config, jobs) })),
    error => {
      throw error
    },
  )
  closing.push(record.close, async () => await session.close())
}
async function run(argv: readonly string[], settings: Record<string, string> = {}) {
  const io = keptIo({ DATABASE_URL: url, CROSSFILE_DATA: '/nonexistent', ...settings })
  const code = await main(argv, io, {})
  return { code, out: io.output.out.join('\n'), err: io.output.err.join('\n'), io }
}
type Line = { name: string; on: boolean; why_off: string | null; next_run: string | null; this_shell: { on: boolean }; workers: { on: boolean }[] }
type Answer = { settings_of: string; workers: { process: number }[]; unknown_workers: number; jobs: Line[] }
const lineOf = (answer: Answer, name: string): Line | undefined => answer.jobs.find(each => each.name === name)

test('while a worker is alive its settings decide, and what this shell would change is stated separately', async () => {
  await aWorker(7, { EODHD_API_TOKEN: 'a-key' })
  const answer = (await run(['jobs', '--json'])).io.json<Answer>()
  expect(answer).toMatchObject({ settings_of: 'workers', workers: [{ process: 7, version }], unknown_workers: 0 })
  expect(lineOf(answer, 'bars-us')).toMatchObject({ on: true, why_off: null, next_run: expect.any(String), this_shell: { on: false } })
  const { out } = await run(['jobs'])
  expect(out).toMatch(/^bars-us +on /m)
  expect(out).toContain('are off by the settings of the worker that runs (process 7 on host):')
  expect(out).toContain('The settings of this shell differ from those of the service. This does not affect the service.')
  expect(out).toMatch(/would not run \d+ of the jobs that run now .*:\n {2}symbols-eodhd, /)
})
test('a job that only this shell would run is off, with the reason of the worker', async () => {
  await aWorker(7, {})
  const settings = { EODHD_API_TOKEN: 'a-key' }
  const answer = (await run(['jobs', '--json'], settings)).io.json<Answer>()
  expect(lineOf(answer, 'bars-us')).toMatchObject({ on: false, why_off: expect.stringContaining('EODHD_API_TOKEN'), this_shell: { on: true } })
  expect((await run(['jobs'], settings)).out).toMatch(/would also run:\n {2}symbols-eodhd, /)
  expect(await run(['run', 'bars-us', '--no-wait'], settings)).toMatchObject({
    code: 2,
    err: expect.stringContaining('bars-us is off in the worker that runs: eodhd: no key is set'),
  })
})
test('equal settings leave nothing to state', async () => {
  await aWorker(7, {})
  expect((await run(['jobs'])).out).not.toContain('this shell')
})
test('two workers with other settings are shown by job', async () => {
  await aWorker(7, { EODHD_API_TOKEN: 'a-key' })
  await aWorker(8, {})
  const answer = (await run(['jobs', '--json'])).io.json<Answer>()
  expect(lineOf(answer, 'bars-us')).toMatchObject({ on: true, workers: [{ on: true }, { on: false }] })
  const { out } = await run(['jobs'])
  expect(out).toContain('are off by the settings of the 2 workers that run:')
  expect(out).toMatch(
    /Only some of the workers run:\n {2}symbols-eodhd, .*\n {4}process 7 on host: on\n {4}process 8 on host: off: eodhd: no key is set/,
  )
})
test('without a worker the settings of this shell are shown as such', async () => {
  const answer = (await run(['jobs', '--json'])).io.json<Answer>()
  expect(answer).toMatchObject({ settings_of: 'this_shell', workers: [], unknown_workers: 0 })
  expect((await run(['jobs'])).out).toContain('are off by the settings of this shell (no worker runs):')
})
test('a job that the worker runs is sent without a word about this shell', async () => {
  await aWorker(7, { EODHD_API_TOKEN: 'a-key' })
  expect(await run(['run', 'bars-us', '--no-wait'])).toMatchObject({ code: 0, err: '' })
})
test('the status counts the jobs of the worker as those that feed a dataset', async () => {
  await aWorker(7, { EODHD_API_TOKEN: 'a-key' })
  const status = (await run(['status', '--json'])).io.json<{ datasets: { dataset: string; jobs: string[] }[] }>()
  expect(status.datasets.find(each => each.dataset === 'quotes')?.jobs).toContain('quotes-eodhd')
})
test('a worker of another version is a finding of doctor', async () => {
  await aWorker(7, {}, { runs: '0.0.1' })
  const { findings } = (await run(['doctor', '--json'])).io.json<{ findings: { check: string; found: string }[] }>()
  expect(findings.filter(each => each.check === 'jobs').map(each => each.found)).toContain(
    `the worker (process 7 on host) is of version 0.0.1, this command of version ${version}`,
  )
})
test('next to a service of an older version it is not claimed that no worker runs', async () => {
  await aWorker(7, {})
  await db.deleteFrom('schema_migrations').where('name', '=', '0043-worker-jobs.sql').execute()
  const { code, out } = await run(['jobs'])
  expect(code).toBe(0)
  expect(out).toContain('are off by the settings of this shell (whether a worker runs is not known):')
  expect(out).toContain('No past runs and no workers are shown: the database is not up to date: 0043-worker-jobs.sql is not applied')
})
