// Reads a ZIP member by member, from disk or memory, without trusting its contents (APPNOTE 6.3: central directory, ZIP64). It refuses
// members that overlap, misstate their size, exceed the ratio, share a name or are encrypted. Names are never used as paths, and
// a name that looks like a path outside the archive is refused too. Memory: one member, and 16 bytes for each of the others.
import type { FileHandle } from 'node:fs/promises'
import { crc32, inflateRawSync } from 'node:zlib'
import { firstPlace } from '#schemas/ordered.ts'

export type ArchiveCaps = {
  readonly members: number
  readonly memberBytes: number
  readonly totalBytes: number
  /** Unpacked bytes per packed byte; counted from 1 MiB of output on. */
  readonly ratio: number
}
export type Member = { readonly name: string; readonly bytes: Uint8Array }
export type RefusedMember = { readonly name: string; readonly reason: string; readonly detail: string }
/** Access to the archive's bytes: `read` returns exactly `length` bytes, or fewer at the end. */
export type ZipSource = { readonly size: number; readonly read: (offset: number, length: number) => Promise<Buffer> }

export async function zipFile(file: FileHandle): Promise<ZipSource> {
  const { size } = await file.stat()
  return {
    size,
    read: async (offset, length) => {
      const buffer = Buffer.alloc(length)
      const { bytesRead } = await file.read(buffer, 0, length, offset)
      return bytesRead === length ? buffer : buffer.subarray(0, bytesRead)
    },
  }
}
export function zipBytes(bytes: Uint8Array): ZipSource {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return { size: buffer.length, read: async (offset, length) => buffer.subarray(Math.min(offset, buffer.length), offset + length) }
}

/** Thrown if the archive as a whole cannot be read. */
export class ArchiveFault extends Error {
  readonly reason: string
  constructor(reason: string, message: string) {
    super(message)
    this.reason = reason
  }
}

type Entry = {
  readonly name: string
  readonly flags: number
  readonly method: number
  readonly crc: number
  readonly packed: number
  readonly size: number
  readonly offset: number
}
const ratioFromBytes = 1_048_576
const directoryChunk = 4_194_304

/** Why a member's name is refused: used as a path, it would leave its folder. Null for an ordinary name. */
export function nameFault(name: string): { reason: string; detail: string } | null {
  const evil =
    name === '' ||
    name.length > 1024 ||
    /^[/\\]|^[A-Za-z]:|\\/.test(name) ||
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    /[\u0000-\u001f\u007f]/.test(name) ||
    name.split('/').includes('..')
  return evil ? { reason: 'evil_name', detail: `the name ${JSON.stringify(name.slice(0, 80))} is not a plain member name` } : null
}

/** The members in the order of the central directory; those that `wants` declines are not unpacked. */
export async function* readZip(
  file: ZipSource,
  caps: ArchiveCaps,
  refused: (member: RefusedMember) => void,
  wants: (name: string) => boolean = () => true,
): AsyncGenerator<Member> {
  const directory = await findDirectory(file)
  if (directory.entries > caps.members) throw new ArchiveFault('too_many_members', `${directory.entries} members, over the limit of ${caps.members}`)
  const { starts, repeated } = await surveyOf(file, directory)
  const seen = new Set<string>()
  let total = 0
  for await (const entry of readDirectory(file, directory)) {
    if (entry.name.endsWith('/') && entry.size === 0) continue // a folder
    const fault = nameFault(entry.name) ?? (repeated.has(nameHash(entry.name)) ? repetition(entry.name, seen) : null)
    if (fault) {
      refused({ name: entry.name, ...fault })
      continue
    }
    if (!wants(entry.name)) continue
    const unpacked = await unpack(file, entry, endOf(starts, entry.offset, directory.offset), caps)
    if (!(unpacked instanceof Uint8Array)) {
      refused({ name: entry.name, ...unpacked })
      continue
    }
    total += unpacked.length
    if (total > caps.totalBytes) throw new ArchiveFault('too_large', `the members unpack to more than ${caps.totalBytes} bytes`)
    yield { name: entry.name, bytes: unpacked }
  }
}

