// The first API key: one per database, whatever starts at the same time.
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#fixtures/postgres.ts'
import { testFolders } from '#fixtures/test-folder.ts'
import { createKey, listKeys, revokeKey } from '#warehouse/people/accounts/keys.ts'
import { readyKey } from './first-key.ts'

const aFolder = testFolders('first-key')
const now = new Date('2026-11-20T09:30:00Z')
let database: TestDatabase
beforeEach(async () => {
  database = await testDatabase()
})

test('starts at the same time on one data folder create one key, and all have its text', async () => {
  const folder = aFolder()
  const found = await Promise.all(Array.from({ length: 4 }, () => readyKey(database.db, folder, now)))
  const keys = await listKeys(database.db)
  expect(keys.map(({ name, tier }) => [name, tier])).toEqual([['npm start', 'prime']])
  const text = (await readFile(join(folder, 'api-key'), 'utf8')).trim()
  expect(text.endsWith(keys[0]?.last4 ?? '?')).toBe(true)
  expect(found).toEqual(Array.from({ length: 4 }, () => ({ text })))
  // No draft is left, and only the owner can read the file.
  expect(readdirSync(folder)).toEqual(['api-key'])
  if (process.platform !== 'win32') expect(statSync(join(folder, 'api-key')).mode & 0o777).toBe(0o600)
})

test('a second host over the database makes none: it reports which key is in force', async () => {
  const folders = [aFolder(), aFolder()]
  const found = await Promise.all(folders.map(folder => readyKey(database.db, folder, now)))
  const keys = await listKeys(database.db)
  expect(keys).toHaveLength(1)
  expect(found.filter(key => key.text !== null)).toHaveLength(1)
  expect(found.filter(key => key.text === null)).toEqual([{ text: null, keyId: keys[0]?.key_id, last4: keys[0]?.last4 }])
})

test('a folder whose key was revoked, or is of another database, gets a new one; a deleted file does not make one', async () => {
  const folder = aFolder()
  const first = await readyKey(database.db, folder, now)
  expect(await readyKey(database.db, folder, now)).toEqual(first)
  await revokeKey(database.db, (await listKeys(database.db))[0]?.key_id ?? '', now)
  const second = await readyKey(database.db, folder, now)
  expect(second.text).not.toBeNull()
  expect(second).not.toEqual(first)
  rmSync(join(folder, 'api-key'))
  expect(await readyKey(database.db, folder, now)).toMatchObject({ text: null })
  for (const key of await listKeys(database.db)) if (key.revoked_at === null) await revokeKey(database.db, key.key_id, now)
  writeFileSync(join(folder, 'api-key'), 'cf_live_of-another-database\n')
  const third = await readyKey(database.db, folder, now)
  expect((await readFile(join(folder, 'api-key'), 'utf8')).trim()).toBe(third.text)
})

test('a key of another name is not the first key', async () => {
  const folder = aFolder()
  await createKey(database.db, { name: 'a client', tier: 'prime', days: null }, now)
  expect((await readyKey(database.db, folder, now)).text).not.toBeNull()
})
