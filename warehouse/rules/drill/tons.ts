// Ounces per ton with an unspecified ton: an adjacent conversion into grams per tonne shows which one is meant.
import { compareDecimals, productOf } from '#schemas/decimals.ts'
import { drillRules } from '../../rulesets/drill/rules.ts'

/** The unit in which this many ounces equal this many grams per tonne, within a hundredth; null if neither ton fits. */
export function tonOf(ounces: string, gramsPerTonne: string): 'oz/st' | 'oz/tonne' | null {
  const fits = (unit: string): boolean => {
    const grams = productOf(ounces, drillRules.units.find(row => row.unit === unit)?.to_g_per_t ?? '0')
    return compareDecimals(gramsPerTonne, productOf(grams, '0.99')) >= 0 && compareDecimals(gramsPerTonne, productOf(grams, '1.01')) <= 0
  }
  return fits('oz/st') ? 'oz/st' : fits('oz/tonne') ? 'oz/tonne' : null
}
