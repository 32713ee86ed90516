// The raw store: the bytes of every response, stored before they are read, found by hash or by address.
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { Broken, NotFound } from '#schemas/errors.ts'
import type { RawDocument } from '#schemas/raw.ts'
import type { Db } from '../postgres.ts'
import { slicesOf } from '../slices.ts'
import { createPackWriter, type IndexedRecord, listPacks, type PackEntry, walkPack } from './pack.ts'
import { createObjectWriter, fetchPacks, listObjectPacks, type RawPlace, readDocument } from './place.ts'

export type Kept = { readonly raw_id: number; readonly sha256: string; readonly url: string; readonly retrieved_at: string }

export type RawStore = {
  readonly place: RawPlace
  /** Stores the documents durably (packs fsynced, then indexed); returns them with their numbers, in order. */
  keep(documents: readonly RawDocument[]): Promise<Kept[]>
  /** A document by its hash; throws `NotFound`, or `Broken` if a byte of it changed on disk. */
  read(sha256: string): Promise<RawDocument>
  /** The same for many documents, whose places one statement finds; the returned function reads one of them. */
  readerOf(sha256s: readonly string[]): Promise<(sha256: string) => Promise<RawDocument>>
  /** The newest document that was received from an address with status 200, or null. */
  newest(url: string): Promise<Kept | null>
  /** The addresses of `urls` that are stored with status 200. */
  held(urls: readonly string[]): Promise<Map<string, Kept>>
  /**
   * Indexes documents of packs that the index lacks (after a crash between the two, or a lost database). Such packs of a bucket are
   * downloaded into the folder. Returns the number of documents.
   */
  recover(): Promise<number>
  close(): Promise<void>
}

/** Offsets of the records of each pack, from the index. */
export async function indexedRecords(db: Db): Promise<Map<string, IndexedRecord[]>> {
  const { rows } = await sql<IndexedRecord & { pack: string }>`
    select pack, pack_offset::float8 as "offset", sha256 from raw_document order by pack, pack_offset`.execute(db)
  const packs = new Map<string, IndexedRecord[]>()
  for (const { pack, offset, sha256 } of rows) {
    const records = packs.get(pack)
    if (records) records.push({ offset, sha256 })
    else packs.set(pack, [{ offset, sha256 }])
  }
  return packs
}

/** A document by its hash, for a process that only reads. Throws `NotFound`, or `Broken` if a byte of it changed on disk. */
export async function readRaw(
  db: Db,
  place: RawPlace,
  sha256: string,
  onDamage: (sha256: string, reason: string) => void = () => {},
): Promise<RawDocument> {
  return await readAt(place, await findRecords(db, [sha256]), sha256, onDamage)
}

type RecordPlace = { readonly pack: string; readonly pack_offset: number }
/** For each document the first record that holds its body. */
async function findRecords(db: Db, sha256s: readonly string[]): Promise<ReadonlyMap<string, RecordPlace>> {
  const rows = await db
    .selectFrom('raw_document')
    .distinctOn('sha256')
    .select(['sha256', 'pack', 'pack_offset'])
    .where('sha256', 'in', sha256s)
    .where('holds_body', '=', true)
    .orderBy('sha256')
    .orderBy('raw_id')
    .execute()
  return new Map(rows.map(row => [row.sha256, row]))
}

async function readAt(
  place: RawPlace,
  records: ReadonlyMap<string, RecordPlace>,
  sha256: string,
  onDamage: (sha256: string, reason: string) => void,
): Promise<RawDocument> {
  const record = records.get(sha256)
  if (!record) throw new NotFound(`raw document ${sha256}: not stored`, { hint: 'crossfile status names the raw folder' })
  return await readDocument(place, record.pack, record.pack_offset).catch((error: unknown) => {
    if (error instanceof Broken) onDamage(sha256, error.message)
    throw error
  })
}

/** Writes records to the index. Returns the documents with their numbers, in order. */
async function index(db: Db, entries: readonly PackEntry[]): Promise<Kept[]> {
  const kept: Kept[] = []
  for (const some of slicesOf(entries, 500)) {
    const rows = await db
      .insertInto('raw_document')
      .values(
        some.map(({ pack, pack_offset, header, holdsBody }) => ({
          sha256: header.sha256,
          source: header.source,
          url: header.url,
          retrieved_at: header.retrieved_at,
          status: header.status,
          headers: JSON.stringify(header.headers),
          bytes: header.bytes,
          pack,
          pack_offset,
          holds_body: holdsBody,
        })),
      )
      // Another starting worker may index the record first.
      .onConflict(conflict => conflict.columns(['pack', 'pack_offset']).doUpdateSet({ sha256: eb => eb.ref('excluded.sha256') }))
      .returning(['raw_id', 'sha256', 'url', 'retrieved_at'])
      .execute()
    kept.push(...rows)
  }
  return kept
}

