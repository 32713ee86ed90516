// Models and sorted copies of two hosts with one database and one bucket, and a data folder each, against a real server: what one host
// builds, the other reads and continues, after faults, deletions and damage in either place.
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestBucket, type ServerName, s3Server, type TestBucket } from '#fixtures/bucket.ts'
import { type TestDatabase, testDatabase } from '#fixtures/postgres.ts'
import { aRate, commitRates, openRatesLake } from '#fixtures/rates-lake.ts'
import type { SortedCopy } from '#schemas/dataset.ts'
import { Damaged, StoreUnavailable } from '#schemas/errors.ts'
import { datasetOf } from '#schemas/index.ts'
import type { ModelPrices } from '../context/price-model.ts'
import { openCache } from '../store/lake/bucket/cache.ts'
import { openObjects } from '../store/lake/bucket/objects.ts'
import { loadCatalogue } from '../store/lake/catalogue.ts'
import { commit } from '../store/lake/commit.ts'
import type { LakeWriter } from '../store/lake/compact.ts'
import { readJsonSql } from '../store/lake/json-lines.ts'
import { openLake } from '../store/lake/open.ts'
import type { Remote } from '../store/lake/remote.ts'
import { seal } from '../store/lake/seal.ts'
import { spoolRows, stage } from '../store/lake/stage.ts'
import type { Expected } from '../store/lake/verifier.ts'
import { createS3Client } from '../store/object-store/client.ts'
import { dropDamagedBuilds, findDamagedBuilds } from './check.ts'
import { collectModelObjects, collectModels, sweepModelFiles } from './collect.ts'
import { copiesOf, makeDueCopies } from './copies.ts'
import { findModelDamage, recordModelDamage } from './damage.ts'
import { modelsFolder } from './folder.ts'
import type { Model } from './model.ts'
import { lockModelObjects, registerFiles } from './objects.ts'
import { openPrices, type PriceReader } from './prices/serve.ts'
import { buildPrices, findPriceBuild, partPath, readManifest } from './prices/store.ts'
import { openModels } from './serve.ts'
import { uploadModels } from './share.ts'
import { type Build, buildModel, findBuild, modelFile, modelPath } from './store.ts'

const server: ServerName | null = s3Server('versitygw', 'moto_server')
test.skipIf(server !== null)(
  'skipped: no versitygw (with the clock of the tests) or moto_server in PATH, so no shared model was tested',
  () => undefined,
)

/** A model of exchange rates, under the name of the only model that there is. */
const rates: Model = {
  name: 'screener',
  definition: 'screener@rates',
  inputs: ['fx_rates'],
  columnText: column => column,
  comment: 'Rates.',
  async build(shop, _context, asOf) {
    const [known, all] = [{ as_of: asOf }, { fx_rates: 'all' } as const]
    await shop.table('screener', 'select date, rate from fx_rates order by date', known, all)
    await shop.table('origins', 'select raw_sha256, source, max(known_from) as known_from from fx_rates group by all', known, all)
  },
}
const ratesCopy: SortedCopy = {
  name: 'rates_by_rate',
  dataset: 'fx_rates',
  columns: ['base_currency', 'quote_currency', 'date', 'series', 'rate', 'known_from', 'raw_sha256', 'withdrawn', 'release_from'],
  order: ['rate'],
  row_group: 2_048,
  least_rows: 1,
}
const day = (n: number): string => `2026-01-${String(n).padStart(2, '0')}`
const expectedRates = (...days: readonly number[]) => days.map(n => ({ date: day(n), rate: `1.${n}` }))
const aBar = (symbol: string, n: number) => ({
  symbol,
  date: day(n),
  open: n,
  high: n,
  low: n,
  close: n,
  volume: 100 + n,
  currency: 'CAD',
  basis: 'as_traded',
  known_from: `${day(n)}T22:00:00Z`,
  known_basis: 'published',
  source: 'eodhd',
  raw_sha256: 'b'.repeat(64),
  withdrawn: false,
})
const closesOf = (found: ModelPrices | null | undefined): readonly (number | null)[] | null => found?.prices.columns.close ?? null

