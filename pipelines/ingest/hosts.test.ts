// Workers of two hosts with separate data folders over one database: which starts are refused, and what passes to the second host.
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openTestBucket, s3Server, type TestBucket } from '#fixtures/bucket.ts'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { loadConfig } from '#schemas/config.ts'
import { BadRequest } from '#schemas/errors.ts'
import { openErasureList } from '#warehouse/people/privacy/erasure-list.ts'
import { openLogFolder } from '#warehouse/store/receipts/log/open-folder.ts'
import { sequence } from '#warehouse/store/receipts/log/sequence.ts'
import { findSigning, rotateKey } from '#warehouse/store/receipts/rotation.ts'
import { eraseDaily } from '../jobs/privacy/erase.ts'
import { openRuntime, type Runtime } from './runtime.ts'

const folders: string[] = []
const opened: Runtime[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})
function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'crossfile-hosts-'))
  folders.push(folder)
  return folder
}
async function start(data: string, url: string, env: Record<string, string> = {}): Promise<Runtime> {
  const runtime = await openRuntime(loadConfig({ ...env, CROSSFILE_DATA: data, DATABASE_URL: url }), () => {}, 'crossfile test')
  opened.push(runtime)
  return runtime
}
const refusal = async (data: string, url: string, env: Record<string, string> = {}): Promise<BadRequest> => {
  const error = await start(data, url, env).catch((each: unknown) => each)
  expect(error).toBeInstanceOf(BadRequest)
  return error as BadRequest
}

test('a second host without the folder of keys is refused, makes none, and starts with a copy', async () => {
  const url = await createTestDatabase()
  const [a, b] = [aFolder(), aFolder()]
  await start(a, url)
  expect(readdirSync(join(a, 'keys')).sort()).toEqual(['admin-totp-1.key', 'pepper-1.key'])
  expect((await refusal(b, url)).message).toContain(`${join(b, 'keys')} lacks pepper-1.key`)
  expect(readdirSync(b)).not.toContain('keys')
  cpSync(join(a, 'keys'), join(b, 'keys'), { recursive: true })
  await start(b, url)
  // The first host lost its folder.
  rmSync(join(a, 'keys'), { recursive: true })
  expect((await refusal(a, url)).hint).toContain('restore it from a backup')
})

const server = s3Server('versitygw')
test.skipIf(server !== null)('skipped: no versitygw (with the clock of the tests) in PATH, so no hosts with a bucket were tested', () => undefined)

describe.skipIf(server === null)('hosts with the lake in a bucket', () => {
  let bucket: TestBucket
  beforeAll(async () => {
    bucket = await openTestBucket('versitygw')
  })
  afterAll(async () => await bucket.close())

  test('the log of the first data folder is uploaded, and a host without it is refused before that', async () => {
    const url = await createTestDatabase()
    const [a, b] = [aFolder(), aFolder()]
    const local = await start(a, url)
    const tools = { db: local.postgres.db, keysFolder: local.tools.keysFolder, host: 'crossfile.example' }
    await sql`insert into release (release, parent, committed_at, job, partition, batch_key) values (1, 0, clock_timestamp(), 'insider', '2026-11-20', 'a')`.execute(
      tools.db,
    )
    expect((await sequence({ ...tools, folder: openLogFolder(a, null) })).added).toBe(1)
    const env = bucket.env('hosts')
    cpSync(join(a, 'keys'), join(b, 'keys'), { recursive: true })
    expect((await refusal(b, url, env)).message).toContain('the database has a receipt log, but neither')
    const first = await start(a, url, env)
    expect(readdirSync(join(a, 'keys')).sort()).toEqual(['admin-totp-1.key', 'pepper-1.key', 'shared-1.key', 'signing-1.pem'])
    // The copy is older than the key that seals private keys.
    expect((await refusal(b, url, env)).message).toContain('lacks shared-1.key')
    cpSync(join(a, 'keys'), join(b, 'keys'), { recursive: true })
    const second = await start(b, url, env)
    const remote = second.tools.writer.remote ?? null
    expect(await openLogFolder(b, remote).readCheckpoint()).toBe(await openLogFolder(a, null).readCheckpoint())
    // A rotation on the first host applies to the second one, also for the log.
    const { signer } = await rotateKey(first.postgres.db, first.tools.keysFolder, { fresh: true })
    const signing = await second.postgres.db.transaction().execute(trx => findSigning(trx, second.tools.keysFolder))
    expect(signing.signer?.kid).toBe(signer.kid)
    expect((await sequence({ ...tools, db: second.postgres.db, keysFolder: second.tools.keysFolder, folder: openLogFolder(b, remote) })).added).toBe(
      1,
    )
    // The list of erasures is one for both.
    const erased = { subject_sha256: 'ab'.repeat(32), requested_at: '2026-10-01T00:00:00Z', erased_at: '2026-11-01T00:00:00Z' }
    await remote?.objects.write('erasures.jsonl', Buffer.from(`${JSON.stringify(erased)}\n`))
    expect(await openErasureList(a, first.tools.writer.remote ?? null).read()).toEqual({ erased: [erased], damaged: [] })
    await eraseDaily(first.postgres.db, openErasureList(a, first.tools.writer.remote ?? null), new Date('2026-11-20T00:00:00Z'))
    const found = await first.postgres.db.selectFrom('key_fingerprint').select('name').orderBy('name').execute()
    expect(found.map(({ name }) => name)).toEqual(['admin-totp', 'pepper', 'shared'])
  })
})
