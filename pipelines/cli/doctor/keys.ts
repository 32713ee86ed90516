// The keys folder: readable, with the private half of the active key.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Broken, CrossfileError } from '#schemas/errors.ts'
import { sealKeyName } from '#warehouse/people/admin/secret-key.ts'
import { pepperName } from '#warehouse/people/users/passwords.ts'
import { keysFolderOf, readKeyFiles } from '#warehouse/store/key-files.ts'
import { findKeyFaults } from '#warehouse/store/key-fingerprints.ts'
import { openRemote } from '#warehouse/store/lake/open-remote.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { countWaiting } from '#warehouse/store/receipts/countersign.ts'
import { openLogFolder } from '#warehouse/store/receipts/log/open-folder.ts'
import { findDamagedFile, readLogState, silentWitnesses } from '#warehouse/store/receipts/log/state.ts'
import { checkSigning } from '#warehouse/store/receipts/rotation.ts'
import { inspectKeyFiles } from '#warehouse/store/receipts/signer.ts'
import { sharedKeyName } from '#warehouse/store/shared-keys.ts'
import { some } from '../output.ts'
import { type DoctorCheck, type Finding, ok, unchecked, withBucket, wrong } from './check.ts'

const restoreKeys = 'restore keys/ from a backup (crossfile restore of a backup made with --keys, or your own copy)'

export const keysCheck: DoctorCheck = {
  name: 'keys',
  run: async ({ config, db }) => {
    const folder = keysFolderOf(config.dataFolder)
    if (!existsSync(folder))
      return [existsSync(join(config.dataFolder, 'lake')) ? wrong(`the folder ${folder} is missing`, restoreKeys) : unchecked('there is no data yet')]
    const findings: Finding[] = []
    const read = <T>(work: () => T): T | null => {
      try {
        return work()
      } catch (error) {
        if (!(error instanceof CrossfileError)) throw error
        findings.push(wrong(error.message, error.hint ?? restoreKeys))
        return null
      }
    }
    const files = read(() => inspectKeyFiles(folder)) ?? []
    const usable = files.filter(file => file.fault === null)
    for (const { fault } of files) if (fault) findings.push(wrong(fault.message, fault.hint ?? restoreKeys))
    for (const [name, what] of [
      [pepperName, 'no password can be checked'],
      [sealKeyName, 'no second factor can be checked'],
    ] as const) {
      const keys = read(() => readKeyFiles(folder, name))
      if (keys?.size === 0) findings.push(wrong(`the key ${name} is missing: ${what}`, restoreKeys))
    }
    if (db !== null) {
      const names = [pepperName, sealKeyName, ...(config.lake === null ? [] : [sharedKeyName])]
      for (const { message, hint } of await findKeyFaults(db, folder, names).catch(unlessFile)) findings.push(wrong(message, hint))
    }
    findings.push(...(db === null ? [unchecked('the active key: needs the database')] : await signingFindings(db, folder)))
    return findings.some(each => each.state === 'wrong')
      ? findings
      : [...findings, ok(`${some(usable.length, 'signing key')}, readable only by the owner`)]
  },
}

/** A file that cannot be used is a finding already. */
function unlessFile(error: unknown): never[] {
  if (error instanceof Broken) return []
  throw error
}

/** The receipt log: whether it can be continued, and whether its published files are whole. */
export const receiptLogCheck: DoctorCheck = withBucket('receipt log', async (db, { config, signal }) => {
  const folder = openLogFolder(config.dataFolder, await openRemote(config))
  const { origin, size, waiting, fault, witnesses } = await readLogState(db, folder)
  if (fault !== null) return [wrong(`the receipt log is not signed: ${fault.message}`, fault.hint)]
  const damaged = await findDamagedFile(db, folder, signal)
  if (damaged !== null)
    return [wrong(`the receipt log: ${damaged}`, 'restart the worker: it writes damaged files of the log again from the database')]
  if (origin === null) return [unchecked('there is no receipt log yet')]
  const silent = silentWitnesses(witnesses).map(each =>
    wrong(each, 'ask the operator of the witness, or change CROSSFILE_WITNESSES; docs/receipts.md, "Witnesses", explains each state'),
  )
  return [
    ok(
      `${origin}: ${some(size, 'entry', 'entries')}, the files have the signed root${waiting === 0 ? '' : `; ${some(waiting, 'receipt waits', 'receipts wait')} for a running worker`}`,
    ),
    ...silent,
  ]
})

/** Whether answers are signed now, and whether a revocation is finished. */
async function signingFindings(db: Db, folder: string): Promise<Finding[]> {
  const { fault } = await checkSigning(db, folder)
  const waiting = await countWaiting(db)
  return [
    ...(fault === null ? [] : [wrong(`answers are not signed: ${fault.message}`, fault.hint)]),
    ...(waiting === 0
      ? []
      : [
          wrong(
            some(waiting, 'receipt of a revoked key still needs its second signature', 'receipts of a revoked key still need their second signature'),
            'start a worker, which signs them; crossfile signing-keys list shows how many are left',
          ),
        ]),
  ]
}
