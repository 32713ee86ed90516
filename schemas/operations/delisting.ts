// Delisting risk: what is posted and what the lake holds about a ticker, against the continued-listing rules of an exchange.
import { z } from 'zod'
import { Amount, envelope } from '../answer.ts'
import { DelistingRiskRequest } from '../compliance.ts'
import { AccessionNumber, Count, Flag, IsoDate, Text } from '../values.ts'
import { examples } from './examples.ts'
import { operation, question } from './operation.ts'
import { shaped } from './parameters.ts'

const Confidence = z.enum(['primary', 'secondary', 'general_knowledge'])
const Clock = z.object({
  stage: z.enum(['counting', 'period', 'second_period', 'over', 'report']).meta({
    description:
      'counting: towards a deficiency; period and second_period: in which it may be mended; over: they have passed; report: of a late report',
  }),
  unit: z.enum(['sessions', 'calendar_days']),
  from: IsoDate,
  until: IsoDate.nullable(),
  days: Count,
  days_elapsed: Count,
  days_left: Count,
  mended_sessions: Count.nullable().meta({ description: 'sessions in a row that meet the limit again' }),
  mended_after: Count.nullable().meta({ description: 'sessions in a row that mend it' }),
  gaps: Count.meta({ description: 'sessions inside the run of which no close is held' }),
  sentence: Text,
})
const Check = z.object({
  id: Text,
  rule: Text,
  title: Text,
  tiers: z.array(Text).meta({ description: 'of the exchange, to which the rule applies' }),
  role: z.enum(['required', 'alternative', 'information']).meta({
    description: 'alternative: part of a standard of which one is enough; information: has no part in the score',
  }),
  standards: z.array(Text).meta({ description: 'of the alternatives those that the row belongs to' }),
  status: z.enum(['pass', 'fail', 'watch', 'unknown', 'not_applicable', 'proposed']).meta({
    description: 'unknown: what it needs is not known, never a pass; proposed: no rule yet, never counted',
  }),
  would_be: z
    .enum(['pass', 'fail', 'watch', 'unknown', 'not_applicable'])
    .nullable()
    .meta({ description: 'of a proposed rule: its outcome if it held' }),
  reason: Text.nullable(),
  value: Amount.nullable().meta({ description: 'the figure, or an upper bound of it where value_at_least differs' }),
  value_at_least: Amount.nullable().meta({ description: 'a lower bound, where the figure is known within bounds alone' }),
  unit: Text.nullable(),
  operator: Text.nullable().meta({ description: 'how the value must stand to the threshold' }),
  threshold: Amount.nullable(),
  distance_to_breach: Amount.nullable().meta({ description: 'positive while the requirement is met, in the unit of the value' }),
  distance_to_breach_pct: Amount.nullable().meta({ description: 'of the threshold' }),
  value_as_of: IsoDate.nullable(),
  from: z.enum(['request', 'lake', 'request_and_lake', 'none']).meta({ description: 'what the value was made from' }),
  documents: z.array(Text).meta({ description: 'accession numbers of the filings behind it; sources has them' }),
  clock: Clock.nullable(),
  consequence: Text.nullable(),
  rule_status: z.enum(['adopted', 'proposed']),
  effective_from: IsoDate.nullable().meta({ description: 'null: long in force, or the day is not confirmed' }),
  valid_from: IsoDate,
  confidence: Confidence,
  source_ids: z.array(Text),
  note: Text.nullable(),
})
const Shares = Amount.nullable()
const Percent = Amount.nullable().meta({ description: 'of total_shares, 0 to 100; null where that was not said' })
const Float = z.object({
  total_shares: Shares.meta({ description: 'null: not said (0)' }),
  public_float_shares: Shares.meta({ description: 'total less insider less restricted shares' }),
  publicly_held_shares_least: Shares.meta({
    description: 'less holders above a tenth who may be in it; null where no lower bound is known',
  }),
  retail_float_shares: Shares.meta({ description: 'public float less institutional shares, at least 0' }),
  public_float_pct: Percent,
  insider_pct: Percent,
  institutional_pct: Percent,
  restricted_pct: Percent,
  retail_pct: Percent,
  band: Text.nullable().meta({ description: 'micro_float, low_float or small_float; null: larger, or not known' }),
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
})
const Auditor = z.object({
  auditor_jurisdiction: Text,
  audit_firm_name: Text.nullable(),
  operations_country: Text,
  status: z.enum(['breach', 'watch', 'clear']).meta({ description: 'breach: identified by the PCAOB today; watch: it once was; clear: never' }),
  prohibition_years: Count.meta({ description: 'identified years in a row after which trading is prohibited' }),
  rule: Text,
  explanation: Text,
  flags: z.array(z.object({ flag: Text, status: z.enum(['raised', 'clear', 'unknown']), explanation: Text })),
})
const Cue = z.object({
  cue: Text,
  title: Text,
  status: z.enum(['raised', 'resolved', 'denied']).meta({ description: 'resolved: the text says that it is over; denied: that it is not so' }),
  count: Count,
  points_pct: Count.meta({ description: 'of the weight of the words, where it is raised' }),
  evidence: z.array(
    z.object({
      start: Count.meta({ description: 'first character, counted from 0 in characters (Unicode code points) of the text as sent' }),
      end: Count.meta({ description: 'behind the last' }),
      status: z.enum(['raised', 'resolved', 'denied']),
    }),
  ),
})
const Part = z.object({
  component: Text,
  title: Text,
  weight: Count,
  status: z.enum(['known', 'unknown', 'not_part']),
  share_pct: Amount.nullable().meta({ description: 'of the weight; null: not known' }),
  points: Amount.nullable(),
  from: z.array(Text).meta({ description: 'checks and cues that add to it' }),
  not_known: z.array(Text),
})

