// Reads every part of a backup and compares it with its digest.
import { createHash } from 'node:crypto'
import { readPart } from './blobs.ts'
import { blobPath, type Manifest, type Part } from './manifest.ts'
import type { BackupTarget } from './target.ts'

export type Damage = {
  /** The file or table that cannot be restored. */
  readonly subject: string
  /** The object of the target; null if the file was left out by `--since` and no base holds it. */
  readonly object: string | null
  readonly reason: string
}
export type Verified = { readonly files: number; readonly tables: number; readonly bytes: number; readonly damaged: readonly Damage[] }

export type Verifying = {
  /** Manifests of earlier backups that `--since` refers to. */
  readonly bases?: readonly Manifest[]
  /** Called after each table and file: how many were read, of how many, and the bytes so far. */
  readonly onProgress?: (progress: { readonly done: number; readonly of: number; readonly bytes: number }) => void
  /** Ends the check between two tables or files. */
  readonly signal?: AbortSignal
}

/** Checks all of a backup; `targets`: its own place first, then those of earlier backups that `--since` refers to. */
export async function verifyBackup(
  targets: readonly BackupTarget[],
  manifest: Manifest,
  { bases = [], onProgress, signal }: Verifying = {},
): Promise<Verified> {
  const all = manifest.keys === null ? manifest.files : [...manifest.files, manifest.keys]
  const of = manifest.tables.length + all.length
  let done = 0
  const damaged: Damage[] = []
  const seen = new Set<string>()
  let bytes = 0
  const checked = (): void => {
    done += 1
    onProgress?.({ done, of, bytes })
    signal?.throwIfAborted()
  }
  const check = async (subject: string, parts: readonly Part[], whole: string | null): Promise<void> => {
    const hash = createHash('sha256')
    let complete = true
    for (const part of parts) {
      // A part that several files share is read once, unless the whole file is hashed.
      if (seen.has(part.sha256) && (whole === null || parts.length === 1)) continue
      const found = await readPart(targets, part)
      if (typeof found === 'string') {
        damaged.push({ subject, object: blobPath(part.sha256), reason: found })
        complete = false
        continue
      }
      seen.add(part.sha256)
      bytes += found.length
      hash.update(found)
    }
    if (complete && whole !== null && parts.length > 1 && hash.digest('hex') !== whole)
      damaged.push({ subject, object: null, reason: 'its parts do not make the file of the manifest' })
  }
  for (const { schema, name, parts } of manifest.tables) {
    await check(`table ${schema}.${name}`, parts, null)
    checked()
  }
  for (const file of all) {
    const parts = partsOf(file, bases)
    if (parts === null)
      damaged.push({ subject: file.path, object: null, reason: `it was left out (--since ${manifest.since}), and no earlier backup given holds it` })
    else await check(file.path, parts, file.sha256)
    checked()
  }
  return { files: manifest.files.length, tables: manifest.tables.length, bytes, damaged }
}

/** The parts of a file, those of a file that was left out from the manifest of an earlier backup; null if none has them. */
export function partsOf(file: Manifest['files'][number], bases: readonly Manifest[]): readonly Part[] | null {
  if (!file.base) return file.parts
  for (const base of bases) {
    const held = base.files.find(each => each.path === file.path && each.sha256 === file.sha256 && !each.base)
    if (held) return held.parts
  }
  return null
}
