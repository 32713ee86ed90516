// Where a reproduction takes its documents from: the database and its raw store, or a folder of raw packs alone.
import { existsSync } from 'node:fs'
import { sql } from 'kysely'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import { loadDecisions, readJournal } from '#warehouse/store/raw/decisions.ts'
import { listPacks, type PackEntry, readRecord, walkPack } from '#warehouse/store/raw/pack.ts'
import type { RawStore } from '#warehouse/store/raw/raw.ts'
import type { Reader } from '../read/parsed.ts'
import type { IngestTools } from './ingest.ts'
import { readerOf } from './reader-of.ts'
import { type DocumentSource, isListingReader, type Placed } from './reproduce-documents.ts'

/** The documents of the database: those that were read up to the release, in the order in which they were read. */
export function databaseSource(tools: IngestTools, raw: RawStore): DocumentSource {
  const { db } = tools
  const listingReaders = tools.readers.filter(isListingReader).map(reader => reader.name)
  const firstRead = sql<number | null>`coalesce(reading.first_release, reading.release)`
  const times = new Map<number, Promise<ReadonlyMap<number, string>>>()
  return {
    async documents(hashes, { release }) {
      const rows = await db
        .selectFrom('reading')
        .innerJoin('raw_document', 'raw_document.raw_id', 'reading.raw_id')
        .select([
          'reading.raw_id',
          'raw_document.sha256',
          'raw_document.url',
          'raw_document.retrieved_at',
          'raw_document.bytes',
          firstRead.as('release'),
          'reading.reader',
        ])
        .where('reading.state', '=', 'read')
        .where(firstRead, '<=', release)
        .where(eb =>
          eb.or([...(hashes.length > 0 ? [eb('raw_document.sha256', 'in', [...hashes])] : []), eb('reading.reader', 'in', listingReaders)]),
        )
        .orderBy(firstRead)
        .orderBy('reading.raw_id')
        .execute()
      return rows.map(row => ({ ...row, release: row.release as number, reader: row.reader as string }))
    },
    read: sha256 => raw.read(sha256),
    decisions: () => loadDecisions(db),
    committed(release) {
      const known =
        times.get(release) ??
        db
          .selectFrom('release')
          .select(['release', 'committed_at'])
          .where('release', '<=', release)
          .execute()
          .then(rows => new Map(rows.map(row => [row.release, row.committed_at])))
      // Receipts of one release come one after another.
      times.clear()
      times.set(release, known)
      return known
    },
  }
}

/** Documents of one batch of a rebuild (rebuild.ts), so that an answer is derived in about the same steps. */
const batchDocuments = 120

export type PackSource = DocumentSource & {
  /** Damaged records, whose documents are not known. */
  readonly damaged: readonly string[]
  readonly count: number
}

/**
 * The documents of a folder of raw packs (`raw` of a data folder, with the journal of decisions), without a database. Listings are those
 * that were retrieved up to the instant of the answer. Throws `BadRequest` if the folder has no pack.
 */
export async function packSource(folder: string, readers: readonly Reader[]): Promise<PackSource> {
  const packs = existsSync(folder) ? await listPacks(folder) : []
  if (packs.length === 0) throw new BadRequest(`${folder} has no raw pack`, { hint: 'name the folder raw of a data folder, or a copy of it' })
  const damaged: string[] = []
  const entries: (PackEntry & { readonly reader: Reader | null })[] = []
  const bodies = new Map<string, PackEntry>()
  for (const pack of packs)
    for await (const entry of walkPack(folder, pack, 0, reason => damaged.push(reason))) {
      const { header, holdsBody } = entry
      if (holdsBody && !bodies.has(header.sha256)) bodies.set(header.sha256, entry)
      if (header.status !== 200 || header.url.startsWith('refused:')) continue
      // A file is recognised by its beginning. Its body may be in an earlier record with the same content.
      const place = /^(?:recorded|file):/.test(header.url) ? bodies.get(header.sha256) : undefined
      const body = place ? (await readRecord(folder, place.pack, place.pack_offset)).body : Buffer.alloc(0)
      entries.push({ ...entry, reader: readerOf(readers, { url: header.url, body }) })
    }
  const decisions = new Map((await readJournal({ folder, objects: null })).map(each => [each.fingerprint, each]))
  return {
    damaged,
    count: entries.length,
    async documents(hashes, { as_of }) {
      const named = new Set(hashes)
      const chosen = entries.flatMap((entry, at) => {
        const { header, reader } = entry
        const isKnown = Date.parse(header.retrieved_at) <= Date.parse(as_of)
        return reader !== null && (named.has(header.sha256) || (isListingReader(reader) && isKnown)) ? [{ ...entry, reader, at }] : []
      })
      // By time, so that the listings of a later answer continue those of an earlier one.
      chosen.sort((a, b) => Date.parse(a.header.retrieved_at) - Date.parse(b.header.retrieved_at) || a.at - b.at)
      return chosen.map(
        ({ header, reader, at }): Placed => ({
          raw_id: at + 1,
          sha256: header.sha256,
          url: header.url,
          retrieved_at: header.retrieved_at,
          bytes: header.bytes,
          release: Math.floor(at / batchDocuments) + 1,
          reader: reader.name,
        }),
      )
    },
    async read(sha256) {
      const place = bodies.get(sha256)
      if (!place) throw new NotFound(`raw document ${sha256}: not in ${folder}`, { hint: 'copy every pack of the folder raw' })
      return await readRecord(folder, place.pack, place.pack_offset)
    },
    decisions: async () => decisions,
    committed: async () => new Map(),
  }
}
