// `crossfile doctor` and `crossfile repair` over what is made from the lake, and over jobs that were given up meanwhile.
import { chmod, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { flipBit } from '#fixtures/damage.ts'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { screener } from '#warehouse/models/model.ts'
import { buildPrices, partPath, readManifest } from '#warehouse/models/prices/store.ts'
import { findNewestBuild, modelPath } from '#warehouse/models/store.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { lakePath } from '#warehouse/store/lake/open.ts'
import { publishLake } from '#warehouse/store/lake/publication/publish.ts'
import { lockPublication } from '#warehouse/store/lake/publication/snapshots.ts'
import { warehouseFile } from '#warehouse/store/lake/views.ts'
import { openQueue } from '#warehouse/store/queue.ts'
import { writeAnalystFile } from '../jobs/models/models.ts'
import { commandRunner, envOf } from './kept-io.ts'

const warehouse = await worldWarehouse()
const { db } = warehouse.runtime.postgres
const data = warehouse.config.dataFolder
const run = commandRunner(envOf(warehouse.config))
type Finding = { readonly check: string; readonly state: string; readonly found: string; readonly remedy: string | null }
const findings = async (check: string): Promise<readonly Finding[]> =>
  (await run('doctor', '--json')).io.json<{ findings: readonly Finding[] }>().findings.filter(each => each.check === check)

/** Changes a file's bytes for the time of `work`. */
async function whileDamaged(path: string, at: number, work: () => Promise<void>): Promise<void> {
  const whole = await readFile(path)
  const bytes = Buffer.from(whole)
  bytes.fill(0xaa, at, at + 64)
  await chmod(path, 0o644)
  await writeFile(path, bytes)
  await work().finally(() => writeFile(path, whole))
}

test('a damaged model file is named with what makes it again', async () => {
  expect(await findings('models')).toMatchObject([{ state: 'ok' }])
  const build = await findNewestBuild(db, screener, 1_000_000)
  if (!build) throw new TypeError('no build')
  await whileDamaged(modelPath(data, 'screener', build.sha256), 200, async () => {
    expect(await findings('models')).toEqual([
      {
        check: 'models',
        state: 'wrong',
        found: expect.stringContaining(`models/screener/${build.sha256}.parquet (screener of release ${build.release})`),
        remedy: 'a running worker builds it again within a minute; crossfile repair does it now',
      },
    ])
    const dry = await run('repair', '--dry-run', '--json')
    expect([dry.code, dry.io.json()]).toMatchObject([
      1,
      { repairs: expect.arrayContaining([expect.objectContaining({ dataset: 'model screener', file: build.sha256, repaired: false })]) },
    ])
    const done = await run('repair', '--json')
    expect([done.code, done.io.json()]).toMatchObject([
      0,
      { repairs: expect.arrayContaining([expect.objectContaining({ dataset: 'model screener', result: 'built again', repaired: true })]) },
    ])
    expect(await findings('models')).toMatchObject([{ state: 'ok' }])
  })
  expect(await findings('models')).toMatchObject([{ state: 'ok' }])
})

test('while the bucket is away, the check of it is wrong, and those that read it are not made', async () => {
  const bucket = { CROSSFILE_LAKE: 's3://lake/x', CROSSFILE_S3_ENDPOINT: 'http://127.0.0.1:1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }
  const { io } = await commandRunner({ ...envOf(warehouse.config), ...bucket })('doctor', '--json')
  const found = io.json<{ findings: readonly Finding[] }>().findings
  const stateOf = (check: string): string | undefined => found.find(each => each.check === check)?.state
  expect(['bucket', 'receipt log', 'files', 'models', 'documents'].map(stateOf)).toEqual(['wrong', 'unchecked', 'unchecked', 'unchecked', 'ok'])
})

test('a damaged block of the model of prices is named, and repair builds the model again', async () => {
  const build = await buildPrices({ db, writer: warehouse.runtime.tools.writer })
  if (!build) throw new TypeError('no build')
  const [part] = (await readManifest(data, build.sha256)).parts
  await flipBit(partPath(data, part?.sha256 as string))
  const found = await findings('models')
  expect(found).toMatchObject([
    { state: 'wrong', found: expect.stringContaining(`models/prices/${build.sha256}.json (prices of release ${build.release})`) },
  ])
  expect(found[0]?.found).toContain(`its file ${part?.sha256}.part is damaged: its index or a block differs from its SHA-256`)
  const done = await run('repair', '--json')
  expect([done.code, done.io.json()]).toMatchObject([0, { repairs: [{ dataset: 'model prices', result: 'built again', repaired: true }] }])
  expect(await findings('models')).toMatchObject([{ state: 'ok' }])
})

test('a damaged warehouse.duckdb is named, and repair writes it again', async () => {
  // Another test of this data folder may have written it.
  await rm(warehouseFile(data), { force: true })
  expect(await findings('warehouse.duckdb')).toMatchObject([{ state: 'unchecked', found: expect.stringContaining('crossfile repair') }])
  await writeAnalystFile(warehouse.runtime)
  expect(await findings('warehouse.duckdb')).toMatchObject([{ state: 'ok', found: expect.stringContaining('views') }])
  const path = warehouseFile(data)
  const bytes = await readFile(path)
  // The first block after the three headers holds the views.
  bytes.fill(0xaa, 3 * 4096 + 100, 3 * 4096 + 164)
  await writeFile(path, bytes)
  expect(await findings('warehouse.duckdb')).toMatchObject([{ state: 'wrong', remedy: expect.stringContaining('crossfile repair') }])
  const dry = await run('repair', '--dry-run', '--json')
  expect([dry.code, dry.io.json()]).toMatchObject([1, { repairs: [{ dataset: 'warehouse.duckdb', repaired: false }] }])
  const done = await run('repair', '--json')
  expect([done.code, done.io.json()]).toMatchObject([0, { repairs: [{ dataset: 'warehouse.duckdb', repaired: true }], dead_letters: [] }])
  expect(await findings('warehouse.duckdb')).toMatchObject([{ state: 'ok' }])
})

test('what other programs read of the lake is compared with what was written, and lake publish writes it again', async () => {
  await publishLake(db, warehouse.runtime.tools.writer, { check: true })
  const whole = [{ state: 'ok', found: expect.stringMatching(/^\d+ logs of datasets and \d+ manifests are as they were written/) }]
  expect(await findings('delta logs')).toMatchObject(whole)
  const lake = `${data}/lake`
  const log = (name: string): string => `${lake}/delta/${name}/_delta_log`
  const { release } = await db.selectFrom('head').select('release').executeTakeFirstOrThrow()
  await rm(`${log('bars')}/00000000000000000000.json`)
  await truncate(`${log('filings')}/00000000000000000000.json`, 20)
  await flipBit(`${log('fx_rates')}/00000000000000000000.checkpoint.parquet`)
  await rm(`${log('symbols')}/_last_checkpoint`)
  await rm(`${lake}/manifests/${release}.json`)
  await truncate(`${lake}/releases.parquet`, 40)
  const found = await findings('delta logs')
  expect(found.map(each => each.found)).toEqual([
    expect.stringContaining('lake/delta/bars/_delta_log: 00000000000000000000.json is missing'),
    expect.stringContaining('lake/delta/filings/_delta_log: 00000000000000000000.json is damaged'),
    expect.stringContaining('lake/delta/fx_rates/_delta_log: 00000000000000000000.checkpoint.parquet is damaged'),
    expect.stringContaining('lake/delta/symbols/_delta_log: _last_checkpoint is missing'),
    `lake/manifests/${release}.json: is missing`,
    'lake/releases.parquet: is missing or truncated',
  ])
  expect(new Set(found.map(({ state, remedy }) => `${state} ${remedy}`))).toEqual(new Set(['wrong crossfile lake publish writes it again']))
  expect((await run('lake', 'publish')).code).toBe(0)
  expect(await findings('delta logs')).toMatchObject(whole)
  // A process that publishes has written files that the database does not name yet.
  await db.transaction().execute(async trx => {
    await lockPublication(trx)
    expect(await findings('delta logs')).toMatchObject([{ state: 'unchecked' }])
  })
})

test('a link out of the lake is named', async () => {
  const [bars] = (await loadCatalogue(db)).files.get('bars') ?? []
  if (!bars) throw new TypeError('no bars')
  const path = lakePath(data, bars)
  const away = `${data}/away.parquet`
  await rename(path, away)
  await symlink(away, path)
  expect(await findings('files')).toMatchObject([
    { state: 'wrong', found: `lake/delta/bars/${bars.bucket}/${bars.sha256}.parquet is a symbolic link to another folder` },
  ])
  await rename(away, path)
})

test('repair says how many jobs were given up, and what sends them again', async () => {
  expect((await run('repair')).out).not.toContain('redrive')
  const queue = await openQueue(db, false, () => undefined)
  try {
    for (const job of ['bars-us', 'bars-us', 'filings']) {
      await queue.define(job, { retryLimit: 1, retryDelay: 1, retryDelayMax: 2, expireInSeconds: 60 })
      await queue.send(job, { partition: 'p', from: null, to: null, symbols: null, backfill_id: null })
      const [claimed] = await queue.claim(job, 1)
      if (!claimed) throw new Error('no job waits')
      await queue.bury(claimed, { error: 'Damaged', message: 'the dataset bars is damaged' })
    }
  } finally {
    await queue.close()
  }
  const { code, out } = await run('repair')
  expect(code).toBe(0)
  expect(out).toContain('3 jobs that were given up wait: bars-us 2, filings 1')
  expect(out).toContain('crossfile runs redrive sends the jobs again')
})
