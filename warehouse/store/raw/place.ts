// Where raw documents are: packs in a folder, and, with a lake in a bucket, packs that are objects of it. An object is a whole pack of
// one write and never changes, so that every host can read it as soon as the index names it.
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Broken, StoreUnavailable } from '#schemas/errors.ts'
import type { RawDocument } from '#schemas/raw.ts'
import type { Objects, Remote } from '../lake/remote.ts'
import { turns } from '../lake/turns.ts'
import { sha256OfFile } from '../lake/verifier.ts'
import { syncFolder } from '../sync-folder.ts'
import {
  damagedRecordsOf,
  encodeRecords,
  findDamagedRecords,
  fixRecords,
  type IndexedRecord,
  type PackBytes,
  type PackWriter,
  readRecord,
  readRecordOf,
  sha256Hex,
} from './pack.ts'

/** The folder of the packs inside the data folder. */
export const rawFolder = (data: string): string => join(data, 'raw')

export type RawPlace = {
  readonly folder: string
  /** Null: every pack is in the folder. */
  readonly objects: Objects | null
}
export const rawPlace = (data: string, remote: Remote | null | undefined): RawPlace => ({
  folder: rawFolder(data),
  objects: remote?.objects ?? null,
})

const under = 'raw/'
const packObject = (pack: string): string => `${under}${pack}`
/** The SHA-256 in the name of a pack that was written as an object; null for one that was written on a disk. */
const sha256InName = (pack: string): string | null => /-([0-9a-f]{64})\.pack$/.exec(pack)?.[1] ?? null

/** Bytes of a request, of which most records are shorter. */
const windowBytes = 128 * 1024

/** A pack of the bucket, read in parts of at least 128 KiB; the last part is kept. */
function openObject(objects: Objects, pack: string): PackBytes {
  let from = 0
  let held: Buffer = Buffer.alloc(0)
  return {
    size: Number.POSITIVE_INFINITY,
    async read(buffer, offset, length, position) {
      if (position < from || position + length > from + held.length) {
        const bytes = await objects.bytes(packObject(pack), { offset: position, length: Math.max(length, windowBytes) })
        if (bytes === null)
          throw new Broken(`raw pack ${pack} is missing from ${objects.address}`, { hint: 'crossfile repair --from PLACE takes it from a backup' })
        from = position
        held = bytes
      }
      return { bytesRead: held.copy(buffer, offset, position - from, position - from + length) }
    },
    close: async () => undefined,
  }
}

/**
 * The document of a record, from the folder, else from the bucket. Throws `Broken` if neither has it whole, and `StoreUnavailable` if the
 * bucket cannot be read now.
 */
export async function readDocument(place: RawPlace, pack: string, offset: number): Promise<RawDocument> {
  const { folder, objects } = place
  if (objects === null) return await readRecord(folder, pack, offset)
  if (isHere(place, pack)) {
    try {
      return await readRecord(folder, pack, offset)
    } catch (error) {
      // The bucket has the same record.
      if (!(error instanceof Broken) && (error as NodeJS.ErrnoException).code === undefined) throw error
    }
  }
  const readObject = async (): Promise<RawDocument> => await readRecordOf(openObject(objects, pack), pack, offset)
  const again = async (cause: unknown): Promise<RawDocument> => {
    // Wrong bytes are requested again, before they are reported as damage: the network may have changed them.
    if (cause instanceof Broken) return await readObject()
    throw cause
  }
  return await readObject()
    .catch(again)
    .catch((cause: unknown) => {
      if (!(cause instanceof StoreUnavailable)) throw cause
      // Its text goes to clients, who need not know the bucket.
      throw new StoreUnavailable('the document cannot be read from the bucket now', { cause, hint: 'repeat the request', retryAfterSeconds: 10 })
    })
}

export const isHere = ({ folder }: RawPlace, pack: string): boolean => existsSync(join(folder, pack))

/** The records of a pack that are damaged wherever the pack is. Throws the system's error if it is in no place, or cannot be opened. */
export async function damagedRecords(place: RawPlace, pack: string, offsets: readonly number[], signal?: AbortSignal): Promise<number[]> {
  const { folder, objects } = place
  if (objects === null) return await findDamagedRecords(folder, pack, offsets, signal)
  const here = isHere(place, pack) ? await findDamagedRecords(folder, pack, offsets, signal) : offsets
  return here.length === 0 ? [] : await damagedInBucket(objects, pack, here, signal)
}

/** The records of a pack of the bucket that are damaged at two reads. */
async function damagedInBucket(objects: Objects, pack: string, offsets: readonly number[], signal?: AbortSignal): Promise<number[]> {
  const found = await damagedRecordsOf(openObject(objects, pack), pack, offsets, signal)
  return found.length === 0 ? [] : await damagedRecordsOf(openObject(objects, pack), pack, found, signal)
}

