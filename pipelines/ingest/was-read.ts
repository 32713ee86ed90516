// The only rule for "this document needs no reading": the present readers' reading of these bytes was committed. Every path into the lake
// uses it. Stored bytes are not sufficient, because a process can end between storing and committing.
import { sql } from 'kysely'
import type { Db } from '#warehouse/store/postgres.ts'
import type { RawStore } from '#warehouse/store/raw/raw.ts'
import type { RawDocument, Reader } from '../read/parsed.ts'
import type { HeldDocument } from './read-document.ts'
import { readerOf } from './reader-of.ts'

export type ReadTools = { readonly db: Db; readonly readers: readonly Reader[] }
/** The name of the reader that takes a document now; null: none does. */
type NameOfReader = (document: RawDocument) => string | null

const nameFrom =
  (readers: readonly Reader[]): NameOfReader =>
  document =>
    readerOf(readers, document)?.name ?? null

/** A document to read, and the raw document that already has its bytes at its address, or null if it is still to be stored. */
export type Unread = { readonly document: RawDocument; readonly raw_id: number | null }

/** The header that names the file of a recorded folder: several files of one folder may answer for the same address. */
export const recordedHeader = 'x-crossfile-recorded'

/**
 * True for rows of `raw_document` that are meant to be read: responses with status 200. Responses that the client refused
 * (`refused:REASON:ADDRESS`, pipelines/fetch/http.ts) are stored only for the operator.
 */
export const isAnswer = sql<boolean>`raw_document.status = 200 and raw_document.url not like 'refused:%'`

/** Rows of one lookup by key. */
const lookupRows = 1000

/**
 * The numbers of those documents whose reading by the present readers was committed: also if it gave no rows, was quarantined
 * whole, or if no reader takes this kind. A document that a different reader read before (or none) counts as unread.
 */
export const findRead = ({ db, readers }: ReadTools, held: readonly HeldDocument[]): Promise<Set<number>> => findReadBy(db, nameFrom(readers), held)

async function findReadBy(db: Db, nameOf: NameOfReader, held: readonly HeldDocument[]): Promise<Set<number>> {
  const found = new Set<number>()
  for (let from = 0; from < held.length; from += lookupRows) {
    const some = held.slice(from, from + lookupRows)
    const rows = await db
      .selectFrom('reading')
      .select(['raw_id', 'reader'])
      .where(
        'raw_id',
        'in',
        some.map(each => each.raw_id),
      )
      .execute()
    const readerNames = new Map(rows.map(row => [row.raw_id, row.reader]))
    for (const { raw_id, document } of some) {
      if (readerNames.has(raw_id) && readerNames.get(raw_id) === nameOf(document)) found.add(raw_id)
    }
  }
  return found
}

/**
 * The documents to read, in their order. With `newest`, bytes count as held if they are the last that came from the address, or
 * from the address by the same file of a recorded folder: content that returns is read again. With `any`, they count if they ever
 * came from the address. A held document keeps its first retrieval time.
 */
export const findUnread = ({ db, readers }: ReadTools, documents: readonly RawDocument[], which: 'newest' | 'any'): Promise<Unread[]> =>
  findUnreadBy(db, nameFrom(readers), documents, which)

/** As `findUnread`, for a caller that knows the names of the present readers and has not loaded them. */
export async function findUnreadBy(db: Db, nameOf: NameOfReader, documents: readonly RawDocument[], which: 'newest' | 'any'): Promise<Unread[]> {
  const places = await (which === 'newest' ? findNewest : findEver)(db, documents)
  const taken = new Set<number>()
  const known: Unread[] = []
  for (const document of documents) {
    const place = places(document)
    if (!place) known.push({ raw_id: null, document })
    // Two files with the same bytes and address, of which one was stored: that document is read once.
    else if (!taken.has(place.raw_id)) known.push({ raw_id: place.raw_id, document: { ...document, retrieved_at: place.retrieved_at } })
    if (place) taken.add(place.raw_id)
  }
  const read = await findReadBy(
    db,
    nameOf,
    known.flatMap(({ raw_id, document }) => (raw_id === null ? [] : [{ raw_id, document }])),
  )
  return known.filter(({ raw_id }) => raw_id === null || !read.has(raw_id))
}

type Place = { readonly raw_id: number; readonly url: string; readonly sha256: string; readonly retrieved_at: string }
type FindPlace = (document: RawDocument) => Place | null

