// Grade bands by deposit type: editorial thresholds of the ruleset. If a depth or a metal is missing, the band is unknown.
import { compareDecimals, sumOf } from '#schemas/decimals.ts'
import type { DepositType } from '#schemas/drill.ts'
import type { Band, DrillRules } from '../../rulesets/drill/rules.ts'
import { type Counted, countedGrades } from './derive.ts'
import type { Node } from './tree.ts'
import { tidy } from './units.ts'

type BandWord = 'low' | 'moderate' | 'high' | 'very_high'
export type EvaluatedBand = {
  readonly deposit_type: string
  readonly metal: string | null
  readonly grade: string | null
  readonly unit: string
  readonly band: BandWord | null
  readonly low_below: string
  readonly high_from: string
  readonly reason: string | null
}

const bandOf = (rules: DrillRules, type: string): Band => rules.bands.find(each => each.deposit_type === type) as Band

/** The band of an interval. For `default` the depth chooses the type; without a depth the band is only given if both types agree. */
export function evaluateBand(node: Node, type: DepositType, rules: DrillRules): EvaluatedBand {
  if (type !== 'default') return evaluate(node, bandOf(rules, type), rules)
  const { metres, shallow, deep } = rules.default_depth
  const depth = depthOf(node)
  if (depth !== null) return evaluate(node, bandOf(rules, compareDecimals(depth, metres) < 0 ? shallow : deep), rules)
  const [upper, lower] = [evaluate(node, bandOf(rules, shallow), rules), evaluate(node, bandOf(rules, deep), rules)]
  if (upper.band === lower.band) return { ...lower, deposit_type: `${shallow} or ${deep}` }
  return {
    ...upper,
    deposit_type: `${shallow} or ${deep}`,
    band: null,
    reason: `no depth is given: ${shallow} makes it ${upper.band}, ${deep} ${lower.band}`,
  }
}
/** The start of an interval: its depth, otherwise that of the interval that contains it. */
function depthOf(node: Node): string | null {
  for (let each: Node | null = node; each; each = each.parent) if (each.from !== null) return each.from
  return null
}

function evaluate(node: Node, band: Band, rules: DrillRules): EvaluatedBand {
  const common = { deposit_type: band.deposit_type, unit: band.unit, low_below: band.low, high_from: band.moderate }
  const counted = countedGrades(node, rules)
  const found = summed(counted, band) ?? counted.find(each => each.name === band.metals.find(metal => counted.some(one => one.name === metal)))
  if (!found)
    return {
      ...common,
      metal: null,
      grade: null,
      band: null,
      reason: `no grade of ${[...band.metals, ...(band.sum.length > 0 ? [band.sum.join(' + ')] : [])].join(' or ')}`,
    }
  const { value } = found.normal
  const word =
    compareDecimals(value, band.low) < 0
      ? 'low'
      : compareDecimals(value, band.moderate) < 0
        ? 'moderate'
        : compareDecimals(value, band.high) <= 0
          ? 'high'
          : 'very_high'
  return { ...common, metal: found.name, grade: value, band: word, reason: null }
}
/** `Zn + Pb` if both are given. */
function summed(counted: readonly Counted[], band: Band): Pick<Counted, 'name' | 'normal'> | null {
  const parts = band.sum.map(metal => counted.find(each => each.name === metal))
  if (parts.length === 0 || parts.some(part => part === undefined)) return null
  return { name: band.sum.join('+'), normal: { value: tidy(sumOf(parts.map(part => (part as Counted).normal.value))), unit: band.unit } }
}
