// The publication to a bucket whose requests take their time: several datasets wait at the same time, and a failure leaves none under way.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#fixtures/postgres.ts'
import { aRate, commitRates, openRatesLake } from '#fixtures/rates-lake.ts'
import { datasetNames } from '#schemas/index.ts'
import type { LakeWriter } from '../compact.ts'
import type { Objects, Remote } from '../remote.ts'
import { tablesFolder } from '../verifier.ts'
import { inspectPublication } from './inspect.ts'
import { publishLake } from './publish.ts'

/** A bucket in memory. Requests are answered together, as soon as none was sent in a turn of the event loop. */
function bucketInMemory(address: string) {
  const objects = new Map<string, Buffer>()
  const counts = { waiting: 0, most: 0, sent: 0 }
  const bucket = { objects, counts, fails: (_name: string): boolean => false, alters: (_name: string): boolean => false }
  let waiting: (() => void)[] = []
  const answerAll = (before: number): void => {
    if (counts.sent !== before) return void setImmediate(answerAll, counts.sent)
    const ready = waiting
    waiting = []
    for (const answer of ready) answer()
  }
  async function requested(name: string): Promise<void> {
    counts.sent += 1
    counts.waiting += 1
    counts.most = Math.max(counts.most, counts.waiting)
    await new Promise<void>(resolve => {
      if (waiting.push(resolve) === 1) setImmediate(answerAll, counts.sent)
    })
    counts.waiting -= 1
    if (bucket.fails(name)) throw new Error(`no answer about ${name}`)
  }
  const write = async (name: string, bytes: Uint8Array): Promise<void> => {
    await requested(name)
    objects.set(name, Buffer.from(bytes))
  }
  const known: Pick<Objects, 'address' | 'facts' | 'text' | 'bytes' | 'write' | 'writeOnce' | 'remove' | 'list'> = {
    address,
    async facts(name) {
      await requested(name)
      const bytes = objects.get(name)
      return bytes ? { name, bytes: bytes.length, etag: '', modifiedAt: 0 } : null
    },
    async text(name) {
      await requested(name)
      const text = objects.get(name)?.toString() ?? null
      return bucket.alters(name) && text !== null ? text.replace('"', "'") : text
    },
    async bytes(name) {
      await requested(name)
      return objects.get(name) ?? null
    },
    write,
    writeOnce: (name, text) => write(name, Buffer.from(text)),
    async remove(name) {
      await requested(name)
      objects.delete(name)
    },
    async *list(under) {
      await requested(under)
      for (const [name, bytes] of objects) if (name.startsWith(under)) yield { name, bytes: bytes.length, etag: '', modifiedAt: 0 }
    },
  }
  return { ...bucket, bucket, remote: { objects: known } as unknown as Remote }
}

let database: TestDatabase
let writer: LakeWriter
let data: string
beforeAll(async () => {
  database = await testDatabase()
  data = await mkdtemp(join(tmpdir(), 'crossfile-published-bucket-'))
  writer = await openRatesLake(data)
})
afterAll(async () => {
  writer.connections.close()
  await rm(data, { recursive: true, force: true })
})
const forget = (): Promise<unknown> => sql`truncate table_version`.execute(database.db)
const created = { versions: 0, created: datasetNames.length, rebuilt: [], manifests: 0 }

test('has sixteen datasets under way, and the bytes of a publication to a disk', async () => {
  expect(await publishLake(database.db, writer)).toEqual(created)
  await forget()
  const { objects, counts, remote } = bucketInMemory('s3://one/a')
  expect(await publishLake(database.db, { ...writer, remote })).toEqual(created)
  expect([counts.most, counts.waiting]).toEqual([16, 0])
  const folder = tablesFolder(data)
  const names = (await readdir(folder, { recursive: true })).filter(name => /\.(json|parquet)$|_last_checkpoint$/.test(name))
  expect(names.length).toBe(3 * datasetNames.length)
  for (const name of names) expect(objects.get(`delta/${name}`)?.equals(await readFile(join(folder, name)))).toBe(true)
  const sent = counts.sent
  expect(await publishLake(database.db, { ...writer, remote })).toEqual({ ...created, created: 0 })
  // Nothing has changed: one request finds that.
  expect(counts.sent - sent).toBeLessThanOrEqual(1)
})

