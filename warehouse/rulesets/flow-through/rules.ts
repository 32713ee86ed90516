// The rulesets of flow-through shares, one file per tax year, checked when the module is read: income
// tax of Canada and of every province and territory, what each kind of share deducts, credits, and which minerals are critical.
import { z } from 'zod'
import { compareDecimals } from '#schemas/decimals.ts'
import { parseOnce } from '#schemas/once.ts'
import { IsoDate } from '#schemas/values.ts'
import { dated, editionOf, RuleSource } from '../editions.ts'
import edition2025 from './2025.json' with { type: 'json' }
import edition2026 from './2026.json' with { type: 'json' }

const Percent = z.string().regex(/^(100|\d{1,2})(\.\d{1,4})?$/, 'expected a percentage from 0 to 100')
const Dollars = z.string().regex(/^\d{1,9}$/, 'expected whole dollars')
const Code = z.string().regex(/^[A-Z]{2}$/)
/** Two letters of a province or territory, or CA for the federal schedule. */
export const federal = 'CA'

const Schedule = z.strictObject({
  jurisdiction: Code,
  tax_year: z.int(),
  /** `to` null: and above. */
  brackets: z.array(z.strictObject({ to: Dollars.nullable(), rate_pct: Percent })).min(2),
  /** A percentage of the jurisdiction's own tax, from this taxable income on (Ontario); several add up. */
  surtaxes: z.array(z.strictObject({ over: Dollars, rate_pct: Percent })),
  ...dated,
})
export type Schedule = z.infer<typeof Schedule>

/** Untaxed income, as a credit at the lowest rate; `falls`: what remains of it at higher incomes, in a straight line. */
const BasicAmount = z.strictObject({
  jurisdiction: Code,
  tax_year: z.int(),
  amount: Dollars,
  falls: z.strictObject({ to: Dollars, from_income: Dollars, until_income: Dollars }).nullable(),
  ...dated,
})
export type BasicAmount = z.infer<typeof BasicAmount>

const Jurisdiction = z.strictObject({ code: Code, name: z.string(), kind: z.enum(['province', 'territory']), aliases: z.array(z.string()) })
export type Jurisdiction = z.infer<typeof Jurisdiction>

const ShareType = z.strictObject({
  fts_type: z.string().regex(/^[a-z_]{2,40}$/),
  title: z.string(),
  aliases: z.array(z.string()),
  expense: z.enum(['CEE', 'CDE', 'CRCE']),
  deduction_pct: Percent,
  /** True: the percentage applies to the rest of the pool, each year. */
  declining: z.boolean(),
  federal_credit: z.string().nullable(),
  /** The credit if the commodity is not known to qualify for `federal_credit`. */
  otherwise: z.string().nullable(),
  provincial_credit: z.boolean(),
  note: z.string().nullable(),
  ...dated,
})
export type ShareType = z.infer<typeof ShareType>

const FederalCredit = z.strictObject({
  credit: z.string(),
  title: z.string(),
  rate_pct: Percent,
  minerals: z.enum(['any', 'listed']),
  condition: z.string(),
  ...dated,
})
export type FederalCredit = z.infer<typeof FederalCredit>

const years = z.int().min(0).max(50).nullable()
const ProvincialCredit = z.strictObject({
  jurisdiction: Code,
  programme: z.string(),
  rate_pct: Percent,
  kind: z.enum(['refundable', 'non_refundable']),
  carry_back_years: years,
  carry_forward_years: years,
  condition: z.string(),
  note: z.string().nullable(),
  ...dated,
})
export type ProvincialCredit = z.infer<typeof ProvincialCredit>

const Mineral = z.strictObject({
  mineral: z.string(),
  /** Read in this case only, unless the whole text is one. */
  symbols: z.array(z.string()),
  names: z.array(z.string()),
  critical: z.boolean(),
  ...dated,
})
export type Mineral = z.infer<typeof Mineral>

