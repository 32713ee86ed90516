// The rulesets of securities offerings in the states of the United States, one file per edition, checked when the module loads: exemptions,
// the checks of an offering and the order of their rules, and each state's requirements for a notice filing.
import { z } from 'zod'
import { parseOnce } from '#schemas/once.ts'
import { IsoDate } from '#schemas/values.ts'
import { calculatorEdition, dated, editionOf } from '../editions.ts'
import edition202103 from './2021-03.json' with { type: 'json' }
import edition202611 from './2026-11.json' with { type: 'json' }

const Money = z.string().regex(/^(0|[1-9]\d{0,14})(\.\d{1,2})?$/, 'expected US dollars')
const Percent = z.string().regex(/^(0|[1-9]\d?)(\.\d{1,4})?$/, 'expected a percentage')
const Name = z.string().regex(/^[a-z0-9_]{2,40}$/)

/** The inputs of a rule: of the request, of the exemption that it names, of the state. */
export const factNames = [
  'offering_amount_usd',
  'max_non_accredited',
  'general_solicitation',
  'is_mining_resource',
  'is_flow_through',
  'exchange_title',
  'exchange_kind',
  'offering_title',
  'cap_usd',
  'cap_months',
  'non_accredited_limit',
  'sec_form',
  'sec_text',
  'states_count',
  'state_name',
  'notice',
  'notice_days',
] as const
const Fact = z.enum(factNames)
export type Fact = z.infer<typeof Fact>

/**
 * pass, fail: evaluated. warn: allowed, but something has to be done or known. unknown: neither the request nor the ruleset contains what
 * the rule needs. not_evaluated: conduct that no request can state. not_applicable: the rule does not cover the offering.
 */
export const Verdict = z.enum(['pass', 'warn', 'fail', 'unknown', 'not_evaluated', 'not_applicable'])
export type Verdict = z.infer<typeof Verdict>

const Condition = z.union([
  z.strictObject({ fact: Fact, is: z.union([z.string(), z.boolean(), z.null()]) }),
  /** A number above another: a constant here, or a fact; never true if either is missing. */
  z.strictObject({ fact: Fact, above: z.union([Money, Fact]) }),
])
export type Condition = z.infer<typeof Condition>

const OfferingType = z.strictObject({
  offering_type: Name,
  title: z.string().min(3),
  aliases: z.array(Name),
  law: z.string(),
  cap_usd: Money.nullable(),
  cap_months: z.int().positive(),
  general_solicitation: z.string(),
  investors: z.string(),
  /** Most investors who are not accredited; null: no number. */
  non_accredited_limit: z
    .string()
    .regex(/^\d{1,6}$/)
    .nullable(),
  sec_filing: Name.nullable(),
  state_registration: z.enum(['preempted', 'not_preempted', 'not_applicable']),
  /** by_state: as in the state's row; not_listed: states may require one that this ruleset does not list; none. */
  state_notice: z.enum(['by_state', 'not_listed', 'none']),
  note: z.string().nullable(),
  ...dated,
})
export type OfferingType = z.infer<typeof OfferingType>

const SecFiling = z.strictObject({
  id: Name,
  form: z.string(),
  due_days: z.int().positive().nullable(),
  after: z.string().nullable(),
  text: z.string(),
  amendments: z.string(),
  ...dated,
})
export type SecFiling = z.infer<typeof SecFiling>

const Check = z.strictObject({
  id: Name,
  title: z.string(),
  /** state: evaluated for each state; offering: once for all of them. */
  scope: z.enum(['offering', 'state']),
  measures: z.strictObject({ fact: Fact, limit: Fact, unit: z.enum(['USD', 'investors']) }).nullable(),
})
export type Check = z.infer<typeof Check>

const Rule = z.strictObject({
  id: Name,
  check: Name,
  /** Empty: every exemption. */
  offering_types: z.array(Name),
  /** All must hold. The first matching rule of a check applies. */
  when: z.array(Condition),
  status: Verdict,
  explanation: z.string(),
  /** What to change, and the exemptions to try instead, the best first. */
  change: z.strictObject({ text: z.string(), offering_types: z.array(Name).min(1) }).nullable(),
  ...dated,
})
export type Rule = z.infer<typeof Rule>

/** Shown if any of its conditions holds, or if it has none. */
const Note = z.strictObject({ id: Name, any: z.array(Condition), text: z.string(), ...dated })
export type Note = z.infer<typeof Note>

const Exchange = z.strictObject({
  exchange: z.string(),
  title: z.string(),
  kind: z.enum(['national', 'canadian', 'other']),
  aliases: z.array(Name),
  ...dated,
})
export type Exchange = z.infer<typeof Exchange>

