// The drill-result interpreter: reads a text or intervals and returns the results, what follows from them, and what is missing.
import { z } from 'zod'
import { Amount, envelope, rulesetUsed } from '../answer.ts'
import { DrillInterpretRequest, depositTypes } from '../drill.ts'
import { Count, Flag, Sha256, Text } from '../values.ts'
import { dataQuestion, mineral, operation } from './operation.ts'
import { edition } from './parameters.ts'

const Span = z.object({
  start: Count.describe('first character, counted from 0 in characters (Unicode code points) of the text as sent'),
  end: Count.describe('end (exclusive)'),
})
const evidence = z.array(Span).describe('the places in the text; empty for given intervals and for missing values')
const Grade = z.object({
  metal: Text.nullable().describe('AuEq and similar for equivalents; null if the text names no metal'),
  value: Amount.describe('as printed'),
  unit: Text,
  qualifier: z.enum(['<', '>', '~']).nullable().describe('<: below it, so no amount is used in calculations'),
  capped: Flag.describe('a second figure of the same metal, high assays cut'),
  normalised_value: Amount.nullable().describe('g/t for precious metals, % for others; null if the unit does not state which ton is meant'),
  normalised_unit: Text.nullable(),
})
const Thickness = z.object({
  metal: Text,
  value: Amount,
  unit: Text,
  basis: z.enum(['core_length', 'true_width']),
  reading: Text.nullable().describe('editorial guide for gram-metres of gold, never without depth and deposit type'),
})
const Residual = z.object({
  metal: Text,
  grade: Amount.nullable().describe('of the remainder without the parts; null if nothing remains'),
  unit: Text,
  length_m: Amount,
  share: Amount.nullable().describe("of the whole's metal that is in the parts"),
  consistent: Flag,
})
const Equivalent = z.object({
  metal: Text,
  value: Amount,
  unit: Text,
  of: z.array(Text),
  left_out: z.array(Text).describe('metals without a price'),
  basis: z.enum(['one_metal', 'factors_of_text', 'prices_of_text', 'prices_of_ruleset']),
  stated: Amount.nullable(),
  difference_pct: Amount.nullable(),
})
const Band = z.object({
  deposit_type: Text,
  metal: Text.nullable(),
  grade: Amount.nullable(),
  unit: Text,
  band: z.enum(['low', 'moderate', 'high', 'very_high']).nullable(),
  low_below: Amount,
  high_from: Amount,
  reason: Text.nullable().describe('why there is no band'),
})
/** Parts are intervals too. The explicit schema name allows the recursion. */
export const DrillInterval = z.object({
  ref: Text.describe('1, 1.2: the second part of the first interval'),
  hole: Text.nullable(),
  origin: z.enum(['text', 'table', 'intervals', 'both']),
  length_m: Amount,
  length_as_printed: Text.nullable(),
  length_basis: z.enum(['core_length', 'true_width']),
  from_m: Amount.nullable(),
  to_m: Amount.nullable(),
  true_width: z
    .object({ basis: z.enum(['stated', 'angle', 'share']), low_m: Amount, high_m: Amount })
    .nullable()
    .describe('null: not known; core lengths are never discounted silently'),
  grades: z.array(Grade),
  derived: z.object({ grade_thickness: z.array(Thickness), residual: z.array(Residual), equivalents: z.array(Equivalent) }),
  band: Band,
  evidence,
  get including() {
    return z.array(DrillInterval)
  },
})
const DrillAnswer = z.object({
  ...rulesetUsed,
  input_sha256: Sha256.describe('of the request as JSON with sorted members and its defaults filled in; receipts identify the request by it'),
  deposit_type: z.enum(depositTypes),
  count: Count.describe('intervals, parts counted too'),
  intervals: z.array(DrillInterval).describe('in the order of the text, as a tree'),
  flags: z.array(z.object({ code: Text, severity: z.enum(['low', 'medium', 'high']), interval_ref: Text.nullable(), explanation: Text, evidence })),
  checklist: z
    .array(z.object({ item: Text, section: Text, status: z.enum(['stated', 'missing', 'unknown']), explanation: Text, evidence }))
    .describe('the requirements of NI 43-101 for a written disclosure'),
  unread_count: Count,
  unread: z.array(z.object({ reason: Text, detail: Text, evidence })).describe('figures that were not read as results, with the reason; at most 500'),
  disagreements: z
    .array(z.object({ given: Text, interval_ref: Text.nullable(), field: Text, given_value: Text.nullable(), text_value: Text.nullable() }))
    .describe('between the given intervals and the text'),
  units_normalised_to: z.object({ length: Text, precious_metals: Text, other_metals: Text }),
  equivalents_reckoned_with: z.array(
    z.object({
      metal: Text,
      price_usd: Amount.nullable(),
      per: Text.nullable(),
      price_from: Text.nullable(),
      recovery_pct: Amount,
      recovery_from: z.enum(['text', 'assumed']),
      gold_factor: Amount.nullable().describe('the AuEq of one unit of the metal'),
      gold_factor_per: Text,
    }),
  ),
  true_width_statement: z
    .object({ status: z.enum(['share_of_core_length', 'unknown', 'stated']), low_pct: Amount.nullable(), high_pct: Amount.nullable(), evidence })
    .nullable(),
  assumptions: z.array(Text),
  not_covered: z.array(Text),
  reading_guide: Text,
  rounding: Text,
  not_advice: z.literal(true),
  ...envelope,
})

export const drillOperations = [
  operation('interpret_drill', 'POST /api/v1/data/drill/interpret', {
    tag: 'Developer Data API',
    access: 'key',
    summary: 'Drill results interpreted: grades, widths, AuEq, anomaly flags',
    description:
      'Reads drill results from a text (sentences, bullets, tables; metric, imperial, French), from given intervals, or from both with their disagreements. Deterministic: the same request returns the same bytes. Unreadable figures are listed in unread. With receipt=1 the receipt has the SHA-256 of the request, which is not stored: send the same request again to get the same receipt.',
    question: dataQuestion({ ruleset: edition('drill').optional() }),
    body: DrillInterpretRequest,
    body_bytes: 2 * 1024 * 1024,
    answer: DrillAnswer,
    rows: 'intervals',
    data: true,
    served_from: 'pure',
    cost: 5,
    cache: 'live',
    freshness: 'with each edition of the ruleset',
    calculates: true,
    agents: [
      mineral('interpret_drill_results', 'intervals', ['text', 'deposit_type', 'intervals'], {
        fields: ['deposit_type', 'count', 'intervals', 'unread_count', 'unread', 'disagreements', 'flags'],
      }),
      mineral('check_drill_release', 'checklist', ['text', 'deposit_type', 'intervals'], {
        fields: ['deposit_type', 'count', 'checklist', 'flags', 'true_width_statement', 'not_covered'],
      }),
      mineral('gold_equivalent', 'equivalents', ['text', 'deposit_type', 'intervals'], {
        fields: ['count', 'intervals', 'equivalents_reckoned_with', 'units_normalised_to', 'assumptions', 'rounding'],
      }),
    ],
    example: {
      body: { text: 'Hole GL-26-014 returned 12.5 m @ 3.2 g/t Au from 120.0 m, including 2.0 m @ 10.0 g/t Au from 124.0 m.' },
    },
  }),
] as const
