// Builds of the model of prices. A build is a manifest, named by its SHA-256 and registered in Postgres, and the parts that it lists,
// oldest first. A release adds a small part with its changes. A part that is a quarter as large as the one before it is merged into it, so
// that the number of parts grows with the logarithm of the size, and the largest is rewritten after some hundred days of the market.
import { hash, randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { Damaged } from '#schemas/errors.ts'
import { Count } from '#schemas/values.ts'
import { type Catalogue, loadCatalogue, versionAt } from '../../store/lake/catalogue.ts'
import type { LakeWriter } from '../../store/lake/compact.ts'
import type { Remote, RemoteFile } from '../../store/lake/remote.ts'
import { isMomentary } from '../../store/lake/verifier.ts'
import type { Db } from '../../store/postgres.ts'
import { modelsFolder, syncPath } from '../folder.ts'
import { hasSize, registerFiles, type SizedFile } from '../objects.ts'
import { type Counted, changedEntries, priceInputs } from './changes.ts'
import { mergeEntries } from './entry.ts'
import { isWholePart, type Named, type OpenPart, openPart, Part, pricesDataset, pricesModel, writePart } from './part.ts'

/** Increased with every change of the format or of the rows: a build of another definition is not read, and is built again. */
const pricesDefinition = 'prices@1'
/** A part is merged into the one before it if it has at least one in so many of its bytes. */
const mergeShare = 4

export const pricesFolder = (data: string): string => join(modelsFolder(data), pricesModel)
export const manifestPath = (data: string, sha256: string): string => join(pricesFolder(data), `${sha256}.json`)
export const partPath = (data: string, sha256: string): string => join(pricesFolder(data), `${sha256}.part`)

const Manifest = z.strictObject({ definition: z.literal(pricesDefinition), release: Count, bars: Count, parts: z.array(Part) })
export type Manifest = z.infer<typeof Manifest>
export type PriceBuild = {
  readonly release: number
  readonly sha256: string
  readonly rows: number
  readonly bytes: number
  readonly built_at: string
  readonly build_ms: number
}
/** `report` is called with a line about the progress of a long build. */
type Tools = { readonly db: Db; readonly writer: LakeWriter; readonly report?: (line: string) => void }

/** The newest registered build; null if there is none. */
export async function findPriceBuild(db: Db): Promise<PriceBuild | null> {
  const row = await db
    .selectFrom('model_build')
    .select(['release', 'sha256', 'rows', 'bytes', 'built_at', 'build_ms'])
    .where('model', '=', pricesModel)
    .where('definition', '=', pricesDefinition)
    .orderBy('release', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

/** The release of the model's inputs that a catalogue has; 0 before they have any. */
export const priceRelease = (catalogue: Catalogue): number => versionAt(catalogue, priceInputs, catalogue.release).release

/** A build's manifest and a part, for the bucket of a lake. The SHA-256 of a part is that of its index. */
export const manifestFile = (data: string, sha256: string): RemoteFile => ({ dataset: pricesDataset, sha256, path: manifestPath(data, sha256) })
export const partFile = (data: string, part: Part): RemoteFile => ({
  dataset: pricesDataset,
  sha256: part.sha256,
  path: partPath(data, part.sha256),
  isWhole: path => isWholePart(path, part),
})

/** Runs `read`, and again after the file was downloaded if it is damaged or missing here and there is a bucket. */
async function withFile<T>(remote: Remote | null, file: RemoteFile, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (remote === null || !(error instanceof Damaged)) throw error
    await remote.fetch(file)
    return await read()
  }
}

/**
 * Reads a build's manifest, which is downloaded if it is not whole here and `remote` has it. Throws `Damaged` if it is missing or its
 * content differs from its SHA-256, `Upstream` if the bucket cannot be read now.
 */
export async function readManifest(data: string, sha256: string, remote: Remote | null = null): Promise<Manifest> {
  return await withFile(remote, manifestFile(data, sha256), () => readManifestHere(data, sha256))
}

async function readManifestHere(data: string, sha256: string): Promise<Manifest> {
  const bytes = await readFile(manifestPath(data, sha256)).catch((cause: unknown) => {
    if (isMomentary(cause)) throw cause
    throw new Damaged(pricesDataset, 'its manifest is missing or cannot be read', { cause })
  })
  if (hash('sha256', bytes) !== sha256) throw new Damaged(pricesDataset, 'its manifest differs from its SHA-256')
  return Manifest.parse(JSON.parse(bytes.toString()))
}

/** Opens the parts of a manifest. Throws `Damaged` if one is missing or its index is wrong, after it was downloaded from `remote`. */
export async function openParts(data: string, parts: readonly Part[], remote: Remote | null = null): Promise<OpenPart[]> {
  const open: OpenPart[] = []
  try {
    for (const part of parts) open.push(await withFile(remote, partFile(data, part), () => openHere(data, part)))
    return open
  } catch (error) {
    await closeParts(open)
    throw error
  }
}
const openHere = (data: string, part: Part): Promise<OpenPart> =>
  openPart(partPath(data, part.sha256), part).catch((cause: unknown) => {
    if (cause instanceof Damaged || isMomentary(cause)) throw cause
    throw new Damaged(pricesDataset, 'one of its files is missing or cannot be read', { cause })
  })
export const closeParts = async (parts: readonly OpenPart[]): Promise<void> => void (await Promise.all(parts.map(part => part.close())))

/**
 * Builds the model of the newest release from the newest build and what changed since, or from the whole lake if there is no build. Returns
 * the build, also if it exists already, and null for a lake without prices. Of the newest build, only what is merged is read; it is
 * downloaded if it is not here. Throws `Damaged` if an older build cannot be continued, `Upstream` if its files cannot be uploaded.
 */
export async function buildPrices({ db, writer, report = () => {} }: Tools): Promise<PriceBuild | null> {
  const begun = performance.now()
  const { remote = null } = writer
  const catalogue = await loadCatalogue(db)
  const release = priceRelease(catalogue)
  if (release === 0) return null
  const before = await findPriceBuild(db)
  if (before?.release === release) return before
  const held = before === null ? null : await readManifest(writer.data, before.sha256, remote)
  const counted: Counted = { bars: held?.bars ?? 0 }
  const parts = [...(held?.parts ?? [])]
  const added = await keepPart(writer, reported(changedEntries(catalogue, writer, held?.release ?? 0, counted), counted, report))
  if (added) parts.push(added)
  await mergeTail(writer, parts)
  const content = JSON.stringify({ definition: pricesDefinition, release, bars: counted.bars, parts } satisfies Manifest)
  const sha256 = hash('sha256', content)
  await keepFile(writer, async path => {
    await writeFile(path, content, { flush: true })
    return { target: manifestPath(writer.data, sha256), value: sha256 }
  })
  const files = [...parts.map(part => ({ ...partFile(writer.data, part), bytes: part.bytes })), manifestOf(writer.data, sha256, content)]
  if (remote !== null) {
    await storeBuild(remote, files, new Set(held?.parts.map(part => part.sha256)))
    writer.crashPoint?.('model-uploaded')
  }
  const row = {
    model: pricesModel,
    definition: pricesDefinition,
    release,
    as_of: '',
    sha256,
    bytes: files.reduce((sum, file) => sum + file.bytes, 0),
    rows: counted.bars,
    // Its receipts name the documents that the lake has.
    origins_sha256: sha256,
    origins_bytes: 0,
    sources: JSON.stringify([]),
    build_ms: Math.round(performance.now() - begun),
  }
  await registerFiles(db, remote, files, on =>
    on
      .insertInto('model_build')
      .values(row)
      .onConflict(conflict => conflict.doNothing())
      .execute(),
  )
  return await findPriceBuild(db)
}

/** Bars between two lines about the progress of a build. */
const reportedBars = 10_000_000
async function* reported(entries: AsyncGenerator<Named>, counted: Counted, report: (line: string) => void): AsyncGenerator<Named> {
  const first = counted.bars
  let next = first + reportedBars
  for await (const entry of entries) {
    yield entry
    if (counted.bars < next) continue
    report(`${pricesModel}: ${(counted.bars - first).toLocaleString('en-US')} bars are written`)
    next = counted.bars + reportedBars
  }
}

const manifestOf = (data: string, sha256: string, content: string): SizedFile => ({
  ...manifestFile(data, sha256),
  bytes: Buffer.byteLength(content),
})

/** Uploads the files of a build. Those of the build before (`kept`, by SHA-256) are in the bucket, and are uploaded only if they are not. */
async function storeBuild(remote: Remote, files: readonly SizedFile[], kept: ReadonlySet<string>): Promise<void> {
  for (const file of files) {
    if (kept.has(file.sha256) && (await hasSize(remote, file))) continue
    if (file.isWhole !== undefined && !(await file.isWhole(file.path)))
      throw new Damaged(pricesDataset, 'one of its files is missing from the bucket, and not whole here')
    await remote.store(file, file.bytes)
  }
}

/** Merges the newest parts while they are large enough. */
async function mergeTail(writer: LakeWriter, parts: Part[]): Promise<void> {
  for (;;) {
    const [older, newer] = parts.slice(-2)
    if (!older || !newer || newer.bytes * mergeShare < older.bytes) return
    const open = await openParts(writer.data, [older, newer], writer.remote)
    try {
      const merged = await keepPart(writer, mergedEntries(open[0] as OpenPart, open[1] as OpenPart))
      parts.splice(-2, 2, merged as Part)
    } finally {
      await closeParts(open)
    }
  }
}

async function* mergedEntries(older: OpenPart, newer: OpenPart): AsyncGenerator<Named> {
  const [a, b] = [older.entries(), newer.entries()]
  let [left, right] = [await a.next(), await b.next()]
  while (!left.done || !right.done) {
    const order = left.done ? 1 : right.done ? -1 : left.value.symbol < right.value.symbol ? -1 : left.value.symbol > right.value.symbol ? 1 : 0
    if (order === 0) yield { symbol: (left.value as Named).symbol, bytes: mergeEntries((left.value as Named).bytes, (right.value as Named).bytes) }
    else yield (order < 0 ? left.value : right.value) as Named
    if (order <= 0) left = await a.next()
    if (order >= 0) right = await b.next()
  }
}

/** Writes a part under its name, so that it survives a power cut before a manifest names it; null for no entries. */
async function keepPart(writer: LakeWriter, entries: AsyncIterable<Named>): Promise<Part | null> {
  return await keepFile(writer, async path => {
    const part = await writePart(path, entries)
    return part && { target: partPath(writer.data, part.sha256), value: part }
  })
}

/** Runs `write` on a new path of the stage folder and moves the file to the `target` that it returns; null deletes the file. */
async function keepFile<T>(
  writer: LakeWriter,
  write: (path: string) => Promise<{ readonly target: string; readonly value: T } | null>,
): Promise<T | null> {
  const folder = pricesFolder(writer.data)
  await mkdir(folder, { recursive: true })
  const staged = join(writer.stageFolder, `prices-${randomBytes(8).toString('hex')}.tmp`)
  try {
    const written = await write(staged)
    writer.crashPoint?.('prices-written')
    if (written === null) return null
    // A damaged file of that name is replaced.
    await rename(staged, written.target)
    for (const each of [folder, modelsFolder(writer.data), writer.data]) await syncPath(each)
    writer.crashPoint?.('prices-kept')
    return written.value
  } finally {
    await rm(staged, { force: true })
  }
}
