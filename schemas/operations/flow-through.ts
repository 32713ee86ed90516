// Canadian flow-through shares after tax, and an offering with its tax for one investor on either side of the border.
import { z } from 'zod'
import { Amount, envelope, rulesetUsed } from '../answer.ts'
import { ComplianceFTSRequest, FTSCalculateRequest } from '../compliance.ts'
import { Count, Flag, IsoDate, Text } from '../values.ts'
import { BlueSkyAnswer, calculator } from './blue-sky.ts'
import { mineral, operation, question } from './operation.ts'
import { shaped } from './parameters.ts'

const Confidence = z.enum(['primary', 'secondary', 'general_knowledge']).describe('of the least certain rule that it depends on')
const sourceIds = z.array(Text).describe('of the ruleset; sources has their names and addresses')
const dollars = (description: string) => Amount.describe(`${description}, Canadian dollars`)
const percent = (description: string) => Amount.describe(`${description}, in percent`)

const understood = z
  .object({
    jurisdiction: Text,
    jurisdiction_name: Text,
    income: Amount,
    share_price: Amount,
    num_shares: Amount,
    warrant_value: dollars('of one share’s warrant, not more than the share price'),
    warrant_clamped: Flag.describe('the request gave more than the share price'),
    fts_type: Text,
    fts_title: Text,
    commodities: z.array(
      z.object({
        text: Text,
        mineral: Text.nullable().describe('null: not in the ruleset'),
        critical: Flag.nullable().describe('on the list of critical minerals'),
      }),
    ),
  })
  .describe('the interpreted request')
const credit = {
  rate_pct: percent('of the base'),
  base: dollars('expenses on which the credit is calculated; for a federal credit, without the provincial credit, which is assistance'),
  amount: dollars('rate times base'),
  used_this_year: dollars('used against the tax remaining after the deduction, or refunded'),
  carried: dollars('the remainder, which is not in the net cost'),
}
const terms = {
  refundable: Flag,
  carry_back_years: Count.nullable(),
  carry_forward_years: Count.nullable(),
  agreements_until: IsoDate.nullable().describe('last day of eligible agreements; null: no end is set'),
  condition: Text,
  note: Text.nullable(),
}
const deduction = z.object({
  expense: z.enum(['CEE', 'CDE', 'CRCE']),
  pct: percent('of the eligible amount that is deducted in the first year'),
  amount: dollars('deductible this year'),
  used_this_year: dollars('used this year, not more than the income'),
  left_in_pool: dollars('of the eligible amount, for later years'),
  tax_saving: dollars('tax on the income before the deduction minus tax after it'),
  brackets: z
    .array(
      z.object({
        income_from: Amount,
        income_to: Amount,
        amount: Amount,
        rate_pct: Amount,
        federal_rate_pct: Amount,
        provincial_rate_pct: Amount,
        tax_saving: Amount,
      }),
    )
    .describe('brackets that the deduction crosses, lowest first'),
})
const calculation = {
  ...rulesetUsed,
  confidence: Confidence,
  tax_year: Count,
  currency: Text,
  understood,
  cost: dollars('shares times price'),
  eligible_amount: dollars('shares times price without the warrant: the renounced amount'),
  deduction,
  tax: z.object({
    before: Amount,
    after_deduction: Amount,
    federal_before: Amount,
    federal_after_deduction: Amount,
    provincial_before: Amount,
    provincial_after_deduction: Amount,
  }),
  marginal_rate_pct: percent('federal and provincial tax on the last dollar of the income'),
  effective_rate_pct: percent('tax saved by the deduction, of the deduction that was used').nullable(),
  federal_credit: z.object({ credit: Text, title: Text, ...credit, ...terms }).nullable(),
  provincial_credit: z.object({ programme: Text, ...credit, ...terms }).nullable(),
  net_of_assistance_base: dollars('expenses without the provincial credit'),
  total_benefit: dollars('tax saved by the deduction, and credits used'),
  recapture: z.object({
    income: dollars('credits that are income of the following year'),
    rate_pct: percent('the marginal rate'),
    tax: Amount,
    note: Text,
  }),
  net_benefit: dollars('total benefit minus the tax on recapture'),
  net_cost: dollars('cost minus net benefit'),
  net_cost_pct: percent('net cost relative to cost').nullable(),
  break_even: z.object({
    proceeds: dollars('of a sale that leave the net cost after tax on the gain'),
    per_share: Amount.nullable().describe('null if there are no shares'),
    cost_base: Text,
    inclusion_pct: Amount,
    note: Text,
  }),
  critical_minerals: z.object({
    status: z
      .enum(['pass', 'fail', 'unknown', 'not_applicable'])
      .describe('whether every commodity is on the list, if the claimed credit requires it'),
    explanation: Text,
  }),
  alternative: z
    .object({
      credit: Text,
      title: Text,
      ...credit,
      net_cost: Amount,
      break_even_proceeds: Amount,
      break_even_per_share: Amount.nullable(),
      applies_if: Text,
    })
    .nullable()
    .describe('the same with the other federal credit, if the expenses may qualify for it'),
  ended_measures: z
    .array(z.object({ measure: Text, ended: IsoDate, note: Text, confidence: Confidence, source_ids: sourceIds }))
    .describe('of the jurisdiction; not used in the calculation'),
  minimum_tax: z.object({ flag: z.literal('amt_not_modelled'), note: Text }),
  hints: z.array(Text),
  rules: z
    .array(z.object({ rule: Text, confidence: Confidence, valid_from: IsoDate, valid_to: IsoDate.nullable(), source_ids: sourceIds }))
    .describe('every rule that the figures depend on'),
  assumptions: z.array(Text),
  not_covered: z.array(Text),
  rounding: Text,
  not_advice: z.literal(true),
}
const part = { status: z.enum(['computed', 'not_applicable']), code: Text.nullable(), reason: Text.nullable() }
const CombinedAnswer = z.object({
  ruleset: Text.describe('both, separated by a comma'),
  ruleset_valid_from: IsoDate.describe('of the ruleset used for the computed part'),
  ruleset_valid_to: IsoDate.nullable(),
  confidence: Confidence,
  investor: z.object({ asked: Text, code: Text, name: Text, country: z.enum(['US', 'CA']) }),
  offering: z.object({
    ...part,
    check: BlueSkyAnswer.omit({ as_of: true, release: true, sources: true, receipt_id: true }).nullable(),
    notes: z.array(z.object({ code: Text, text: Text, confidence: Confidence, source_ids: sourceIds })),
  }),
  tax: z.object({ ...part, calculation: z.object(calculation).nullable() }),
  assumptions: z.array(Text),
  not_covered: z.array(Text),
  rounding: Text,
  not_advice: z.literal(true),
  ...envelope,
})

