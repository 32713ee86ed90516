// Where a backup is written: named byte sequences, written whole or not at all. This file has the folder; S3 is in pipelines/backup.
import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Broken } from '#schemas/errors.ts'

export type BackupTarget = {
  /** How messages name it. */
  readonly name: string
  /** Every object below `prefix` with its size in bytes. */
  list(prefix: string): Promise<ReadonlyMap<string, number>>
  /** The bytes of an object; null where it does not exist. */
  read(path: string): Promise<Buffer | null>
  /** Writes an object durably; a crash leaves the object before it, or none, never a part. */
  write(path: string, bytes: Uint8Array): Promise<void>
}

const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))

/** Syncs a folder's entries, so that a file that was renamed into it survives a power cut. Windows opens no folders. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Writes a file under a temporary name, syncs it and renames it. */
export async function writeDurably(path: string, bytes: Uint8Array, mode = 0o600): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const draft = `${path}.${randomBytes(4).toString('hex')}.tmp`
  try {
    const file = await open(draft, 'wx', mode)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  await syncFolder(dirname(path))
}

/** For what writes to a disk that may fill up: throws `Broken` that names the folder, and any other error as it is. */
export function refuseFullDisk(folder: string): (error: unknown) => never {
  return cause => {
    if (!['ENOSPC', 'EDQUOT'].includes(String((cause as NodeJS.ErrnoException).code))) throw cause
    throw new Broken(`the disk of ${folder} is full`, {
      cause,
      hint: 'free space there, or name a folder on another disk; then run the command again',
    })
  }
}

/** A folder as the target; it is made at the first write. */
export function folderTarget(folder: string): BackupTarget {
  async function walk(prefix: string, found: Map<string, number>): Promise<void> {
    let entries: { name: string; isDirectory(): boolean }[]
    try {
      entries = await readdir(join(folder, prefix), { withFileTypes: true })
    } catch (error) {
      if (isMissing(error)) return
      throw error
    }
    for (const entry of entries) {
      const path = `${prefix}/${entry.name}`
      if (entry.isDirectory()) await walk(path, found)
      else if (!entry.name.endsWith('.tmp')) found.set(path, (await stat(join(folder, path))).size)
    }
  }
  return {
    name: folder,
    async list(prefix) {
      const found = new Map<string, number>()
      await walk(prefix, found)
      return found
    },
    async read(path) {
      try {
        return await readFile(join(folder, path))
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    },
    write: (path, bytes) => writeDurably(join(folder, path), bytes).catch(refuseFullDisk(folder)),
  }
}
