// A document of a catch-up is read ahead of its commit, in another thread if there are many: the result is that of reading it in the commit.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testLake } from '#fixtures/memory-lake.ts'
import { datasetOf } from '#schemas/index.ts'
import type { MemoryLake } from '#warehouse/store/lake/memory.ts'
import { unpackRows } from '#warehouse/store/lake/packed-rows.ts'
import { createPackWriter, readRecord, sha256Hex } from '#warehouse/store/raw/pack.ts'
import type { RawDocument } from '../read/parsed.ts'
import { readers } from '../read/register.ts'
import { derive } from './derive.ts'
import { packFacts } from './facts.ts'
import { type HeldReader, openHeldReader } from './held-reader.ts'
import { ReaderFault } from './prepare-held.ts'
import { readDocument } from './read-document.ts'
import type { Derived, ParsedDocument, Row } from './types.ts'

const folder = join(import.meta.dirname, '../../fixtures/holdings')
const documentOf = (body: Uint8Array, url: string): RawDocument => ({
  ...{ sha256: sha256Hex(body), source: 'edgar', url, retrieved_at: '2026-11-20T12:00:00Z', status: 200, headers: {}, body },
})
/** With bytes that may be moved to a thread. */
const copyOf = (document: RawDocument): RawDocument => ({ ...document, body: Uint8Array.from(document.body) })
const documents = readdirSync(folder)
  .filter(name => /\.(?:txt|xml|html)$/.test(name))
  .map(name => documentOf(readFileSync(join(folder, name)), `recorded:${name}`))
const first = documents[0] as RawDocument
/** The same filing in other bytes, a document that cannot be read, and one that no reader takes. */
const others = [
  documentOf(Buffer.from(`${Buffer.from(first.body).toString()}\n`), `${first.url}.again`),
  documentOf(first.body.subarray(0, 900), 'recorded:cut.txt'),
  documentOf(Buffer.from('text'), 'recorded:none.bin'),
]

describe('a thread', () => {
  let inThread: HeldReader
  let here: HeldReader
  beforeAll(() => {
    inThread = openHeldReader(readers, Number.POSITIVE_INFINITY)
    here = openHeldReader(readers, 0)
  })
  afterAll(async () => {
    await Promise.all([inThread.close(), here.close()])
  })
  test('reads documents as the process itself does', async () => {
    const all = [...documents, ...others]
    const [there, own] = await Promise.all(
      [inThread, here].map(reader => Promise.all(all.map((document, raw_id) => reader.read(async () => ({ raw_id, document: copyOf(document) }))))),
    )
    // Only their origin is needed once they are read.
    const withoutBody = (value: unknown): unknown => JSON.parse(JSON.stringify(value, (key, each) => (key === 'body' ? undefined : plain(each))))
    const plain = (value: unknown): unknown =>
      value instanceof Map ? [...value] : value instanceof Uint8Array ? Buffer.from(value).toString() : value
    expect(withoutBody(there)).toEqual(withoutBody(own))
    expect(there?.map(each => each.document.sha256)).toEqual(all.map(document => document.sha256))
    expect(there?.map(each => each.document.body.byteLength)).toEqual(all.map(() => 0))
    expect(there?.filter(each => each.checked?.get('holdings')?.packed).length).toBeGreaterThan(10)
    expect(there?.slice(-2).map(each => each.reading?.detail)).toEqual([expect.any(String), 'no reader for this kind of document'])
  })
  test('does not read a document whose parts are committed one by one', async () => {
    const held = { raw_id: 1, document: documentOf(Buffer.from('x'), 'https://www.sec.gov/files/insider-transactions-data-sets/2024q1_form345.zip') }
    expect(await inThread.read(async () => held)).toEqual(held)
  })
  test('that ended fails what it has not read', async () => {
    const reader = openHeldReader(readers, Number.POSITIVE_INFINITY)
    const reading = reader.read(async () => ({ raw_id: 1, document: copyOf(first) }))
    await Promise.all([expect(reading).rejects.toThrow('the thread that reads documents ended'), reader.close()])
    await expect(reader.read(async () => ({ raw_id: 1, document: copyOf(first) }))).rejects.toThrow('the thread that reads documents ended')
  })
  test('gets the bytes of a document of the raw store, not a copy of them', async () => {
    const packs = mkdtempSync(join(tmpdir(), 'crossfile-held-reader-'))
    try {
      const writer = createPackWriter(packs, () => '1')
      const large = documentOf(Buffer.concat([first.body, Buffer.alloc(200_000, '\n')]), first.url)
      const [entry] = await writer.append([{ document: large, withBody: true }])
      await writer.close()
      const document = await readRecord(packs, entry?.pack ?? '', entry?.pack_offset ?? 0)
      expect(document.body.byteLength).toBe(large.body.byteLength)
      await inThread.read(async () => ({ raw_id: 1, document }))
      expect(document.body.byteLength).toBe(0)
    } finally {
      rmSync(packs, { recursive: true })
    }
  })
  test('leaves bytes alone that share their memory with others', async () => {
    const shared = new Uint8Array(first.body.byteLength + 100)
    shared.set(first.body)
    const body = shared.subarray(0, first.body.byteLength)
    const { reading } = await inThread.read(async () => ({ raw_id: 1, document: { ...first, body } }))
    expect([reading?.detail, sha256Hex(body)]).toEqual([null, first.sha256])
  })
})

