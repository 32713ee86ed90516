// The pack format: append-only files of raw documents, each record self-describing and hashed, so that the packs alone
// rebuild the index. A record is one line, a JSON header and the zstd body:
//   CFRAW1 <header bytes> <body bytes> <sha256 of header and body>\n<header><body>\n
// A body that some record already holds is not written again: its record has 0 body bytes and the header has the hash.
import { createHash, subtle } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import { Broken, Upstream } from '#schemas/errors.ts'
import type { RawDocument } from '#schemas/raw.ts'
import { syncFolder } from '../sync-folder.ts'

const magic = 'CFRAW1'
/** Bytes after which a writer starts a new pack. */
const packLimit = 256 * 1024 * 1024
const lineLimit = 128

/** A document, and whether its record gets the body. */
export type PackedDocument = { readonly document: RawDocument; readonly withBody: boolean }
type PackHeader = Omit<RawDocument, 'body'> & { readonly bytes: number }
export type PackEntry = { readonly pack: string; readonly pack_offset: number; readonly header: PackHeader; readonly holdsBody: boolean }

/** A record as the index names it, with the SHA-256 of its body. */
export type IndexedRecord = { readonly offset: number; readonly sha256: string }

export const sha256Hex = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

/** Bytes from which hashing and unpacking in another thread takes less of this one than the change of threads. */
const otherThreadBytes = 64 * 1024
const decompress = promisify(zstdDecompress)
/** In one step: by default, each 16 KiB of the result come back to this thread, which takes as long as unpacking them here. */
const unpack = (packed: Buffer, bytes: number): Promise<Buffer<ArrayBuffer>> => decompress(packed, { chunkSize: bytes + 1 })
/** As `sha256Hex`, in another thread if the bytes are many. */
const sha256Of = async (bytes: Buffer<ArrayBuffer>): Promise<string> =>
  bytes.length < otherThreadBytes ? sha256Hex(bytes) : Buffer.from(await subtle.digest('SHA-256', bytes)).toString('hex')

/** The bytes of one record. `withBody` is false if an earlier record has the same body. */
export function encodeRecord(document: RawDocument, withBody: boolean): Buffer {
  const { body, ...rest } = document
  const header = Buffer.from(JSON.stringify({ ...rest, bytes: body.byteLength } satisfies PackHeader))
  const packed = withBody ? zstdCompressSync(body) : Buffer.alloc(0)
  const hash = createHash('sha256').update(header).update(packed).digest('hex')
  return Buffer.concat([Buffer.from(`${magic} ${header.length} ${packed.length} ${hash}\n`), header, packed, Buffer.from('\n')])
}

/** The records of documents, one after the other, and the entry of each; the first record begins at `offset` of its pack. */
export function encodeRecords(
  documents: readonly PackedDocument[],
  offset = 0,
): { readonly bytes: Buffer; readonly entries: readonly Omit<PackEntry, 'pack'>[] } {
  const records = documents.map(({ document, withBody }) => encodeRecord(document, withBody))
  let at = offset
  const entries = documents.map(({ document: { body, ...rest }, withBody }, index) => {
    const entry = { pack_offset: at, header: { ...rest, bytes: body.byteLength }, holdsBody: withBody }
    at += (records[index] as Buffer).length
    return entry
  })
  return { bytes: Buffer.concat(records), entries }
}

/** The bytes of a pack: a file, or an object of the bucket. `size` is infinite if only a read can show where the pack ends. */
export type PackBytes = {
  readonly size: number
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>
  close(): Promise<void>
}

async function openFile(path: string): Promise<PackBytes> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    return { size, read: (buffer, offset, length, position) => file.read(buffer, offset, length, position), close: () => file.close() }
  } catch (error) {
    await file.close()
    throw error
  }
}

type Frame = { readonly headerBytes: number; readonly bodyBytes: number; readonly hash: string; readonly start: number; readonly end: number }

/** The frame at `offset`, or null if the file ends or is truncated there. */
async function readFrame(file: PackBytes, offset: number): Promise<Frame | null> {
  const line = Buffer.alloc(lineLimit)
  const { bytesRead } = await file.read(line, 0, lineLimit, offset)
  const end = line.subarray(0, bytesRead).indexOf(10)
  const match = end < 0 ? null : /^CFRAW1 (\d{1,9}) (\d{1,12}) ([0-9a-f]{64})$/.exec(line.toString('latin1', 0, end))
  if (!match) return null
  const headerBytes = Number(match[1])
  const bodyBytes = Number(match[2])
  const start = offset + end + 1
  const frameEnd = start + headerBytes + bodyBytes + 1
  return frameEnd > file.size ? null : { headerBytes, bodyBytes, hash: match[3] as string, start, end: frameEnd }
}

