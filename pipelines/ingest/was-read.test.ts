// A document counts as read when its reading was committed, not when the raw store holds it: on both ways on which a person brings
// files, each fault between the two loses nothing.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '#fixtures/postgres.ts'
import { heldPoints, writeDropIn, writeRecordedFolder } from '#fixtures/world/chaos/held.ts'
import { loadConfig } from '#schemas/config.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { stateDigest } from '#warehouse/store/lake/digest.ts'
import { openLake } from '#warehouse/store/lake/open.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { type Claimed, openQueue } from '#warehouse/store/queue.ts'
import { sha256Hex } from '#warehouse/store/raw/pack.ts'
import { rotateKey } from '#warehouse/store/receipts/rotation.ts'
import type { Tally } from '../jobs/worker/runs.ts'
import { housekeeping } from '../jobs/worker/tasks.ts'
import type { Reader } from '../read/parsed.ts'
import { ingest } from './ingest.ts'
import { readDocument } from './read-document.ts'
import { countUnread, findLeftBehind, type ReadHeld, readHeld } from './read-held.ts'
import { ingestRecorded, type RecordedReport } from './recorded.ts'
import { openRuntime, type Runtime } from './runtime.ts'
import { findUnread, keepUnread } from './was-read.ts'

const now = '2026-11-20T12:00:00.000Z'
const top = mkdtempSync(join(tmpdir(), 'crossfile-held-'))
const folder = join(top, 'folder')
const opened: Runtime[] = []
let documents = 0

type Installation = { readonly url: string; readonly data: string }
async function anInstallation(): Promise<Installation> {
  const data = mkdtempSync(join(top, 'data-'))
  writeDropIn(join(data, 'dropin'), 7, 3)
  return { url: await createTestDatabase(), data }
}

/** As a process opens it; `crashPoint` is where a fault throws. */
async function open({ url, data }: Installation, crashPoint: (name: string) => void = () => {}): Promise<Runtime> {
  const env = { DATABASE_URL: url, CROSSFILE_DATA: data, CROSSFILE_LOG: 'silent', CROSSFILE_DUCKDB_MEMORY: '256MB', CROSSFILE_DUCKDB_THREADS: '1' }
  const runtime = await openRuntime(loadConfig(env), () => {}, 'crossfile test', crashPoint)
  opened.push(runtime)
  await runtime.raw.recover()
  return runtime
}

/** Throws at the first passing of a point. */
function failingAt(point: string, error: () => Error): (name: string) => void {
  let failed = false
  return name => {
    if (name !== point || failed) return
    failed = true
    throw error()
  }
}

const readFolder = (runtime: Runtime): Promise<RecordedReport> => ingestRecorded(runtime.tools, runtime.raw, { folder, now, decisions: new Map() })

async function dropIn(runtime: Runtime, requested: string[] = []): Promise<{ tally: Tally; note: string; announced: number }> {
  const tally: Tally = { documents: 0, fetched: 0, rows: 0, refused: 0, release: null }
  let announced = 0
  const tasks = housekeeping(
    runtime,
    () => {
      announced += 1
    },
    job => requested.push(job),
    () => new Date(now),
  )
  const window = { partition: now, from: now, to: now, symbols: null, today: now.slice(0, 10) }
  const note = await tasks.get('csv-drop-in')?.(window, new AbortController().signal, tally, async () => {})
  return { tally, note: note ?? 'no such task', announced }
}

async function digestOf({ postgres, tools }: Runtime): Promise<string> {
  return (await stateDigest(openLake(await loadCatalogue(postgres.db), tools.writer.connections, tools.writer.verifier))).digest
}

let whole: Runtime
let wholeDigest: string
beforeAll(async () => {
  documents = writeRecordedFolder(folder, 40)
  whole = await open(await anInstallation())
  await readFolder(whole)
  await dropIn(whole)
  wholeDigest = await digestOf(whole)
})
afterAll(async () => {
  for (const runtime of opened) await runtime.close()
  rmSync(top, { recursive: true, force: true })
})

const ended = (): Error => new Error('the process ends here')
const full = (): Error => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })

