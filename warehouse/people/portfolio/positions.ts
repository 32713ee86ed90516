// A user's positions: create, replace, delete, import. One position of a security in each account and currency; nothing is merged.
import { sql } from 'kysely'
import { BadRequest, type BodyFault, NotFound } from '#schemas/errors.ts'
import { maxPositions, type Position, type PositionIn } from '#schemas/portfolio.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { findListing, type Kept, presentListing, presentSymbol } from '../../datasets/symbols/held.ts'
import type { SymbolIndex } from '../../datasets/symbols/symbol-index.ts'
import { deleteOwn, type Trx } from '../users/own-rows.ts'

const columns = ['position_id', 'ordinal', 'instrument_id', 'symbol', 'quantity', 'acb_per_share', 'currency', 'account_type', 'note'] as const
const times = ['created_at', 'stated_at'] as const
type Row = Kept & Omit<Position, 'id' | 'ticker' | 'instrument_id'> & { readonly position_id: string; readonly ordinal: number }

const positionOf = (index: SymbolIndex, row: Row): Position => {
  const listing = presentListing(index, row)
  const { position_id: id, quantity, acb_per_share, currency, account_type, note, created_at, stated_at } = row
  return {
    id,
    ticker: listing?.symbol ?? row.symbol,
    instrument_id: listing?.instrument_id ?? null,
    quantity,
    acb_per_share,
    currency,
    account_type,
    note,
    created_at,
    stated_at,
  }
}

/** One writer of a user's positions at a time, until the transaction ends. */
const alone = (trx: Trx, userId: string) => sql`select pg_advisory_xact_lock(hashtextextended(${`portfolio ${userId}`}, 0))`.execute(trx)

/** Positions in order of creation, after `after`, at most `limit`. */
export async function findPositions(
  trx: Trx,
  userId: string,
  index: SymbolIndex,
  { after, limit }: { readonly after: number; readonly limit: number } = { after: -1, limit: maxPositions },
): Promise<{ readonly positions: Position[]; readonly next: number | null }> {
  const rows = await trx
    .selectFrom('portfolio_position')
    .select([...columns, ...times])
    .where('user_id', '=', userId)
    .where('ordinal', '>', after)
    .orderBy('ordinal')
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  return { positions: page.map(row => positionOf(index, row)), next: rows.length > limit ? (page.at(-1)?.ordinal ?? null) : null }
}

/**
 * The security of a symbol in any spelling. A symbol that is in no directory is kept as written, because a fund or a bulletin-board
 * share can be held too. Null if the text is no symbol in any spelling.
 */
function keptOf(index: SymbolIndex, ticker: string): Kept | null {
  const listing = findListing(index, ticker)
  if (listing) return { instrument_id: listing.instrument_id, symbol: presentSymbol(index, listing) }
  const symbol = parseSymbol(ticker)?.symbol
  return symbol === undefined ? null : { instrument_id: null, symbol }
}
const unreadable = 'expected a symbol such as AAPL, BRK-B, RY.TO or XYZ.V'

/** The key that must be unique among a user's positions. */
const placeOf = (index: SymbolIndex, kept: Kept & { readonly account_type: string; readonly currency: string }): string =>
  JSON.stringify([presentListing(index, kept)?.instrument_id ?? kept.symbol, kept.account_type, kept.currency])

/** The ids of the user's positions by that key. */
async function placesHeld(trx: Trx, userId: string, index: SymbolIndex): Promise<Map<string, string>> {
  const rows = await trx
    .selectFrom('portfolio_position')
    .select(['position_id', 'instrument_id', 'symbol', 'account_type', 'currency'])
    .where('user_id', '=', userId)
    .execute()
  return new Map(rows.map(row => [placeOf(index, row), row.position_id]))
}

/**
 * The requested position with its listing, the positions that the user holds by their keys, and the id of the one with the same key. The
 * user's positions are locked until the transaction ends. Throws 422 for a ticker that is no symbol in any spelling.
 */
async function compareWithHeld(trx: Trx, userId: string, index: SymbolIndex, { ticker, ...stated }: PositionIn) {
  const position = { ...checkSymbol(index, ticker), ...stated }
  await alone(trx, userId)
  const held = await placesHeld(trx, userId, index)
  return { position, held, there: held.get(placeOf(index, position)) }
}

/**
 * Creates a position. Throws 422 for a ticker that is no symbol in any spelling, 409 `conflict` if the security is already held in that
 * account and currency, and if the portfolio is full.
 */
export async function addPosition(trx: Trx, userId: string, index: SymbolIndex, requested: PositionIn, id: string, now: Date): Promise<Position> {
  const { position, held, there } = await compareWithHeld(trx, userId, index, requested)
  if (there !== undefined) throw heldTwice(position.symbol, requested, there)
  checkRoom(held.size, 1)
  const [made] = await insert(trx, userId, [{ ...position, position_id: id }], now)
  return positionOf(index, made as Row)
}

