import { appendFile, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#fixtures/postgres.ts'
import type { RawDocument } from '#schemas/raw.ts'
import { encodeRecord, readRecord, sha256Hex, walkPack } from './pack.ts'
import { rawFolder, rawPlace } from './place.ts'
import { openRawStore, type RawStore } from './raw.ts'

let database: TestDatabase
let data: string
let raw: RawStore

const aDocument = (url: string, text: string): RawDocument => {
  const body = Buffer.from(text)
  return {
    sha256: sha256Hex(body),
    source: 'edgar',
    url,
    retrieved_at: '2026-11-19T21:00:00Z',
    status: 200,
    headers: { 'content-type': 'text/plain' },
    body,
  }
}
const packs = async (): Promise<string[]> => (await readdir(rawFolder(data))).filter(name => name.endsWith('.pack')).sort()

beforeAll(async () => {
  database = await testDatabase()
  data = await mkdtemp(join(tmpdir(), 'crossfile-raw-'))
  raw = openRawStore(database.db, rawPlace(data, null))
})
afterAll(async () => {
  await raw.close()
  await rm(data, { recursive: true, force: true })
})

describe('the raw store', () => {
  test('a document comes back byte for byte, with its address, time and headers', async () => {
    const document = aDocument('https://www.sec.gov/a.txt', 'une façade\n')
    const [kept] = await raw.keep([document])
    expect(kept).toMatchObject({ sha256: document.sha256, url: document.url, retrieved_at: document.retrieved_at })
    const read = await raw.read(document.sha256)
    expect({ ...read, body: Buffer.from(read.body).toString() }).toEqual({ ...document, body: 'une façade\n' })
  })
  test('the same bytes from two addresses are stored once and found under both', async () => {
    await raw.keep([aDocument('https://www.sec.gov/b.txt', 'twice'), aDocument('https://www.sec.gov/c.txt', 'twice')])
    const held = await raw.held(['https://www.sec.gov/b.txt', 'https://www.sec.gov/c.txt', 'https://www.sec.gov/never.txt'])
    expect([...held.keys()].sort()).toEqual(['https://www.sec.gov/b.txt', 'https://www.sec.gov/c.txt'])
    const [pack] = await packs()
    const bodies: boolean[] = []
    for await (const entry of walkPack(rawFolder(data), pack as string)) bodies.push(entry.holdsBody)
    expect(bodies).toEqual([true, true, false])
  })
  test.each([
    ['small', 1_000],
    ['large', 300_000],
  ])('a %s document comes back whole; one with a changed byte or another hash does not', async (size, bytes) => {
    // Digits without a pattern: neither the record nor the body of the large one is short.
    const text = Array.from({ length: bytes / 10 }, (_, at) => String((at * 2_654_435_761) % 10_000_000_000).padStart(10, '0')).join('')
    const document = aDocument(`https://www.sec.gov/${size}.txt`, text)
    const folder = await mkdtemp(join(tmpdir(), 'crossfile-pack-'))
    try {
      const [whole, renamed] = [encodeRecord(document, true), encodeRecord({ ...document, sha256: 'a'.repeat(64) }, true)]
      const damaged = Buffer.from(whole)
      damaged[whole.length - 100] = (whole[whole.length - 100] as number) ^ 1
      await writeFile(join(folder, 'one.pack'), Buffer.concat([whole, renamed, damaged]))
      const read = await readRecord(folder, 'one.pack', 0)
      expect({ ...read, body: Buffer.from(read.body).toString() }).toEqual({ ...document, body: text })
      await expect(readRecord(folder, 'one.pack', whole.length)).rejects.toThrow("the body's SHA-256 is not aaaa")
      await expect(readRecord(folder, 'one.pack', whole.length + renamed.length)).rejects.toThrow("the record's SHA-256 differs")
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
  test('many documents are found by one statement: each as by itself, and the first record of those that have several', async () => {
    const [one, two] = [aDocument('https://www.sec.gov/many-1.txt', 'many'), aDocument('https://www.sec.gov/many-2.txt', 'many')]
    const other = aDocument('https://www.sec.gov/many-3.txt', 'more')
    await raw.keep([one, other])
    await raw.keep([two])
    const read = await raw.readerOf([other.sha256, one.sha256, two.sha256, 'b'.repeat(64)])
    expect(await read(two.sha256)).toEqual(await raw.read(two.sha256))
    expect([(await read(one.sha256)).url, (await read(other.sha256)).url]).toEqual([one.url, other.url])
    await expect(read('b'.repeat(64))).rejects.toThrow('not stored')
  })
  test('an empty answer is a document too', async () => {
    const empty = aDocument('https://www.sec.gov/empty.txt', '')
    await raw.keep([empty])
    expect((await raw.read(empty.sha256)).body).toHaveLength(0)
  })
  test('what a crash left unindexed is found again; a torn tail is passed over', async () => {
    await raw.close()
    const whole = encodeRecord(aDocument('https://www.sec.gov/late.txt', 'kept before the crash'), true)
    const torn = encodeRecord(aDocument('https://www.sec.gov/torn.txt', 'the power went'), true)
    const [pack] = await packs()
    const path = join(rawFolder(data), pack as string)
    await appendFile(path, whole)
    await appendFile(path, torn.subarray(0, torn.length - 5))
    expect(await raw.recover()).toBe(1)
    expect(await raw.recover()).toBe(0)
    expect((await raw.newest('https://www.sec.gov/late.txt'))?.sha256).toBe(sha256Hex('kept before the crash'))
    expect(await raw.newest('https://www.sec.gov/torn.txt')).toBeNull()
  })
  test('with the index lost, the packs alone give all of it back', async () => {
    const before = await database.db.selectFrom('raw_document').select(['sha256', 'url', 'retrieved_at', 'bytes']).orderBy('raw_id').execute()
    await database.db.deleteFrom('raw_document').execute()
    expect(await raw.recover()).toBe(before.length)
    expect(await database.db.selectFrom('raw_document').select(['sha256', 'url', 'retrieved_at', 'bytes']).orderBy('raw_id').execute()).toEqual(
      before,
    )
  })
  test('a record that was damaged in the middle of a pack is an error, not the end of it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'crossfile-pack-'))
    try {
      const records = ['one', 'two', 'three'].map(text => encodeRecord(aDocument(`https://www.sec.gov/${text}.txt`, text), true))
      const bytes = Buffer.concat(records)
      bytes[(records[0] as Buffer).length + 3] = 0
      await writeFile(join(folder, 'one.pack'), bytes)
      const walk = async (): Promise<void> => {
        for await (const entry of walkPack(folder, 'one.pack')) expect(entry.header.url).toBe('https://www.sec.gov/one.txt')
      }
      await expect(walk()).rejects.toThrow(/the record is damaged, and whole records follow/)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
  test('every flipped bit of a record is found, in the header as in the body', async () => {
    const document = aDocument('https://www.sec.gov/flip.txt', 'twelve thousand shares at 8.88')
    const record = encodeRecord(document, true)
    const folder = await mkdtemp(join(tmpdir(), 'crossfile-pack-'))
    try {
      const path = join(folder, 'one.pack')
      for (let bit = 0; bit < record.length * 8; bit += 7) {
        const damaged = Buffer.from(record)
        damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7))
        await writeFile(path, damaged)
        const found: string[] = []
        const walk = async (): Promise<void> => {
          for await (const entry of walkPack(folder, 'one.pack')) found.push(entry.header.url)
        }
        // A damaged line is no record at all; anything behind it fails its hash. The last byte is the line end behind the record.
        if (bit >> 3 === record.length - 1) continue
        await walk().catch(error => expect(String(error)).toMatch(/damaged|JSON/))
        expect(found, `bit ${bit}`).toEqual([])
      }
      await writeFile(path, record)
      await truncate(path, record.length - 1)
      expect((await readFile(path)).length).toBe(record.length - 1)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