/** Bytes above which waiting callers no longer share one write. */
const sharedBytes = 32 * 1024 * 1024

/**
 * `crashPoint`: named moments at which a test ends the process. `onDamage` is called when a document that is read is damaged or missing on
 * the disk.
 */
export function openRawStore(
  db: Db,
  place: RawPlace,
  crashPoint: (name: string) => void = () => {},
  onDamage: (sha256: string, reason: string) => void = () => {},
): RawStore {
  const { folder, objects } = place
  // Names sort by time of creation, so that an iteration over all packs is about in the order of retrieval.
  const nameOf = (): string => `${new Date().toISOString().replace(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}`
  const writer = objects === null ? createPackWriter(folder, nameOf, crashPoint) : createObjectWriter(objects, nameOf)
  // Writes run one after another: the indexed part of a pack is always its beginning. A caller that arrives during a write shares the next
  // one, and its sync.
  type Waiting = { readonly documents: readonly RawDocument[]; readonly done: (kept: Kept[]) => void; readonly failed: (error: unknown) => void }
  const waiting: Waiting[] = []
  let writing = false
  async function write(): Promise<void> {
    if (writing) return
    writing = true
    while (waiting.length > 0) {
      const together: Waiting[] = []
      let bytes = 0
      while (waiting[0] && (together.length === 0 || bytes < sharedBytes)) {
        const next = waiting.shift() as Waiting
        together.push(next)
        for (const document of next.documents) bytes += document.body.byteLength
      }
      try {
        const kept = await append(together.flatMap(each => each.documents))
        let from = 0
        for (const { documents, done } of together) {
          done(kept.slice(from, from + documents.length))
          from += documents.length
        }
      } catch (error) {
        for (const { failed } of together) failed(error)
      }
    }
    writing = false
  }

  async function append(documents: readonly RawDocument[]): Promise<Kept[]> {
    const hashes = [...new Set(documents.map(document => document.sha256))]
    const known = new Set<string>()
    for (const some of slicesOf(hashes, 1000)) {
      const rows = await db
        .selectFrom('raw_document')
        .select('sha256')
        .distinct()
        .where('sha256', 'in', some)
        .where('holds_body', '=', true)
        .execute()
      for (const row of rows) known.add(row.sha256)
    }
    const records = documents.map(document => {
      const withBody = !known.has(document.sha256)
      known.add(document.sha256)
      return { document, withBody }
    })
    const entries = await writer.append(records)
    crashPoint('raw-synced')
    try {
      return await index(db, entries)
    } catch (error) {
      // A record that was written but not indexed stays at the end of its pack, where `recover` finds it.
      await writer.close()
      throw error
    }
  }

  return {
    place,
    async keep(documents) {
      if (documents.length === 0) return []
      return await new Promise<Kept[]>((done, failed) => {
        waiting.push({ documents, done, failed })
        void write()
      })
    },
    read: sha256 => readRaw(db, place, sha256, onDamage),
    async readerOf(sha256s) {
      const records = new Map<string, RecordPlace>()
      for (const some of slicesOf([...new Set(sha256s)], 1000))
        for (const [sha256, record] of await findRecords(db, some)) records.set(sha256, record)
      return sha256 => readAt(place, records, sha256, onDamage)
    },
    async newest(url) {
      return (await this.held([url])).get(url) ?? null
    },
    async held(urls) {
      const found = new Map<string, Kept>()
      for (let from = 0; from < urls.length; from += 1000) {
        const rows = await db
          .selectFrom('raw_document')
          .distinctOn('url')
          .select(['raw_id', 'sha256', 'url', 'retrieved_at'])
          .where('url', 'in', urls.slice(from, from + 1000))
          .where('status', '=', 200)
          .orderBy('url')
          .orderBy('raw_id', 'desc')
          .execute()
        for (const row of rows) found.set(row.url, row)
      }
      return found
    },
    async recover() {
      const { rows } = await sql<{ pack: string; last: number }>`select pack, max(pack_offset) as last from raw_document group by pack`.execute(db)
      const last = new Map(rows.map(row => [row.pack, Number(row.last)]))
      const unknown = objects === null ? [] : [...(await listObjectPacks(objects)).keys()].filter(pack => !last.has(pack))
      // After a kill between upload and index a few packs; after a lost database all.
      if (objects !== null) await fetchPacks(objects, unknown, folder)
      let count = 0
      for (const pack of await listPacks(folder)) {
        const missing: PackEntry[] = []
        const from = last.get(pack)
        try {
          for await (const entry of walkPack(folder, pack, from ?? 0)) if (entry.pack_offset !== from) missing.push(entry)
        } catch (error) {
          // Its writer failed within the first record, and deleted it since the folder was listed.
          if (from === undefined && (error as NodeJS.ErrnoException).code === 'ENOENT') continue
          throw error
        }
        await index(db, missing)
        count += missing.length
      }
      return count
    },
    close: () => writer.close(),
  }
}
