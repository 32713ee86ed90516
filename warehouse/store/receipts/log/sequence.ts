// The sequencer: gives entries their index, grows the tree, and signs its head. One transaction holds the lock of the head from the first
// read to the replaced row, so that two sequencers never sign different trees. Files are written before the commit and the checkpoint is
// published after it; after a kill at any point, the next run continues from the row.
import { sql } from 'kysely'
import { Broken } from '#schemas/errors.ts'
import type { Db } from '../../postgres.ts'
import { checkpointText, openCheckpoint, readCheckpoint } from '../../transparency/checkpoint.ts'
import { appendLeaves, EMPTY_FRONTIER, type Frontier, rootOfFrontier } from '../../transparency/merkle.ts'
import { noteKey, signNote } from '../../transparency/note.ts'
import type { Tile } from '../../transparency/tiles.ts'
import { findRetiredSigners, findSigning } from '../rotation.ts'
import type { Signer } from '../signer.ts'
import { findPending, isPending, type PendingEntry } from './entries.ts'
import type { LogFolder } from './folder.ts'
import { findLogHead, headFault, type LogFault, type LogHead, lockLog } from './head.ts'
import { writeFiles } from './write-files.ts'

export type SequenceTools = {
  readonly db: Db
  readonly folder: LogFolder
  readonly keysFolder: string
  /** Host of the service, the first part of the log's name: used once, when the log begins. */
  readonly host: string
  /** Entries per checkpoint, at most. */
  readonly limit?: number
  /** Decides which retired keys still sign; null: the database's clock. */
  readonly now?: Date | null
  readonly crashPoint?: (name: string) => void
}

type Sequenced = {
  /** Entries that this run added. */
  readonly added: number
  readonly size: number
  readonly fault: LogFault | null
}

/** A bounded batch: the rows, hashes and files of a run take some megabytes and less than a few seconds. */
const entriesAtOnce = 4_096

/** Adds waiting entries to the log and publishes a checkpoint; adds none if there is nothing to add, or a fault. */
export async function sequence(tools: SequenceTools): Promise<Sequenced> {
  const { db, folder, crashPoint = () => {} } = tools
  const done = await db.transaction().execute(async trx => {
    await lockLog(trx)
    const head = await findLogHead(trx, true)
    const fault = await headFault(trx, folder, head)
    if (fault !== null) return { added: 0, size: head?.frontier.size ?? 0, fault, completed: [] }
    return await extend(trx, tools, head)
  })
  if (done.fault === null) {
    crashPoint('log-committed')
    await publish(db, folder)
    crashPoint('log-published')
    for (const tile of done.completed) await folder.removePartials(tile)
  }
  return { added: done.added, size: done.size, fault: done.fault }
}

type Extended = Sequenced & { readonly completed: readonly Tile[] }

async function extend(trx: Db, tools: SequenceTools, head: LogHead | null): Promise<Extended> {
  const { folder, keysFolder, limit = entriesAtOnce, now = null, crashPoint = () => {} } = tools
  const old = head?.frontier ?? EMPTY_FRONTIER
  const nothing = { added: 0, size: old.size, fault: null, completed: [] }
  if (!(await isPending(trx))) return nothing
  const { signer, fault } = await findSigning(trx, keysFolder)
  if (!signer) return { ...nothing, fault }
  const entries = await findPending(trx, head?.releases_to ?? 0, limit)
  if (entries.length === 0) return nothing
  const origin = head?.origin ?? (await beginLog(trx, tools, signer))
  await insertEntries(trx, old.size, entries)
  const leaves = entries.map(entry => entry.leaf)
  const frontier = appendLeaves(old, leaves)
  const completed = await writeFiles(trx, folder, old, frontier, leaves)
  crashPoint('log-tiles')
  const note = signedCheckpoint(origin, frontier, [signer, ...(await findRetiredSigners(trx, keysFolder, now))])
  crashPoint('log-signed')
  await replaceHead(trx, head, { origin, frontier, releases_to: lastRelease(entries) ?? head?.releases_to ?? 0 })
  await trx
    .insertInto('log_checkpoint')
    .values({ size: frontier.size, root: rootOfFrontier(frontier), note, kid: signer.kid })
    .execute()
  return { added: entries.length, size: frontier.size, fault: null, completed }
}

const lastRelease = (entries: readonly PendingEntry[]): number | null => {
  const last = entries.findLast(entry => entry.kind === 'release')
  return last === undefined ? null : Number(last.name)
}

/**
 * The name of a log that begins: `host/receipts/2026`, with the year of the database's clock. Its checkpoint of size 0 is published before
 * anything is committed, so that a missing file always means that a file was lost.
 */
async function beginLog(trx: Db, { folder, host }: SequenceTools, signer: Signer): Promise<string> {
  const begun = await folder.readCheckpoint()
  const { rows } = await sql<{ year: string }>`select to_char(clock_timestamp(), 'YYYY') as year`.execute(trx)
  const origin = begun === null ? `${host}/receipts/${rows[0]?.year}` : readCheckpoint(begun).origin
  await folder.writeCheckpoint(signedCheckpoint(origin, EMPTY_FRONTIER, [signer]))
  return origin
}

/** The signed note; each signature is verified with its public key before it is used. The active key signs first. */
function signedCheckpoint(origin: string, frontier: Frontier, signers: readonly Signer[]): string {
  const text = checkpointText({ origin, size: frontier.size, root: rootOfFrontier(frontier) })
  const note = signNote(
    text,
    signers.map(({ x, sign }) => ({ name: origin, x, sign })),
  )
  for (const { x } of signers) openCheckpoint(note, [noteKey(origin, x)])
  return note
}

async function insertEntries(trx: Db, from: number, entries: readonly PendingEntry[]): Promise<void> {
  for (let at = 0; at < entries.length; at += 1_000) {
    const rows = entries.slice(at, at + 1_000).map((entry, offset) => ({ ...entry, index: from + at + offset }))
    await trx
      .insertInto('log_entry')
      .values(rows.map(({ index, kind, name, leaf, bytes }) => ({ index, kind, name, leaf, entry: kind === 'receipt' ? null : bytes })))
      .execute()
  }
  await sql`update receipt r set log_index = e.index from log_entry e
    where e.kind = 'receipt' and e.index >= ${from} and r.receipt_id = e.name and r.log_index is null`.execute(trx)
}

/** The row is replaced only if it is still the one that was read. */
async function replaceHead(trx: Db, before: LogHead | null, after: LogHead): Promise<void> {
  const row = { origin: after.origin, size: after.frontier.size, frontier: Buffer.concat([...after.frontier.hashes]), releases_to: after.releases_to }
  const changed =
    before === null
      ? (
          await trx
            .insertInto('log_head')
            .values(row)
            .onConflict(conflict => conflict.doNothing())
            .executeTakeFirst()
        ).numInsertedOrUpdatedRows
      : (await trx.updateTable('log_head').set(row).where('size', '=', before.frontier.size).executeTakeFirst()).numUpdatedRows
  if (changed !== 1n) throw new Broken('receipt log: another sequencer moved the head', { hint: 'the next run continues from there' })
}

/** Publishes the newest checkpoint, if the file is older. Never replaces a newer one, so that runs may end in any order. */
async function publish(db: Db, folder: LogFolder): Promise<void> {
  await db.transaction().execute(async trx => {
    await lockLog(trx)
    const newest = await trx.selectFrom('log_checkpoint').select('note').orderBy('size', 'desc').limit(1).executeTakeFirst()
    if (newest !== undefined && newest.note !== (await folder.readCheckpoint())) await folder.writeCheckpoint(newest.note)
  })
}
