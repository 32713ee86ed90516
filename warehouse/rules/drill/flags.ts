// Warnings about a result: contradictions inside it, and omissions in the text. Thresholds and severities are the ruleset's.
import { compareDecimals, productOf, quotientOf, signedSum } from '#schemas/decimals.ts'
import type { DrillRules } from '../../rulesets/drill/rules.ts'
import type { StatedAssumptions } from './assumptions.ts'
import type { EvaluatedBand } from './bands.ts'
import type { Statement } from './checklist.ts'
import { countedGrades, type Residual, type Width } from './derive.ts'
import type { Equivalent } from './equivalents.ts'
import { fits, type Node } from './tree.ts'
import type { Span } from './types.ts'
import { tidy } from './units.ts'

export type Flag = {
  readonly code: string
  readonly severity: string
  /** `1.2` of the tree; null: of the whole text. */
  readonly interval_ref: string | null
  readonly explanation: string
  readonly evidence: readonly Span[]
}
/** An interval with all values calculated from it. */
export type Evaluated = {
  readonly ref: string
  readonly node: Node
  readonly width: Width | null
  readonly residuals: readonly Residual[]
  readonly equivalents: readonly Equivalent[]
  readonly band: EvaluatedBand
  readonly parent: Evaluated | null
}

export function flagsOf(evaluated: readonly Evaluated[], statement: Statement, stated: StatedAssumptions, rules: DrillRules): Flag[] {
  const found = [...evaluated.flatMap(each => intervalFlags(each, rules)), ...textFlags(evaluated, statement, stated)]
  const order = new Map(rules.flags.map(({ code, severity }, at) => [code, { at, severity }]))
  return found
    .map((flag, at) => ({ flag, at }))
    .sort((a, b) => (order.get(a.flag.code)?.at ?? 0) - (order.get(b.flag.code)?.at ?? 0) || a.at - b.at)
    .map(({ flag }) => ({
      code: flag.code,
      severity: order.get(flag.code)?.severity ?? 'medium',
      interval_ref: flag.interval_ref,
      explanation: flag.explanation,
      evidence: flag.evidence,
    }))
}

type Raised = Omit<Flag, 'severity'>
const spansOf = (node: Node): Span[] => (node.raw.span ? [node.raw.span] : [])
const minus = (left: string, right: string): string =>
  signedSum([
    { sign: 1, value: left },
    { sign: -1, value: right },
  ])
const absolute = (decimal: string): string => (decimal.startsWith('-') ? decimal.slice(1) : decimal)

function intervalFlags(evaluated: Evaluated, rules: DrillRules): Raised[] {
  const { ref, node, band, parent } = evaluated
  const flags: Raised[] = []
  const raise = (code: string, explanation: string, evidence: readonly Span[] = spansOf(node)): void =>
    void flags.push({ code, interval_ref: ref, explanation, evidence })
  if (node.from === null) raise('no_from_to', 'no depth is given')
  const mismatch = lengthMismatch(node, rules)
  if (mismatch) raise('interval_mismatch', mismatch)
  if (parent) partFlags(evaluated, parent, raise)
  for (const residual of evaluated.residuals) residualFlags(evaluated, residual, rules, raise)
  if (compareDecimals(node.length, rules.limits.narrow_metres) < 0 && band.band === 'very_high')
    raise(
      'narrow_high_grade',
      `${node.length} m at ${band.grade} ${band.unit} ${band.metal}: high grades over narrow widths often are a nugget effect`,
    )
  for (const grade of node.raw.grades)
    if (grade.unit === 'oz/t' && node.raw.length?.unit !== 'ft')
      raise(
        'unit_ambiguous',
        `${grade.value} oz per ton is ${tidy(productOf(grade.value, '34.2857'))} g/t in short tons, ${tidy(productOf(grade.value, '31.1035'))} g/t in tonnes: it is not reckoned with`,
        node.raw.span ? [grade.span] : [],
      )
  equivalentFlags(evaluated, rules, raise)
  return flags
}
type Raise = (code: string, explanation: string, evidence?: readonly Span[]) => void

function lengthMismatch(node: Node, rules: DrillRules): string | null {
  if (node.from === null || node.to === null || node.raw.isTrueWidth) return null
  const between = minus(node.to, node.from)
  const off = absolute(minus(between, node.length))
  const { interval_mismatch_metres: metres, interval_mismatch_pct: percent } = rules.limits
  const limit = productOf(node.length, quotientOf(percent, '100', 6))
  if (compareDecimals(off, metres) <= 0 || compareDecimals(off, limit) <= 0) return null
  return `${tidy(node.length)} m are stated, from ${tidy(node.from)} to ${tidy(node.to)} m are ${tidy(between)} m`
}

function partFlags({ node }: Evaluated, parent: Evaluated, raise: Raise): void {
  if (!fits(parent.node, node))
    raise('sub_interval_exceeds_parent', `the part is longer than interval ${parent.ref}, or lies outside it`, [
      ...spansOf(node),
      ...spansOf(parent.node),
    ])
  const whole = leading(parent.node)
  const part =
    whole && node.raw.grades.find(grade => grade.metal === whole.metal && grade.equivalent === whole.equivalent && grade.unit === whole.unit)
  if (whole && part && compareDecimals(part.value, whole.value) < 0)
    raise('sub_grade_below_parent', `the part has ${part.value} ${part.unit} ${part.metal ?? ''}, interval ${parent.ref} has ${whole.value}`, [
      ...spansOf(node),
      ...spansOf(parent.node),
    ])
}
const leading = (node: Node) => node.raw.grades[0]

