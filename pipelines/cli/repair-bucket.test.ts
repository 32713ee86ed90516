// `crossfile repair` of raw documents with a bucket, on a host whose disk has them.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestBucket, s3Server, type TestBucket } from '#fixtures/bucket.ts'
import { flipBit } from '#fixtures/damage.ts'
import { type TestDatabase, testDatabase } from '#fixtures/postgres.ts'
import { loadConfig } from '#schemas/config.ts'
import { openRemote } from '#warehouse/store/lake/open-remote.ts'
import type { Objects } from '#warehouse/store/lake/remote.ts'
import { sha256Hex } from '#warehouse/store/raw/pack.ts'
import { rawPlace } from '#warehouse/store/raw/place.ts'
import { openRawStore } from '#warehouse/store/raw/raw.ts'
import { commandRunner } from './kept-io.ts'

const server = s3Server('versitygw', 'moto_server')
test.skipIf(server !== null)('skipped: no versitygw or moto_server in PATH, so no repair with a bucket was tested', () => undefined)

type Report = {
  readonly repairs: readonly { readonly dataset: string; readonly reason: string; readonly result: string; readonly repaired: boolean }[]
}

describe.skipIf(server === null)(`repair with a bucket of ${server}`, async () => {
  let bucket: TestBucket
  let database: TestDatabase
  let data: string
  let objects: Objects
  let run: ReturnType<typeof commandRunner>
  beforeAll(async () => {
    bucket = await openTestBucket(server ?? 'versitygw')
    database = await testDatabase()
    data = await mkdtemp(join(tmpdir(), 'crossfile-repair-'))
    const env = {
      ...bucket.env('repair'),
      CROSSFILE_DATA: data,
      DATABASE_URL: database.url,
      CROSSFILE_DUCKDB_MEMORY: '512MB',
      CROSSFILE_DUCKDB_THREADS: '1',
    }
    run = commandRunner(env)
    const remote = await openRemote(loadConfig(env))
    if (remote === null) throw new Error('no bucket')
    objects = remote.objects
  })
  afterAll(async () => {
    await bucket?.close()
    await rm(data, { recursive: true, force: true })
  })

  const rawRepairs = async (...more: readonly string[]) => {
    const { io } = await run('repair', '--json', ...more)
    return (io.json<Partial<Report>>().repairs ?? expect.fail(io.output.err.join('\n'))).filter(({ dataset }) => dataset === 'raw')
  }

  test('uploads a pack of this disk that the bucket lacks or has damaged', async () => {
    const body = Buffer.from('text of a filing '.repeat(50))
    const local = openRawStore(database.db, rawPlace(data, null))
    const headers = { 'content-type': 'text/plain' }
    await local.keep([
      { source: 'edgar', url: 'https://data.example/a', sha256: sha256Hex(body), retrieved_at: '2026-11-19T21:00:00Z', status: 200, headers, body },
    ])
    await local.close()
    // The first start with the bucket uploads the pack.
    expect(await rawRepairs()).toEqual([])
    const { pack } = await database.db.selectFrom('raw_document').select('pack').executeTakeFirstOrThrow()
    const whole = await readFile(join(rawPlace(data, null).folder, pack))
    expect(await objects.bytes(`raw/${pack}`)).toEqual(whole)

    await objects.remove(`raw/${pack}`)
    const doctor = await run('doctor', '--json')
    expect(doctor.io.output.out.join('\n')).toContain(`raw/${pack} is missing`)
    expect(await rawRepairs('--dry-run')).toMatchObject([{ reason: `the pack is missing from ${objects.address}`, repaired: false }])
    expect(await rawRepairs()).toMatchObject([{ result: 'uploaded from this disk', repaired: true }])
    expect(await objects.bytes(`raw/${pack}`)).toEqual(whole)

    const damaged = join(data, 'damaged')
    await writeFile(damaged, whole)
    await flipBit(damaged)
    await objects.write(`raw/${pack}`, await readFile(damaged))
    expect(await rawRepairs()).toMatchObject([{ reason: expect.stringContaining('differs from its SHA-256'), repaired: true }])
    expect(await objects.bytes(`raw/${pack}`)).toEqual(whole)
    expect(await rawRepairs()).toEqual([])
  })
})