const DelistingAnswer = z.object({
  ruleset: Text,
  ruleset_valid_from: IsoDate,
  ruleset_valid_to: IsoDate.nullable(),
  ticker: Text.meta({ description: 'canonical' }),
  exchange: Text,
  exchange_id: Text,
  exchange_coverage: z.object({ status: z.enum(['covered', 'not_covered', 'none']), sentence: Text }),
  listed_elsewhere: Text.nullable().meta({ description: 'where a directory lists the ticker on another exchange than the one asked about' }),
  day: IsoDate.meta({ description: 'to which clocks and windows are counted: that of the newest directory or close held' }),
  coverage: Text.meta({ description: 'what of the ticker is held' }),
  score: Amount.nullable().meta({
    description: '0 (nothing found) to 100, over the parts that are known; null: none is, or only what the request leaves unsaid',
  }),
  score_coverage_pct: Amount.meta({ description: 'how much of the weights is known' }),
  score_sufficient: Flag.meta({ description: 'false: too little of the weights is known for the score to say much' }),
  failing: z.array(Text).meta({ description: 'ids of required checks' }),
  watching: z.array(Text),
  unknown: z.array(Text),
  count: Count,
  checks: z.array(Check).meta({ description: 'every row that the exchange has, in the order of the ruleset' }),
  float: Float,
  auditor: Auditor,
  press_release: z.array(Cue),
  score_breakdown: z.array(Part),
  confidence: Confidence.meta({ description: 'of the least sure row that was used' }),
  rules_sources: z.array(z.object({ id: Text, name: Text, url: Text.nullable() })),
  assumptions: z.array(Text),
  not_covered: z.array(Text),
  rounding: Text,
  not_advice: Flag,
  ...envelope,
})

export const delistingOperations = [
  operation({
    id: 'check_delisting_risk',
    method: 'POST',
    path: '/api/v1/compliance/delisting-risk',
    tag: 'Compliance',
    access: 'key',
    curated: false,
    summary: 'Delisting risk and float of a listing',
    description:
      'Checks a listing against the continued-listing rules of Nasdaq, NYSE or NYSE American: price clocks, reverse splits, market values, equity, filings, float, auditor and the words of a press release. Prices, figures and filings come from what this service holds of the ticker, share numbers from the request. What is not known is unknown, never a pass. Nothing of the request is kept.',
    question: question({
      ruleset: shaped(
        'an edition of the rules (default: the newest)',
        /^delisting@\d{4}-\d\d$/,
        'a name such as delisting@2026-11',
        'delisting@2026-11',
      ).optional(),
    }),
    body: DelistingRiskRequest,
    body_bytes: 2 * 1024 * 1024,
    answer: DelistingAnswer,
    served_from: 'lake',
    cost: 1,
    cache: 'live',
    freshness: 'with each edition of the ruleset and each release',
    example: examples.check_delisting_risk,
  }),
] as const
