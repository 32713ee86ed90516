// Delisting risk: the request and the lake's data on a ticker, checked against the continued-listing rules of an exchange.
import { z } from 'zod'
import { Amount, envelope, rulesetUsed } from '../answer.ts'
import { DelistingRiskRequest } from '../compliance.ts'
import { correctedLines } from '../corrections.ts'
import { AccessionNumber, Count, Flag, IsoDate, Text } from '../values.ts'
import { operation, question } from './operation.ts'
import { edition } from './parameters.ts'

const Confidence = z.enum(['primary', 'secondary', 'general_knowledge'])
const Clock = z.object({
  stage: z
    .enum(['counting', 'period', 'second_period', 'over', 'report'])
    .describe(
      'counting: towards a deficiency; period and second_period: compliance periods; over: the periods have passed; report: for a late report',
    ),
  unit: z.enum(['sessions', 'calendar_days']),
  from: IsoDate,
  until: IsoDate.nullable(),
  days: Count,
  days_elapsed: Count,
  days_left: Count,
  mended_sessions: Count.nullable().describe('consecutive sessions that meet the limit again'),
  mended_after: Count.nullable().describe('consecutive sessions that restore compliance'),
  gaps: Count.describe('sessions inside the run without a close'),
  sentence: Text,
})
const Check = z.object({
  id: Text,
  rule: Text,
  title: Text,
  tiers: z.array(Text).describe('tiers of the exchange to which the rule applies'),
  role: z
    .enum(['required', 'alternative', 'information'])
    .describe('alternative: part of a standard, of which one is sufficient; information: excluded from the score'),
  standards: z.array(Text).describe('the alternative standards that the row belongs to'),
  status: z
    .enum(['pass', 'fail', 'watch', 'unknown', 'not_applicable', 'proposed'])
    .describe('unknown: an input is not known, never a pass; proposed: not a rule yet, never counted'),
  would_be: z
    .enum(['pass', 'fail', 'watch', 'unknown', 'not_applicable'])
    .nullable()
    .describe('for a proposed rule: its outcome if it were in force'),
  reason: Text.nullable(),
  value: Amount.nullable().describe('the figure, or its upper bound if value_at_least differs'),
  value_at_least: Amount.nullable().describe('a lower bound, if the figure is only known within bounds'),
  unit: Text.nullable(),
  operator: Text.nullable().describe('the required comparison of the value with the threshold'),
  threshold: Amount.nullable(),
  distance_to_breach: Amount.nullable().describe('positive while the requirement is met, in the unit of the value'),
  distance_to_breach_pct: Amount.nullable().describe('of the threshold'),
  value_as_of: IsoDate.nullable(),
  from: z.enum(['request', 'lake', 'request_and_lake', 'none']).describe('the origin of the value'),
  documents: z.array(Text).describe('accession numbers of its filings, which sources lists'),
  clock: Clock.nullable(),
  consequence: Text.nullable(),
  rule_status: z.enum(['adopted', 'proposed']),
  effective_from: IsoDate.nullable().describe('null: in force for a long time, or the day is not confirmed'),
  valid_from: IsoDate,
  confidence: Confidence,
  source_ids: z.array(Text),
  note: Text.nullable(),
})
const Shares = Amount.nullable()
const Percent = Amount.nullable().describe('of total_shares, 0 to 100; null if total_shares was not given')
const Float = z.object({
  total_shares: Shares.describe('null: not given (0)'),
  public_float_shares: Shares.describe('total minus insider minus restricted shares'),
  publicly_held_shares_least: Shares.describe('minus holders above 10% who may be included; null if no lower bound is known'),
  retail_float_shares: Shares.describe('public float minus institutional shares, at least 0'),
  public_float_pct: Percent,
  insider_pct: Percent,
  institutional_pct: Percent,
  restricted_pct: Percent,
  retail_pct: Percent,
  band: Text.nullable().describe('micro_float, low_float or small_float; null: larger, or not known'),
  flags: z.array(z.object({ code: Text, explanation: Text })),
  large_holders: z.array(
    z.object({
      name: Text.nullable(),
      filed_date: IsoDate.nullable(),
      accession: AccessionNumber.nullable(),
      shares: Shares,
      percent: Amount.nullable(),
    }),
  ),
  corrected: correctedLines,
})
const Auditor = z.object({
  auditor_jurisdiction: Text,
  audit_firm_name: Text.nullable(),
  operations_country: Text,
  status: z
    .enum(['breach', 'watch', 'clear'])
    .describe('breach: currently identified by the PCAOB; watch: identified in the past; clear: never identified'),
  prohibition_years: Count.describe('consecutive identified years after which trading is prohibited'),
  rule: Text,
  explanation: Text,
  flags: z.array(z.object({ flag: Text, status: z.enum(['raised', 'clear', 'unknown']), explanation: Text })),
})
const Cue = z.object({
  cue: Text,
  title: Text,
  status: z.enum(['raised', 'resolved', 'denied']).describe('resolved: the text states that it has ended; denied: the text denies it'),
  count: Count,
  points_pct: Count.describe('of the weight of the words, if it is raised'),
  evidence: z.array(
    z.object({
      start: Count.describe('first character, counted from 0 in characters (Unicode code points) of the text as sent'),
      end: Count.describe('end (exclusive)'),
      status: z.enum(['raised', 'resolved', 'denied']),
    }),
  ),
})
const Part = z.object({
  component: Text,
  title: Text,
  weight: Count,
  status: z.enum(['known', 'unknown', 'not_part']),
  share_pct: Amount.nullable().describe('of the weight; null: not known'),
  points: Amount.nullable(),
  from: z.array(Text).describe('checks and cues that add to it'),
  not_known: z.array(Text),
})

