// Which data folder a cluster belongs to, if the cluster lies outside of it. A copied data folder contains the same pointer as the
// original; without this check, both would use one database.
import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Broken } from '#schemas/errors.ts'

export const pointerName = 'cluster.json'

type Pointer = {
  readonly cluster: string
  /** Pointers from before owner.json existed name their folder only here. */
  readonly why?: string
}

export const readPointer = (dataDir: string): Pointer => JSON.parse(readFileSync(join(dataDir, pointerName), 'utf8')) as Pointer

/**
 * The files are next to the cluster, because PostgreSQL's user owns that folder. 0 is the first owner, 1 the one after a move of the data
 * folder, and so on. Files are not changed or deleted, and the highest number counts.
 */
const ownerFile = (cluster: string, number: number): string => join(dirname(cluster), number === 0 ? 'owner.json' : `owner-${number}.json`)

/** Writes a complete file and links it to `place`, so that a crash cannot leave a partial one. */
function writeOwnerAs(file: string, dataDir: string, place: (draft: string, file: string) => void): void {
  const draft = `${file}.${randomBytes(4).toString('hex')}`
  try {
    writeFileSync(draft, JSON.stringify({ data: realpathSync(dataDir) }), { mode: 0o600, flush: true })
    place(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Records that a new cluster belongs to `dataDir`. */
export const writeOwner = (cluster: string, dataDir: string): void => writeOwnerAs(ownerFile(cluster, 0), dataDir, renameSync)

type Owner = {
  /** The data folder that the cluster belongs to; null if nothing names one. */
  readonly data: string | null
  /** The number of the file that names the data folder; null if none does. */
  readonly number: number | null
}

function readOwner({ cluster, why }: Pointer): Owner {
  const numbers = readdirSync(dirname(cluster)).flatMap(name => {
    const [match, number] = /^owner(?:-([1-9]\d*))?\.json$/.exec(name) ?? []
    return match === undefined ? [] : [Number(number ?? 0)]
  })
  if (numbers.length > 0) {
    const number = Math.max(...numbers)
    return { data: (JSON.parse(readFileSync(ownerFile(cluster, number), 'utf8')) as { data: string }).data, number }
  }
  return { data: /^(.*) cannot be entered by uid \d+, which PostgreSQL runs as under root$/s.exec(why ?? '')?.[1] ?? null, number: null }
}

/** True if `folder` exists and its pointer names the same cluster. */
function usesCluster(folder: string, cluster: string): boolean {
  return existsSync(join(folder, pointerName)) && readPointer(folder).cluster === cluster
}

/** Makes `dataDir` the owner by file `number`; false if another folder was first. A link never replaces an existing file. */
function becomeOwner(cluster: string, dataDir: string, number: number): boolean {
  try {
    writeOwnerAs(ownerFile(cluster, number), dataDir, linkSync)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/**
 * Refuses a copy of the data folder that the cluster belongs to. If that folder is gone or uses another database, `dataDir` is the same
 * folder after a move, and becomes the owner. Of two copies that are opened at the same instant, one becomes the owner and the other is
 * refused.
 */
export function checkOwner(dataDir: string): void {
  const pointer = readPointer(dataDir)
  const here = realpathSync(dataDir)
  for (;;) {
    const { data: owner, number } = readOwner(pointer)
    if (owner === here && number !== null) return
    if (owner !== null && usesCluster(owner, pointer.cluster) && realpathSync(owner) !== here) {
      throw new Broken(`${here} is a copy of ${owner}, and both name the same database in ${pointer.cluster}: only ${owner} may use it`, {
        hint:
          `use ${owner}; for a second installation run crossfile backup there and crossfile restore into a new folder; ` +
          `to use the copy in its place, delete ${join(owner, pointerName)} first`,
      })
    }
    // If another folder was first, its file decides.
    if (becomeOwner(pointer.cluster, dataDir, number === null ? 0 : number + 1)) return
  }
}
