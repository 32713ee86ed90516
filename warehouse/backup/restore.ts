// Restores a backup into an empty folder and an empty database. Everything is verified before anything is written.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BadRequest, Broken } from '#schemas/errors.ts'
import type { Erased } from '../people/privacy/erasure.ts'
import { replayErasures } from '../people/privacy/erasure.ts'
import { erasureListName, openErasureList, type ReadList, readErasureLines, writeErasureList } from '../people/privacy/erasure-list.ts'
import { startEmbeddedPostgres } from '../store/embedded-postgres.ts'
import { lakePath } from '../store/lake/open.ts'
import { connect } from '../store/postgres.ts'
import { rewriteJournal } from '../store/raw/decisions.ts'
import { journalName } from '../store/raw/journal.ts'
import { rawPlace } from '../store/raw/place.ts'
import { makeFolder } from '../store/start-check/start-check.ts'
import { syncFolder } from '../store/sync-folder.ts'
import { readPart } from './blobs.ts'
import { checkMigrations, importDatabase, refuseFilled } from './import-database.ts'
import type { FileEntry, Manifest, Part } from './manifest.ts'
import { type KeyFile, openKeys, writeKeys } from './seal-keys.ts'
import { type BackupTarget, refuseFullDisk, writeDurably } from './target.ts'
import { type Damage, partsOf, verifyBackup } from './verify.ts'

/** In the data folder while a restore is under way; a start refuses a folder that has it. */
const unfinishedName = 'restore-unfinished'

export type RestoreRequest = {
  /** The place of the backup first, then those of earlier backups that `--since` refers to. */
  readonly targets: readonly BackupTarget[]
  readonly manifest: Manifest
  readonly bases: readonly Manifest[]
  readonly data: string
  /** Null: the database that comes with Crossfile, in the data folder. */
  readonly databaseUrl: string | null
  /** Opens the keys; null leaves them out. */
  readonly passphrase: string | null
  /** Erasures that later backups and other copies of the list name. */
  readonly erasures: readonly Erased[]
  readonly now: () => Date
}

export type RestoreReport = {
  readonly files: number
  readonly tables: number
  readonly rows: number
  readonly bytes: number
  readonly keys: number
  readonly erased_again: number
  /** What the backup had damaged and the restored database has: each as a sentence. */
  readonly corrected: readonly string[]
}

/** Restores a backup. Throws `BadRequest` if folder or database is not empty and `Broken` that names each damaged object: nothing is written then. */
export async function restoreBackup(request: RestoreRequest): Promise<RestoreReport> {
  const { manifest, data, targets, bases, databaseUrl } = request
  await refuseFilledFolder(data)
  checkMigrations(manifest)
  if (databaseUrl !== null) await refuseFilled(databaseUrl)
  refuseWithoutBases(manifest, bases)
  const { damaged, bytes } = await verifyBackup(targets, manifest, { bases })
  if (damaged.length > 0) throw damagedBackup(damaged)
  const read = async (part: Part): Promise<Buffer> => {
    const found = await readPart(targets, part)
    if (typeof found === 'string') throw new Broken(`the backup changed while it was read: ${part.sha256} ${found}`)
    return found
  }
  const keys = await readKeys(request, read)
  await makeFolder(data, 'CROSSFILE_DATA (or --data)')
  await writeDurably(join(data, unfinishedName), Buffer.from(`${manifest.id}\n`))
  for (const file of manifest.files) await writeFile(data, file, partsOf(file, bases) ?? [], read).catch(refuseFullDisk(data))
  await writeKeys(data, keys)
  const { erased_again, corrected } = await restoreDatabase(request, read)
  await rm(join(data, unfinishedName))
  await syncFolder(data)
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0)
  return { files: manifest.files.length, tables: manifest.tables.length, rows, bytes, keys: keys.length, erased_again, corrected }
}

async function refuseFilledFolder(data: string): Promise<void> {
  if (!existsSync(data)) return
  const names = await readdir(data)
  if (names.includes(unfinishedName))
    throw new BadRequest(`${data} holds a restore that did not finish`, { hint: 'delete the folder, then restore again' })
  if (names.length > 0)
    throw new BadRequest(`${data} is not empty (${names.slice(0, 3).join(', ')}); a restore overwrites nothing`, {
      hint: 'name an empty or new folder with --data',
    })
}

/** Throws `BadRequest` if files that `--since` left out are in none of the given earlier backups: nothing is damaged then. */
function refuseWithoutBases(manifest: Manifest, bases: readonly Manifest[]): void {
  const lacking = manifest.files.filter(file => partsOf(file, bases) === null)
  if (lacking.length === 0) return
  throw new BadRequest(
    `the backup ${manifest.id} was made with --since ${manifest.since}: ${lacking.length} of its ${manifest.files.length} files are in an earlier backup, such as ${lacking[0]?.path}`,
    { hint: 'name the place of that backup with --base' },
  )
}