async function readAt(file: ZipSource, offset: number, length: number): Promise<Buffer> {
  // A position beyond the end is invalid in the archive; the system call would report it as our error.
  const buffer = offset > file.size ? Buffer.alloc(0) : await file.read(offset, length)
  if (buffer.length !== length)
    throw new ArchiveFault('truncated', `the archive ends at byte ${offset + buffer.length}, ${length - buffer.length} bytes early`)
  return buffer
}

type Survey = { readonly starts: Float64Array; readonly repeated: ReadonlySet<number> }

/** Where members begin, ascending, and the hashes of names that occur more than once: numbers only, for a million members. */
async function surveyOf(file: ZipSource, directory: Directory): Promise<Survey> {
  const starts = new Float64Array(directory.entries)
  const hashes = new Float64Array(directory.entries)
  let count = 0
  for await (const entry of readDirectory(file, directory)) {
    starts[count] = entry.offset
    hashes[count] = nameHash(entry.name)
    count += 1
  }
  hashes.sort()
  const repeated = new Set<number>()
  for (let at = 1; at < count; at++) if (hashes[at] === hashes[at - 1]) repeated.add(hashes[at] as number)
  return { starts: starts.sort(), repeated }
}

/** 53 bits of FNV-1a, in two halves. Only names with equal hashes are compared further. */
function nameHash(name: string): number {
  let low = 0x811c9dc5
  let high = 0x1b873593
  for (let at = 0; at < name.length; at++) {
    low = Math.imul(low ^ name.charCodeAt(at), 0x01000193)
    high = Math.imul(high ^ name.charCodeAt(at), 0x85ebca6b) ^ (high >>> 13)
  }
  return (high & 0x1fffff) * 4_294_967_296 + (low >>> 0)
}

function repetition(name: string, seen: Set<string>): { reason: string; detail: string } | null {
  if (!seen.has(name)) {
    seen.add(name)
    return null
  }
  return { reason: 'duplicate_name', detail: 'an earlier member of the archive has this name; the first one counts' }
}

type Directory = { readonly offset: number; readonly size: number; readonly entries: number }

async function findDirectory(file: ZipSource): Promise<Directory> {
  const length = Math.min(file.size, 65_535 + 22)
  const tail = await readAt(file, file.size - length, length)
  for (let at = tail.length - 22; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== 0x06054b50 || at + 22 + tail.readUInt16LE(at + 20) !== tail.length) continue
    const plain = { entries: tail.readUInt16LE(at + 10), size: tail.readUInt32LE(at + 12), offset: tail.readUInt32LE(at + 16) }
    const needs64 = plain.entries === 0xffff || plain.size === 0xffffffff || plain.offset === 0xffffffff
    const directory = needs64 && at >= 20 ? await findDirectory64(file, tail, at - 20) : plain
    if (directory.offset + directory.size > file.size) throw new ArchiveFault('truncated', 'the central directory is beyond the end of the archive')
    if (directory.entries * 46 > directory.size) throw new ArchiveFault('broken_directory', 'the central directory is shorter than its entries')
    return directory
  }
  throw new ArchiveFault('truncated', 'the archive has no end-of-directory record')
}

async function findDirectory64(file: ZipSource, tail: Buffer, at: number): Promise<Directory> {
  if (tail.readUInt32LE(at) !== 0x07064b50) throw new ArchiveFault('broken_directory', 'the ZIP64 locator is missing')
  const record = await readAt(file, safe(tail.readBigUInt64LE(at + 8)), 56)
  if (record.readUInt32LE(0) !== 0x06064b50) throw new ArchiveFault('broken_directory', 'the ZIP64 end-of-directory record is missing')
  return { entries: safe(record.readBigUInt64LE(32)), size: safe(record.readBigUInt64LE(40)), offset: safe(record.readBigUInt64LE(48)) }
}

function safe(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new ArchiveFault('broken_directory', `the archive claims a position of ${value}`)
  return Number(value)
}

