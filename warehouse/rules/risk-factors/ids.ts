// Ids of risk factors that persist across years. Nothing is stored: an issuer's filings of one family are read from the first stored
// one, a factor gets its id where it first appears, and each later match inherits it. The same release and as_of give the same ids.
// An older filing that is read later can only move a first appearance back, which changes the id.
import { createHash } from 'node:crypto'
import type { DiffRules } from '../../rulesets/rfdiff/rules.ts'
import type { FactorSide } from './align.ts'
import { compareFactors, type FactorChange, type FactorComparison } from './compare.ts'

export type FiledFactors = FactorSide & { readonly cik: string; readonly accession: string }

/** `rf_` and 64 bits of the hash of issuer, accession and rank of the first appearance. */
const newId = (cik: string, accession: string, rank: number): string =>
  `rf_${createHash('sha256').update(`${cik} ${accession} ${rank}`).digest('hex').slice(0, 16)}`

/**
 * The ids of each filing's factors, in the given order (oldest first). In a split, the piece with most of the whole inherits the id; a
 * merge takes the id of its largest piece. A rewritten factor is new. `known` are existing comparisons of neighbours.
 */
export function idsOfChain(chain: readonly FiledFactors[], rules: DiffRules, known?: (older: number) => FactorComparison | undefined): string[][] {
  const ids: string[][] = []
  for (const [at, filing] of chain.entries()) {
    const before = ids[at - 1]
    const comparison = at === 0 ? null : (known?.(at - 1) ?? compareFactors(chain[at - 1] as FiledFactors, filing, rules))
    const inherited = new Map<number, string>()
    for (const change of comparison?.changes ?? []) inherit(change, before as string[], chain[at - 1] as FiledFactors, filing, inherited)
    ids.push(filing.factors.map((_, rank) => inherited.get(rank) ?? newId(filing.cik, filing.accession, rank + 1)))
  }
  return ids
}

function inherit(change: FactorChange, before: readonly string[], old: FactorSide, recent: FactorSide, inherited: Map<number, string>): void {
  if (change.class === 'rewritten' || change.old.length === 0 || change.new.length === 0) return
  const longest = (places: readonly number[], side: FactorSide): number =>
    places.reduce((best, at) => ((side.factors[at]?.body.length ?? 0) > (side.factors[best]?.body.length ?? 0) ? at : best), places[0] as number)
  inherited.set(longest(change.new, recent), before[longest(change.old, old)] as string)
}
