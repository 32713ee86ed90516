// Metal equivalents, recalculated: Eq_p = sum(G_i V_i R_i) / (V_p R_p), with the prices and recoveries of the text if it gives them,
// else the dated prices of the ruleset and recoveries of 100 %.
import { compareDecimals, productOf, quotientOf, roundedDecimal, sumOf } from '#schemas/decimals.ts'
import type { DrillRules } from '../../rulesets/drill/rules.ts'
import type { StatedAssumptions } from './assumptions.ts'
import { countedGrades } from './derive.ts'
import type { Node } from './tree.ts'
import { metalOf } from './units.ts'

type Price = { readonly metal: string; readonly value: string; readonly per: 'oz' | 'lb' }
export type Deck = {
  readonly prices: ReadonlyMap<string, Price>
  /** Percent. */
  readonly recoveries: ReadonlyMap<string, string>
  /** The value of one unit of a metal in an equivalent of `primary`, if the text states it: `Au Ag`. */
  readonly factors: ReadonlyMap<string, string>
}
export type Equivalent = {
  /** `AuEq`. */
  readonly metal: string
  readonly value: string
  readonly unit: 'g/t' | '%'
  readonly of: readonly string[]
  /** Metals without a price. */
  readonly left_out: readonly string[]
  /** `one_metal`: there is nothing to convert. */
  readonly basis: 'one_metal' | 'factors_of_text' | 'prices_of_text' | 'prices_of_ruleset'
  /** As the text gives it, in the same unit; null if it gives none. */
  readonly stated: string | null
  readonly difference_pct: string | null
}

/** Prices and recoveries of the text, and those of the ruleset for metals that the text does not price. */
export function deckOf(stated: StatedAssumptions, rules: DrillRules): Deck {
  const prices = new Map<string, Price>()
  for (const { metal, price } of rules.metals) if (price) prices.set(metal, { metal, value: price.value, per: price.per })
  for (const { metal, value, per } of stated.prices) prices.set(metal, { metal, value, per })
  return {
    prices,
    recoveries: new Map(stated.recoveries.map(({ metal, percent }) => [metal, percent])),
    factors: new Map(stated.factors.map(({ primary, metal, factor }) => [`${primary} ${metal}`, factor])),
  }
}

/** Value of one unit of grade (g/t or %) in one tonne, times grams per troy ounce: kept whole so that nothing is rounded on the way. */
function worth(metal: string, deck: Deck, rules: DrillRules): string | null {
  const price = deck.prices.get(metal)
  const known = metalOf(rules, metal)
  if (!price || !known) return null
  const { grams_per_troy_ounce: ounce, pounds_per_tonne: pounds } = rules.constants
  // Per ounce: price / ounce per gram; per pound: price * pounds per tonne / 1,000,000 per gram. A percentage is 10,000 grams.
  const perGram = price.per === 'oz' ? price.value : productOf(productOf(price.value, pounds), productOf(ounce, '0.000001'))
  return productOf(perGram, known.unit === '%' ? '10000' : '1')
}
const recovery = (metal: string, deck: Deck): string => deck.recoveries.get(metal) ?? '100'

/** The value of one unit of a metal in an equivalent of another, six decimals; null if one of them has no price. */
export function equivalentFactor(primary: string, metal: string, deck: Deck, rules: DrillRules): string | null {
  const [own, base] = [worth(metal, deck, rules), worth(primary, deck, rules)]
  if (own === null || base === null) return null
  return quotientOf(productOf(own, recovery(metal, deck)), productOf(base, recovery(primary, deck)), 10)
}

/** The equivalents of an interval: those that the text gives, and a gold equivalent of the metals that have a price. */
export function equivalentsOf(node: Node, deck: Deck, stated: StatedAssumptions, rules: DrillRules): Equivalent[] {
  const counted = countedGrades(node, rules)
  const components = counted.filter(({ grade }) => !grade.equivalent)
  if (components.length === 0) return []
  const given = counted.filter(({ grade }) => grade.equivalent)
  const primaries = [...new Set([...given.map(({ grade }) => grade.metal as string), 'Au'])]
  return primaries.flatMap(primary => {
    const unit = metalOf(rules, primary)?.unit
    if (!unit) return []
    const byFactor = components.every(({ name }) => name === primary || deck.factors.has(`${primary} ${name}`))
    const factorOf = (metal: string): string | null =>
      metal === primary ? '1' : byFactor ? (deck.factors.get(`${primary} ${metal}`) ?? null) : equivalentFactor(primary, metal, deck, rules)
    const parts = components.map(({ name, normal }) => ({ name, value: normal.value, factor: factorOf(name) }))
    const taken = parts.filter(part => part.factor !== null)
    if (taken.length === 0) return []
    const value = roundedDecimal(sumOf(taken.map(part => productOf(part.value, part.factor as string))), 4)
    const basisOf = (): Equivalent['basis'] => {
      if (taken.every(part => part.name === primary)) return 'one_metal'
      if (byFactor) return 'factors_of_text'
      const priced = [primary, ...taken.map(part => part.name)].every(metal => stated.prices.some(price => price.metal === metal))
      return priced ? 'prices_of_text' : 'prices_of_ruleset'
    }
    const text = given.find(({ grade }) => grade.metal === primary)?.normal.value ?? null
    return [
      {
        metal: `${primary}Eq`,
        value,
        unit,
        of: taken.map(part => part.name),
        left_out: parts.filter(part => part.factor === null).map(part => part.name),
        basis: basisOf(),
        stated: text,
        difference_pct: text !== null && compareDecimals(value, '0') > 0 ? quotientOf(productOf('100', minusOf(text, value)), value, 2) : null,
      } as const,
    ]
  })
}
const minusOf = (left: string, right: string): string => sumOf([left, right.startsWith('-') ? right.slice(1) : `-${right}`])
