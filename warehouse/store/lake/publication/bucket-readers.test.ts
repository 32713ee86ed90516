// Other programs read a lake in a bucket by its address, with its credentials: all rows of the newest release, and of an older one.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestBucket, type ServerName, s3Server, type TestBucket } from '#fixtures/bucket.ts'
import { testDatabase } from '#fixtures/postgres.ts'
import { aRate, commitRates, openRatesLake } from '#fixtures/rates-lake.ts'
import { createS3Client } from '../../object-store/client.ts'
import { openCache } from '../bucket/cache.ts'
import { openObjects } from '../bucket/objects.ts'
import { loadCatalogue } from '../catalogue.ts'
import { compactAll, type LakeWriter } from '../compact.ts'
import { openLake } from '../open.ts'
import { writeDucklake } from './ducklake-file.ts'
import { publishLake } from './publish.ts'

const server: ServerName | null = s3Server('versitygw', 'moto_server')
const script = join(import.meta.dirname, '..', '..', '..', '..', 'fixtures', 'documentation', 'bucket_readers.py')
const programs = [
  { program: 'delta-rs', packages: 'deltalake, pyarrow' },
  { program: 'polars', packages: 'polars, deltalake' },
  { program: 'duckdb-delta', packages: 'duckdb with its extensions httpfs and delta' },
  { program: 'duckdb-ducklake', packages: 'duckdb with its extensions httpfs and ducklake' },
  { program: 'spark-delta', packages: 'pyspark with the jars delta-spark, delta-storage and hadoop-aws in its folder jars' },
] as const
const missingFor = (program: string, packages: string): string =>
  server === null
    ? ' (skipped: no versitygw or moto_server in PATH)'
    : spawnSync('python3', [script, program, 'present']).status === 0
      ? ''
      : ` (skipped: python3 has no ${packages})`

type Row = readonly [date: string, rate: string, release: number]
const day = (n: number): string => `2026-01-${String(n).padStart(2, '0')}`
const releases = 9
const older = 4

/** What the script prints. It runs beside this process, which has the bucket's proxy. */
async function answersOf(program: string, input: object): Promise<Row[][]> {
  const child = spawn('python3', [script, program])
  let [output, errors] = ['', '']
  child.stdout.on('data', text => {
    output += String(text)
  })
  child.stderr.on('data', text => {
    errors += String(text)
  })
  child.stdin.end(JSON.stringify(input))
  const code = await new Promise(resolve => child.once('close', resolve))
  if (code !== 0) throw new Error(errors.slice(-2_000))
  return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '[]') as Row[][]
}

describe('a lake in a bucket', () => {
  const folder = mkdtempSync(join(tmpdir(), 'crossfile-bucket-readers-'))
  let bucket: TestBucket
  let writer: LakeWriter
  let expected: Row[]
  let input: object
  beforeAll(async () => {
    if (server === null) return
    bucket = await openTestBucket(server)
    const { db } = await testDatabase()
    const objects = openObjects(createS3Client(bucket.address('lake'), bucket.settings))
    writer = await openRatesLake(folder, () => undefined, openCache(folder, objects, { limitBytes: 1e9, keepMs: 0 }))
    let version = -1
    for (let release = 1; release <= releases; release += 1) {
      await commitRates(db, writer, [aRate(day(2 * release), `1.${release}`), aRate(day(2 * release + 1), `0.${release}5`)])
      await publishLake(db, writer)
      if (release === older) {
        // One version of the Delta table for each release, from 0 on, until files are merged.
        version = release - 1
      }
    }
    expect((await compactAll(db, writer)).length).toBeGreaterThan(0)
    await publishLake(db, writer)
    const ducklake = join(folder, 'out.ducklake')
    expect((await writeDucklake(db, writer, ducklake)).releases).toContain(older)
    const rows = await openLake(await loadCatalogue(db), writer.connections, writer.verifier).query<{
      date: string
      rate: string
      release_from: number
    }>('select date, rate, release_from from fx_rates order by date', {}, { fx_rates: ['USD'] })
    expected = rows.map(row => [row.date, row.rate, row.release_from])
    const { endpoint, region, accessKeyId, secretAccessKey } = bucket.settings
    input = { address: bucket.address('lake'), endpoint, region, key: accessKeyId, secret: secretAccessKey, ducklake, release: older, version }
  })
  afterAll(async () => {
    writer?.connections.close()
    await bucket?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  for (const { program, packages } of programs) {
    const missing = missingFor(program, packages)
    test.skipIf(missing !== '')(`has the rows of the newest release and of an older one for ${program}${missing}`, async () => {
      expect(expected).toHaveLength(2 * releases)
      expect(await answersOf(program, input)).toEqual([expected, expected.filter(([, , release]) => release <= older)])
    })
  }
})
