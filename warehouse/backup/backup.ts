// A backup of a running installation: one database snapshot, then the files that it names. A reader's lease keeps the collector from
// deleting a file of the snapshot before it is copied. The manifest is written last: without it there is no backup.
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Client } from 'pg'
import { BadRequest, Broken, Damaged } from '#schemas/errors.ts'
import { erasureListName, findWholeList, openErasureList, renderErasureList } from '../people/privacy/erasure-list.ts'
import { FullDisk } from '../store/disk-faults.ts'
import { lakePath } from '../store/lake/open.ts'
import type { Remote } from '../store/lake/remote.ts'
import type { Db } from '../store/postgres.ts'
import { findWholeJournal } from '../store/raw/decisions.ts'
import { journalName } from '../store/raw/journal.ts'
import { describeDamage, findDamagedRecords, recordEnd } from '../store/raw/pack.ts'
import { fetchPack, isHere, type RawPlace, rawPlace } from '../store/raw/place.ts'
import { type BlobWriter, createBlobWriter } from './blobs.ts'
import { exportTables, openSnapshot } from './export-database.ts'
import { type FileEntry, type Manifest, manifestPath, renderManifest } from './manifest.ts'
import { sealKeys } from './seal-keys.ts'
import type { BackupTarget } from './target.ts'

export type BackupRequest = {
  readonly db: Db
  /** The same database, for the connection that holds the snapshot. */
  readonly url: string
  readonly data: string
  /** The bucket of the lake: files that are not in the data folder are downloaded. Null: there is none. */
  readonly remote?: Remote | null
  readonly target: BackupTarget
  /** The version of Crossfile. */
  readonly version: string
  /** Encrypts the keys; null leaves them out. */
  readonly passphrase: string | null
  /** Leaves out lake files whose rows are all of this release or an earlier one; null copies everything. */
  readonly since: number | null
  readonly signal?: AbortSignal
}

export type BackupReport = {
  readonly manifest: Manifest
  /** What the installation has damaged in its lists, and the backup has whole: each as a sentence. */
  readonly corrected: readonly string[]
} & ReturnType<BlobWriter['counts']>

/** Makes a backup and returns its manifest. Throws `Broken` that names each damaged file; the target then has no new backup. */
export async function createBackup(request: BackupRequest): Promise<BackupReport> {
  const lease = await takeLease(request.db)
  try {
    const blobs = await createBlobWriter(request.target)
    const database = await exportDatabase(request, blobs)
    const corrected: string[] = []
    const files = [...(await copyFiles(request, database, blobs)), ...(await copyLists(request, blobs, corrected))]
    const sealed = request.passphrase === null ? null : await sealKeys(request.data, request.passphrase)
    const keys = sealed === null ? null : await asFile(blobs, 'keys.sealed', sealed)
    const { lakeFiles: _lakeFiles, packs: _packs, ...rest } = database
    const manifest: Manifest = { format: 'crossfile-backup', version: 1, crossfile: request.version, since: request.since, ...rest, files, keys }
    await request.target.write(manifestPath(manifest.id), renderManifest(manifest))
    return { manifest, corrected, ...blobs.counts() }
  } finally {
    await lease.end()
  }
}

async function asFile(blobs: BlobWriter, path: string, bytes: Buffer): Promise<FileEntry> {
  const part = await blobs.put(bytes)
  return { path, ...part, parts: [part], base: false }
}

/** Seconds of a lease, and how often it is renewed. */
const leaseSeconds = 600
const renewMs = 60_000
/** A lease on the present catalogue version: files that are removed from now on stay until it ends. */
async function takeLease(db: Db): Promise<{ end(): Promise<void> }> {
  const name = `backup:${process.pid}:${randomBytes(4).toString('hex')}`
  const renew = (): Promise<unknown> =>
    sql`insert into reader_lease (process, catalogue_version, expires_at) select ${name}, catalogue_version, clock_timestamp() + make_interval(secs => ${leaseSeconds}) from head
      on conflict (process) do update set expires_at = excluded.expires_at`.execute(db)
  await renew()
  let failed: unknown = null
  const timer = setInterval(() => {
    renew().catch(error => {
      failed = error
    })
  }, renewMs)
  return {
    async end() {
      clearInterval(timer)
      await db.deleteFrom('reader_lease').where('process', '=', name).execute()
      if (failed !== null)
        throw new Broken('the lease of the backup was not renewed, so files may be missing from it', {
          cause: failed,
          hint: 'run crossfile backup again',
        })
    },
  }
}

