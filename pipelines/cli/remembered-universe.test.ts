// A start skips the universe only if the database has a reading of each document by the reader that takes it now.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#fixtures/postgres.ts'
import { testFolders } from '#fixtures/test-folder.ts'
import type { RawDocument } from '../read/parsed.ts'
import { findRememberedClock, remember } from './remembered-universe.ts'

const clock = '2026-11-20T09:30:00.000Z'
const folderOf = testFolders('remembered')
let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})

const documentOf = (url: string, at: number): RawDocument => ({
  url,
  source: 'edgar',
  retrieved_at: '2026-11-01T00:00:00.000Z',
  status: 200,
  headers: {},
  sha256: String(at).padEnd(64, '0'),
  body: Buffer.from(`body ${at}`),
})
const documents = [documentOf('https://upstream.invalid/one', 1), documentOf('https://upstream.invalid/two', 2)]
const nameOf = ({ url }: RawDocument): string | null => (url.endsWith('one') ? 'first' : null)

async function store({ url, sha256, retrieved_at }: RawDocument, at: number, reader: string | null): Promise<void> {
  await sql`with stored as (
      insert into raw_document (sha256, source, url, retrieved_at, status, headers, bytes, pack, pack_offset, holds_body)
      values (${sha256}, 'edgar', ${url}, ${retrieved_at}, 200, '{}', 6, 'pack', ${at}, true) returning raw_id)
    insert into reading (raw_id, reader, state, rows, refused, skipped)
    select raw_id, ${reader}, ${reader === null ? 'unread' : 'read'}, 0, 0, '[]' from stored`.execute(database.db)
}

test('the universe is remembered when every document of it was read, and not before', async () => {
  const { db } = database
  const folder = folderOf()
  expect(await findRememberedClock(db, folder)).toBeNull()
  await remember(folder, { clock, documents }, nameOf)
  expect(await findRememberedClock(db, folder)).toBeNull()
  const [one, two] = documents as [RawDocument, RawDocument]
  await store(one, 1, 'first')
  expect(await findRememberedClock(db, folder)).toBeNull()
  // A document that no reader takes has a reading too.
  await store(two, 2, null)
  expect(await findRememberedClock(db, folder)).toBe(clock)
})

test('another version of the universe or of the readers, another reader, or a truncated file is not remembered', async () => {
  const { db } = database
  const folder = folderOf()
  const path = join(folder, 'bundled.json')
  await remember(folder, { clock, documents }, nameOf)
  expect(await findRememberedClock(db, folder)).toBe(clock)
  const text = await readFile(path, 'utf8')
  const { fingerprint } = JSON.parse(text) as { fingerprint: string }
  await writeFile(
    path,
    text.replace(
      fingerprint,
      fingerprint.replace(/^./, digit => (digit === '0' ? '1' : '0')),
    ),
  )
  expect(await findRememberedClock(db, folder)).toBeNull()
  await writeFile(path, text.slice(0, -20))
  expect(await findRememberedClock(db, folder)).toBeNull()
  await remember(folder, { clock, documents }, ({ url }) => (url.endsWith('one') ? 'second' : null))
  expect(await findRememberedClock(db, folder)).toBeNull()
})
