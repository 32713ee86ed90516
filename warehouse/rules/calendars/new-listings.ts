// First listings by the exchanges' directories: lines that were not listed the day before, under this or another symbol.

import { addDays, daysBetween } from '#schemas/days.ts'
import { issuerKey } from '#schemas/issuer-name.ts'
import type { ReleaseContext } from '../../context/answer.ts'
import type { Interval, SymbolIndex } from '../../datasets/symbols/symbol-index.ts'
import { sqlIn } from '../../store/sql-files.ts'

/** Kinds of securities whose first listing may be an issuer's first; a fund, a warrant or a preferred share does not count. */
const equity = new Set(['common', 'adr', 'unit', 'trust_unit'])

/** Lists of symbols alone do not distinguish a fund from a company; its name does. */
const fund = /\b(?:ETFs?|ETNs?|ETPs?|Funds?)\b/i

const statements = sqlIn(import.meta.dirname, ['find-directory-days'])

export const keyOfListing = (row: Pick<Interval, 'issuer' | 'name'>): string => issuerKey(row.issuer ?? row.name)

/** If directories are further apart, they do not show on which day a line was added. */
const longestGap = 7

export type DirectoryDays = { readonly before: (line: Interval) => string | null }

type Days = ReadonlyMap<string, ReadonlySet<string>>
const held = new WeakMap<SymbolIndex, Days>()

/** If the days of directories were not stored separately, the days on which a line was added or removed are some of them: by source and venue. */
function daysOfLines(symbols: SymbolIndex): Days {
  const known = held.get(symbols)
  if (known) return known
  const days = new Map<string, Set<string>>()
  for (const symbol of symbols.all) {
    for (const { source, exchange, mic, valid_from, valid_to } of symbols.listingsOf(symbol)) {
      for (const venue of mic === null ? [exchange] : [exchange, mic]) {
        const dates = days.get(`${source} ${venue}`) ?? new Set()
        days.set(`${source} ${venue}`, dates.add(valid_from))
        if (valid_to !== null) dates.add(valid_to)
      }
    }
  }
  held.set(symbols, days)
  return days
}

/** Returns the last day before a line's first on which its directory did not show it; null if there is no earlier directory. */
export async function findDirectoryDays({ lake, symbols }: Pick<ReleaseContext, 'lake' | 'symbols'>, asOf: string | null): Promise<DirectoryDays> {
  type Sighting = { readonly source_name: string; readonly venue: string; readonly date: string }
  const sightings = await lake.query<Sighting>(statements['find-directory-days'], { as_of: asOf }, { directory_sightings_history: 'all' })
  const seen = Map.groupBy(sightings, each => `${each.source_name} ${each.venue}`)
  const lines = daysOfLines(symbols)
  const last = (key: string, date: string): string | null => {
    let before: string | null = null
    const take = (day: string): void => {
      if (day < date && (before === null || day > before)) before = day
    }
    for (const day of lines.get(key) ?? []) take(day)
    for (const sighting of seen.get(key) ?? []) take(sighting.date)
    return before
  }
  return {
    before: ({ source, exchange, mic, valid_from }) =>
      [exchange, mic]
        .map(venue => last(`${source} ${venue}`, valid_from))
        .filter(date => date !== null)
        .sort()
        .at(-1) ?? null,
  }
}
/** True if the line was absent a few days before, so that its first day is the day on which it was added. */
export function cameOn(days: DirectoryDays, line: Interval): boolean {
  const before = days.before(line)
  return before !== null && daysBetween(before, line.valid_from) <= longestGap
}

type NewListings = {
  readonly listings: readonly Interval[]
  readonly capitalPools: number
  /** Lines first seen after a gap between directories: the day on which they were added is unknown. */
  readonly undated: number
}

/**
 * Lines added from `from` to `to` whose issuer had no line before, one for each issuer. Capital pool shells are only counted: they are
 * companies without a business that look for one.
 */
export function newListings(symbols: SymbolIndex, days: DirectoryDays, from: string, to: string): NewListings {
  const candidates: Interval[] = []
  let [capitalPools, undated] = [0, 0]
  for (const symbol of symbols.all) {
    for (const row of symbols.listingsOf(symbol)) {
      if (row.valid_from < from || row.valid_from > to || row.predecessor !== null || symbols.history(row.instrument_id)[0] !== row) continue
      const isEquity = equity.has(row.type) && !row.etf && !fund.test(row.name)
      if (!isEquity && row.type !== 'capital_pool') continue
      if (!cameOn(days, row)) undated += days.before(row) === null ? 0 : 1
      else if (row.type === 'capital_pool') capitalPools += 1
      else candidates.push(row)
    }
  }
  const older = olderLines(symbols, candidates)
  const byIssuer = new Map<string, Interval>()
  for (const row of candidates.toSorted((a, b) => (a.valid_from + a.symbol < b.valid_from + b.symbol ? -1 : 1))) {
    const key = keyOfListing(row)
    const since = older.get(key)
    if (!byIssuer.has(key) && (since === undefined || since >= row.valid_from)) byIssuer.set(key, row)
  }
  return { listings: [...byIssuer.values()], capitalPools, undated }
}

const beginning = (row: Interval): string => (row.issuer ?? row.name).slice(0, 4).toUpperCase()

/** The first day of any line of each candidate's issuer. Name keys are computed only if names begin alike: 70,000 of them take half a second. */
function olderLines(symbols: SymbolIndex, candidates: readonly Interval[]): ReadonlyMap<string, string> {
  const beginnings = new Set(candidates.map(beginning))
  const keys = new Set(candidates.map(keyOfListing))
  const first = new Map<string, string>()
  for (const symbol of symbols.all) {
    for (const row of symbols.listingsOf(symbol)) {
      if (!beginnings.has(beginning(row))) continue
      const key = keyOfListing(row)
      if (keys.has(key) && row.valid_from < (first.get(key) ?? '9999')) first.set(key, row.valid_from)
    }
  }
  return first
}

const followDays = 7
const most = 5

/**
 * Lines of the same exchange that ended within a week before, without a successor, and may be the same company under another name: a
 * capital pool that found its business, or a name that begins alike. No directory confirms this, so they are only listed.
 */
export function mayFollow(symbols: SymbolIndex, line: Interval): string[] {
  const word = keyOfListing(line).split(' ')[0]
  const since = addDays(line.valid_from, -followDays)
  const ended = (row: Interval): boolean =>
    row.valid_to !== null &&
    row.valid_to >= since &&
    row.valid_to < line.valid_from &&
    row.successor === null &&
    row.exchange === line.exchange &&
    (row.type === 'capital_pool' || keyOfListing(row).split(' ')[0] === word)
  return symbols.all.filter(symbol => symbols.listingsOf(symbol).some(ended)).slice(0, most)
}
