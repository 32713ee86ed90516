// Raw documents in a bucket, against a real server: written by one host, read by another, after kills, faults and damage.
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestBucket, type ServerName, s3Server, type TestBucket } from '#fixtures/bucket.ts'
import { type TestDatabase, testDatabase } from '#fixtures/postgres.ts'
import { Broken, StoreUnavailable } from '#schemas/errors.ts'
import type { RawDocument } from '#schemas/raw.ts'
import { openObjects } from '../lake/bucket/objects.ts'
import type { Objects } from '../lake/remote.ts'
import { createS3Client } from '../object-store/client.ts'
import { scrubRawOnce } from './damage.ts'
import { appendToJournal, readJournalEntries, readJournalText } from './journal.ts'
import { findDamagedRecords, listPacks, sha256Hex } from './pack.ts'
import { damagedRecords, fetchDamagedPack, fetchPack, listObjectPacks, type RawPlace, rawFolder, readCopies, uploadPack } from './place.ts'
import { openRawStore, type RawStore } from './raw.ts'

const server: ServerName | null = s3Server('versitygw', 'moto_server')
test.skipIf(server !== null)('skipped: no versitygw or moto_server in PATH, so no raw documents in a bucket were tested', () => undefined)

const aDocument = (text: string): RawDocument => ({
  source: 'edgar',
  url: `https://data.example/${sha256Hex(text).slice(0, 8)}`,
  sha256: sha256Hex(text),
  retrieved_at: '2026-11-19T21:00:00Z',
  status: 200,
  headers: { 'content-type': 'text/plain' },
  body: Buffer.from(text),
})
/** Longer than one request reads, also when it is compressed. */
const long = Array.from({ length: 40_000 }, (_, n) => sha256Hex(String(n)).slice(0, 8)).join('')

