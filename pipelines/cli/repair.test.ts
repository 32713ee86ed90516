// `crossfile repair` and `crossfile rebuild` over damaged lake files, on a copy of the bundled universe.
import { appendFile, chmod, copyFile, mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { flipBit } from '#fixtures/damage.ts'
import { worldWarehouse } from '#fixtures/warehouse.ts'
import { queryRows } from '#warehouse/store/duckdb.ts'
import { type LakeFile, loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { compactAll } from '#warehouse/store/lake/compact.ts'
import { findDamage } from '#warehouse/store/lake/damage.ts'
import { stateDigest } from '#warehouse/store/lake/digest.ts'
import { lakePath, sha256OfFile } from '#warehouse/store/lake/open.ts'
import { inspectWarehouseFile } from '#warehouse/store/lake/views.ts'
import { listPacks } from '#warehouse/store/raw/pack.ts'
import { rawFolder } from '#warehouse/store/raw/place.ts'
import { writeAnalystFile } from '../jobs/models/models.ts'
import { commandRunner, envOf } from './kept-io.ts'

const warehouse = await worldWarehouse()
const { db } = warehouse.runtime.postgres
const data = warehouse.config.dataFolder
const run = commandRunner(envOf(warehouse.config))
/** The repairs that a run lists; fails with what it printed if it lists none. */
const repairsOf = ({ io }: Awaited<ReturnType<typeof run>>): Repairs['repairs'] =>
  io.json<Partial<Repairs>>().repairs ?? expect.fail(`no repairs: ${[...io.output.out, ...io.output.err].join('\n')}`)
type Repairs = { damaged: number; files: number; repairs: { dataset: string; file: string; result: string; repaired: boolean }[] }

const digest = async (): Promise<string> => (await stateDigest(await warehouse.lake())).digest
async function filesOf(dataset: string): Promise<readonly LakeFile[]> {
  return (await loadCatalogue(db)).files.get(dataset) ?? []
}

async function inDatabase(path: string, statement: string): Promise<unknown[]> {
  const instance = await DuckDBInstance.create(path, path === ':memory:' ? {} : { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  try {
    return await queryRows(connection, statement)
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

let backup = ''
let before = ''
beforeAll(async () => {
  backup = await mkdtemp(join(tmpdir(), 'crossfile-backup-'))
  before = await digest()
})
afterAll(() => rm(backup, { recursive: true, force: true }))

describe('repair', () => {
  test('writes a missing warehouse.duckdb, and then says that everything is whole', async () => {
    await rm(join(data, 'warehouse.duckdb'), { force: true })
    const missing = (await run('repair', '--json')).io.json<Repairs>()
    expect(missing.repairs.map(each => [each.dataset, each.repaired])).toEqual([['warehouse.duckdb', true]])
    expect((await inspectWarehouseFile(data)).state).toBe('whole')
    const { code, io } = await run('repair')
    expect([code, io.output.out.join()]).toEqual([0, expect.stringContaining('every lake file is whole')])
  })

  test('adjusted closes are those of the restored factors, also if warehouse.duckdb was written while they were damaged', async () => {
    const [factors] = await filesOf('adjustment_factors')
    if (!factors) throw new Error('the universe has no factors')
    const path = lakePath(data, factors)
    const other = join(backup, 'other-factors.parquet')
    const kept = lakePath(backup, factors)
    await mkdir(dirname(kept), { recursive: true })
    await copyFile(path, kept)
    const closes = 'select symbol, date::varchar as date, adjusted_close from bars_adjusted order by symbol, date'
    const before = await inDatabase(join(data, 'warehouse.duckdb'), closes)
    // DuckDB reads it, as it reads a file with a flipped bit in a number.
    await inDatabase(':memory:', `copy (select * replace (price_factor / 2 as price_factor) from read_parquet('${path}')) to '${other}'`)
    await chmod(path, 0o644)
    await copyFile(other, path)
    await rm(join(data, 'warehouse.duckdb'))
    await writeAnalystFile(warehouse.runtime)
    expect(await inDatabase(join(data, 'warehouse.duckdb'), closes)).not.toEqual(before)
    expect((await run('repair', '--from', backup)).code).toBe(0)
    expect(await inDatabase(join(data, 'warehouse.duckdb'), closes)).toEqual(before)
  })

  test('finds a flipped bit, a truncation and a deletion, restores from a backup by content and makes the others again from raw', async () => {
    const [[bars], [rates], [actions]] = await Promise.all([filesOf('bars'), filesOf('fx_rates'), filesOf('corporate_actions')])
    if (!bars || !rates || !actions) throw new Error('a dataset of the universe has no file')
    const paths = [bars, rates, actions].map(file => lakePath(data, file))
    // The backup holds the actions whole, and the rates under the right name with other content.
    for (const [from, file] of [
      [actions, actions],
      [bars, rates],
    ] as const) {
      const target = lakePath(backup, file)
      await mkdir(dirname(target), { recursive: true })
      await copyFile(lakePath(data, from), target)
    }
    await flipBit(paths[0] as string)
    await chmod(paths[1] as string, 0o644)
    await truncate(paths[1] as string, 100)
    await rm(paths[2] as string)

    const dry = await run('repair', '--dry-run', '--from', backup, '--json')
    const would = dry.io.json<Repairs>()
    expect([dry.code, would.damaged]).toEqual([1, 3])
    expect(Object.fromEntries(would.repairs.map(each => [each.dataset, each.result]))).toEqual({
      bars: 'to be rebuilt from raw',
      fx_rates: 'to be rebuilt from raw',
      corporate_actions: 'the backup has it',
    })
    expect((await findDamage(db)).map(file => file.dataset).sort()).toEqual(['bars', 'corporate_actions', 'fx_rates'])

    const status = await run('status', '--json')
    expect(status.io.json<{ problems: string[] }>().problems).toContain('bars: 1 of its files is damaged or missing; crossfile repair restores it')

    const rebuilt = await run('rebuild', '--json')
    expect(rebuilt.code).toBe(1)
    const report = rebuilt.io.json<{ damaged: string[]; equal: boolean; rebuilt: { state: { digest: string } } }>()
    expect(report).toMatchObject({ damaged: ['bars', 'corporate_actions', 'fx_rates'], equal: true })
    expect(report.rebuilt.state.digest).toBe(before)

    const done = await run('repair', '--from', backup, '--json')
    expect(Object.fromEntries(done.io.json<Repairs>().repairs.map(each => [each.dataset, each.result]))).toEqual({
      bars: 'rebuilt from raw, the same bytes',
      fx_rates: 'rebuilt from raw, the same bytes',
      corporate_actions: 'restored from the backup',
    })
    expect(done.code).toBe(0)
    for (const [at, file] of [bars, rates, actions].entries()) expect(await sha256OfFile(paths[at] as string)).toBe(file.sha256)
    expect(await digest()).toBe(before)
    expect(await findDamage(db)).toEqual([])
  })

  test.each(['newest', 'oldest'])(
    'makes the %s file of each dataset again from raw, also if a release read several documents of a row',
    async which => {
      const files = [...(await loadCatalogue(db)).files.values()].flatMap(of => (which === 'newest' ? of.at(-1) : of[0]) ?? [])
      for (const file of files) await flipBit(lakePath(data, file))
      const repaired = repairsOf(await run('repair', '--json')).filter(each => each.dataset !== 'warehouse.duckdb')
      expect(repaired.filter(each => each.result !== 'rebuilt from raw, the same bytes')).toEqual([])
      expect(repaired.length).toBe(files.length)
      expect(await digest()).toBe(before)
    },
  )

  test('is not made impossible by compaction: a damaged file is never merged, the other datasets are', async () => {
    const before = (await filesOf('bars')).map(each => each.sha256)
    const [file] = await filesOf('bars')
    if (!file) throw new Error('no bars')
    const whole = await readFile(lakePath(data, file))
    await flipBit(lakePath(data, file))
    const merged = await compactAll(db, warehouse.runtime.tools.writer)
    expect((await filesOf('bars')).map(each => each.sha256)).toEqual(before)
    expect(merged.map(each => each.dataset)).not.toContain('bars')
    expect(merged.length).toBeGreaterThan(0)
    await writeFile(lakePath(data, file), whole)
  })

  test('makes a merged file again with the release of each row', async () => {
    const writer = warehouse.runtime.tools.writer
    const merged = await compactAll(db, writer)
    expect(merged.map(each => each.dataset)).toContain('bars')
    const [file] = (await filesOf('bars')).filter(each => each.tier > 0)
    if (!file) throw new Error('the bars were not merged')
    await flipBit(lakePath(data, file))
    const { code, io } = await run('repair', '--json')
    expect(io.json<Repairs>().repairs).toMatchObject([{ dataset: 'bars', repaired: true }])
    expect(code).toBe(0)
    expect(await digest()).toBe(before)
  })
})

describe('repair with a place that crossfile backup wrote', () => {
  test('takes lake files and raw records back, and without one says what is damaged', async () => {
    const place = join(backup, 'place')
    const packs = await listPacks(rawFolder(data))
    const pack = join(rawFolder(data), packs[0] as string)
    const [whole, [bars]] = [await readFile(pack), await filesOf('bars')]
    if (!bars) throw new Error('no bars')
    expect((await run('backup', place)).code).toBe(0)
    await flipBit(pack)
    await flipBit(lakePath(data, bars))

    const alone = await run('repair', '--json')
    expect([alone.code, repairsOf(alone)]).toEqual([
      1,
      [
        expect.objectContaining({ dataset: 'raw', result: 'NOT repaired: it needs a backup (--from)' }),
        expect.objectContaining({ dataset: 'bars', result: expect.stringContaining('NOT repaired: raw cannot be read: raw pack') }),
      ],
    ])
    // What a process that appends meanwhile has written stays.
    await appendFile(pack, 'behind')
    const done = await run('repair', '--from', place, '--json')
    expect(repairsOf(done).map(({ dataset, result }) => [dataset, result])).toEqual([
      ['raw', 'restored from the backup'],
      ['bars', 'restored from the backup'],
    ])
    expect(done.code).toBe(0)
    expect((await readFile(pack)).equals(Buffer.concat([whole, Buffer.from('behind')]))).toBe(true)
    await truncate(pack, whole.length)
    expect(await digest()).toBe(before)

    await rm(pack)
    expect((await run('repair', '--from', place)).code).toBe(0)
    expect((await readFile(pack)).equals(whole)).toBe(true)
  })

  test('refuses a place that is not there', async () => {
    const { code, io } = await run('repair', '--from', join(backup, 'nowhere'))
    expect([code, io.output.err.join()]).toEqual([2, expect.stringContaining('does not exist')])
  })
})
