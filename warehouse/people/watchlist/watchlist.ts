// A user's watchlist. Writes of one user are serialized, so that concurrent moves keep the positions 0, 1, 2, ….
import { sql } from 'kysely'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import { type ItemAdd, type ItemOut, type ItemPatch, maxItems } from '#schemas/watchlist.ts'
import { findListing, getListing, type Kept, presentSymbol, unknownListing } from '../../datasets/symbols/held.ts'
import type { SymbolIndex } from '../../datasets/symbols/symbol-index.ts'
import { deleteOwn, type Trx } from '../users/own-rows.ts'

const columns = ['item_id', 'instrument_id', 'symbol', 'tags', 'note', 'position', 'created_at'] as const
type Row = {
  readonly item_id: string
  readonly instrument_id: string | null
  readonly symbol: string
  readonly tags: string[]
  readonly note: string | null
  readonly position: number
  readonly created_at: string
}

const itemOf = (index: SymbolIndex, row: Row): ItemOut => {
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
  return (await rowsOf(trx, userId)).map(row => itemOf(index, row))
}

/**
 * Appends a listing to the list. `id` is a new item's; `unlisted`: the symbol, if no directory lists it and bars of it are stored. Throws
 * `NotFound` for an unknown symbol, 409 `conflict` for one that is listed already (under any symbol that it ever had) or if the list is full.
 */
export async function addItem(
  trx: Trx,
  userId: string,
  { index, unlisted }: { readonly index: SymbolIndex; readonly unlisted: string | null },
  requested: ItemAdd,
  id: string,
  now: Date,
): Promise<ItemOut> {
  const kept: Kept = unlisted === null ? getListing(index, requested.ticker) : { instrument_id: null, symbol: unlisted }
  const { instrument_id } = kept
  await alone(trx, userId)
  const rows = await rowsOf(trx, userId)
  const there = rows.find(row => isSame(index, row, kept))
  if (there)
    throw new BadRequest(`${presentSymbol(index, kept)} is on the watchlist: item ${there.item_id}`, {
      status: 409,
      code: 'conflict',
      hint: `PATCH /api/v1/watchlist/${there.item_id} changes it`,
    })
  if (rows.length >= maxItems)
    throw new BadRequest(`the watchlist is full: ${maxItems} items`, { status: 409, code: 'conflict', hint: 'delete an item first' })
  const row = {
    item_id: id,
    instrument_id,
    symbol: presentSymbol(index, kept),
    tags: requested.tags,
    note: requested.note,
    position: rows.length,
    created_at: now.toISOString(),
  }
  const made = await trx
    .insertInto('watchlist_item')
    .values({ ...row, user_id: userId })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return itemOf(index, made)
}

type Known = { readonly index: SymbolIndex; readonly unlisted: string | null }

/**
 * Appends listings in their order: all, or none. Those that the list has already, under any symbol that they ever had, and a second one of the
 * import stay as they are. `known`: for each item, the symbol that no directory lists. Throws 422 with a fault for each item whose symbol is
 * unknown or that is beyond the limit.
 */
