// A part of the model of prices: one file of blocks in order of their symbols, and behind them the index with the place and the SHA-256 of
// each block. The file is named by the SHA-256 of its index. A block is read by one `read` at its place and used only if its content has
// the hash, so that a file that changes under a running process gives no wrong value.
import { hash } from 'node:crypto'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { z } from 'zod'
import { Damaged } from '#schemas/errors.ts'
import { Count, Sha256 } from '#schemas/values.ts'
import { isMomentary } from '../../store/lake/verifier.ts'
import { modelDataset } from '../folder.ts'
import { Bytes, Reader } from './column.ts'

export const pricesModel = 'prices'
export const pricesDataset = modelDataset(pricesModel)

export const Part = z.strictObject({
  /** Of the index. */
  sha256: Sha256,
  bytes: Count,
  index_bytes: Count,
  symbols: Count,
})
export type Part = z.infer<typeof Part>

/** An entry (entry.ts) and its symbol. */
export type Named = { readonly symbol: string; readonly bytes: Buffer }

/** Entries are added to a block until it has this size: one of 2,500 bars is a block, and so are hundreds with a day each. */
const blockBytes = 16_384
const writeBytes = 4_194_304
const hashBytes = 32
const sha256 = (bytes: Buffer): Buffer => hash('sha256', bytes, 'buffer')

/** Writes entries in ascending order of their symbols to a new file and flushes it. Returns null for none, and then leaves no file content. */
export async function writePart(path: string, entries: AsyncIterable<Named>): Promise<Part | null> {
  const file = await open(path, 'wx')
  try {
    const [block, waiting, index] = [new Bytes(), new Bytes(), new Bytes()]
    const positions: number[] = []
    let [first, symbols, bytes] = ['', 0, 0]
    const flush = async (): Promise<void> => {
      await file.appendFile(waiting.copy())
      waiting.clear()
    }
    const endBlock = (): void => {
      if (block.length === 0) return
      const content = block.copy()
      positions.push(index.length)
      index.word(first)
      index.uint(bytes, 6)
      index.uint(content.length, 4)
      index.raw(sha256(content))
      waiting.raw(content)
      bytes += content.length
      block.clear()
    }
    for await (const entry of entries) {
      if (block.length === 0) first = entry.symbol
      block.word(entry.symbol)
      block.uint(entry.bytes.length, 4)
      block.raw(entry.bytes)
      symbols += 1
      if (block.length >= blockBytes) endBlock()
      if (waiting.length >= writeBytes) await flush()
    }
    endBlock()
    if (symbols === 0) return null
    const whole = new Bytes()
    whole.uint(positions.length, 4)
    for (const position of positions) whole.uint(position, 4)
    whole.raw(index.copy())
    const indexed = whole.copy()
    waiting.raw(indexed)
    await flush()
    await file.sync()
    return { sha256: sha256(indexed).toString('hex'), bytes: bytes + indexed.length, index_bytes: indexed.length, symbols }
  } finally {
    await file.close()
  }
}

type Place = { readonly offset: number; readonly length: number; readonly sha256: Buffer }
export type OpenPart = {
  readonly part: Part
  /** The entry of a symbol; null if the part has none. Throws `Damaged` if the content of its block is not the one that was written. */
  find(symbol: string): Promise<Buffer | null>
  /** All entries in ascending order of their symbols. Throws as `find`. */
  entries(): AsyncGenerator<Named>
  close(): Promise<void>
}

/** Opens a part and verifies its index, which stays in memory: 55 bytes for each block. Throws `Damaged` for a wrong one, and system errors. */
export async function openPart(path: string, part: Part): Promise<OpenPart> {
  const file = await open(path, 'r')
  try {
    const index = await readWhole(file, part.bytes - part.index_bytes, part.index_bytes)
    if (sha256(index).toString('hex') !== part.sha256) throw damaged('the index of one of its files differs from its SHA-256')
    return partOver(file, part, index)
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Reads the whole file at a path: true if it has the size, the index and the blocks of the part; false if not, or if it cannot be read. */
export async function isWholePart(path: string, part: Part): Promise<boolean> {
  try {
    if ((await stat(path)).size !== part.bytes) return false
    const opened = await openPart(path, part)
    try {
      for await (const _entry of opened.entries());
    } finally {
      await opened.close()
    }
    return true
  } catch (error) {
    const isOfFile = error instanceof Damaged || (error as NodeJS.ErrnoException).code !== undefined
    if (isMomentary(error) || !isOfFile) throw error
    return false
  }
}

const damaged = (what: string): Damaged => new Damaged(pricesDataset, what)

/** Reads bytes of a file. Throws `Damaged` if they cannot be read or the file ends before, and errors of this process or moment as they are. */
async function readWhole(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  let read = 0
  while (read < length) {
    const { bytesRead } = await file.read(bytes, read, length - read, offset + read).catch((cause: unknown) => {
      if (isMomentary(cause)) throw cause
      throw new Damaged(pricesDataset, 'one of its files cannot be read', { cause })
    })
    if (bytesRead === 0) throw damaged('one of its files is shorter than it was written')
    read += bytesRead
  }
  return bytes
}

function partOver(file: FileHandle, part: Part, index: Buffer): OpenPart {
  const blocks = index.readUInt32LE(0)
  const base = 4 + 4 * blocks
  const symbolAt = (block: number): Buffer => {
    const at = base + index.readUInt32LE(4 + 4 * block)
    return index.subarray(at + 1, at + 1 + (index[at] as number))
  }
  const placeOf = (block: number): Place => {
    const at = base + index.readUInt32LE(4 + 4 * block)
    const reader = new Reader(index, at + 1 + (index[at] as number))
    return { offset: reader.uint(6), length: reader.uint(4), sha256: reader.raw(hashBytes) }
  }
  const read = async (block: number): Promise<Buffer> => {
    const place = placeOf(block)
    const bytes = await readWhole(file, place.offset, place.length)
    if (!sha256(bytes).equals(place.sha256)) throw damaged('the content of a block differs from its SHA-256')
    return bytes
  }
  return {
    part,
    async find(symbol) {
      const wanted = Buffer.from(symbol)
      // The last block whose first symbol is not after the wanted one.
      let [low, high] = [0, blocks]
      while (low < high) {
        const middle = (low + high) >> 1
        if (Buffer.compare(symbolAt(middle), wanted) <= 0) low = middle + 1
        else high = middle
      }
      if (low === 0) return null
      for (const entry of entriesOf(await read(low - 1))) if (entry.symbol.equals(wanted)) return entry.bytes
      return null
    },
    async *entries() {
      for (let block = 0; block < blocks; block += 1)
        for (const { symbol, bytes } of entriesOf(await read(block))) yield { symbol: symbol.toString(), bytes }
    },
    close: () => file.close(),
  }
}

function* entriesOf(block: Buffer): Generator<{ readonly symbol: Buffer; readonly bytes: Buffer }> {
  const reader = new Reader(block)
  while (reader.at < block.length) {
    const symbol = reader.raw(reader.uint(1))
    yield { symbol, bytes: reader.raw(reader.uint(4)) }
  }
}
