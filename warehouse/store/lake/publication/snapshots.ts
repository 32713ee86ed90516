// `data/lake/<dataset>`: the live files of the newest release and nothing else, for programs that open every Parquet file of a folder. It
// is a symbolic link to `snapshots/<dataset>/<version>`, a folder of symbolic links to the files of that version of the Delta log. One
// rename replaces it; a program that resolves the link before it reads gets the files of one version. The files stay where they are
// (`../verifier.ts`): DuckDB, polars and ClickHouse skip no folder and no name in a pattern, so superseded and uncommitted files are
// outside of this folder.
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readlink, rename, rm, symlink, unlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { sql, type Transaction } from 'kysely'
import { Broken } from '#schemas/errors.ts'
import type { Database } from '../../postgres.ts'
import { lakeFolder, lakePath } from '../verifier.ts'

/** Snapshots of a dataset that stay, for programs that resolved the link before they read. */
export const keptSnapshots = 8

type SnapshotFile = { readonly dataset: string; readonly bucket: string; readonly sha256: string }

/** The link that every program opens. */
export const snapshotLink = (data: string, dataset: string): string => join(lakeFolder(data), dataset)
const snapshotsFolder = (data: string, dataset: string): string => join(lakeFolder(data), 'snapshots', dataset)
const snapshotFolder = (data: string, dataset: string, version: number): string => join(snapshotsFolder(data, dataset), String(version))
const targetOf = (version: number, dataset: string): string => join('snapshots', dataset, String(version))
const isVersion = (name: string): boolean => /^\d+$/.test(name)

/**
 * Makes `lake/<dataset>` show `files`, the live files of version `version`. `check`: also compare the links of a snapshot that exists with
 * the files. Returns true if the snapshot was made or made again. `crashPoint`: named moments at which a test ends the process.
 */
export async function publishSnapshot(
  data: string,
  dataset: string,
  version: number,
  files: readonly SnapshotFile[],
  check: boolean,
  crashPoint: (name: string) => void = () => {},
): Promise<boolean> {
  const shown = await linkOf(snapshotLink(data, dataset))
  if (shown === targetOf(version, dataset) && !check) return false
  const folder = snapshotFolder(data, dataset, version)
  const wanted = new Map(files.map(file => [`${file.sha256}.parquet`, relative(folder, lakePath(data, file))]))
  const isMade = !(await hasLinks(folder, wanted))
  if (isMade) await makeSnapshot(folder, wanted)
  crashPoint('snapshot-made')
  if (shown !== targetOf(version, dataset)) await showSnapshot(data, dataset, version)
  crashPoint('snapshot-shown')
  await trimSnapshots(data, dataset, version)
  return isMade
}

/** The target of a link; null if there is none. */
async function linkOf(path: string): Promise<string | null> {
  return await readlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'EINVAL') return null
    throw error
  })
}

async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
    throw error
  })
}

async function hasLinks(folder: string, wanted: ReadonlyMap<string, string>): Promise<boolean> {
  const names = await namesIn(folder)
  if (names.length !== wanted.size) return false
  for (const name of names) if (!wanted.has(name) || (await linkOf(join(folder, name))) !== wanted.get(name)) return false
  return true
}

async function makeSnapshot(folder: string, wanted: ReadonlyMap<string, string>): Promise<void> {
  const draft = `${folder}.${randomBytes(6).toString('hex')}.tmp`
  await mkdir(draft, { recursive: true })
  for (const [name, target] of wanted) await symlink(target, join(draft, name))
  // One that a database of another time left, or that lost a link.
  await discard(folder)
  await rename(draft, folder)
}

/** Whether a folder holds nothing but links, as this module makes it. */
async function holdsOnlyLinks(folder: string): Promise<boolean> {
  return (await readdir(folder, { withFileTypes: true })).every(entry => entry.isSymbolicLink())
}

/**
 * Removes a folder with one rename first, so that no program lists a part of it. Throws `Broken` if it holds files: a worker of a version
 * that knew no links writes through them.
 */
async function discard(folder: string): Promise<void> {
  if ((await namesIn(folder)).length > 0 && !(await holdsOnlyLinks(folder)))
    throw new Broken(`${folder} holds files, expected links`, {
      hint: 'stop every worker of an older version, and move the files to the same place in lake/delta',
    })
  const away = `${folder}.${randomBytes(6).toString('hex')}.tmp`
  try {
    await rename(folder, away)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  await rm(away, { recursive: true, force: true })
}

async function showSnapshot(data: string, dataset: string, version: number): Promise<void> {
  const link = snapshotLink(data, dataset)
  const draft = join(dirname(link), `.${dataset}.${randomBytes(6).toString('hex')}.tmp`)
  await symlink(targetOf(version, dataset), draft)
  try {
    await rename(draft, link)
  } catch (cause) {
    await rm(draft, { force: true })
    if ((cause as NodeJS.ErrnoException).code !== 'EISDIR') throw cause
    throw new Broken(`${link} is a folder, expected a link to the files of the newest release`, {
      cause,
      hint: 'move the folder out of the lake; the next start makes the link',
    })
  }
}

/** One process at a time changes what is published. */
export async function lockPublication(trx: Transaction<Database>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('crossfile lake publish'))`.execute(trx)
}

/** Deletes all but the newest snapshots, and what killed processes left. */
async function trimSnapshots(data: string, dataset: string, shown: number): Promise<void> {
  const folder = snapshotsFolder(data, dataset)
  const names = await namesIn(folder)
  const newest = names
    .filter(isVersion)
    .map(Number)
    .filter(version => version <= shown)
    .sort((a, b) => b - a)
    .slice(0, keptSnapshots)
  for (const name of names) {
    if (isVersion(name) && newest.includes(Number(name))) continue
    if (isVersion(name)) await discard(join(folder, name))
    else if (await holdsOnlyLinks(join(folder, name))) await rm(join(folder, name), { recursive: true, force: true })
  }
  for (const name of await namesIn(lakeFolder(data)))
    if (name.startsWith(`.${dataset}.`) && name.endsWith('.tmp')) await rm(join(lakeFolder(data), name), { force: true })
}

/** Deletes the link and all snapshots of a dataset that has no rows. */
export async function removeSnapshots(data: string, dataset: string): Promise<void> {
  if ((await linkOf(snapshotLink(data, dataset))) !== null) await unlink(snapshotLink(data, dataset))
  await rm(snapshotsFolder(data, dataset), { recursive: true, force: true })
}

/**
 * Deletes the snapshots that name one of `files`, which are about to be deleted: DuckDB, ClickHouse and pyarrow pass over a link to a
 * missing file without an error. The caller holds the lock of the publication. If the newest snapshot is one of them (publication is a day behind), the link goes too: no answer in place of a wrong one.
 */
export async function dropSnapshotsOf(data: string, files: readonly SnapshotFile[]): Promise<void> {
  for (const [dataset, own] of Map.groupBy(files, file => file.dataset)) {
    const gone = new Set(own.map(file => `${file.sha256}.parquet`))
    const shown = await linkOf(snapshotLink(data, dataset))
    for (const name of (await namesIn(snapshotsFolder(data, dataset))).filter(isVersion)) {
      const folder = snapshotFolder(data, dataset, Number(name))
      if (!(await namesIn(folder)).some(each => gone.has(each))) continue
      if (shown === targetOf(Number(name), dataset)) await unlink(snapshotLink(data, dataset))
      await discard(folder)
    }
  }
}
