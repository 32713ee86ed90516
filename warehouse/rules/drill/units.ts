// Lengths in metres, grades in the unit of their metal: exact decimals, by the ruleset's factors.
import { productOf, quotientOf, shiftDecimal } from '#schemas/decimals.ts'
import type { DrillRules, Metal } from '../../rulesets/drill/rules.ts'
import type { Grade, Length, LengthUnit } from './types.ts'

/** Without trailing zeros. */
export const tidy = (decimal: string): string => (decimal.includes('.') ? shiftDecimal(decimal, 0) : decimal)

export const metresOf = (length: Length, rules: DrillRules): string =>
  length.unit === 'm' ? length.value : tidy(productOf(length.value, rules.constants.feet_to_metres))

export const metalOf = (rules: DrillRules, metal: string | null): Metal | undefined => rules.metals.find(each => each.metal === metal)

export type Normal = { readonly value: string; readonly unit: 'g/t' | '%' }
/**
 * A grade in its metal's unit. Null for ounces per ton if the text does not state which ton: a short ton is assumed only next to feet and
 * for an unknown metal.
 */
export function normalGrade(grade: Grade, lengthUnit: LengthUnit, rules: DrillRules): Normal | null {
  const metal = metalOf(rules, grade.metal)
  if (!metal) return null
  if (grade.unit === metal.unit) return { value: grade.value, unit: metal.unit }
  if (grade.unit === 'oz/t' && lengthUnit !== 'ft') return null
  const unit = grade.unit === 'oz/t' ? 'oz/st' : grade.unit
  const factor = rules.units.find(each => each.unit === unit)?.to_g_per_t
  if (!factor) return null
  const grams = productOf(grade.value, factor)
  return { value: tidy(metal.unit === 'g/t' ? grams : quotientOf(grams, '10000', 8)), unit: metal.unit }
}

export const gradeName = (grade: Pick<Grade, 'metal' | 'equivalent'>): string | null => grade.metal && `${grade.metal}${grade.equivalent ? 'Eq' : ''}`
