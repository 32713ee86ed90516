// Answers questions from raw documents alone: they are parsed and derived again, into a lake in memory. Receipts of one run share parsed
// documents, the derived listings, and the derived rows of equal lists of documents.
import type { DuckDBInstance } from '@duckdb/node-api'
import { cacheLimits } from '#schemas/cache-limits.ts'
import { Broken, NotFound, Upstream } from '#schemas/errors.ts'
import type { DatasetName } from '#schemas/index.ts'
import type { RawDocument } from '#schemas/raw.ts'
import { buildPayload, type LakeOperation } from '#warehouse/answers/index.ts'
import { contextOf } from '#warehouse/context/release-contexts.ts'
import { openDuckdb } from '#warehouse/store/duckdb.ts'
import { type MemoryLake, openMemoryLake } from '#warehouse/store/lake/memory.ts'
import type { Reader } from '../read/parsed.ts'
import { derive } from './derive.ts'
import { readDocument } from './read-document.ts'
import type { Decisions, ParsedDocument } from './types.ts'

/** A document with its place in the order of reading. */
export type Placed = {
  readonly raw_id: number
  readonly sha256: string
  readonly url: string
  readonly retrieved_at: string
  readonly bytes: number
  /** The release that read it first; without a database, a number in the order of reading. */
  readonly release: number
  readonly reader: string
}

/** Where documents come from: the database with its raw store, or packs alone. */
export type DocumentSource = {
  /** Documents of these hashes, and those of the listings, that an answer of the release was made from, in the order of their reading. */
  documents(hashes: readonly string[], at: { readonly release: number; readonly as_of: string }): Promise<readonly Placed[]>
  /** Throws `Upstream` if the bytes here are damaged or missing. */
  read(sha256: string): Promise<RawDocument>
  decisions(): Promise<Decisions>
  /** When releases up to this one were committed; none without a database. */
  committed(release: number): Promise<ReadonlyMap<number, string>>
}

export type Question = {
  readonly operation: LakeOperation
  readonly question: object
  readonly release: number
  readonly as_of: string
}

/** Listings and the issuer map resolve symbols for every question. */
const listingSources = new Set(['nasdaqtrader', 'tsx', 'tmx', 'symbol-list'])
export const isListingReader = ({ source, name }: Pick<Reader, 'source' | 'name'>): boolean =>
  listingSources.has(source) || /symbol|ticker|director/.test(name)

/** File system errors about one file that a retry does not fix. */
const fileFaults = new Set(['ENOENT', 'EACCES', 'EPERM', 'EIO', 'EISDIR', 'ELOOP', 'ENOTDIR'])

/** `read`, with `Upstream` that names the document if its bytes here are damaged or missing. */
async function readHeld(read: (sha256: string) => Promise<RawDocument>, sha256: string): Promise<RawDocument> {
  try {
    return await read(sha256)
  } catch (cause) {
    const code = String((cause as NodeJS.ErrnoException).code)
    const fault =
      cause instanceof Broken || cause instanceof NotFound ? cause.message : fileFaults.has(code) ? `its pack cannot be read (${code})` : null
    if (fault === null) throw cause
    throw new Upstream(`not tried: the raw document ${sha256} is damaged on this server: ${fault}`, {
      cause,
      hint: 'crossfile doctor lists damaged packs, crossfile repair --from PLACE repairs them',
    })
  }
}

export type Reanswering = {
  /** The payload from the documents, each batch derived in the order of the releases; null if nothing is known of the subject. */
  exactly(documents: readonly Placed[], question: Question): Promise<Buffer | null>
  /** As `exactly`, with listings and rows that earlier questions derived. Questions must come in the order of their releases. */
  shared(documents: readonly Placed[], question: Question): Promise<Buffer | null>
  /** Documents that were parsed so far, and requests for a parsed document that was kept. */
  readonly counts: { parsed: number; reused: number; derived: number; rows_reused: number }
  close(): Promise<void>
}

type Tools = { readonly readers: readonly Reader[]; readonly stageFolder: string; readonly source: DocumentSource }

/** Opens what a run of questions needs; `close` it after the last one. */
export async function openReanswering(tools: Tools): Promise<Reanswering> {
  const instance = await openDuckdb({ memoryLimit: '512MB', threads: 1, tempFolder: '', folders: [tools.stageFolder] })
  return new Reanswers(tools, instance, await tools.source.decisions())
}

class Reanswers implements Reanswering {
  readonly counts = { parsed: 0, reused: 0, derived: 0, rows_reused: 0 }
  readonly #tools: Tools
  readonly #instance: DuckDBInstance
  readonly #decisions: Decisions
  readonly #parsed = new Map<string, { readonly document: ParsedDocument; readonly bytes: number }>()
  #parsedBytes = 0
  /** The derived listings, and the documents that are in them. */
  #listings: { readonly lake: MemoryLake; readonly done: string[] } | null = null
  /** The rows of the last list of documents. */
  #last: { readonly key: string; readonly lake: MemoryLake } | null = null

