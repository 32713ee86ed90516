// The receipt log in a bucket, written and read by two hosts with separate data folders over one database.
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestBucket, type ServerName, s3Server, type TestBucket } from '#fixtures/bucket.ts'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { aStatementInput } from '#fixtures/receipts/vectors.ts'
import { openCache } from '../../lake/bucket/cache.ts'
import { openObjects } from '../../lake/bucket/objects.ts'
import type { Remote } from '../../lake/remote.ts'
import { createS3Client } from '../../object-store/client.ts'
import { connect, type Db, type Postgres } from '../../postgres.ts'
import { readCheckpoint } from '../../transparency/checkpoint.ts'
import { verifyProof } from '../../transparency/proof.ts'
import { tilePath, widthAt } from '../../transparency/tiles.ts'
import { issueReceipt, type Receipt } from '../receipt.ts'
import { activeSigner } from '../rotation.ts'
import { buildStatement } from '../statement.ts'
import { insertReceipts } from '../store.ts'
import { entryOfStatement } from './entry-of-statement.ts'
import { findProof, unlessDamaged } from './find-proof.ts'
import type { LogFolder } from './folder.ts'
import { findLogHead, headFault, logKeys } from './head.ts'
import { keepFullTiles } from './keep-tiles.ts'
import { openLogFolder } from './open-folder.ts'
import { type SequenceTools, sequence } from './sequence.ts'
import { continueLog, findDamagedFile, readLogState } from './state.ts'
import { uploadLog } from './upload-log.ts'
import { repairLogFiles } from './write-files.ts'

const server: ServerName | null = s3Server('versitygw')
test.skipIf(server !== null)('skipped: no versitygw (with the clock of the tests) in PATH, so no receipt log in a bucket was tested', () => undefined)

type Host = { readonly data: string; readonly remote: Remote; readonly folder: LogFolder; readonly tools: SequenceTools }