function residualFlags({ node, band, ref }: Evaluated, residual: Residual, rules: DrillRules, raise: Raise): void {
  const { metal, unit, grade, share, consistent } = residual
  const evidence = [...spansOf(node), ...node.children.flatMap(spansOf)]
  if (!consistent) {
    raise(
      'arithmetic_inconsistent',
      `the parts of interval ${ref} hold more ${metal} than the whole: what is left would have ${grade ?? 'no length and less than nothing'} ${grade ? unit : ''}`.trim(),
      evidence,
    )
    return
  }
  if (grade === null || share === null || compareDecimals(share, rules.limits.smear_share) < 0) return
  const whole = countedGrades(node, rules).find(({ name }) => name === metal)
  const thin = whole && compareDecimals(grade, productOf(whole.normal.value, rules.limits.smear_residual)) < 0
  const belowBand = band.metal === metal && compareDecimals(grade, band.low_below) < 0
  if (thin || belowBand)
    raise(
      'smearing_suspected',
      `${tidy(productOf(share, '100'))} % of the ${metal} lies in the parts; without them ${residual.length_m} m have ${grade} ${unit}`,
      evidence,
    )
}

function equivalentFlags({ node, equivalents }: Evaluated, rules: DrillRules, raise: Raise): void {
  const given = node.raw.grades.filter(grade => grade.equivalent)
  if (given.length > 0 && node.raw.grades.every(grade => grade.equivalent))
    raise('equivalent_without_components', `${given[0]?.metal}Eq is given without the grades that it is made of`)
  for (const each of equivalents) {
    if (each.difference_pct === null || each.left_out.length > 0) continue
    if (compareDecimals(absolute(each.difference_pct), rules.limits.equivalent_pct) <= 0) continue
    const basis = {
      one_metal: 'the one metal that is given',
      factors_of_text: "the text's factors",
      prices_of_text: "the text's prices",
      prices_of_ruleset: `the prices of ${rules.ruleset}, for the text gives none`,
    }[each.basis]
    raise('equivalent_mismatch', `${each.stated} ${each.unit} ${each.metal} is stated, ${each.value} follows from ${basis}: ${each.difference_pct} %`)
  }
}

function textFlags(evaluated: readonly Evaluated[], statement: Statement, stated: StatedAssumptions): Raised[] {
  const flags: Raised[] = []
  const raise = (code: string, explanation: string, evidence: readonly Span[] = []): void =>
    void flags.push({ code, interval_ref: null, explanation, evidence })
  const { places } = statement
  const noWidth =
    evaluated.length > 0 &&
    !statement.share &&
    places.true_width.length === 0 &&
    places.true_width_unknown.length === 0 &&
    evaluated.every(each => each.width === null)
  if (noWidth) raise('true_width_missing', 'neither a true width nor that it is unknown is stated: core lengths may overstate widths')
  const bonanza = evaluated.filter(each => each.band.band === 'very_high')
  if (bonanza.length > 0 && places.top_cut.length === 0 && !evaluated.some(each => each.node.raw.grades.some(grade => grade.capped)))
    raise(
      'top_cut_not_stated',
      `very high grades (${bonanza
        .slice(0, 5)
        .map(each => each.ref)
        .join(', ')}) and not a word on whether assays were cut`,
      bonanza.slice(0, 3).flatMap(each => spansOf(each.node)),
    )
  // A recovery of 100 % that the text does not state changes every equivalent that prices make: also of one metal in terms of another.
  const recovered = new Set(stated.recoveries.map(({ metal }) => metal))
  const byPrices = evaluated.flatMap(each =>
    each.equivalents.filter(({ basis }) => basis === 'prices_of_text' || basis === 'prices_of_ruleset').map(equivalent => ({ each, equivalent })),
  )
  const assumed = byPrices.map(({ each, equivalent }) => ({
    each,
    metals: [...new Set([equivalent.metal.replace(/Eq$/, ''), ...equivalent.of])].filter(metal => !recovered.has(metal)),
  }))
  const without = [...new Set(assumed.flatMap(({ metals }) => metals))].sort()
  if (without.length > 0)
    raise(
      'recovery_assumed_100',
      `no recovery of ${without.join(', ')} is stated: the equivalents assume 100 %`,
      assumed
        .filter(({ metals }) => metals.length > 0)
        .slice(0, 3)
        .flatMap(({ each }) => spansOf(each.node)),
    )
  if (!statement.hasText) return flags
  const quoted = evaluated.filter(each => each.node.raw.grades.some(grade => grade.equivalent))
  if (quoted.length > 0 && stated.prices.length === 0 && stated.recoveries.length === 0 && stated.factors.length === 0)
    raise(
      'equivalent_no_assumptions',
      'an equivalent is quoted without prices, recoveries or factors',
      quoted.slice(0, 3).flatMap(each => spansOf(each.node)),
    )
  if (places.qaqc.length === 0) raise('qaqc_missing', 'no quality assurance or control is described')
  if (!statement.qpNamed)
    raise('qp_missing', places.qp.length > 0 ? 'a qualified person is spoken of, none is named' : 'no qualified person is named', places.qp)
  if (places.lab.length === 0) raise('lab_missing', 'no laboratory is named')
  if (places.collar.length + places.azimuth.length + places.dip.length === 0)
    raise('hole_location_missing', 'neither collar nor azimuth nor dip of a hole is given')
  if (places.gross_value.length > 0)
    raise('gross_value_language', 'a value of metal in the ground is spoken of: NI 43-101 does not allow it', places.gross_value)
  const old = [...places.historical, ...places.visual]
  if (old.length > 0) raise('historical_or_visual', 'historical results or visual estimates are spoken of', old)
  if (places.selective.length > 0)
    raise('selective_reporting', 'highlights, or assays still pending: the best holes may be all that is told', places.selective)
  return flags
}
