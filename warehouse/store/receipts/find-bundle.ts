// The bundle of a stored receipt, for the API and the command line: the same bytes from both.
import type { Db } from '../postgres.ts'
import { encodeBundle } from './bundle.ts'
import { keyRing } from './keys.ts'
import { findReadableProof } from './log/find-proof.ts'
import { openLogFolder } from './log/folder.ts'
import { getReceipt, listKeys } from './store.ts'
import { type Verification, verifyReceipt } from './verify.ts'

export type FoundBundle = { readonly bytes: Buffer; readonly release: number; readonly verification: Verification }

/**
 * The bundle with the signature that counts now, every published key, the answer if it is stored, and the proof of its place in the log as
 * soon as it has one and the files of the log can be read. `data`: the data folder. Throws as `getReceipt`.
 */
export async function findBundle(db: Db, data: string, id: string): Promise<FoundBundle> {
  const receipt = await getReceipt(db, id)
  const page = await db.selectFrom('page').select('payload').where('receipt_id', '=', id).executeTakeFirst()
  const payload = page?.payload ?? null
  const proof = (await findReadableProof(db, openLogFolder(data), id))?.text ?? null
  const keySet = await listKeys(db)
  const verification = verifyReceipt(receipt, keyRing(keySet), { proof, ...(payload ? { payload } : {}) })
  return { bytes: encodeBundle(receipt, keySet, payload, proof), release: receipt.release, verification }
}