async function readChecked(file: PackBytes, frame: Frame, where: string): Promise<{ header: PackHeader; packed: Buffer }> {
  const bytes = Buffer.alloc(frame.headerBytes + frame.bodyBytes)
  await file.read(bytes, 0, bytes.length, frame.start)
  if ((await sha256Of(bytes)) !== frame.hash) throw new Broken(`raw pack ${where}: the record's SHA-256 differs from its own; the file was damaged`)
  return { header: JSON.parse(bytes.toString('utf8', 0, frame.headerBytes)) as PackHeader, packed: bytes.subarray(frame.headerBytes) }
}

/** The document of a record that holds its body. Throws `Broken` if a byte of it changed. */
export async function readRecord(folder: string, pack: string, offset: number): Promise<RawDocument> {
  return await usingFile(join(folder, pack), file => readRecordOf(file, pack, offset))
}

async function usingFile<T>(path: string, use: (file: PackBytes) => Promise<T>): Promise<T> {
  const file = await openFile(path)
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}

/** As `readRecord`, of a pack that is open. */
export async function readRecordOf(file: PackBytes, pack: string, offset: number): Promise<RawDocument> {
  const where = `${pack}@${offset}`
  const { header, packed } = await readChecked(file, await frameAt(file, offset, where), where)
  if (packed.length === 0 && header.bytes > 0) throw new Broken(`raw pack ${where}: the record holds no body`)
  const body =
    packed.length === 0 ? Buffer.alloc(0) : header.bytes < otherThreadBytes ? zstdDecompressSync(packed) : await unpack(packed, header.bytes)
  if ((await sha256Of(body)) !== header.sha256) throw new Broken(`raw pack ${where}: the body's SHA-256 is not ${header.sha256}`)
  const { bytes: _bytes, ...rest } = header
  return { ...rest, body }
}

async function frameAt(file: PackBytes, offset: number, where: string): Promise<Frame> {
  const frame = await readFrame(file, offset)
  if (!frame) throw new Broken(`raw pack ${where}: no record begins there; the file was damaged or cut`)
  return frame
}

/** All bytes of the record at `offset`, and the hash of its body. Throws `Broken` if a byte of it changed. */
async function readWhole(file: PackBytes, offset: number, where: string): Promise<{ readonly bytes: Buffer; readonly sha256: string }> {
  const frame = await frameAt(file, offset, where)
  const { header } = await readChecked(file, frame, where)
  const bytes = Buffer.alloc(frame.end - offset)
  await file.read(bytes, 0, bytes.length, offset)
  return { bytes, sha256: header.sha256 }
}

/** The records at `offsets` that are damaged. Throws the system's error if the pack cannot be opened. */
export async function findDamagedRecords(folder: string, pack: string, offsets: readonly number[], signal?: AbortSignal): Promise<number[]> {
  return await usingFile(join(folder, pack), file => damagedRecordsOf(file, pack, offsets, signal))
}

/** As `findDamagedRecords`, of a pack that is open. */
export async function damagedRecordsOf(file: PackBytes, pack: string, offsets: readonly number[], signal?: AbortSignal): Promise<number[]> {
  const damaged: number[] = []
  for (const offset of offsets) {
    signal?.throwIfAborted()
    await readWhole(file, offset, `${pack}@${offset}`).catch((error: unknown) => {
      if (!(error instanceof Broken)) throw error
      damaged.push(offset)
    })
  }
  return damaged
}

/** One sentence about damaged records of a pack; null if there are none. */
export const describeDamage = ([first, ...more]: readonly number[]): string | null =>
  first === undefined ? null : `the record at byte ${first} differs from its SHA-256${more.length === 0 ? '' : `, and ${more.length} more`}`

/**
 * Overwrites the damaged records of a pack, in place, because a worker may be appending to it, and syncs them. `copy`: a pack that has the
 * same records at the same offsets. Returns the offsets at which the copy has no whole record with the expected body.
 */
export async function fixRecords(folder: string, pack: string, damaged: readonly IndexedRecord[], copy: string): Promise<number[]> {
  const left: number[] = []
  await usingFile(copy, async from => {
    const to = await open(join(folder, pack), constants.O_RDWR | constants.O_CREAT, 0o644)
    try {
      for (const { offset, sha256 } of damaged) {
        const whole = await readWhole(from, offset, `${pack}@${offset}`).catch((error: unknown) => {
          if (!(error instanceof Broken)) throw error
          return null
        })
        if (whole?.sha256 === sha256) await writeAll(to, whole.bytes, offset)
        else left.push(offset)
      }
      await to.sync()
    } finally {
      await to.close()
    }
  })
  await syncFolder(folder)
  return left
}

/** The end of the record at `offset`. Throws `Broken` if no whole record begins there. */
export async function recordEnd(folder: string, pack: string, offset: number): Promise<number> {
  return await usingFile(join(folder, pack), async file => (await frameAt(file, offset, `${pack}@${offset}`)).end)
}

