// An API process on another host than the first worker.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { loadConfig } from '#schemas/config.ts'
import { BadRequest } from '#schemas/errors.ts'
import { checkKeyFiles } from '#warehouse/store/key-fingerprints.ts'
import { connect } from '#warehouse/store/postgres.ts'
import { startServer } from './server.ts'

test('is refused without the keys of the database, and makes none', async () => {
  const url = await createTestDatabase()
  const [worker, api] = [mkdtempSync(join(tmpdir(), 'crossfile-worker-')), mkdtempSync(join(tmpdir(), 'crossfile-api-'))]
  const { db, close } = connect(url)
  await checkKeyFiles(db, join(worker, 'keys'), ['pepper', 'admin-totp'], { makes: true })
  await close()
  const config = loadConfig({ CROSSFILE_DATA: api, DATABASE_URL: url, PORT: '0', CROSSFILE_LOG: 'silent' })
  const refused = await startServer(config).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(BadRequest)
  expect(refused).toMatchObject({ message: expect.stringContaining('lacks pepper-1.key'), hint: expect.stringContaining('copy the folder keys') })
  expect(readdirSync(api)).toEqual([])
  for (const folder of [worker, api]) rmSync(folder, { recursive: true })
})