describe('a folder and dropped files', () => {
  test('are read once; run again, nothing is new', async () => {
    expect(documents).toBeGreaterThan(10)
    const again = await readFolder(whole)
    expect([again.alreadyHeld, again.releases]).toEqual([documents, []])
    expect(await dropIn(whole)).toMatchObject({ tally: { documents: 0, rows: 0 }, note: 'nothing new in the drop-in folder', announced: 0 })
    expect(await countUnread(whole.postgres.db)).toMatchObject({ unread: 0 })
  })

  // Each run fails once, at the next point; the last of them committed.
  test.each([
    // After the first point everything is in the raw store: the second is not passed again.
    ['an error at every point in turn', heldPoints.slice(1), ended],
    ['a commit that fails', ['published'], ended],
    ['a full disk under the raw store', ['raw-written'], full],
    ['a full disk under the lake', ['spooled', 'file-synced'], full],
  ] as const)('after %s are read by the next run, to the same digest', async (_what, points, error) => {
    const installation = await anInstallation()
    for (const point of points) {
      const failing = await open(installation, failingAt(point, error))
      await expect(readFolder(failing)).rejects.toThrow(error().message)
    }
    for (const point of points.slice(0, 3)) {
      const failing = await open(installation, failingAt(point, error))
      // Files that are dropped in do not keep each other back: one fails, the others are read.
      await expect(dropIn(failing)).rejects.toThrow(error().message)
    }
    const runtime = await open(installation)
    await readFolder(runtime)
    await dropIn(runtime)
    expect(await digestOf(runtime)).toBe(wholeDigest)
    expect(await countUnread(runtime.postgres.db)).toMatchObject({ unread: 0 })
  })
})

describe('documents that a process kept and did not commit', () => {
  test('are counted and read, and are then read on every way', async () => {
    const runtime = await open(await anInstallation(), failingAt('after-fetch', ended))
    await expect(readFolder(runtime)).rejects.toThrow('the process ends here')
    await dropIn(runtime)
    expect(await countUnread(runtime.postgres.db)).toMatchObject({ unread: documents, example: expect.stringContaining('http') })
    const { failed, ...done } = await readHeld(runtime, { signal: new AbortController().signal })
    expect([failed, done.documents, done.releases.length]).toEqual([[], documents, 1])
    expect(await digestOf(runtime)).toBe(wholeDigest)
    expect((await readFolder(runtime)).alreadyHeld).toBe(documents)
    expect(await countUnread(runtime.postgres.db)).toMatchObject({ unread: 0 })
  })

  test('are left to a running job until it ends; what it leaves unread is found', async () => {
    const runtime = await open(await anInstallation(), failingAt('after-fetch', ended))
    const { db } = runtime.postgres
    await expect(readFolder(runtime)).rejects.toThrow('the process ends here')
    const queue = await openQueue(db, false, () => {})
    const name = 'reads-insider'
    await queue.define(name, { retryLimit: 3, retryDelay: 1, retryDelayMax: 1, expireInSeconds: 600 })
    const start = async (): Promise<Claimed> => {
      await queue.send(name, { partition: now, from: now, to: now, symbols: null, backfill_id: null })
      return (await queue.claim(name, 1))[0] as Claimed
    }
    const jobs = [{ name, datasets: ['insider_filings'] }]
    const find = (limitMs: number) => findLeftBehind(db, jobs, { signal: new AbortController().signal, limitMs, lookMs: 5 })

    expect((await find(0))?.length).toBe(documents)
    const first = await start()
    expect(await find(20)).toBeNull()
    // Its attempt ends without a commit, and one that began later does not matter.
    const waiting = find(600_000)
    await db.transaction().execute(trx => queue.complete(first, {}, trx))
    expect((await waiting)?.length).toBe(documents)
    const second = await start()
    const reading = find(600_000)
    await readHeld(runtime, { signal: new AbortController().signal })
    await db.transaction().execute(trx => queue.complete(second, {}, trx))
    expect(await reading).toEqual([])
    await queue.close()
  })

  test('are read before a later version of the same file, which stands in the end', async () => {
    const installation = await anInstallation()
    const path = join(installation.data, 'dropin', 'QAA.TO.csv')
    const failing = await open(installation, failingAt('after-fetch', ended))
    await expect(dropIn(failing)).rejects.toThrow('file:QAA.TO.csv')
    writeFileSync(path, 'symbol,date,open,high,low,close,volume,currency\nQAA.TO,2026-02-02,9.00,9.20,8.80,9.10,1000,CAD\n')
    const runtime = await open(installation)
    const { tally } = await dropIn(runtime)
    expect(tally.documents).toBe(2)
    const lake = openLake(await loadCatalogue(runtime.postgres.db), runtime.tools.writer.connections, runtime.tools.writer.verifier)
    const [bars] = await lake.query<{ n: number }>("select count(*) as n from bars where symbol = 'QAA.TO'", {}, { bars: 'all' })
    expect(bars?.n).toBe(11)
  })

  test('that a reader breaks on stay, with the reason, and keep none of the others back', async () => {
    const runtime = await open(await anInstallation(), failingAt('after-fetch', ended))
    await expect(readFolder(runtime)).rejects.toThrow('the process ends here')
    const readers = runtime.tools.readers.map(each =>
      each.source !== 'eodhd'
        ? each
        : {
            ...each,
            parse: () => {
              throw new RangeError('a defect of ours')
            },
          },
    )
    const { failed } = await readHeld({ tools: { ...runtime.tools, readers }, raw: runtime.raw }, { signal: new AbortController().signal })
    expect(failed.map(each => each.reason)).toContain('its reader failed: a defect of ours')
    expect(await countUnread(runtime.postgres.db)).toMatchObject({ unread: failed.length })
    expect(failed.length).toBeLessThan(documents)
  })
})