/**
 * Every whole record of a pack from `offset` on, in order; a truncated end, as a killed writer leaves it, ends the iteration. Throws
 * `Broken` if a record inside was damaged; with `onDamage`, it is called with the reason instead, and the iteration continues behind.
 */
export async function* walkPack(folder: string, pack: string, offset = 0, onDamage?: (reason: string) => void): AsyncGenerator<PackEntry> {
  const file = await openFile(join(folder, pack))
  try {
    let at = offset
    for (;;) {
      for (let frame = await readFrame(file, at); frame; frame = await readFrame(file, at)) {
        const read = await readChecked(file, frame, `${pack}@${at}`).catch((error: unknown) => {
          if (!(error instanceof Broken) || onDamage === undefined) throw error
          onDamage(error.message)
          return null
        })
        if (read) yield { pack, pack_offset: at, header: read.header, holdsBody: frame.bodyBytes > 0 || read.header.bytes === 0 }
        at = frame.end
      }
      // A killed writer leaves one truncated record at the end. Whole records after a broken one mean damage.
      const behind = at < file.size ? await findFrame(file, at + 1) : null
      if (behind === null) return
      const reason = `raw pack ${pack}@${at}: the record is damaged, and whole records follow at ${behind}`
      if (onDamage === undefined) throw new Broken(reason, { hint: 'restore the pack from a backup' })
      onDamage(reason)
      at = behind
    }
  } finally {
    await file.close()
  }
}

/** The beginning of the next whole record at or after `from`; null if there is none. */
async function findFrame(file: PackBytes, from: number): Promise<number | null> {
  const step = 4 * 1024 * 1024
  const window = Buffer.alloc(step + lineLimit)
  for (let at = from; at < file.size; at += step) {
    const { bytesRead } = await file.read(window, 0, window.length, at)
    const part = window.subarray(0, bytesRead)
    for (let found = part.indexOf(magic); found >= 0 && found < step; found = part.indexOf(magic, found + 1)) {
      if (await readFrame(file, at + found)) return at + found
    }
  }
  return null
}

/** The packs of a folder, oldest name first (a name begins with its time). */
export async function listPacks(folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  return (await readdir(folder)).filter(name => name.endsWith('.pack')).sort()
}

export type PackWriter = {
  /** Appends and fsyncs; on return the documents survive a power cut. Returns the position of each. One call at a time. */
  append(documents: readonly PackedDocument[]): Promise<PackEntry[]>
  close(): Promise<void>
}

/** Writes every byte: a nearly full disk may accept only some of them and report success. */
async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done)
    if (bytesWritten === 0) throw new Error('nothing could be written')
    done += bytesWritten
  }
}

/**
 * Deletes a pack that ends within its first record, of `length` bytes: on a full disk each attempt would leave one, and use up what is
 * freed. A pack with a whole record is kept, because another process may have indexed that.
 */
async function removeTorn(path: string, length: number): Promise<void> {
  try {
    if ((await stat(path)).size < length) await unlink(path)
  } catch (error) {
    // The failed write is the error to report.
    console.error(error)
  }
}

/** A writer with a separate pack, so that two processes never append to one file and a truncated end is never appended to. */
export function createPackWriter(folder: string, nameOf: () => string, crashPoint: (name: string) => void = () => {}): PackWriter {
  let file: FileHandle | null = null
  let pack = ''
  let offset = 0
  async function start(): Promise<FileHandle> {
    await mkdir(folder, { recursive: true })
    pack = `${nameOf()}.pack`
    const handle = await open(join(folder, pack), 'wx')
    try {
      await syncFolder(folder)
    } catch (error) {
      await handle.close()
      throw error
    }
    offset = 0
    return handle
  }
  return {
    async append(documents) {
      if (documents.length === 0) return []
      if (file && offset > packLimit) {
        await file.close()
        file = null
      }
      file ??= await start()
      const { bytes, entries } = encodeRecords(documents, offset)
      try {
        await writeAll(file, bytes, offset)
        crashPoint('raw-written')
        await file.datasync()
      } catch (cause) {
        // A failed fsync is not retried: the content of the file is unknown after it, so the next append writes to a new file.
        await file.close().catch(closing => console.error(closing))
        file = null
        if (offset === 0) await removeTorn(join(folder, pack), entries[1]?.pack_offset ?? bytes.length)
        // The document is requested again when there is space: the attempt is retried, not failed.
        const why = cause instanceof Error ? cause.message : String(cause)
        throw new Upstream(`raw pack ${pack}: writing failed, so the response is not kept: ${why}`, {
          cause,
          hint: 'free space or check the disk',
        })
      }
      offset += bytes.length
      const name = pack
      return entries.map(entry => ({ ...entry, pack: name }))
    },
    async close() {
      await file?.close()
      file = null
    },
  }
}