function damagedBackup(damaged: readonly Damage[]): Broken {
  const lines = damaged.map(({ subject, object, reason }) => `  ${subject}: ${object === null ? reason : `${object} ${reason}`}`)
  return new Broken(`the backup is damaged, nothing was restored:\n${lines.join('\n')}`, {
    hint: 'bring these objects back from another copy of the backup, or restore an earlier backup (--at)',
  })
}

async function readKeys({ manifest, passphrase }: RestoreRequest, read: (part: Part) => Promise<Buffer>): Promise<KeyFile[]> {
  if (manifest.keys === null || passphrase === null) return []
  return openKeys(Buffer.concat(await Promise.all(manifest.keys.parts.map(read))), passphrase)
}

/** Where a file belongs. A backup names lake files `lake/<dataset>/<bucket>/<sha256>.parquet`, wherever the data folder has its tables. */
function pathOf(data: string, { path }: FileEntry): string {
  const [, dataset, bucket, sha256] = /^lake\/([^/]+)\/([^/]+)\/([^/]+)\.parquet$/.exec(path) ?? []
  return dataset === undefined || bucket === undefined || sha256 === undefined ? join(data, path) : lakePath(data, { dataset, bucket, sha256 })
}

/** Writes one file of the data folder, synced, with the digest of the manifest. */
async function writeFile(data: string, entry: FileEntry, parts: readonly Part[], read: (part: Part) => Promise<Buffer>): Promise<void> {
  const path = pathOf(data, entry)
  await mkdir(dirname(path), { recursive: true })
  const hash = createHash('sha256')
  const file = await open(`${path}.tmp`, 'wx', 0o644)
  try {
    for (const part of parts) {
      const bytes = await read(part)
      hash.update(bytes)
      await file.writeFile(bytes)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  if (hash.digest('hex') !== entry.sha256) throw new Broken(`backup: the parts of ${entry.path} do not make the file of the manifest`)
  await rename(`${path}.tmp`, path)
  if (entry.path.startsWith('lake/')) await chmod(path, 0o444)
  await syncFolder(dirname(path))
}

/**
 * Fills the database, then erases again the accounts that were erased after the backup. A damaged journal of decisions, which earlier versions copied
 * without a check, is written again from the rows: a start with a bucket would refuse it.
 */
async function restoreDatabase(
  request: RestoreRequest,
  read: (part: Part) => Promise<Buffer>,
): Promise<Pick<RestoreReport, 'erased_again' | 'corrected'>> {
  const { data, databaseUrl, manifest } = request
  const embedded = databaseUrl === null ? await startEmbeddedPostgres({ dataDir: join(data, 'postgres') }) : null
  try {
    const url = databaseUrl ?? embedded?.url ?? ''
    await importDatabase(url, manifest, read)
    const { db, close } = connect(url, { applicationName: 'crossfile restore', max: 2 })
    try {
      const erased = await replayErasures(db, request.erasures, request.now())
      await writeErasureList(db, openErasureList(data, null))
      const { damaged, lacking } = await rewriteJournal(db, rawPlace(data, null))
      const corrected =
        damaged.length + lacking.length === 0
          ? []
          : [`raw/${journalName}: written again from the database (${damaged.length} damaged, ${lacking.length} lost)`]
      return { erased_again: erased.length, corrected }
    } finally {
      await close()
    }
  } finally {
    await embedded?.stop()
  }
}

/**
 * The lists of erasures of several backups as one. What is missing or damaged in one of them is named and does not end the restore: the other
 * backups have the same lines.
 */
export async function erasuresOf(target: BackupTarget, manifests: readonly Manifest[]): Promise<ReadList> {
  const erased: Erased[] = []
  const damaged: string[] = []
  for (const { id, files } of manifests) {
    const entry = files.find(file => file.path === erasureListName)
    if (entry === undefined) continue
    const name = `${erasureListName} of backup ${id}`
    const parts = await Promise.all(entry.parts.map(part => readPart([target], part)))
    const fault = parts.find(part => typeof part === 'string')
    if (fault !== undefined) {
      damaged.push(`${name}: its object in ${target.name} ${fault}`)
      continue
    }
    const list = readErasureLines(name, Buffer.concat(parts as Buffer[]).toString('utf8'))
    erased.push(...list.erased)
    damaged.push(...list.damaged)
  }
  return { erased, damaged }
}
