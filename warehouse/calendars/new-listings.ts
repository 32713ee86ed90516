// First listings by the directories of the exchanges: who was not there the day before, nor under another symbol.
import { issuerKey } from '#schemas/issuer-name.ts'
import type { Interval, SymbolIndex } from '../symbols/symbol-index.ts'
import { shifted } from './window.ts'

/** Kinds of securities whose first listing may be an issuer's own: a fund, a warrant or a preferred share is none. */
const equity = new Set(['common', 'adr', 'unit', 'trust_unit'])

export const keyOfListing = (row: Pick<Interval, 'issuer' | 'name'>): string => issuerKey(row.issuer ?? row.name)

/** The first day of which each exchange has a directory: what was there then may be as old as the exchange. */
export function firstDirectories(symbols: SymbolIndex): ReadonlyMap<string, string> {
  const first = new Map<string, string>()
  for (const symbol of symbols.all) {
    for (const { exchange, valid_from: from } of symbols.wearers(symbol)) if (from < (first.get(exchange) ?? '9999')) first.set(exchange, from)
  }
  return first
}

export type NewListings = { readonly listings: readonly Interval[]; readonly capitalPools: number }

/**
 * Lines that were first seen from `from` to `to` and whose issuer had no line before, one for each issuer. Capital pool shells are
 * counted only: they are companies without a business that look for one.
 */
export function newListings(symbols: SymbolIndex, from: string, to: string): NewListings {
  const first = firstDirectories(symbols)
  const candidates: Interval[] = []
  let capitalPools = 0
  for (const symbol of symbols.all) {
    for (const row of symbols.wearers(symbol)) {
      const isNew = row.valid_from >= from && row.valid_from <= to && row.valid_from > (first.get(row.exchange) ?? '9999')
      if (!isNew || row.predecessor !== null || symbols.history(row.instrument_id)[0] !== row) continue
      if (row.type === 'capital_pool') capitalPools += 1
      else if (equity.has(row.type) && !row.etf) candidates.push(row)
    }
  }
  const byIssuer = new Map<string, Interval>()
  for (const row of candidates.toSorted((a, b) => (a.valid_from + a.symbol < b.valid_from + b.symbol ? -1 : 1))) {
    const key = keyOfListing(row)
    if (!byIssuer.has(key) && !listedBefore(symbols, row, key)) byIssuer.set(key, row)
  }
  return { listings: [...byIssuer.values()], capitalPools }
}

/** True where a line of the same issuer is older: another class, or the other side of the border. */
function listedBefore(symbols: SymbolIndex, row: Interval, key: string): boolean {
  // Names are compared by their key only where they begin alike: 51,000 keys would take half a second.
  const start = key.slice(0, 3)
  return symbols.all.some(symbol =>
    symbols
      .wearers(symbol)
      .some(
        other =>
          other.valid_from < row.valid_from &&
          (other.issuer ?? other.name).slice(0, 3).toUpperCase() === start &&
          other.instrument_id !== row.instrument_id &&
          keyOfListing(other) === key,
      ),
  )
}

const followDays = 7
const most = 5

/**
 * Lines of the same exchange that ended within a week before, under no successor, and may be the same company under another name: a
 * capital pool that found its business, or a name that begins alike. No directory says so, therefore they are only named.
 */
export function mayFollow(symbols: SymbolIndex, line: Interval): string[] {
  const word = keyOfListing(line).split(' ')[0]
  const since = shifted(line.valid_from, -followDays)
  const ended = (row: Interval): boolean =>
    row.valid_to !== null &&
    row.valid_to >= since &&
    row.valid_to < line.valid_from &&
    row.successor === null &&
    row.exchange === line.exchange &&
    (row.type === 'capital_pool' || keyOfListing(row).split(' ')[0] === word)
  return symbols.all.filter(symbol => symbols.wearers(symbol).some(ended)).slice(0, most)
}
