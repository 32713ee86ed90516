// The files of manifests, `manifests/<release>.json`: the text is recorded by the commit (manifest.ts), and the publication writes the file.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sql, type Transaction } from 'kysely'
import type { Database } from '../../postgres.ts'
import type { LakeWriter } from '../compact.ts'
import { lakeFolder } from '../verifier.ts'
import { sha256OfText } from './log-folder.ts'
import { logStoreOf } from './log-store.ts'
import { insertManifest, manifestOf } from './manifest.ts'
import { type ListedFile, manifestName, manifestsName, type RowsUpTo, steppedReleases } from './steps.ts'

/** What manifests are made from: the newest release, and the files and rows of each dataset. */
type Inputs = { readonly release: number; readonly files: ReadonlyMap<string, readonly ListedFile[]>; readonly rowsUpTo: RowsUpTo }
type ReleaseManifest = { readonly release: number; readonly sha256: string | null }

/**
 * Writes the manifests of releases that have none, as far as their files are known, and those whose file is missing. `check`: also those
 * whose file differs from its SHA-256; one that cannot be written again is deleted.
 */
export async function publishManifests(trx: Transaction<Database>, writer: LakeWriter, inputs: Inputs, check: boolean): Promise<number> {
  const { rows } = await sql<ReleaseManifest>`
    select r.release, m.sha256 from release r left join release_manifest m using (release)
    where r.release > ${inputs.release - steppedReleases} order by r.release`.execute(trx)
  const store = logStoreOf(writer)
  const present = await presentManifests(writer, rows, check)
  const damaged = new Set(check ? await damagedManifests(writer, rows, present) : [])
  const missing = rows.filter(({ release, sha256 }) => sha256 === null || damaged.has(release) || !present.has(manifestName(release)))
  let count = 0
  for (const { release, sha256 } of missing) {
    const text = await manifestOf(trx, release, inputs.files, inputs.rowsUpTo)
    if (text === null || (sha256 !== null && sha256OfText(text) !== sha256)) {
      if (damaged.has(release)) await store.remove(manifestName(release))
      continue
    }
    await store.writeOnce(manifestName(release), text)
    present.add(manifestName(release))
    await insertManifest(trx, release, text)
    count += 1
  }
  return count
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
 * The releases whose manifest differs from its SHA-256: a power cut leaves empty files, because they are not synced. Objects of a bucket are
 * not read: they are written whole.
 */
async function damagedManifests(writer: LakeWriter, releases: readonly ReleaseManifest[], present: ReadonlySet<string>): Promise<readonly number[]> {
  if (writer.remote) return []
  const store = logStoreOf(writer)
  const damaged: number[] = []
  for (const { release, sha256 } of releases) {
    if (sha256 === null || !present.has(manifestName(release))) continue
    const text = await store.text(manifestName(release))
    if (text === null || sha256OfText(text) !== sha256) damaged.push(release)
  }
  return damaged
}