/** Where the raw store has each document, if its bytes are the last from its address, or from its address by its file. */
async function findNewest(db: Db, documents: readonly RawDocument[]): Promise<FindPlace> {
  const newest = new Map<string, Place>()
  const newestOfFile = new Map<string, Place>()
  for (const urls of groupsOf(documents.map(document => document.url))) {
    const { rows } = await sql<Place & { file: string | null }>`
      select distinct on (url, file) raw_id, url, sha256, retrieved_at, headers->>${recordedHeader} as file
      from raw_document where url = any(${urls}) and ${isAnswer} order by url, file, raw_id desc`.execute(db)
    for (const row of rows) {
      if (row.file !== null) newestOfFile.set(`${row.url} ${row.file}`, row)
      if ((newest.get(row.url)?.raw_id ?? 0) < row.raw_id) newest.set(row.url, row)
    }
  }
  return ({ url, sha256, headers }) => {
    const candidates = [newestOfFile.get(`${url} ${headers[recordedHeader]}`), newest.get(url)]
    return candidates.find(place => place?.sha256 === sha256) ?? null
  }
}

/** Where the raw store has each document, if its bytes ever came from its address; of several places, one that was read. */
async function findEver(db: Db, documents: readonly RawDocument[]): Promise<FindPlace> {
  const found = new Map<string, Place>()
  for (const urls of groupsOf(documents.map(document => document.url))) {
    const { rows } = await sql<Place>`
      select distinct on (url, sha256) raw_document.raw_id, url, sha256, retrieved_at from raw_document left join reading using (raw_id)
      where url = any(${urls}) and ${isAnswer} order by url, sha256, reading.raw_id nulls last, raw_document.raw_id`.execute(db)
    for (const row of rows) found.set(`${row.url} ${row.sha256}`, row)
  }
  return ({ url, sha256 }) => found.get(`${url} ${sha256}`) ?? null
}

function* groupsOf(urls: readonly string[]): Generator<string[]> {
  const different = [...new Set(urls)]
  for (let from = 0; from < different.length; from += lookupRows) yield different.slice(from, from + lookupRows)
}

/**
 * Stores what the raw store does not have yet; returns all of `unread` with their numbers, in their order. Before them come documents that
 * earlier came from the same addresses and were never read, so that versions are read in the order of their retrieval.
 */
export async function keepUnread(db: Db, raw: RawStore, unread: readonly Unread[]): Promise<HeldDocument[]> {
  const earlier = await findEarlier(db, raw, unread)
  const kept = await raw.keep(unread.flatMap(({ raw_id, document }) => (raw_id === null ? [document] : [])))
  let next = 0
  const held = unread.map(({ raw_id, document }) => {
    const number = raw_id ?? kept[next++]?.raw_id
    if (number === undefined) throw new TypeError(`${document.url}: the raw store returned no number for it`)
    return { raw_id: number, document }
  })
  return [...earlier, ...held]
}

/** Documents without a reading that were stored before one of `unread` from the same address. */
async function findEarlier(db: Db, raw: RawStore, unread: readonly Unread[]): Promise<HeldDocument[]> {
  const before = new Map<string, number>()
  const mine = new Set<number>()
  for (const { raw_id, document } of unread) {
    before.set(document.url, Math.max(before.get(document.url) ?? 0, raw_id ?? Number.POSITIVE_INFINITY))
    if (raw_id !== null) mine.add(raw_id)
  }
  const earlier: HeldDocument[] = []
  for (const urls of groupsOf([...before.keys()])) {
    const rows = await db
      .selectFrom('raw_document')
      .select(['raw_id', 'url', 'source', 'sha256', 'retrieved_at'])
      .where('url', 'in', urls)
      .where(isAnswer)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('reading').select('reading.raw_id').whereRef('reading.raw_id', '=', 'raw_document.raw_id'))),
      )
      .orderBy('raw_id')
      .execute()
    for (const { raw_id, url, source, sha256, retrieved_at } of rows)
      if (!mine.has(raw_id) && raw_id < (before.get(url) ?? 0))
        earlier.push({ raw_id, document: { ...(await raw.read(sha256)), url, source, retrieved_at } })
  }
  return earlier.sort((a, b) => a.raw_id - b.raw_id)
}
