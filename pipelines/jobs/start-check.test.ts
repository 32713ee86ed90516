// Wrong settings are refused before anything is opened: one message that names each setting, exit code 2, nothing written.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { type Config, loadConfig } from '#schemas/config.ts'
import { checkRemote } from '#warehouse/store/lake/open-remote.ts'
import { checkApiStart, checkWritable } from '#warehouse/store/start-check/start-check.ts'
import { keptIo } from '../cli/kept-io.ts'
import { main } from '../cli/main.ts'
import { checkJobs, checkStart, checkWorkerStart } from './start-check.ts'
import { taskNames } from './worker/task-names.ts'
import { housekeeping } from './worker/tasks.ts'

const root = join(import.meta.dirname, '..', '..')
let folder: string
let taken: Server
let takenPort: number

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crossfile-start-check-'))
  taken = createServer()
  await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve))
  takenPort = (taken.address() as AddressInfo).port
})
afterAll(async () => {
  taken.close()
  await rm(folder, { recursive: true, force: true })
})

let count = 0
const freshData = (): string => join(folder, `data-${++count}`)
const environment = (more: Record<string, string> = {}): Record<string, string> => ({ CROSSFILE_DATA: freshData(), PORT: '0', ...more })

async function faultOf(env: Record<string, string>, check = checkStart): Promise<{ message: string; hint: string | undefined }> {
  try {
    await check(loadConfig(env))
  } catch (error) {
    return { message: (error as Error).message, hint: (error as { hint?: string }).hint }
  }
  throw new Error('the start was allowed')
}

async function jobsFile(change: (text: string) => string): Promise<string> {
  const path = join(folder, `jobs-${++count}.yaml`)
  await writeFile(path, change(await readFile(join(root, 'jobs.yaml'), 'utf8')))
  return path
}
const lineOf = async (path: string, text: string): Promise<number> =>
  (await readFile(path, 'utf8')).split('\n').findIndex(line => line.includes(text)) + 1