export const FeeRule = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('none') }),
  z.strictObject({ kind: z.literal('unknown') }),
  /** is_most: smaller amounts pay less, by steps that are not collected. */
  z.strictObject({ kind: z.literal('fixed'), amount_usd: Money, is_most: z.boolean() }),
  z.strictObject({
    kind: z.literal('percentage'),
    base: z.literal('state_amount'),
    rate_pct: Percent,
    /** Added to the percentage, which applies to the amount over `over_usd`. */
    base_fee_usd: Money,
    over_usd: Money,
    min_usd: Money.nullable(),
    max_usd: Money.nullable(),
  }),
  z.strictObject({
    kind: z.literal('tiers'),
    base: z.literal('offering_amount'),
    tiers: z.array(z.strictObject({ up_to_usd: Money.nullable(), amount_usd: Money })).min(2),
  }),
])
export type FeeRule = z.infer<typeof FeeRule>

const Jurisdiction = z.strictObject({
  code: z.string().regex(/^[A-Z]{2}$/),
  name: z.string(),
  kind: z.enum(['state', 'district', 'territory']),
  aliases: z.array(z.string()),
  notice: z.enum(['due', 'none', 'unknown']),
  /** After the first sale in the state. */
  days: z.int().positive().nullable(),
  fee: FeeRule,
  late: z.array(z.strictObject({ step: z.string(), how: z.enum(['added', 'in_place_of', 'not_said']), fee: FeeRule })),
  other_fees: z.array(z.strictObject({ about: z.string(), amount_usd: Money })),
  note: z.string().nullable(),
  /** Of the list that the row was taken from. */
  as_of: IsoDate,
  ...dated,
})
export type Jurisdiction = z.infer<typeof Jurisdiction>

const Ruleset = z
  .strictObject({
    ...calculatorEdition(/^bluesky@\d{4}-\d\d$/),
    range_assumption: z.string(),
    depository: z.strictObject({ id: Name, name: z.string(), fee_usd: Money, per: z.string(), ...dated }),
    offering_types: z.array(OfferingType).min(1),
    sec_filings: z.array(SecFiling),
    checks: z.array(Check),
    rules: z.array(Rule),
    notes: z.array(Note),
    exchanges: z.array(Exchange),
    jurisdictions: z.array(Jurisdiction),
    /** Text allowed before and after the name or code of a place. */
    place_prefixes: z.array(z.string()),
    place_suffixes: z.array(z.string()),
    elsewhere: z.array(z.strictObject({ code: z.string(), name: z.string(), aliases: z.array(z.string()), country: z.string() })),
    elsewhere_hint: z.string(),
  })
  .check(({ value, issues }) => {
    const fault = (message: string): void => void issues.push({ code: 'custom', message, input: value })
    const sources = new Set(value.sources.map(source => source.id))
    const rows = [value.offering_types, value.sec_filings, value.rules, value.notes, value.exchanges, value.jurisdictions, [value.depository]]
    for (const { source } of rows.flat()) for (const id of source) if (!sources.has(id)) fault(`source ${id} is not listed`)
    const types = new Set(value.offering_types.map(row => row.offering_type))
    for (const { id, offering_types, change } of value.rules)
      for (const type of [...offering_types, ...(change?.offering_types ?? [])]) if (!types.has(type)) fault(`rule ${id}: no offering type ${type}`)
    for (const { id, explanation, change } of value.rules)
      for (const [, name = ''] of `${explanation} ${change?.text}`.matchAll(/\{(\w+)\}/g))
        if (![...factNames, 'excess', 'room'].includes(name)) fault(`rule ${id}: no fact ${name}`)
    const ids = value.rules.map(rule => rule.id)
    for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) fault(`rule ${id} occurs twice`)
    for (const { check } of value.rules) if (!value.checks.some(each => each.id === check)) fault(`no check ${check}`)
    // Nothing falls through a check unjudged.
    for (const { id } of value.checks)
      for (const type of types)
        if (!value.rules.some(rule => rule.check === id && rule.when.length === 0 && isOf(rule, type)))
          fault(`check ${id} has no last rule for ${type}`)
    for (const { offering_type, sec_filing } of value.offering_types)
      if (sec_filing !== null && !value.sec_filings.some(row => row.id === sec_filing)) fault(`${offering_type}: no filing ${sec_filing}`)
    for (const { code, fee, notice, days } of value.jurisdictions) {
      if ((notice === 'unknown') !== (fee.kind === 'unknown') || (notice === 'none') !== (fee.kind === 'none'))
        fault(`${code}: notice and fee differ`)
      if ((days === null) !== (notice !== 'due')) fault(`${code}: days are those of a notice that is due`)
    }
  })
export type BlueSkyRules = z.infer<typeof Ruleset>

/** True if a rule reaches an exemption. */
export const isOf = (rule: Pick<Rule, 'offering_types'>, type: string): boolean =>
  rule.offering_types.length === 0 || rule.offering_types.includes(type)

/** Every edition, the newest first. */
export const blueSkyRulesets: readonly BlueSkyRules[] = [edition202611, edition202103].map(edition => parseOnce(Ruleset, edition))

/** The edition of a name, the newest without one; throws `BadRequest` that lists them. */
export const blueSkyRules = (name: string | undefined): BlueSkyRules => editionOf(blueSkyRulesets, name)
