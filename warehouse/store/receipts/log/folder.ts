// The published files of the receipt log, below `receipt-log/` of the data folder: `checkpoint` and `tile/…`, as tlog-tiles names them. A file
// is written under a temporary name, flushed and renamed, so that a reader sees a whole file and a crash leaves none in part.
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Broken } from '#schemas/errors.ts'
import { replaceFile, syncFolder } from '../../sync-folder.ts'
import { HASH_BYTES, type ReadNode } from '../../transparency/merkle.ts'
import { decodeEntries, encodeEntries, hashInTile, TILE_WIDTH, type Tile, tileOfNode, tilePath, widthAt } from '../../transparency/tiles.ts'

export type LogFolder = {
  readonly path: string
  /** The checkpoint that was last published; null if the file is absent. */
  readonly readCheckpoint: () => Promise<string | null>
  readonly writeCheckpoint: (note: string) => Promise<void>
  /** The tile or bundle, also out of a wider file; null if neither is there. */
  readonly readTile: (tile: Tile) => Promise<Buffer | null>
  readonly writeTile: (tile: Tile, bytes: Buffer) => Promise<void>
  /** Flushes the folders of the tiles that were written. */
  readonly flush: () => Promise<void>
  /** Removes the partial tiles of a full one; a tree of an earlier size reads the full tile. */
  readonly removePartials: (tile: Tile) => Promise<void>
  readonly removeAllPartials: () => Promise<void>
}

/** The folder of the published files, for a data folder. */
const logFolderPath = (data: string): string => join(data, 'receipt-log')

export function openLogFolder(data: string): LogFolder {
  const path = logFolderPath(data)
  const unflushed = new Set<string>()
  const write = async (target: string, bytes: Buffer | string): Promise<void> => {
    const folder = dirname(target)
    const created = await mkdir(folder, { recursive: true })
    // A new folder is an entry of its parent, which must survive a power cut too.
    if (created) for (let each = folder; each.length >= created.length; each = dirname(each)) unflushed.add(dirname(each))
    await replaceFile(target, join(folder, `.draft-${process.pid}-${randomUUID()}`), bytes, 0o644)
    unflushed.add(folder)
  }
  const flush = async (): Promise<void> => {
    for (const folder of unflushed) await syncFolder(folder)
    unflushed.clear()
  }
  return {
    path,
    readCheckpoint: async () => (await read(join(path, 'checkpoint')))?.toString('utf8') ?? null,
    async writeCheckpoint(note) {
      await write(join(path, 'checkpoint'), note)
      await flush()
    },
    async readTile(tile) {
      const own = await read(join(path, tilePath(tile)))
      if (own !== null || tile.width === TILE_WIDTH) return own
      // The log has grown since: the beginning of the full tile, or of a wider partial one.
      const full = { ...tile, width: TILE_WIDTH }
      const names = await readdir(join(path, `${tilePath(full)}.p`)).catch(() => [])
      const width = names.map(Number).find(each => each > tile.width && each < TILE_WIDTH)
      const wider = (await read(join(path, tilePath(full)))) ?? (width === undefined ? null : await read(join(path, tilePath({ ...tile, width }))))
      return wider === null ? null : beginningOf(tile, wider)
    },
    writeTile: (tile, bytes) => write(join(path, tilePath(tile)), bytes),
    flush,
    removePartials: tile => rm(join(path, `${tilePath({ ...tile, width: TILE_WIDTH })}.p`), { recursive: true, force: true }),
    async removeAllPartials() {
      const names = await readdir(join(path, 'tile'), { recursive: true }).catch(() => [])
      for (const name of names) if (name.endsWith('.p')) await rm(join(path, 'tile', name), { recursive: true, force: true })
    },
  }
}

/** The first `width` hashes of a wider tile, or entries of a wider bundle; null if it has fewer. */
function beginningOf({ level, width }: Tile, wider: Buffer): Buffer | null {
  if (level !== 'entries') return wider.byteLength < width * HASH_BYTES ? null : wider.subarray(0, width * HASH_BYTES)
  const entries = decodeEntries(wider)
  return entries === null || entries.length < width ? null : encodeEntries(entries.slice(0, width))
}

async function read(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null
    throw error
  }
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
