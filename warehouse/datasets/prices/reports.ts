// Each source's report of one kind of action on one day, and which of them agree.
import type { ActionClass, ActionFacts } from './actions.ts'
import { actionKey, classOf, splitRatio } from './actions.ts'
import type { FxLookup } from './derive.ts'
import { compare, minus, one, over, plus, type Ratio, ratio, ratioOf, times } from './ratio.ts'
import type { Rules } from './rules.ts'

/** One source's rows of one class on one ex-date; `size` is the product of ratios, or the sum of cash. */
export type Report<A extends ActionFacts> = {
  readonly class: ActionClass
  readonly exDate: string
  readonly source: string
  readonly rows: readonly A[]
  /** Null if a row states neither an amount nor a ratio. */
  readonly size: Ratio | null
  readonly currency: string | null
  readonly recordDate: string | null
}
/** Reports that agree: the one to use, and all sources of it. */
export type Claim<A extends ActionFacts> = Report<A> & { readonly sources: ReadonlySet<string>; readonly agreeing: readonly A[] }

/** Groups rows by class, day and source. Cash is summed in `currency` if a rate is known, otherwise in its own currency. */
export function reportsOf<A extends ActionFacts>(rows: readonly A[], currency: string, fx: FxLookup | undefined): Report<A>[] {
  const groups = new Map<string, A[]>()
  for (const row of rows) {
    const key = [classOf(row), row.ex_date, row.source_name].join('|')
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  return [...groups.values()].map(group => {
    const [first] = group as [A, ...A[]]
    const kind = classOf(first)
    const declared = new Set(group.map(row => row.currency ?? currency))
    const inPrice = group.map(row => inCurrency(row, currency, fx))
    const converted = inPrice.every(item => item !== null)
    const sizes = kind === 'split' ? group.map(splitRatio) : converted ? inPrice : group.map(amountOf)
    const known = sizes.filter(item => item !== null)
    return {
      class: kind,
      exDate: first.ex_date,
      source: first.source_name,
      rows: group,
      size: known.length < sizes.length ? null : known.reduce((sum, item) => (kind === 'split' ? times(sum, item) : plus(sum, item))),
      currency: kind === 'split' ? null : converted || declared.size !== 1 ? currency : ([...declared][0] ?? currency),
      recordDate: group.find(row => row.record_date !== null)?.record_date ?? null,
    }
  })
}

/** A cash amount above 0 as declared; null for a spin-off stated as a ratio only. */
function amountOf(row: ActionFacts): Ratio | null {
  if (row.amount === null) return null
  const amount = ratioOf(row.amount)
  return amount.numerator > 0n ? amount : null
}
function inCurrency(row: ActionFacts, currency: string, fx: FxLookup | undefined): Ratio | null {
  const amount = amountOf(row)
  if (amount === null || row.currency === null || row.currency === currency) return amount
  const rate = fx?.(row.currency, currency, row.ex_date)
  return rate ? times(amount, ratioOf(rate.rate)) : null
}

/** The share of the old share's price that a spin-off stated as a ratio (Yahoo: 1.236 for 1) takes away; null otherwise. */
export function spinoffShare(row: ActionFacts): Ratio | null {
  const shares = row.kind === 'spinoff' && row.amount === null ? splitRatio(row) : null
  return shares && compare(shares, one) > 0 ? minus(one, over(one, shares)) : null
}

/** Joins the reports of one class and day that agree; the best supported claim comes first. */
export function claimsOf<A extends ActionFacts>(reports: readonly Report<A>[], rules: Rules): Claim<A>[] {
  const claims: Claim<A>[] = []
  for (const report of [...reports].sort((a, b) => preference(a, b, rules))) {
    const at = claims.findIndex(claim => agree(claim, report, rules))
    const claim = claims[at]
    if (claim) claims[at] = joined(claim, report)
    else claims.push({ ...report, sources: new Set([report.source]), agreeing: [] })
  }
  return claims.sort((a, b) => b.sources.size - a.sources.size || preference(a, b, rules))
}

/** `claim` keeps its wording; the other's rows become rows that agree with it. */
export function joined<A extends ActionFacts>(claim: Claim<A>, other: Report<A> | Claim<A>): Claim<A> {
  const more = 'sources' in other ? other.sources : [other.source]
  const agreeing = 'agreeing' in other ? other.agreeing : []
  return { ...claim, sources: new Set([...claim.sources, ...more]), agreeing: [...claim.agreeing, ...other.rows, ...agreeing] }
}

function preference<A extends ActionFacts>(a: Report<A>, b: Report<A>, rules: Rules): number {
  const rank = (report: Report<A>): number =>
    (rules.source_order.indexOf(report.source) + rules.source_order.length + 1) % (rules.source_order.length + 1)
  return rank(a) - rank(b) || (actionKey(a.rows[0]!) < actionKey(b.rows[0]!) ? -1 : 1)
}

/** Same class and, within the sources' rounding, the same size in the same currency. */
export function agree<A extends ActionFacts>(a: Report<A>, b: Report<A>, rules: Rules): boolean {
  if (a.class !== b.class) return false
  if (a.size === null || b.size === null) return a.size === b.size && a.class === 'spinoff' && sameShare(a, b, rules)
  if (a.class === 'split') return near(a.size, b.size, ratioOf(rules.ratios_agree_relative), null)
  return a.currency === b.currency && near(a.size, b.size, ratioOf(rules.amounts_agree_relative), ratioOf(rules.amounts_agree_absolute))
}
function sameShare<A extends ActionFacts>(a: Report<A>, b: Report<A>, rules: Rules): boolean {
  const [left, right] = [spinoffShare(a.rows[0]!), spinoffShare(b.rows[0]!)]
  return left !== null && right !== null && near(left, right, ratioOf(rules.amounts_agree_relative), null)
}
function near(a: Ratio, b: Ratio, relative: Ratio, absolute: Ratio | null): boolean {
  const distance = minus(a, b)
  const size = ratio(distance.numerator < 0n ? -distance.numerator : distance.numerator, distance.denominator)
  return compare(size, times(a, relative)) <= 0 || (absolute !== null && compare(size, absolute) <= 0 && compare(size, times(a, ratio(1n, 10n))) <= 0)
}
