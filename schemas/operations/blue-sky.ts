// Offerings of securities in the states of the United States: exemption, pre-emption, notice filings and their fees.
import { z } from 'zod'
import { Amount, envelope, rulesetUsed } from '../answer.ts'
import { BlueSkyCheckRequest, BlueSkyMultiStateRequest } from '../compliance.ts'
import { Count, Flag, IsoDate, Text } from '../values.ts'
import { operation, question } from './operation.ts'
import { shaped } from './parameters.ts'

const Confidence = z.enum(['primary', 'secondary', 'general_knowledge']).describe('of the least certain rule that it depends on')
const sourceIds = z.array(Text).describe('of the ruleset; sources has their names and addresses')
const Status = z
  .enum(['pass', 'warn', 'fail', 'unknown'])
  .describe(
    'the worst result of the checks: fail, then unknown, then warn. unknown: an input of a check is neither in the request nor in the ruleset. Checks in not_evaluated are excluded',
  )
const Check = z.object({
  check: Text,
  title: Text,
  status: z
    .enum(['pass', 'warn', 'fail', 'unknown', 'not_evaluated', 'not_applicable'])
    .describe('warn: allowed, but needs an action or attention; not_evaluated: conduct that a request cannot describe'),
  code: Text.describe('the rule that applied, such as no_us_tax_benefit'),
  explanation: Text,
  distance: z
    .object({ value: Amount, limit: Amount, above_limit: Amount, room: Amount, unit: z.enum(['USD', 'investors']) })
    .nullable()
    .describe('how far the value is above or below its limit; null if the exemption has none'),
  confidence: Confidence,
  source_ids: sourceIds,
  valid_from: IsoDate,
})
const fee = {
  basis: z
    .enum(['exact', 'range', 'most', 'none', 'unknown'])
    .describe(
      'range: by the amount sold in the state, which is not in the request, up to the whole offering; most: smaller amounts pay less; none: no filing by law; unknown: not collected',
    ),
  exact_usd: Amount.nullable().describe('null if it is not one figure'),
  low_usd: Amount.nullable(),
  high_usd: Amount.nullable(),
  rule: Text,
}
const notice = {
  state_registration_preempted: z.enum(['yes', 'no', 'not_applicable']),
  notice_filing: z.object({
    status: z
      .enum(['due', 'none', 'unknown', 'not_listed', 'not_applicable'])
      .describe('not_listed: the state may ask for one, but the ruleset lists Rule 506 only'),
    form: Text.nullable(),
    due_days: Count.nullable(),
    due_after: Text.nullable(),
    fee: z.object(fee).nullable(),
    late_fees: z.array(
      z.object({
        step: Text,
        how: z.enum(['added', 'in_place_of', 'not_said']).describe('to the fee, or in its place, if the list states which'),
        ...fee,
      }),
    ),
    other_fees: z.array(z.object({ about: Text, amount_usd: Amount })),
    note: Text.nullable(),
    list_dated: IsoDate.nullable().describe('of the list that fee and days are taken from'),
    confidence: Confidence,
    source_ids: sourceIds,
  }),
}
const shared = {
  ...rulesetUsed,
  confidence: Confidence,
  status: Status,
}
const found = {
  offering: z
    .object({
      offering_type: Text,
      title: Text,
      law: Text,
      offering_amount_usd: Amount,
      cap_usd: Amount.nullable(),
      cap_months: Count,
      general_solicitation: Flag,
      general_solicitation_allowed: Text,
      max_non_accredited: Count,
      non_accredited_limit: Amount.nullable(),
      investors: Text,
      is_mining_resource: Flag,
      is_flow_through: Flag,
      exchange: z.object({ exchange: Text, title: Text, kind: z.enum(['national', 'canadian', 'other']) }).nullable(),
      note: Text.nullable(),
    })
    .describe('the interpreted request, and what its exemption allows'),
  sec_filing: z.object({ form: Text, due: Text, due_days: Count.nullable(), due_after: Text.nullable(), amendments: Text }).nullable(),
  checks: z.array(Check),
  not_evaluated: z.array(Text).describe('checks that a person must make, because a request cannot describe them'),
  changes: z.array(
    z.object({
      check: Text,
      text: Text,
      offering_type: Text.nullable().describe('an exemption under which no check of the same offering fails'),
    }),
  ),
}
const closing = {
  filing_system: z.object({ name: Text, fee_usd: Amount, per: Text, confidence: Confidence, source_ids: sourceIds }).nullable(),
  notes: z.array(z.object({ code: Text, text: Text, confidence: Confidence, source_ids: sourceIds })),
  assumptions: z.array(Text),
  not_covered: z.array(Text),
  rounding: Text,
  not_advice: z.literal(true),
  ...envelope,
}
const state = { code: Text, name: Text, kind: z.enum(['state', 'district', 'territory']) }

