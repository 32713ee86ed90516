// Leftovers of killed processes on a host that does not run the job that collects.
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testDatabase } from '#fixtures/postgres.ts'
import { testFolder } from '#fixtures/test-folder.ts'
import { sweepHost } from './collect.ts'

const { db } = await testDatabase()
const { folder: data } = testFolder('crossfile-sweep-host')
const stageFolder = join(data, 'stage')

function leave(path: string, isOld: boolean): string {
  const file = join(data, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, 'a part')
  if (isOld) utimesSync(file, 1_000_000, 1_000_000)
  return file
}

test('a host deletes old staged files, downloads and drafts of its own folders, and keeps those that may be in use', async () => {
  const gone = ['stage/holdings-1.ndjson', 'stage/filings-1.parquet', 'lake/incoming/1.part', 'warehouse-0123456789ab.duckdb.tmp'].map(each =>
    leave(each, true),
  )
  const kept = [
    ...['stage/holdings-2.ndjson', 'lake/incoming/2.part', 'warehouse-abcdef012345.duckdb.tmp'].map(each => leave(each, false)),
    ...['warehouse.duckdb', 'keys/shared-1.key', 'bundled.json'].map(each => leave(each, true)),
  ]
  await sweepHost({ db, data, stageFolder, remote: null })
  expect(gone.filter(existsSync)).toEqual([])
  expect(kept.filter(path => !existsSync(path))).toEqual([])
})
