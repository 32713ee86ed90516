// Splits an archive into its documents: each member is stored raw under its own address and read by the
// reader of its kind, group by group, so that a killed attempt can resume. The archive's manifest is written last.
import { Broken, NotFound } from '#schemas/errors.ts'
import type { RawDocument } from '#schemas/raw.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { sha256Hex } from '#warehouse/store/raw/pack.ts'
import type { RawStore } from '#warehouse/store/raw/raw.ts'
import type { HttpClient } from '../../fetch/http.ts'
import { ArchiveFault } from '../../fetch/sources/unzip.ts'
import type { Upstream } from '../../fetch/sources/upstream.ts'
import type { HeldDocument } from '../../ingest/read-document.ts'
import { findRead, findUnread, keepUnread } from '../../ingest/was-read.ts'
import { manifestUrl, memberUrl } from '../../read/bulk/kinds.ts'
import { listedRefusals, type Manifest, parseManifest } from '../../read/bulk/manifest.ts'
import type { Reader } from '../../read/parsed.ts'
import type { ArchiveWanted } from '../plans/plan.ts'
import { dropSpooled, dropSpooledOf, fetchSpooled, findSpooled, quarantineSpooled, type Spooled } from './spool.ts'
import { unpackArchive } from './unpack.ts'

export type ArchiveTools = {
  readonly data: string
  readonly db: Db
  readonly readers: readonly Reader[]
  readonly raw: RawStore
  readonly http: HttpClient
  readonly upstream: Upstream
  /** Puts a document into the next batch to commit. */
  readonly take: (held: HeldDocument) => Promise<void>
  /** Commits the documents put so far. */
  readonly flush: () => Promise<void>
  readonly crashPoint: (name: string) => void
}

/** Members and bytes that are stored with one sync. */
const groupMembers = 400
const groupBytes = 16 * 1024 * 1024
/** Members of one list of the manifest. */
const listedMembers = 20_000

type Tally = {
  taken: number
  leftOut: Record<string, number>
  refused: { name: string; reason: string; detail: string }[]
  refusedMore: number
  lines: string[]
  parts: { url: string; sha256: string; members: number }[]
}

/** Reads the archive; true if it was requested over the network. Throws the network's errors. */
export async function readArchive(tools: ArchiveTools, wanted: ArchiveWanted, signal: AbortSignal): Promise<boolean> {
  const address = manifestUrl(wanted.url, wanted.archive.label)
  const before = await knownManifest(tools, address)
  if (before?.manifest.whole && wanted.final) {
    await takeUnread(tools, before)
    await dropSpooledOf(tools.data, wanted.url)
    return false
  }
  const { spooled, fetched } = await obtain(tools, wanted, before, signal)
  if (spooled === null) {
    if (before) await takeUnread(tools, before)
    return fetched
  }
  tools.crashPoint('archive-fetched')
  const tally: Tally = { taken: 0, leftOut: {}, refused: [], refusedMore: 0, lines: [], parts: [] }
  const fault = await readMembers(tools, wanted, spooled, address, tally, signal)
  await tools.flush()
  await listMembers(tools, spooled, address, tally)
  const keptAt = fault || tally.refused.length > 0 ? await quarantineSpooled(tools.data, spooled, wanted.archive.kind.packing) : null
  const manifest: Manifest = {
    archive: { url: wanted.url, sha256: spooled.facts.sha256, bytes: spooled.facts.bytes, retrieved_at: spooled.facts.retrieved_at },
    dataset: wanted.archive.kind.dataset,
    whole: fault === null,
    fault,
    taken: tally.taken,
    left_out: tally.leftOut,
    refused: tally.refused,
    refused_more: tally.refusedMore,
    kept_at: keptAt,
    parts: tally.parts,
  }
  const held = await keepOne(tools, documentOf(spooled, address, Buffer.from(`${JSON.stringify(manifest)}\n`)))
  tools.crashPoint('archive-manifest')
  await tools.take(held)
  if (keptAt === null) await dropSpooled(spooled)
  return fetched
}

type Known = { readonly manifest: Manifest; readonly held: HeldDocument }

async function knownManifest({ raw }: ArchiveTools, address: string): Promise<Known | null> {
  const kept = await raw.newest(address)
  if (!kept) return null
  const document = { ...(await raw.read(kept.sha256)), url: address, retrieved_at: kept.retrieved_at }
  return { manifest: parseManifest(document), held: { raw_id: kept.raw_id, document } }
}

/** A manifest that was stored but not committed, because the attempt was killed between the two. Its lists belong to it. */
async function takeUnread(tools: ArchiveTools, { manifest, held }: Known): Promise<void> {
  const documents: HeldDocument[] = []
  for (const { raw_id, sha256, url, retrieved_at } of (await tools.raw.held(manifest.parts.map(part => part.url))).values())
    documents.push({ raw_id, document: { ...(await tools.raw.read(sha256)), url, retrieved_at } })
  documents.push(held)
  const read = await findRead(tools, documents)
  for (const document of documents) if (!read.has(document.raw_id)) await tools.take(document)
}

