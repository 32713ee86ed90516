// Daily updates: the events of a day in sentences whose figures are references to signed answers (DailyUpdateSummary, DailyUpdateFull,
// DailyFeedResponse, DailyStatsEntry and DailyStatsResponse are the specification's records).
import { z } from 'zod'
import { ReceiptId } from './answer.ts'
import { Count, Instant, IsoDate, Release, Symbol, Text } from './values.ts'

export const UpdateRule = z.enum([
  'filing',
  'restatement',
  'insider_cluster',
  'schedule_13d',
  'schedule_13g',
  'action',
  'price_restatement',
  'report_date',
  'offering',
])
export type UpdateRule = z.infer<typeof UpdateRule>

/** One figure, name or day of a sentence. */
export const UpdateClaim = z.object({
  value: Text.describe('as the answer holds it: digits as printed by the source'),
  unit: Text.nullable().describe('shares, percent, a currency …; null for names, days and counts'),
  pointer: Text.nullable().describe('RFC 6901 pointer into the answer; null if the value is computed from operands'),
  operands: z.array(Text).nullable().describe('pointers of the values that were counted or added; null if pointer names the value'),
  computed: z.enum(['count', 'sum']).nullable(),
})
export type UpdateClaim = z.infer<typeof UpdateClaim>
export const UpdateStatement = z.object({
  rule: UpdateRule,
  ticker: Symbol.nullable(),
  text: Text.describe('the sentence, its figures filled in'),
  template: Text.describe('the sentence with {0}, {1}, … in the places of its claims'),
  claims: z.array(UpdateClaim),
  request: Text.describe('the operation whose answer contains the values, with the release and instant of the request'),
  receipt_id: ReceiptId.describe('of that answer'),
})
export type UpdateStatement = z.infer<typeof UpdateStatement>

export const DailyUpdateSummary = z.object({
  slug: Text.describe('stable: the day, and the symbol for an update about one company'),
  date: IsoDate.describe('the day in New York that it covers'),
  title: Text,
  summary: Text,
  ticker: Text.nullable(),
  category: Text.nullable().describe('daily: the whole market; issuer: one company'),
  llm_provider: Text.nullable().describe('null: written by rule, no model phrased it'),
  view_count: Count.describe('how often it was read: within some seconds a process counts one reading; nothing is kept of who read'),
})
export type DailyUpdateSummary = z.infer<typeof DailyUpdateSummary>
export const DailyUpdateFull = DailyUpdateSummary.extend({
  body: Text.describe('Markdown'),
  revision: Count.describe('2 and more: a later release knew more of the day; the earlier text is not shown any more'),
  release: Release.describe('written from it; from the same release the same bytes are written again'),
  rules: Text.describe('edition of the rules that wrote it'),
  statements: z.array(UpdateStatement),
})
export type DailyUpdateFull = z.infer<typeof DailyUpdateFull>
export const DailyFeedResponse = z.object({ updates: z.array(DailyUpdateSummary), total: Count, limit: Count, offset: Count })
export const DailyStatsResponse = z.object({
  last_30_days: z.array(z.object({ date: IsoDate, count: Count })).describe('days with updates among the last 30, the newest first'),
  total_all_time: Count,
  as_of: Instant,
})
