// The state of the receipt log for the operator, and the way on after a restored backup or a lost copy.
import { sql, type Transaction } from 'kysely'
import { BadRequest, Broken, Upstream } from '#schemas/errors.ts'
import type { Database, Db } from '../../postgres.ts'
import { openCheckpoint } from '../../transparency/checkpoint.ts'
import { appendLeaves, EMPTY_FRONTIER, type Frontier, HASH_BYTES, leafHash, rootOfFrontier } from '../../transparency/merkle.ts'
import { verifierKey } from '../../transparency/note.ts'
import { decodeEntries, TILE_WIDTH, type Tile, tilePath, widthAt } from '../../transparency/tiles.ts'
import { keyId } from '../keys.ts'
import { receiptId } from '../statement.ts'
import type { LogFolder, PublishedLog } from './folder.ts'
import { findLogHead, headFault, type LogFault, lockLog, logKeys } from './head.ts'
import { listWitnesses, type WitnessRow } from './witnesses.ts'

type LogState = {
  /** Null before the first checkpoint. */
  readonly origin: string | null
  readonly size: number
  /** Receipts that wait for their place in the log. */
  readonly waiting: number
  readonly fault: LogFault | null
  /** The keys of the log as text (C2SP verifier keys) for witnesses and other programs; pending ones too, as they are announced. */
  readonly keys: readonly string[]
  readonly witnesses: readonly WitnessRow[]
}

/** What the log has, and whether it can be continued. A published log that cannot be read now is a fault as well. */
export async function readLogState(db: Db, folder: PublishedLog): Promise<LogState> {
  const head = await findLogHead(db)
  const { rows } = await sql<{ waiting: number }>`select count(*)::int as waiting from receipt where log_index is null`.execute(db)
  return {
    origin: head?.origin ?? null,
    size: head?.frontier.size ?? 0,
    waiting: rows[0]?.waiting ?? 0,
    fault: await headFault(db, folder, head).catch(unreadable),
    keys: head === null ? [] : await verifierKeys(db, head.origin),
    witnesses: await listWitnesses(db),
  }
}

function unreadable(error: unknown): LogFault {
  // `BadRequest`: the settings name another bucket, or none.
  if (!(error instanceof Upstream || error instanceof BadRequest)) throw error
  return { message: `the published log cannot be read now: ${error.message}`, hint: error.hint ?? 'repeat this when the bucket answers' }
}

async function verifierKeys(db: Db, origin: string): Promise<string[]> {
  const rows = await db
    .selectFrom('signing_key')
    .select('x')
    .where('status', '!=', 'compromised')
    .orderBy('created_at', 'desc')
    .orderBy('kid')
    .execute()
  return rows.map(({ x }) => verifierKey(origin, x))
}

/** The witnesses that do not cosign now, in words for the operator; those to which nothing was sent yet do not count. */
export const silentWitnesses = (witnesses: readonly WitnessRow[]): string[] =>
  witnesses
    .filter(({ state }) => state !== 'ok' && state !== 'waiting')
    .map(({ name, detail, state_since }) => `the witness ${name} has not cosigned since ${state_since.slice(0, 19)}Z: ${detail}`)

/**
 * Reads every published tile and entry of the log of the database, and compares their root with the signed one: null, or the first fault.
 * The time is that of reading and hashing all statements.
 */
export async function findDamagedFile(db: Db, folder: LogFolder, signal: AbortSignal): Promise<string | null> {
  const head = await findLogHead(db)
  const size = head?.frontier.size ?? 0
  let frontier: Frontier = EMPTY_FRONTIER
  for (let index = 0; index * TILE_WIDTH < size; index += 1) {
    signal.throwIfAborted()
    const tile: Tile = { level: 0, index, width: widthAt(0, index, size) }
    const hashes = await folder.readTile(tile)
    const leaves = (await readEntries(folder, index, tile.width))?.map(leafHash)
    if (hashes === null || hashes.byteLength !== tile.width * HASH_BYTES) return `${tilePath(tile)} is missing or has another length`
    if (leaves === undefined) return `${tilePath({ ...tile, level: 'entries' })} is missing or has other entries`
    if (!Buffer.concat(leaves).equals(hashes)) return `${tilePath(tile)} or its entries are damaged: their hashes differ`
    frontier = appendLeaves(frontier, leaves)
  }
  if (head !== null && !rootOfFrontier(frontier).equals(rootOfFrontier(head.frontier))) return 'the root of all tiles is not the signed one'
  return null
}