test('that fails ends its requests first, begins no other dataset, and is repeated whole', async () => {
  await forget()
  const { bucket, objects, counts, remote } = bucketInMemory('s3://one/b')
  let failures = 0
  bucket.fails = name => name.includes('/0000') && name.includes('delta/') && ++failures > 20
  await expect(publishLake(database.db, { ...writer, remote })).rejects.toThrow('no answer about delta/')
  expect(counts.waiting).toBe(0)
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from table_version`.execute(database.db)
  expect(rows[0]?.count).toBe(0)
  const begun = new Set([...objects.keys()].map(name => name.split('/')[1]))
  expect(begun.size).toBeLessThan(datasetNames.length)
  bucket.fails = () => false
  expect(await publishLake(database.db, { ...writer, remote })).toEqual(created)
  expect(new Set([...objects.keys()].filter(name => name.startsWith('delta/')).map(name => name.split('/')[1])).size).toBe(datasetNames.length)
})

test('keeps a log of which one read had a wrong byte, and rebuilds one that is damaged at each read', async () => {
  await forget()
  const { bucket, objects, remote } = bucketInMemory('s3://one/c')
  expect(await publishLake(database.db, { ...writer, remote })).toEqual(created)
  const before = [...objects.keys()].sort()
  const altered = new Set<string>()
  bucket.alters = name => {
    const [, dataset = ''] = name.split('/')
    if (!name.includes('_delta_log/') || altered.has(dataset)) return false
    altered.add(dataset)
    return true
  }
  expect(await publishLake(database.db, { ...writer, remote }, { check: true })).toEqual({ ...created, created: 0 })
  expect([...altered].sort()).toEqual([...datasetNames].sort())
  expect([...objects.keys()].sort()).toEqual(before)
  bucket.alters = name => name === 'delta/bars/_delta_log/00000000000000000000.json'
  expect(await publishLake(database.db, { ...writer, remote }, { check: true })).toEqual({ ...created, created: 0, rebuilt: ['bars'] })
})

test('rebuilds a log whose newest checkpoint is damaged', async () => {
  await forget()
  const { objects, remote } = bucketInMemory('s3://one/d')
  expect(await publishLake(database.db, { ...writer, remote })).toEqual(created)
  const name = 'delta/bars/_delta_log/00000000000000000000.checkpoint.parquet'
  const whole = objects.get(name) as Buffer
  const damaged = Buffer.from(whole)
  damaged[200] = (damaged[200] ?? 0) ^ 1
  objects.set(name, damaged)
  const nothing = { ...created, created: 0 }
  expect(await publishLake(database.db, { ...writer, remote }, { check: true })).toEqual({ ...nothing, rebuilt: ['bars'] })
  expect(objects.get(name)?.equals(whole)).toBe(true)
  expect(await publishLake(database.db, { ...writer, remote }, { check: true })).toEqual(nothing)
})

test('writes a damaged manifest again if it is asked to read every object', async () => {
  await forget()
  await commitRates(database.db, writer, [aRate('2024-03-01', '1.5000')], { batchKey: 'a release with a manifest', released: true })
  const { bucket, objects, remote } = bucketInMemory('s3://one/e')
  const publish = (options: Parameters<typeof publishLake>[2]) => publishLake(database.db, { ...writer, remote }, options)
  expect(await publish({})).toMatchObject({ manifests: 1 })
  const [name = ''] = [...objects.keys()].filter(each => each.startsWith('manifests/'))
  const whole = objects.get(name) as Buffer
  objects.set(name, Buffer.from('garbage'))
  expect(await publish({ check: true })).toMatchObject({ manifests: 0 })
  expect(await publish({ check: true, everyObject: true })).toMatchObject({ manifests: 1 })
  expect(objects.get(name)?.equals(whole)).toBe(true)
  // One wrong read is not damage.
  let reads = 0
  bucket.alters = each => each === name && ++reads === 1
  expect(await publish({ check: true, everyObject: true })).toMatchObject({ manifests: 0 })
  expect(reads).toBe(2)
})

test('an inspection names damaged objects of logs and manifests, reads no file of rows, and writes nothing', async () => {
  const { objects, remote } = bucketInMemory('s3://one/f')
  await forget()
  await publishLake(database.db, { ...writer, remote })
  const inspect = () => inspectPublication(database.db, { data, remote }, new AbortController().signal)
  expect(await inspect()).toMatchObject({ damaged: [], gone: 0 })
  const [manifest = ''] = [...objects.keys()].filter(each => each.startsWith('manifests/'))
  objects.delete('delta/bars/_delta_log/_last_checkpoint')
  objects.set(manifest, Buffer.from('garbage'))
  const before = new Map(objects)
  expect((await inspect())?.damaged).toEqual([
    { name: 'delta/bars/_delta_log', reason: '_last_checkpoint is missing, or does not name version 0' },
    { name: manifest, reason: 'is damaged: its SHA-256 differs' },
  ])
  expect(objects).toEqual(before)
  await publishLake(database.db, { ...writer, remote }, { check: true, everyObject: true })
  expect(await inspect()).toMatchObject({ damaged: [] })
})
