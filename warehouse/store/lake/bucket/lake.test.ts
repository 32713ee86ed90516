// A lake in a bucket against a real server: the same rows as on the local disk, after faults, kills and deletions of the cache, and read by
// a second data folder.
import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bucketConfig, openTestBucket, type ServerName, s3Server, type TestBucket } from '#fixtures/bucket.ts'
import { type TestDatabase, testDatabase } from '#fixtures/postgres.ts'
import { aRate, commitRates, openRatesLake } from '#fixtures/rates-lake.ts'
import { Damaged, StoreUnavailable, Upstream } from '#schemas/errors.ts'
import { datasetOf } from '#schemas/index.ts'
import { createS3Client } from '../../object-store/client.ts'
import { lockedMs, lockedTimeLeft } from '../../object-store/locked-time.ts'
import { type Catalogue, loadCatalogue } from '../catalogue.ts'
import { collect } from '../collect.ts'
import { commit } from '../commit.ts'
import { compactAll, fanOut, type LakeWriter } from '../compact.ts'
import { stateDigest } from '../digest.ts'
import { readJsonSql } from '../json-lines.ts'
import { openLake } from '../open.ts'
import { openRemote } from '../open-remote.ts'
import { checkLakePlace, settleLake } from '../place.ts'
import { logFolder } from '../publication/log-folder.ts'
import { publishLake } from '../publication/publish.ts'
import { readManifest } from '../publication/read-manifest.ts'
import { findDamagedFiles, findDamagedObjects, restoreObject } from '../restore.ts'
import { seal } from '../seal.ts'
import { spoolRows, stage } from '../stage.ts'
import { lakePath } from '../verifier.ts'
import { openCache } from './cache.ts'
import { openObjects } from './objects.ts'

const server: ServerName | null = s3Server('versitygw', 'moto_server')
test.skipIf(server !== null)(
  'skipped: no versitygw (with the clock of the tests) or moto_server in PATH, so no lake in a bucket was tested',
  () => undefined,
)

const day = (n: number): string => `2026-01-${String(n).padStart(2, '0')}`
const query = 'select date, rate, release_from from fx_rates order by date'