export async function importItems(
  trx: Trx,
  userId: string,
  wanted: readonly { readonly item: ItemAdd; readonly known: Known; readonly id: string }[],
  now: Date,
): Promise<{ readonly added: number; readonly present: number; readonly items: readonly ItemOut[] }> {
  await alone(trx, userId)
  const rows: Row[] = [...(await rowsOf(trx, userId))]
  const made: (Row & { readonly user_id: string })[] = []
  const faults: { readonly loc: readonly (string | number)[]; readonly msg: string; readonly type: string }[] = []
  for (const [at, { item, known, id }] of wanted.entries()) {
    const kept = knownListing(item.ticker, known, faults.length < mostSuggestions)
    if (kept instanceof NotFound) {
      const hint = kept.hint === undefined ? '' : `; ${kept.hint}`
      faults.push({ loc: ['body', 'items', at, 'ticker'], msg: `${kept.message}${hint}`, type: 'unknown_symbol' })
      continue
    }
    if (rows.some(row => isSame(known.index, row, kept))) continue
    if (rows.length >= maxItems) {
      faults.push({ loc: ['body', 'items', at], msg: `the watchlist is full: ${maxItems} items`, type: 'too_long' })
      continue
    }
    const { tags, note } = item
    const symbol = presentSymbol(known.index, kept)
    const row = { item_id: id, instrument_id: kept.instrument_id, symbol, tags, note, position: rows.length, created_at: now.toISOString() }
    rows.push(row)
    made.push({ ...row, user_id: userId })
  }
  if (faults.length > 0)
    throw new BadRequest(`${faults.length} of ${wanted.length} items cannot be added, so none was`, {
      status: 422,
      code: 'validation_error',
      items: faults,
    })
  if (made.length > 0) await trx.insertInto('watchlist_item').values(made).execute()
  const index = wanted[0]?.known.index
  const items = index === undefined ? [] : made.map(row => itemOf(index, row))
  return { added: made.length, present: wanted.length - made.length, items }
}

/** Unknown tickers of one import for which near symbols are searched: each search compares all symbols, which takes milliseconds. */
const mostSuggestions = 5

function knownListing(ticker: string, { index, unlisted }: Known, suggests: boolean): Kept | NotFound {
  if (unlisted !== null) return { instrument_id: null, symbol: unlisted }
  try {
    return suggests ? getListing(index, ticker) : (findListing(index, ticker) ?? unknownListing(ticker))
  } catch (error) {
    if (!(error instanceof NotFound)) throw error
    return error
  }
}

/** The same listing, under any symbol that it ever had. */
const isSame = (index: SymbolIndex, row: Kept, kept: Kept): boolean =>
  kept.instrument_id !== null && row.instrument_id !== null
    ? row.instrument_id === kept.instrument_id
    : presentSymbol(index, row) === presentSymbol(index, kept)

/** Applies the patch; a move shifts the items between. Throws `NotFound` if the user has no such item. */
export async function changeItem(trx: Trx, userId: string, index: SymbolIndex, id: string, patch: ItemPatch): Promise<ItemOut> {
  await alone(trx, userId)
  const { tags, note, position } = patch
  const set = { ...(tags === undefined ? {} : { tags: tags ?? [] }), ...(note === undefined ? {} : { note }) }
  if (Object.keys(set).length > 0) await trx.updateTable('watchlist_item').set(set).where('user_id', '=', userId).where('item_id', '=', id).execute()
  const rows = await rowsOf(trx, userId)
  const at = rows.findIndex(row => row.item_id === id)
  const own = rows[at]
  if (!own) throw unknownItem(id)
  if (position === undefined || position === null) return itemOf(index, own)
  const others = rows.toSpliced(at, 1)
  const place = Math.min(position, others.length)
  await number(trx, userId, others.toSpliced(place, 0, own))
  return itemOf(index, { ...own, position: place })
}

/** Throws `NotFound` if the user has no such item. */
export async function removeItem(trx: Trx, userId: string, id: string): Promise<void> {
  await alone(trx, userId)
  if (!(await deleteOwn(trx, 'watchlist_item', 'item_id', userId, id))) throw unknownItem(id)
  await number(trx, userId, await rowsOf(trx, userId))
}

/** Numbers items in the order of `ordered`, in one statement. */
async function number(trx: Trx, userId: string, ordered: readonly Row[]): Promise<void> {
  const moved = ordered.map((row, place) => ({ id: row.item_id, place, was: row.position })).filter(({ place, was }) => place !== was)
  if (moved.length === 0) return
  await sql`update watchlist_item as item set position = moved.place
    from unnest(${moved.map(each => each.id)}::text[], ${moved.map(each => each.place)}::integer[]) as moved (id, place)
    where item.user_id = ${userId} and item.item_id = moved.id`.execute(trx)
}

const unknownItem = (id: string): NotFound =>
  new NotFound(`no item ${id.slice(0, 32)} is on your watchlist`, { hint: 'GET /api/v1/watchlist lists the items with their ids' })
