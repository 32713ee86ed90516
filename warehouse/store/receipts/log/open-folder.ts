// The published files of the receipt log on this disk. A file is written under a temporary name, flushed and renamed, so that a reader sees a
// whole file and a crash leaves none in part.
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Remote } from '../../lake/remote.ts'
import { replaceFile, syncFolder } from '../../sync-folder.ts'
import { TILE_WIDTH, tilePath } from '../../transparency/tiles.ts'
import { openBucketLog } from './bucket-folder.ts'
import { beginningOf, type LogFolder, widerOf } from './folder.ts'

/** The folder of the published files, for a data folder. */
export const logFolderPath = (data: string): string => join(data, 'receipt-log')

/** The published files in the bucket of the lake, if it is in one, else below `receipt-log/` of the data folder. */
export const openLogFolder = (data: string, remote: Remote | null): LogFolder =>
  remote === null ? openLocalLog(data) : openBucketLog(remote.objects)

function openLocalLog(data: string): LogFolder {
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
      const width = widerOf(tile, names)
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

async function read(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null
    throw error
  }
}
