// The proof that a stored receipt is in the log, and the newest checkpoint. The proof is made against the first checkpoint that covers
// the entry and was not signed by a revoked key, and checkpoints are kept permanently: every caller gets the same bytes, at any time.
import { Broken, NotFound, Upstream } from '#schemas/errors.ts'
import type { Db } from '../../postgres.ts'
import { readCheckpoint } from '../../transparency/checkpoint.ts'
import { inclusionProof, rootOfInclusion } from '../../transparency/merkle.ts'
import { printProof } from '../../transparency/proof.ts'
import { type LogFolder, nodesOfFolder } from './folder.ts'

type FoundProof = {
  readonly origin: string
  readonly index: number
  /** Size of the tree of the checkpoint in the proof. */
  readonly size: number
  /** The text of the C2SP tlog-proof. */
  readonly text: string
}

/** The proof of a receipt; null as long as it waits to be sequenced, or for the first checkpoint after a revocation. `Upstream` if the files of the log do not give the signed root. */
export async function findProof(db: Db, folder: LogFolder, receiptId: string): Promise<FoundProof | null> {
  const entry = await db
    .selectFrom('receipt')
    .innerJoin('log_entry', 'log_entry.index', 'receipt.log_index')
    .select(['log_entry.index', 'log_entry.leaf'])
    .where('receipt_id', '=', receiptId)
    .executeTakeFirst()
  if (entry === undefined) return null
  const checkpoint = await db
    .selectFrom('log_checkpoint')
    .innerJoin('signing_key', 'signing_key.kid', 'log_checkpoint.kid')
    .select(['size', 'root', 'note'])
    .where('signing_key.status', '!=', 'compromised')
    .where('size', '>', entry.index)
    .orderBy('size')
    .limit(1)
    .executeTakeFirst()
  if (checkpoint === undefined) return null
  const { index } = entry
  const { size, root, note } = checkpoint
  const hashes = await provenHashes(folder, index, size).catch(error => {
    if (error instanceof Broken) return null
    throw error
  })
  if (hashes === null || !rootOfInclusion(entry.leaf, index, size, hashes)?.equals(root))
    throw new Upstream('the files of the receipt log are damaged on this server: the proof cannot be made', {
      hint: 'a worker writes them again when it starts; crossfile doctor names the file',
      retryAfterSeconds: 60,
    })
  return { origin: readCheckpoint(note).origin, index, size, text: printProof({ index, hashes, checkpoint: note }) }
}

const provenHashes = async (folder: LogFolder, index: number, size: number): Promise<Buffer[]> =>
  await inclusionProof(index, size, nodesOfFolder(folder, size))

/** As `findProof`, and null if the files of the log are damaged: a receipt is verified without its place in the log then. */
export async function findReadableProof(db: Db, folder: LogFolder, receiptId: string): Promise<FoundProof | null> {
  return await findProof(db, folder, receiptId).catch(error => {
    if (error instanceof Upstream) return null
    throw error
  })
}

/** The newest checkpoint, as a signed note; `NotFound` before the first. */
export async function newestCheckpoint(db: Db): Promise<string> {
  const row = await db.selectFrom('log_checkpoint').select('note').orderBy('size', 'desc').limit(1).executeTakeFirst()
  if (row === undefined)
    throw new NotFound('the receipt log has no checkpoint yet', { hint: 'the worker signs the first one within seconds of the first receipt' })
  return row.note
}
