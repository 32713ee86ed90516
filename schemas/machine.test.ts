import { availableParallelism, totalmem } from 'node:os'
import { expect, test } from 'vitest'
import { loadConfig } from './config.ts'
import { duckdbMemory, duckdbThreads } from './machine.ts'

const gigabyte = 1e9
test.each([
  ['a container of half a gigabyte', 0.5, 256, 125],
  ['a small container', 0.2, 256, 64],
  ['a machine of 4 GB', 4, 1000, 256],
  ['a machine of 24 GB', 24, 6000, 256],
  ['a machine of 512 GB', 512, 128_000, 256],
])('DuckDB has in %s a quarter of the memory, within limits', (_machine, memory, worker, api) => {
  expect(duckdbMemory(memory * gigabyte)).toEqual({ worker, api })
})

test.each([
  [256, 1, 1],
  [256, 64, 2],
  [1000, 2, 2],
  [1000, 64, 8],
  [128_000, 64, 64],
  [32, 4, 1],
])('DuckDB with %i MB on %i processors has %i threads', (memory, processors, threads) => {
  expect(duckdbThreads(memory, processors)).toBe(threads)
})

test('without settings, the limits are those of this machine, and a setting counts before it', () => {
  const config = loadConfig({})
  expect(config.duckdbMemoryMb).toBeLessThanOrEqual(Math.max(256, totalmem() / 4e6))
  expect(config.duckdbThreads).toBeLessThanOrEqual(availableParallelism())
  expect(loadConfig({ CROSSFILE_DUCKDB_MEMORY: '125MB' })).toMatchObject({ duckdbMemoryMb: 125, duckdbThreads: 1 })
  expect(loadConfig({ CROSSFILE_DUCKDB_MEMORY: '125MB', CROSSFILE_DUCKDB_THREADS: '3' })).toMatchObject({ duckdbThreads: 3 })
})