describe.skipIf(server === null)(`raw documents in a bucket of ${server}`, () => {
  let bucket: TestBucket
  let database: TestDatabase
  let objects: Objects
  let prefix: string
  let runs = 0
  const folders: string[] = []
  beforeAll(async () => {
    bucket = await openTestBucket(server ?? 'versitygw')
  })
  afterAll(async () => await bucket.close())
  beforeEach(async () => {
    database = await testDatabase()
    runs += 1
    prefix = `raw-${runs}`
    const limits = { idleMs: 600_000, attemptMs: 600_000, deadlineMs: 600_000 }
    objects = openObjects(createS3Client(bucket.address(prefix), bucket.settings, { wait: async () => undefined }), limits, async () => undefined)
  })
  afterEach(async () => {
    bucket.faults = () => null
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
  })

  async function aPlace(inBucket = true): Promise<RawPlace> {
    const data = await mkdtemp(join(tmpdir(), 'crossfile-raw-host-'))
    folders.push(data)
    return { folder: rawFolder(data), objects: inBucket ? objects : null }
  }
  const aHost = async (crashPoint?: (name: string) => void): Promise<RawStore> => openRawStore(database.db, await aPlace(), crashPoint)
  async function keepIn(place: RawPlace, documents: readonly RawDocument[]): Promise<void> {
    const store = openRawStore(database.db, place)
    await store.keep(documents)
    await store.close()
  }
  const names = async (): Promise<string[]> => [...(await listObjectPacks(objects)).keys()]
  /** Changes a byte of the body of the n-th record of a pack; `bytes` are of a pack with uncompressible texts. */
  async function flipped(bytes: Buffer, pack: string, at: number): Promise<Buffer> {
    const rows = await database.db.selectFrom('raw_document').select('pack_offset').where('pack', '=', pack).orderBy('pack_offset').execute()
    const changed = Buffer.from(bytes)
    const byte = Number(rows[at]?.pack_offset) + 150
    changed[byte] = (changed[byte] as number) ^ 1
    return changed
  }

  test('a document that one host stored comes back byte for byte on another, from any place of a pack', async () => {
    const [one, two] = [await aHost(), await aHost()]
    const documents = ['first', long, '', 'last'].map(aDocument)
    await one.keep(documents)
    expect(await names()).toHaveLength(1)
    for (const document of documents) expect(await two.read(document.sha256)).toEqual(document)
    expect(await listPacks(one.place.folder)).toEqual([])
  })

  test('a body that another host stored is not stored again', async () => {
    const [one, two] = [await aHost(), await aHost()]
    const again = { ...aDocument(long), url: 'https://data.example/again' }
    await one.keep([aDocument(long)])
    await two.keep([again])
    const sizes = [...(await listObjectPacks(objects)).values()].sort((a, b) => a - b)
    expect(sizes[0]).toBeLessThan(600)
    expect(sizes[1]).toBeGreaterThan(100_000)
    expect((await two.read(again.sha256)).body).toEqual(again.body)
  })

  test('nothing is indexed that the bucket did not acknowledge', async () => {
    const one = await aHost()
    bucket.faults = ({ method }) => (method === 'PUT' ? { kind: 'status', status: 503 } : null)
    await expect(one.keep([aDocument('a')])).rejects.toBeInstanceOf(StoreUnavailable)
    expect(await database.db.selectFrom('raw_document').selectAll().execute()).toEqual([])
    bucket.faults = () => null
    await one.keep([aDocument('a')])
    expect((await one.read(sha256Hex('a'))).body.toString()).toBe('a')
  })

  test('after a kill between upload and index, and after a lost database, the next start indexes what the bucket has', async () => {
    const killed = await aHost(name => {
      if (name === 'raw-synced') throw new Error('killed')
    })
    await expect(killed.keep([aDocument('a'), aDocument('b')])).rejects.toThrow('killed')
    const next = await aHost()
    await next.keep([aDocument('c')])
    expect(await next.recover()).toBe(2)
    expect(await next.recover()).toBe(0)
    expect((await (await aHost()).read(sha256Hex('b'))).body.toString()).toBe('b')
    database = await testDatabase()
    const fresh = await aHost()
    expect(await fresh.recover()).toBe(3)
    for (const text of ['a', 'b', 'c']) expect((await fresh.read(sha256Hex(text))).body.toString()).toBe(text)
  })

  test('a bucket that is away is no damage, and a changed or missing object is', async () => {
    const reported: string[] = []
    const place = await aPlace()
    const store = openRawStore(database.db, place, undefined, (_sha256, reason) => void reported.push(reason))
    await store.keep([aDocument(long)])
    bucket.faults = ({ method }) => (method === 'GET' ? { kind: 'status', status: 503 } : null)
    const away = await store.read(sha256Hex(long)).catch((error: unknown) => error)
    expect(away).toBeInstanceOf(StoreUnavailable)
    expect(String((away as Error).message)).not.toContain('s3://')
    expect(reported).toEqual([])
    bucket.faults = ({ method }) => (method === 'GET' ? { kind: 'flipped' } : null)
    await expect(store.read(sha256Hex(long))).rejects.toBeInstanceOf(Broken)
    bucket.faults = () => null
    const [pack = ''] = await names()
    await objects.remove(`raw/${pack}`)
    await expect(store.read(sha256Hex(long))).rejects.toThrow(`raw pack ${pack} is missing from s3://`)
    expect(reported).toHaveLength(2)
  })

  test('one response with a wrong byte is no damage of a document, of a pack, or of its download', async () => {
    const reported: string[] = []
    const place = await aPlace()
    const store = openRawStore(database.db, place, undefined, (_sha256, reason) => void reported.push(reason))
    await store.keep([aDocument(long)])
    const [pack = ''] = await names()
    const flipOnce = (): void => {
      let isFlipped = false
      bucket.faults = ({ method }) => {
        if (method !== 'GET' || isFlipped) return null
        isFlipped = true
        return { kind: 'flipped' }
      }
    }
    flipOnce()
    expect((await store.read(sha256Hex(long))).body.toString()).toBe(long)
    flipOnce()
    expect(await damagedRecords(place, pack, [0])).toEqual([])
    flipOnce()
    expect(await readCopies(place, pack, [0])).toEqual({ here: null, there: [], lost: [] })
    flipOnce()
    await fetchPack(objects, pack, place.folder)
    expect(await findDamagedRecords(place.folder, pack, [0])).toEqual([])
    expect(reported).toEqual([])
  })

  test('a damaged pack of the folder is read from the bucket, and is no damage', async () => {
    const local = await aPlace(false)
    await keepIn(local, [aDocument('x'.repeat(300)), aDocument(long)])
    const [pack = ''] = await listPacks(local.folder)
    await uploadPack(objects, pack, local.folder)
    const place = { ...local, objects }
    const path = join(local.folder, pack)
    await writeFile(path, await flipped(await readFile(path), pack, 1))
    const store = openRawStore(database.db, place)
    expect((await store.read(sha256Hex(long))).body.toString()).toBe(long)
    const found: string[] = []
    await scrubRawOnce(database.db, place, new AbortController().signal, (_sha256, reason) => void found.push(reason), 0)
    expect(found).toEqual([])
    await objects.write(`raw/${pack}`, await flipped(await readFile(path), pack, 0))
    await scrubRawOnce(database.db, place, new AbortController().signal, (_sha256, reason) => void found.push(reason), 0)
    expect(found).toEqual([expect.stringContaining(`${pack}: the record at byte`)])
  })

  test('a repair takes each record from where it is whole', async () => {
    const local = await aPlace(false)
    const texts = ['a', 'b', 'c'].map(letter => sha256Hex(letter).repeat(20))
    await keepIn(local, texts.map(aDocument))
    const [pack = ''] = await listPacks(local.folder)
    const path = join(local.folder, pack)
    const copy = join(local.folder, '..', 'whole.pack')
    await copyFile(path, copy)
    const whole = await readFile(copy)
    await writeFile(path, await flipped(whole, pack, 0))
    await objects.write(`raw/${pack}`, await flipped(whole, pack, 2))
    const rows = await database.db.selectFrom('raw_document').select(['pack_offset', 'sha256']).orderBy('pack_offset').execute()
    const records = rows.map(row => ({ offset: Number(row.pack_offset), sha256: row.sha256 }))
    const offsets = records.map(({ offset }) => offset)
    expect(await findDamagedRecords(local.folder, pack, offsets)).toEqual([offsets[0]])
    expect(await damagedRecords({ folder: join(local.folder, 'none'), objects }, pack, offsets)).toEqual([offsets[2]])
    await fetchDamagedPack(objects, pack, records, local.folder)
    expect(await readFile(path)).toEqual(whole)
    expect((await readdir(local.folder)).sort()).toEqual([pack])
  })

  test('decisions of several hosts are one journal, in the order of their time', async () => {
    const [one, two, local] = [await aPlace(), await aPlace(), await aPlace(false)]
    await appendToJournal(two, '20261120T120000000Z-b', '{"n":2}')
    await appendToJournal(one, '20261120T110000000Z-a', '{"n":1}')
    await appendToJournal(one, '20261120T120000000Z-b', '{"n":2}')
    for (const line of ['{"n":1}', '{"n":2}']) await appendToJournal(local, 'unused', line)
    expect(await readJournalText(one)).toBe(await readJournalText(local))
    expect(await readJournalText(two)).toBe('{"n":1}\n{"n":2}\n')
    // An object that lost its end is one entry, and does not join the next.
    await two.objects?.write('raw/decisions/20261120T110000000Z-a.json', Buffer.from('{"n"'))
    expect((await readJournalEntries(two)).map(({ text }) => text)).toEqual(['', '{"n":2}'])
  })
})
