// Objects of the lake against a real server: conditional writes, races, and faults on the way.
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { bucketConfig, type Fault, openTestBucket, type ServerName, s3Server, type TestBucket } from '#fixtures/bucket.ts'
import { Damaged, Upstream } from '#schemas/errors.ts'
import { createS3Client } from '../../object-store/client.ts'
import type { Objects } from '../remote.ts'
import { createVerifier, lakePath } from '../verifier.ts'
import { openCache } from './cache.ts'
import { checkBucket } from './check-bucket.ts'
import { openObjects } from './objects.ts'

/** A busy machine answers late: only a bucket that is slow on purpose is given up. */
const patient = { idleMs: 600_000, attemptMs: 600_000, deadlineMs: 600_000 }
const hurried = { idleMs: 300, attemptMs: 1_500, deadlineMs: 3_000 }
const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex')
const folder = mkdtempSync(join(tmpdir(), 'crossfile-objects-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let made = 0
/** A local file with content of its own. */
function aFile(text = `content ${++made} `) {
  const bytes = Buffer.from(text.repeat(2_000))
  const path = join(folder, `file-${++made}`)
  writeFileSync(path, bytes)
  return { path, sha256: sha256(bytes), bytes: bytes.length, content: bytes }
}

test.skipIf(s3Server('versitygw', 'moto_server') !== null)(
  'skipped: no versitygw (with the clock of the tests) or moto_server in PATH, so no bucket was tested',
  () => undefined,
)

describe.each((['versitygw', 'moto_server'] as const).filter(name => s3Server(name) !== null))('a bucket of %s', (name: ServerName) => {
  let bucket: TestBucket
  let objects: Objects
  let data: string
  const objectsWith = (limits: typeof patient): Objects =>
    openObjects(createS3Client(bucket.address('a/b'), bucket.settings, { wait: async () => undefined }), limits, async () => undefined)
  beforeAll(async () => {
    bucket = await openTestBucket(name)
    objects = objectsWith(patient)
    data = mkdtempSync(join(folder, 'data-'))
  })
  afterAll(async () => await bucket.close())
  afterEach(() => {
    bucket.faults = () => null
    bucket.forget()
  })
  const cacheOf = (limitBytes = 1e9) => openCache(data, objects, { limitBytes, keepMs: 0 })
  /** A lake file that only the bucket has. */
  async function aRemoteFile() {
    const file = aFile()
    const known = { dataset: 'bars', bucket: 'new', sha256: file.sha256 } as never
    const path = lakePath(data, known)
    await objects.upload(`delta/bars/new/${file.sha256}.parquet`, file)
    return { ...file, known, path }
  }

  test('passes the start check with the rights to write, and to read only', async () => {
    const config = bucketConfig(bucket, 'a/b', { CROSSFILE_DATA: data })
    expect(await checkBucket(bucket.address('a/b'), config, true)).toEqual([])
    expect(await checkBucket(bucket.address('a/b'), config, false)).toEqual([])
    expect(await objects.facts('delta/x')).toBeNull()
    const missing = await checkBucket('s3://no-such-bucket-here/a', config, true)
    expect(missing).toMatchObject([{ setting: 'CROSSFILE_LAKE', remedy: expect.stringContaining('no-such-bucket-here') }])
  })

  test.each<[string, number, string]>([
    ['overwrites in spite of If-None-Match', 2, 'ignores If-None-Match'],
    ['overwrites in spite of If-Match', 3, 'ignores If-Match'],
  ])('a store that %s is refused at the start', async (_what, nth, found) => {
    let puts = 0
    bucket.faults = ({ method }) => (method === 'PUT' && ++puts === nth ? { kind: 'status', status: 200 } : null)
    const config = bucketConfig(bucket, 'a/b', { CROSSFILE_DATA: data })
    expect(await checkBucket(bucket.address('a/b'), config, true)).toMatchObject([
      { setting: 'CROSSFILE_LAKE', found: expect.stringContaining(found), remedy: expect.stringContaining('conditional writes') },
    ])
  })

  test('makes an object once, and keeps one with the same bytes', async () => {
    const file = aFile()
    expect(await objects.upload('delta/x/1', file)).toEqual({ created: true })
    expect(await objects.upload('delta/x/1', file)).toEqual({ created: false })
    expect(await objects.text('delta/x/1')).toBe(file.content.toString())
    expect(bucket.seen.filter(each => each.method === 'PUT').every(each => each.conditions === 'if-none-match')).toBe(true)
  })

  test('of 20 writers of one name, one makes it and all succeed', async () => {
    const file = aFile()
    const done = await Promise.all(Array.from({ length: 20 }, () => objects.upload('delta/race/1', file)))
    // moto_server looks at the condition and writes afterwards, so two of its writers can pass.
    if (name === 'versitygw') expect(done.filter(each => each.created)).toHaveLength(1)
    expect(done.some(each => each.created)).toBe(true)
    expect(sha256((await objects.text('delta/race/1')) ?? '')).toBe(file.sha256)
  })

  test('of 20 writers of different texts under one name, the name has one whole text of them', async () => {
    const texts = Array.from({ length: 20 }, (_, at) => `text ${at} `.repeat(500))
    const done = await Promise.allSettled(texts.map(text => objects.writeOnce('delta/race/_delta_log/0.json', text)))
    for (const each of done) if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(Upstream)
    expect(texts).toContain(await objects.text('delta/race/_delta_log/0.json'))
  })

  test('replaces an object whose bytes are wrong, by its condition', async () => {
    const file = aFile()
    await objects.write('delta/x/wrong', Buffer.from('wrong'))
    expect(await objects.upload('delta/x/wrong', file)).toEqual({ created: true })
    expect(sha256((await objects.text('delta/x/wrong')) ?? '')).toBe(file.sha256)
    expect(bucket.seen.some(each => each.conditions === 'if-match')).toBe(true)
  })

  test('a lost acknowledgement of a write is repeated and ends with the same object', async () => {
    const file = aFile()
    let lost = 0
    bucket.faults = ({ method }) => (method === 'PUT' && ++lost <= 2 ? { kind: 'closed', after: true } : null)
    await objects.upload('delta/x/lost', file)
    bucket.faults = () => null
    expect(sha256((await objects.text('delta/x/lost')) ?? '')).toBe(file.sha256)
  })

  test.each<[string, Fault, boolean]>([
    ['answers 503', { kind: 'status', status: 503 }, false],
    ['closes the connection', { kind: 'closed', after: false }, false],
    ['sends no byte in time', { kind: 'slow', ms: 700 }, false],
    ['sends a byte now and then', { kind: 'dripping', ms: 100 }, false],
    ['breaks off in the middle', { kind: 'truncated', announced: false }, false],
    ['sends half of the bytes as the whole', { kind: 'truncated', announced: true }, true],
    ['sends a wrong bit', { kind: 'flipped' }, true],
  ])('a bucket that %s gives a reason and no file, and the file once it is well again', async (_what, fault, isDamage) => {
    const file = await aRemoteFile()
    const reported: string[] = []
    const logged: string[] = []
    const from = fault.kind === 'slow' || fault.kind === 'dripping' ? objectsWith(hurried) : objects
    const remote = openCache(data, from, { limitBytes: 1e9, keepMs: 0, log: (_level, message) => logged.push(message) })
    const verifier = createVerifier(data, { remote, onDamage: (_file, reason) => reported.push(reason) })
    bucket.faults = ({ method }) => (method === 'GET' ? fault : null)
    const refused = await verifier.open(file.known).then(
      () => null,
      (error: unknown) => error,
    )
    expect(refused).toBeInstanceOf(isDamage ? Damaged : Upstream)
    expect(refused instanceof Damaged).toBe(isDamage)
    expect(refused).toMatchObject({ status: 503, message: expect.stringContaining('the bucket'), retryAfterSeconds: expect.any(Number) })
    // Names of the bucket are for the operator.
    expect((refused as Error).message).not.toContain('crossfile-lake')
    expect(logged).toEqual([expect.stringContaining(`${bucket.address('a/b')}/delta/bars/new/${file.sha256}.parquet: `)])
    expect(reported).toHaveLength(isDamage ? 1 : 0)
    bucket.faults = () => null
    const again = createVerifier(data, { remote: cacheOf() })
    expect(readFileSync((await again.open(file.known)).path).equals(file.content)).toBe(true)
  })

  test.each<[string, Fault]>([
    ['503', { kind: 'status', status: 503 }],
    ['a closed connection', { kind: 'closed', after: true }],
    ['a truncated response', { kind: 'truncated', announced: false }],
    ['a wrong bit', { kind: 'flipped' }],
  ])('one %s is repeated, and the answer is right', async (_what, fault) => {
    const file = await aRemoteFile()
    let first = true
    bucket.faults = ({ method }) => {
      if (method !== 'GET' || !first) return null
      first = false
      return fault
    }
    const verifier = createVerifier(data, { remote: cacheOf() })
    expect(readFileSync((await verifier.open(file.known)).path).equals(file.content)).toBe(true)
  })

  test('20 readers of one file share one download, and none lists', async () => {
    const file = await aRemoteFile()
    bucket.forget()
    const verifier = createVerifier(data, { remote: cacheOf() })
    await Promise.all(Array.from({ length: 20 }, () => verifier.open(file.known)))
    expect(bucket.seen).toMatchObject([{ method: 'GET', isList: false }])
  })

  test('a missing object is damage of its dataset', async () => {
    const verifier = createVerifier(data, { remote: cacheOf() })
    const file = { dataset: 'bars', bucket: 'new', sha256: sha256('none') } as never
    await expect(verifier.open(file)).rejects.toThrow(/the dataset bars is damaged: one of its files is missing from the bucket$/)
  })

  test('a damaged cached file is downloaded again', async () => {
    const file = await aRemoteFile()
    const verifier = createVerifier(data, { remote: cacheOf() })
    await verifier.open(file.known)
    rmSync(file.path)
    writeFileSync(file.path, file.content.subarray(1))
    expect(readFileSync((await verifier.open(file.known)).path).equals(file.content)).toBe(true)
  })

  test('a cache of one byte keeps what is in use, deletes the rest, and never what the bucket lacks', async () => {
    const cache = cacheOf(1)
    const verifier = createVerifier(data, { remote: cache })
    const [one, two] = [await aRemoteFile(), await aRemoteFile()]
    const opened = await verifier.open(one.known)
    await verifier.confirm([await verifier.open(two.known)])
    const local = { dataset: 'bars', bucket: 'new', sha256: 'f'.repeat(64) }
    writeFileSync(lakePath(data, local), 'not uploaded')
    await cache.evict()
    const isHere = (path: string): boolean => readFileSync(path, { flag: 'a+' }).length > 0
    expect(readFileSync(one.path).equals(one.content)).toBe(true)
    expect(readFileSync(lakePath(data, local)).toString()).toBe('not uploaded')
    expect(() => readFileSync(two.path)).toThrow('ENOENT')
    expect(await verifier.confirm([opened])).toBe(true)
    await cache.evict()
    expect(() => readFileSync(one.path)).toThrow('ENOENT')
    expect(isHere(lakePath(data, local))).toBe(true)
    expect(await verifier.confirm([opened])).toBe(false)
    expect(readFileSync((await verifier.open(one.known)).path).equals(one.content)).toBe(true)
  })
})