async function* readDirectory(file: ZipSource, { offset, size, entries }: Directory): AsyncGenerator<Entry> {
  let buffer: Buffer = Buffer.alloc(0)
  let read = 0
  let seen = 0
  while (seen < entries) {
    const need = buffer.length < 46 ? 46 : 46 + buffer.readUInt16LE(28) + buffer.readUInt16LE(30) + buffer.readUInt16LE(32)
    if (buffer.length < need) {
      const length = Math.min(directoryChunk, size - read)
      if (length === 0) throw new ArchiveFault('broken_directory', `the central directory ends after ${seen} of ${entries} members`)
      buffer = Buffer.concat([buffer, await readAt(file, offset + read, length)])
      read += length
      continue
    }
    if (buffer.readUInt32LE(0) !== 0x02014b50) throw new ArchiveFault('broken_directory', `member ${seen + 1} has no directory entry`)
    yield parseEntry(buffer.subarray(0, need))
    buffer = buffer.subarray(need)
    seen += 1
  }
}

function parseEntry(bytes: Buffer): Entry {
  const nameLength = bytes.readUInt16LE(28)
  const entry = {
    name: bytes.toString('utf8', 46, 46 + nameLength),
    flags: bytes.readUInt16LE(8),
    method: bytes.readUInt16LE(10),
    crc: bytes.readUInt32LE(16),
    packed: bytes.readUInt32LE(20),
    size: bytes.readUInt32LE(24),
    offset: bytes.readUInt32LE(42),
  }
  let extra = bytes.subarray(46 + nameLength, 46 + nameLength + bytes.readUInt16LE(30))
  while (extra.length >= 4) {
    const length = extra.readUInt16LE(2)
    const field = extra.subarray(4, 4 + length)
    if (extra.readUInt16LE(0) === 1) return widen(entry, field) // ZIP64: only what did not fit, in this order
    extra = extra.subarray(4 + length)
  }
  return entry
}

function widen(entry: Entry, field: Buffer): Entry {
  let at = 0
  const next = (value: number): number => {
    if (value !== 0xffffffff) return value
    if (at + 8 > field.length) throw new ArchiveFault('broken_directory', `${entry.name.slice(0, 60)}: its ZIP64 field is cut`)
    at += 8
    return safe(field.readBigUInt64LE(at - 8))
  }
  const size = next(entry.size)
  const packed = next(entry.packed)
  return { ...entry, size, packed, offset: next(entry.offset) }
}

/** The first byte after a member's start that belongs to another one: the member may not read beyond it, so that none overlap. */
function endOf(starts: Float64Array, offset: number, directoryOffset: number): number {
  const low = firstPlace(starts.length, place => (starts[place] ?? 0) <= offset)
  // Two members at one place overlap completely: neither may have a byte.
  if (low >= 2 && starts[low - 2] === offset) return offset
  return starts[low] ?? directoryOffset
}

async function unpack(file: ZipSource, entry: Entry, end: number, caps: ArchiveCaps): Promise<Uint8Array | { reason: string; detail: string }> {
  const refuse = (reason: string, detail: string) => ({ reason, detail })
  if ((entry.flags & 0x2041) !== 0) return refuse('encrypted', 'the member is encrypted')
  if (entry.method !== 0 && entry.method !== 8) return refuse('unknown_method', `packing method ${entry.method} is not known`)
  if (Math.max(entry.size, entry.packed) > caps.memberBytes) return refuse('too_large', `${entry.size} bytes, over the limit of ${caps.memberBytes}`)
  if (entry.size > ratioFromBytes && entry.size > caps.ratio * entry.packed) {
    return refuse('bomb', `${entry.packed} bytes claim to unpack to ${entry.size}, over the limit of ${caps.ratio} times`)
  }
  if (entry.offset + 30 > end) return refuse('overlap', 'the member shares bytes with another or with the directory')
  const local = await readAt(file, entry.offset, 30)
  if (local.readUInt32LE(0) !== 0x04034b50) return refuse('broken_member', 'the member has no header at the position in the directory')
  const start = entry.offset + 30 + local.readUInt16LE(26) + local.readUInt16LE(28)
  if (start + entry.packed > end) return refuse('overlap', 'the member shares bytes with another or with the directory')
  const packed = await readAt(file, start, entry.packed)
  let bytes: Buffer
  try {
    bytes = entry.method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: Math.max(1, entry.size) })
  } catch (error) {
    return refuse('broken_member', `the member cannot be unpacked: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (bytes.length !== entry.size) return refuse('wrong_size', `${bytes.length} bytes, but the directory states ${entry.size}`)
  return crc32(bytes) === entry.crc ? bytes : refuse('wrong_crc', 'the checksum of the member does not match its bytes')
}
