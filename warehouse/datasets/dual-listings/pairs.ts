// The pairs of a release: the curated table, and the operator's rows, which replace curated ones of the same symbols.

import type { z } from 'zod'
import type { Confidence } from '#schemas/dual-listings.ts'
import { curated } from '../../rulesets/dual-listings/rules.ts'
import type { Lake } from '../../store/lake/lake.ts'

/** The source of an operator's row. */
type PairOrigin = { readonly source: string; readonly raw_sha256: string; readonly known_from: string }
export type Pair = {
  readonly tsx_symbol: string
  readonly us_symbol: string
  readonly us_mic: string | null
  readonly issuer: string | null // null: the operator's row does not state it
  readonly ratio: string // Toronto shares per one US share
  readonly valid_from: string | null
  readonly valid_to: string | null
  readonly tracked: boolean
  readonly listed_by: 'ruleset' | 'operator'
  readonly evidence: readonly string[]
  readonly confidence: z.infer<typeof Confidence>
  readonly last_verified: string | null
  readonly doubt: string | null
  readonly note: string | null
  readonly origin: PairOrigin | null
}
export type PairState = 'current' | 'ended' | 'ahead'

export type PairBook = {
  /** By Toronto symbol, then US symbol, then the first day. */
  readonly all: readonly Pair[]
  /** Every pair with the symbol on either side. */
  of(symbol: string): readonly Pair[]
}

/** Whether a pair's symbols and venue are valid on a day. */
export function stateOf(pair: Pair, date: string): PairState {
  if (pair.valid_from !== null && date < pair.valid_from) return 'ahead'
  return pair.valid_to !== null && date > pair.valid_to ? 'ended' : 'current'
}

type OwnRow = Omit<Pair, 'listed_by' | 'evidence' | 'confidence' | 'doubt' | 'origin'> & { readonly evidence: string | null } & PairOrigin

/** Reads the operator's rows of a release as known at `asOf` (null: all of them). The curated rows are part of the program. */
export async function loadPairBook(lake: Lake, asOf: string | null): Promise<PairBook> {
  const rows = await lake.query<OwnRow>(
    `select tsx_symbol, us_symbol, us_mic, issuer, ratio, valid_from, valid_to, tracked, evidence, last_verified, note, source, raw_sha256, known_from
     from dual_listings order by tsx_symbol, us_symbol`,
    { as_of: asOf },
    { dual_listings: 'all' },
  )
  return pairBookOf(rows.map(ownPair))
}

const ownPair = ({ source, raw_sha256, known_from, evidence, ...row }: OwnRow): Pair => ({
  ...row,
  listed_by: 'operator',
  evidence: evidence === null ? [] : [evidence],
  // Only the operator confirms it.
  confidence: 'medium',
  doubt: null,
  origin: { source, raw_sha256, known_from },
})

const keyOf = (pair: Pair): string => `${pair.tsx_symbol} ${pair.us_symbol}`
const orderOf = (pair: Pair): string => `${keyOf(pair)} ${pair.valid_from ?? ''}`

/** The curated pairs, with the operator's replacing those of the same two symbols. */
export function pairBookOf(own: readonly Pair[]): PairBook {
  const replaced = new Set(own.map(keyOf))
  const ruled: Pair[] = curated.pairs.map(({ rank: _rank, ...row }) => ({ ...row, listed_by: 'ruleset', origin: null }))
  const all = [...ruled.filter(pair => !replaced.has(keyOf(pair))), ...own].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
  const bySymbol = new Map<string, Pair[]>()
  for (const pair of all)
    for (const symbol of new Set([pair.tsx_symbol, pair.us_symbol])) {
      const list = bySymbol.get(symbol)
      if (list) list.push(pair)
      else bySymbol.set(symbol, [pair])
    }
  return { all, of: symbol => bySymbol.get(symbol) ?? [] }
}