  constructor(tools: Tools, instance: DuckDBInstance, decisions: Decisions) {
    this.#tools = tools
    this.#instance = instance
    this.#decisions = decisions
  }

  async exactly(documents: readonly Placed[], question: Question): Promise<Buffer | null> {
    const memory = await openMemoryLake(this.#instance, this.#tools.stageFolder)
    try {
      await this.#derive(memory, documents, question.release)
      return await this.#answer(memory, documents, question)
    } finally {
      await memory.drop()
      memory.close()
    }
  }

  async shared(documents: readonly Placed[], question: Question): Promise<Buffer | null> {
    const isListing = new Set(this.#tools.readers.filter(isListingReader).map(reader => reader.name))
    const listings = documents.filter(each => isListing.has(each.reader))
    const key = documents.map(placeOf).join('\n')
    if (this.#last?.key === key) this.counts.rows_reused += 1
    else {
      await this.#closeLast()
      const base = await this.#listingsOf(listings, question.release)
      const lake = await base.fork()
      this.#last = { key, lake }
      await this.#derive(
        lake,
        documents.filter(each => !isListing.has(each.reader)),
        question.release,
      )
    }
    return await this.#answer(this.#last?.lake as MemoryLake, documents, question)
  }

  async close(): Promise<void> {
    await this.#closeLast()
    this.#listings?.lake.close()
    this.#instance.closeSync()
  }

  /** The listings derived so far, continued with the documents that come after them; from the beginning if they are no continuation. */
  async #listingsOf(listings: readonly Placed[], release: number): Promise<MemoryLake> {
    const places = listings.map(placeOf)
    const isContinued = this.#listings?.done.every((place, at) => places[at] === place) ?? false
    if (!this.#listings || !isContinued) {
      await this.#listings?.lake.drop()
      this.#listings?.lake.close()
      this.#listings = { lake: await openMemoryLake(this.#instance, this.#tools.stageFolder), done: [] }
    }
    const { lake, done } = this.#listings
    await this.#derive(lake, listings.slice(done.length), release)
    done.push(...places.slice(done.length))
    return lake
  }

  async #derive(memory: MemoryLake, documents: readonly Placed[], release: number): Promise<void> {
    const committed = await this.#tools.source.committed(Math.max(release, 1))
    for (const [number, batch] of [...Map.groupBy(documents, each => each.release)].sort(([a], [b]) => a - b)) {
      const read: ParsedDocument[] = []
      for (const place of batch) {
        const document = await this.#parse(place)
        if (document) read.push(document)
      }
      this.counts.derived += 1
      const derived = await derive(read, memory.at(number), this.#decisions)
      for (const [name, rows] of derived.rows)
        if (rows.length > 0) await memory.add(name as DatasetName, rows, { release: number, committed_at: committed.get(number) ?? '' })
    }
  }

  async #parse(place: Placed): Promise<ParsedDocument | null> {
    const key = placeOf(place)
    const held = this.#parsed.get(key)
    if (held) {
      this.counts.reused += 1
      // The most recently used is last.
      this.#parsed.delete(key)
      this.#parsed.set(key, held)
      return held.document
    }
    const origin = { ...(await readHeld(sha256 => this.#tools.source.read(sha256), place.sha256)), url: place.url, retrieved_at: place.retrieved_at }
    this.counts.parsed += 1
    const { parsed } = readDocument(this.#tools.readers, { raw_id: place.raw_id, document: origin })
    if (!parsed) return null
    const document = { origin, parsed }
    this.#parsed.set(key, { document, bytes: place.bytes })
    this.#parsedBytes += place.bytes
    for (const [oldest, { bytes }] of this.#parsed) {
      if (this.#parsedBytes <= cacheLimits.reproducedDocumentBytes) break
      this.#parsed.delete(oldest)
      this.#parsedBytes -= bytes
    }
    return document
  }

  async #answer(memory: MemoryLake, documents: readonly Placed[], { operation, question, release, as_of }: Question): Promise<Buffer | null> {
    const committed = (await this.#tools.source.committed(Math.max(release, 1))).get(release)
    const lake = memory.at(documents.reduce((newest, each) => Math.max(newest, each.release), 0))
    // The answer is dated by the statement: the catalogue, not the documents, records which release changed what.
    const dated = { ...lake, release, versionOf: () => ({ release, committed_at: committed ?? as_of }) }
    const context = await contextOf(dated, 'as_of' in question && typeof question.as_of === 'string' ? question.as_of : null)
    const answer = await buildPayload(operation, context, question as never, as_of)
    return answer?.payload ?? null
  }

  async #closeLast(): Promise<void> {
    await this.#last?.lake.drop()
    this.#last = null
  }
}

const placeOf = ({ sha256, url, retrieved_at, release }: Placed): string => `${release} ${sha256} ${retrieved_at} ${url}`
