// Step 3 of a commit: the staged file is named by its bytes and survives a power cut before anything refers to it.
import { chmod, link, lstat, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Remote } from './remote.ts'
import type { StagedFile } from './stage.ts'
import { lakePath, sha256OfFile } from './verifier.ts'

export type Sealed = Omit<StagedFile, 'path' | 'dataset'> & {
  readonly dataset: string
  readonly bucket: string
  readonly sha256: string
  readonly bytes: number
  /**
   * Throws `Upstream` if the object in the bucket was deleted since it was sealed. Only for an object that existed before, which the
   * collector may have found without a commit; the commit calls it under the lock that the collector takes.
   */
  readonly confirmStored?: () => Promise<void>
}

/** Where files are sealed. `crashPoint`: named moments at which a test ends the process. */
export type SealTarget = {
  readonly data: string
  /** Null: the files are on this disk only. */
  readonly remote?: Remote | null
  readonly crashPoint?: (name: string) => void
}

/**
 * Hashes, fsyncs and links a staged file into the lake, and uploads it if the lake is in a bucket: nothing may refer to the file before
 * both have acknowledged it. An existing file is kept if its content is the same, and replaced if it was damaged.
 */
export async function seal({ data, remote = null, crashPoint = () => {} }: SealTarget, staged: StagedFile, bucket: string): Promise<Sealed> {
  const { path, dataset, rows, key_min, key_max, time_min, time_max, release_min, release_max } = staged
  const sha256 = await sha256OfFile(path)
  const { size } = await stat(path)
  const file = { dataset: dataset.name, bucket, sha256 }
  const target = lakePath(data, file)
  // A failed fsync is not retried: the error ends the attempt, and the next one writes a new file.
  await syncFile(path)
  crashPoint('file-synced')
  await chmod(path, 0o444)
  const created = await mkdir(dirname(target), { recursive: true })
  try {
    await link(path, target)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause
    const held = await lstat(target)
    // The name is the hash of the content. A file of that name with other content is damaged, and a symbolic link is not a file: the new
    // one replaces it.
    if (!held.isFile() || held.size !== size || (await sha256OfFile(target)) !== sha256) await rename(path, target)
  }
  crashPoint('linked')
  await syncFile(dirname(target))
  // A new folder is an entry of its parent, which must survive too.
  if (created)
    for (let folder = dirname(target); folder !== dirname(created) && folder.length > data.length; folder = join(folder, '..'))
      await syncFile(join(folder, '..'))
  const stored = await remote?.store({ dataset: dataset.name, sha256, path: target }, size)
  if (stored) crashPoint('uploaded')
  crashPoint('sealed')
  await rm(path, { force: true })
  const confirmStored = stored?.confirmStored ?? null
  return { rows, key_min, key_max, time_min, time_max, release_min, release_max, ...file, bytes: size, ...(confirmStored && { confirmStored }) }
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