describe('what is checked before a start', () => {
  test('correct settings pass and leave the data folder empty', async () => {
    const env = environment({ DATABASE_URL: await createTestDatabase() })
    await checkStart(loadConfig(env))
    await checkWorkerStart(loadConfig(env))
    await checkApiStart(loadConfig(env))
    expect(await readdir(env['CROSSFILE_DATA'] ?? '')).toEqual([])
  })
  test('a port in use names PORT, that of the metrics its own setting', async () => {
    expect(await faultOf(environment({ PORT: String(takenPort) }))).toEqual({
      message: `PORT: port ${takenPort} of 127.0.0.1 is in use by another program`,
      hint: 'set PORT to a free port, or PORT=0 to take any free one',
    })
    expect((await faultOf(environment({ CROSSFILE_METRICS_PORT: String(takenPort) }), checkApiStart)).message).toContain(
      'CROSSFILE_METRICS_PORT: port',
    )
    expect((await faultOf(environment({ PORT: '65001', CROSSFILE_METRICS_PORT: '65001' }))).message).toContain('is that of the API (PORT)')
  })
  test('a bucket that cannot be reached names CROSSFILE_LAKE, for the worker and the API', async () => {
    const ofApi = (config: Config): Promise<void> => checkApiStart(config, checkRemote(config, false))
    for (const check of [checkStart, checkWorkerStart, ofApi]) {
      const env = environment({
        DATABASE_URL: await createTestDatabase(),
        CROSSFILE_LAKE: 's3://a-bucket/lake',
        CROSSFILE_S3_ENDPOINT: 'http://127.0.0.1:1',
        AWS_ACCESS_KEY_ID: 'id',
        AWS_SECRET_ACCESS_KEY: 'a-secret-of-the-bucket',
      })
      const fault = await faultOf(env, check)
      expect(fault.message).toMatch(/^CROSSFILE_LAKE: s3:\/\/a-bucket\/lake: GET lake\/delta\/\.probe-[0-9a-f]+ failed: /)
      expect(fault.hint).toContain('check CROSSFILE_S3_ENDPOINT')
      expect(JSON.stringify(fault)).not.toContain('a-secret-of-the-bucket')
    }
  })
  test('an address of another machine names HOST', async () => {
    expect((await faultOf(environment({ HOST: '192.0.2.1' }))).message).toContain('HOST: this machine cannot listen on 192.0.2.1')
  })
  test('a data folder under a file names CROSSFILE_DATA', async () => {
    const file = join(folder, 'a-file')
    await writeFile(file, '')
    const fault = await faultOf(environment({ CROSSFILE_DATA: join(file, 'data') }))
    expect(fault.message).toContain(`CROSSFILE_DATA: the folder ${join(file, 'data')} cannot be written`)
    expect(fault.hint).toContain('set CROSSFILE_DATA to another folder')
  })
  test('a data folder that is a file is called one', async () => {
    const file = join(folder, 'another-file')
    await writeFile(file, '')
    expect(await faultOf(environment({ CROSSFILE_DATA: file }))).toEqual({
      message: `CROSSFILE_DATA: ${file} is a file, not a folder`,
      hint: 'set CROSSFILE_DATA to another folder',
    })
  })
  test('a data folder that is a symbolic link to nothing is called one', async () => {
    const link = join(folder, 'a-link')
    await symlink(join(folder, 'nowhere'), link)
    expect((await faultOf(environment({ CROSSFILE_DATA: link }))).message).toBe(`CROSSFILE_DATA: ${link} is a symbolic link to nothing, or a file`)
  })
  test('missing parents of the data folder are made', async () => {
    const data = join(freshData(), 'one', 'two')
    expect(await checkWritable(data, 'CROSSFILE_DATA')).toEqual([])
    expect(await readdir(data)).toEqual([])
  })
  // A recursive mkdir there never returns; a sync one could not even be timed out, so these are programs of their own.
  test.runIf(process.platform === 'linux').each(['start', 'worker', 'migrate'])(
    'crossfile %s ends with 2 where the file system lets nobody make a folder',
    command => {
      const data = '/proc/crossfile-test/data'
      const env = { ...environment({ CROSSFILE_DATA: data }), PATH: process.env['PATH'] }
      const ended = spawnSync(process.execPath, [join(root, 'pipelines/cli/main.ts'), command], { env, encoding: 'utf8' })
      expect([ended.status, ended.stderr]).toEqual([2, expect.stringContaining('CROSSFILE_DATA: the folder /proc/crossfile-test')])
      expect(ended.stderr).toContain('set CROSSFILE_DATA to another folder')
    },
  )
  test('crossfile rebuild, which has nothing to build from in a missing folder, makes none', () => {
    const data = freshData()
    const env = { ...environment({ CROSSFILE_DATA: data }), PATH: process.env['PATH'] }
    const ended = spawnSync(process.execPath, [join(root, 'pipelines/cli/main.ts'), 'rebuild'], { env, encoding: 'utf8' })
    expect([ended.status, ended.stderr]).toEqual([3, expect.stringContaining(data)])
    expect(existsSync(data)).toBe(false)
  })
  test.skipIf(process.getuid?.() === 0 || process.platform === 'win32')('a folder without the right to write names CROSSFILE_DATA', async () => {
    const data = freshData()
    await mkdir(data)
    await chmod(data, 0o500)
    expect((await faultOf(environment({ CROSSFILE_DATA: data }))).message).toContain('this user has no right to write there')
  })
  test('a disk with less free space than a start needs is called full', async () => {
    const data = freshData()
    const [fault] = await checkWritable(data, 'CROSSFILE_DATA', Number.MAX_SAFE_INTEGER)
    expect(fault).toMatchObject({ setting: 'CROSSFILE_DATA', found: expect.stringContaining(`the disk of ${data} is full: `) })
    expect(await checkWritable(data, 'CROSSFILE_DATA')).toEqual([])
    expect(await readdir(data)).toEqual([])
  })
  test('a database that refuses, cannot be resolved, or knows neither user nor database names DATABASE_URL, without the password', async () => {
    const refused = await faultOf(environment({ DATABASE_URL: 'postgres://me:hidden@127.0.0.1:1/x' }))
    expect(refused.message).toBe('DATABASE_URL: no PostgreSQL accepts connections at 127.0.0.1:1/x')
    const unknown = await faultOf(environment({ DATABASE_URL: 'postgres://me:hidden@nowhere.invalid/x' }))
    expect(unknown.message).toMatch(/^DATABASE_URL: (the host name nowhere.invalid cannot be resolved|PostgreSQL at nowhere.invalid)/)
    const url = new URL(await createTestDatabase())
    url.pathname = '/no_such_database'
    expect((await faultOf(environment({ DATABASE_URL: url.href }))).message).toContain('has no database "no_such_database"')
    url.password = 'hidden'
    const wrong = await faultOf(environment({ DATABASE_URL: url.href }))
    expect(wrong.message).toContain('refuses the user "crossfile"')
    expect(JSON.stringify([refused, unknown, wrong])).not.toContain('hidden')
  })
  test('several faults are one message', async () => {
    const { message, hint } = await faultOf(environment({ PORT: String(takenPort), DATABASE_URL: 'postgres://me@127.0.0.1:1/x' }))
    expect(message).toMatch(/^2 settings prevent the start:\n {2}PORT: .*\n {2}DATABASE_URL: /)
    expect(hint).toBe('change PORT, DATABASE_URL')
  })
})

