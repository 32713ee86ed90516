import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { TestDisk } from '#fixtures/disk.ts'
import { testFolder } from '#fixtures/test-folder.ts'
import { Secret } from '#schemas/config.ts'
import { BadRequest, Broken, Upstream } from '#schemas/errors.ts'
import { diskErrorOf, FullDisk, findDiskFault, findServerFault, ServerNotStarted } from './disk-faults.ts'

const disks = vi.hoisted(() => new Map<string, TestDisk>())
vi.mock('node:fs/promises', async importOriginal => {
  const { withDisks } = await import('#fixtures/disk.ts')
  return withDisks(await importOriginal<typeof import('node:fs/promises')>(), disks)
})

const { folder } = testFolder('disk-faults')
const data = join(folder, 'data')
const other = join(folder, 'elsewhere')
const temporary = tmpdir()
for (const name of ['stage', 'lake/delta/bars', 'models', 'raw', 'postgres/cluster']) mkdirSync(join(data, name), { recursive: true })
mkdirSync(other)
const own = { dataFolder: data, databaseUrl: null }
const given = { dataFolder: data, databaseUrl: new Secret('postgres://crossfile@db.example/crossfile') }
const big = 50e9

/** The disks of a test; those that it does not name have space. */
function mount(full: Readonly<Record<string, Partial<TestDisk>>>): void {
  for (const [at, disk] of Object.entries(full)) disks.set(at, { free: big, ...disk })
}
beforeEach(() => {
  disks.clear()
  mount({ [temporary]: {}, [data]: {} })
})

const coded = (code: string, more: object = {}): Error => Object.assign(new Error(`${code}: no space left on device, write`), { code, ...more })
const ofDuckdb = (path: string): Error =>
  new Error(
    `IO Error: Async write failed for range [offset=1966263, size=983097]: {"exception_type":"IO","exception_message":"Could not write file \\"${path}\\": No space left on device","errno":"28"}`,
  )
const ofPostgres = (text: string, code: string): Error => Object.assign(new Error(text), { code, severity: 'ERROR' })
const extend = 'could not extend file "base/16384/2840": No space left on device'

describe('an error of a disk', () => {
  const path = '/d/stage/a.parquet'
  test.each([
    ['of Node', coded('ENOSPC', { path }), { state: 'full', from: 'files', path }],
    ['of Node without a path', coded('ENOSPC'), { state: 'full', from: 'files', path: null }],
    ['of a rename', coded('EDQUOT', { path: '/a/b', dest: path }), { state: 'quota', from: 'files', path }],
    ['in a cause', new Upstream('raw pack 1: it failed', { cause: coded('EROFS', { path }) }), { state: 'read-only', from: 'files', path }],
    ['in one of several', new AggregateError([new Error('another'), coded('ENOSPC', { path })]), { state: 'full', from: 'files', path }],
    ['with a path below one without', new Error('failed', { cause: new Error('x', { cause: coded('ENOSPC', { path }) }) }), { path }],
    ['of DuckDB', new Error(`IO Error: Could not write file "${path}": No space left on device`), { state: 'full', from: 'files', path }],
    ['of DuckDB in JSON', ofDuckdb(path), { state: 'full', from: 'files', path }],
    ['of DuckDB, read-only', new Error(`IO Error: Cannot open file "${path}": Read-only file system`), { state: 'read-only', path }],
    [
      'of a spill',
      new Error("Out of Memory Error: failed to offload data block\nThis limit was set by the 'max_temp_directory_size' setting."),
      { state: 'full', from: 'spill' },
    ],
    ['of PostgreSQL', ofPostgres(extend, '53100'), { state: 'full', from: 'postgres', path: null }],
    ['of PostgreSQL, a quota', ofPostgres('could not write block 3: Disk quota exceeded', 'XX000'), { state: 'quota', from: 'postgres' }],
    ['of initdb', new Broken('initdb: could not write to file "base/5/2838": No space left on device'), { state: 'full', from: 'postgres' }],
    [
      'of shared memory',
      ofPostgres('could not resize shared memory segment "/PostgreSQL.1" to 4194304 bytes: No space left on device', '53100'),
      { from: 'memory' },
    ],
    ['of a backup', new FullDisk('/mnt/backup', coded('ENOSPC')), { state: 'full', from: 'files', path: '/mnt/backup' }],
  ])('%s is recognised', (_what, error, expected) => {
    expect(diskErrorOf(error)).toMatchObject(expected)
  })

  test.each([
    ['another code', coded('ENOENT', { path })],
    ['the limit of watched files', coded('ENOSPC', { syscall: 'watch', path })],
    ['the text of another machine', new Upstream('the bucket answered 507: No space left on device')],
    ['memory of DuckDB', new Error('Out of Memory Error: could not allocate block of size 256.0 KiB')],
    ['no error', 'ENOSPC'],
  ])('is not %s', (_what, error) => {
    expect(diskErrorOf(error)).toBeNull()
  })

  test('ends in a loop of causes', () => {
    const loop = new Error('one')
    loop.cause = new Error('two', { cause: loop })
    expect(diskErrorOf(loop)).toBeNull()
  })
})