export const BlueSkyAnswer = z.object({ ...shared, investor_state: z.object({ asked: Text, ...state }), ...found, ...notice, ...closing })
const BlueSkyStatesAnswer = z.object({
  ...shared,
  ...found,
  count: Count,
  states: z
    .array(
      z.object({
        ...state,
        asked: z.array(Text).describe('as spelled in the request'),
        status: Status,
        checks: z.array(Check),
        ...notice,
      }),
    )
    .describe('each state once, in the order of the request'),
  not_states: z.array(z.object({ asked: Text, hint: Text })).describe('entries that are not states of the United States; the others are answered'),
  totals: z
    .object({
      exact_usd: Amount.describe('sum of the fees that are one figure'),
      low_usd: Amount.describe('with the lower ends of the ranges'),
      high_usd: Amount.describe('with the upper ends of the ranges: each as if the whole offering were sold in that state'),
      exact: z.array(Text),
      ranges: z.array(Text),
      unknown: z.array(Text).describe('states whose fee is not known and is excluded from all sums; also those where registration is not pre-empted'),
      filing_system_usd: Amount.describe('the fee of the filing system, once for all states, excluded from all sums'),
    })
    .describe('of the notice filings'),
  ...closing,
})

/** Both spellings of the ruleset's name are accepted. */
const ruleset = shaped(
  'an edition of the rules (default: the newest)',
  /^bluesky@\d{4}-\d\d$/,
  'a name such as bluesky@2026-11',
  'bluesky@2026-11',
  raw =>
    raw
      .trim()
      .toLowerCase()
      .replace(/^blue-sky@/, 'bluesky@'),
).optional()
/** Properties shared by the operations of the calculators. */
export const calculator = {
  method: 'POST',
  tag: 'Compliance',
  access: 'key',
  curated: false,
  served_from: 'pure',
  cost: 1,
  cache: 'live',
  freshness: 'with each edition of the ruleset',
} as const

export const blueSkyOperations = [
  operation('check_blue_sky', 'GET /api/v1/compliance/blue-sky', {
    ...calculator,
    summary: 'An offering checked against its exemption and the notice filing of a state',
    description:
      'Cap, general solicitation, investors who are not accredited, pre-emption of state registration, the filing with the SEC, and the notice filing of the investor’s state with its fee. Each check has a status (pass, warn, fail, unknown, not_evaluated or not_applicable), the rule and what to change. Fees come from a dated list. The request is not stored.',
    question: question({ ruleset }),
    body: BlueSkyCheckRequest,
    answer: BlueSkyAnswer,
    calculates: true,
    example: {
      body: { investor_state: 'NY', offering_type: 'reg_d_506b', offering_amount_usd: 5000000, is_mining_resource: true, max_non_accredited: 12 },
    },
  }),
  operation('check_blue_sky_states', 'GET /api/v1/compliance/blue-sky/states', {
    ...calculator,
    summary: 'An offering checked for several states, with the sum of their fees',
    description:
      'As the check of one state, for up to 60: each state once, in the order of the request, with the totals of the known fees. Entries that are not states are listed with the nearest matches and the others are answered. If none is a state, the answer is 422.',
    question: question({ ruleset }),
    body: BlueSkyMultiStateRequest,
    answer: BlueSkyStatesAnswer,
    calculates: true,
    example: {
      body: { states: ['NY', 'Texas', 'FL', 'Guam'], offering_type: 'reg_d_506c', offering_amount_usd: 5000000, general_solicitation: true },
    },
  }),
] as const