/** Replaces a whole position: its quantity and cost are as of now. Throws as `addPosition`, and `NotFound` if the user has no such position. */
export async function replacePosition(trx: Trx, userId: string, index: SymbolIndex, id: string, requested: PositionIn, now: Date): Promise<Position> {
  const { position, held, there } = await compareWithHeld(trx, userId, index, requested)
  if (![...held.values()].includes(id)) throw unknownPosition(id)
  if (there !== undefined && there !== id) throw heldTwice(position.symbol, requested, there)
  const row = await trx
    .updateTable('portfolio_position')
    .set({ ...position, stated_at: now.toISOString() })
    .where('user_id', '=', userId)
    .where('position_id', '=', id)
    .returning([...columns, ...times])
    .executeTakeFirstOrThrow()
  return positionOf(index, row)
}

/** Throws `NotFound` if the user has no such position. */
export async function removePosition(trx: Trx, userId: string, id: string): Promise<void> {
  await alone(trx, userId)
  if (!(await deleteOwn(trx, 'portfolio_position', 'position_id', userId, id))) throw unknownPosition(id)
}

/** A row of an import: its position in the input, and its content. */
export type ImportRow = { readonly loc: BodyFault['loc']; readonly name: string; readonly position: PositionIn }

/**
 * Creates a position for every row, or none: throws 422 with every faulty row. It is an error, never added up, if an earlier row or the
 * portfolio has the security in the same account and currency. `ids` are new ones, one for each row.
 */
export async function importPositions(
  trx: Trx,
  userId: string,
  index: SymbolIndex,
  rows: readonly ImportRow[],
  ids: readonly string[],
  now: Date,
): Promise<{ imported: number; total: number }> {
  await alone(trx, userId)
  const held = await placesHeld(trx, userId, index)
  const named = new Map<string, string>()
  const faults: BodyFault[] = []
  const made: (Omit<PositionIn, 'ticker'> & Kept & { position_id: string })[] = []
  rows.forEach(({ loc, name, position: { ticker, ...stated } }, at) => {
    const fault = (msg: string): void => void faults.push({ loc: [...loc, 'ticker'], msg, type: 'custom' })
    const kept = keptOf(index, ticker)
    if (kept === null) {
      fault(unreadable)
      return
    }
    const place = placeOf(index, { ...kept, ...stated })
    const [before, there] = [named.get(place), held.get(place)]
    const where = `${kept.symbol} in account ${stated.account_type}, currency ${stated.currency}`
    if (before !== undefined) fault(`${where} is in ${before} too: make them one row, or tell them apart by account_type`)
    else if (there !== undefined) fault(`${where} is held as ${there}: replace that position, or leave the row out`)
    if (before === undefined) named.set(place, name)
    made.push({ ...kept, ...stated, position_id: ids[at] as string })
  })
  refuseFaults(faults)
  checkRoom(held.size, made.length)
  // Postgres takes 65,535 values in a statement.
  for (let from = 0; from < made.length; from += 1000) await insert(trx, userId, made.slice(from, from + 1000), now)
  return { imported: made.length, total: held.size + made.length }
}

/** Maximum number of errors in a response. */
const reportedFaults = 50
/** Throws 422 if there are errors. */
export function refuseFaults(faults: readonly BodyFault[]): void {
  const [first] = faults
  if (!first) return
  throw new BadRequest(`${faults.length} faults: nothing was imported`, {
    status: 422,
    code: 'validation_error',
    hint: `correct ${first.loc.slice(1).join('.')}: ${first.msg}${faults.length > reportedFaults ? ` (the first ${reportedFaults} of ${faults.length} faults are listed)` : ''}`,
    items: faults.slice(0, reportedFaults),
  })
}

async function insert(trx: Trx, userId: string, rows: readonly (Omit<PositionIn, 'ticker'> & Kept & { position_id: string })[], now: Date) {
  const { last } = await trx
    .selectFrom('portfolio_position')
    .select(({ fn }) => fn.max('ordinal').as('last'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  const at = now.toISOString()
  const first = (last ?? -1) + 1
  return await trx
    .insertInto('portfolio_position')
    .values(rows.map((row, place) => ({ ...row, user_id: userId, ordinal: first + place, created_at: at, stated_at: at })))
    .returning([...columns, ...times])
    .execute()
}

function checkSymbol(index: SymbolIndex, ticker: string): Kept {
  const kept = keptOf(index, ticker)
  if (kept === null) {
    const items = [{ loc: ['body', 'ticker'], msg: unreadable, type: 'custom' }]
    throw new BadRequest('the ticker is no symbol', { status: 422, code: 'validation_error', hint: `correct body.ticker: ${unreadable}`, items })
  }
  return kept
}

function checkRoom(held: number, more: number): void {
  if (held + more > maxPositions)
    throw new BadRequest(`the portfolio would have ${held + more} positions`, {
      status: 409,
      code: 'conflict',
      hint: `at most ${maxPositions}: delete some first`,
    })
}

const heldTwice = (symbol: string, { account_type, currency }: PositionIn, id: string): BadRequest =>
  new BadRequest(`${symbol} in account ${account_type}, currency ${currency} is held as ${id}`, {
    status: 409,
    code: 'conflict',
    hint: `PUT /api/v1/portfolio/positions/${id} replaces it; another account_type keeps them apart`,
  })
const unknownPosition = (id: string): NotFound =>
  new NotFound(`no position ${id.slice(0, 32)} is in your portfolio`, { hint: 'GET /api/v1/portfolio/positions lists the positions with their ids' })