describe('a thread that runs out of memory', () => {
  const line = /<(\w+:)?infoTable>.*?<\/\1infoTable>/s.exec(Buffer.from(first.body).toString())?.[0] ?? ''
  /** A filing whose rows take more than the heap of the thread. */
  const tooLarge = documentOf(Buffer.from(Buffer.from(first.body).toString().replace(line, line.repeat(80_000))), first.url)
  test('fails the document that it read, with the reason, and is replaced for the others', async () => {
    const reader = openHeldReader(readers, Number.POSITIVE_INFINITY, { maxOldGenerationSizeMb: 48 })
    const batch = [first, tooLarge, first]
    const loads = batch.map(() => 0)
    try {
      const read = await Promise.allSettled(
        batch.map((document, at) =>
          reader.read(async () => {
            loads[at] = (loads[at] ?? 0) + 1
            return { raw_id: at, document: copyOf(document) }
          }),
        ),
      )
      expect(read.map(each => (each.status === 'fulfilled' ? each.value.reading?.detail : each.reason))).toEqual([
        null,
        expect.any(ReaderFault),
        null,
      ])
      expect(String((read[1] as PromiseRejectedResult).reason)).toMatch(/its reader needs more memory than the \d+ MB that it may use/)
      expect(loads).toEqual([1, 1, 2])
    } finally {
      await reader.close()
    }
  })
  test('before its readers are loaded fails all documents', async () => {
    const reader = openHeldReader(readers, Number.POSITIVE_INFINITY, { maxOldGenerationSizeMb: 4, maxYoungGenerationSizeMb: 1 })
    try {
      await expect(reader.read(async () => ({ raw_id: 1, document: copyOf(first) }))).rejects.toThrow(/reaching memory limit/)
      await expect(reader.read(async () => ({ raw_id: 1, document: copyOf(first) }))).rejects.toThrow(/reaching memory limit/)
    } finally {
      await reader.close()
    }
  })
})

describe('packed documents', () => {
  const lakes: MemoryLake[] = []
  afterAll(() => {
    for (const lake of lakes) lake.close()
  })
  const parsed = (document: RawDocument): ParsedDocument => {
    const { parsed: read } = readDocument(readers, { raw_id: 0, document })
    if (read === null) throw new Error(`${document.url} was not read`)
    return { origin: document, parsed: read }
  }
  const packed = (document: ParsedDocument): ParsedDocument => ({ ...document, ...packFacts(document) })
  const rowsOf = ({ rows, packed: lists }: Derived) => {
    const unpacked = [...lists].map(([name, list]) => [name, list.flatMap(each => unpackRows<Row>(datasetOf(name), each))] as const)
    return Object.fromEntries([...rows, ...unpacked].sort(([a], [b]) => (a < b ? -1 : 1)))
  }
  const differing = documents.filter(({ url }) => !/alone|rendered/.test(url)).map(parsed)
  const again = parsed(others[0] as RawDocument)
  test.each([
    ['as they are', differing, [], true],
    ['with a filing that is there twice', [...differing, again], [], false],
    ['with filings that the lake has', differing, differing.slice(0, 4), true],
    ['with one that is not packed', differing, [], false],
  ])('give the rows that the documents give, %s', async (what, batch, before, areText) => {
    const lake = await testLake()
    lakes.push(lake)
    for (const [name, rows] of (await derive(before, lake.at(0), new Map())).rows)
      await lake.add(name, rows, { release: 1, committed_at: '2026-11-20T12:00:00Z' })
    const some = what === 'with one that is not packed' ? [batch[0] as ParsedDocument, ...batch.slice(1).map(packed)] : batch.map(packed)
    const [one, other] = [await derive(batch, lake.at(1), new Map()), await derive(some, lake.at(1), new Map())]
    expect(other.packed.has('holdings')).toBe(areText)
    expect(rowsOf(other)).toEqual(rowsOf(one))
    expect({ ...other, rows: null, packed: null }).toEqual({ ...one, rows: null, packed: null })
  })
})
