// Decides which reported actions are accepted: a pure function of the set of all sources' rows, so the order of arrival does not matter. A
// doubtful action is held with its reason and changes nothing.
import { type ActionFacts, actionKey, actionLabel, classOf } from './actions.ts'
import { type CheckContext, type Doubt, doubtOfBasis, doubtOfCash, doubtOfSplit, type HeldReason } from './checks.ts'
import type { Prices } from './closes.ts'
import type { FxLookup } from './derive.ts'
import { joinRepeated } from './duplicates.ts'
import { numberOf, one, type Ratio, times } from './ratio.ts'
import { type Claim, claimsOf, reportsOf } from './reports.ts'
import { priceRules, type Rules } from './rules.ts'

/** The operator's decision about one row, by `actionKey`. */
type Decisions = ReadonlyMap<string, 'released' | 'rejected'>
export type EvaluationContext = {
  readonly prices: Prices
  readonly currency: string // of the prices
  readonly asOf: string
  readonly decisions: Decisions
  readonly fx?: FxLookup
  readonly sessionsBetween?: (after: string, before: string) => number
  readonly rules?: Rules
}
type IgnoredReason =
  | 'cancelled'
  | 'rejected_by_operator'
  | 'same_as_other_source'
  | 'other_source_preferred'
  | 'duplicate'
  | 'ratio_of_one'
  | 'same_as_spinoff'
type Evaluated<A, R> = { readonly action: A; readonly reason: R; readonly detail: string }
export type ActionVerdicts<A> = {
  /** Each action once, in the wording of one source; what `deriveFactors` takes. */
  readonly effective: readonly A[]
  /** Waits for a second source or for the operator. */
  readonly held: readonly Evaluated<A, HeldReason>[]
  /** Dropped: another row reports it, or it was withdrawn. */
  readonly ignored: readonly Evaluated<A, IgnoredReason>[]
}

/** `rows`: the newest row of every key of one symbol, of all sources, cancelled ones included. */
export function evaluateActions<A extends ActionFacts>(rows: readonly A[], context: EvaluationContext): ActionVerdicts<A> {
  const rules = context.rules ?? priceRules
  const check: CheckContext = { prices: context.prices, rules, sessionsBetween: context.sessionsBetween, asOf: context.asOf }
  const verdict = new Verdict<A>(context.decisions)
  // In one order, so that texts that list several rows do not depend on the order of arrival.
  const withoutRejected = verdict.withoutRejected(rows.toSorted((a, b) => (actionKey(a) < actionKey(b) ? -1 : 1)))

  const byDay = new Map<string, Claim<A>[]>()
  for (const report of reportsOf(withoutRejected, context.currency, context.fx)) {
    const key = `${report.class}|${report.exDate}`
    byDay.set(key, [...(byDay.get(key) ?? []), { ...report, sources: new Set([report.source]), agreeing: [] }])
  }
  const chosen = [...byDay.values()].flatMap(reports => {
    const claims = verdict.onOneBasis(claimsOf(reports, rules), check)
    return claims.length === 1 ? claims : verdict.chooseAmong(claims, check)
  })

  const splits = verdict.withoutRepeats(chosen, 'split', rules, check)
  const spinoffs = verdict.withoutRepeats(chosen, 'spinoff', rules, check)
  const cash = verdict.withoutRepeats(chosen, 'cash', rules, check)
  const ratios = new Map<string, Ratio>()
  for (const claim of splits) {
    if (verdict.isSpinoff(claim, spinoffs)) continue
    if (verdict.accept(claim, doubtOfSplit(claim, check))) ratios.set(claim.exDate, times(ratios.get(claim.exDate) ?? one, claim.size ?? one))
  }
  for (const claim of [...cash, ...spinoffs]) verdict.accept(claim, doubtOfCash(claim, ratios.get(claim.exDate) ?? one, check))
  for (const claim of chosen.filter(item => item.class === 'none')) verdict.accept(claim, null)
  return verdict.sorted()
}

