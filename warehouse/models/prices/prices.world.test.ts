// The model of prices next to the lake: the same bytes for the same questions, whatever a release adds, and never a wrong one from a
// damaged file.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { randomOf } from '#fixtures/world/random.ts'
import { type DatasetName, datasetOf } from '#schemas/index.ts'
import type { EodQuestion } from '../../answers/eod.ts'
import { buildPayload, completeQuestion } from '../../answers/index.ts'
import type { ReleaseContext } from '../../context/answer.ts'
import type { PriceModel } from '../../context/price-model.ts'
import { contextOf } from '../../context/release-contexts.ts'
import { commit } from '../../store/lake/commit.ts'
import { readJsonSql } from '../../store/lake/json-lines.ts'
import { seal } from '../../store/lake/seal.ts'
import { spoolRows, stage } from '../../store/lake/stage.ts'
import { dropDamagedBuilds, findDamagedBuilds } from '../check.ts'
import { collectModels } from '../collect.ts'
import { priceInputs } from './changes.ts'
import { openPrices } from './serve.ts'
import { buildPrices, findPriceBuild, manifestPath, partPath, pricesFolder, readManifest } from './store.ts'

const warehouse = await worldWarehouse()
const { db, writer } = warehouse.runtime.tools
const { data } = writer
const tools = { db, writer }
const seed = Number(process.env['CROSSFILE_TEST_SEED'] ?? 20_261_128)
const now = '2026-11-20T00:00:00Z'

/** Commits rows as one release, each a copy of a stored row with some columns replaced. */
async function addRows(name: DatasetName, rows: readonly object[]): Promise<void> {
  const dataset = datasetOf(name)
  const batchKey = `${name} ${JSON.stringify(rows)}`.slice(0, 2_000)
  const spool = join(writer.stageFolder, 'rows.ndjson')
  await spoolRows(rows, spool)
  const path = join(writer.stageFolder, 'rows.parquet')
  const sealed = await writer.connections.use(async connection =>
    seal({ data }, await stage(connection, dataset, readJsonSql(dataset, spool), path, [...dataset.key, 'known_from']), 'new'),
  )
  const request = { job: 'test', partition: name, batchKey, files: [sealed], base: 1_000_000, derivedFrom: [], fence: null, along: async () => {} }
  await commit(db, request)
}
const rowsOf = async (name: DatasetName, where: string): Promise<Record<string, unknown>[]> =>
  await (await warehouse.lake()).query(`select * exclude (release_from) from ${name} where ${where}`, {}, { [name]: 'all' })

/** Questions that asked the model, and those that it answered; `printed`: answers from columns, without records of bars. */
type Look = { reads: number; fromModel: number; printed: number }
const nothing = (): Look => ({ reads: 0, fromModel: 0, printed: 0 })
/** The context of the newest release with the model of prices, which counts its uses. */
async function contextWith(prices: PriceModel | undefined, look: Look): Promise<ReleaseContext> {
  const context = await contextOf(await warehouse.lake(), null)
  if (!prices) return context
  const counting: PriceModel = {
    async read(symbols, days) {
      const found = await prices.read(symbols, days)
      look.reads += 1
      look.fromModel += found ? 1 : 0
      return found
    },
    async readSymbol(symbol) {
      const found = await prices.readSymbol(symbol)
      return (
        found && {
          ...found,
          columns(days) {
            const columns = found.columns(days)
            // Bars that their source divided by unknown splits are read again as records, if the symbol has factors.
            if (!columns || (found.factors.length > 0 && columns.basis.words.includes('split_adjusted_unknown'))) return null
            look.reads += 1
            look.fromModel += 1
            look.printed += 1
            return columns
          },
        }
      )
    },
  }
  return { ...context, prices: counting }
}

