// `crossfile backup`, `backup list`, `backup verify`.
import { BadRequest } from '#schemas/errors.ts'
import { createBackup } from '#warehouse/backup/backup.ts'
import { listBackups, type Manifest, readBackup } from '#warehouse/backup/manifest.ts'
import { checkPassphrase } from '#warehouse/backup/seal-keys.ts'
import type { BackupTarget } from '#warehouse/backup/target.ts'
import { verifyBackup } from '#warehouse/backup/verify.ts'
import { openRemote } from '#warehouse/store/lake/open-remote.ts'
import { checkLakePlace } from '#warehouse/store/lake/place.ts'
import { openTarget, readPassphrase } from '../jobs/backup/run.ts'
import { version } from '../jobs/jobs-file.ts'
import { readArguments, wholeNumber } from './arguments.ts'
import { askSecret } from './ask-secret.ts'
import { commands } from './commands.ts'
import { withDatabaseAt } from './database.ts'
import type { Io } from './io.ts'
import { columnsOf, moment, printJson, printTable, size, some } from './output.ts'

/** Where backups are: the argument, `--to`, or CROSSFILE_BACKUP_TO. */
function targetOf(io: Io, rest: readonly string[], to: string | undefined): BackupTarget {
  if (rest[0] !== undefined && to !== undefined) throw new BadRequest(`both ${rest[0]} and --to ${to} name a target`, { hint: 'give one of them' })
  const place = rest[0] ?? to ?? io.config().backupTo
  if (place === null || place === undefined)
    throw new BadRequest('no backup target is given', { hint: 'crossfile backup DIR, --to s3://bucket/prefix, or CROSSFILE_BACKUP_TO' })
  return openTarget(place, io.config())
}

/** A passphrase from a file, else from the terminal. */
export async function passphraseOf(file: string | undefined, question: string): Promise<string> {
  return file === undefined ? checkPassphrase(await askSecret(question)) : await readPassphrase(file)
}

export async function backup(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('backup', commands.backup.options, argv, { most: 1 })
  const target = targetOf(io, rest, values.to)
  if (!values.keys && values['passphrase-file'] !== undefined)
    throw new BadRequest('--passphrase-file requires --keys', { hint: 'add --keys to include the keys' })
  const since = values.since === undefined ? null : wholeNumber('--since', values.since, { from: 0, to: 999_999_999, otherwise: 0 })
  const passphrase = values.keys ? await passphraseOf(values['passphrase-file'], 'Passphrase for the keys: ') : null
  const signal = io.interrupted()
  const config = io.config()
  const report = await withDatabaseAt(io, async ({ db }, url) => {
    await checkLakePlace(db, config.lake)
    const remote = await openRemote(config, io.log)
    return await createBackup({ db, url, data: config.dataFolder, remote, target, version, passphrase, since, signal })
  })
  const { manifest, copied, copied_bytes, held, rewritten, corrected } = report
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0)
  if (values.json) {
    printJson(io, { ...summaryOf(manifest), to: target.name, copied, copied_bytes, already_there: held, rewritten, corrected })
    return 0
  }
  io.out(`backup ${manifest.id} in ${target.name}`)
  io.out(`  recovery point  ${manifest.taken_at}, release ${manifest.release}`)
  io.out(`  holds           ${some(manifest.files.length, 'file')} (${size(bytes)}), ${some(manifest.tables.length, 'table')}`)
  io.out(`  copied          ${some(copied, 'object')}, ${size(copied_bytes)}; ${held} already present`)
  if (rewritten > 0) io.out(`  rewritten       ${some(rewritten, 'object was', 'objects were')} damaged there, and written again: check that disk`)
  for (const each of corrected) io.out(`  damaged here    ${each}`)
  io.out(`  keys            ${manifest.keys === null ? 'not included: keep a copy of the folder keys/, or add --keys' : 'included, encrypted'}`)
  if (since !== null) io.out(`  needs           a backup of release ${since} for files up to that release (restore --base)`)
  return 0
}

const summaryOf = (manifest: Manifest) => ({
  backup: manifest.id,
  taken_at: manifest.taken_at,
  release: manifest.release,
  since: manifest.since,
  files: manifest.files.length,
  bytes: manifest.files.reduce((sum, file) => sum + file.bytes, 0),
  tables: manifest.tables.length,
  keys: manifest.keys !== null,
  crossfile: manifest.crossfile,
})

export async function backupList(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('backup list', commands['backup list'].options, argv, { most: 1 })
  const target = targetOf(io, rest, values.to)
  const found: ReturnType<typeof summaryOf>[] = []
  const damaged: string[] = []
  for (const id of await listBackups(target)) {
    try {
      found.push(summaryOf(await readBackup(target, id)))
    } catch (error) {
      damaged.push(error instanceof Error ? error.message : String(error))
    }
  }
  if (values.json) printJson(io, { in: target.name, backups: found, damaged })
  else if (found.length === 0) io.out(`${target.name} holds no backup`)
  else {
    const columns = columnsOf('*backup', 'taken', '>release', '>files', '>size', 'keys')
    printTable(
      io,
      columns,
      found.map(each => [each.backup, moment(each.taken_at), each.release, each.files, size(each.bytes), each.keys ? 'yes' : 'no']),
    )
  }
  if (!values.json) for (const message of damaged) io.err(message)
  return damaged.length > 0 ? 1 : 0
}

/** The targets and manifests of `--base`. */
export async function readBases(io: Io, list: string | undefined): Promise<{ readonly targets: BackupTarget[]; readonly manifests: Manifest[] }> {
  const targets = (list ?? '')
    .split('\n')
    .filter(place => place !== '')
    .map(place => openTarget(place, io.config()))
  const manifests = await Promise.all(targets.map(async target => Promise.all((await listBackups(target)).map(id => readBackup(target, id)))))
  return { targets, manifests: manifests.flat() }
}

export async function backupVerify(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('backup verify', commands['backup verify'].options, argv, { most: 1 })
  const target = targetOf(io, rest, values.to)
  const manifest = await readBackup(target, values.at ?? null)
  const bases = await readBases(io, values.base)
  const { damaged, files, tables, bytes } = await verifyBackup([target, ...bases.targets], manifest, { bases: bases.manifests })
  if (values.json) printJson(io, { ...summaryOf(manifest), in: target.name, read_bytes: bytes, damaged })
  else {
    for (const { subject, object, reason } of damaged) io.out(`damaged  ${subject}: ${object === null ? reason : `${object} ${reason}`}`)
    if (damaged.length === 0) io.out(`backup ${manifest.id} is whole: ${some(files, 'file')} and ${some(tables, 'table')}, ${size(bytes)} read`)
    else
      io.err(
        `backup ${manifest.id}: ${some(damaged.length, 'object is', 'objects are')} damaged or missing. Delete them from ${target.name} and run crossfile backup again, or bring them back from another copy.`,
      )
  }
  return damaged.length === 0 ? 0 : 1
}