export type PackCopies = {
  /** Offsets of the damaged records in the folder, and in the bucket; null if the pack is not there. */
  readonly here: readonly number[] | null
  readonly there: readonly number[] | null
  /** Offsets of the records that no copy has whole. */
  readonly lost: readonly number[]
}
/** Reads both copies of a pack. */
export async function readCopies({ folder, objects }: RawPlace, pack: string, offsets: readonly number[]): Promise<PackCopies> {
  const here = existsSync(join(folder, pack)) ? await findDamagedRecords(folder, pack, offsets) : null
  const inBucket = objects !== null && (await findObjectPack(objects, pack)) !== null
  const there = inBucket ? await damagedInBucket(objects, pack, offsets) : null
  const damaged = [here, there].filter(copy => copy !== null).map(copy => new Set(copy))
  return { here, there, lost: offsets.filter(offset => damaged.every(copy => copy.has(offset))) }
}

/** A writer whose packs are objects, one for each call of `append`. On return the bucket has acknowledged them. */
export function createObjectWriter(objects: Objects, nameOf: () => string): PackWriter {
  return {
    async append(documents) {
      if (documents.length === 0) return []
      const { bytes, entries } = encodeRecords(documents)
      const pack = `${nameOf()}-${sha256Hex(bytes)}.pack`
      await objects.write(packObject(pack), bytes)
      return entries.map(entry => ({ ...entry, pack }))
    },
    close: async () => undefined,
  }
}

/** The size of a pack of the bucket in bytes; null if it has none. */
export const findObjectPack = async (objects: Objects, pack: string): Promise<number | null> => (await objects.facts(packObject(pack)))?.bytes ?? null

/** The packs of the bucket with their sizes in bytes, oldest name first. Each thousand costs a request. */
export async function listObjectPacks(objects: Objects): Promise<ReadonlyMap<string, number>> {
  const found: [string, number][] = []
  for await (const { name, bytes } of objects.list(under)) if (name.endsWith('.pack')) found.push([name.slice(under.length), bytes])
  return new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Downloads a pack of the bucket into a folder, under its name. Throws `Broken` if it is missing or differs from the SHA-256 in its name. */
export const fetchPack = (objects: Objects, pack: string, folder: string): Promise<void> => download(objects, pack, sha256InName(pack), folder)

/**
 * Brings a pack of the bucket with damaged records into the folder, for their repair: a record that is whole in one of the two is whole
 * there afterwards.
 */
export async function fetchDamagedPack(objects: Objects, pack: string, records: readonly IndexedRecord[], folder: string): Promise<void> {
  const copies = await mkdtemp(join(folder, 'repair-'))
  try {
    await download(objects, pack, null, copies)
    if (!existsSync(join(folder, pack))) return await rename(join(copies, pack), join(folder, pack))
    const damaged = new Set(
      await findDamagedRecords(
        folder,
        pack,
        records.map(({ offset }) => offset),
      ),
    )
    await fixRecords(
      folder,
      pack,
      records.filter(({ offset }) => damaged.has(offset)),
      join(copies, pack),
    )
  } finally {
    await rm(copies, { recursive: true, force: true })
  }
}

async function download(objects: Objects, pack: string, sha256: string | null, folder: string): Promise<void> {
  const target = join(folder, `${pack}.part`)
  try {
    await mkdir(folder, { recursive: true })
    let { outcome } = await objects.download(packObject(pack), sha256, target)
    if (outcome === 'differs') outcome = (await objects.download(packObject(pack), sha256, target)).outcome
    if (outcome !== 'whole')
      throw new Broken(`raw pack ${pack} ${outcome === 'missing' ? 'is missing from' : 'differs from its SHA-256 in'} ${objects.address}`, {
        hint: 'crossfile repair --from PLACE takes it from a backup',
      })
    await rename(target, join(folder, pack))
  } finally {
    await rm(target, { force: true })
  }
}

const transfersAtOnce = 8

/** Downloads the packs that the folder lacks. Returns their number. */
export async function fetchPacks(objects: Objects, packs: Iterable<string>, folder: string): Promise<number> {
  const inTurn = turns(transfersAtOnce)
  const missing = [...packs].filter(pack => !existsSync(join(folder, pack)))
  await Promise.all(missing.map(pack => inTurn(() => fetchPack(objects, pack, folder))))
  if (missing.length > 0) await syncFolder(folder)
  return missing.length
}

/** Writes a repaired pack of the folder over the object. */
export async function replaceObjectPack(objects: Objects, pack: string, folder: string): Promise<void> {
  await objects.write(packObject(pack), await readFile(join(folder, pack)))
}

/** Uploads a pack of the folder; one that the bucket has with the same bytes is kept. */
export async function uploadPack(objects: Objects, pack: string, folder: string): Promise<void> {
  const path = join(folder, pack)
  await objects.upload(packObject(pack), { path, sha256: await sha256OfFile(path), bytes: (await stat(path)).size })
}
