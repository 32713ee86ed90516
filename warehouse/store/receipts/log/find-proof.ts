// The proof that a stored receipt is in the log, and the newest checkpoint. The proof is made against the first checkpoint that covers
// the entry and was not signed by a revoked key, and checkpoints are kept permanently: every caller gets the same bytes, at any time.
import { sql } from 'kysely'
import { Broken, NotFound, Upstream } from '#schemas/errors.ts'
import type { Db } from '../../postgres.ts'
import { readCheckpoint } from '../../transparency/checkpoint.ts'
import { inclusionProof, rootOfInclusion } from '../../transparency/merkle.ts'
import { printProof } from '../../transparency/proof.ts'
import { type LogFolder, nodesOfFolder } from './folder.ts'
import { findCosignatures, type StoredCosignature } from './witnesses.ts'

type FoundProof = {
  readonly origin: string
  readonly index: number
  /** Size of the tree of the checkpoint in the proof. */
  readonly size: number
  /** The text of the C2SP tlog-proof. */
  readonly text: string
}
type CosignedProof = FoundProof & { readonly cosignatures: readonly StoredCosignature[] }

/** The proof of a receipt; null as long as it waits to be sequenced, or for the first checkpoint after a revocation. `Upstream` if the files of the log do not give the signed root. */
export async function findProof(db: Db, folder: LogFolder, receiptId: string): Promise<FoundProof | null> {
  const entry = await findEntry(db, receiptId)
  if (entry === undefined) return null
  const checkpoint = await coveringCheckpoints(db, entry.index).orderBy('size').limit(1).executeTakeFirst()
  return checkpoint === undefined ? null : await proofAgainst(folder, entry, checkpoint)
}

/** Cosignatures that are considered for one entry: those of the first checkpoints that witnesses cosigned after it. */
const cosignaturesAtOnce = 64

/**
 * The proof against the checkpoint with the cosignatures of the most witnesses, among the first that were cosigned after the entry, with their
 * lines below it. Without cosignatures as `findProof`. Its bytes change as witnesses cosign.
 */
export async function findCosignedProof(db: Db, folder: LogFolder, receiptId: string): Promise<CosignedProof | null> {
  const entry = await findEntry(db, receiptId)
  if (entry === undefined) return null
  const { rows } = await sql<{ size: number }>`
    select size from (select s.size from log_cosignature s join log_checkpoint c on c.size = s.size join signing_key k on k.kid = c.kid
      where s.size > ${entry.index} and k.status <> 'compromised' order by s.size, s.vkey limit ${cosignaturesAtOnce}) first
    group by size order by count(*) desc, size limit 1`.execute(db)
  const size = rows[0]?.size
  const checkpoint = size === undefined ? undefined : await coveringCheckpoints(db, entry.index).where('size', '=', size).executeTakeFirst()
  if (checkpoint === undefined) {
    const plain = await findProof(db, folder, receiptId)
    return plain === null ? null : { ...plain, cosignatures: [] }
  }
  const cosignatures = await findCosignatures(db, checkpoint.size)
  const note = checkpoint.note + cosignatures.map(each => each.line).join('')
  return { ...(await proofAgainst(folder, entry, { ...checkpoint, note })), cosignatures }
}

type Entry = { readonly index: number; readonly leaf: Buffer }

const findEntry = (db: Db, receiptId: string): Promise<Entry | undefined> =>
  db
    .selectFrom('receipt')
    .innerJoin('log_entry', 'log_entry.index', 'receipt.log_index')
    .select(['log_entry.index', 'log_entry.leaf'])
    .where('receipt_id', '=', receiptId)
    .executeTakeFirst()

/** The checkpoints that cover an entry and were not signed by a revoked key. */
const coveringCheckpoints = (db: Db, index: number) =>
  db
    .selectFrom('log_checkpoint')
    .innerJoin('signing_key', 'signing_key.kid', 'log_checkpoint.kid')
    .select(['size', 'root', 'note'])
    .where('signing_key.status', '!=', 'compromised')
    .where('size', '>', index)

async function proofAgainst(
  folder: LogFolder,
  { index, leaf }: Entry,
  { size, root, note }: { readonly size: number; readonly root: Buffer; readonly note: string },
): Promise<FoundProof> {
  const hashes = await provenHashes(folder, index, size).catch(error => {
    if (error instanceof Broken) return null
    throw error
  })
  if (hashes === null || !rootOfInclusion(leaf, index, size, hashes)?.equals(root))
    throw new Upstream('the files of the receipt log are damaged on this server: the proof cannot be made', {
      hint: 'a worker writes them again when it starts; crossfile doctor names the file',
      retryAfterSeconds: 60,
    })
  return { origin: readCheckpoint(note).origin, index, size, text: printProof({ index, hashes, checkpoint: note }) }
}

const provenHashes = async (folder: LogFolder, index: number, size: number): Promise<Buffer[]> =>
  await inclusionProof(index, size, nodesOfFolder(folder, size))

/** As `find`, and null if the files of the log are damaged: a receipt is verified without its place in the log then. */
export async function unlessDamaged<Proof extends FoundProof>(find: Promise<Proof | null>): Promise<Proof | null> {
  return await find.catch(error => {
    if (error instanceof Upstream) return null
    throw error
  })
}

/** The newest checkpoint as a signed note, with the cosignatures that it has by now below its own signatures; `NotFound` before the first. */
export async function newestCheckpoint(db: Db): Promise<string> {
  const row = await db.selectFrom('log_checkpoint').select(['size', 'note']).orderBy('size', 'desc').limit(1).executeTakeFirst()
  if (row === undefined)
    throw new NotFound('the receipt log has no checkpoint yet', { hint: 'the worker signs the first one within seconds of the first receipt' })
  return row.note + (await findCosignatures(db, row.size)).map(each => each.line).join('')
}
