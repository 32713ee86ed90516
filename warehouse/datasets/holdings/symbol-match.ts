// Matches an issuer's name and class in a 13F with a listing. CUSIPs are licensed, so the project includes no table of them. Instead, names
// are compared with those of the known listings, otherwise with the SEC's map of tickers, and every match states its confidence.
import { cacheLimits } from '#schemas/cache-limits.ts'
import { classLetter, issuerKey } from '#schemas/issuer-name.ts'
import { firstPlace } from '#schemas/ordered.ts'
import type { IssuerIndex } from '../filings/issuer-index.ts'
import type { Interval, SymbolIndex } from '../symbols/symbol-index.ts'

export type SymbolMatch = {
  readonly symbol: string
  readonly method: 'name' | 'name_normalised' | 'name_truncated' | 'name_of_sec_map'
  readonly confidence: number
}
/** The confidence of each match: equal names, equal keys (abbreviations, legal forms), a name that the form cut; the SEC's map has no class. */
const confidence = { name: 0.95, name_normalised: 0.85, name_truncated: 0.7, name_of_sec_map: 0.8 } as const
/** Names in the SEC's list of 13(f) securities end here or near it. */
const cutAt = 26

export type SymbolMatcher = {
  /** Null if no listing or more than one fits. */
  match(name: string | null, title: string | null): SymbolMatch | null
  /** Keys under which holders of a listing's issuer are found. */
  keysOf(listing: Interval): readonly string[]
}

type Known = { readonly symbols: SymbolIndex; readonly issuers: Pick<IssuerIndex, 'symbolNamed'> }
const matchers = new WeakMap<SymbolIndex, WeakMap<object, SymbolMatcher>>()
/** The matcher over a release's listings and the SEC's map, built once. */
export function symbolMatcher({ symbols, issuers }: Known): SymbolMatcher {
  const held = matchers.get(symbols) ?? new WeakMap<object, SymbolMatcher>()
  matchers.set(symbols, held)
  // Each answer has another object over the same map of names.
  const made = held.get(issuers.symbolNamed) ?? makeMatcher(symbols, issuers)
  held.set(issuers.symbolNamed, made)
  return made
}

const keyOfListing = (listing: Interval): string => issuerKey(listing.issuer ?? listing.name)
const plain = (name: string): string =>
  name
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, ' ')
    .trim()

type Kind = 'common' | 'preferred' | 'warrant' | 'note' | 'unit' | 'right'
function kindOfTitle(title: string): Kind {
  const text = title.toUpperCase()
  if (/\bW(?:TS?|ARRANTS?)\b|\bEXP\b/.test(text)) return 'warrant'
  if (/\bPFD\b|PREF/.test(text)) return 'preferred'
  if (/\bNOTES?\b|DBCV|DEBT|BOND|\d%/.test(text)) return 'note'
  if (/\bUNITS?\b/.test(text) && !/\bLP\b|TR/.test(text)) return 'unit'
  return /\bRTS?\b|RIGHT/.test(text) ? 'right' : 'common'
}
const kindOfListing = (type: string): Kind => (['preferred', 'warrant', 'note', 'unit', 'right'].includes(type) ? (type as Kind) : 'common')

function makeMatcher(symbols: SymbolIndex, issuers: Known['issuers']): SymbolMatcher {
  const byKey = new Map<string, Interval[]>()
  for (const symbol of symbols.all) {
    const listing = symbols.find(symbol)
    // 13(f) securities trade in the United States; the form gives no information about a line elsewhere.
    if (listing?.exchange !== 'US') continue
    const key = keyOfListing(listing)
    const list = byKey.get(key)
    if (list) list.push(listing)
    else byKey.set(key, [listing])
  }
  const sorted = [...byKey.keys()].sort()
  const found = new Map<string, SymbolMatch | null>()
  const lookUp = (name: string, title: string | null): SymbolMatch | null => {
    const key = issuerKey(name)
    if (key === '') return null
    const exact = byKey.get(key)
    const cut = exact === undefined && name.trim().length >= cutAt ? byTruncated(sorted, key) : null
    const listings = exact ?? (cut === null ? undefined : byKey.get(cut))
    if (listings === undefined) {
      const symbol = kindOfTitle(title ?? '') === 'common' ? issuers.symbolNamed(key) : null
      return symbol === null ? null : { symbol, method: 'name_of_sec_map', confidence: confidence.name_of_sec_map }
    }
    const listing = choose(listings, title ?? '')
    if (!listing) return null
    const method = exact === undefined ? 'name_truncated' : plain(listing.issuer ?? listing.name) === plain(name) ? 'name' : 'name_normalised'
    return { symbol: listing.symbol, method, confidence: confidence[method] }
  }
  return {
    match(name, title) {
      if (name === null) return null
      const requested = `${name}\n${title ?? ''}`
      const held = found.get(requested)
      if (held !== undefined) return held
      const match = lookUp(name, title)
      if (found.size >= cacheLimits.holdingNames) found.clear()
      found.set(requested, match)
      return match
    },
    keysOf: listing => [...new Set([listing, ...symbols.history(listing.instrument_id)].map(keyOfListing))].filter(key => key !== '').sort(),
  }
}

/** The one line of a class title: of its kind, of its class if it names one, currently listed rather than formerly. */
function choose(listings: readonly Interval[], title: string): Interval | null {
  const kind = kindOfTitle(title)
  const letter = classLetter(title)
  const ofKind = listings.filter(listing => kindOfListing(listing.type) === kind)
  const ofClass = letter === '' ? ofKind : ofKind.filter(listing => classLetter(listing.name) === letter)
  const candidates = ofClass.length > 0 ? ofClass : ofKind
  const today = candidates.filter(listing => listing.valid_to === null)
  const left = today.length > 0 ? today : candidates.slice(-1)
  return left.length === 1 ? (left[0] ?? null) : null
}

/** The one key that a cut name begins: its last word may be a part of one. */
function byTruncated(sorted: readonly string[], key: string): string | null {
  const whole = key.slice(0, key.lastIndexOf(' ') < 0 ? key.length : key.lastIndexOf(' '))
  for (const start of [key, whole]) {
    if (start.length < 8) continue
    const low = firstPlace(sorted.length, place => (sorted[place] as string) < start)
    const [first, second] = [sorted[low], sorted[low + 1]]
    if (first?.startsWith(start)) return second?.startsWith(start) && first !== start ? null : first
  }
  return null
}
