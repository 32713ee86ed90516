import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { datasetOf } from '#schemas/index.ts'
import { openDuckdb, queryRows, runSql } from '../duckdb.ts'
import { fileRelation } from './relation.ts'

const bars = datasetOf('bars')
let folder: string
let instance: Awaited<ReturnType<typeof openDuckdb>>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crossfile-relation-'))
  instance = await openDuckdb({ memoryLimit: '256MB', threads: 1, tempFolder: '', folders: [folder] })
})
afterAll(async () => {
  instance.closeSync()
  await rm(folder, { recursive: true, force: true })
})

it('a file from before the basis was stored is read beside a newer one, and says of Yahoo that it is unknown', async () => {
  const connection = await instance.connect()
  const write = async (name: string, symbol: string, source: string, basis: string | null): Promise<string> => {
    const path = join(folder, `${name}.parquet`)
    const facts = `'${symbol}' as symbol, date '2024-01-02' as date, 1.0 as open, 1.0 as high, 1.0 as low, 1.0 as close, 5::bigint as volume, 'USD' as currency`
    const rest = `timestamptz '2024-01-03 00:00:00Z' as known_from, 'retrieved' as known_basis, '${source}' as source, '${'a'.repeat(64)}' as raw_sha256, false as withdrawn, null::bigint as release_from`
    await runSql(connection, `copy (select ${facts}, ${basis === null ? '' : `'${basis}' as basis, `}${rest}) to '${path}' (format parquet)`)
    return path
  }
  const lacks = ['basis']
  const files = [
    { path: await write('old-yahoo', 'A', 'yahoo', null), fresh_release: 1, lacks },
    { path: await write('old-eodhd', 'B', 'eodhd', null), fresh_release: 2, lacks },
    { path: await write('new', 'C', 'yahoo', 'reconstructed'), fresh_release: 3, lacks: [] },
  ]
  const rowsOf = async (some: typeof files) => {
    const { sql, parameters } = fileRelation(bars, some)
    return await queryRows<{ symbol: string; basis: string; release_from: number }>(
      connection,
      `select symbol, basis, release_from from ${sql} order by symbol`,
      parameters,
    )
  }
  expect(await rowsOf(files)).toEqual([
    { symbol: 'A', basis: 'split_adjusted_unknown', release_from: 1 },
    { symbol: 'B', basis: 'as_traded', release_from: 2 },
    { symbol: 'C', basis: 'reconstructed', release_from: 3 },
  ])
  expect(await rowsOf(files.slice(0, 1))).toHaveLength(1)
  expect(await rowsOf(files.slice(2))).toHaveLength(1)
  connection.closeSync()
})