type LakeRow = { readonly dataset: string; readonly bucket: string; readonly sha256: string; readonly bytes: number; readonly release_max: number }
type Pack = { readonly pack: string; readonly offsets: readonly number[] }
type Exported = Omit<Manifest, 'format' | 'version' | 'crossfile' | 'since' | 'files' | 'keys'> & {
  readonly lakeFiles: readonly LakeRow[]
  readonly packs: readonly Pack[]
}

/** The content of the snapshot: rows, and which files belong to them. */
async function exportDatabase({ url, since }: BackupRequest, blobs: BlobWriter): Promise<Exported> {
  const { client, close } = await openSnapshot(url)
  try {
    const taken_at = await one<{ at: string }>(client, `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at`)
    const head = await one<{ release: string }>(client, 'select release from head')
    const release = Number(head.release)
    if (since !== null && since > release) throw new BadRequest(`--since ${since}: the newest release is ${release}`)
    const { rows: migrations } = await client.query<{ name: string; sha256: string }>('select name, sha256 from schema_migrations order by name')
    const queue = await one<{ version: number }>(client, 'select version from pgboss.version')
    const { rows: lakeFiles } = await client.query<LakeRow>(
      'select dataset, bucket, sha256, bytes::float8 as bytes, release_max::float8 as release_max from lake_file where removed_version is null order by file_id',
    )
    const { rows: packs } = await client.query<Pack>(
      'select pack, array_agg(pack_offset::float8 order by pack_offset) as offsets from raw_document group by pack order by pack',
    )
    const tables = await exportTables(client, blobs.put)
    const { rows: sequences } = await client.query<{ schema: 'public' | 'pgboss'; name: string; last_value: string }>(
      `select schemaname as schema, sequencename as name, last_value::text as last_value from pg_sequences where schemaname in ('public', 'pgboss') and last_value is not null order by 1, 2`,
    )
    const id = `${taken_at.at.replace(/[-:.]/g, '')}-r${release}`
    return { id, taken_at: taken_at.at, release, migrations, queue_version: queue.version, tables, sequences, lakeFiles, packs }
  } finally {
    await close()
  }
}

async function one<Row extends object>(client: Client, text: string): Promise<Row> {
  const { rows } = await client.query<Row>(text)
  const [row] = rows
  if (row === undefined) throw new Broken(`the database gave no row for: ${text}`)
  return row
}

/** The lake files of the snapshot, the indexed part of each raw pack, and the small files of the data folder. */
async function copyFiles(
  { data, remote = null, since, signal }: BackupRequest,
  { lakeFiles, packs }: Exported,
  blobs: BlobWriter,
): Promise<FileEntry[]> {
  const files: FileEntry[] = []
  const damaged: string[] = []
  const raws = rawPlace(data, remote)
  for (const file of lakeFiles) {
    signal?.throwIfAborted()
    // The name in the backup stays, so that `--since` finds it in earlier ones.
    const path = `lake/${file.dataset}/${file.bucket}/${file.sha256}.parquet`
    if (since !== null && file.release_max <= since) {
      files.push({ path, bytes: file.bytes, sha256: file.sha256, parts: [], base: true })
      continue
    }
    const entry = await putLakeFile(file, path, { data, remote }, blobs).catch(refuseDamaged(path, damaged))
    if (entry === null) continue
    if (entry.sha256 === file.sha256) files.push(entry)
    else damaged.push(`${path}: its SHA-256 is ${entry.sha256}`)
  }
  for (const pack of packs) {
    signal?.throwIfAborted()
    const entry = await copyPack(raws, pack, blobs, signal).catch(refuseDamaged(`raw/${pack.pack}`, damaged))
    if (entry !== null) files.push(entry)
  }
  if (damaged.length > 0)
    throw new Broken(
      `no backup was made: ${damaged.length} file${damaged.length === 1 ? '' : 's'} of the data folder cannot be copied as committed:\n  ${damaged.join('\n  ')}`,
      {
        hint: 'crossfile repair --from PLACE takes them from an earlier backup; crossfile doctor lists every damaged file',
      },
    )
  return files
}

