// The rulesets of delisting risk, one file per edition, checked when the module loads: exchanges and their tiers, every continued-listing
// check as a row, the observed facts of auditors and structures, the words of press releases, and the weights of the score.
import { z } from 'zod'
import { parseOnce } from '#schemas/once.ts'
import { IsoDate } from '#schemas/values.ts'
import { calculatorEdition, dated, editionOf } from '../editions.ts'
import edition202412 from './2024-12.json' with { type: 'json' }
import edition202611 from './2026-11.json' with { type: 'json' }
import { Signal } from './signals.ts'

const Positive = z.string().regex(/^(?!0*(?:\.0*)?$)\d+(?:\.\d+)?$/, 'expected a decimal above zero')
const Id = z.string().regex(/^[a-z][a-z0-9_]{1,40}$/)

/** covered: rows below evaluate it; not_covered: its rules are not in the ruleset; none: such a market has no continued-listing standards. */
const Exchange = z.strictObject({
  id: Id,
  name: z.string().min(3),
  /** Tiers that the name leaves open; rows name tiers. */
  tiers: z.array(Id),
  /** In capitals, only letters and digits. */
  aliases: z.array(z.string().regex(/^[A-Z0-9]+$/)).min(1),
  coverage: z.enum(['covered', 'not_covered', 'none']),
  sentence: z.string(),
  /** Market identifier codes under which a directory lists it. */
  mics: z.array(z.string()),
  ...dated,
})
export type Exchange = z.infer<typeof Exchange>

/**
 * The measured quantity of a check: see warehouse/rules/delisting/measures.ts. Those that no source states are unknown, with the reason in
 * `unmeasured`.
 */
export const Measure = z.enum([
  'close',
  'publicly_held_shares',
  'mvphs',
  'mvls',
  'average_market_cap',
  'equity',
  'holders',
  'public_holders',
  'market_makers',
])
export type Measure = z.infer<typeof Measure>
const AnnualMeasure = z.enum(['net_income', 'assets', 'revenue'])
export type AnnualMeasure = z.infer<typeof AnnualMeasure>