const Ruleset = z
  .strictObject({
    ruleset: z.string().regex(/^fts@\d{4}$/),
    /** Other names of the edition. */
    also: z.array(z.string()),
    published: IsoDate,
    valid_from: IsoDate,
    valid_to: IsoDate,
    tax_year: z.int(),
    /** The assumed day of the agreement, because a request has none. */
    reckoned_on: IsoDate,
    currency: z.string(),
    /** Decimals of a marginal rate in percent. */
    rate_decimals: z.int().min(0).max(6),
    rounding: z.string(),
    assumptions: z.array(z.string()),
    not_covered: z.array(z.string()),
    sources: z.array(RuleSource),
    jurisdictions: z.array(Jurisdiction).length(13),
    /** Text allowed before and after the name or code of a place. */
    place_prefixes: z.array(z.string()),
    place_suffixes: z.array(z.string()),
    schedules: z.array(Schedule).length(14),
    basic_amounts: z.array(BasicAmount).length(14),
    abatements: z.array(z.strictObject({ jurisdiction: Code, rate_pct: Percent, note: z.string(), ...dated })),
    types: z.array(ShareType),
    federal_credits: z.array(FederalCredit),
    federal_carry: z.strictObject({ back_years: years, forward_years: years, note: z.string(), ...dated }),
    provincial_credits: z.array(ProvincialCredit),
    ended_measures: z.array(z.strictObject({ jurisdiction: Code, measure: z.string(), note: z.string(), ...dated })),
    gain: z.strictObject({ cost_base: z.literal('nil'), inclusion_pct: Percent, note: z.string(), ...dated }),
    recapture: z.strictObject({ note: z.string(), ...dated }),
    /** For holders in the United States. */
    abroad: z.strictObject({ code: z.literal('no_us_tax_benefit'), note: z.string(), ...dated }),
    minimum_tax: z.strictObject({ flag: z.literal('amt_not_modelled'), note: z.string(), ...dated }),
    minerals: z.array(Mineral),
    /** Words around a mineral's name that say nothing about which one it is. */
    filler_words: z.array(z.string()),
  })
  .check(({ value, issues }) => {
    const fault = (message: string): void => void issues.push({ code: 'custom', message, input: value })
    const sources = new Set(value.sources.map(source => source.id))
    for (const row of datedRows(value)) for (const id of row.source) if (!sources.has(id)) fault(`source ${id} is not listed`)
    for (const code of [federal, ...value.jurisdictions.map(each => each.code)]) {
      const schedule = value.schedules.find(each => each.jurisdiction === code)
      const basic = value.basic_amounts.find(each => each.jurisdiction === code)
      if (!schedule || !basic) fault(`${code} has no schedule or no basic amount`)
      else if (!fits(schedule, basic)) fault(`${code}: brackets do not rise, or the basic amount passes the first`)
      if (schedule && schedule.tax_year > value.tax_year) fault(`${code}: the schedule is of a later year`)
    }
    const credits = new Set(value.federal_credits.map(each => each.credit))
    for (const { fts_type, federal_credit, otherwise } of value.types)
      for (const credit of [federal_credit, otherwise]) if (credit !== null && !credits.has(credit)) fault(`${fts_type}: no credit ${credit}`)
  })
export type FlowThroughRules = z.infer<typeof Ruleset>

/** The basic amount is a credit at the lowest rate: it leaves income untaxed only if it ends within the first bracket. */
function fits({ brackets }: Schedule, { amount }: BasicAmount): boolean {
  const ends = brackets.map(each => each.to)
  const rising = ends.every((to, at) => (to === null) === (at === ends.length - 1) && (at === 0 || to === null || above(to, ends[at - 1])))
  return rising && above(brackets[0]?.to, amount)
}
const above = (high: string | null | undefined, low: string | null | undefined): boolean => compareDecimals(high ?? '0', low ?? '0') > 0

/** Every row that states its certainty. */
function datedRows(rules: FlowThroughRules) {
  const lists = [rules.schedules, rules.basic_amounts, rules.abatements, rules.types, rules.federal_credits, rules.provincial_credits]
  return [
    ...lists.flat(),
    ...rules.ended_measures,
    ...rules.minerals,
    rules.federal_carry,
    rules.gain,
    rules.recapture,
    rules.minimum_tax,
    rules.abroad,
  ]
}

/** Every edition, the newest first. */
export const flowThroughRulesets: readonly FlowThroughRules[] = [parseOnce(Ruleset, edition2026), parseOnce(Ruleset, edition2025)]

/** The edition of a name, the newest without one; throws `BadRequest` that lists them. */
export const flowThroughRules = (name: string | undefined): FlowThroughRules =>
  flowThroughRulesets.find(each => name !== undefined && each.also.includes(name)) ?? editionOf(flowThroughRulesets, name)