describe.skipIf(server === null)('the receipt log in a bucket', () => {
  let bucket: TestBucket
  let postgres: Postgres
  let db: Db
  let url: string
  let prefix: string
  let a: Host
  let b: Host
  let made = 0
  const folders: string[] = []
  const opened: Postgres[] = []
  beforeAll(async () => {
    bucket = await openTestBucket(server ?? 'versitygw')
  })
  afterAll(async () => {
    for (const each of opened) await each.close()
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
    await bucket.close()
  })
  afterEach(() => {
    bucket.faults = () => null
  })
  beforeEach(async () => {
    url = await createTestDatabase()
    postgres = connect(url)
    opened.push(postgres)
    db = postgres.db
    made += 1
    prefix = `log-${made}`
    a = aHost()
    await db.transaction().execute(trx => activeSigner(trx, a.tools.keysFolder))
    b = aHost()
    cpSync(join(a.data, 'keys'), join(b.data, 'keys'), { recursive: true })
  })

  /** A busy machine answers late: no test here is about a slow bucket. */
  const limits = { idleMs: 600_000, attemptMs: 600_000, deadlineMs: 600_000 }
  function aHost(): Host {
    const data = mkdtempSync(join(tmpdir(), 'crossfile-host-'))
    folders.push(data)
    const client = createS3Client(bucket.address(prefix), bucket.settings, { requestMs: 600_000, wait: async () => undefined })
    const remote = openCache(
      data,
      openObjects(client, limits, async () => undefined),
      { limitBytes: 1e9 },
    )
    const folder = openLogFolder(data, remote)
    return { data, remote, folder, tools: { db, folder, keysFolder: join(data, 'keys'), host: 'crossfile.example' } }
  }
  /** Stores `count` further receipts, signed by the active key. */
  async function addReceipts(count: number): Promise<Receipt[]> {
    return await db.transaction().execute(async trx => {
      const signer = await activeSigner(trx, a.tools.keysFolder)
      const receipts = Array.from({ length: count }, () => {
        made += 1
        return issueReceipt(buildStatement(aStatementInput({ payload: Buffer.from(`{"n":${made}}`) })), signer)
      })
      await insertReceipts(trx, receipts)
      return receipts
    })
  }
  const publishedSize = async (host: Host): Promise<number> => readCheckpoint((await host.folder.readCheckpoint()) ?? '').size
  const damaged = (host: Host): Promise<string | null> => findDamagedFile(db, host.folder, new AbortController().signal)

  /** Both hosts serve every tile of the present tree and a valid proof of each receipt, the same bytes. */
  async function expectWhole(receipts: readonly Receipt[]): Promise<void> {
    const head = await findLogHead(db)
    const size = head?.frontier.size ?? 0
    const keys = await logKeys(db, head?.origin ?? '')
    for (const level of ['entries', 0, 1] as const)
      for (let index = 0; widthAt(level, index, size) > 0; index += 1) {
        const tile = { level, index, width: widthAt(level, index, size) }
        const [one, two] = [await a.folder.readTile(tile), await keepFullTiles(b.folder).readTile(tile)]
        expect(one, tilePath(tile)).not.toBeNull()
        expect(two, tilePath(tile)).toEqual(one)
      }
    const indexes = new Set<number>()
    const reader = keepFullTiles(b.folder)
    for (const [at, receipt] of receipts.entries()) {
      const text = (await findProof(db, at % 2 === 0 ? a.folder : reader, receipt.receipt_id))?.text ?? ''
      indexes.add(verifyProof(text, entryOfStatement(receipt.statement_bytes), keys).index)
    }
    expect(indexes.size).toBe(receipts.length)
    for (const host of [a, b]) {
      expect(await headFault(db, host.folder, head)).toBeNull()
      expect(await damaged(host)).toBeNull()
      expect(await publishedSize(host)).toBe(size)
    }
  }

  test('hosts take turns as sequencers, and each serves every tile and proof', async () => {
    const receipts = await addReceipts(40)
    expect(await sequence(a.tools)).toEqual({ added: 40, size: 40, fault: null })
    for (const [host, count] of [
      [b, 30],
      [a, 200],
      [b, 1],
      [a, 260],
      [b, 12],
    ] as const) {
      receipts.push(...(await addReceipts(count)))
      expect(await sequence(host.tools)).toEqual({ added: count, size: receipts.length, fault: null })
    }
    await expectWhole(receipts.filter((_, at) => at % 25 === 0))
    // The partial tiles of full ones are gone.
    const names: string[] = []
    for await (const { name } of a.remote.objects.list('receipt-log/')) names.push(name)
    expect(names.filter(name => name.includes('/000.p/') && !name.includes('tile/1/'))).toEqual([])
    expect(names).toContain('receipt-log/tile/0/001')
  })

  test('any number of sequencers of both hosts at the same time make one log', async () => {
    const receipts = await addReceipts(60)
    await Promise.all(Array.from({ length: 6 }, (_, at) => sequence({ ...(at % 2 === 0 ? a : b).tools, limit: 10 })))
    await expectWhole(receipts)
  })

  test.each(['log-tiles', 'log-signed', 'log-committed', 'log-published'])('host B goes on after a kill of host A at %s', async point => {
    const receipts = await addReceipts(250)
    await sequence(a.tools)
    receipts.push(...(await addReceipts(20)))
    const program = `
      import { loadConfig } from '#schemas/config.ts'
      import { openRemote } from '#warehouse/store/lake/open-remote.ts'
      import { connect } from '#warehouse/store/postgres.ts'
      import { openLogFolder } from '#warehouse/store/receipts/log/open-folder.ts'
      import { sequence } from '#warehouse/store/receipts/log/sequence.ts'
      const [url, data] = process.argv.slice(1)
      const { db } = connect(url)
      const folder = openLogFolder(data, await openRemote(loadConfig(process.env)))
      await sequence({ db, folder, keysFolder: data + '/keys', host: 'crossfile.example',
        crashPoint: name => { if (name === ${JSON.stringify(point)}) process.kill(process.pid, 'SIGKILL') } })`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, url, a.data], {
      cwd: join(import.meta.dirname, '../../../..'),
      env: { PATH: process.env['PATH'], CROSSFILE_DATA: a.data, ...bucket.env(prefix) },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let errors = ''
    child.stderr.on('data', text => {
      errors += String(text)
    })
    const signal = await new Promise(resolve => child.once('exit', (_, by) => resolve(by)))
    expect([signal, errors]).toEqual(['SIGKILL', ''])
    const isCommitted = point === 'log-committed' || point === 'log-published'
    expect(await publishedSize(b)).toBe(point === 'log-published' ? 270 : 250)
    receipts.push(...(await addReceipts(3)))
    expect(await sequence(b.tools)).toEqual({ added: isCommitted ? 3 : 23, size: 273, fault: null })
    await expectWhole(receipts.filter((_, at) => at % 10 === 0))
  })

  test('writes of a host that lost its lock do not replace those of the next one', async () => {
    const receipts = await addReceipts(5)
    await sequence(a.tools)
    const old = (await a.folder.readCheckpoint()) ?? ''
    receipts.push(...(await addReceipts(5)))
    // Host A prepares a checkpoint of size 10, and stops between its read and its write.
    const read = await a.remote.objects.tagged('receipt-log/checkpoint')
    const lost: Promise<unknown>[] = []
    const late = {
      ...a.folder,
      writeCheckpoint: async (note: string) => {
        lost.push(Promise.resolve(note))
      },
    }
    await sequence({ ...a.tools, folder: late })
    receipts.push(...(await addReceipts(2)))
    await sequence(b.tools)
    expect(await publishedSize(a)).toBe(12)
    const newest = await b.folder.readCheckpoint()
    // The delayed request, with the condition that it was sent with.
    expect(await a.remote.objects.writeIf('receipt-log/checkpoint', Buffer.from(String(await lost[0])), read?.etag ?? null)).toBe(false)
    // Attempts that begin now are refused as well.
    for (const note of [old, String(await lost[0])])
      await expect(a.folder.writeCheckpoint(note)).rejects.toThrow('receipt-log/checkpoint was changed by another host')
    expect(await b.folder.readCheckpoint()).toBe(newest)
    // A tile with other bytes is replaced only with the lock.
    const tile = { level: 0, index: 0, width: 12 } as const
    const noLock = async () => {
      throw new Error('the connection was lost')
    }
    await expect(a.folder.writeTile(tile, Buffer.alloc(12 * 32), noLock)).rejects.toThrow('the connection was lost')
    await expectWhole(receipts)
  })

  test('a checkpoint that another host publishes between the read and the write is not replaced by an older one', async () => {
    await addReceipts(3)
    await sequence(a.tools)
    const three = (await a.folder.readCheckpoint()) ?? ''
    await addReceipts(1)
    await sequence(b.tools)
    const four = (await b.folder.readCheckpoint()) ?? ''
    await a.remote.objects.write('receipt-log/checkpoint', Buffer.from(three))
    let isFirst = true
    const racing: Remote = {
      ...a.remote,
      objects: {
        ...a.remote.objects,
        async writeIf(name, bytes, etag) {
          if (isFirst) await b.folder.writeCheckpoint(four)
          isFirst = false
          return await a.remote.objects.writeIf(name, bytes, etag)
        },
      },
    }
    // The size-4 checkpoint of this host is the published one already: nothing is left to do.
    await openLogFolder(a.data, racing).writeCheckpoint(four)
    expect([isFirst, await publishedSize(a)]).toEqual([false, 4])
  })

  test('a bucket that answers 503 delays the log, and nothing is lost', async () => {
    const receipts = await addReceipts(4)
    await sequence(a.tools)
    receipts.push(...(await addReceipts(4)))
    for (const method of ['PUT', 'GET']) {
      bucket.faults = seen => (seen.method === method ? { kind: 'status', status: 503 } : null)
      await expect(sequence(b.tools)).rejects.toMatchObject({ status: 503 })
      expect((await findLogHead(db))?.frontier.size).toBe(4)
    }
    expect((await readLogState(db, b.folder)).fault?.message).toContain('cannot be read now')
    await expect(b.folder.readTile({ level: 0, index: 0, width: 4 })).rejects.toMatchObject({ status: 503 })
    expect(await unlessDamaged(findProof(db, b.folder, receipts[0]?.receipt_id ?? ''))).toBeNull()
    // Only publishing fails: the commit holds, and the next run publishes it.
    bucket.faults = seen => (seen.method === 'PUT' && seen.key.endsWith('/checkpoint') ? { kind: 'status', status: 503 } : null)
    await expect(sequence(b.tools)).rejects.toMatchObject({ status: 503 })
    bucket.faults = () => null
    expect([(await findLogHead(db))?.frontier.size, await publishedSize(a)]).toEqual([8, 4])
    expect(await sequence(a.tools)).toEqual({ added: 0, size: 8, fault: null })
    await expectWhole(receipts)
  })

  test('a write whose acknowledgement was lost is not repeated as another one', async () => {
    const receipts = await addReceipts(4)
    const lost = new Set<string>()
    bucket.faults = ({ method, key }) => {
      if (method !== 'PUT' || lost.has(key)) return null
      lost.add(key)
      return { kind: 'closed', after: true }
    }
    expect(await sequence(a.tools)).toEqual({ added: 4, size: 4, fault: null })
    bucket.faults = () => null
    await expectWhole(receipts)
  })

  test('refuses a missing and a newer checkpoint, and continues as with files', async () => {
    const receipts = await addReceipts(6)
    await sequence(a.tools)
    const six = (await a.folder.readCheckpoint()) ?? ''
    await a.remote.objects.remove('receipt-log/checkpoint')
    receipts.push(...(await addReceipts(1)))
    expect((await sequence(b.tools)).fault?.message).toContain(`${bucket.address(prefix)}/receipt-log/checkpoint is missing`)
    expect(await continueLog(db, b.folder)).toEqual({ did: 'accepted', size: 6 })
    expect(await a.folder.readCheckpoint()).toBe(six)
    expect((await sequence(b.tools)).added).toBe(1)
    await expectWhole(receipts)
    // Another database with the same bucket.
    const other = connect(await createTestDatabase())
    opened.push(other)
    expect((await headFault(other.db, b.folder, null))?.message).toContain(`${bucket.address(prefix)}/receipt-log/checkpoint has one`)
    await sql`update log_head set size = 6`.execute(db)
    expect((await sequence(a.tools)).fault?.message).toContain('not the root of its last checkpoint')
  })

  test('damaged and missing objects are written again from the rows', async () => {
    const receipts = await addReceipts(300)
    await sequence(a.tools)
    await a.remote.objects.write('receipt-log/tile/0/000', Buffer.from('damaged'))
    await a.remote.objects.remove('receipt-log/tile/entries/001.p/44')
    expect(await damaged(b)).toContain('tile/0/000')
    expect(await repairLogFiles(db, b.folder)).toBe(true)
    receipts.push(...(await addReceipts(1)))
    expect((await sequence(b.tools)).added).toBe(1)
    await expectWhole(receipts.filter((_, at) => at % 30 === 0))
  })

  test('the files of a data folder are uploaded once, the checkpoint last', async () => {
    const local = { ...a.tools, folder: openLogFolder(a.data, null) }
    const receipts = await addReceipts(270)
    await sequence(local)
    expect(await uploadLog(db, b.data, b.remote)).toEqual({ objects: 0, isPublished: false })
    // The upload ends in the middle, and is repeated.
    let puts = 0
    bucket.faults = ({ method }) => (method === 'PUT' && ++puts > 3 ? { kind: 'status', status: 503 } : null)
    await expect(uploadLog(db, a.data, a.remote)).rejects.toMatchObject({ status: 503 })
    bucket.faults = () => null
    expect(await a.folder.readCheckpoint()).toBeNull()
    bucket.forget()
    expect(await uploadLog(db, a.data, a.remote)).toMatchObject({ isPublished: true })
    expect(bucket.seen.filter(({ method }) => method === 'PUT').at(-1)?.key).toBe(`${prefix}/receipt-log/checkpoint`)
    expect(await uploadLog(db, a.data, a.remote)).toEqual({ objects: 0, isPublished: true })
    receipts.push(...(await addReceipts(5)))
    expect((await sequence(b.tools)).added).toBe(5)
    // The older files of host A do not replace them.
    expect(await uploadLog(db, a.data, a.remote)).toEqual({ objects: 0, isPublished: true })
    await expectWhole(receipts.filter((_, at) => at % 30 === 0))
  })

  test('a reader keeps full tiles for a minute within its limit, and asks for partial ones each time', async () => {
    await addReceipts(300)
    await sequence(a.tools)
    let now = 0
    const reader = keepFullTiles(b.folder, 8 * 1024, () => now)
    const gets = async (tile: { level: 0 | 1; index: number; width: number }) => {
      bucket.forget()
      expect(await reader.readTile(tile)).toHaveLength(tile.width * 32)
      return bucket.seen.length
    }
    const full = { level: 0, index: 0, width: 256 } as const
    expect([await gets(full), await gets(full), await gets({ ...full, width: 7 })]).toEqual([1, 0, 0])
    expect([await gets({ level: 0, index: 1, width: 44 }), await gets({ level: 0, index: 1, width: 44 })]).toEqual([1, 1])
    now = 60_001
    expect(await gets(full)).toBe(1)
  })
})
