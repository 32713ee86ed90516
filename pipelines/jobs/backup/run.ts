// Backups as started by the command line and by the job `backup`.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Config } from '#schemas/config.ts'
import { some } from '#schemas/counts.ts'
import { BadRequest, Broken, CrossfileError } from '#schemas/errors.ts'
import { createBackup } from '#warehouse/backup/backup.ts'
import { listBackups, type Manifest, readBackup } from '#warehouse/backup/manifest.ts'
import { checkPassphrase } from '#warehouse/backup/seal-keys.ts'
import { type BackupTarget, folderTarget } from '#warehouse/backup/target.ts'
import { verifyBackup } from '#warehouse/backup/verify.ts'
import type { Log } from '#warehouse/store/log.ts'
import { s3Settings } from '#warehouse/store/object-store/client.ts'
import type { Runtime } from '../../ingest/runtime.ts'
import { version } from '../jobs-file.ts'
import { s3Target } from './s3.ts'

/** The target at an address: a folder, or `s3://bucket/prefix`. Throws `BadRequest` for any other address. */
export function openTarget(place: string, config: Config): BackupTarget {
  if (/^s3:\/\/[^/]/.test(place)) return s3Target(place, s3Settings(config))
  if (place.includes('://')) throw new BadRequest(`${place}: a backup goes to a folder or to s3://bucket/prefix`)
  const folder = resolve(place)
  if (folder === config.dataFolder || folder.startsWith(`${config.dataFolder}/`))
    throw new BadRequest(`${place} is in the data folder, and would be lost with it`, { hint: 'name a folder on another disk' })
  return folderTarget(folder)
}

/** The first line of a file. Throws `BadRequest` if it cannot be read or is too short for a passphrase. */
export async function readPassphrase(path: string): Promise<string> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    throw new BadRequest(`the passphrase file ${path} cannot be read (${(cause as NodeJS.ErrnoException).code ?? String(cause)})`, { cause })
  }
  return checkPassphrase((text.split('\n')[0] ?? '').replace(/\r$/, ''))
}

/** The job `backup`: to CROSSFILE_BACKUP_TO, with the keys if CROSSFILE_BACKUP_PASSPHRASE_FILE gives a passphrase. */
export async function backUpBySchedule({ config, postgres, url, tools }: Runtime, signal: AbortSignal): Promise<string> {
  if (config.backupTo === null) throw noTarget()
  const passphrase = config.backupPassphraseFile === null ? null : await readPassphrase(config.backupPassphraseFile)
  const target = openTarget(config.backupTo, config)
  const { manifest, copied, copied_bytes, rewritten, corrected } = await createBackup({
    db: postgres.db,
    url,
    data: config.dataFolder,
    remote: tools.writer.remote ?? null,
    target,
    version,
    passphrase,
    since: null,
    signal,
  })
  return `backup ${manifest.id}: ${some(manifest.files.length, 'file')} and ${some(manifest.tables.length, 'table')}, ${some(copied, 'object')} of ${some(copied_bytes, 'byte')} copied${rewritten === 0 ? '' : `, ${rewritten} of them because the place had them damaged`}${manifest.keys === null ? ', without keys' : ''}${corrected.map(each => `; damaged here: ${each}`).join('')}`
}

/** Damaged objects that the log of a run names one by one. */
const namedDamages = 200
/** Lines of progress that the log of a run gets. */
const progressLines = 20

/**
 * The job `backup-verify`: reads the newest backup of CROSSFILE_BACKUP_TO and compares every byte with its digest. The log gets the progress and
 * each damaged object. Returns a note. Throws `Broken` that names the first damaged object.
 */
export async function verifyNewestBackup(config: Config, log: Log, signal: AbortSignal): Promise<string> {
  if (config.backupTo === null) throw noTarget()
  const target = openTarget(config.backupTo, config)
  const manifest = await readBackup(target, null)
  const { damaged, files, tables, bytes } = await verifyBackup([target], manifest, {
    signal,
    onProgress: ({ done, of, bytes: read }) => {
      const [before, now] = [done - 1, done].map(each => Math.floor((each * progressLines) / of))
      if (before !== now) log('info', `backup ${manifest.id}: ${done} of ${of} tables and files checked, ${read} bytes read`)
    },
  })
  for (const { subject, object, reason } of damaged.slice(0, namedDamages))
    log('error', `backup ${manifest.id}: damaged ${subject}: ${object === null ? reason : `${object} ${reason}`}`)
  const [first] = damaged
  if (first !== undefined)
    throw new Broken(
      `backup ${manifest.id}: ${some(damaged.length, 'object is', 'objects are')} damaged or missing, such as ${first.object ?? first.subject}: ${first.reason}`,
      { hint: `delete damaged objects from ${target.name} and back up again, or bring them back from another copy` },
    )
  return `backup ${manifest.id} is whole: ${some(files, 'file')} and ${some(tables, 'table')}, ${some(bytes, 'byte')} read`
}

const noTarget = (): BadRequest => new BadRequest('no target for backups', { hint: 'set CROSSFILE_BACKUP_TO to a folder or s3://bucket/prefix' })

const summaryOf = ({ id, taken_at, release, files, tables, keys, crossfile }: Manifest) => ({
  backup: id,
  taken_at,
  release,
  files: files.length,
  bytes: files.reduce((sum, file) => sum + file.bytes, 0),
  tables: tables.length,
  keys: keys !== null,
  crossfile,
})

/** Backups that a list shows. */
const shownBackups = 50

/** The newest backups of CROSSFILE_BACKUP_TO, newest first, and the reasons of manifests that cannot be read; `place` is null if it is not set. */
export async function readBackups(config: Config) {
  if (config.backupTo === null) return { place: null, backups: [], damaged: [] }
  const target = openTarget(config.backupTo, config)
  const backups: ReturnType<typeof summaryOf>[] = []
  const damaged: string[] = []
  for (const id of (await listBackups(target)).toReversed().slice(0, shownBackups)) {
    try {
      backups.push(summaryOf(await readBackup(target, id)))
    } catch (error) {
      if (!(error instanceof CrossfileError)) throw error
      damaged.push(error.message)
    }
  }
  return { place: target.name, backups, damaged }
}