/** The first `width` entries of a bundle; null if they are not there. */
async function readEntries(folder: LogFolder, index: number, width: number): Promise<Buffer[] | null> {
  const bytes = await folder.readTile({ level: 'entries', index, width })
  const entries = bytes === null ? null : decodeEntries(bytes)
  return entries?.length === width ? entries : null
}

export type Continued =
  | { readonly did: 'nothing'; readonly size: number }
  /** The copy was lost, and the head of the database is the newest that anyone knows. */
  | { readonly did: 'accepted'; readonly size: number }
  /** Entries that had been published and that the restored database lacked. */
  | { readonly did: 'recovered'; readonly size: number; readonly entries: number }

/**
 * The operator's decision after a fault. If the published log extends the one of the database, its further entries are read from the
 * published files, so that the log continues without a fork. If the published checkpoint is lost, the one of the database is published.
 * `along` runs in the transaction of a change.
 * `Broken` for a fork, for damaged files, or for another log: there is nothing to continue.
 */
export async function continueLog(
  db: Db,
  folder: LogFolder,
  along: (trx: Transaction<Database>, done: Continued) => Promise<void> = async () => {},
): Promise<Continued> {
  return await db.transaction().execute(async trx => {
    const done = await continueLocked(trx, folder)
    if (done.did !== 'nothing') await along(trx, done)
    return done
  })
}

async function continueLocked(trx: Transaction<Database>, folder: LogFolder): Promise<Continued> {
  await lockLog(trx)
  const head = await findLogHead(trx, true)
  const fault = await headFault(trx, folder, head)
  if (fault === null) return { did: 'nothing', size: head?.frontier.size ?? 0 }
  if (head === null)
    throw new Broken(fault.message, { hint: 'restore a database that has this log, or move the folder receipt-log away to begin another one' })
  const note = await folder.readCheckpoint()
  const newest = await trx.selectFrom('log_checkpoint').selectAll().orderBy('size', 'desc').limit(1).executeTakeFirst()
  if (note === null && newest !== undefined) {
    await folder.writeCheckpoint(newest.note)
    return { did: 'accepted', size: newest.size }
  }
  const published = openCheckpoint(note ?? '', await logKeys(trx, head.origin))
  if (published.origin !== head.origin || published.size <= head.frontier.size) throw new Broken(fault.message, { hint: fault.hint })
  const entries = await recover(trx, folder, head.frontier, published)
  await trx
    .insertInto('log_checkpoint')
    .values({ size: published.size, root: published.root, note: note ?? '', kid: keyId(published.by[0]?.x ?? '') })
    .execute()
  return { did: 'recovered', size: published.size, entries }
}

/** Takes the entries from `from` on out of the published files, if they lead to the published root. */
async function recover(trx: Db, folder: LogFolder, from: Frontier, to: { readonly size: number; readonly root: Buffer }): Promise<number> {
  let frontier = from
  for (let index = Math.floor(from.size / TILE_WIDTH); index * TILE_WIDTH < to.size; index += 1) {
    const all = await readEntries(folder, index, widthAt('entries', index, to.size))
    if (all === null) throw new Broken(`receipt log: ${tilePath({ level: 'entries', index, width: widthAt('entries', index, to.size) })} is missing`)
    const entries = all.slice(Math.max(0, from.size - index * TILE_WIDTH))
    const rows = entries.map((entry, at) => ({
      index: frontier.size + at,
      kind: 'recovered' as const,
      name: receiptId(entry),
      leaf: leafHash(entry),
      entry,
    }))
    frontier = appendLeaves(
      frontier,
      rows.map(row => row.leaf),
    )
    await trx.insertInto('log_entry').values(rows).execute()
  }
  if (!rootOfFrontier(frontier).equals(to.root))
    throw new Broken('receipt log: the published entries do not extend the log of the database, and are not recovered', {
      hint: 'restore a newer backup',
    })
  // Receipts that the database has anyway keep the place that was published.
  await sql`update receipt r set log_index = e.index from log_entry e
    where e.kind = 'recovered' and e.index >= ${from.size} and r.receipt_id = e.name and r.log_index is null`.execute(trx)
  await trx
    .updateTable('log_head')
    .set({ size: frontier.size, frontier: Buffer.concat([...frontier.hashes]) })
    .execute()
  return to.size - from.size
}
