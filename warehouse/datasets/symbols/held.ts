// Listings that users save: the instrument is stored, and shown under its current symbol.
import { NotFound } from '#schemas/errors.ts'
import { parseSymbol, symbolReadings } from '#schemas/spelling.ts'
import type { Interval, SymbolIndex } from './symbol-index.ts'

/** The listing that a spelling names: the most likely known one of all that it can mean; null if none is known. */
export function findListing(index: SymbolIndex, requested: string): Interval | null {
  for (const { symbol } of symbolReadings(requested)) {
    const found = index.find(symbol)
    if (found) return found
  }
  return null
}

/** As `findListing`; throws `NotFound` with the nearest symbols as hint. */
export function getListing(index: SymbolIndex, requested: string): Interval {
  const found = findListing(index, requested)
  if (found) return found
  const { message } = unknownListing(requested)
  const near = index.nearest(shownSymbol(requested))
  throw near.length > 0 ? new NotFound(message, { hint: `nearest symbols: ${near.join(', ')}` }) : unknownListing(requested)
}
const shownSymbol = (requested: string): string => parseSymbol(requested)?.symbol ?? requested.trim().toUpperCase().slice(0, 16)
/** The error for a listing that is not known, without a search for near symbols. */
export const unknownListing = (requested: string): NotFound =>
  new NotFound(`no symbol ${shownSymbol(requested)} is known`, { hint: 'GET /api/v1/market/symbols?query= finds symbols by name' })

/** What a user stores about a listing: the instrument (null if no directory contains it) and the symbol at that time. */
export type Kept = { readonly instrument_id: string | null; readonly symbol: string }

/** The listing of a stored reference today, or its last one; null if no directory contains it. */
export function presentListing(index: SymbolIndex, { instrument_id, symbol }: Kept): Interval | null {
  const own = instrument_id === null ? [] : index.history(instrument_id)
  const found = own.length > 0 ? null : index.find(symbol)
  const history = found ? index.history(found.instrument_id) : own
  return history.findLast(row => row.valid_to === null) ?? history.at(-1) ?? null
}

/** Its current symbol; if no directory has one, the symbol at the time of saving. */
export const presentSymbol = (index: SymbolIndex, kept: Kept): string => presentListing(index, kept)?.symbol ?? kept.symbol
