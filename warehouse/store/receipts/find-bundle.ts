// The bundle of a stored receipt, for the API and the command line: the same bytes from both.
import type { Db } from '../postgres.ts'
import { encodeBundle } from './bundle.ts'
import { keyRing } from './keys.ts'
import { findCosignedProof, findProof, unlessDamaged } from './log/find-proof.ts'
import type { LogFolder } from './log/folder.ts'
import { getReceipt, listKeys } from './store.ts'
import { type Verification, verifyReceipt } from './verify.ts'

export type FoundBundle = { readonly bytes: Buffer; readonly release: number; readonly verification: Verification }

/**
 * The bundle with the signature that counts now, every published key, the answer if it is stored, and the proof of its place in the log with
 * the cosignatures of witnesses, as soon as it has one and the files of the log can be read. Throws as `getReceipt`.
 */
export async function findBundle(db: Db, folder: LogFolder, id: string): Promise<FoundBundle> {
  const receipt = await getReceipt(db, id)
  const page = await db.selectFrom('page').select('payload').where('receipt_id', '=', id).executeTakeFirst()
  const payload = page?.payload ?? null
  const found = await unlessDamaged(findCosignedProof(db, folder, id))
  const proof = found?.text ?? null
  const keySet = await listKeys(db)
  const witnesses = { keys: (found?.cosignatures ?? []).map(each => each.vkey) }
  const verification = verifyReceipt(receipt, keyRing(keySet), { proof, witnesses, ...(payload ? { payload } : {}) })
  return { bytes: encodeBundle(receipt, keySet, payload, proof), release: receipt.release, verification }
}

/**
 * The verdict on a stored receipt, with the proof against the first checkpoint that covers it (the same bytes for every client), and the
 * cosignatures of the checkpoint that its bundle has. Throws as `getReceipt`.
 */
export async function findVerification(db: Db, folder: LogFolder, id: string) {
  const receipt = await getReceipt(db, id)
  const page = await db.selectFrom('page').select('payload').where('receipt_id', '=', id).executeTakeFirst()
  const ring = keyRing(await listKeys(db))
  const proof = (await unlessDamaged(findProof(db, folder, id)))?.text ?? null
  const payload = page?.payload ? { payload: page.payload } : {}
  const first = verifyReceipt(receipt, ring, { proof, ...payload })
  const cosigned = await unlessDamaged(findCosignedProof(db, folder, id))
  const keys = (cosigned?.cosignatures ?? []).map(each => each.vkey)
  const second = verifyReceipt(receipt, ring, { proof: cosigned?.text ?? null, witnesses: { keys }, ...payload })
  const reason = first.reason ?? second.reason
  const checks = { ...first.checks, cosignatures: second.checks.cosignatures }
  const verification: Verification = { ...first, checks, cosignatures: second.cosignatures, reason, valid: reason === null }
  return { release: receipt.release, verification, proof }
}
