// Which data folder a cluster belongs to, if the cluster lies outside of it. A copied data folder holds the same pointer as the
// original; without this check both would use one database.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Broken } from '#schemas/errors.ts'

export const pointerName = 'cluster.json'
const ownerName = 'owner.json'

type Pointer = {
  readonly cluster: string
  /** Pointers made before owner.json existed name their folder only here. */
  readonly why?: string
}

export const readPointer = (dataDir: string): Pointer => JSON.parse(readFileSync(join(dataDir, pointerName), 'utf8')) as Pointer

/** The file stands beside the cluster, not in it: PostgreSQL's user owns that folder. */
const ownerFile = (cluster: string): string => join(dirname(cluster), ownerName)

/** Records that the cluster belongs to `dataDir`, in one step that a crash cannot cut in half. */
export function writeOwner(cluster: string, dataDir: string): void {
  const file = ownerFile(cluster)
  const draft = `${file}.${randomBytes(4).toString('hex')}`
  try {
    writeFileSync(draft, JSON.stringify({ data: realpathSync(dataDir) }), { mode: 0o600, flush: true })
    renameSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** The data folder that the cluster belongs to; null if nothing names one. */
function readOwner({ cluster, why }: Pointer): string | null {
  const file = ownerFile(cluster)
  if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { data: string }).data
  return /^(.*) cannot be entered by uid \d+, which PostgreSQL runs as under root$/s.exec(why ?? '')?.[1] ?? null
}

/** True if `folder` exists and its pointer names the same cluster. */
function usesCluster(folder: string, cluster: string): boolean {
  return existsSync(join(folder, pointerName)) && readPointer(folder).cluster === cluster
}

/**
 * Refuses a copy of the data folder that the cluster belongs to. If that folder is gone or uses another database, `dataDir` is the
 * same folder after a move, and becomes the owner.
 */
export function checkOwner(dataDir: string): void {
  const pointer = readPointer(dataDir)
  const here = realpathSync(dataDir)
  const owner = readOwner(pointer)
  if (owner !== null && usesCluster(owner, pointer.cluster) && realpathSync(owner) !== here) {
    throw new Broken(`${here} is a copy of ${owner}, and both name the same database in ${pointer.cluster}: only ${owner} may use it`, {
      hint:
        `use ${owner}; for a second installation run crossfile backup there and crossfile restore into a new folder; ` +
        `to use the copy in its place, delete ${join(owner, pointerName)} first`,
    })
  }
  if (owner !== here || !existsSync(ownerFile(pointer.cluster))) writeOwner(pointer.cluster, dataDir)
}