/** Days for curing a deficiency; `sessions` in a row at or above the limit cure it. */
const Cure = z.strictObject({
  sessions: z.int().min(1),
  most_sessions: z.int().min(1),
  days: z.int().min(1),
  /** A second period of as many days, on these tiers only. */
  second_tiers: z.array(Id),
})
const Kind = z.discriminatedUnion('kind', [
  /** The measure must be at least the threshold. */
  z.strictObject({
    kind: z.literal('level'),
    measure: Measure,
    threshold: Positive,
    unit: z.enum(['USD', 'shares', 'holders', 'market_makers']),
    /** This many sessions in a row below are a deficiency; this many at or above it, within the days (null: none), cure it. */
    deficiency: z.strictObject({ sessions: z.int().min(1), mended_sessions: z.int().min(1), days: z.int().min(1).nullable() }).nullable(),
  }),
  /** Fails if all of them are below. */
  z.strictObject({ kind: z.literal('all_below'), terms: z.array(z.strictObject({ measure: Measure, threshold: Positive })).min(1) }),
  /** All measures of the latest fiscal year, or of `of` of the last `last`. */
  z.strictObject({
    kind: z.literal('annual'),
    conditions: z.array(z.strictObject({ measure: AnnualMeasure, threshold: Positive })).min(1),
    of: z.int().min(1),
    last: z.int().min(1),
  }),
  /** Equity below the threshold fails if the issuer lost money in this many of the last fiscal years. */
  z.strictObject({
    kind: z.literal('losses'),
    threshold: Positive,
    losses: z.int().min(1),
    last: z.int().min(1),
    unless: z.strictObject({ measure: Measure, at_least: Positive, reason: z.string() }).nullable(),
  }),
  /** Closes below (at or below) a price on this many consecutive sessions. */
  z.strictObject({
    kind: z.literal('sessions'),
    price: Positive,
    inclusive: z.boolean(),
    sessions: z.int().min(1),
    /** Only while a deficiency of the minimum bid is open. */
    only_in_deficiency: z.boolean(),
    cure: Cure.nullable(),
  }),
  /** The average close of this many sessions; cured on the last session of a month. */
  z.strictObject({ kind: z.literal('average'), threshold: Positive, sessions: z.int().min(2), cure_months: z.int().min(1) }),
  /** A deficiency of the minimum bid that has lasted longer than its periods together. */
  z.strictObject({ kind: z.literal('period'), days: z.int().min(1) }),
  /** Reverse splits before a price deficiency: with this cumulative ratio there is no period to cure it. */
  z.strictObject({ kind: z.literal('splits'), years: z.int().min(1), ratio: Positive, deficiency: z.enum(['bid', 'average']) }),
  /** A reverse split that leaves one of these checks failing does not cure the price. */
  z.strictObject({ kind: z.literal('split_effect'), checks: z.array(Id).min(1), days: z.int().min(1) }),
  /** Filings of a form (with one of the items, if any are named) within this many days. */
  z.strictObject({
    kind: z.literal('filings'),
    forms: z.array(z.string()).min(1),
    items: z.array(z.string()),
    days: z.int().min(1),
    status: z.enum(['fail', 'watch']),
    found: z.string(),
  }),
  /** A notice of a late report without the report. */
  z.strictObject({
    kind: z.literal('late_report'),
    notices: z
      .array(z.strictObject({ forms: z.array(z.string()).min(1), reports: z.array(z.string()).min(1), extension_days: z.int().min(1) }))
      .min(1),
    days: z.int().min(1),
    plan_days: z.int().min(1),
    period_days: z.int().min(1),
  }),
  z.strictObject({ kind: z.literal('reverse_merger'), price: Positive, of: z.int().min(1), last: z.int().min(1), years: z.int().min(1) }),
  z.strictObject({ kind: z.literal('shell'), sics: z.array(z.string()) }),
  /** One of the standards: its rows name it. */
  z.strictObject({ kind: z.literal('one_of'), standards: z.array(Id).min(2) }),
  z.strictObject({ kind: z.literal('unmeasured'), reason: z.string() }),
  /** A standard for new listings: shown, never evaluated. */
  z.strictObject({ kind: z.literal('initial'), reason: z.string() }),
])
type Kind = z.infer<typeof Kind>

const Rule = z.strictObject({
  id: Id,
  tiers: z.array(Id).min(1),
  rule: z.string().min(3),
  title: z.string().min(3),
  /** The alternatives of a tier to which this row belongs; none: every issuer must meet it. */
  standards: z.array(Id),
  /** Of the score; null: it has no part in it. */
  component: Id.nullable(),
  /** Share of its component's weight for a failure or a warning, in percent (PRODUCT). */
  severity_pct: z.int().min(0).max(100),
  status: z.enum(['adopted', 'proposed']),
  effective_from: IsoDate.nullable(),
  consequence: z.string().nullable(),
  test: Kind,
  note: z.string().nullable(),
  ...dated,
})
export type Rule = z.infer<typeof Rule>
export type RuleOf<K extends Kind['kind']> = Rule & { readonly test: Extract<Kind, { kind: K }> }

const Jurisdiction = z.strictObject({
  country: z.string().regex(/^[A-Z]{2}$/),
  names: z.array(z.string()).min(1),
  /** identified: the PCAOB states that it cannot inspect there; watch: it formerly stated so. */
  auditor: z.enum(['identified', 'watch', 'none']),
  china_based: z.boolean(),
  note: z.string(),
  ...dated,
})
export type Jurisdiction = z.infer<typeof Jurisdiction>

