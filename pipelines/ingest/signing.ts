// The signer of a commit or a requested answer. An unusable key is logged once when the problem begins and once when it ends: ingestion
// continues without it.

import { requestRound } from '#warehouse/people/status/checks.ts'
import type { Log } from '#warehouse/store/log.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import { findSigning, type Signing } from '#warehouse/store/receipts/rotation.ts'

/** The last fault written to each log. */
const lastFault = new WeakMap<Log, string>()

type SigningTools = { readonly db: Db; readonly keysFolder: string; readonly log: Log }

/** Outside the transaction, which may last for minutes and would delay every round of checks. */
function showSoon(db: Db, log: Log): void {
  requestRound(db).catch(error => log('warn', `the status of signing is shown late: ${error instanceof Error ? error.message : String(error)}`))
}

/** As `findSigning`, with one line in the log when signing stops and one when it works again. */
export async function findSigningLogged(trx: Db, { db, keysFolder, log }: SigningTools): Promise<Signing> {
  const signing = await findSigning(trx, keysFolder)
  const before = lastFault.get(log)
  if (signing.fault && before !== signing.fault.message) {
    lastFault.set(log, signing.fault.message)
    showSoon(db, log)
    log('error', `answers are not signed: ${signing.fault.message}; ${signing.fault.hint}`)
  } else if (signing.signer && before !== undefined) {
    lastFault.delete(log)
    showSoon(db, log)
    log('info', `answers are signed again, by the key ${signing.signer.kid}`)
  }
  return signing
}
