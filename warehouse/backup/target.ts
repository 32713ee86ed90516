// The target of a backup: named byte sequences, written completely or not at all. This file contains the folder; S3 is in
// pipelines/jobs/backup.
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { diskErrorOf, FullDisk } from '../store/disk-faults.ts'
import { makeFolder } from '../store/start-check/start-check.ts'
import { replaceFile, syncFolder } from '../store/sync-folder.ts'

export type BackupTarget = {
  /** Its name in messages. */
  readonly name: string
  /**
   * Whether an object that `list` found with the same size has these bytes: a folder compares all of them, a bucket the MD5 that it
   * reports. A backup asks this of each object that it reuses, and writes one that differs again.
   */
  hasBytes(path: string, bytes: Uint8Array): Promise<boolean>
  /** Every object below `prefix` with its size in bytes. */
  list(prefix: string): Promise<ReadonlyMap<string, number>>
  /** The bytes of an object; null if it does not exist. */
  read(path: string): Promise<Buffer | null>
  /** Writes an object durably; a crash leaves the object before it, or none, never a part. */
  write(path: string, bytes: Uint8Array): Promise<void>
}

const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))

/** Writes a file under a temporary name, syncs it and renames it. */
export async function writeDurably(path: string, bytes: Uint8Array, mode = 0o600): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await replaceFile(path, `${path}.${randomBytes(4).toString('hex')}.tmp`, bytes, mode)
  await syncFolder(dirname(path))
}

/** For writes to a disk that may be full: throws `FullDisk` that names the folder, and any other error unchanged. */
export function refuseFullDisk(folder: string): (error: unknown) => never {
  return cause => {
    const found = diskErrorOf(cause)
    throw found === null || found.state === 'read-only' ? cause : new FullDisk(folder, cause)
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
  const read = async (path: string): Promise<Buffer | null> => {
    try {
      return await readFile(join(folder, path))
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }
  return {
    name: folder,
    hasBytes: async (path, bytes) => (await read(path))?.equals(bytes) === true,
    async list(prefix) {
      const found = new Map<string, number>()
      await walk(prefix, found)
      return found
    },
    read,
    async write(path, bytes) {
      const to = join(folder, path)
      await makeFolder(dirname(to), 'DIR')
      await writeDurably(to, bytes).catch(refuseFullDisk(folder))
    },
  }
}
