// Writes the files of the log: the tiles and bundles that new entries change, or all of them again from the rows.
import { sql } from 'kysely'
import { Broken } from '#schemas/errors.ts'
import type { Db } from '../../postgres.ts'
import { consistencyProof, type Frontier, isConsistent, leafHash, rootAt, rootOfFrontier } from '../../transparency/merkle.ts'
import { encodeEntries, growTiles, TILE_WIDTH, type Tile, widthAt } from '../../transparency/tiles.ts'
import { entryOfStatement } from './entry-of-statement.ts'
import { type ConfirmLock, type LogFolder, nodesOfFolder } from './folder.ts'
import { confirmation, findLogHead, headFault, lockLog } from './head.ts'

/** Leaves that are read from the database at a time when all files are written again: some megabytes. */
const leavesAtOnce = 65_536

/**
 * Writes the tiles and bundles of the grown tree, and compares its root with the one of the frontier: by two routes, so that a bit that
 * flips in memory or on disk is not signed. If files are missing or damaged, all are written again from the rows. Returns the full ones.
 */
export async function writeFiles(trx: Db, folder: LogFolder, old: Frontier, now: Frontier, leaves: readonly Buffer[]): Promise<Tile[]> {
  const written = await grow(trx, folder, old, now, leaves).catch(error => {
    if (error instanceof Broken) return null
    throw error
  })
  return written ?? (await rewriteFiles(trx, folder, old, now))
}

async function grow(trx: Db, folder: LogFolder, old: Frontier, now: Frontier, leaves: readonly Buffer[]): Promise<Tile[] | null> {
  const written = await writeTiles(folder, old.size, leaves, confirmation(trx))
  await writeBundles(trx, folder, old.size, now.size)
  await folder.flush()
  return (await areWhole(folder, old, now)) ? fullOnes(written) : null
}

/** Writes all files from the rows. `Broken` if the rows do not give the root. */
async function rewriteFiles(trx: Db, folder: LogFolder, old: Frontier, now: Frontier): Promise<Tile[]> {
  // A damaged partial tile of an earlier size stays damaged; without it, the wider one is read.
  await confirmation(trx)()
  await folder.removeAllPartials()
  const written: Tile[] = []
  for (let from = 0; from < now.size; from += leavesAtOnce) {
    const rows = await trx
      .selectFrom('log_entry')
      .select('leaf')
      .where('index', '>=', from)
      .where('index', '<', from + leavesAtOnce)
      .orderBy('index')
      .execute()
    written.push(
      ...fullOnes(
        await writeTiles(
          folder,
          from,
          rows.map(row => row.leaf),
          confirmation(trx),
        ),
      ),
    )
  }
  await writeBundles(trx, folder, 0, now.size)
  await folder.flush()
  if (await areWhole(folder, old, now)) return written
  throw new Broken('receipt log: the root of the rows and the root of the head differ, nothing is signed', {
    hint: 'restore the database from a backup',
  })
}

/** Writes all files of the log again, from the rows, up to the published size. Nothing if the head is in doubt. */
export async function repairLogFiles(db: Db, folder: LogFolder): Promise<boolean> {
  return await db.transaction().execute(async trx => {
    await lockLog(trx)
    const head = await findLogHead(trx, true)
    if (head === null || (await headFault(trx, folder, head)) !== null) return false
    const full = await rewriteFiles(trx, folder, head.frontier, head.frontier)
    for (const tile of full) await folder.removePartials(tile)
    return true
  })
}

async function areWhole(folder: LogFolder, old: Frontier, now: Frontier): Promise<boolean> {
  const read = nodesOfFolder(folder, now.size)
  const root = rootOfFrontier(now)
  return (
    (await rootAt(now.size, read)).equals(root) &&
    (await rootAt(old.size, read)).equals(rootOfFrontier(old)) &&
    isConsistent(old.size, rootOfFrontier(old), now.size, root, await consistencyProof(old.size, now.size, read))
  )
}

/** The full tiles, and the bundles of the entries of those of leaves. */
const fullOnes = (tiles: readonly Tile[]): Tile[] =>
  tiles.filter(tile => tile.width === TILE_WIDTH).flatMap(tile => (tile.level === 0 ? [tile, { ...tile, level: 'entries' as const }] : [tile]))

async function writeTiles(folder: LogFolder, from: number, leaves: readonly Buffer[], confirmLock: ConfirmLock): Promise<Tile[]> {
  const tiles = await growTiles(from, leaves, async tile => (await folder.readTile(tile)) ?? Buffer.alloc(0))
  for (const { bytes, ...tile } of tiles) await folder.writeTile(tile, bytes, confirmLock)
  return tiles.map(({ bytes: _bytes, ...tile }) => tile)
}

type EntryRow = { readonly leaf: Buffer; readonly entry: Buffer | null; readonly statement: Buffer | null }

/** Writes the bundles of the entries from index `from` on, and those before it in the same bundle, from the rows. */
async function writeBundles(trx: Db, folder: LogFolder, from: number, size: number): Promise<void> {
  for (let index = Math.floor(from / TILE_WIDTH); index * TILE_WIDTH < size; index += 1) {
    const width = widthAt('entries', index, size)
    const { rows } = await sql<EntryRow>`
      select e.leaf, e.entry, r.statement from log_entry e left join receipt r on e.entry is null and r.receipt_id = e.name
      where e.index >= ${index * TILE_WIDTH} and e.index < ${index * TILE_WIDTH + width} order by e.index`.execute(trx)
    await folder.writeTile({ level: 'entries', index, width }, encodeEntries(rows.map(row => entryOfRow(row, index))), confirmation(trx))
  }
}

/** The entry of a row; `Broken` if the receipt was removed or changed since it was logged. */
function entryOfRow({ leaf, entry, statement }: EntryRow, bundle: number): Buffer {
  const bytes = entry ?? (statement === null ? null : entryOfStatement(statement))
  if (bytes === null || !leafHash(bytes).equals(leaf))
    throw new Broken(`receipt log: a row of bundle ${bundle} was ${bytes === null ? 'removed' : 'changed'} after it was logged`, {
      hint: 'restore the database from a backup',
    })
  return bytes
}
