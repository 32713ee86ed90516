// Checks a pair against the directories: whether each line is listed, and whether both state the same issuer. Equal symbols never create or
// confirm a pair.
import type { Interval, SymbolIndex } from '../symbols/symbol-index.ts'
import { type Likeness, likenessOf } from './names.ts'
import type { Pair } from './pairs.ts'

/**
 * `confirmed`: both lines are listed under one issuer's name; `likely`: one name begins with the other; `contradicted`: the
 * directories name two issuers; `line_gone`: a directory no longer lists one of them; `not_checked`: a line is in no directory
 * that was loaded.
 */
type Verdict = 'confirmed' | 'likely' | 'contradicted' | 'line_gone' | 'not_checked'
export type InterlistedRow = {
  readonly symbol: string
  readonly name: string
  readonly other_symbol: string | null
  readonly market: string | null
  readonly source: string
  readonly known_from: string
  readonly raw_sha256: string
}
type Side = { readonly symbol: string; readonly listed: boolean | null; readonly name: string | null; readonly listed_to: string | null }
export type Check = {
  readonly verdict: Verdict
  readonly sentence: string
  readonly toronto: Side
  readonly us: Side
  /** Whether TMX's interlisted file names the Toronto line; null if that file was not loaded. */
  readonly interlisted_file: boolean | null
}

const sideOf = (symbol: string, line: Interval | null): Side => ({
  symbol,
  listed: line === null ? null : line.valid_to === null,
  name: line === null ? null : (line.issuer ?? line.name),
  listed_to: line?.valid_to ?? null,
})

/** Checks a pair against listings and the interlisted file (null: not loaded). */
export function checkPair(pair: Pair, symbols: SymbolIndex, interlisted: ReadonlyMap<string, InterlistedRow> | null): Check {
  const toronto = sideOf(pair.tsx_symbol, symbols.find(pair.tsx_symbol))
  const us = sideOf(pair.us_symbol, symbols.find(pair.us_symbol))
  const interlisted_file = interlisted === null ? null : interlisted.has(pair.tsx_symbol)
  const checkOf = (verdict: Verdict, sentence: string): Check => ({ verdict, sentence, toronto, us, interlisted_file })
  const unknown = [toronto, us].filter(side => side.listed === null)
  if (unknown.length > 0) return checkOf('not_checked', `no directory that was loaded lists ${unknown.map(side => side.symbol).join(' or ')}`)
  const gone = [toronto, us].filter(side => side.listed === false)
  if (gone.length > 0) return checkOf('line_gone', gone.map(side => `${side.symbol} was last listed on ${side.listed_to}`).join('; '))
  const [here, there] = [toronto.name ?? '', us.name ?? '']
  const likeness: Likeness = likenessOf(here, there)
  if (likeness === 'same') return checkOf('confirmed', `both directories name one issuer: ${here}`)
  if (likeness === 'similar') return checkOf('likely', `the names begin alike: ${here}; ${there}`)
  return checkOf('contradicted', `the directories name two issuers: ${here}; ${there}`)
}
