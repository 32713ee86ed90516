// The published files of the receipt log: `checkpoint` and `tile/…`, as tlog-tiles names them, in the data folder or in the bucket of the
// lake. What reads them does not depend on where they are.
import { Broken } from '#schemas/errors.ts'
import { HASH_BYTES, type ReadNode } from '../../transparency/merkle.ts'
import { decodeEntries, encodeEntries, hashInTile, TILE_WIDTH, type Tile, tileOfNode, tilePath, widthAt } from '../../transparency/tiles.ts'

/** Rejects if this process no longer has the lock of the log: another one may write now. */
export type ConfirmLock = () => Promise<unknown>

export type LogFolder = {
  /** Where it is, for messages to the operator: a path, or `s3://bucket/prefix/receipt-log`. */
  readonly path: string
  /** The checkpoint that was last published; null if there is none. */
  readonly readCheckpoint: () => Promise<string | null>
  /** Publishes a checkpoint. Throws `Upstream` if another host published a newer one in the meantime. */
  readonly writeCheckpoint: (note: string) => Promise<void>
  /** The tile or bundle, also out of a wider file; null if neither is there. */
  readonly readTile: (tile: Tile) => Promise<Buffer | null>
  /** `confirmLock` is called before other bytes under this name are replaced, if other hosts can write them. */
  readonly writeTile: (tile: Tile, bytes: Buffer, confirmLock: ConfirmLock) => Promise<void>
  /** Makes the tiles that were written durable. */
  readonly flush: () => Promise<void>
  /** Removes the partial tiles of a full one; a tree of an earlier size reads the full tile. */
  readonly removePartials: (tile: Tile) => Promise<void>
  readonly removeAllPartials: () => Promise<void>
}

/** What decides whether the log may be continued. */
export type PublishedLog = Pick<LogFolder, 'path' | 'readCheckpoint'>

/** The width of a partial tile that has the hashes of `tile` and more, out of the names of its partial tiles; undefined if there is none. */
export const widerOf = ({ width }: Tile, names: readonly string[]): number | undefined =>
  names.map(Number).find(each => each > width && each < TILE_WIDTH)

/** The first `width` hashes of a wider tile, or entries of a wider bundle; null if it has fewer. */
export function beginningOf({ level, width }: Tile, wider: Buffer): Buffer | null {
  if (level !== 'entries') return wider.byteLength < width * HASH_BYTES ? null : wider.subarray(0, width * HASH_BYTES)
  const entries = decodeEntries(wider)
  return entries === null || entries.length < width ? null : encodeEntries(entries.slice(0, width))
}

/**
 * Hashes of subtrees out of the files of a log that now has `size` leaves; also for a tree of an earlier size. Each file is read once.
 * `Broken` if a file is absent or has another length.
 */
export function nodesOfFolder(folder: LogFolder, size: number): ReadNode {
  const files = new Map<string, Promise<Buffer>>()
  const fetch = async (tile: Tile): Promise<Buffer> => {
    const bytes = await folder.readTile(tile)
    if (bytes?.byteLength !== tile.width * HASH_BYTES) {
      throw new Broken(`receipt log: the file ${tilePath(tile)} ${bytes === null ? 'is missing' : `has ${bytes.byteLength} bytes`}`, {
        hint: 'a worker writes missing and damaged files again when it starts; crossfile doctor compares all of them',
      })
    }
    return bytes
  }
  return async node => {
    const place = tileOfNode(node)
    const tile = { level: place.level, index: place.index, width: widthAt(place.level, place.index, size) }
    const path = tilePath(tile)
    const bytes = files.get(path) ?? fetch(tile)
    files.set(path, bytes)
    return hashInTile(await bytes, place.from, place.to)
  }
}
