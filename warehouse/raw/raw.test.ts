import { mkdtemp, open, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#fixtures/postgres.ts'
import type { RawDocument } from '#schemas/raw.ts'
import { sha256Hex } from './pack.ts'
import { openRawStore, type RawStore, rawFolder } from './raw.ts'

let database: TestDatabase
let data: string
let store: RawStore

const aDocument = (url: string, text: string): RawDocument => {
  const body = Buffer.from(text)
  return { source: 'edgar', url, retrieved_at: '2024-03-01T22:00:00Z', status: 200, headers: {}, body, sha256: sha256Hex(body) }
}
const indexed = async (): Promise<number> =>
  Number(
    (
      await database.db
        .selectFrom('raw_document')
        .select(eb => eb.fn.countAll().as('n'))
        .executeTakeFirstOrThrow()
    ).n,
  )

beforeAll(async () => {
  database = await testDatabase()
  data = await mkdtemp(join(tmpdir(), 'crossfile-raw-'))
  store = openRawStore(database.db, data)
})
afterAll(async () => {
  await store.close()
  await rm(data, { recursive: true, force: true })
})

describe('the raw store', () => {
  test('jobs that keep at the same moment do not write over one another', async () => {
    const documents = Array.from({ length: 40 }, (_, at) => aDocument(`https://example.invalid/${at}`, `document ${at} `.repeat(50 + at)))
    const kept = await Promise.all(documents.map(async document => (await store.keep([document]))[0]))
    expect(new Set(kept.map(each => each?.raw_id)).size).toBe(40)
    for (const document of documents) expect(Buffer.from((await store.read(document.sha256)).body).equals(Buffer.from(document.body))).toBe(true)
    expect((await readdir(rawFolder(data))).filter(name => name.endsWith('.pack'))).toHaveLength(1)
  })
  test('what a killed worker had written but not indexed is found again, once, and its torn last record is left out', async () => {
    const before = await indexed()
    await store.keep([aDocument('https://example.invalid/late', 'late')])
    await database.db.deleteFrom('raw_document').where('url', '=', 'https://example.invalid/late').execute()
    const [pack] = (await readdir(rawFolder(data))).filter(name => name.endsWith('.pack'))
    const file = await open(join(rawFolder(data), pack as string), 'a')
    await file.write(`CFRAW1 40 9000 ${'0'.repeat(64)}\n{"source":"edgar"`)
    await file.close()
    expect(await store.recover()).toBe(1)
    expect(await store.recover()).toBe(0)
    expect(await indexed()).toBe(before + 1)
  })
  test('a worker that starts while another keeps neither fails it nor doubles its documents', async () => {
    const other = openRawStore(database.db, data)
    const before = await indexed()
    const documents = Array.from({ length: 60 }, (_, at) => aDocument(`https://example.invalid/busy/${at}`, `busy ${at}`))
    const keeping = documents.map(async document => (await other.keep([document]))[0])
    const recovering = Array.from({ length: 20 }, async (_, at) => {
      await new Promise(resolve => setTimeout(resolve, at))
      await store.recover()
    })
    const kept = await Promise.all(keeping)
    await Promise.all(recovering)
    expect(kept.map(each => each?.url)).toEqual(documents.map(document => document.url))
    expect(await indexed()).toBe(before + 60)
    await other.close()
  })
  test('one changed byte of a pack is found when the document is read', async () => {
    const document = aDocument('https://example.invalid/flip', 'a body that will change on disk '.repeat(20))
    const other = openRawStore(database.db, data)
    await other.keep([document])
    await other.close()
    const { pack, pack_offset } = await database.db
      .selectFrom('raw_document')
      .select(['pack', 'pack_offset'])
      .where('sha256', '=', document.sha256)
      .executeTakeFirstOrThrow()
    const file = await open(join(rawFolder(data), pack), 'r+')
    const byte = Buffer.alloc(1)
    const at = Number(pack_offset) + 300
    await file.read(byte, 0, 1, at)
    byte[0] = (byte[0] as number) ^ 1
    await file.write(byte, 0, 1, at)
    await file.close()
    await expect(store.read(document.sha256)).rejects.toThrow(/damaged|differs|SHA-256/)
  })
})