/** Collects the three lists; every row ends in exactly one of them. */
class Verdict<A extends ActionFacts> {
  private readonly effective: A[] = []
  private readonly held: Evaluated<A, HeldReason>[] = []
  private readonly ignored: Evaluated<A, IgnoredReason>[] = []
  private readonly decisions: Decisions
  /** class|ex_date of actions that some source withdrew and does not report otherwise. */
  private readonly takenBack = new Map<string, Set<string>>()

  constructor(decisions: Decisions) {
    this.decisions = decisions
  }

  private ignore(rows: readonly A[], reason: IgnoredReason, detail: string): void {
    for (const action of rows) this.ignored.push({ action, reason, detail: `${describe(action)} ${detail}` })
  }
  private hold(rows: readonly A[], { reason, detail }: Doubt): void {
    for (const action of rows) this.held.push({ action, reason, detail: `${describe(action)} ${detail}` })
  }
  private released(rows: readonly A[]): boolean {
    return rows.some(row => this.decisions.get(actionKey(row)) === 'released')
  }

  /** The rows that are neither cancelled by their own source nor rejected by the operator. */
  withoutRejected(rows: readonly A[]): A[] {
    return rows.filter(row => {
      const rejected = this.decisions.get(actionKey(row)) === 'rejected'
      if (rejected) this.ignore([row], 'rejected_by_operator', 'was rejected by the operator')
      else if (row.cancelled) {
        this.ignore([row], 'cancelled', 'was cancelled by its source')
        const key = `${classOf(row)}|${row.ex_date}`
        this.takenBack.set(key, (this.takenBack.get(key) ?? new Set()).add(row.source_name))
      } else if (classOf(row) === 'split' && row.numerator !== null && Number(row.numerator) === Number(row.denominator)) {
        this.ignore([row], 'ratio_of_one', 'has a ratio of 1, which changes nothing')
      } else return true
      return false
    })
  }

  /** The claims that can be compared with the price, if only some can, because the price or a claim may be divided by splits. */
  onOneBasis(claims: readonly Claim<A>[], check: CheckContext): readonly Claim<A>[] {
    const fitting = claims.filter(claim => doubtOfBasis(claim, check) === null)
    if (fitting.length === 0 || fitting.length === claims.length) return claims
    for (const claim of claims) {
      const doubt = doubtOfBasis(claim, check)
      if (doubt) this.hold([...claim.rows, ...claim.agreeing], doubt)
    }
    return fitting
  }

  /** Sources that disagree about one day: the operator's choice, then the ratio that the price shows, then the majority. */
  chooseAmong(claims: readonly Claim<A>[], check: CheckContext): Claim<A>[] {
    const [best, second] = claims as [Claim<A>, Claim<A>, ...Claim<A>[]]
    const others = (winner: Claim<A>): readonly A[] => claims.filter(claim => claim !== winner).flatMap(claim => [...claim.rows, ...claim.agreeing])
    const released = claims.find(claim => this.released([...claim.rows, ...claim.agreeing]))
    const shown = best.class === 'split' ? claims.filter(claim => doubtOfSplit(claim, check) === null) : []
    const winner = released ?? (shown.length === 1 ? shown[0] : undefined) ?? (best.sources.size > second.sources.size ? best : undefined)
    if (winner) {
      this.ignore(others(winner), 'other_source_preferred', `differs from ${[...winner.sources].join()}, which is better founded`)
      return [winner]
    }
    const doubt: Doubt = { reason: 'sources_disagree', detail: `is told differently by ${claims.map(stated).join(' and ')}` }
    // A small difference about ordinary cash does not justify a gap in the series: the preferred source is used, the others are shown.
    if (best.class === 'cash' && claims.every(claim => doubtOfCash(claim, one, check) === null)) {
      this.hold(others(best), doubt)
      return [best]
    }
    this.hold([...best.rows, ...best.agreeing, ...others(best)], doubt)
    return []
  }

