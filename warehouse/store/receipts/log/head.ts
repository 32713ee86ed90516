// The head of the receipt log in both places, Postgres and the published checkpoint, and whether they agree. A head is signed only if it
// extends everything that was signed before; a restored backup or a second writer would otherwise fork the log.
import { sql } from 'kysely'
import { CrossfileError } from '#schemas/errors.ts'
import type { Db } from '../../postgres.ts'
import { type Checkpoint, openCheckpoint, readCheckpoint } from '../../transparency/checkpoint.ts'
import { type Frontier, HASH_BYTES, rootOfFrontier } from '../../transparency/merkle.ts'
import { type NoteKey, noteKey } from '../../transparency/note.ts'
import type { ConfirmLock, PublishedLog } from './folder.ts'

export type LogHead = { readonly origin: string; readonly frontier: Frontier; readonly releases_to: number }

/** Why nothing is sequenced. The message may name files: it is for the operator. */
export type LogFault = { readonly message: string; readonly hint: string }

/** The head in Postgres; null before the first checkpoint. `lock`: no other transaction changes it until this one ends. */
export async function findLogHead(db: Db, lock = false): Promise<LogHead | null> {
  const query = db.selectFrom('log_head').selectAll()
  const row = await (lock ? query.forUpdate() : query).executeTakeFirst()
  if (row === undefined) return null
  const hashes = Array.from({ length: row.frontier.byteLength / HASH_BYTES }, (_, at) =>
    row.frontier.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  )
  return { origin: row.origin, frontier: { size: row.size, hashes }, releases_to: row.releases_to }
}

/** One process at a time changes the log, until the transaction ends. */
export async function lockLog(trx: Db): Promise<void> {
  // Writing all files of a large log again takes minutes, during which the session is idle.
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx)
  await sql`select pg_advisory_xact_lock(hashtext('crossfile receipt log'))`.execute(trx)
}

/** The lock ends with its transaction: a statement in it fails if the connection was lost. */
export const confirmation =
  (trx: Db): ConfirmLock =>
  () =>
    sql`select 1`.execute(trx)

/** Every key of this installation under the name of the log. */
export async function logKeys(db: Db, origin: string): Promise<NoteKey[]> {
  const rows = await db.selectFrom('signing_key').select('x').execute()
  return rows.map(({ x }) => noteKey(origin, x))
}

const restored = {
  hint: 'stop other installations that use this folder; if the database was restored from an older backup, run crossfile receipt-log continue',
}

/**
 * Null if the head in Postgres extends, or is, the checkpoint that was last published; else why the log must not be signed. A checkpoint
 * file that is older than Postgres is what a crash leaves, and is no fault.
 */
export async function headFault(db: Db, folder: PublishedLog, head: LogHead | null): Promise<LogFault | null> {
  const note = await folder.readCheckpoint()
  if (head === null)
    return note === null || isEmptyLog(note)
      ? null
      : { message: `the database has no receipt log, but ${folder.path}/checkpoint has one`, ...restored }
  const { origin, frontier } = head
  const own = await db.selectFrom('log_checkpoint').select(['size', 'root']).orderBy('size', 'desc').limit(1).executeTakeFirst()
  if (own?.size !== frontier.size || !own.root.equals(rootOfFrontier(frontier)))
    return {
      message: `the head of the receipt log has size ${frontier.size} and not the root of its last checkpoint`,
      hint: 'restore the database from a backup',
    }
  if (note === null)
    return {
      message: `${folder.path}/checkpoint is missing, and the database has a receipt log of size ${frontier.size}: a newer one may have been published`,
      hint: 'bring the folder receipt-log back; if it is lost, run crossfile receipt-log continue',
    }
  let published: Checkpoint
  try {
    published = openCheckpoint(note, await logKeys(db, origin))
  } catch (error) {
    if (!(error instanceof CrossfileError)) throw error
    return {
      message: `${folder.path}/checkpoint cannot be trusted: ${error.message}`,
      hint: 'bring it back from a copy; if it is lost, remove it and run crossfile receipt-log continue',
    }
  }
  if (published.origin !== origin)
    return { message: `${folder.path}/checkpoint is of the log ${published.origin}, the database has ${origin}`, ...restored }
  if (published.size > frontier.size)
    return {
      message: `${folder.path}/checkpoint has size ${published.size}, the database has ${frontier.size}: the database is older than what was published`,
      ...restored,
    }
  if (published.size === 0) return null
  const same = await db.selectFrom('log_checkpoint').select('root').where('size', '=', published.size).executeTakeFirst()
  if (!same?.root.equals(published.root))
    return {
      message: `${folder.path}/checkpoint of size ${published.size} is not a checkpoint of this database: the log was forked`,
      hint: 'find the other writer; the receipts of both stay valid, but only one log may continue',
    }
  return null
}

/** Whether a note is a checkpoint of size 0, with which a log begins: a crash may leave it alone, and every log extends it. */
function isEmptyLog(note: string): boolean {
  try {
    return readCheckpoint(note).size === 0
  } catch (error) {
    if (error instanceof CrossfileError) return false
    throw error
  }
}
