// Damage of raw documents is found by the scrub and by readers, is known to all processes, and is forgotten once it is repaired.
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#fixtures/postgres.ts'
import type { RawDocument } from '#schemas/raw.ts'
import { findRawDamage, recheckRawDamage, recordRawDamage, scrubRawOnce } from './damage.ts'
import { sha256Hex } from './pack.ts'
import { rawFolder, rawPlace } from './place.ts'
import { openRawStore, type RawStore } from './raw.ts'

let database: TestDatabase
let data: string
let raw: RawStore
let pack: string
const reported: [string, string][] = []

const texts = Array.from({ length: 200 }, (_, at) => `document ${at}: ${'shares '.repeat(40)}`)
const aDocument = (text: string, at: number): RawDocument => ({
  sha256: sha256Hex(Buffer.from(text)),
  source: 'edgar',
  url: `https://www.sec.gov/${at}.txt`,
  retrieved_at: '2026-11-19T21:00:00Z',
  status: 200,
  headers: {},
  body: Buffer.from(text),
})
const documents = texts.map(aDocument)
/** Flips a bit of the n-th record's body, or puts it back. */
async function flip(at: number): Promise<void> {
  const { pack_offset } = await database.db
    .selectFrom('raw_document')
    .select('pack_offset')
    .where('sha256', '=', documents[at]?.sha256 ?? '')
    .executeTakeFirstOrThrow()
  const bytes = await readFile(pack)
  const byte = Number(pack_offset) + 150
  bytes[byte] = (bytes[byte] as number) ^ 1
  await writeFile(pack, bytes)
}
const scrubbed = async (): Promise<[string, string][]> => {
  const found: [string, string][] = []
  await scrubRawOnce(database.db, rawPlace(data, null), new AbortController().signal, (sha256, reason) => void found.push([sha256, reason]), 0)
  return found
}

beforeAll(async () => {
  database = await testDatabase()
  data = await mkdtemp(join(tmpdir(), 'crossfile-raw-'))
  raw = openRawStore(
    database.db,
    rawPlace(data, null),
    () => {},
    (sha256, reason) => void reported.push([sha256, reason]),
  )
  await raw.keep(documents)
  const [name] = (await readdir(rawFolder(data))).filter(each => each.endsWith('.pack'))
  pack = join(rawFolder(data), name as string)
})
afterAll(async () => {
  await raw.close()
  await rm(data, { recursive: true, force: true })
})

test('whole packs have none', async () => {
  expect(await scrubbed()).toEqual([])
})

test('the scrub names the first damaged document of a pack, wherever it is in the pack', async () => {
  for (const at of [0, 63, 64, 199]) {
    await flip(at)
    expect(await scrubbed()).toEqual([[documents[at]?.sha256, expect.stringContaining('differs from its SHA-256')]])
    await flip(at)
  }
})

test('a missing pack is damage of its first document', async () => {
  await rename(pack, `${pack}.away`)
  expect(await scrubbed()).toEqual([[documents[0]?.sha256, expect.stringContaining('is missing')]])
  await rename(`${pack}.away`, pack)
})

test('a reader reports it, it stays known until the document is whole again, and a document that the index lost is forgotten', async () => {
  const sha256 = documents[70]?.sha256 ?? ''
  await flip(70)
  await expect(raw.read(sha256)).rejects.toThrow('damaged')
  expect(reported).toEqual([[sha256, expect.stringContaining('damaged')]])
  await recordRawDamage(database.db, sha256, 'first', 'worker')
  await recordRawDamage(database.db, sha256, 'second', 'cli')
  await recheckRawDamage(database.db, rawPlace(data, null))
  expect(await findRawDamage(database.db)).toMatchObject([{ sha256, reason: 'first' }])
  await flip(70)
  await recheckRawDamage(database.db, rawPlace(data, null))
  expect(await findRawDamage(database.db)).toEqual([])
  await recordRawDamage(database.db, 'a'.repeat(64), 'of no document', 'worker')
  expect(await findRawDamage(database.db)).toEqual([])
  await recheckRawDamage(database.db, rawPlace(data, null))
  expect(await database.db.selectFrom('damaged_file').selectAll().execute()).toEqual([])
})
