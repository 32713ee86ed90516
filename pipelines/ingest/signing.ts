// The signer of a commit or a requested answer. A key that cannot be used is logged once, when it begins and when it ends: ingestion
// goes on without it.
import type { Db } from '#warehouse/postgres.ts'
import { findSigning, type Signing } from '#warehouse/receipts/rotation.ts'
import type { Log } from '../log.ts'

/** The fault that each log was told of last. */
const told = new WeakMap<Log, string>()

/** As `findSigning`, with one line in the log when signing stops and one when it works again. */
export async function findSigningLogged(trx: Db, { keysFolder, log }: { readonly keysFolder: string; readonly log: Log }): Promise<Signing> {
  const signing = await findSigning(trx, keysFolder)
  const before = told.get(log)
  if (signing.fault && before !== signing.fault.message) {
    told.set(log, signing.fault.message)
    log('error', `answers are not signed: ${signing.fault.message}; ${signing.fault.hint}`)
  } else if (signing.signer && before !== undefined) {
    told.delete(log)
    log('info', `answers are signed again, by the key ${signing.signer.kid}`)
  }
  return signing
}
