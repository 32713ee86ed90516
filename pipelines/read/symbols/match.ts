// Which of the listings that went is which of those that came. Only evidence joins two symbols: the same CIK, or one issuer's
// name on exactly one that went and exactly one that came, with the same class marks and kind; or a capital pool that shed its `.P`.
// A name that merely resembles another makes a candidate for a person to look at, never a rename.
import { type ExchangeCode, splitSymbol } from '#schemas/spelling.ts'
import type { KnownInterval } from './book.ts'
import { classInName, nameKey, tellingWords } from './names.ts'

export type Match = { readonly gone: KnownInterval; readonly came: KnownInterval; readonly evidence: string }
export type Candidate = {
  readonly exchange: ExchangeCode
  readonly from: string
  readonly to: string
  readonly date: string
  readonly evidence: string
}

/** Canada's two boards are one market here: an issuer that graduates keeps its instrument. */
const market = ({ exchange }: KnownInterval): string => (exchange === 'US' ? 'US' : 'CA')
/** Kinds that a listing can change between without becoming another instrument. */
const kind = ({ type }: KnownInterval): string => (['common', 'adr', 'capital_pool', 'other', 'trust_unit'].includes(type) ? 'share' : type)
/** Class and series of the line. A capital pool's `.P` and a called preferred's `.CL` are states of it, not another line. */
function marks({ symbol, type }: KnownInterval): string {
  const { marks } = splitSymbol(symbol)
  return type === 'capital_pool' ? '' : marks.filter(mark => mark !== 'CL').join('-')
}

/** Funds of a family share most of their name, and directories hold placeholders such as `Direxion Funds ETF`. */
const isBlandFund = ({ type, name, issuer }: KnownInterval): boolean =>
  (type === 'etf' || type === 'fund') && tellingWords(`${issuer ?? ''} ${name}`).size < 2

type Evidence = { readonly name: string; readonly keyOf: (interval: KnownInterval) => string | null }
const evidences: readonly Evidence[] = [
  { name: 'cik', keyOf: row => (row.cik === null ? null : [market(row), row.cik, kind(row), marks(row), classInName(row.name)].join('|')) },
  {
    name: 'name',
    keyOf: row =>
      nameKey(row.name) === '' || isBlandFund(row)
        ? null
        : [market(row), nameKey(row.name), nameKey(row.issuer ?? ''), kind(row), marks(row)].join('|'),
  },
  {
    name: 'issuer',
    // A United States issuer's preferreds, warrants and notes differ in their names only: there the whole name has to agree.
    keyOf: row => {
      const issuer = nameKey(row.issuer ?? '')
      if (issuer === '' || isBlandFund(row) || (row.exchange === 'US' && kind(row) !== 'share')) return null
      return [market(row), issuer, kind(row), marks(row), row.exchange === 'US' ? classInName(row.name) : ''].join('|')
    },
  },
  {
    name: 'capital_pool',
    keyOf: row => (row.exchange === 'V' && kind(row) === 'share' && marks(row) === '' ? splitSymbol(row.symbol).root : null),
  },
]

/**
 * Pairs disappeared with new listings, strongest evidence first. Nothing is used twice. A different CIK forbids a pair, and so does a third
 * current listing with the same key: a name of several listings identifies none of them.
 */
export function matchListings(gone: readonly KnownInterval[], came: readonly KnownInterval[], staying: () => Iterable<KnownInterval>): Match[] {
  const matches: Match[] = []
  if (gone.length === 0 || came.length === 0) return matches
  const taken = new Set<KnownInterval>()
  for (const evidence of evidences) {
    const pairs = pairsBy(evidence, gone, came, taken)
    if (pairs.size === 0) continue
    const ambiguous = new Set<string>()
    for (const row of staying()) {
      const key = evidence.keyOf(row)
      const pair = key === null ? undefined : pairs.get(key)
      if (key !== null && pair && pair.gone.symbol !== row.symbol && pair.came.symbol !== row.symbol) ambiguous.add(key)
    }
    for (const [key, pair] of pairs) {
      if (ambiguous.has(key)) continue
      matches.push({ ...pair, evidence: evidence.name })
      taken.add(pair.gone)
      taken.add(pair.came)
    }
  }
  return matches
}

