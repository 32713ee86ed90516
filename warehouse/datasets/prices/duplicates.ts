// One action reported on two days: vendors repeat a dividend some days later (HME.V 2023-05-31 and 06-06, NWX.V 2020-11-24
// and 25, SAND 2024-01-12 and 16) or a split (SHOP 2022-06-22 and 29).
import { daysBetween } from '#schemas/days.ts'
import type { ActionFacts } from './actions.ts'
import { agree, type Claim, joined } from './reports.ts'
import type { Rules } from './rules.ts'

export type Repeated<A extends ActionFacts> = { readonly claim: Claim<A>; readonly of: Claim<A> }

/**
 * Joins reports of one class that repeat another of the same size within `duplicate_days`, unless both state a record date and the dates
 * differ. `better` chooses which of two to keep. The sources of the dropped report count for the kept one.
 */
export function joinRepeated<A extends ActionFacts>(
  claims: readonly Claim<A>[],
  rules: Rules,
  better: (a: Claim<A>, b: Claim<A>) => Claim<A>,
): { kept: Claim<A>[]; repeated: Repeated<A>[] } {
  const kept: Claim<A>[] = []
  const repeated: Repeated<A>[] = []
  const sorted = [...claims].sort((a, b) => (a.exDate < b.exDate ? -1 : 1))
  for (const [at, claim] of sorted.entries()) {
    const earlier = kept.at(-1)
    if (!earlier || !repeats(earlier, claim, allowedDays(sorted, at, earlier, rules), rules)) {
      kept.push(claim)
      continue
    }
    const winner = better(earlier, claim)
    const loser = winner === earlier ? claim : earlier
    kept[kept.length - 1] = joined(winner, loser)
    repeated.push({ claim: loser, of: winner })
  }
  return { kept, repeated }
}

function repeats<A extends ActionFacts>(a: Claim<A>, b: Claim<A>, days: number, rules: Rules): boolean {
  const sameRecord = a.recordDate === null || b.recordDate === null || a.recordDate === b.recordDate
  return sameRecord && daysBetween(a.exDate, b.exDate) <= days && agree(a, b, rules)
}

/** A weekly payer legitimately declares the same amount a week apart: if its neighbours are that close, two days count. */
function allowedDays<A extends ActionFacts>(sorted: readonly Claim<A>[], at: number, earlier: Claim<A>, rules: Rules): number {
  const before = sorted.slice(0, at).findLast(claim => claim.exDate < earlier.exDate)
  const after = sorted[at + 1]
  const gaps = [before && daysBetween(before.exDate, earlier.exDate), after && daysBetween(sorted[at]!.exDate, after.exDate)]
  const frequent = gaps.some(gap => gap !== undefined && gap <= rules.frequent_payer_gap_days)
  return frequent ? rules.frequent_payer_duplicate_days : rules.duplicate_days
}
