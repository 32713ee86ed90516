// A user's watchlist. Writes of one user wait for one another, so that positions stay 0, 1, 2, … whatever is moved at the same time.
import { sql } from 'kysely'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import { type ItemAdd, type ItemOut, type ItemPatch, maxItems } from '#schemas/watchlist.ts'
import { getListing, presentSymbol } from '../symbols/held.ts'
import type { SymbolIndex } from '../symbols/symbol-index.ts'
import type { Trx } from '../users/own-rows.ts'

const columns = ['item_id', 'instrument_id', 'symbol', 'tags', 'note', 'position', 'created_at'] as const
type Row = {
  readonly item_id: string
  readonly instrument_id: string
  readonly symbol: string
  readonly tags: string[]
  readonly note: string | null
  readonly position: number
  readonly created_at: string
}

const told = (index: SymbolIndex, row: Row): ItemOut => {
  const { item_id: id, tags, note, position, created_at } = row
  return { id, ticker: presentSymbol(index, row), tags, note, position, created_at }
}

/** One writer of a user's list at a time, until the transaction ends. */
const alone = (trx: Trx, userId: string) => sql`select pg_advisory_xact_lock(hashtextextended(${`watchlist ${userId}`}, 0))`.execute(trx)

const rowsOf = (trx: Trx, userId: string) =>
  trx
    .selectFrom('watchlist_item')
    .select(columns)
    .where('user_id', '=', userId)
    .orderBy('position')
    .orderBy('created_at')
    .orderBy('item_id')
    .execute()

/** All items in their order. */
export async function findItems(trx: Trx, userId: string, index: SymbolIndex): Promise<ItemOut[]> {
  return (await rowsOf(trx, userId)).map(row => told(index, row))
}

/**
 * Puts a listing at the end of the list. `id` is a new item's. Throws `NotFound` for a symbol that nobody knows, 409 `conflict` for
 * one that is there (under any symbol that it ever had) and where the list is full.
 */
export async function addItem(trx: Trx, userId: string, index: SymbolIndex, asked: ItemAdd, id: string, now: Date): Promise<ItemOut> {
  const listing = getListing(index, asked.ticker)
  const { instrument_id } = listing
  await alone(trx, userId)
  const rows = await rowsOf(trx, userId)
  const there = rows.find(row => row.instrument_id === instrument_id)
  if (there)
    throw new BadRequest(`${presentSymbol(index, listing)} is on the watchlist: item ${there.item_id}`, {
      status: 409,
      code: 'conflict',
      hint: `PATCH /api/v1/watchlist/${there.item_id} changes it`,
    })
  if (rows.length >= maxItems)
    throw new BadRequest(`the watchlist is full: ${maxItems} items`, { status: 409, code: 'conflict', hint: 'delete an item first' })
  const row = {
    item_id: id,
    instrument_id,
    symbol: presentSymbol(index, listing),
    tags: asked.tags,
    note: asked.note,
    position: rows.length,
    created_at: now.toISOString(),
  }
  const made = await trx
    .insertInto('watchlist_item')
    .values({ ...row, user_id: userId })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return told(index, made)
}

/** Changes what the patch names; a move shifts the items between. Throws `NotFound` where the user has no such item. */
export async function changeItem(trx: Trx, userId: string, index: SymbolIndex, id: string, patch: ItemPatch): Promise<ItemOut> {
  await alone(trx, userId)
  const { tags, note, position } = patch
  const set = { ...(tags === undefined ? {} : { tags: tags ?? [] }), ...(note === undefined ? {} : { note }) }
  if (Object.keys(set).length > 0) await trx.updateTable('watchlist_item').set(set).where('user_id', '=', userId).where('item_id', '=', id).execute()
  const rows = await rowsOf(trx, userId)
  const at = rows.findIndex(row => row.item_id === id)
  const own = rows[at]
  if (!own) throw unknownItem(id)
  if (position === undefined || position === null) return told(index, own)
  const others = rows.toSpliced(at, 1)
  const place = Math.min(position, others.length)
  await number(trx, userId, others.toSpliced(place, 0, own))
  return told(index, { ...own, position: place })
}

/** Throws `NotFound` where the user has no such item. */
export async function removeItem(trx: Trx, userId: string, id: string): Promise<void> {
  await alone(trx, userId)
  const gone = await trx.deleteFrom('watchlist_item').where('user_id', '=', userId).where('item_id', '=', id).returning('item_id').executeTakeFirst()
  if (!gone) throw unknownItem(id)
  await number(trx, userId, await rowsOf(trx, userId))
}

/** Numbers items as they stand in `ordered`, in one statement. */
async function number(trx: Trx, userId: string, ordered: readonly Row[]): Promise<void> {
  const moved = ordered.map((row, place) => ({ id: row.item_id, place, was: row.position })).filter(({ place, was }) => place !== was)
  if (moved.length === 0) return
  await sql`update watchlist_item as item set position = moved.place
    from unnest(${moved.map(each => each.id)}::text[], ${moved.map(each => each.place)}::integer[]) as moved (id, place)
    where item.user_id = ${userId} and item.item_id = moved.id`.execute(trx)
}

const unknownItem = (id: string): NotFound =>
  new NotFound(`no item ${id.slice(0, 32)} is on your watchlist`, { hint: 'GET /api/v1/watchlist lists the items with their ids' })