  withoutRepeats(claims: readonly Claim<A>[], kind: Claim<A>['class'], rules: Rules, check: CheckContext): Claim<A>[] {
    const { kept, repeated } = joinRepeated(
      claims.filter(claim => claim.class === kind),
      rules,
      (a, b) => this.better(a, b, check),
    )
    for (const { claim, of } of repeated) {
      this.ignore([...claim.rows, ...claim.agreeing], 'duplicate', `repeats ${describe(of.rows[0]!)} within ${rules.duplicate_days} days`)
    }
    const dropped = new Set(repeated.flatMap(({ claim }) => [...claim.rows, ...claim.agreeing]))
    return kept.map(claim => ({ ...claim, agreeing: claim.agreeing.filter(row => !dropped.has(row)) }))
  }

  /** Of two reports of one action: the released one, the one that the price shows, more sources, a record date, the later (as SAND's). */
  private better(a: Claim<A>, b: Claim<A>, check: CheckContext): Claim<A> {
    const score = (claim: Claim<A>): number[] => [
      this.released(claim.rows) ? 1 : 0,
      claim.class === 'split' && doubtOfSplit(claim, check) === null ? 1 : 0,
      claim.sources.size,
      claim.recordDate === null ? 0 : 1,
    ]
    const [left, right] = [score(a), score(b)]
    const at = left.findIndex((value, index) => value !== right[index])
    if (at < 0) return a.exDate > b.exDate ? a : b
    return left[at]! > right[at]! ? a : b
  }

  /** A split that Yahoo books for a spin-off which another source reports as such: counted once, as the spin-off. */
  isSpinoff(split: Claim<A>, spinoffs: readonly Claim<A>[]): boolean {
    const same = spinoffs.find(claim => claim.exDate === split.exDate && ![...split.sources].every(source => claim.sources.has(source)))
    if (!same || split.size === null || numberOf(split.size) >= 2 || numberOf(split.size) < 1) return false
    this.ignore([...split.rows, ...split.agreeing], 'same_as_spinoff', `is the spin-off that ${[...same.sources].join()} reports, booked as a split`)
    return true
  }

  /** Accepts the claim unless a check objects; an operator's release overrules everything except an amount at or above the price. */
  accept(claim: Claim<A>, doubt: Doubt | null): boolean {
    const rows = [...claim.rows, ...claim.agreeing]
    const backed = [...(this.takenBack.get(`${claim.class}|${claim.exDate}`) ?? [])].filter(source => !claim.sources.has(source))
    const reason: Doubt | null =
      doubt ?? (backed.length > 0 ? { reason: 'cancelled_by_other_source', detail: `was cancelled according to ${backed.join()}` } : null)
    const never = reason?.reason === 'amount_exceeds_price' || reason?.reason === 'no_amount' || reason?.reason === 'no_ratio'
    if (reason && (never || !this.released(rows))) {
      this.hold(rows, reason)
      return false
    }
    this.effective.push(...claim.rows)
    this.ignore(claim.agreeing, 'same_as_other_source', `is the action that ${claim.source} reports`)
    return true
  }

  sorted(): ActionVerdicts<A> {
    const order = (a: A, b: A): number => (a.ex_date < b.ex_date ? -1 : a.ex_date > b.ex_date ? 1 : actionKey(a) < actionKey(b) ? -1 : 1)
    const byAction = (a: { action: A }, b: { action: A }): number => order(a.action, b.action)
    return { effective: this.effective.sort(order), held: this.held.sort(byAction), ignored: this.ignored.sort(byAction) }
  }
}

const describe = (action: ActionFacts): string => `${action.symbol} ${actionLabel(action)} of ${action.ex_date}`
const stated = <A extends ActionFacts>(claim: Claim<A>): string =>
  `${[...claim.sources].join()} (${claim.rows.map(row => row.amount ?? `${row.numerator}/${row.denominator}`).join(' + ')})`
