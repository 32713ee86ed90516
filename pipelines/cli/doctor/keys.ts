// The keys folder: readable, and the private half of the key that signs now.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CrossfileError } from '#schemas/errors.ts'
import { sealKeyName } from '#warehouse/admin/secret-key.ts'
import { readSigners } from '#warehouse/receipts/signer.ts'
import { keysFolderOf, readKeyFiles } from '#warehouse/users/key-files.ts'
import { pepperName } from '#warehouse/users/passwords.ts'
import { type DoctorCheck, type Finding, ok, unchecked, wrong } from './check.ts'

const restoreKeys = 'restore keys/ from a backup (crossfile restore of a backup with --keys, or your own copy)'

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
    const signers = read(() => readSigners(folder))
    for (const [name, what] of [
      [pepperName, 'no password can be checked'],
      [sealKeyName, 'no second factor can be checked'],
    ] as const) {
      const keys = read(() => readKeyFiles(folder, name))
      if (keys?.size === 0) findings.push(wrong(`the key ${name} is missing: ${what}`, restoreKeys))
    }
    if (db === null) findings.push(unchecked('which key signs now: needs the database'))
    else if (signers !== null) {
      const active = await db.selectFrom('signing_key').select('kid').where('status', '=', 'active').executeTakeFirst()
      if (active && !signers.some(signer => signer.kid === active.kid))
        findings.push(wrong(`the private half of the signing key ${active.kid} is missing: answers cannot be signed`, restoreKeys))
    }
    return findings.some(each => each.state === 'wrong')
      ? findings
      : [...findings, ok(`${signers?.length ?? 0} signing keys, readable by their owner alone`)]
  },
}