describe('the explanation', () => {
  test('names the data folder for a path in it, what is free, what may be deleted and the setting', async () => {
    mount({ [data]: { free: 61_440 } })
    const fault = await findDiskFault(coded('ENOSPC', { path: join(data, 'lake/delta/bars/new/a.parquet') }), own)
    expect(fault?.message).toBe(`no space is left on the disk of ${data} (61.4 kB free): ENOSPC: no space left on device, write`)
    expect(fault?.hint).toBe('free space on that disk, or move the data folder to a larger one and set CROSSFILE_DATA')
    expect(fault?.spare).toMatch(`the contents of ${join(data, 'stage')} and ${join(data, 'models')} may be deleted while no program`)
  })

  test('names a part of the data folder that is another disk', async () => {
    mount({ [join(data, 'lake')]: { free: 0 }, [join(data, 'stage')]: { free: 512 } })
    const lake = await findDiskFault(ofDuckdb(join(data, 'lake/delta/bars/a.parquet')), own)
    expect(lake?.message).toMatch(`no space is left on the disk of ${join(data, 'lake')} (0 B free): IO Error`)
    expect(lake?.hint).toBe('free space on that disk, or replace it by a larger one')
    const stage = await findDiskFault(ofDuckdb(join(data, 'stage/a.parquet')), own)
    expect(stage?.message).toMatch(`the disk of ${join(data, 'stage')} (512 B free)`)
    expect([lake?.spare, stage?.spare]).toEqual([null, `the contents of ${join(data, 'stage')} may be deleted while no program of Crossfile runs`])
  })

  test('names the folder that the error names, also if its disk has space again', async () => {
    writeFileSync(join(other, 'file'), '')
    for (const path of [other, join(other, 'new', 'file'), join(other, 'file')]) {
      mount({ [other]: { free: big } })
      const fault = await findDiskFault(coded('ENOSPC', { path }), own)
      expect(fault?.message).toMatch(/elsewhere \(50\.0 GB free\)/)
      expect(fault?.hint).toBe('free space on that disk, or name a folder on another one')
    }
  })

  test('without a path names the folders whose disk is full, and no other', async () => {
    mount({ [join(data, 'stage')]: { free: 20e6 } })
    const stage = await findDiskFault(coded('ENOSPC'), own)
    expect(stage?.message).toBe(`no space is left on the disk of ${join(data, 'stage')} (20.0 MB free): ENOSPC: no space left on device, write`)
    disks.delete(join(data, 'stage'))
    mount({ [temporary]: { free: 0 } })
    const tmp = await findDiskFault(coded('ENOSPC'), own)
    expect(tmp?.message).toContain(`no space is left on the disk of ${temporary} (0 B free)`)
    expect(tmp?.hint).toContain('set TMPDIR')
    mount({ [data]: { free: 1 } })
    expect((await findDiskFault(coded('ENOSPC'), own))?.message).toContain(`${data} (1 B free) and ${temporary} (0 B free)`)
  })

  test('without a path guesses no folder that has space', async () => {
    const fault = await findDiskFault(coded('ENOSPC'), own)
    expect(fault?.message).toMatch(`no space was left on a disk; free now: ${data} (50.0 GB free) and ${temporary} (50.0 GB free)`)
    mount({ [data]: { free: 0 } })
    expect((await findDiskFault(coded('EDQUOT'), own))?.message).toMatch('a disk quota is used up; free now:')
    expect((await findDiskFault(coded('EDQUOT', { path: join(data, 'raw/a.pack') }), own))?.message).toMatch(`the disk quota is used up in ${data}`)
  })

  test('counts a disk without free inodes as full', async () => {
    mount({ [join(data, 'lake')]: { files: 0 } })
    expect((await findDiskFault(coded('ENOSPC'), own))?.message).toContain(`${join(data, 'lake')} (0 inodes free: it has too many files)`)
  })

  test('of a query with temporary files names the stage and the setting of the memory', async () => {
    const error = new Error("Out of Memory Error: failed to offload data block\nset by the 'max_temp_directory_size' setting.")
    const fault = await findDiskFault(error, own)
    expect(fault?.message).toBe(
      `the temporary files of a query do not fit on the disk of ${data} (50.0 GB free): Out of Memory Error: failed to offload data block`,
    )
    expect(fault?.hint).toContain('CROSSFILE_DUCKDB_MEMORY')
  })

  test('of PostgreSQL names the disk of its folder, or the server of DATABASE_URL', async () => {
    mount({ [join(data, 'postgres')]: { free: 0 } })
    expect((await findDiskFault(ofPostgres(extend, '53100'), own))?.message).toMatch(`the disk of ${join(data, 'postgres')} (0 B free): could not`)
    const fault = await findDiskFault(ofPostgres(extend, '53100'), given)
    expect(fault).toMatchObject({
      message: `the disk of the PostgreSQL server is full: ${extend}`,
      hint: 'free space on the disk of the server that DATABASE_URL names',
    })
    // Another folder that is full is not that of the server.
    disks.set(join(data, 'postgres'), { free: big })
    mount({ [join(data, 'lake')]: { free: 0 } })
    expect((await findDiskFault(ofPostgres(extend, '53100'), own))?.message).toContain(`free now: ${join(data, 'postgres')} (50.0 GB free)`)
  })

  test('of a server elsewhere than in the data folder names that folder', async () => {
    const pointer = join(data, 'postgres', 'cluster.json')
    writeFileSync(pointer, JSON.stringify({ cluster: join(other, 'state', 'cluster') }))
    mount({ [other]: { free: 100 } })
    const fault = await findDiskFault(ofPostgres(extend, '53100'), own)
    writeFileSync(pointer, JSON.stringify({ cluster: join(data, 'postgres', 'cluster') }))
    expect(fault?.message).toContain(`the disk of ${other} (100 B free)`)
    expect(fault?.hint).toContain(`the database of ${data} is there`)
  })

  test('of a server that was lost or did not start names its disk only if that is full', async () => {
    const lost = new Error('Connection terminated unexpectedly')
    const silent = new ServerNotStarted('PostgreSQL did not start (exit code 1): it wrote no log')
    expect([await findServerFault(lost, own), await findDiskFault(silent, own)]).toEqual([null, null])
    mount({ [data]: { free: 8e6 } })
    expect((await findServerFault(lost, own))?.message).toBe(
      `no space is left for the database on the disk of ${data} (8.0 MB free): the connection to the database was lost: Connection terminated unexpectedly`,
    )
    expect((await findDiskFault(silent, own))?.message).toContain(`the disk of ${data} (8.0 MB free): PostgreSQL did not start`)
    expect(await findServerFault(lost, given)).toBeNull()
  })

  test('of shared memory names /dev/shm', async () => {
    const error = ofPostgres('could not resize shared memory segment "/PostgreSQL.1" to 8 bytes: No space left on device', '53100')
    expect(await findDiskFault(error, given)).toMatchObject({
      message: expect.stringContaining('/dev/shm'),
      hint: expect.stringContaining('shm_size'),
    })
  })

  test('of a read-only file system names the path, or the folders that are', async () => {
    expect((await findDiskFault(coded('EROFS', { path: '/mnt/x/a' }), own))?.message).toMatch('the file system of /mnt/x/a is read-only')
    mount({ [join(data, 'models')]: { isReadOnly: true } })
    expect((await findDiskFault(coded('EROFS'), own))?.message).toMatch(`the file system of ${join(data, 'models')} is read-only`)
    disks.delete(join(data, 'models'))
    expect((await findDiskFault(coded('EROFS'), own))?.message).toMatch(/^a file system is read-only, none of those of /)
  })

  test('is that of the error if it names its setting, and a backup names its folder once', async () => {
    expect(await findDiskFault(new BadRequest('CROSSFILE_DATA: it is full', { cause: coded('ENOSPC') }), own)).toBeNull()
    expect(await findDiskFault(new TypeError('a fault of the program'), own)).toBeNull()
    mount({ [other]: { free: 0 } })
    expect(await findDiskFault(new FullDisk(other, coded('ENOSPC')), own)).toEqual({
      message: `no space is left on the disk of ${other} (0 B free)`,
      hint: 'free space there, or name a folder on another disk; then run the command again',
      spare: null,
    })
  })
})
