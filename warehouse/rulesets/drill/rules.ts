// The rulesets of drill results, one file per edition, checked when the module loads: metals with dated prices, units, grade bands,
// thresholds, and the words in which a release states what NI 43-101 requires.
import { z } from 'zod'
import { depositTypes } from '#schemas/drill.ts'
import { parseOnce } from '#schemas/once.ts'
import { IsoDate } from '#schemas/values.ts'
import { Confidence, dated, editionOf, RuleSource } from '../editions.ts'
import edition202611 from './2026-11.json' with { type: 'json' }

const Positive = z.string().regex(/^(?!0*(?:\.0*)?$)\d+(?:\.\d+)?$/, 'expected a decimal above zero')
const validity = { valid_from: IsoDate, valid_to: IsoDate.nullable() }
export const GradeUnit = z.enum(['g/t', 'ppm', 'ppb', 'opt', 'oz/st', 'oz/tonne', '%', 'kg/t', 'lb/st'])
export type GradeUnit = z.infer<typeof GradeUnit>

const Price = z.strictObject({
  value: Positive,
  per: z.enum(['oz', 'lb']),
  currency: z.literal('USD'),
  date: IsoDate,
  source: z.string(),
  confidence: Confidence,
})
const Metal = z.strictObject({
  metal: z.string(),
  /** In lower case; symbols as printed. */
  names: z.array(z.string()),
  symbols: z.array(z.string()).min(1),
  /** The unit that its grades are brought to. */
  unit: z.enum(['g/t', '%']),
  /** Null: not priced, so no part of a recomputed equivalent. */
  price: Price.nullable(),
})
export type Metal = z.infer<typeof Metal>
const Band = z.strictObject({
  deposit_type: z.enum(depositTypes),
  /** The first of these that an interval has is evaluated; `sum` instead if all of them are present. */
  metals: z.array(z.string()).min(1),
  sum: z.array(z.string()),
  unit: z.enum(['g/t', '%']),
  /** Below it: low; and so on. */
  low: Positive,
  moderate: Positive,
  high: Positive,
  note: z.string().nullable(),
  ...dated,
})
export type Band = z.infer<typeof Band>

const phraseLists = [
  'qaqc',
  'sample_type',
  'collar',
  'azimuth',
  'dip',
  'true_width',
  'true_width_unknown',
  'lab',
  'lab_method',
  'lab_relation',
  'qp',
  'qp_review',
  'verification',
  'reliability',
  'top_cut',
  'gross_value',
  'historical',
  'visual',
  'selective',
] as const
export type PhraseList = (typeof phraseLists)[number]

const Ruleset = z.strictObject({
  ruleset: z.string().regex(/^drill@\d{4}-\d\d$/),
  published: IsoDate,
  ...validity,
  rounding: z.string(),
  sources: z.array(RuleSource),
  constants: z.strictObject({ feet_to_metres: Positive, grams_per_troy_ounce: Positive, pounds_per_tonne: Positive, ...dated }),
  metals: z.array(Metal),
  units: z.array(z.strictObject({ unit: GradeUnit, to_g_per_t: Positive, ...dated })),
  bands: z.array(Band),
  default_depth: z.strictObject({ metres: Positive, shallow: z.enum(depositTypes), deep: z.enum(depositTypes), ...dated }),
  reading: z.strictObject({
    rows: z.array(z.strictObject({ from: z.string(), to: z.string().nullable(), word: z.string() })),
    note: z.string(),
    ...dated,
  }),
  limits: z.strictObject({
    interval_mismatch_metres: Positive,
    interval_mismatch_pct: Positive,
    smear_share: Positive,
    smear_residual: Positive,
    narrow_metres: Positive,
    equivalent_pct: Positive,
    ...dated,
  }),
  flags: z.array(z.strictObject({ code: z.string(), severity: z.enum(['low', 'medium', 'high']) })),
  phrases: z.record(z.enum(phraseLists), z.array(z.string().min(2)).min(1)),
  not_holes: z.array(z.string()),
  assumptions: z.array(z.string()),
  not_covered: z.array(z.string()),
})
export type DrillRules = z.infer<typeof Ruleset>

/** The newest edition, by which texts are read. */
export const drillRules: DrillRules = parseOnce(Ruleset, edition202611)
/** Every edition, the newest first. */
export const drillRulesets: readonly DrillRules[] = [drillRules]

/** The edition of a name, the newest without one; throws `BadRequest` that lists them. */
export const drillRulesOf = (name: string | undefined): DrillRules => editionOf(drillRulesets, name)