const lower = (raw: string): string => raw.trim().toLowerCase()

export const flowThroughOperations = [
  operation('calculate_flow_through', 'GET /api/v1/compliance/flow-through', {
    ...calculator,
    summary: 'Flow-through shares of Canada after tax: deduction, credits, recapture and break-even price',
    description:
      'The cost of flow-through shares for an individual after the deduction (bracket by bracket), the federal and provincial exploration credits, and the tax on the credits in the following year; and the break-even sale price after tax. Covers every province and territory, with the brackets of a dated ruleset. A state of the United States or another country as jurisdiction is 400, an unknown place or kind of share 422. The request is not stored.',
    question: question({
      ruleset: shaped(
        'an edition of the rules, one for each tax year (default: the newest)',
        /^(?:fts@\d{4}|flow-through@\d{4}-\d\d)$/,
        'a name such as fts@2026',
        'fts@2026',
        lower,
      ).optional(),
    }),
    body: FTSCalculateRequest,
    answer: z.object({ ...calculation, ...envelope }),
    calculates: true,
    agents: [
      mineral('flow_through', 'calculation', ['share_price', 'num_shares', 'income', 'jurisdiction', 'fts_type', 'commodity', 'warrant_value']),
    ],
    example: {
      body: {
        share_price: 1.25,
        num_shares: 10000,
        income: 185000,
        jurisdiction: 'Ontario',
        fts_type: 'critical_mineral',
        commodity: 'copper',
        warrant_value: 0.1,
      },
    },
  }),
  operation('check_offering_and_tax', 'GET /api/v1/compliance/combined', {
    ...calculator,
    summary: 'An offering and its tax for one investor in the United States or Canada',
    description:
      'For an investor in a state of the United States the check of the offering and the state’s notice filing; for one in a province or territory of Canada the flow-through calculation. The part that does not apply to the investor is not_applicable with the reason. Any other place is 422. The request is not stored.',
    question: question({
      ruleset: shaped(
        'an edition of one or both rulesets, separated by a comma (default: the newest of each)',
        /^(?:(?:fts@\d{4}|(?:flow-through|blue-?sky)@\d{4}-\d\d)(?:,(?!$)|$)){1,2}$/,
        'one or two names such as bluesky@2026-11,fts@2026',
        'bluesky@2026-11,fts@2026',
        lower,
      ).optional(),
    }),
    body: ComplianceFTSRequest,
    answer: CombinedAnswer,
    calculates: true,
    example: {
      body: { investor_state: 'BC', is_flow_through: true, is_mining_resource: true, share_price: 1, num_shares: 10000, income: 150000 },
    },
  }),
] as const