type Pair = { readonly gone: KnownInterval; readonly came: KnownInterval }
/** The keys that exactly one that went and exactly one that came share. */
function pairsBy(
  evidence: Evidence,
  gone: readonly KnownInterval[],
  came: readonly KnownInterval[],
  taken: ReadonlySet<KnownInterval>,
): Map<string, Pair> {
  const groups = new Map<string, { gone: KnownInterval[]; came: KnownInterval[] }>()
  const collect = (rows: readonly KnownInterval[], side: 'gone' | 'came'): void => {
    for (const row of rows) {
      const key = taken.has(row) ? null : evidence.keyOf(row)
      if (key === null) continue
      const group = groups.get(key) ?? { gone: [], came: [] }
      group[side].push(row)
      groups.set(key, group)
    }
  }
  collect(gone, 'gone')
  collect(came, 'came')
  const pairs = new Map<string, Pair>()
  for (const [key, group] of groups) {
    const [from, to] = [group.gone[0], group.came[0]]
    if (!from || !to || group.gone.length > 1 || group.came.length > 1 || from.symbol === to.symbol) continue
    if (from.cik !== null && to.cik !== null && from.cik !== to.cik) continue
    if (evidence.name === 'capital_pool' && from.type !== 'capital_pool') continue
    pairs.set(key, { gone: from, came: to })
  }
  return pairs
}

/** Pairs whose names share a word that no other listing of the step has: worth a look, no evidence. */
export function resembling(gone: readonly KnownInterval[], came: readonly KnownInterval[], date: string): Candidate[] {
  const byWord = (rows: readonly KnownInterval[]): Map<string, KnownInterval[]> => {
    const words = new Map<string, KnownInterval[]>()
    for (const row of rows) {
      for (const word of tellingWords(`${row.issuer ?? ''} ${row.name}`)) words.set(word, [...(words.get(word) ?? []), row])
    }
    return words
  }
  const arrived = byWord(came)
  const found = new Map<string, Candidate>()
  for (const [word, left] of byWord(gone)) {
    const right = arrived.get(word) ?? []
    const [from, to] = [left[0], right[0]]
    if (word.length < 4 || !from || !to || left.length > 1 || right.length > 1 || kind(from) !== kind(to) || market(from) !== market(to)) continue
    const pair = `${from.symbol} ${to.symbol}`
    if (!found.has(pair)) found.set(pair, { exchange: from.exchange, from: from.symbol, to: to.symbol, date, evidence: `both names hold "${word}"` })
  }
  return [...found.values()].sort((a, b) => (a.from < b.from ? -1 : 1))
}

/** True if the names state two classes: `UA` was Under Armour's class A, and from December 2016 its class C. */
export function otherClass(known: Pick<KnownInterval, 'name'>, listed: Pick<KnownInterval, 'name'>): boolean {
  const [before, after] = [classInName(known.name), classInName(listed.name)]
  return before !== '' && after !== '' && before !== after
}

/** Within these days a symbol that two lists show is one listing, however its name changed: rebrandings outnumber reuse there. */
const oneListingDays = 400

/**
 * Whether a listing under the symbol of a known interval has the same issuer, `gapDays` after it was last shown. The CIK decides if both
 * are known. After more than a year, names without a common distinctive word are of two issuers, and a listing that ended without a name
 * cannot be matched.
 */
export function sameIssuer(known: KnownInterval, listed: Pick<KnownInterval, 'cik' | 'name' | 'issuer'>, gapDays: number): boolean {
  if (known.cik !== null && listed.cik !== null) return known.cik === listed.cik
  if (gapDays <= oneListingDays) return true
  if (known.name === '' || listed.name === '') return known.valid_to === null
  if (nameKey(known.name) === nameKey(listed.name)) return true
  const before = tellingWords(`${known.issuer ?? ''} ${known.name}`)
  const after = tellingWords(`${listed.issuer ?? ''} ${listed.name}`)
  if (before.size === 0 || after.size === 0) return nameKey(known.issuer ?? known.name) === nameKey(listed.issuer ?? listed.name)
  for (const word of after) if (before.has(word)) return true
  return false
}
