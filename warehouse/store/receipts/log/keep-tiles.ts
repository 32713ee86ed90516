// Keeps full tiles of a log in a bucket in memory: a full tile that a checkpoint covers never changes. For processes that only read it.
import { cacheLimits } from '#schemas/cache-limits.ts'
import { TILE_WIDTH, type Tile, tilePath } from '../../transparency/tiles.ts'
import { beginningOf, type LogFolder } from './folder.ts'

/** A tile that was damaged in the bucket, and was written again there, is read again after this time. */
const keptMs = 60_000

/** `now`: milliseconds that only go forward. */
export function keepFullTiles(
  folder: LogFolder,
  limit: number = cacheLimits.receiptTileBytes,
  now: () => number = () => performance.now(),
): LogFolder {
  const kept = new Map<string, { readonly bytes: Buffer; readonly until: number }>()
  let held = 0
  const drop = (path: string): void => {
    held -= kept.get(path)?.bytes.byteLength ?? 0
    kept.delete(path)
  }
  const find = (path: string): Buffer | null => {
    const found = kept.get(path)
    if (found === undefined) return null
    if (found.until > now()) return found.bytes
    drop(path)
    return null
  }
  const keep = (path: string, bytes: Buffer): void => {
    drop(path)
    kept.set(path, { bytes, until: now() + keptMs })
    held += bytes.byteLength
    for (const oldest of kept.keys()) {
      if (held <= limit) break
      drop(oldest)
    }
  }
  return {
    ...folder,
    async readTile(tile: Tile) {
      const path = tilePath({ ...tile, width: TILE_WIDTH })
      const full = find(path)
      if (full !== null) return tile.width === TILE_WIDTH ? full : beginningOf(tile, full)
      const bytes = await folder.readTile(tile)
      if (bytes !== null && tile.width === TILE_WIDTH) keep(path, bytes)
      return bytes
    },
  }
}
