// Temporary folders for the package of the bundled universe. A process that is killed cannot delete its folder: the next start does.
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '#warehouse/store/embedded-postgres/identity.ts'

const prefix = 'crossfile-universe-'
/** The name of the machine, because containers may share the folder for temporary files, and their process ids mean nothing to each other. */
const machine = (): string => hostname().replace(/[^\w.]/g, '_')

/** Makes an empty folder that belongs to this process. */
export async function makeUniverseFolder(): Promise<string> {
  return await mkdtemp(join(tmpdir(), `${prefix}${machine()}-${process.pid}-`))
}

/** Deletes the folders that processes of this machine and user left that no longer run, and returns their paths. */
export async function removeStaleUniverseFolders(): Promise<string[]> {
  const removed: string[] = []
  for (const name of await readdir(tmpdir())) {
    const owner = new RegExp(`^${prefix}(.+)-(\\d{1,10})-\\w{6}$`).exec(name)
    if (owner === null || owner[1] !== machine() || isAlive(Number(owner[2]))) continue
    const path = join(tmpdir(), name)
    const facts = await lstat(path).catch(() => null)
    if (!facts?.isDirectory() || (process.getuid !== undefined && facts.uid !== process.getuid())) continue
    await rm(path, { recursive: true, force: true })
    removed.push(path)
  }
  return removed.sort()
}
