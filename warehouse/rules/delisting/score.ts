// The delisting risk score: weighted points of the known parts, with every part listed, and the share of the weights that is known. An
// unknown part is listed and counts neither as risk nor as safety; a proposed rule never counts.
import { compare, decimalOf, over, plus, type Ratio, ratioOf, times } from '../../datasets/prices/ratio.ts'
import type { DelistingRules } from '../../rulesets/delisting/rules.ts'

/** The contribution of a check, a cue or the auditor to a component: a share of its weight in percent; null: not known. */
export type Contribution = {
  readonly component: string
  readonly from: string
  readonly share_pct: number | null
  /** Adds nothing because the request does not state otherwise: it is no sufficient basis for a score. */
  readonly unsaid?: boolean
}
type ScorePart = {
  readonly component: string
  readonly title: string
  readonly weight: number
  readonly status: 'known' | 'unknown' | 'not_part'
  /** Percent of the weight; null if unknown. */
  readonly share_pct: string | null
  readonly points: string | null
  readonly from: readonly string[]
  readonly unknown: readonly string[]
}
export type Score = {
  readonly score: string | null
  readonly coverage_pct: string
  readonly sufficient: boolean
  readonly parts: readonly ScorePart[]
}

/** `summed`: components whose contributions add up (to 100 at most); of the others only the largest counts. */
export function scoreOf(contributions: readonly Contribution[], summed: readonly string[], rules: DelistingRules): Score {
  const parts = rules.score.components.map(({ component, title, weight }): ScorePart => {
    const own = contributions.filter(each => each.component === component)
    const known = own.filter((each): each is Contribution & { share_pct: number } => each.share_pct !== null)
    const unknown = own.filter(each => each.share_pct === null).map(each => each.from)
    const shares = known.map(each => each.share_pct)
    const share = Math.min(100, summed.includes(component) ? shares.reduce((sum, each) => sum + each, 0) : Math.max(0, ...shares))
    // A finding counts even if other parts are unknown; the absence of findings is known only if everything is known.
    const status = own.length === 0 ? 'not_part' : known.length > 0 && (share > 0 || unknown.length === 0) ? 'known' : 'unknown'
    return {
      component,
      title,
      weight,
      status,
      share_pct: status === 'known' ? String(share) : null,
      points: status === 'known' ? decimalOf(over(ratioOf(String(share * weight)), ratioOf('100')), 2) : null,
      from: known.filter(each => each.share_pct > 0).map(each => each.from),
      unknown,
    }
  })
  const weights = (of: readonly ScorePart[]): Ratio => of.map(({ weight }) => ratioOf(String(weight))).reduce(plus, ratioOf('0'))
  const known = parts.filter(({ status }) => status === 'known')
  const points = known.map(part => over(ratioOf(String(Number(part.share_pct) * part.weight)), ratioOf('100'))).reduce(plus, ratioOf('0'))
  const [held, all] = [weights(known), weights(parts.filter(({ status }) => status !== 'not_part'))]
  const found = new Set(contributions.filter(({ share_pct, unsaid }) => share_pct !== null && unsaid !== true).map(each => each.component))
  const none = !known.some(({ component }) => found.has(component))
  const coverage = compare(all, ratioOf('0')) === 0 ? ratioOf('0') : times(over(held, all), ratioOf('100'))
  return {
    score: none ? null : decimalOf(times(over(points, held), ratioOf('100')), 1),
    coverage_pct: decimalOf(coverage, 1),
    sufficient: compare(coverage, ratioOf(String(rules.score.least_coverage_pct))) >= 0,
    parts,
  }
}