describe.skipIf(server === null)(`models in a bucket of ${server}`, () => {
  let bucket: TestBucket
  let database: TestDatabase
  let prefix: string
  let runs = 0
  const folders: string[] = []
  const writers: LakeWriter[] = []
  const readers: PriceReader[] = []
  beforeAll(async () => {
    bucket = await openTestBucket(server ?? 'versitygw')
  })
  afterAll(async () => await bucket.close())
  beforeEach(async () => {
    database = await testDatabase()
    runs += 1
    prefix = `models-${runs}`
  })
  afterEach(async () => {
    bucket.faults = () => null
    for (const reader of readers.splice(0)) await reader.close()
    for (const { connections } of writers.splice(0)) connections.close()
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
  })

  /** A busy machine answers late: no test here is about a slow bucket. */
  const limits = { idleMs: 600_000, attemptMs: 600_000, deadlineMs: 600_000 }
  const objects = () =>
    openObjects(createS3Client(bucket.address(prefix), bucket.settings, { wait: async () => undefined }), limits, async () => undefined)
  type Host = LakeWriter & { readonly remote: Remote }
  const withBucket = (writer: LakeWriter): Host => ({ ...writer, remote: openCache(writer.data, objects(), { limitBytes: 1e9, keepMs: 0 }) })
  /** A host: a data folder of its own. `local`: without the bucket. */
  async function aHost({ local = false } = {}): Promise<Host> {
    const data = await mkdtemp(join(tmpdir(), 'crossfile-models-'))
    folders.push(data)
    const remote = local ? null : openCache(data, objects(), { limitBytes: 1e9, keepMs: 0 })
    const writer = await openRatesLake(data, undefined, remote)
    writers.push(writer)
    return writer as Host
  }
  const toolsOf = (writer: LakeWriter) => ({ db: database.db, writer })
  async function commitDays(writer: LakeWriter, from: number, to: number): Promise<void> {
    for (let n = from; n <= to; n += 1) await commitRates(database.db, writer, [aRate(day(n), `1.${n}`)])
  }
  async function commitBars(writer: LakeWriter, ...bars: readonly ReturnType<typeof aBar>[]): Promise<void> {
    const dataset = datasetOf('bars')
    const spool = join(writer.stageFolder, 'bars.ndjson')
    await spoolRows(bars, spool)
    const staged = await writer.connections.use(connection =>
      stage(connection, dataset, readJsonSql(dataset, spool), join(writer.stageFolder, 'bars.parquet'), [...dataset.key, 'known_from']),
    )
    const files = [await seal(writer, staged, 'new')]
    const batchKey = JSON.stringify(bars)
    await commit(database.db, { job: 'bars', partition: 'bars', batchKey, files, base: 1e6, derivedFrom: [], fence: null, along: async () => {} })
  }
  async function built(writer: LakeWriter, asOf: string | null = null): Promise<Build> {
    const build = await buildModel(toolsOf(writer), rates, null, asOf)
    if (build === null) throw new TypeError('nothing to build')
    return build
  }
  type Report = { readonly file: Expected; readonly reason: string }
  const modelsOf = (host: Host, reports: Report[] = []) =>
    openModels({
      db: database.db,
      connections: host.connections,
      data: host.data,
      remote: host.remote,
      onDamage: (file, reason) => void reports.push({ file, reason }),
    })
  const rowsOf = async (host: Host, { release }: Build, reports: Report[] = [], asOf: string | null = null) =>
    await modelsOf(host, reports).read(rates, release, asOf, async rows => await rows.query(`select date, rate from ${rows.table} order by date`))
  function pricesOf(host: Host, reports: Report[] = []): PriceReader {
    const onDamage = (file: Expected, reason: string): void => void reports.push({ file, reason })
    const reader = openPrices({ db: database.db, data: host.data, remote: host.remote, onDamage, retryMs: 50 })
    readers.push(reader)
    return reader
  }
  const readPrices = async (reader: PriceReader, release: number, symbol = 'AAA') =>
    closesOf(await reader.at(release)?.read([symbol], { from: null, to: null }))
  async function builtPrices(writer: LakeWriter) {
    const build = await buildPrices(toolsOf(writer))
    if (build === null) throw new TypeError('no prices')
    return build
  }
  async function objectNames(): Promise<string[]> {
    const found: string[] = []
    for await (const { name } of objects().list('models/')) found.push(name)
    return found.sort()
  }
  const damageObject = async (name: string): Promise<void> => {
    const whole = await objects().bytes(name)
    if (whole === null) throw new TypeError(`no object ${name}`)
    await objects().write(name, flipped(whole))
  }
  const flipped = (whole: Buffer): Buffer => {
    const wrong = Buffer.from(whole)
    wrong[10] = (wrong[10] ?? 0) ^ 1
    return wrong
  }
  async function damageFile(path: string): Promise<Buffer> {
    const whole = await readFile(path)
    await chmod(path, 0o644)
    await writeFile(path, flipped(whole))
    return whole
  }
  const objectOf = ({ sha256 }: Build): string => `models/screener/${sha256}.parquet`
  const recordedBuilds = async (): Promise<number> => (await database.db.selectFrom('model_build').select('sha256').execute()).length

  test('a second host answers from builds of the first, with the same bytes, and one download for concurrent needs', async () => {
    const [one, two] = [await aHost(), await aHost()]
    await commitDays(one, 1, 3)
    const build = await built(one)
    const asOf = await built(one, `${day(2)}T23:00:00Z`)
    expect(await rowsOf(two, build)).toEqual(expectedRates(1, 2, 3))
    expect(await rowsOf(two, asOf, [], `${day(2)}T23:00:00Z`)).toEqual(expectedRates(1, 2))
    for (const { sha256 } of [build, asOf])
      expect(await readFile(modelPath(two.data, 'screener', sha256))).toEqual(await readFile(modelPath(one.data, 'screener', sha256)))
    const origins = await modelsOf(two).read(rates, build.release, null, async rows => await rows.origins())
    expect(origins).toEqual([{ source: 'bank-of-canada', raw_sha256: 'a'.repeat(64) }])
    const three = await aHost()
    bucket.forget()
    await Promise.all([1, 2, 3].map(() => three.remote.fetch(modelFile(three.data, 'screener', build.sha256))))
    expect(bucket.seen.map(({ method }) => method)).toEqual(['GET'])
    expect(await readdir(join(modelsFolder(three.data), 'incoming'))).toEqual([])
  })

  test('the same build on another host is that of the first, without its files on the disk', async () => {
    const [one, two] = [await aHost(), await aHost()]
    await commitDays(one, 1, 2)
    const build = await built(one)
    bucket.forget()
    expect(await built(two)).toEqual(build)
    expect(bucket.seen.filter(({ method, key }) => method === 'PUT' && key.includes('/models/'))).toEqual([])
    for (const objectsMode of ['none', 'suspected', 'sizes'] as const)
      expect((await findDamagedBuilds(database.db, two.data, { remote: two.remote, objects: objectsMode })).damaged).toEqual([])
    expect(await dropDamagedBuilds(database.db, two.data, { remote: two.remote })).toEqual([])
    expect(existsSync(modelPath(two.data, 'screener', build.sha256))).toBe(false)
    expect(await dropDamagedBuilds(database.db, two.data, { remote: two.remote, objects: 'all', whole: true })).toEqual([])
    expect(await recordedBuilds()).toBe(1)
  })

  test('an object that the bucket lacks is found and named on a host that has its file, and uploaded from it', async () => {
    const one = await aHost()
    await commitDays(one, 1, 2)
    await commitBars(one, aBar('AAA', 5))
    await built(one)
    await builtPrices(one)
    const check = async () => (await findDamagedBuilds(database.db, one.data, { remote: one.remote, objects: 'sizes', whole: true })).damaged
    expect(await check()).toEqual([])
    const names: string[] = []
    for await (const { name } of one.remote.objects.list('models/')) names.push(name)
    expect(names.map(name => name.replace(/\/[0-9a-f]+\./, '/*.')).sort()).toEqual([
      'models/prices/*.json',
      'models/prices/*.part',
      'models/screener/*.parquet',
      'models/screener/*.parquet',
    ])
    for (const name of names) {
      const bytes = await one.remote.objects.bytes(name)
      await one.remote.objects.remove(name)
      const missing = name.endsWith('.json')
        ? 'its manifest is missing from the bucket'
        : `its file ${name.split('/').at(-1)} is missing from the bucket`
      expect(await check()).toMatchObject([{ model: name.split('/')[1], reason: expect.stringContaining(missing) }])
      expect(await dropDamagedBuilds(database.db, one.data, { remote: one.remote, objects: 'all', whole: true })).toEqual([])
      expect(await one.remote.objects.bytes(name)).toEqual(bytes)
    }
    const part = names.find(name => name.endsWith('.part')) ?? ''
    const whole = await one.remote.objects.bytes(part)
    await one.remote.objects.write(part, Buffer.from('short'))
    expect(await check()).toMatchObject([{ reason: expect.stringContaining(`has 5 bytes in the bucket, expected ${whole?.length}`) }])
  })

  test('the model of prices is downloaded in the background; until then the build before is used', async () => {
    const [one, two] = [await aHost(), await aHost()]
    await commitBars(one, aBar('AAA', 5), aBar('BBB', 5))
    const first = await builtPrices(one)
    const reader = pricesOf(two)
    await reader.refresh()
    await expect.poll(() => reader.at(first.release) !== undefined).toBe(true)
    const own = pricesOf(one)
    await own.refresh()
    const before = await readPrices(own, first.release)
    expect(before).toEqual([5])
    expect(await readPrices(reader, first.release)).toEqual(before)

    await commitBars(one, aBar('AAA', 6))
    const second = await builtPrices(one)
    bucket.faults = ({ method, key }) => (method === 'GET' && key.includes('/models/') ? { kind: 'status', status: 503 } : null)
    await reader.refresh()
    expect(reader.at(second.release)).toBeUndefined()
    expect(await readPrices(reader, first.release)).toEqual(before)
    bucket.faults = () => null
    await expect.poll(() => reader.at(second.release) !== undefined).toBe(true)
    await own.refresh()
    expect(await readPrices(reader, second.release)).toEqual([5, 6])
    expect(await readPrices(reader, second.release)).toEqual(await readPrices(own, second.release))
    expect(await findModelDamage(database.db)).toEqual([])
  })

  test('another host continues the build of prices after the folder of the first is gone', async () => {
    const [one, two, three] = [await aHost(), await aHost(), await aHost()]
    await commitBars(one, ...[2, 3, 4, 5, 6].flatMap(n => [aBar('AAA', n), aBar('BBB', n)]))
    const before = await builtPrices(one)
    await rm(modelsFolder(one.data), { recursive: true })
    await commitBars(two, aBar('AAA', 7))
    const build = await builtPrices(two)
    expect(build.rows).toBe(before.rows + 1)
    const reader = pricesOf(three)
    await reader.refresh()
    await expect.poll(() => reader.at(build.release) !== undefined).toBe(true)
    expect(await readPrices(reader, build.release)).toEqual([2, 3, 4, 5, 6, 7])
    expect(await readPrices(reader, build.release, 'BBB')).toEqual([2, 3, 4, 5, 6])
    // Continued from the whole lake, it has the same answers.
    await database.db.deleteFrom('model_build').execute()
    const whole = pricesOf(two)
    expect((await builtPrices(two)).release).toBe(build.release)
    await whole.refresh()
    for (const symbol of ['AAA', 'BBB'])
      expect(await readPrices(whole, build.release, symbol)).toEqual(await readPrices(reader, build.release, symbol))
  })

  test('a process that ends between upload and row leaves no row, and the repeated build uses its objects', async () => {
    const [one, two] = [await aHost(), await aHost()]
    await commitDays(one, 1, 2)
    await commitBars(one, aBar('AAA', 5))
    const endingAt = (count: number): LakeWriter => {
      let left = count
      const crashPoint = (name: string): void => {
        if (name === 'model-uploaded' && --left === 0) throw new Error('ended here')
      }
      return { ...one, crashPoint }
    }
    for (const count of [1, 2]) await expect(built(endingAt(count))).rejects.toThrow('ended here')
    await expect(builtPrices(endingAt(1))).rejects.toThrow('ended here')
    expect(await recordedBuilds()).toBe(0)
    const left = await objectNames()
    expect(left).toHaveLength(4)
    const build = await built(two)
    const prices = await builtPrices(two)
    expect(await objectNames()).toEqual(left)
    expect(await rowsOf(one, build)).toEqual(expectedRates(1, 2))
    expect(left).toContain(`models/prices/${prices.sha256}.json`)
    expect(await collectModelObjects(database.db, two.data, two.remote, -5_000)).toEqual({ files: 0, bytes: 0 })
  })

  test('an upload that the bucket does not acknowledge is no build; its repetition is one', async () => {
    const one = await aHost()
    await commitDays(one, 1, 1)
    await commitBars(one, aBar('AAA', 5))
    bucket.faults = ({ method }) => (method === 'PUT' ? { kind: 'status', status: 503 } : null)
    await expect(built(one)).rejects.toThrow(/PUT .* failed 5 times: 503 SlowDown/)
    await expect(builtPrices(one)).rejects.toThrow(/PUT .* failed 5 times: 503 SlowDown/)
    await expect(makeDueCopies(toolsOf(one), [ratesCopy])).rejects.toThrow(/PUT .* failed 5 times: 503 SlowDown/)
    expect(await recordedBuilds()).toBe(0)
    bucket.faults = () => null
    await built(one)
    await builtPrices(one)
    expect(await makeDueCopies(toolsOf(one), [ratesCopy])).toHaveLength(1)
    expect(await objectNames()).toHaveLength(5)
  })

  test('a bucket that is away is no damage: the answer can be repeated, and no row is deleted', async () => {
    const [one, two] = [await aHost(), await aHost()]
    await commitDays(one, 1, 2)
    await commitBars(one, aBar('AAA', 5))
    const build = await built(one)
    const prices = await builtPrices(one)
    bucket.faults = () => ({ kind: 'status', status: 503 })
    const reports: Report[] = []
    const refused = await rowsOf(two, build, reports).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(StoreUnavailable)
    expect(refused).toMatchObject({ status: 503, retryAfterSeconds: 10 })
    const reader = pricesOf(two, reports)
    await reader.refresh()
    expect(reader.at(prices.release)).toBeUndefined()
    expect(await dropDamagedBuilds(database.db, two.data, { remote: two.remote })).toEqual([])
    await recordModelDamage(database.db, modelFile(two.data, 'screener', build.sha256), 'a test', 'api')
    await expect(dropDamagedBuilds(database.db, two.data, { remote: two.remote })).rejects.toThrow(StoreUnavailable)
    expect(await recordedBuilds()).toBe(2)
    expect(reports).toEqual([])
    // The host that has the files goes on.
    expect(await rowsOf(one, build)).toEqual(expectedRates(1, 2))
    bucket.faults = () => null
    expect(await dropDamagedBuilds(database.db, two.data, { remote: two.remote })).toEqual([])
    expect(await findModelDamage(database.db)).toEqual([])
    expect(await rowsOf(two, build)).toEqual(expectedRates(1, 2))
    await expect.poll(() => reader.at(prices.release) !== undefined).toBe(true)
  })

  test('a damaged or missing object is reported, and uploaded again by a host that has the file', async () => {
    const [one, two] = [await aHost(), await aHost()]
    await commitDays(one, 1, 2)
    const build = await built(one)
    for (const spoil of [() => damageObject(objectOf(build)), () => objects().remove(objectOf(build))]) {
      await spoil()
      const reports: Report[] = []
      await expect(rowsOf(two, build, reports)).rejects.toThrow(Damaged)
      expect(reports).toMatchObject([{ file: { dataset: 'model screener', sha256: build.sha256 } }])
      for (const { file, reason } of reports) expect(await recordModelDamage(database.db, file, reason, 'api')).toBe(true)
      // A round of checks changes nothing; the job does.
      expect((await findDamagedBuilds(database.db, one.data, { remote: one.remote, objects: 'none' })).damaged).toEqual([])
      expect(await findModelDamage(database.db)).toHaveLength(1)
      expect(await dropDamagedBuilds(database.db, one.data, { remote: one.remote })).toEqual([])
      expect(await findModelDamage(database.db)).toEqual([])
      expect(await rowsOf(two, build)).toEqual(expectedRates(1, 2))
      await rm(modelPath(two.data, 'screener', build.sha256))
    }
  })

  test('a damaged object that no host has is dropped and built again', async () => {
    const [one, two] = [await aHost(), await aHost()]
    await commitDays(one, 1, 2)
    const build = await built(one)
    await damageObject(objectOf(build))
    await rm(modelsFolder(one.data), { recursive: true })
    const reports: Report[] = []
    await expect(rowsOf(two, build, reports)).rejects.toThrow(Damaged)
    for (const { file, reason } of reports) await recordModelDamage(database.db, file, reason, 'api')
    expect(await dropDamagedBuilds(database.db, two.data, { remote: two.remote })).toMatchObject([{ model: 'screener', sha256: build.sha256 }])
    expect(await findBuild(database.db, rates, build.release, null)).toBeNull()
    expect((await built(two)).sha256).toBe(build.sha256)
    expect(await rowsOf(one, build)).toEqual(expectedRates(1, 2))
  })

  test('a damaged part of the prices is reported, uploaded again by a host that has it, and then used', async () => {
    const [one, two] = [await aHost(), await aHost()]
    await commitBars(one, aBar('AAA', 5))
    const build = await builtPrices(one)
    const [part] = (await readManifest(one.data, build.sha256)).parts
    await damageObject(`models/prices/${part?.sha256}.part`)
    const reports: Report[] = []
    const reader = pricesOf(two, reports)
    await reader.refresh()
    await expect.poll(() => reports).toMatchObject([{ file: { sha256: build.sha256 }, reason: expect.stringContaining('in the bucket') }])
    for (const { file, reason } of reports) await recordModelDamage(database.db, file, reason, 'api')
    await reader.refresh()
    expect(reader.at(build.release)).toBeUndefined()
    expect(await dropDamagedBuilds(database.db, one.data, { remote: one.remote })).toEqual([])
    expect(await findModelDamage(database.db)).toEqual([])
    await reader.refresh()
    await expect.poll(() => reader.at(build.release) !== undefined).toBe(true)
    expect(await readPrices(reader, build.release)).toEqual([5])

    // In neither place: it is dropped, and built from the whole lake.
    await damageObject(`models/prices/${part?.sha256}.part`)
    for (const host of [one, two]) await damageFile(partPath(host.data, part?.sha256 ?? ''))
    for (const { file, reason } of reports) await recordModelDamage(database.db, file, reason, 'api')
    expect(await dropDamagedBuilds(database.db, one.data, { remote: one.remote })).toMatchObject([{ model: 'prices' }])
    expect((await builtPrices(one)).sha256).toBe(build.sha256)
    const fresh = pricesOf(await aHost())
    await fresh.refresh()
    await expect.poll(() => fresh.at(build.release) !== undefined).toBe(true)
  })

  test('a damaged file on a disk is replaced by the object', async () => {
    const [one, two] = [await aHost(), await aHost()]
    await commitDays(one, 1, 2)
    await commitBars(one, aBar('AAA', 5))
    const build = await built(one)
    const prices = await builtPrices(one)
    const reports: Report[] = []
    const path = modelPath(two.data, 'screener', build.sha256)
    expect(await rowsOf(two, build, reports)).toEqual(expectedRates(1, 2))
    const whole = await damageFile(path)
    expect(await rowsOf(two, build, reports)).toEqual(expectedRates(1, 2))
    expect(await readFile(path)).toEqual(whole)

    const reader = pricesOf(two, reports)
    await reader.refresh()
    await expect.poll(() => reader.at(prices.release) !== undefined).toBe(true)
    expect(await readPrices(reader, prices.release)).toEqual([5])
    const [part] = (await readManifest(one.data, prices.sha256)).parts
    // Written in place: the open file has the wrong block too.
    const wholePart = await damageFile(partPath(two.data, part?.sha256 ?? ''))
    expect(await readPrices(reader, prices.release)).toBeNull()
    await expect.poll(() => readPrices(reader, prices.release)).toEqual([5])
    expect(await readFile(partPath(two.data, part?.sha256 ?? ''))).toEqual(wholePart)
    expect(reports).toEqual([])
  })

  test('a download that is cut off or has a wrong bit is repeated, and never becomes a file of that name', async () => {
    const one = await aHost()
    await commitDays(one, 1, 2)
    const build = await built(one)
    for (const fault of [
      { kind: 'truncated', announced: true } as const,
      { kind: 'truncated', announced: false } as const,
      { kind: 'flipped' } as const,
    ]) {
      const two = await aHost()
      const path = modelPath(two.data, 'screener', build.sha256)
      let faults = 0
      bucket.faults = ({ method, key }) => (method === 'GET' && key.includes('/models/') && ++faults === 1 ? fault : null)
      expect(await rowsOf(two, build)).toEqual(expectedRates(1, 2))
      expect(faults).toBe(2)
      expect(await readFile(path)).toEqual(await readFile(modelPath(one.data, 'screener', build.sha256)))
      const three = await aHost()
      bucket.faults = ({ method, key }) => (method === 'GET' && key.includes('/models/') ? fault : null)
      await expect(rowsOf(three, build)).rejects.toMatchObject({ status: 503 })
      expect(existsSync(modelPath(three.data, 'screener', build.sha256))).toBe(false)
      expect(await readdir(join(modelsFolder(three.data), 'incoming'))).toEqual([])
      bucket.faults = () => null
    }
  })

  test('the collector deletes objects that no row names, and none that is new or named', async () => {
    const one = await aHost()
    await commitDays(one, 1, 1)
    await commitBars(one, aBar('AAA', 5))
    await built(one)
    await builtPrices(one)
    await makeDueCopies(toolsOf(one), [ratesCopy])
    const named = await objectNames()
    expect(named).toHaveLength(5)
    for (const name of ['models/screener/old.parquet', 'models/prices/old.part', 'models/other/old.parquet'])
      await objects().write(name, Buffer.from('old'))
    expect(await collectModelObjects(database.db, one.data, one.remote)).toEqual({ files: 0, bytes: 0 })
    const two = await aHost()
    bucket.forget()
    expect(await collectModelObjects(database.db, two.data, two.remote, -5_000)).toEqual({ files: 3, bytes: 9 })
    expect(bucket.seen.filter(({ isList }) => isList)).toHaveLength(1)
    expect(await objectNames()).toEqual(named)
    // Parts of a manifest that cannot be read are unknown.
    const prices = await findPriceBuild(database.db)
    await damageObject(`models/prices/${prices?.sha256}.json`)
    await objects().write('models/prices/old.part', Buffer.from('old'))
    const three = await aHost()
    expect(await collectModelObjects(database.db, three.data, three.remote, -5_000)).toEqual({ files: 0, bytes: 0 })
  })

  test('a build that found an object and lost it to the collector is not registered', async () => {
    const one = await aHost()
    await commitDays(one, 1, 1)
    const crashPoint = (name: string): void => {
      if (name === 'model-uploaded') throw new Error('ended here')
    }
    await expect(built({ ...one, crashPoint })).rejects.toThrow('ended here')
    const [name] = await objectNames()
    const path = join(one.data, name ?? '')
    const file = { path, bytes: (await readFile(path)).length }
    let inserts = 0
    const insert = async (): Promise<void> => {
      inserts += 1
    }
    await registerFiles(database.db, one.remote, [file], insert)
    expect(await collectModelObjects(database.db, one.data, one.remote, -5_000)).toMatchObject({ files: 1 })
    await expect(registerFiles(database.db, one.remote, [file], insert)).rejects.toThrow(/was deleted while its build was registered/)
    expect(inserts).toBe(1)
    await built(one)
    expect(await objectNames()).toHaveLength(2)
  })

  test('the collector waits while a build is registered, and then keeps its objects', async () => {
    const one = await aHost()
    await commitDays(one, 1, 1)
    const build = await built(one)
    const row = await database.db.selectFrom('model_build').selectAll().executeTakeFirstOrThrow()
    await database.db.deleteFrom('model_build').execute()
    bucket.forget()
    let collecting: ReturnType<typeof collectModelObjects> | null = null
    await database.db.transaction().execute(async trx => {
      await lockModelObjects(trx)
      collecting = collectModelObjects(database.db, one.data, one.remote, -5_000)
      // Asked outside of the transaction, which would see the same activity each time.
      const waiting = sql<{ n: number }>`
        select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      await expect.poll(async () => (await waiting.execute(database.db)).rows[0]?.n).toBe(1)
      await trx
        .insertInto('model_build')
        .values({ ...row, sources: JSON.stringify(row.sources) })
        .execute()
    })
    expect(await collecting).toEqual({ files: 0, bytes: 0 })
    expect(bucket.seen.filter(({ method }) => method === 'DELETE')).toEqual([])
    expect(await rowsOf(await aHost(), build)).toEqual(expectedRates(1))
  })

  test('each host deletes files that no row names and that are an hour old, also of killed downloads', async () => {
    const [one, two] = [await aHost(), await aHost()]
    await commitDays(one, 1, 1)
    await commitBars(one, aBar('AAA', 5))
    const build = await built(one)
    const prices = await builtPrices(one)
    await rowsOf(two, build)
    const reader = pricesOf(two)
    await reader.refresh()
    await expect.poll(() => reader.at(prices.release) !== undefined).toBe(true)
    const folder = modelsFolder(two.data)
    await mkdir(join(folder, 'incoming'), { recursive: true })
    const old = ['screener/old.parquet', 'prices/old.part', 'incoming/old.part']
    for (const name of old) await writeFile(join(folder, name), 'old')
    await writeFile(join(folder, 'prices/new.part'), 'new')
    const long = new Date(Date.parse('2001-01-01T00:00:00Z'))
    for (const path of [...old.map(name => join(folder, name)), modelPath(two.data, 'screener', build.sha256)]) await utimes(path, long, long)
    expect(await sweepModelFiles(database.db, two.data, two.remote)).toEqual({ files: 3, bytes: 9 })
    expect(old.filter(name => existsSync(join(folder, name)))).toEqual([])
    expect(existsSync(join(folder, 'prices/new.part'))).toBe(true)
    expect(existsSync(modelPath(two.data, 'screener', build.sha256))).toBe(true)
    // The job of another host forgets the build; this one deletes its files by itself.
    await database.db.deleteFrom('model_build').where('model', '=', 'screener').execute()
    await collectModels(database.db, one.data, one.remote)
    expect(await sweepModelFiles(database.db, two.data, two.remote)).toMatchObject({ files: 1 })
    expect(existsSync(modelPath(two.data, 'screener', build.sha256))).toBe(false)
  })

  test('a sorted copy of another host is read, and its file instead while the bucket is away', async () => {
    const [one, two] = [await aHost(), await aHost()]
    await commitDays(one, 1, 3)
    const made = await makeDueCopies(toolsOf(one), [ratesCopy])
    expect(made).toHaveLength(3)
    const lakeOf = async (host: Host) =>
      openLake(await loadCatalogue(database.db), host.connections, host.verifier, undefined, undefined, copiesOf(database.db, host.data))
    const ask = async (host: Host) =>
      await (await lakeOf(host)).query('select date, rate from fx_rates order by date', {}, { fx_rates: 'all' }, { copy: ratesCopy })
    const copyFiles = (host: Host) => readdir(join(modelsFolder(host.data), ratesCopy.name)).catch(() => [])
    expect(await ask(two)).toEqual(expectedRates(1, 2, 3))
    expect(await copyFiles(two)).toHaveLength(3)
    // A host that has the lake files and no copy.
    const three = await aHost()
    await (await lakeOf(three)).query('select date from fx_rates', {}, { fx_rates: 'all' })
    bucket.faults = () => ({ kind: 'status', status: 503 })
    bucket.forget()
    expect(await ask(three)).toEqual(expectedRates(1, 2, 3))
    // One attempt, with its repetitions: the other two copies are left out. After it, the cache asks whether the bucket answers at all.
    expect(new Set(bucket.seen.map(({ key }) => key).filter(key => !key.endsWith('releases.parquet'))).size).toBe(1)
    expect(await copyFiles(three)).toEqual([])
  })

  test('models of a data folder are uploaded once when its lake moves into a bucket; those that are nowhere are forgotten', async () => {
    const local = await aHost({ local: true })
    await commitDays(local, 1, 2)
    await commitBars(local, aBar('AAA', 5))
    const build = await built(local)
    const lost = await built(local, `${day(1)}T23:00:00Z`)
    const prices = await builtPrices(local)
    await makeDueCopies(toolsOf(local), [ratesCopy])
    await rm(modelPath(local.data, 'screener', lost.sha256))
    const { data, remote } = withBucket(local)
    // Rows and origins of the build, those of the other build that it shares or has, the model of prices, and two copies.
    const uploaded = await uploadModels(database.db, data, remote)
    expect(await objectNames()).toHaveLength(uploaded)
    expect(await findBuild(database.db, rates, lost.release, `${day(1)}T23:00:00Z`)).toBeNull()
    expect(await uploadModels(database.db, data, remote)).toBe(0)
    const two = await aHost()
    expect(await rowsOf(two, build)).toEqual(expectedRates(1, 2))
    const reader = pricesOf(two)
    await reader.refresh()
    await expect.poll(() => reader.at(prices.release) !== undefined).toBe(true)
  })
})
