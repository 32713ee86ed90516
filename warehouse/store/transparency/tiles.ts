// The tree and its entries as static files (C2SP tlog-tiles): tiles of 256 hashes, bundles of 256 entries, and their paths.
import { Broken } from '#schemas/errors.ts'
import { foldNodes, HASH_BYTES, type Node } from './merkle.ts'

export const TILE_WIDTH = 256
const TILE_HEIGHT = 8
/** The length of an entry is a 16-bit integer. */
export const MAX_ENTRY_BYTES = 65_535

/** A tile or a bundle: `level` is a number for hashes, `entries` for the entries themselves; `width` below 256 is a partial one. */
export type Tile = { readonly level: number | 'entries'; readonly index: number; readonly width: number }

/** `tile/0/x001/x234/067.p/12`: three digits per element, all but the last begin with x. */
export function tilePath({ level, index, width }: Tile): string {
  const digits = String(index).padStart(Math.ceil(String(index).length / 3) * 3, '0')
  const parts = digits.match(/\d{3}/g) ?? []
  const name = parts.map((part, at) => (at === parts.length - 1 ? part : `x${part}`)).join('/')
  return `tile/${level}/${name}${width === TILE_WIDTH ? '' : `.p/${width}`}`
}

const PATH = /^tile\/(entries|0|[1-9]\d?)\/((?:x\d{3}\/){0,5}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/

/** The tile of a path; null for any other text, also for one with more elements than its number needs. */
export function parseTilePath(path: string): Tile | null {
  const match = PATH.exec(path)
  if (match === null) return null
  const [, level = '', name = '', width] = match
  const tile: Tile = {
    level: level === 'entries' ? level : Number(level),
    index: Number(name.replace(/[x/]/g, '')),
    width: width === undefined ? TILE_WIDTH : Number(width),
  }
  const isTile =
    (width === undefined || tile.width < TILE_WIDTH) && (tile.level === 'entries' || tile.level <= 63) && Number.isSafeInteger(tile.index)
  return isTile && tilePath(tile) === path ? tile : null
}

/** How many hashes tile `index` of `level` has in a tree of `size`: 0 to 256. */
export function widthAt(level: number | 'entries', index: number, size: number): number {
  const hashes = Math.floor(size / TILE_WIDTH ** (level === 'entries' ? 0 : level))
  return Math.max(0, Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH))
}

/** Where the hash of a complete subtree is: the tile, and the range of its hashes that the subtree consists of. */
export function tileOfNode({ level, index }: Node): { readonly level: number; readonly index: number; readonly from: number; readonly to: number } {
  const tileLevel = Math.floor(level / TILE_HEIGHT)
  const count = 2 ** (level % TILE_HEIGHT)
  const first = index * count
  const from = first % TILE_WIDTH
  return { level: tileLevel, index: Math.floor(first / TILE_WIDTH), from, to: from + count }
}

/** The hash of the subtree over hashes `from` to `to` (a power of two) of a tile. */
export function hashInTile(tile: Uint8Array, from: number, to: number): Buffer {
  if (tile.byteLength < to * HASH_BYTES || tile.byteLength % HASH_BYTES !== 0)
    throw new Broken(`receipt log: a tile has ${tile.byteLength} bytes, expected ${to} hashes of ${HASH_BYTES} or more`)
  let hashes = Array.from({ length: to - from }, (_, at) => tile.subarray((from + at) * HASH_BYTES, (from + at + 1) * HASH_BYTES))
  while (hashes.length > 1) hashes = Array.from({ length: hashes.length / 2 }, (_, at) => foldNodes(hashes.slice(at * 2, at * 2 + 2)))
  return Buffer.from(hashes[0] ?? [])
}

/** Bytes of a tile of the tree as it was; asked only for partial tiles of that tree. */
type ReadTile = (tile: Tile) => Buffer | Promise<Buffer>
type WrittenTile = Tile & { readonly bytes: Buffer }

/** Every tile that further leaves create or change: full ones, and the partial one at each end. */
export async function growTiles(oldSize: number, leaves: readonly Uint8Array[], read: ReadTile): Promise<WrittenTile[]> {
  const written: WrittenTile[] = []
  let hashes = leaves
  for (let level = 0; hashes.length > 0; level += 1) {
    const count = Math.floor(oldSize / TILE_WIDTH ** level)
    const index = Math.floor(count / TILE_WIDTH)
    const width = count % TILE_WIDTH
    const before = width === 0 ? Buffer.alloc(0) : await read({ level, index, width })
    if (before.byteLength !== width * HASH_BYTES)
      throw new Broken(`receipt log: ${tilePath({ level, index, width })} has ${before.byteLength} bytes, expected ${width * HASH_BYTES}`)
    const tiles = cut(level, index, Buffer.concat([before, ...hashes]))
    written.push(...tiles)
    hashes = tiles.filter(tile => tile.width === TILE_WIDTH).map(tile => hashInTile(tile.bytes, 0, TILE_WIDTH))
  }
  return written
}

function cut(level: number, first: number, bytes: Buffer): WrittenTile[] {
  const tiles: WrittenTile[] = []
  for (let at = 0; at < bytes.byteLength; at += TILE_WIDTH * HASH_BYTES) {
    const part = bytes.subarray(at, at + TILE_WIDTH * HASH_BYTES)
    tiles.push({ level, index: first + tiles.length, width: part.byteLength / HASH_BYTES, bytes: part })
  }
  return tiles
}

/** The bundle of entries, each behind its length in 16 bits, big-endian. */
export function encodeEntries(entries: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    entries.flatMap(entry => {
      if (entry.byteLength > MAX_ENTRY_BYTES) throw new Broken(`receipt log: an entry has ${entry.byteLength} bytes, at most ${MAX_ENTRY_BYTES}`)
      const length = Buffer.alloc(2)
      length.writeUInt16BE(entry.byteLength)
      return [length, entry]
    }),
  )
}

/** The entries of a bundle; null if it ends within one. */
export function decodeEntries(bundle: Uint8Array): Buffer[] | null {
  const bytes = Buffer.from(bundle)
  const entries: Buffer[] = []
  let at = 0
  while (at < bytes.byteLength) {
    const end = at + 2 <= bytes.byteLength ? at + 2 + bytes.readUInt16BE(at) : Number.POSITIVE_INFINITY
    if (end > bytes.byteLength) return null
    entries.push(bytes.subarray(at + 2, end))
    at = end
  }
  return entries
}
