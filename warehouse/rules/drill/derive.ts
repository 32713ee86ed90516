// Values derived from lengths and grades: grade-thickness, residual grade, true width. Exact decimals; a quotient is rounded once.
import { compareDecimals, decimalsOf, productOf, quotientOf, roundedDecimal, shiftDecimal, signedSum, sumOf } from '#schemas/decimals.ts'
import type { DrillRules } from '../../rulesets/drill/rules.ts'
import type { Node } from './tree.ts'
import type { Grade } from './types.ts'
import { gradeName, metresOf, type Normal, normalGrade, tidy } from './units.ts'

/** True width in metres and its basis; a range if the text gives a share of the core length. */
export type Width = { readonly basis: 'stated' | 'angle' | 'share'; readonly low: string; readonly high: string }
/** `true widths are 70-80 % of core length`, as percentages. */
export type WidthShare = { readonly low: string; readonly high: string; readonly start: number; readonly end: number }

export function trueWidthOf(node: Node, share: WidthShare | null, angle: string | null, rules: DrillRules): Width | null {
  const { raw } = node
  if (raw.isTrueWidth) return { basis: 'stated', low: node.length, high: node.length }
  if (raw.trueWidth) {
    const width = metresOf(raw.trueWidth, rules)
    return { basis: 'stated', low: width, high: width }
  }
  const degrees = raw.coreAngle ?? angle
  if (degrees !== null) {
    const width = trueWidth(node.length, degrees)
    return { basis: 'angle', low: width, high: width }
  }
  if (!share) return null
  const of = (percent: string): string => tidy(productOf(node.length, shiftDecimal(percent, -2)))
  return { basis: 'share', low: of(share.low), high: of(share.high) }
}

/** `core_length * |sin(angle)|`, the angle in degrees between core axis and plane; four decimals. */
export function trueWidth(length: string, degrees: string): string {
  const sine = Math.abs(Math.sin((Number(degrees) * Math.PI) / 180)).toFixed(12)
  return roundedDecimal(productOf(length, sine), 4)
}

/** Grades that count: converted to the unit of their metal, without a second figure with high assays cut. */
export type Counted = { readonly grade: Grade; readonly name: string; readonly normal: Normal }
export function countedGrades(node: Node, rules: DrillRules): Counted[] {
  return node.raw.grades.flatMap(grade => {
    const name = gradeName(grade)
    const normal = normalGrade(grade, node.raw.length?.unit ?? 'm', rules)
    return name && normal && !grade.capped && grade.qualifier !== '<' ? [{ grade, name, normal }] : []
  })
}

export type Thickness = {
  readonly metal: string
  readonly value: string
  readonly unit: string
  readonly basis: 'core_length' | 'true_width'
  readonly reading: string | null
}
/** Grade times length of each metal: uses the true width if it is one known number, otherwise the core length. */
export function gradeThickness(node: Node, width: Width | null, rules: DrillRules): Thickness[] {
  const exact = width && width.low === width.high ? width.low : null
  return countedGrades(node, rules).map(({ name, normal }) => {
    const value = tidy(productOf(exact ?? node.length, normal.value))
    const inGold = name === 'Au' || name === 'AuEq'
    return {
      metal: name,
      value,
      unit: normal.unit === '%' ? '%*m' : 'g*m',
      basis: exact ? 'true_width' : 'core_length',
      reading: inGold ? readingOf(value, rules) : null,
    }
  })
}
function readingOf(value: string, rules: DrillRules): string {
  const row = rules.reading.rows.findLast(each => compareDecimals(value, each.from) >= 0)
  // Only values above the last step are in the top band: 100 is still strong.
  const exact = rules.reading.rows.find(each => each.to !== null && each.to === value && each.word === 'strong')
  return (exact ?? row)?.word ?? ''
}

export type Residual = {
  readonly metal: string
  readonly unit: string
  /** Of what remains without the parts; null if nothing remains. Below zero: the figures contradict each other. */
  readonly grade: string | null
  readonly length_m: string
  /** Share of the whole's metal that is in the parts. */
  readonly share: string | null
  /** False if the parts hold more than the whole, allowing for rounding. */
  readonly consistent: boolean
}

/** The grade that remains in the whole without its direct parts (the smear test), for each metal that all of them give. */
export function residuals(node: Node, rules: DrillRules): Residual[] {
  if (node.children.length === 0 || overlapping(node)) return []
  const parts = node.children.map(child => ({ length: child.length, grades: countedGrades(child, rules) }))
  const length_m = tidy(signedSum([{ sign: 1, value: node.length }, ...parts.map(part => ({ sign: -1 as const, value: part.length }))]))
  return countedGrades(node, rules).flatMap(({ name, normal }) => {
    const figures = parts.map(part => ({ length: part.length, value: part.grades.find(each => each.name === name)?.normal.value ?? null }))
    if (figures.some(figure => figure.value === null)) return []
    const inParts = sumOf(figures.map(figure => productOf(figure.length, figure.value as string)))
    const whole = productOf(node.length, normal.value)
    const left = difference(whole, inParts)
    const grade = compareDecimals(length_m, '0') > 0 ? quotientOf(left, length_m, 4) : null
    const share = compareDecimals(whole, '0') > 0 ? quotientOf(inParts, whole, 4) : null
    const most = productOf(upper(node.length), upper(normal.value))
    const least = sumOf(figures.map(figure => productOf(lower(figure.length), lower(figure.value as string))))
    return [
      { metal: name, unit: normal.unit, grade, length_m, share, consistent: compareDecimals(left, '0') >= 0 || compareDecimals(most, least) >= 0 },
    ]
  })
}
const difference = (left: string, right: string): string =>
  signedSum([
    { sign: 1, value: left },
    { sign: -1, value: right },
  ])

/** Half a unit of the last printed decimal; a whole number counts as exact. */
const slack = (decimal: string): string => (decimalsOf(decimal) === 0 ? '0' : shiftDecimal('5', -decimalsOf(decimal) - 1))
const upper = (decimal: string): string => sumOf([decimal, slack(decimal)])
const lower = (decimal: string): string => {
  const value = difference(decimal, slack(decimal))
  return value.startsWith('-') ? '0' : value
}

/** Two parts overlap, so their metal must not be added. */
function overlapping(node: Node): boolean {
  const placed = node.children
    .flatMap(child => (child.from !== null && child.to !== null ? [{ from: child.from, to: child.to }] : []))
    .sort((a, b) => compareDecimals(a.from, b.from) || compareDecimals(a.to, b.to))
  return placed.some((part, at) => at > 0 && compareDecimals(part.from, (placed[at - 1] as { to: string }).to) < 0)
}
