// When models are built: after what changed their inputs, not too often, and by the worker without being asked twice.
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { addDocument, worldWarehouse } from '#fixtures/warehouse.ts'
import { dropDamagedBuilds, findDamagedBuilds } from '#warehouse/models/check.ts'
import { findModelDamage } from '#warehouse/models/damage.ts'
import { screener } from '#warehouse/models/model.ts'
import { findNewestBuild, modelPath } from '#warehouse/models/store.ts'
import { requestRound } from '#warehouse/people/status/checks.ts'
import { startWorker } from '../worker/worker.ts'
import { buildDueModels } from './models.ts'

const warehouse = await worldWarehouse()
const { tools, postgres } = warehouse.runtime
const { db } = postgres
const { writer } = tools
const models = { db, writer }
const newest = async (): Promise<number> => (await findNewestBuild(db, screener, 1_000_000))?.release ?? 0
const listing = (symbol: string): string => `symbol,exchange,name,type,currency\n${symbol},US,${symbol} Holdings Inc. Common Stock,common,USD\n`
const daysAhead = (days: number): number => Date.now() + days * 86_400_000

test('nothing is built where nothing changed', async () => {
  expect(await buildDueModels(models, daysAhead(1))).toEqual([])
})
test('a release that changed an input is built, but not sooner than nine times the length of the build before', async () => {
  const release = await addDocument(warehouse, 'file:symbols-one.csv', listing('AAAB'))
  const before = await findNewestBuild(db, screener, release)
  const since = Date.parse(before?.built_at as string)
  expect(await buildDueModels(models, since + 8 * (before?.build_ms ?? 0))).toEqual([])
  expect(await buildDueModels(models, since + 9 * (before?.build_ms ?? 0))).toMatchObject([{ model: 'screener', release, rows: 52 }])
  expect(await newest()).toBe(release)
})
test('a command that has just committed does not wait', async () => {
  const release = await addDocument(warehouse, 'file:symbols-two.csv', listing('AAAC'))
  expect(await buildDueModels(models, 0, true)).toMatchObject([{ release, rows: 53 }])
})
test('a damaged file of the newest build is named, dropped and made again; whole ones stay', async () => {
  expect((await findDamagedBuilds(db, writer.data)).damaged).toEqual([])
  const newestRelease = await newest()
  const build = await findNewestBuild(db, screener, newestRelease)
  if (!build) throw new TypeError('no build')
  const path = modelPath(writer.data, 'screener', build.sha256)
  const whole = readFileSync(path)
  const wrong = Buffer.from(whole)
  wrong[200] = (wrong[200] as number) ^ 1
  chmodSync(path, 0o644)
  writeFileSync(path, wrong)
  const { files, damaged } = await findDamagedBuilds(db, writer.data)
  expect(damaged).toEqual([
    {
      model: 'screener',
      release: newestRelease,
      sha256: build.sha256,
      path: `models/screener/${build.sha256}.parquet`,
      reason: expect.stringContaining('differs from its SHA-256'),
    },
  ])
  expect(await dropDamagedBuilds(db, writer.data)).toEqual(damaged)
  expect(await findDamagedBuilds(db, writer.data)).toEqual({ files: files - 2, damaged: [] })
  expect(await buildDueModels(models, 0, true)).toMatchObject([{ release: newestRelease }])
  expect(readFileSync(path)).toEqual(whole)
})
test('the worker builds by its job, and its run says what it made', async () => {
  const release = await addDocument(warehouse, 'file:symbols-three.csv', listing('AAAD'))
  await db.updateTable('model_build').set({ build_ms: 0 }).execute()
  const jobsFile = join(warehouse.config.dataFolder, 'jobs.yaml')
  writeFileSync(
    jobsFile,
    'version: 1\njobs:\n  models:\n    title: Models\n    source: crossfile\n    plan: models\n    datasets: []\n    schedule: { cron: "* * * * *", time_zone: UTC, calendar: null }\n    backfill: none\n    freshness_minutes: null\n    enabled: "on"\n',
  )
  const lines: string[] = []
  const worker = await startWorker({ ...warehouse.config, jobsFile }, (level, line) => void lines.push(`${level} ${line}`))
  afterAll(() => worker.stop())
  await expect.poll(newest, { interval: 200 }).toBe(release)
  const run = async (): Promise<string | null> =>
    (await db.selectFrom('job_run').select('error').where('job', '=', 'models').where('state', '=', 'done').executeTakeFirst())?.error ?? null
  await expect.poll(run).toContain(`54 rows of release ${release}`)

  // The same worker finds a file that changed on the disk in its next round of checks, and builds it again.
  const build = await findNewestBuild(db, screener, release)
  const path = modelPath(writer.data, 'screener', build?.sha256 ?? '')
  const whole = readFileSync(path)
  const wrong = Buffer.from(whole)
  wrong[200] = (wrong[200] as number) ^ 1
  chmodSync(path, 0o644)
  writeFileSync(path, wrong)
  await requestRound(db)
  const isWhole = (): boolean => existsSync(path) && readFileSync(path).equals(whole)
  await expect.poll(isWhole, { interval: 200 }).toBe(true)
  expect(lines.filter(line => line.startsWith('error ') && line.includes(build?.sha256 ?? ''))).toEqual([
    expect.stringMatching(/^error models\/screener\/.* differs from its SHA-256; it is built again$/),
  ])
  await requestRound(db)
  const component = async () =>
    await db.selectFrom('component_check').select(['status', 'detail']).where('component', '=', 'model:screener').executeTakeFirst()
  await expect.poll(component, { interval: 200 }).toEqual({ status: 'operational', detail: null })
  expect(await findModelDamage(db)).toEqual([])
})