const Ruleset = z
  .strictObject({
    ...calculatorEdition(/^delisting@\d{4}-\d\d$/),
    exchanges: z.array(Exchange),
    rules: z.array(Rule),
    unmeasured: z.array(z.strictObject({ measure: Measure, reason: z.string(), ...dated })),
    jurisdictions: z.array(Jurisdiction),
    /** Names of countries in addition to those of the register of countries. */
    country_names: z.array(z.strictObject({ country: z.string().regex(/^[A-Z]{2}$/), names: z.array(z.string()).min(1) })),
    auditor: z.strictObject({
      prohibition_years: z.int().min(1),
      rule: z.string(),
      unregistered_reason: z.string(),
      weights: z.strictObject({ identified_pct: z.int(), watch_pct: z.int(), component: Id }),
      ...dated,
    }),
    evidence: z.strictObject({
      /** A last close this much older than the venue's newest directory is not current. */
      max_close_age_days: z.int().min(1),
      /** A newest balance sheet or fiscal year that ended longer ago is not current. */
      max_figures_age_days: z.int().min(1),
      history_days: z.int().min(400),
      /** Sessions of an average market capitalization. */
      average_sessions: z.int().min(2),
      /** Holders above this share of the class are no public holders. */
      holder_pct: Positive,
      share_types: z.array(z.string()).min(1),
      ...dated,
    }),
    bands: z.array(z.strictObject({ band: Id, below_shares: Positive, ...dated })).min(1),
    signals: Signal,
    score: z.strictObject({
      /** Share of the weights: if less is known, a score means little (PRODUCT). */
      least_coverage_pct: z.int().min(0).max(100),
      components: z.array(z.strictObject({ component: Id, title: z.string(), weight: z.int().min(1), ...dated })).min(1),
    }),
  })
  .check(({ value, issues }) => {
    const fault = (message: string): void => void issues.push({ code: 'custom', message, input: value })
    const sources = new Set(value.sources.map(source => source.id))
    const rows = [
      ...[value.exchanges, value.rules, value.unmeasured, value.jurisdictions, value.bands, value.score.components, value.signals.cues].flat(),
      ...[value.auditor, value.evidence, value.signals.rule],
    ]
    for (const row of rows) for (const id of row.source) if (!sources.has(id)) fault(`source ${id} is not listed`)
    const tiers = new Set(value.exchanges.flatMap(each => each.tiers))
    const components = new Set(value.score.components.map(each => each.component))
    const ids = new Set<string>()
    for (const { id, tiers: own, component } of value.rules) {
      if (ids.has(id)) fault(`rule ${id} occurs twice`)
      ids.add(id)
      for (const tier of own) if (!tiers.has(tier)) fault(`rule ${id}: no exchange has the tier ${tier}`)
      if (component !== null && !components.has(component)) fault(`rule ${id}: no component ${component}`)
    }
    for (const { id, test } of value.rules)
      for (const other of test.kind === 'split_effect' ? test.checks : []) if (!ids.has(other)) fault(`rule ${id}: no rule ${other}`)
    const aliases = value.exchanges.flatMap(each => each.aliases)
    for (const alias of aliases) if (aliases.indexOf(alias) !== aliases.lastIndexOf(alias)) fault(`exchange ${alias} occurs twice`)
    if (value.score.components.reduce((sum, each) => sum + each.weight, 0) !== 100) fault('the weights of the score do not add up to 100')
    for (const component of [value.signals.component, value.auditor.weights.component])
      if (!components.has(component)) fault(`no component ${component}`)
  })
export type DelistingRules = z.infer<typeof Ruleset>

/** Every edition, the newest first. */
export const delistingRulesets: readonly DelistingRules[] = [parseOnce(Ruleset, edition202611), parseOnce(Ruleset, edition202412)]

/** The edition of a name, the newest without one; throws `BadRequest` that lists them. */
export const delistingRules = (name: string | undefined): DelistingRules => editionOf(delistingRulesets, name)
