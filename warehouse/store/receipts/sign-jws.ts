// Signs a stored receipt as JWS. Only the worker and the command line import this file: it reads private keys.
import type { Db } from '../postgres.ts'
import { compactJws, type SignedJws } from './jws.ts'
import { keyRing } from './keys.ts'
import { findProof, unlessDamaged } from './log/find-proof.ts'
import type { LogFolder } from './log/folder.ts'
import { findSigning } from './rotation.ts'
import { getReceipt, listKeys } from './store.ts'
import { verifyReceipt } from './verify.ts'

/**
 * The receipt as JWS, signed by the active key, if the receipt is valid now: a row that someone else wrote into the database is never
 * signed. Runs in a transaction, so that a rotation waits for it. Throws as `getReceipt`. `from.keys`: the folder of the keys.
 */
export async function signJws(transaction: Db, from: { readonly log: LogFolder; readonly keys: string }, id: string): Promise<SignedJws> {
  const receipt = await getReceipt(transaction, id)
  const { signer } = await findSigning(transaction, from.keys)
  const proof = (await unlessDamaged(findProof(transaction, from.log, id)))?.text ?? null
  const { valid, reason } = verifyReceipt(receipt, keyRing(await listKeys(transaction)), { proof })
  if (!valid) return { jws: null, refused: reason, unsigned: false }
  if (signer === null) return { jws: null, refused: null, unsigned: true }
  return { jws: compactJws(receipt.statement_bytes, signer), refused: null, unsigned: false }
}
