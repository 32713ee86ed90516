// The signer of a commit or a requested answer. A key that cannot be used is logged once, when it begins and when it ends: ingestion
// goes on without it.
import type { Db } from '#warehouse/postgres.ts'
import { findSigning, type Signing } from '#warehouse/receipts/rotation.ts'
import { requestRound } from '#warehouse/status/checks.ts'
import type { Log } from '../log.ts'

/** The fault that each log was told of last. */
const told = new WeakMap<Log, string>()

type SigningTools = { readonly db: Db; readonly keysFolder: string; readonly log: Log }

/** Outside of the transaction, which may last for minutes and would keep every round of checks waiting. */
function showSoon(db: Db, log: Log): void {
  requestRound(db).catch(error => log('warn', `the status of signing is shown late: ${error instanceof Error ? error.message : String(error)}`))
}

/** As `findSigning`, with one line in the log when signing stops and one when it works again. */
export async function findSigningLogged(trx: Db, { db, keysFolder, log }: SigningTools): Promise<Signing> {
  const signing = await findSigning(trx, keysFolder)
  const before = told.get(log)
  if (signing.fault && before !== signing.fault.message) {
    told.set(log, signing.fault.message)
    showSoon(db, log)
    log('error', `answers are not signed: ${signing.fault.message}; ${signing.fault.hint}`)
  } else if (signing.signer && before !== undefined) {
    told.delete(log)
    showSoon(db, log)
    log('info', `answers are signed again, by the key ${signing.signer.kid}`)
  }
  return signing
}