const DelistingAnswer = z.object({
  ...rulesetUsed,
  ticker: Text.describe('canonical'),
  exchange: Text,
  exchange_id: Text,
  exchange_coverage: z.object({ status: z.enum(['covered', 'not_covered', 'none']), sentence: Text }),
  listed_elsewhere: Text.nullable().describe('the exchange on which a directory lists the ticker, if it is not the requested one'),
  day: IsoDate.describe('the end of clocks and windows: the day of the newest directory or close held'),
  coverage: Text.describe('the data held for the ticker'),
  score: Amount.nullable().describe('0 (nothing found) to 100, over the known parts; null: no part is known, or only those that the request omits'),
  score_coverage_pct: Amount.describe('the known share of the weights'),
  score_sufficient: Flag.describe('false: too small a share of the weights is known for a meaningful score'),
  failing: z.array(Text).describe('ids of required checks'),
  watching: z.array(Text),
  unknown: z.array(Text),
  count: Count,
  checks: z.array(Check).describe('every row of the exchange, in the order of the ruleset'),
  float: Float,
  auditor: Auditor,
  press_release: z.array(Cue),
  score_breakdown: z.array(Part),
  confidence: Confidence.describe('of the least certain row used'),
  rules_sources: z.array(z.object({ id: Text, name: Text, url: Text.nullable() })),
  assumptions: z.array(Text),
  not_covered: z.array(Text),
  rounding: Text,
  not_advice: Flag,
  ...envelope,
})

export const delistingOperations = [
  operation('check_delisting_risk', 'POST /api/v1/compliance/delisting-risk', {
    tag: 'Compliance',
    access: 'key',
    curated: false,
    summary: 'Delisting risk and float of a listing',
    description:
      'Checks a listing against the continued-listing rules of Nasdaq, NYSE or NYSE American: price clocks, reverse splits, market values, equity, filings, float, auditor and the words of a press release. Prices, figures and filings come from the data of this service, share numbers from the request. A missing input gives unknown, never a pass. The request is not stored.',
    question: question({ ruleset: edition('delisting').optional() }),
    body: DelistingRiskRequest,
    body_bytes: 2 * 1024 * 1024,
    answer: DelistingAnswer,
    served_from: 'lake',
    cost: 1,
    cache: 'live',
    freshness: 'with each edition of the ruleset and each release',
    calculates: true,
    example: {
      body: {
        ticker: 'HLTB',
        exchange: 'Nasdaq Capital Market',
        total_shares: 4150000,
        insider_shares: 310000,
        institutional_shares: 1220000,
        restricted_shares: 45000,
        press_release_text:
          'Hollowtree Biosciences received a letter from Nasdaq: it is not in compliance with the minimum bid price requirement. The letter has no immediate effect, and the shares will not be delisted now.',
      },
    },
  }),
] as const
