// Requests of administrators about receipts: which private keys are here, rotate, revoke, continue the log. The row of the audit chain is
// written in the transaction of the change.
import { BadRequest, CrossfileError } from '#schemas/errors.ts'
import { requestRound } from '#warehouse/people/status/checks.ts'
import { audit } from '#warehouse/people/users/audit.ts'
import { openLogFolder } from '#warehouse/store/receipts/log/open-folder.ts'
import { continueLog } from '#warehouse/store/receipts/log/state.ts'
import { auditOf, checkSigning, type Revocation, revokeKey, rotateKey } from '#warehouse/store/receipts/rotation.ts'
import { inspectKeyFiles } from '#warehouse/store/receipts/signer.ts'
import { findKeyRows } from '#warehouse/store/receipts/store.ts'
import type { IngestTools } from '../../ingest/ingest.ts'
import type { RequestTools } from './request-tools.ts'

/** Whether answers are signed, and the ids of the keys whose private half is in the keys folder of this worker. */
export async function readSigning({ db, keysFolder }: Pick<IngestTools, 'db' | 'keysFolder'>): Promise<object> {
  const { fault } = await checkSigning(db, keysFolder)
  return { fault: fault === null ? null : { message: fault.message, hint: fault.hint }, held: heldKeys(keysFolder) }
}

function heldKeys(folder: string): string[] {
  try {
    return inspectKeyFiles(folder).flatMap(file => file.signer?.kid ?? [])
  } catch (error) {
    // A folder that cannot be read is the fault that `checkSigning` names.
    if (!(error instanceof CrossfileError)) throw error
    return []
  }
}

/** Signs with another key, if `active` is the one that signs now. */
export async function rotate(
  { ingest: { db, keysFolder }, now }: RequestTools,
  { active, actor }: { readonly active: string | null; readonly actor: string },
): Promise<object> {
  const { signer, retired, release } = await rotateKey(db, keysFolder, {
    along: async (trx, done) => {
      if (done.retired !== active)
        throw new BadRequest(`${active ?? 'no key'} does not sign now${done.retired === null ? '' : `: ${done.retired} does`}`, {
          status: 409,
          code: 'conflict',
          hint: 'GET /api/v1/admin/receipts has the key that signs',
        })
      const details = { retired: done.retired, origin: done.origin, release: done.release }
      await audit(trx, { actor, act: 'signing_key.rotate', subject: done.signer.kid, details }, now())
    },
  })
  await requestRound(db)
  return { kid: signer.kid, retired, release }
}

/** Revokes a key; if none is active afterwards, a new one signs. Its earlier receipts are signed again by `finishRevocations`. */
export async function revoke(
  { ingest: { db, keysFolder }, now }: RequestTools,
  { kid, from, actor }: { readonly kid: string; readonly from: string; readonly actor: string },
): Promise<object> {
  const done = await revokeKey(db, kid, from, async (trx, revoked: Revocation) => {
    await audit(trx, { actor, act: 'signing_key.revoke', subject: kid, details: auditOf(revoked) }, now())
  })
  const next = await replace(db, keysFolder, actor, now())
  await requestRound(db)
  const { from: at, valid_before, failing } = auditOf(done)
  return { from: at, valid_before, failing, new_key: next.kid, fault: next.fault }
}

async function replace(
  db: IngestTools['db'],
  folder: string,
  actor: string,
  at: Date,
): Promise<{ readonly kid: string | null; readonly fault: string | null }> {
  if ((await findKeyRows(db)).some(row => row.status === 'active')) return { kid: null, fault: null }
  try {
    const { signer } = await rotateKey(db, folder, {
      fresh: true,
      along: (trx, { signer: made, retired, origin, release }) =>
        audit(trx, { actor, act: 'signing_key.rotate', subject: made.kid, details: { retired, origin, release } }, at),
    })
    return { kid: signer.kid, fault: null }
  } catch (error) {
    // The key is revoked in any case: the answer has the reason why nothing signs.
    if (!(error instanceof CrossfileError)) throw error
    return { kid: null, fault: error.message }
  }
}

/** Continues the receipt log; a log that is signed is not changed. */
export async function continueReceiptLog(
  { ingest: { db, writer }, config, now }: RequestTools,
  { actor }: { readonly actor: string },
): Promise<object> {
  const done = await continueLog(db, openLogFolder(config.dataFolder, writer.remote ?? null), (trx, { did, size }) =>
    audit(trx, { actor, act: `receipt_log.${did}`, subject: 'receipt log', details: { size } }, now()),
  ).catch((error: unknown) => {
    // A fork or damaged files are for the operator to read: the request is refused with the reason.
    if (!(error instanceof CrossfileError)) throw error
    throw new BadRequest(error.message, { hint: error.hint ?? 'crossfile receipt-log shows the state of the log' })
  })
  if (done.did !== 'nothing') await requestRound(db)
  return { did: done.did, size: done.size }
}