async function symbolsOf(): Promise<string[]> {
  const lake = await warehouse.lake()
  const rows = await lake.query<{ symbol: string }>(
    'select symbol from bars union select symbol from symbols union select symbol from corporate_actions order by 1',
    {},
    { bars: 'all', symbols: 'all', corporate_actions: 'all' },
  )
  return [...rows.map(row => row.symbol), 'ZZZZ.TO', 'A', '0']
}
const shapes: readonly Partial<EodQuestion>[] = [
  {},
  { adjust: 'none', order: 'desc' },
  { adjust: 'none' },
  { adjust: 'split', from: '2026-03-02', to: '2026-10-30' },
  { adjust: 'all', order: 'desc', limit: 40 },
  { limit: 1, order: 'desc' },
  { from: '2026-11-18', limit: 5 },
  { from: '1999-01-01', to: '2001-01-01' },
  { from: '2026-11-18', to: '2026-03-02' },
]
const ask = async (context: ReleaseContext, question: Readonly<Record<string, unknown>>): Promise<string> =>
  (await buildPayload('get_eod', context, completeQuestion('get_eod', question, { now, pinned: false }) as EodQuestion, now))?.payload.toString() ??
  ''

const unreported = { db, data, onDamage: () => {} }
async function releaseNow(): Promise<number> {
  return (await warehouse.lake()).versionOf(priceInputs).release
}
/** Every symbol in these shapes of a question, from the lake and from the model, which must be used. */
async function compareAll(of: readonly Partial<EodQuestion>[] = shapes.slice(0, 1)): Promise<number> {
  const reader = openPrices(unreported)
  await reader.refresh()
  const look = nothing()
  const [plain, faster] = [await contextWith(undefined, look), await contextWith(reader.at(await releaseNow()), look)]
  let asked = 0
  for (const symbol of await symbolsOf())
    for (const shape of of) {
      const question = { symbol, adjust: 'all', order: 'asc', ...shape }
      expect(await ask(faster, question), JSON.stringify(question)).toBe(await ask(plain, question))
      asked += 1
    }
  expect(look).toMatchObject({ reads: asked, fromModel: asked })
  // Instruments of several symbols and those with corrections are read as records.
  expect(look.printed).toBeGreaterThan(asked / 2)
  expect(look.printed).toBeLessThan(asked)
  await reader.close()
  return asked
}

test('every symbol of the bundled universe has the same bytes over both ways', async () => {
  expect(await findPriceBuild(db)).toBeNull()
  const build = await buildPrices(tools)
  expect(build?.release).toBe(await releaseNow())
  const [counted] = await (await warehouse.lake()).query<{ n: number }>('select count(*) as n from bars', {}, { bars: 'all' })
  expect(build?.rows).toBe(counted?.n)
  expect(await compareAll(shapes)).toBeGreaterThan(300)
  expect(await buildPrices(tools)).toEqual(build)
})

test('what releases add is in a part next to the others, and an answer has it', async () => {
  const [bar] = await rowsOf('bars', "symbol = 'NGP.TO' and date = (select max(date) from bars where symbol = 'NGP.TO')")
  const day = (date: string, more: object) => ({ ...bar, date, known_from: `${date}T22:00:00.000001Z`, ...more })
  await addRows('bars', [day('2026-11-23', { close: 0.1 + 0.2, open: null, volume: null }), day('2026-11-24', {}), day('1998-01-05', {})])
  await addRows('bars', [
    day('2026-11-23', { symbol: 'NEWB.V', currency: 'CAD' }),
    day('2026-11-24', { symbol: 'NEWB.V', basis: 'split_adjusted_unknown' }),
  ])
  await addRows('bar_corrections', [
    { ...day('2026-11-24', { close: 77.77 }), reason: 'vendor_corrected', previous_close: 1 },
    { ...day('2026-11-23', { close: 66.66, symbol: 'NEWB.V' }), reason: 'vendor_corrected', previous_close: 1 },
  ])
  const before = await findPriceBuild(db)
  const build = await buildPrices(tools)
  expect(build?.rows).toBe((before?.rows ?? 0) + 5)
  expect((await readManifest(data, build?.sha256 as string)).parts.length).toBe(2)
  await compareAll()

  const [factor] = await rowsOf('adjustment_factors', "symbol = 'NGP.TO' limit 1")
  const [action] = await rowsOf('corporate_actions', "symbol = 'NGP.TO' limit 1")
  const template = factor ?? (await rowsOf('adjustment_factors', 'true limit 1'))[0]
  const actionOf = action ?? (await rowsOf('corporate_actions', 'true limit 1'))[0]
  const [verdict] = await rowsOf('action_verdicts', 'true limit 1')
  const later = { known_from: '2026-11-24T23:00:00Z', ex_date: '2026-11-18' }
  await addRows('adjustment_factors', [
    { ...template, ...later, symbol: 'NGP.TO', split_numerator: '3', price_factor: 1 / 3 },
    { ...template, known_from: later.known_from, withdrawn: true },
  ])
  const named = { ...later, symbol: 'NGP.TO', kind: 'dividend', sequence: 3, source_name: 'test' }
  await addRows('corporate_actions', [
    { ...actionOf, ...named, numerator: null, denominator: null, amount: '9.990', currency: 'CAD', cancelled: false },
  ])
  await addRows('action_verdicts', [{ ...verdict, ...named, status: 'held', reason: 'needs_second_source', detail: 'é "quoted"' }])
  await addRows('bar_corrections', [
    { ...day('2026-11-24', { close: 77.77, withdrawn: true, known_from: later.known_from }), reason: 'undone', previous_close: 1 },
  ])
  const next = await buildPrices(tools)
  expect(next?.rows).toBe(build?.rows)
  await compareAll()

  const reader = openPrices(unreported)
  await reader.refresh()
  const body = JSON.parse(await ask(await contextWith(reader.at(await releaseNow()), nothing()), { symbol: 'NGP.TO', adjust: 'none', order: 'asc' }))
  expect(body.bars.find((each: { date: string }) => each.date === '2026-11-23')).toMatchObject({ open: null, close: 0.1 + 0.2, volume: null })
  expect(body.held_actions).toMatchObject([{ amount: 9.99, detail: 'é "quoted"' }])
  await reader.close()
})

