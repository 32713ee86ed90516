// Step 3 of a commit: the staged file is named by its bytes and survives a power cut before anything refers to it.
import { chmod, link, lstat, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { lakePath, sha256OfFile } from './open.ts'
import type { Staged } from './stage.ts'

export type Sealed = Omit<Staged, 'path' | 'dataset'> & {
  readonly dataset: string
  readonly bucket: string
  readonly sha256: string
  readonly bytes: number
}

/**
 * Hashes, fsyncs and links a staged file into the lake. An existing file is kept if its content is the same, and replaced if it was
 * damaged. `crashPoint`: named moments at which a test ends the process.
 */
export async function seal(data: string, staged: Staged, bucket: string, crashPoint: (name: string) => void = () => {}): Promise<Sealed> {
  const { path, dataset, ...facts } = staged
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
  crashPoint('sealed')
  await rm(path, { force: true })
  return { ...facts, ...file, bytes: size }
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
