// Names that a misspelled name may mean: words of the query are compared with the words of current and former names and with symbols.
import { slips } from '#schemas/spelling.ts'
import type { SymbolIndex } from './symbol-index.ts'

export type NearName = {
  readonly symbol: string
  /** The name, former name or symbol that the query is near. */
  readonly matched_name: string
  /** Letters in which they differ. */
  readonly differing_letters: number
}

const mostWords = 8
/** Words that tell no company from another: legal forms, and the security behind a name. */
const general = new Set(
  'inc incorporated corp corporation co company ltd limited plc llc lp the of and a share shares stock stocks class common ordinary unit units trust fund'.split(
    ' ',
  ),
)
/** Letters in which a word may differ: none below five, one below eight, else two. Short words that differ by one letter are other words. */
const mostSlips = (word: string): number => (word.length < 5 ? 0 : word.length < 8 ? 1 : 2)

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(each => each !== '')

/**
 * Listings of the index whose name, former name or symbol is near `query`, by symbol. Every word of the query that is no legal form has to be
 * near one word of the name; words that are joined or split otherwise count as the same. Cost: one pass over all listings.
 */
export function findNearNames(symbols: SymbolIndex, query: string): NearName[] {
  const all = wordsOf(query).slice(0, mostWords)
  const wanted = all.filter(word => !general.has(word))
  if (wanted.length === 0) return []
  const whole = wanted.join('')
  const root = query.trim().toUpperCase().slice(0, 16)
  const isOneWord = /^\S+$/.test(query.trim())
  const found: NearName[] = []
  for (const symbol of symbols.all) {
    const row = symbols.find(symbol)
    if (!row || row.valid_to !== null) continue
    let best: NearName | null = null
    const consider = (matched_name: string, apart: number | null): void => {
      if (apart !== null && (best === null || apart < best.differing_letters)) best = { symbol, matched_name, differing_letters: apart }
    }
    for (const { name, issuer } of symbols.history(row.instrument_id)) {
      for (const each of new Set([name, issuer ?? name])) consider(each, apartFrom(wanted, whole, wordsOf(each)))
    }
    if (isOneWord) consider(symbol, symbolApart(root, symbol))
    if (best !== null) found.push(best)
  }
  return found
}

/** Letters in which the words of a query and of a name differ; null if a word of the query is not near any word of the name. */
function apartFrom(wanted: readonly string[], whole: string, own: readonly string[]): number | null {
  let sum = 0
  let near = true
  for (const word of wanted) {
    const most = mostSlips(word)
    let least = most + 1
    for (const each of own) if (Math.abs(each.length - word.length) <= most) least = Math.min(least, slips(word, each, most))
    near = least <= most
    if (!near) break
    sum += least
  }
  const joined = joinedApart(whole, own)
  return near && joined !== null ? Math.min(sum, joined) : near ? sum : joined
}
/** The query without spaces against neighbouring words of the name without spaces. */
function joinedApart(whole: string, own: readonly string[]): number | null {
  const most = mostSlips(whole)
  if (most === 0) return null
  let least = most + 1
  for (let start = 0; start < own.length; start += 1) {
    let text = ''
    for (let end = start; end < own.length && text.length < whole.length + most; end += 1) {
      text += own[end]
      if (Math.abs(text.length - whole.length) <= most) least = Math.min(least, slips(whole, text, most))
    }
  }
  return least <= most ? least : null
}
/** One slip in a symbol of three letters or more, whatever its exchange. */
function symbolApart(given: string, symbol: string): number | null {
  const root = given.includes('.') ? symbol : (symbol.split('.')[0] ?? symbol)
  if (root.length < 3 || Math.abs(root.length - given.length) > 1) return null
  const apart = slips(given, root, 1)
  return apart <= 1 ? apart : null
}
