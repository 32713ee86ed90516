import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#fixtures/postgres.ts'
import { datasetOf } from '#schemas/index.ts'
import { openDuckdb } from '../duckdb.ts'
import { loadCatalogue } from './catalogue.ts'
import { commit } from './commit.ts'
import { compactAll, fanOut, type LakeWriter } from './compact.ts'
import { openConnections } from './connections.ts'
import { readJsonSql } from './json-lines.ts'
import type { Lake } from './lake.ts'
import { createVerifier, openLake } from './open.ts'
import { seal } from './seal.ts'
import { spoolRows, stage } from './stage.ts'

let database: TestDatabase
let writer: LakeWriter
let data: string
let release = 0

const aBar = (symbol: string, date: string, close: number) => ({
  symbol,
  date,
  open: close,
  high: close,
  low: close,
  close,
  volume: 100,
  currency: 'USD',
  known_from: `${date}T22:00:00Z`,
  known_basis: 'retrieved',
  source: 'eodhd',
  raw_sha256: 'a'.repeat(64),
  withdrawn: false,
})
async function day(date: string, symbols: readonly string[]): Promise<void> {
  release += 1
  const spool = join(writer.stageFolder, `bars-${release}.ndjson`)
  await spoolRows(
    symbols.map((symbol, at) => aBar(symbol, date, 10 + at + release)),
    spool,
  )
  const dataset = datasetOf('bars')
  const file = await writer.connections.use(async connection =>
    seal(
      writer,
      await stage(connection, dataset, readJsonSql(dataset, spool), join(writer.stageFolder, `bars-${release}.parquet`), dataset.key),
      'new',
    ),
  )
  const request = { job: 'bars', partition: date, batchKey: date, files: [file], base: 1_000_000, derivedFrom: [], fence: null }
  await commit(database.db, { ...request, along: async () => {} })
}
const lakeAt = async (at?: number): Promise<Lake> => openLake(await loadCatalogue(database.db), writer.connections, createVerifier(data), at)
type Row = { symbol: string; date: string; close: number; currency: string }
const sql = 'select symbol, date, close, currency from bars where date >= $from::date order by symbol, date'
const plain = (lake: Lake, from: string): Promise<Row[]> => lake.query<Row>(sql, { from }, { bars: 'all' })
const held = (lake: Lake, from: string): Promise<Row[]> =>
  lake.query<Row>(sql, { from }, { bars: 'all' }, { since: { bars: { time: from, hold: ['symbol', 'date', 'close', 'currency'] } } })
const days = (count: number, first = 1): string[] => Array.from({ length: count }, (_, at) => `2026-03-${String(first + at).padStart(2, '0')}`)

beforeAll(async () => {
  database = await testDatabase()
  data = await mkdtemp(join(tmpdir(), 'crossfile-tails-'))
  const instance = await openDuckdb({ memoryLimit: '256MB', threads: 1, tempFolder: '', folders: [data] })
  writer = { data, connections: await openConnections(instance, 2), verifier: createVerifier(data), stageFolder: join(data, 'stage') }
  await mkdir(writer.stageFolder, { recursive: true })
  for (const date of days(fanOut)) await day(date, ['AA', 'BB', 'NA'])
  await compactAll(database.db, writer)
})
afterAll(async () => {
  writer.connections.close()
  await rm(data, { recursive: true, force: true })
})

test('rows held in memory are the rows of the files, for a later day, an earlier one and an earlier release', async () => {
  const lake = await lakeAt()
  for (const from of ['2026-03-03', '2026-03-04', '2026-03-01']) {
    const rows = await held(lake, from)
    expect(rows).toEqual(await plain(lake, from))
    expect(rows.length).toBeGreaterThan(0)
  }
  const before = await lakeAt(2)
  expect(await held(before, '2026-03-01')).toEqual(await plain(before, '2026-03-01'))
  expect(await held(before, '2026-03-03')).toEqual([])
})

test('new days, and a second merging of the files, change what is held as they change the lake', async () => {
  for (const date of days(fanOut, 1 + fanOut)) {
    await day(date, ['AA', 'CC'])
    const lake = await lakeAt()
    expect(await held(lake, '2026-03-03')).toEqual(await plain(lake, '2026-03-03'))
  }
  expect(await compactAll(database.db, writer)).not.toEqual([])
  const lake = await lakeAt()
  const rows = await held(lake, '2026-03-02')
  expect(rows).toEqual(await plain(lake, '2026-03-02'))
  expect(rows.filter(row => row.symbol === 'AA')).toHaveLength(2 * fanOut - 1)
})

test('a lake as it stood before files were merged still finds its rows', async () => {
  const old = await lakeAt()
  const rows = await plain(old, '2026-03-02')
  for (const date of days(fanOut, 1 + 2 * fanOut)) await day(date, ['AA'])
  await compactAll(database.db, writer)
  await held(await lakeAt(), '2026-03-02')
  expect(await held(old, '2026-03-02')).toEqual(rows)
})

test('files that end before the day are not opened', async () => {
  const lake = await lakeAt()
  const later = await lake.query(sql, { from: '2026-04-01' }, { bars: 'all' }, { since: { bars: { time: '2026-04-01' } } })
  expect(later).toEqual([])
})