describe('batches of stored documents', () => {
  /** Documents that no reader takes: 200 are one batch, and a commit of them records that they were looked at. */
  const stored = async (runtime: Runtime, from = 0, count = 250): Promise<void> => {
    const bodies = Array.from({ length: count }, (_, at) => Buffer.from(`text ${from + at}`))
    await runtime.raw.keep(
      bodies.map((body, at) => ({
        ...{ source: 'csv', url: `file:${from + at}.txt`, retrieved_at: now, status: 200, headers: {} },
        ...{ body, sha256: sha256Hex(body) },
      })),
    )
  }

  test('the next is read while one is committed: if that fails, its error is reported and no later batch is committed', async () => {
    const runtime = await open(await anInstallation(), failingAt('published', ended))
    await stored(runtime)
    await expect(readHeld(runtime, { signal: new AbortController().signal })).rejects.toThrow('the process ends here')
    expect(await countUnread(runtime.postgres.db)).toMatchObject({ unread: 250 })
    const { documents: read, failed } = await readHeld(runtime, { signal: new AbortController().signal })
    expect([read, failed]).toEqual([250, []])
    expect(await countUnread(runtime.postgres.db)).toMatchObject({ unread: 0 })
  })

  test.each([
    ['few build the pages that they change', 0, true],
    ['more than 300 only mark them, in batches of up to 200 too', 301 - 250, false],
  ])('%s', async (_what, more, areBuilt) => {
    const runtime = await open(await anInstallation(), failingAt('after-fetch', ended))
    const { db } = runtime.postgres
    await rotateKey(db, runtime.tools.keysFolder)
    if (more > 0) {
      await stored(runtime)
      await stored(runtime, 250, more)
    }
    await expect(readFolder(runtime)).rejects.toThrow('the process ends here')
    expect((await readHeld(runtime, { signal: new AbortController().signal })).failed).toEqual([])
    const { built, marked } = await db
      .selectFrom('page')
      .select(({ fn }) => [fn.count<number>('payload').as('built'), fn.countAll<number>().as('marked')])
      .executeTakeFirstOrThrow()
    expect([Number(marked) > 10, Number(built) > 0]).toEqual([true, areBuilt])
  })

  test('one that is damaged in the raw store stays unread with its reason; those around it are read in their order', async () => {
    const runtime = await open(await anInstallation())
    await stored(runtime)
    const { db } = runtime.postgres
    const record = await db.selectFrom('raw_document').selectAll().where('url', '=', 'file:100.txt').executeTakeFirstOrThrow()
    const path = join(runtime.raw.place.folder, record.pack)
    const pack = readFileSync(path)
    const at = record.pack_offset + 150
    pack[at] = (pack[at] as number) ^ 1
    writeFileSync(path, pack)
    const { documents: read, failed } = await readHeld(runtime, { signal: new AbortController().signal })
    expect([read, failed]).toEqual([249, [{ url: 'file:100.txt', reason: expect.stringContaining('damaged') }]])
    const readings = await db.selectFrom('reading').select('raw_id').execute()
    expect(readings.map(each => each.raw_id)).toEqual(
      (await db.selectFrom('raw_document').select('raw_id').where('url', '!=', 'file:100.txt').orderBy('raw_id').execute()).map(each => each.raw_id),
    )
  })

  test('each commit contains what is done with it, and is undone with it', async () => {
    const runtime = await open(await anInstallation())
    await stored(runtime)
    const signal = new AbortController().signal
    const { db } = runtime.postgres
    const counts: number[] = []
    const along = async (trx: Db, { documents: read }: ReadHeld): Promise<void> => {
      counts.push(read, (await countUnread(trx)).unread, (await countUnread(db)).unread)
    }
    const failing = async (): Promise<void> => await Promise.reject(ended())
    await expect(readHeld(runtime, { signal, along: failing })).rejects.toThrow('the process ends here')
    expect((await readHeld(runtime, { signal, along })).documents).toBe(250)
    expect(counts).toEqual([200, 50, 250, 250, 0, 50])
  })

  test('a request to stop during a commit waits for that commit, and begins no other', async () => {
    const stop = new AbortController()
    const runtime = await open(await anInstallation(), name => (name === 'fence-held' ? stop.abort(new Error('stop')) : undefined))
    await stored(runtime)
    await expect(readHeld(runtime, { signal: stop.signal })).rejects.toThrow('stop')
    expect(await countUnread(runtime.postgres.db)).toMatchObject({ unread: 50 })
  })
})