test('small parts are merged, and a model that is built from the whole lake has the same answers', async () => {
  const [bar] = await rowsOf('bars', "symbol = 'NGP.TO' and date = '2026-11-23'")
  for (const date of ['2026-11-25', '2026-11-26', '2026-11-27', '2026-11-30']) {
    await addRows('bars', [{ ...bar, date, known_from: `${date}T22:00:00Z` }])
    const built = await buildPrices(tools)
    const { parts } = await readManifest(data, built?.sha256 as string)
    for (const [at, part] of parts.entries()) if (at > 0) expect(part.bytes * 4).toBeLessThan(parts[at - 1]?.bytes as number)
  }
  await compareAll()
  await db.deleteFrom('model_build').where('model', '=', 'prices').execute()
  const whole = await buildPrices(tools)
  expect((await readManifest(data, whole?.sha256 as string)).parts.length).toBe(1)
  await compareAll()
})

test('another release is not answered from the model', async () => {
  const reader = openPrices(unreported)
  await reader.refresh()
  const release = await releaseNow()
  expect(reader.at(release)).toBeDefined()
  expect(reader.at(release - 1)).toBeUndefined()
  expect(reader.at(release + 1)).toBeUndefined()
  await reader.close()
})

test(`a flipped bit gives the same answer from the lake or none of a wrong one: seed ${seed}`, async () => {
  const random = randomOf(seed, 'price blocks')
  const build = await findPriceBuild(db)
  const { parts } = await readManifest(data, build?.sha256 as string)
  const part = parts[0]
  if (!part) throw new TypeError('no part')
  const path = partPath(data, part.sha256)
  const [whole, manifest] = [readFileSync(path), readFileSync(manifestPath(data, build?.sha256 as string))]
  const symbols = await symbolsOf()
  const plain = await contextWith(undefined, nothing())
  const release = await releaseNow()
  const look = nothing()
  const reports: string[] = []
  const expected = new Map<string, string>()
  for (const symbol of symbols) expected.set(symbol, await ask(plain, { symbol, adjust: 'all', order: 'asc' }))
  const fault = async (target: string, bytes: Buffer, from: number, to: number, whenOpen: boolean): Promise<void> => {
    const reader = openPrices({ db, data, onDamage: (file, reason) => void reports.push(`${file.sha256} ${reason}`) })
    if (whenOpen) await reader.refresh()
    const wrong = Buffer.from(bytes)
    const at = random.int(from, to - 1)
    wrong[at] = (wrong[at] as number) ^ (1 << random.int(0, 7))
    writeFileSync(target, random.int(0, 9) === 0 ? wrong.subarray(0, at) : wrong)
    try {
      if (!whenOpen) await reader.refresh()
      const damagedContext = await contextWith(reader.at(release), look)
      for (const symbol of [random.pick(symbols), random.pick(symbols), 'NGP.TO']) {
        expect(await ask(damagedContext, { symbol, adjust: 'all', order: 'asc' })).toBe(expected.get(symbol))
      }
    } finally {
      writeFileSync(target, bytes)
      await reader.close()
    }
  }
  const blocks = part.bytes - part.index_bytes
  for (let at = 0; at < 40; at += 1) await fault(path, whole, 0, blocks, at % 2 === 0)
  for (let at = 0; at < 20; at += 1) await fault(path, whole, blocks, part.bytes, at % 4 === 0)
  for (let at = 0; at < 5; at += 1) await fault(manifestPath(data, build?.sha256 as string), manifest, 0, manifest.length, false)
  // Indexes and manifests are in memory when the file changes under an open reader; every fault of a closed one is found.
  expect(reports.length).toBeGreaterThan(20)
  expect(new Set(reports.map(line => line.slice(0, 64)))).toEqual(new Set([build?.sha256]))
  expect(look.fromModel).toBeGreaterThan(0)
  expect(look.reads - look.fromModel).toBeGreaterThan(20)
})