/** The archive on disk: left by a killed attempt, else fetched; `spooled` is null if there is none, or none that is new. */
async function obtain(
  { data, http, upstream }: ArchiveTools,
  wanted: ArchiveWanted,
  before: Known | null,
  signal: AbortSignal,
): Promise<{ spooled: Spooled | null; fetched: boolean }> {
  const left = await findSpooled(data, wanted.url)
  if (left && left.facts.sha256 !== before?.manifest.archive.sha256) return { spooled: left, fetched: false }
  if (left) await dropSpooled(left)
  try {
    // A download that broke off is requested again, regardless of its tag.
    const spooled = await fetchSpooled(http, upstream, data, wanted.url, before?.manifest.whole ? before.held.document : null, signal)
    return { spooled, fetched: spooled !== null }
  } catch (error) {
    if (error instanceof NotFound && wanted.mayBeMissing) return { spooled: null, fetched: false }
    throw error
  }
}

/** Stores and reads every wanted member; a fault of the archive itself ends the loop and is returned. */
async function readMembers(
  tools: ArchiveTools,
  wanted: ArchiveWanted,
  spooled: Spooled,
  address: string,
  tally: Tally,
  signal: AbortSignal,
): Promise<{ reason: string; detail: string } | null> {
  let group: RawDocument[] = []
  let bytes = 0
  const settle = async (): Promise<void> => {
    await takeGroup(tools, group)
    for (const { url, sha256, body } of group) tally.lines.push(`${url.slice(url.indexOf('#') + 1)} ${sha256} ${body.byteLength}`)
    tally.taken += group.length
    group = []
    bytes = 0
    if (tally.lines.length >= listedMembers) await listMembers(tools, spooled, address, tally)
    tools.crashPoint('archive-members')
  }
  try {
    for await (const member of unpackArchive(spooled.path, wanted.archive.kind, {
      form: wanted.archive.takes,
      leftOut: reason => {
        tally.leftOut[reason] = (tally.leftOut[reason] ?? 0) + 1
      },
      refused: each => {
        if (tally.refused.length < listedRefusals) tally.refused.push({ ...each, name: printable(each.name) })
        else tally.refusedMore += 1
      },
    })) {
      signal.throwIfAborted()
      group.push(documentOf(spooled, memberUrl(wanted.url, member.name), member.bytes))
      bytes += member.bytes.byteLength
      if (group.length >= groupMembers || bytes >= groupBytes) await settle()
    }
    await settle()
    return null
  } catch (error) {
    if (!(error instanceof ArchiveFault)) throw error
    await settle()
    return { reason: error.reason, detail: error.message }
  }
}

/** A name that is safe to show and store; the characters for which it was refused are removed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed here
const printable = (name: string): string => name.slice(0, 300).replace(/[\u0000-\u001f\u007f]/g, '\ufffd')

/** Members whose bytes are already stored under their address are not stored again, and those that were read are not read again. */
async function takeGroup(tools: ArchiveTools, documents: readonly RawDocument[]): Promise<void> {
  if (documents.length === 0) return
  const held = await keepUnread(tools.db, tools.raw, await findUnread(tools, documents, 'newest'))
  for (const each of held) await tools.take(each)
}

const documentOf = ({ facts }: Spooled, url: string, body: Uint8Array): RawDocument => ({
  sha256: sha256Hex(body),
  source: facts.source,
  url,
  retrieved_at: facts.retrieved_at,
  status: 200,
  // The manifest represents the archive and carries its headers, so that the next request is conditional.
  headers: url.includes('#manifest') ? facts.headers : {},
  body,
})

async function keepOne({ raw }: ArchiveTools, document: RawDocument): Promise<HeldDocument> {
  const [kept] = await raw.keep([document])
  if (!kept) throw new Broken(`${document.url}: the raw store kept nothing`)
  return { raw_id: kept.raw_id, document }
}

/** Writes the members that are not yet listed as the manifest's next list. */
async function listMembers(tools: ArchiveTools, spooled: Spooled, address: string, tally: Tally): Promise<void> {
  if (tally.lines.length === 0) return
  const url = `${address}.${String(tally.parts.length + 1).padStart(5, '0')}`
  const { document, raw_id } = await keepOne(tools, documentOf(spooled, url, Buffer.from(`${tally.lines.join('\n')}\n`)))
  await tools.take({ raw_id, document })
  tally.parts.push({ url, sha256: document.sha256, members: tally.lines.length })
  tally.lines = []
}