test('a document on which a reader runs out of stack is put aside with the reason', () => {
  const deep = (): never => deep()
  const reader: Reader = { name: 'deep', dataset: 'bars', source: 'csv', reads: url => url.startsWith('file:'), recognise: () => null, parse: deep }
  const body = Buffer.from('[')
  const document = { source: 'csv', url: 'file:one.csv', retrieved_at: now, status: 200, headers: {}, body, sha256: sha256Hex(body) }
  expect(readDocument([reader], { raw_id: 1, document })).toEqual({
    raw_id: 1,
    reader: 'deep',
    parsed: null,
    detail: expect.stringMatching(/^too_deep: file:one.csv: it repeats or nests/),
  })
})

describe('what is read again', () => {
  const aDocument = (text: string, file?: string) => {
    const body = Buffer.from(text)
    const headers: Record<string, string> = file === undefined ? {} : { 'x-crossfile-recorded': file }
    return { source: 'csv', url: 'file:one.csv', retrieved_at: now, status: 200, headers, body, sha256: sha256Hex(body) }
  }
  const csv = (close: string): string => `symbol,date,open,high,low,close,volume,currency\nONE.TO,2026-01-05,9.00,9.20,8.80,${close},1000,CAD\n`
  let runtime: Runtime
  beforeAll(async () => {
    runtime = await open(await anInstallation())
  })
  const take = async (...texts: readonly (readonly [text: string, file?: string])[]): Promise<number> => {
    const given = texts.map(([text, file]) => aDocument(text, file))
    const unread = await findUnread(runtime.tools, given, 'newest')
    if (unread.length === 0) return 0
    const held = await keepUnread(runtime.postgres.db, runtime.raw, unread)
    await ingest(runtime.tools, { job: 'test', partition: now, documents: held, decisions: new Map(), fence: null })
    return held.length
  }

  test('content that returns to a file is; the newest content, and two files of one address, are not', async () => {
    expect(await take([csv('9.10')])).toBe(1)
    expect(await take([csv('9.10')])).toBe(0)
    expect(await take([csv('9.11')])).toBe(1)
    expect(await take([csv('9.10')])).toBe(1)
    expect(await take([csv('9.12'), 'a'], [csv('9.13'), 'b'])).toBe(2)
    expect(await take([csv('9.12'), 'a'], [csv('9.13'), 'b'])).toBe(0)
    expect(await take([csv('9.13'), 'a'])).toBe(0)
    expect(await take([csv('9.12'), 'b'])).toBe(1)
  })
  test('a document that another reader read before is', async () => {
    await runtime.postgres.db.updateTable('reading').set({ reader: 'a reader of an older version' }).execute()
    expect(await take([csv('9.12'), 'b'])).toBe(1)
    expect(await take([csv('9.12'), 'b'])).toBe(0)
  })
  test('the same bytes twice in one batch are one document, also if both were kept and not read', async () => {
    const twice = [aDocument(csv('9.15')), aDocument(csv('9.15'))]
    await runtime.raw.keep(twice)
    const unread = await findUnread(runtime.tools, twice, 'newest')
    expect(unread).toHaveLength(1)
    const held = await keepUnread(runtime.postgres.db, runtime.raw, unread)
    expect(new Set(held.map(each => each.raw_id)).size).toBe(2)
    await ingest(runtime.tools, { job: 'test', partition: now, documents: held, decisions: new Map(), fence: null })
    expect(await countUnread(runtime.postgres.db)).toMatchObject({ unread: 0 })
  })
  test.each([
    ['between two documents', 2],
    ['while the last one is read', 3],
  ])('a batch that is stopped %s commits nothing and leaves no staged file, and is read later', async (_when, at) => {
    const { tools, postgres, raw } = runtime
    const files = ['x', 'y', 'z'].map(name => aDocument(csv(`9.1${at}`).replace('2026-01-05', `2026-01-1${at}`), `stopped-${name}-${at}`))
    const held = await keepUnread(postgres.db, raw, await findUnread(tools, files, 'newest'))
    const before = (await loadCatalogue(postgres.db)).release
    const stop = new AbortController()
    let read = 0
    // As a signal of the operating system, which arrives when the event loop turns.
    const stopping = tools.readers.map(
      (reader: Reader): Reader => ({
        ...reader,
        parse(document) {
          read += 1
          if (read === at) setImmediate(() => stop.abort(new Error('stopping')))
          return reader.parse(document)
        },
      }),
    )
    const batch = { job: 'test', partition: `stopped ${at}`, documents: held, decisions: new Map(), fence: null }
    await expect(ingest({ ...tools, readers: stopping }, { ...batch, signal: stop.signal })).rejects.toThrow('stopping')
    expect(read).toBe(at)
    expect((await loadCatalogue(postgres.db)).release).toBe(before)
    expect(await countUnread(postgres.db)).toMatchObject({ unread: 3 })
    expect(readdirSync(join(runtime.config.dataFolder, 'stage'))).toEqual([])
    expect((await ingest(tools, { ...batch, signal: new AbortController().signal })).release).toBe(before + 1)
    expect(await countUnread(postgres.db)).toMatchObject({ unread: 0 })
  })
  test('answers that were refused are kept and are not meant to be read', async () => {
    await runtime.raw.keep([
      { ...aDocument('<html>'), url: 'refused:disguised:https://example.com/' },
      { ...aDocument('gone'), status: 404 },
    ])
    expect(await countUnread(runtime.postgres.db)).toMatchObject({ unread: 0 })
  })
})

test('a drop-in announces its release as any other job and records what it read', async () => {
  const installation = await anInstallation()
  mkdirSync(join(installation.data, 'dropin', 'below'), { recursive: true })
  const requested: string[] = []
  const { tally, announced } = await dropIn(await open(installation), requested)
  expect(tally).toMatchObject({ documents: 3, refused: 0, release: 3 })
  expect(tally.rows).toBeGreaterThanOrEqual(30)
  expect(announced).toBe(3)
  expect(new Set(requested)).toEqual(new Set(['models', 'alerts', 'receipt-watches']))
})
