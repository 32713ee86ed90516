// Checkpoints of a Delta log: written in the memory that the least container gives to DuckDB, whatever the length of their lines.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { datasetOf } from '#schemas/index.ts'
import { duckdbMemory } from '#schemas/machine.ts'
import { openDuckdb, queryRows } from '../../duckdb.ts'
import type { LakeWriter } from '../compact.ts'
import { openConnections } from '../connections.ts'
import type { TableFile } from './delta.ts'
import { logFolder, writeCheckpoint } from './log-folder.ts'

const dataset = datasetOf('fx_rates')
let data: string
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'crossfile-checkpoint-'))
})
afterEach(() => rmSync(data, { recursive: true, force: true }))

const fileOf = (bucket: string): TableFile => ({
  bucket,
  sha256: 'a'.repeat(64),
  bytes: 1,
  rows: 1,
  key_min: 'FX',
  key_max: 'FX',
  time_min: '2026-11-17',
  time_max: '2026-11-18',
  release_min: 1,
  release_max: 1,
})

async function checkpointWith(memoryMb: number, files: readonly TableFile[]): Promise<number> {
  const instance = await openDuckdb({ memoryLimit: `${memoryMb}MB`, threads: 2, tempFolder: '', folders: [data] })
  const connections = await openConnections(instance, 3)
  try {
    const writer = { data, connections, stageFolder: data } as unknown as LakeWriter
    // Three at the same time: a lake in a bucket publishes several datasets together.
    await Promise.all([0, 10, 20].map(version => writeCheckpoint(writer, { dataset, hasReleases: true }, version, files, 0)))
    const path = join(logFolder(data, dataset.name), '00000000000000000010.checkpoint.parquet')
    const [row] = await connections.use(connection =>
      queryRows<{ n: number }>(connection, 'select count(add)::int as n from read_parquet($path)', { path }),
    )
    return row?.n ?? 0
  } finally {
    connections.close()
    instance.closeSync()
  }
}

test('three at a time are written in the least memory that a worker gives to DuckDB', async () => {
  expect(await checkpointWith(duckdbMemory(0).worker, [fileOf('b-1'), fileOf('b-2')])).toBe(2)
})
test('has a line that is longer than the parts in which DuckDB reads a file', async () => {
  expect(await checkpointWith(1000, [fileOf('b-1'), { ...fileOf('b-2'), key_max: 'x'.repeat(34_000_000) }])).toBe(2)
})
