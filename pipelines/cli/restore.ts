// `crossfile restore`: restores a backup into an empty folder.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { BadRequest } from '#schemas/errors.ts'
import { listBackups, type Manifest, readBackup } from '#warehouse/backup/manifest.ts'
import { erasuresOf, restoreBackup } from '#warehouse/backup/restore.ts'
import type { BackupTarget } from '#warehouse/backup/target.ts'
import type { Erased } from '#warehouse/people/privacy/erasure.ts'
import { parseErasureList } from '#warehouse/people/privacy/erasure-list.ts'
import { openTarget } from '../jobs/backup/run.ts'
import { readArguments } from './arguments.ts'
import { passphraseOf, readBases } from './backup.ts'
import { commands } from './commands.ts'
import type { Io } from './io.ts'
import { printJson, size, some } from './output.ts'

export async function restore(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('restore', commands.restore.options, argv, { least: 1, most: 1, what: 'the place of the backup' })
  const config = io.config()
  const data = values.data === undefined ? config.dataFolder : resolve(values.data)
  const target = openTarget(rest[0] ?? '', { ...config, dataFolder: data })
  const manifest = await readBackup(target, values.at ?? null)
  const bases = await readBases(io, values.base)
  const erasures = [...(await listedErasures(io, target)), ...(await givenErasures(values.erasures))]
  const wantsKeys = manifest.keys !== null && !values['without-keys']
  const report = await restoreBackup({
    targets: [target, ...bases.targets],
    manifest,
    bases: bases.manifests,
    data,
    databaseUrl: config.databaseUrl?.reveal() ?? null,
    passphrase: wantsKeys ? await passphraseOf(values['passphrase-file'], 'Passphrase of the keys: ') : null,
    erasures,
    now: io.now,
  })
  if (values.json) {
    printJson(io, { backup: manifest.id, taken_at: manifest.taken_at, release: manifest.release, data, ...report })
    return 0
  }
  io.out(`backup ${manifest.id} (${manifest.taken_at}, release ${manifest.release}) is restored in ${data}`)
  io.out(`  ${some(report.files, 'file')}, ${some(report.rows, 'row')} of ${some(report.tables, 'table')}, ${size(report.bytes)} read`)
  for (const each of report.corrected) io.out(`  ${each}`)
  io.out(`  erased again: ${some(report.erased_again, 'account')}; all users must sign in again`)
  io.out(
    report.keys > 0
      ? `  keys: ${some(report.keys, 'file')}`
      : '  keys: none restored. Copy your keys/ into the folder before the start, or passwords and second factors do not work.',
  )
  io.out(
    '  API keys, admin rights and signing keys that were revoked after the backup are valid again: check crossfile keys list, admin list and signing-keys list.',
  )
  io.out(
    '  The log of receipts is not signed until you decide: copy the newest folder receipt-log/ of the old installation (of its bucket, if its lake is in one) into the new one, if you have it, then run crossfile receipt-log continue.',
  )
  return 0
}

/** The erasures that every backup of the target lists. One that cannot be read is reported: its accounts would reappear. */
async function listedErasures(io: Io, target: BackupTarget): Promise<readonly Erased[]> {
  const manifests: Manifest[] = []
  for (const id of await listBackups(target)) {
    try {
      manifests.push(await readBackup(target, id))
    } catch (error) {
      io.err(`${error instanceof Error ? error.message : String(error)}; its list of erasures is not used (give a copy with --erasures FILE)`)
    }
  }
  const { erased, damaged } = await erasuresOf(target, manifests)
  for (const each of damaged) io.err(`${each}; it is not used (give a copy with --erasures FILE)`)
  return erased
}

async function givenErasures(path: string | undefined): Promise<readonly Erased[]> {
  if (path === undefined) return []
  try {
    return parseErasureList(path, await readFile(path, 'utf8'))
  } catch (cause) {
    if (cause instanceof BadRequest) throw cause
    throw new BadRequest(`--erasures ${path} cannot be read (${(cause as NodeJS.ErrnoException).code ?? String(cause)})`, { cause })
  }
}