describe.skipIf(server === null)(`a lake in a bucket of ${server}`, () => {
  let bucket: TestBucket
  let database: TestDatabase
  let prefix: string
  let runs = 0
  const folders: string[] = []
  const writers: LakeWriter[] = []
  beforeAll(async () => {
    bucket = await openTestBucket(server ?? 'versitygw')
  })
  afterAll(async () => await bucket.close())
  beforeEach(async () => {
    database = await testDatabase()
    runs += 1
    prefix = `lake-${runs}`
  })
  afterEach(async () => {
    bucket.faults = () => null
    for (const { connections } of writers.splice(0)) connections.close()
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
  })

  /** A busy machine answers late: no test here is about a slow bucket. */
  const limits = { idleMs: 600_000, attemptMs: 600_000, deadlineMs: 600_000 }
  const objects = () =>
    openObjects(createS3Client(bucket.address(prefix), bucket.settings, { wait: async () => undefined }), limits, async () => undefined)
  /** A host: a data folder of its own. */
  async function aHost({ limitBytes = 1e9, local = false, crash = (_name: string): void => {} } = {}): Promise<LakeWriter> {
    const data = await mkdtemp(join(tmpdir(), 'crossfile-host-'))
    folders.push(data)
    const writer = await openRatesLake(data, crash, local ? null : openCache(data, objects(), { limitBytes, keepMs: 0 }))
    writers.push(writer)
    return writer
  }
  const lakeOf = async (writer: LakeWriter, catalogue?: Catalogue) =>
    openLake(catalogue ?? (await loadCatalogue(database.db)), writer.connections, writer.verifier)
  const ratesOf = async (writer: LakeWriter) => await (await lakeOf(writer)).query(query, {}, { fx_rates: ['USD'] })
  const digestOf = async (writer: LakeWriter): Promise<string> => (await stateDigest(await lakeOf(writer), { datasets: ['fx_rates'] })).digest
  async function commitDays(writer: LakeWriter, from: number, to: number): Promise<void> {
    for (let n = from; n <= to; n += 1) await commitRates(database.db, writer, [aRate(day(n), `1.${n}`)])
  }
  /** Names of all objects of this lake. */
  async function objectNames(under = 'delta/'): Promise<string[]> {
    const found: string[] = []
    for await (const { name } of objects().list(under)) found.push(name)
    return found.sort()
  }
  const liveNames = async (): Promise<string[]> =>
    [...(await loadCatalogue(database.db)).files.values()].flat().map(file => `delta/${file.dataset}/${file.bucket}/${file.sha256}.parquet`)
  /** The digest of the same commits on a local disk. */
  async function localDigest(days: number): Promise<string> {
    const bucketDatabase = database
    database = await testDatabase()
    const writer = await aHost({ local: true })
    await commitDays(writer, 1, days)
    const digest = await digestOf(writer)
    database = bucketDatabase
    return digest
  }

  test('a commit asks whether the bucket answers before it takes the lock, and limits the time of requests under it', async () => {
    const writer = await aHost()
    const request = { job: 'fx', partition: 'a', batchKey: 'a', base: 1_000_000, derivedFrom: [], fence: null, along: async () => {} }
    const asked: string[] = []
    let left: number | null = null
    const files = (away: boolean) => ({
      length: 1,
      async ready() {
        // Would wait for the lock that the first commit has.
        asked.push(`release ${await commitRates(database.db, writer, [aRate(day(asked.length + 1), '1.5')])}`)
        if (away) throw new StoreUnavailable('s3://lake is away')
      },
      async seal() {
        left = lockedTimeLeft()
        return []
      },
    })
    await expect(commit(database.db, { ...request, files: files(true) })).rejects.toThrow('s3://lake is away')
    expect([asked, left]).toEqual([['release 1'], null])
    await commit(database.db, { ...request, files: files(false) })
    expect(asked).toEqual(['release 1', 'release 2'])
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThanOrEqual(lockedMs)
    expect(lockedTimeLeft()).toBeNull()
  })

  test('has the digest of the same commits on a local disk, also after compaction and on a second host', async () => {
    const writer = await aHost()
    await commitDays(writer, 1, fanOut)
    const expected = await localDigest(fanOut)
    expect(await digestOf(writer)).toBe(expected)
    expect(await compactAll(database.db, writer)).toHaveLength(1)
    expect(await digestOf(writer)).toBe(expected)
    expect(await digestOf(await aHost())).toBe(expected)
  })

  test('answers rightly with a cache of one byte, and reads without a list or a HEAD', async () => {
    const writer = await aHost()
    await commitDays(writer, 1, 3)
    const rows = await ratesOf(writer)
    expect(rows).toHaveLength(3)
    const small = await aHost({ limitBytes: 1 })
    for (let round = 0; round < 3; round += 1) {
      bucket.forget()
      expect(await ratesOf(small)).toEqual(rows)
      expect(bucket.seen.map(({ method, isList }) => `${method}${isList ? ' list' : ''}`)).toEqual(['GET', 'GET', 'GET'])
      expect(await small.remote?.evict()).toBe(3)
    }
  })

  test('a file that is deleted from the cache between the check and the read is downloaded again', async () => {
    const writer = await aHost()
    await commitDays(writer, 1, 2)
    const expected = await ratesOf(writer)
    const other = await aHost()
    const files = [...(await loadCatalogue(database.db)).files.values()].flat()
    const { use } = other.connections
    let deleted = false
    const connections = {
      ...other.connections,
      use: (async (work, timeout) => {
        if (!deleted) for (const file of files) await rm(lakePath(other.data, file))
        deleted = true
        return await use(work, timeout)
      }) as typeof use,
    }
    const lake = openLake(await loadCatalogue(database.db), connections, other.verifier)
    expect(await lake.query(query, {}, { fx_rates: ['USD'] })).toEqual(expected)
    expect(deleted).toBe(true)
  })

  test('gives a reason while the bucket fails, then the right answer', async () => {
    const writer = await aHost()
    await commitDays(writer, 1, 2)
    const expected = await ratesOf(writer)
    for (const fault of [{ kind: 'status', status: 503 } as const, { kind: 'flipped' } as const, { kind: 'truncated', announced: true } as const]) {
      const other = await aHost()
      bucket.faults = ({ method }) => (method === 'GET' ? fault : null)
      const refused = await ratesOf(other).catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(fault.kind === 'status' ? Upstream : Damaged)
      expect(refused).toMatchObject({ status: 503, message: expect.stringContaining('the bucket') })
      const files = [...(await loadCatalogue(database.db)).files.values()].flat()
      // The other downloads of the refused question end.
      await Promise.allSettled(files.map(file => other.verifier.open(file)))
      bucket.faults = () => null
      for (const file of files) await other.verifier.recheck(other.verifier.expected(file))
      expect(await ratesOf(other)).toEqual(expected)
    }
  })

  test('a commit that the bucket does not acknowledge is no commit, and its repetition is one', async () => {
    const writer = await aHost()
    await commitDays(writer, 1, 1)
    bucket.faults = ({ method }) => (method === 'PUT' ? { kind: 'status', status: 503 } : null)
    await expect(commitDays(writer, 2, 2)).rejects.toThrow(/PUT .* failed 5 times: 503 SlowDown/)
    expect(await ratesOf(writer)).toHaveLength(1)
    bucket.faults = () => null
    await commitDays(writer, 2, 2)
    expect(await digestOf(await aHost())).toBe(await localDigest(2))
  })

  test('after a kill between upload and commit the same batch commits, and what no release names is collected', async () => {
    const writer = await aHost()
    await commitDays(writer, 1, 1)
    for (const n of [2, 9]) await killAt('uploaded', writer.data, n)
    expect(await objectNames()).toHaveLength(3)
    await commitDays(writer, 2, 2)
    const live = await liveNames()
    expect(live).toHaveLength(2)
    expect(await collect(database.db, writer)).toMatchObject({ orphans: 0 })
    expect(await objectNames()).toHaveLength(3)
    // One local file and one object: the file of day 9.
    expect(await collect(database.db, writer, -5)).toMatchObject({ orphans: 2 })
    expect(await objectNames()).toEqual(live.sort())
    expect(await digestOf(await aHost())).toBe(await localDigest(2))
  })

  /** Ends a process of another host with SIGKILL at a named point of a commit. */
  async function killAt(point: string, data: string, n: number): Promise<void> {
    const program = `
      import { aRate, commitRates, openRatesLake } from '#fixtures/rates-lake.ts'
      import { loadConfig } from '#schemas/config.ts'
      import { openRemote } from '#warehouse/store/lake/open-remote.ts'
      import { connect } from '#warehouse/store/postgres.ts'
      const [url, data, point, at, rate] = process.argv.slice(1)
      const { db } = connect(url)
      const remote = await openRemote(loadConfig(process.env))
      const writer = await openRatesLake(data, name => { if (name === point) process.kill(process.pid, 'SIGKILL') }, remote)
      await commitRates(db, writer, [aRate(at, rate)])`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, database.url, data, point, day(n), `1.${n}`], {
      cwd: join(import.meta.dirname, '../../../..'),
      env: { PATH: process.env['PATH'], CROSSFILE_DATA: data, ...bucket.env(prefix) },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let errors = ''
    child.stderr.on('data', text => {
      errors += String(text)
    })
    const signal = await new Promise(resolve => child.once('exit', (_, by) => resolve(by)))
    expect([signal, errors]).toEqual(['SIGKILL', ''])
  }

  test('a commit refers to no object that the collector deleted after it was sealed again', async () => {
    const writer = await aHost()
    const dataset = datasetOf('fx_rates')
    const sealDay = async () => {
      const spool = join(writer.stageFolder, 'again.ndjson')
      await spoolRows([aRate(day(1), '1.1')], spool)
      const path = join(writer.stageFolder, 'again.parquet')
      return await writer.connections.use(async connection =>
        seal(writer, await stage(connection, dataset, readJsonSql(dataset, spool), path, dataset.key), 'new'),
      )
    }
    const commitFile = async (file: Awaited<ReturnType<typeof sealDay>>) =>
      await commit(database.db, {
        job: 'fx',
        partition: 'again',
        batchKey: 'again',
        files: [file],
        base: 1_000_000,
        derivedFrom: [],
        fence: null,
        along: async () => {},
      })
    const first = await sealDay()
    expect(first.confirmStored).toBeUndefined()
    const again = await sealDay()
    expect(await collect(database.db, { data: writer.data, stageFolder: writer.stageFolder, remote: writer.remote ?? null }, -5)).toMatchObject({
      orphans: 2,
    })
    await expect(commitFile(again)).rejects.toThrow(/was deleted while it was committed/)
    await commitFile(await sealDay())
    expect(await ratesOf(await aHost())).toHaveLength(1)
  })

  test('the collector deletes the objects of merged files after the grace period', async () => {
    const writer = await aHost()
    await commitDays(writer, 1, fanOut)
    await compactAll(database.db, writer)
    expect(await objectNames()).toHaveLength(fanOut + 1)
    expect(await collect(database.db, writer)).toMatchObject({ removed: 0 })
    expect(await collect(database.db, writer, -5)).toMatchObject({ removed: fanOut })
    expect(await objectNames()).toEqual(await liveNames())
  })

  test('the collector deletes a merged file only while no commit is in progress', async () => {
    const writer = await aHost()
    await commitDays(writer, 1, fanOut)
    await compactAll(database.db, writer)
    bucket.forget()
    let collecting: ReturnType<typeof collect> | null = null
    await database.db.transaction().execute(async trx => {
      await trx.selectFrom('head').select('release').forUpdate().executeTakeFirstOrThrow()
      collecting = collect(database.db, writer, -5)
      // Asked outside of the transaction, which would see the same activity each time.
      const waiting = sql<{ n: number }>`
        select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      await expect.poll(async () => (await waiting.execute(database.db)).rows[0]?.n).toBe(1)
      expect(bucket.seen.filter(({ method }) => method === 'DELETE')).toEqual([])
    })
    expect(await collecting).toMatchObject({ removed: fanOut })
    expect(await objectNames()).toEqual(await liveNames())
  })

  test('publishes the Delta log, manifests and releases.parquet in the bucket, from two hosts as from one', async () => {
    const [one, two] = [await aHost(), await aHost()]
    await commitDays(one, 1, 2)
    expect(await publishLake(database.db, one)).toMatchObject({ versions: 2, rebuilt: [] })
    await commitDays(two, 3, 3)
    const both = await Promise.all([publishLake(database.db, one), publishLake(database.db, two)])
    expect(both.map(each => each.versions).sort()).toEqual([0, 1])
    expect(both.flatMap(each => each.rebuilt)).toEqual([])
    const log = await objectNames('delta/fx_rates/_delta_log/')
    expect(log.map(name => name.split('/').at(-1))).toEqual(
      expect.arrayContaining(['00000000000000000000.json', '00000000000000000001.json', '00000000000000000002.json']),
    )
    const live = new Set<string>()
    for (const name of log.filter(each => each.endsWith('.json')))
      for (const line of ((await objects().text(name)) ?? '').trimEnd().split('\n')) {
        const { add, remove } = JSON.parse(line) as { add?: { path: string }; remove?: { path: string } }
        if (remove) live.delete(`delta/fx_rates/${remove.path}`)
        if (add) live.add(`delta/fx_rates/${add.path}`)
      }
    expect([...live].sort()).toEqual((await liveNames()).sort())
    expect(await objectNames('manifests/')).toEqual(['manifests/1.json', 'manifests/2.json', 'manifests/3.json'])
    expect(await objects().facts('releases.parquet')).not.toBeNull()
    expect(await readdir(join(logFolder(one.data, 'fx_rates'), '..'))).toEqual(['new'])
    const row = await database.db.selectFrom('release_manifest').select('sha256').where('release', '=', 3).executeTakeFirstOrThrow()
    expect(await readManifest({ data: one.data, remote: one.remote ?? null }, 3, row.sha256)).toBe(true)
    expect(await readManifest({ data: one.data, remote: one.remote ?? null }, 3, 'f'.repeat(64))).toBe(false)
    await objects().remove(log[0] ?? '')
    expect(await publishLake(database.db, one, { check: true })).toMatchObject({ rebuilt: ['fx_rates'] })
    expect(await publishLake(database.db, two, { check: true })).toMatchObject({ rebuilt: [], versions: 0 })
  })

  test('a version that a stopped publication left is replaced', async () => {
    const writer = await aHost()
    await objects().write('delta/fx_rates/_delta_log/00000000000000000000.json', Buffer.from('{}\n'))
    await objects().write('manifests/1.json', Buffer.from('{}\n'))
    await commitDays(writer, 1, 1)
    await publishLake(database.db, writer)
    expect(await objects().text('delta/fx_rates/_delta_log/00000000000000000000.json')).toContain('"add"')
    expect(await publishLake(database.db, writer, { check: true })).toMatchObject({ versions: 0, rebuilt: [] })
  })

  test('a damaged object is found and uploaded again from a whole cached file', async () => {
    const writer = await aHost()
    await commitDays(writer, 1, 2)
    const catalogue = await loadCatalogue(database.db)
    const [first] = [...catalogue.files.values()].flat()
    if (!first) throw new Error('no file')
    const name = `delta/${first.dataset}/${first.bucket}/${first.sha256}.parquet`
    const whole = await readFile(lakePath(writer.data, first))
    await objects().write(name, Buffer.concat([whole.subarray(0, -1), Buffer.from([1])]))
    const found = await findDamagedObjects(catalogue, writer)
    expect(found).toMatchObject([{ file: { sha256: first.sha256 }, reason: expect.stringContaining('differs from its SHA-256') }])
    const other = await aHost()
    expect(await findDamagedFiles(catalogue, other.verifier, found)).toMatchObject([{ file: { sha256: first.sha256 } }])
    expect(await restoreObject(other, first)).toBe(false)
    expect(await restoreObject(writer, first)).toBe(true)
    expect(await findDamagedObjects(catalogue, writer)).toEqual([])
    expect(await findDamagedFiles(catalogue, writer.verifier, [])).toEqual([])
  })

  test('a local lake moves into a bucket, and the database then refuses another place', async () => {
    const local = await aHost({ local: true })
    await commitDays(local, 1, 3)
    const expected = await ratesOf(local)
    expect(await settleLake(database.db, local)).toEqual({ uploaded: 0, missing: 0 })
    await checkLakePlace(database.db, null)
    const remote = await openRemote(bucketConfig(bucket, prefix, { CROSSFILE_DATA: local.data }))
    const moved: LakeWriter = { ...local, remote }
    const [first] = [...(await loadCatalogue(database.db)).files.values()].flat()
    if (!first) throw new Error('no file')
    const whole = await readFile(lakePath(local.data, first))
    await rm(lakePath(local.data, first))
    await expect(settleLake(database.db, moved)).rejects.toThrow(/cannot become the lake: .* is damaged or missing/)
    await writeFile(lakePath(local.data, first), whole)
    await Promise.all([settleLake(database.db, moved), settleLake(database.db, moved)])
    expect(await settleLake(database.db, moved)).toEqual({ uploaded: 0, missing: 0 })
    await checkLakePlace(database.db, bucket.address(prefix))
    await expect(checkLakePlace(database.db, null)).rejects.toThrow(/CROSSFILE_LAKE is not set, and the lake of this database is in s3:/)
    await expect(checkLakePlace(database.db, 's3://other/lake')).rejects.toThrow(/CROSSFILE_LAKE is s3:\/\/other\/lake/)
    expect(await ratesOf(await aHost())).toEqual(expected)
    await sql`delete from lake_place`.execute(database.db)
  })

  test('a start reports objects that are gone, and refuses a bucket that was emptied', async () => {
    const here = await aHost()
    await commitDays(here, 1, 5)
    expect(await settleLake(database.db, here)).toEqual({ uploaded: 0, missing: 0 })
    const names = await liveNames()
    for (const name of names.slice(0, 2)) await objects().remove(name)
    const elsewhere = await aHost()
    expect(await settleLake(database.db, elsewhere)).toEqual({ uploaded: 0, missing: 2 })
    expect(await settleLake(database.db, here)).toEqual({ uploaded: 2, missing: 0 })

    // Most files, also if a worker that ran on has stored new ones.
    for (const name of names.slice(0, 3)) await objects().remove(name)
    const before = await objectNames()
    for (const host of [here, elsewhere])
      await expect(settleLake(database.db, host)).rejects.toThrow(`${bucket.address(prefix)} lacks 3 of 5 files of the lake: it was emptied`)
    expect(await objectNames()).toEqual(before)

    // crossfile repair is not refused, and nothing is uploaded before it has looked.
    expect(await settleLake(database.db, here, true)).toEqual({ uploaded: 0, missing: 0 })
    expect(await objectNames()).toEqual(before)
    for (const { file } of await findDamagedObjects(await loadCatalogue(database.db), here)) await restoreObject(here, file)
    expect(await settleLake(database.db, elsewhere)).toEqual({ uploaded: 0, missing: 0 })
    await sql`delete from lake_place`.execute(database.db)
  })
})
