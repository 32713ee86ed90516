// Restores single files from the backups of a place, for `crossfile repair --from`.
import { randomBytes } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Broken } from '#schemas/errors.ts'
import { readPart } from './blobs.ts'
import { type FileEntry, listBackups, type Manifest, readBackup } from './manifest.ts'
import type { BackupTarget } from './target.ts'

export type Backups = {
  /** Writes a file of the data folder, with these bytes, into `folder` and returns its path; null if no backup holds all of them. */
  take(path: string, sha256: string, folder: string): Promise<string | null>
  /** The contents that backups have of a path, each by its SHA-256, the newest first. */
  contentsOf(path: string): string[]
  /** Damaged manifests, each with its reason: their files are not used. */
  readonly damaged: readonly string[]
}

/** The backups of a place; null if it holds none. */
export async function openBackups(target: BackupTarget): Promise<Backups | null> {
  const ids = await listBackups(target)
  if (ids.length === 0) return null
  const manifests: Manifest[] = []
  const damaged: string[] = []
  for (const id of ids.reverse()) {
    try {
      manifests.push(await readBackup(target, id))
    } catch (error) {
      if (!(error instanceof Broken)) throw error
      damaged.push(error.message)
    }
  }
  const entriesOf = (path: string): FileEntry[] => manifests.flatMap(({ files }) => files.filter(file => file.path === path && !file.base))
  return {
    damaged,
    async take(path, sha256, folder) {
      for (const entry of entriesOf(path)) {
        const taken = entry.sha256 === sha256 ? await writeParts(target, entry, folder) : null
        if (taken !== null) return taken
      }
      return null
    },
    contentsOf: path => [...new Set(entriesOf(path).map(entry => entry.sha256))],
  }
}

/** Writes the parts of a file one after the other; null if one of them is missing or damaged. */
async function writeParts(target: BackupTarget, { parts }: FileEntry, folder: string): Promise<string | null> {
  const path = join(folder, `taken-${randomBytes(8).toString('hex')}`)
  const file = await open(path, 'wx', 0o600)
  let whole = true
  try {
    for (const part of parts) {
      const bytes = await readPart([target], part)
      whole = typeof bytes !== 'string'
      if (typeof bytes === 'string') break
      await file.writeFile(bytes)
    }
  } finally {
    await file.close()
  }
  if (whole) return path
  await rm(path)
  return null
}