describe('jobs.yaml before a start', () => {
  test.each([
    [
      'an unknown plan',
      'plan: nasdaqtrader-directories',
      'plan: nasdaqtrader-directory',
      'jobs.symbols-us.plan: there is no plan "nasdaqtrader-directory"',
    ],
    ['an unknown source', 'source: nasdaqtrader', 'source: nasdaqtraders', 'jobs.symbols-us.source: there is no source "nasdaqtraders"'],
    ['a minute that does not exist', 'cron: "30 6 * * 1-5"', 'cron: "61 6 * * 1-5"', 'jobs.symbols-us.schedule.cron: is no schedule'],
    ['a day that never comes', 'cron: "30 6 * * 1-5"', 'cron: "30 6 31 2 *"', 'jobs.symbols-us.schedule.cron: no day and hour ever match'],
    ['an unknown key', 'backfill: none', 'backfil: none', 'jobs.symbols-us.backfil: there is no such key'],
  ])('%s is refused with its line and job', async (_what, before, after, message) => {
    const path = await jobsFile(text => text.replace(before, after))
    const [fault] = checkJobs({ jobsFile: path })
    expect(fault?.setting).toBe('CROSSFILE_JOBS')
    expect(fault?.found).toContain(`${basename(path)}:${await lineOf(path, after)}: ${message}`)
  })
  test('the file that comes with Crossfile passes', () => {
    expect(checkJobs({ jobsFile: join(root, 'jobs.yaml') })).toEqual([])
  })
  test('a file that does not exist names CROSSFILE_JOBS', () => {
    expect(checkJobs({ jobsFile: join(folder, 'none.yaml') })[0]).toMatchObject({ setting: 'CROSSFILE_JOBS' })
  })
  test('the names of the plans that are code are those of the code', () => {
    const runtime = { tools: {}, postgres: { db: null }, raw: null, config: {} } as unknown as Parameters<typeof housekeeping>[0]
    expect([...housekeeping(runtime, () => {}).keys()].sort()).toEqual([...taskNames].sort())
  })
})

describe('the programs', () => {
  test.each(['start', 'worker'])('crossfile %s ends with 2 and makes no database', async command => {
    const env = environment({ CROSSFILE_JOBS: join(folder, 'none.yaml') })
    const io = keptIo(env)
    expect(await main([command], io, env)).toBe(2)
    expect(io.output.err[0]).toContain('CROSSFILE_JOBS: ')
    expect(await readdir(env['CROSSFILE_DATA'] ?? '')).toEqual([])
  })
  test.each(['pipelines/jobs/worker/main.ts', 'api/server.ts'])('%s ends with 2 and one message', async file => {
    const env = { ...environment({ DATABASE_URL: 'postgres://me:hidden@127.0.0.1:1/x' }), PATH: process.env['PATH'] }
    const child = spawn(process.execPath, [join(root, file)], { env, stdio: ['ignore', 'ignore', 'pipe'] })
    let text = ''
    child.stderr.setEncoding('utf8').on('data', part => {
      text += part
    })
    expect(await new Promise(resolve => child.once('close', resolve))).toBe(2)
    expect(text).toMatch(/^crossfile (worker|api): DATABASE_URL: no PostgreSQL accepts connections at 127.0.0.1:1\/x\n {2}start that server.*\n$/)
  })
})
