import { expect, test, vi } from 'vitest'
import { testFolder } from '#fixtures/test-folder.ts'
import { Secret } from '#schemas/config.ts'
import { BadRequest, Broken } from '#schemas/errors.ts'
import { ServerNotStarted } from '#warehouse/store/disk-faults.ts'
import { outlast } from './outlast.ts'

const disk = vi.hoisted(() => ({ free: null as number | null }))
vi.mock('node:fs/promises', async importOriginal => {
  const { withFreeBlocks } = await import('#fixtures/disk.ts')
  return withFreeBlocks(await importOriginal<typeof import('node:fs/promises')>(), disk)
})

const { folder } = testFolder('outlast')
const own = { dataFolder: folder, databaseUrl: null }
const given = { dataFolder: folder, databaseUrl: new Secret('postgres://crossfile@db.example/crossfile') }
const never = new AbortController().signal
const lost = (message: string, code: string): Error => Object.assign(new Error(message), { code })

/** What `outlast` throws for an error of its work, and how often it did the work; ends after ten times. */
async function failure(error: Error, config: typeof own | typeof given) {
  let runs = 0
  const stop = new AbortController()
  const log = (): void => stop.abort(new Error('it would retry'))
  const thrown = await outlast(
    async () => {
      runs += 1
      throw error
    },
    config,
    log,
    stop.signal,
  ).catch((each: unknown) => each)
  return { thrown, runs, retries: stop.signal.aborted }
}

test.each([
  ['of Node', Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })],
  ['of a quota', Object.assign(new Error('EDQUOT: write'), { code: 'EDQUOT' })],
  ['of PostgreSQL', lost('could not extend file "base/1/2": No space left on device', '53100')],
  ['of a migration', new Error('migration 0033: it failed', { cause: lost('could not extend file', '53100') })],
  ['of initdb', new Broken('initdb could not make the database: FATAL:  could not write to file "base/5/2838": No space left on device')],
  ['of DuckDB', new Error('IO Error: Could not write file "/d/stage/a": No space left on device')],
])('an error %s about a full disk ends a start with the setting, and is not retried', async (_what, error) => {
  const { thrown, runs, retries } = await failure(error, own)
  expect(thrown).toBeInstanceOf(BadRequest)
  expect(thrown).toMatchObject({
    message: `CROSSFILE_DATA: the disk of ${folder} is full`,
    hint: expect.stringContaining('free space'),
    cause: error,
  })
  expect([runs, retries]).toEqual([1, false])
})

test('the disk of a server that DATABASE_URL names is that of the server', async () => {
  const error = lost('could not extend file "base/1/2": No space left on device', '53100')
  expect((await failure(error, given)).thrown).toMatchObject({ message: 'DATABASE_URL: the disk of the PostgreSQL server is full' })
})

test('a server that did not start is explained only by a full disk', async () => {
  const error = new ServerNotStarted('PostgreSQL did not start over the data folder (exit code 1): it wrote no log')
  expect((await failure(error, own)).thrown).toBe(error)
  disk.free = 0
  try {
    for (const each of [error, lost('Connection terminated unexpectedly', '57P01')])
      expect((await failure(each, own)).thrown).toMatchObject({ message: `CROSSFILE_DATA: the disk of ${folder} is full`, cause: each })
    expect((await failure(error, given)).thrown).toBe(error)
  } finally {
    disk.free = null
  }
})

test('a lost connection is retried, any other error is thrown as it is', async () => {
  for (const config of [own, given])
    expect(await failure(lost('connect ECONNREFUSED', 'ECONNREFUSED'), config)).toMatchObject({ retries: true, runs: 1 })
  const other = new TypeError('a fault of the program')
  expect(await failure(other, own)).toEqual({ thrown: other, runs: 1, retries: false })
  expect(
    await outlast(
      async () => 'done',
      own,
      () => undefined,
      never,
    ),
  ).toBe('done')
})
