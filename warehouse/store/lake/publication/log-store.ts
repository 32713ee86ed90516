// Where the publication writes: the folder of the lake, or the bucket. Names are relative to the folder `lake`, in both.
import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { LakeWriter } from '../compact.ts'
import type { Objects } from '../remote.ts'
import { lakeFolder } from '../verifier.ts'

export type LogStore = {
  has(name: string): Promise<boolean>
  /** The text of a file; null if it does not exist or cannot be read. */
  text(name: string): Promise<string | null>
  /** The SHA-256 of a file; null if it does not exist or cannot be read. */
  sha256(name: string): Promise<string | null>
  /** The names of the files in a folder; empty if it does not exist. */
  names(folder: string): Promise<string[]>
  /** Writes or replaces a file; readers see the old content or the new. */
  write(name: string, text: string): Promise<void>
  /** Writes a file that is written once, such as a version of a log. */
  writeOnce(name: string, text: string): Promise<void>
  /** Moves a staged file of this disk to a name. */
  move(path: string, name: string): Promise<void>
  remove(name: string): Promise<void>
  /** Removes every file of a folder. */
  removeFolder(folder: string): Promise<void>
}

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** The store of a writer's lake. */
export const logStoreOf = ({ data, remote = null }: Pick<LakeWriter, 'data' | 'remote'>): LogStore =>
  remote === null ? folderStore(lakeFolder(data)) : bucketStore(remote.objects)

/** Not synced: what a power cut loses, the start of the worker writes again. */
function folderStore(folder: string): LogStore {
  const at = (name: string): string => join(folder, name)
  async function write(name: string, text: string): Promise<void> {
    const temporary = `${at(name)}.${randomBytes(6).toString('hex')}.tmp`
    await mkdir(dirname(at(name)), { recursive: true })
    try {
      await writeFile(temporary, text)
      await rename(temporary, at(name))
    } finally {
      await rm(temporary, { force: true })
    }
  }
  return {
    has: async name => existsSync(at(name)),
    text: name => readFile(at(name), 'utf8').catch(() => null),
    sha256: name => readFile(at(name)).then(sha256Of, () => null),
    names: name => readdir(at(name)).catch(() => []),
    write,
    writeOnce: write,
    async move(path, name) {
      await mkdir(dirname(at(name)), { recursive: true })
      await rename(path, at(name))
    },
    remove: name => rm(at(name), { force: true }),
    removeFolder: name => rm(at(name), { recursive: true, force: true }),
  }
}

/** One object per file. A version that exists with another text is of a publication that was stopped, and is replaced by its condition. */
function bucketStore(objects: Objects): LogStore {
  const names = async (folder: string): Promise<string[]> => {
    const found: string[] = []
    for await (const { name } of objects.list(`${folder}/`)) found.push(name.slice(folder.length + 1))
    return found
  }
  return {
    has: async name => (await objects.facts(name)) !== null,
    text: objects.text,
    async sha256(name) {
      const bytes = await objects.bytes(name)
      return bytes === null ? null : sha256Of(bytes)
    },
    names,
    write: (name, text) => objects.write(name, Buffer.from(text)),
    writeOnce: objects.writeOnce,
    async move(path, name) {
      await objects.write(name, await readFile(path))
      await rm(path, { force: true })
    },
    remove: objects.remove,
    async removeFolder(folder) {
      for (const name of await names(folder)) await objects.remove(`${folder}/${name}`)
    },
  }
}