/**
 * The journal of decisions, the list of erasures, and the mode. The first two have no recorded SHA-256, and the database has their content too:
 * the backup has both without damaged lines, and with what only the database has.
 */
async function copyLists({ db, data, remote = null }: BackupRequest, blobs: BlobWriter, corrected: string[]): Promise<FileEntry[]> {
  const files: FileEntry[] = []
  const journal = await findWholeJournal(db, rawPlace(data, remote))
  for (const name of journal.damaged) corrected.push(`${name} is not a decision; crossfile repair writes the journal again`)
  if (journal.lacking.length > 0)
    corrected.push(
      `the journal of decisions lacks ${journal.lacking.length} of the database, such as on ${journal.lacking[0]?.subject}; crossfile repair adds them`,
    )
  if (journal.text !== '') files.push(await asFile(blobs, `raw/${journalName}`, Buffer.from(journal.text)))
  const { erased, damaged, lacking } = await findWholeList(db, openErasureList(data, remote))
  corrected.push(...damaged.map(each => `${each}; the job erasure writes the list again`))
  if (lacking > 0) corrected.push(`${erasureListName} lacks ${lacking} of the database; the job erasure writes the list again`)
  if (erased.length > 0) files.push(await asFile(blobs, erasureListName, Buffer.from(renderErasureList(erased))))
  if (existsSync(join(data, 'mode'))) files.push(await asFile(blobs, 'mode', await readFile(join(data, 'mode'))))
  return files
}

/** Copies a lake file. One that only the bucket has, or has whole, is downloaded first. */
async function putLakeFile(
  { dataset, bucket, sha256 }: LakeRow,
  path: string,
  { data, remote }: { readonly data: string; readonly remote: Remote | null },
  blobs: BlobWriter,
): Promise<FileEntry> {
  const from = lakePath(data, { dataset, bucket, sha256 })
  if (remote !== null && !existsSync(from)) await remote.fetch({ dataset, sha256, path: from })
  const entry = await blobs.putFile(from, path, null)
  if (remote === null || entry.sha256 === sha256) return entry
  await remote.fetch({ dataset, sha256, path: from })
  return await blobs.putFile(from, path, null)
}

/** Copies a pack to the end of its last indexed record. Throws `Broken` if a record differs from its SHA-256, so that a damaged copy never counts as whole. */
async function copyPack(place: RawPlace, { pack, offsets }: Pack, blobs: BlobWriter, signal: AbortSignal | undefined): Promise<FileEntry> {
  const { folder, objects } = place
  const wasHere = isHere(place, pack)
  const damagedHere = async (): Promise<number[]> => await findDamagedRecords(folder, pack, offsets, signal)
  if (objects !== null && (!wasHere || (await damagedHere()).length > 0)) await fetchPack(objects, pack, folder)
  try {
    const damage = describeDamage(await damagedHere())
    if (damage !== null) throw new Broken(damage)
    return await blobs.putFile(join(folder, pack), `raw/${pack}`, await recordEnd(folder, pack, offsets.at(-1) ?? 0))
  } finally {
    if (objects !== null && !wasHere) await rm(join(folder, pack), { force: true })
  }
}

/** A file that is missing, truncated or unreadable is reported together with all others; an error of the target ends the backup. */
function refuseDamaged(path: string, damaged: string[]): (error: unknown) => null {
  return error => {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    // The target is full: the files are as committed.
    if (error instanceof FullDisk) throw error
    if (!missing && !(error instanceof Broken) && !(error instanceof Damaged)) throw error
    damaged.push(`${path}: ${missing ? 'it is missing' : (error as Error).message}`)
    return null
  }
}