test('a damaged block is found by a check of everything, dropped and built again; what is not needed is deleted', async () => {
  const build = await findPriceBuild(db)
  const { parts } = await readManifest(data, build?.sha256 as string)
  const path = partPath(data, parts[0]?.sha256 as string)
  const whole = readFileSync(path)
  const wrong = Buffer.from(whole)
  wrong[100] = (wrong[100] as number) ^ 4
  writeFileSync(path, wrong)
  const reader = openPrices(unreported)
  await reader.refresh()
  expect((await findDamagedBuilds(db, data)).damaged).toEqual([])
  const { damaged } = await findDamagedBuilds(db, data, { whole: true })
  expect(damaged).toMatchObject([
    { model: 'prices', path: `models/prices/${build?.sha256}.json`, reason: expect.stringMatching(/its file \w+\.part is damaged/) },
  ])
  expect(await dropDamagedBuilds(db, data, { whole: true })).toEqual(damaged)
  expect(await findPriceBuild(db)).toBeNull()
  expect((await buildPrices(tools))?.sha256).toBe(build?.sha256)
  expect(readFileSync(path).equals(whole)).toBe(true)
  // The reader opens the new file, although its name is the same.
  await reader.refresh()
  const look = nothing()
  const context = await contextWith(reader.at(await releaseNow()), look)
  for (const symbol of await symbolsOf()) await ask(context, { symbol, adjust: 'all', order: 'asc', limit: 1 })
  expect(look.fromModel).toBe(look.reads)
  await reader.close()

  const files = (): string[] => readdirSync(pricesFolder(data)).sort()
  expect(files().length).toBeGreaterThan(2)
  await collectModels(db, data)
  // Files of the last hour may be in use.
  expect(files().length).toBeGreaterThan(2)
  rmSync(path)
  expect((await findDamagedBuilds(db, data)).damaged).toMatchObject([
    { model: 'prices', reason: expect.stringMatching(/its file \w+\.part is missing/) },
  ])
  await dropDamagedBuilds(db, data)
  await buildPrices(tools)
  expect(existsSync(path)).toBe(true)
})

test('a process that ends at any step of a build leaves the build before, and the next one completes', async () => {
  const [bar] = await rowsOf('bars', "symbol = 'NGP.TO' and date = '2026-11-23'")
  await addRows('bars', [{ ...bar, date: '2026-12-01', known_from: '2026-12-01T22:00:00Z' }])
  const before = await findPriceBuild(db)
  for (const point of ['prices-written', 'prices-kept'])
    for (const count of [1, 2]) {
      let left = count
      const crashPoint = (name: string): void => {
        if (name === point && --left === 0) throw new Error('ended here')
      }
      await expect(buildPrices({ db, writer: { ...writer, crashPoint } })).rejects.toThrow('ended here')
      expect(await findPriceBuild(db)).toEqual(before)
    }
  expect((await buildPrices(tools))?.release).toBe(await releaseNow())
  expect(readdirSync(writer.stageFolder).filter(name => name.startsWith('prices-'))).toEqual([])
  await compareAll()
})
