// Listing events derived from directories: symbols that disappeared, were replaced, or moved to another exchange, and listings added after
// a venue's directory was first seen.
import type { z } from 'zod'
import type { ListingEventKind } from '#schemas/corporate-actions.ts'
import type { Interval, SymbolIndex } from '../symbols/symbol-index.ts'

export type ListingChange = {
  readonly symbol: string
  readonly kind: z.infer<typeof ListingEventKind>
  readonly date: string
  readonly successor: string | null
  readonly predecessor: string | null
  readonly terms: string
  readonly row: Interval
}

/** More new listings than this on one day of one exchange are a newly loaded directory. */
const mostArrivals = 10
const shareOfArrivals = 0.02
type Arrivals = {
  /** Listings that began, by exchange and day. */
  readonly days: ReadonlyMap<string, number>
  readonly listings: ReadonlyMap<string, number>
  /** The first day on which anything of an exchange was seen. */
  readonly first: ReadonlyMap<string, string>
}
const arrivals = new WeakMap<SymbolIndex, Arrivals>()

function arrivalsOf(symbols: SymbolIndex): Arrivals {
  const known = arrivals.get(symbols)
  if (known) return known
  const [days, listings, first] = [new Map<string, number>(), new Map<string, number>(), new Map<string, string>()]
  const count = (map: Map<string, number>, key: string): void => void map.set(key, (map.get(key) ?? 0) + 1)
  for (const symbol of symbols.all) {
    for (const { exchange, valid_from } of symbols.listingsOf(symbol)) {
      count(days, `${exchange} ${valid_from}`)
      count(listings, exchange)
      if (valid_from < (first.get(exchange) ?? '9999')) first.set(exchange, valid_from)
    }
  }
  const made = { days, listings, first }
  arrivals.set(symbols, made)
  return made
}

function cameAlone(symbols: SymbolIndex, row: Interval): boolean {
  const { days, listings, first } = arrivalsOf(symbols)
  const most = Math.max(mostArrivals, shareOfArrivals * (listings.get(row.exchange) ?? 0))
  return row.valid_from > (first.get(row.exchange) ?? '') && (days.get(`${row.exchange} ${row.valid_from}`) ?? 0) <= most
}

/** The changes of an instrument's listings, newest first. `history` is oldest first, as the index gives it. */
export function listingChanges(symbols: SymbolIndex, history: readonly Interval[]): ListingChange[] {
  const changes: ListingChange[] = []
  for (const [at, row] of history.entries()) {
    const next = history[at + 1]
    if (at === 0 && row.predecessor === null && cameAlone(symbols, row)) {
      const terms = `first shown by the directory of ${row.source} on ${row.valid_from}`
      changes.push({ symbol: row.symbol, kind: 'listing', date: row.valid_from, successor: null, predecessor: null, terms, row })
    }
    if (row.valid_to === null) continue
    if (row.end_reason === 'renamed' || row.end_reason === 'moved') {
      const kind = row.end_reason === 'renamed' ? 'rename' : 'move'
      const date = next?.valid_from ?? row.valid_to
      const to = row.successor ?? next?.symbol ?? null
      const terms = `${row.symbol} until ${row.valid_to}, ${to ?? 'another symbol'} from ${date}`
      changes.push({ symbol: row.symbol, kind, date, successor: to, predecessor: row.symbol, terms, row: next ?? row })
    } else if (next === undefined) {
      const why = row.end_reason === 'delisted' ? 'delisted according to' : 'no longer shown by the directory of'
      const terms = `${why} ${row.source}; last shown on ${row.valid_to}`
      changes.push({ symbol: row.symbol, kind: 'delisting', date: row.valid_to, successor: row.successor, predecessor: null, terms, row })
    }
  }
  return changes.reverse()
}
