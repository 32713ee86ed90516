// The files of manifests, `manifests/<release>.json`: the text is recorded by the commit (manifest.ts), and the publication writes the file.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sql, type Transaction } from 'kysely'
import type { Database } from '../../postgres.ts'
import type { LakeWriter } from '../compact.ts'
import { turns } from '../turns.ts'
import { lakeFolder } from '../verifier.ts'
import { sha256OfText } from './log-folder.ts'
import { logStoreOf } from './log-store.ts'
import { insertManifest, manifestOf } from './manifest.ts'
import { type ListedFile, manifestName, manifestsName, type RowsUpTo, steppedReleases } from './steps.ts'

const readAtOnce = 16

/** What manifests are made from: the newest release, and the files and rows of each dataset. */
type Inputs = { readonly release: number; readonly files: ReadonlyMap<string, readonly ListedFile[]>; readonly rowsUpTo: RowsUpTo }
/** What a publication compares, in addition to what is missing. */
export type PublishOptions = { readonly check?: boolean; readonly everyObject?: boolean }
export type ReleaseManifest = { readonly release: number; readonly sha256: string | null }

/**
 * Writes the manifests of releases that have none, as far as their files are known, and those whose file is missing. `check`: also those
 * whose file differs from its SHA-256; one that cannot be written again is deleted. `everyObject`: in a bucket too.
 */
export async function publishManifests(
  trx: Transaction<Database>,
  writer: LakeWriter,
  inputs: Inputs,
  { check = false, everyObject = false }: PublishOptions,
): Promise<number> {
  const rows = await findManifests(trx, inputs.release)
  const store = logStoreOf(writer)
  const present = await presentManifests(writer, rows, check)
  const damaged = new Set(everyObject || (check && !writer.remote) ? await damagedManifests(writer, rows, present) : [])
  const missing = rows.filter(({ release, sha256 }) => sha256 === null || damaged.has(release) || !present.has(manifestName(release)))
  let count = 0
  for (const { release, sha256 } of missing) {
    const text = await manifestOf(trx, release, inputs.files, inputs.rowsUpTo)
    if (text === null || (sha256 !== null && sha256OfText(text) !== sha256)) {
      if (damaged.has(release)) await store.remove(manifestName(release))
      continue
    }
    await (damaged.has(release) ? store.write : store.writeOnce)(manifestName(release), text)
    present.add(manifestName(release))
    await insertManifest(trx, release, text)
    count += 1
  }
  return count
}

/** The newest releases, each with the SHA-256 of its manifest. `newest`: the newest of all. */
export async function findManifests(trx: Transaction<Database>, newest: number): Promise<readonly ReleaseManifest[]> {
  const { rows } = await sql<ReleaseManifest>`
    select r.release, m.sha256 from release r left join release_manifest m using (release)
    where r.release > ${newest - steppedReleases} order by r.release`.execute(trx)
  return rows
}

/** The manifests that a bucket has, by its address: a list at each publication would cost requests. */
const presentIn = new Map<string, Set<string>>()

/** Names of manifests that need no writing. In a bucket, one that a worker of another host has written is written again. */
async function presentManifests(writer: LakeWriter, releases: readonly ReleaseManifest[], check: boolean): Promise<Set<string>> {
  const store = logStoreOf(writer)
  if (!writer.remote)
    return new Set(releases.map(({ release }) => manifestName(release)).filter(name => existsSync(join(lakeFolder(writer.data), name))))
  const { address } = writer.remote.objects
  const known = check ? undefined : presentIn.get(address)
  const present = known ?? new Set((await store.names(manifestsName)).map(name => `${manifestsName}/${name}`))
  presentIn.set(address, present)
  return present
}

/**
 * The releases whose manifest differs from its SHA-256 at two reads. A power cut leaves empty files, because they are not synced; objects of a
 * bucket are written whole, and reading them costs a request for each release.
 */
export async function damagedManifests(
  writer: Pick<LakeWriter, 'data' | 'remote'>,
  releases: readonly ReleaseManifest[],
  present: ReadonlySet<string>,
): Promise<readonly number[]> {
  const store = logStoreOf(writer)
  const inTurn = turns(writer.remote ? readAtOnce : 1)
  const isWhole = async (name: string, sha256: string): Promise<boolean> => sha256OfText((await store.text(name)) ?? '') === sha256
  const damaged = releases.map(({ release, sha256 }) =>
    inTurn(async () => {
      const name = manifestName(release)
      if (sha256 === null || !present.has(name) || (await isWhole(name, sha256)) || (await isWhole(name, sha256))) return []
      return [release]
    }),
  )
  return (await Promise.all(damaged)).flat()
}
