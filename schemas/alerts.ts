// Alerts on prices and on offerings: request bodies and answers.
import { z } from 'zod'
import { Amount, NextCursor } from './answer.ts'
import { exactNumber } from './exact-number.ts'
import { plainText } from './plain-text.ts'
import { Count, Flag, Instant, IsoDate, Release, Symbol, Text } from './values.ts'

/** Maximum number of alerts of a user, which limits the work per account on every release. */
export const maxAlerts = 500
export const maxIpoAlerts = 100
/** Maximum with scope watchlist: each is evaluated for every listing of the watchlist. */
export const maxWatchlistAlerts = 20
/** Maximum number of firings on a page of a list, and in a dry run. */
export const maxFirings = 200
/** Maximum days of history that a dry run reads: two years. */
const maxDryRunDays = 731
/** Maximum number of listings of a watchlist that a dry run reads. */
export const maxDryRunSymbols = 25

/** The one list of conditions. Each has a row in the newest edition of `warehouse/rulesets/indicators/`, which defines it. */
export const alertConditions = [
  'above',
  'below',
  'pct_up',
  'pct_down',
  'rsi_above',
  'rsi_below',
  'px_above_sma50',
  'px_below_sma50',
  'px_above_sma200',
  'px_below_sma200',
] as const
const ipoEvents = ['priced', 'listed', 'lockup_soon', 'range_amended'] as const
export type IpoEventName = (typeof ipoEvents)[number]

const numericString = /^\+?(?=\.?\d)\d{0,15}(?:\.\d{0,10})?$/
const expected = 'expected a number above 0, or a decimal number as text such as "12.50"'
/** A number keeps its digits, because its operation has `exact_numbers`. */
const positive = (description: string) =>
  z
    .union([exactNumber(), z.string().max(32).regex(numericString, expected)], { error: expected })
    .refine(value => Number(value) > 0 && Number(value) < 1e15, expected)
    .describe(description)

const AlertTerms = z.strictObject({
  ticker: plainText(16)
    .min(1)
    .describe('a symbol in any usual spelling, answered canonically; with scope watchlist it is not read, and answered as it was sent'),
  condition: z
    .enum(alertConditions, { error: `expected one of ${alertConditions.join(', ')}` })
    .describe(
      'above and below: the last price; pct_up and pct_down: its change in percent of baseline_price; rsi: RSI(14) of the daily closes; px: the last price against the average of 50 or 200 closes',
    ),
  threshold: positive('price, percent or RSI; needed except by conditions against an average, which do not read it. As text it keeps its digits')
    .nullable()
    .optional(),
  baseline_price: positive('the base of pct_up and pct_down; default: the last close when the alert is created').nullable().optional(),
  note: plainText(256).nullable().optional(),
  condition2: z
    .enum(alertConditions, { error: `expected one of ${alertConditions.join(', ')}` })
    .nullable()
    .optional()
    .describe('a second condition on the same prices'),
  threshold2: positive('of condition2').nullable().optional(),
  logic: z.enum(['AND', 'OR'], { error: 'expected AND or OR' }).nullable().optional().describe('how the two are joined; default: AND'),
  scope: z
    .enum(['ticker', 'watchlist'], { error: 'expected ticker or watchlist' })
    .default('ticker')
    .describe('watchlist: each listing of the watchlist is evaluated separately'),
})
type Thresholds = {
  readonly condition?: string | null | undefined
  readonly threshold?: unknown
  readonly condition2?: string | null | undefined
  readonly threshold2?: unknown
}
/** A condition against an average compares the price with it, and reads no threshold. */
const readsThreshold = (condition: string): boolean => !condition.startsWith('px_')
const isMissing = (condition: string | null | undefined, threshold: unknown): boolean =>
  Boolean(condition) && readsThreshold(condition ?? '') && (threshold === null || threshold === undefined)
/** Adds a fault for each condition that needs a threshold and has none. */
function needThresholds({ condition, threshold, condition2, threshold2 }: Thresholds, context: z.RefinementCtx): void {
  if (isMissing(condition, threshold))
    context.addIssue({ code: 'custom', path: ['threshold'], message: `the condition ${condition} needs threshold`, input: threshold })
  if (isMissing(condition2, threshold2))
    context.addIssue({ code: 'custom', path: ['threshold2'], message: 'the second condition needs threshold2', input: threshold2 })
}

export const AlertCreate = AlertTerms.superRefine(needThresholds)
export type AlertCreate = z.output<typeof AlertCreate>
export const AlertDryRun = AlertTerms.extend({
  days: z
    .int()
    .min(1)
    .max(maxDryRunDays)
    .default(maxDryRunDays)
    .describe('days of history before the newest price; the baseline defaults to the last close before them'),
}).superRefine(needThresholds)
export type AlertDryRun = z.output<typeof AlertDryRun>
const { condition, ...otherTerms } = AlertTerms.omit({ ticker: true, note: true, scope: true }).shape
const termNames = ['threshold', 'baseline_price', 'condition2', 'threshold2', 'logic'] as const
export const AlertPatch = z
  .strictObject({
    condition: condition
      .optional()
      .describe('a new condition. The conditions are replaced as a whole: omitted members get their defaults. The alert is active from then on'),
    ...otherTerms,
    status: z
      .enum(['active', 'dismissed'], { error: 'expected active or dismissed' })
      .nullable()
      .optional()
      .describe('active re-arms the alert in any status; null or omitted: unchanged'),
    note: plainText(256).nullable().optional().describe('null removes the note; omitted: unchanged'),
  })
  .superRefine((patch, context) => {
    needThresholds(patch, context)
    if (patch.condition !== undefined) return
    for (const name of termNames)
      if (patch[name] !== undefined)
        context.addIssue({ code: 'custom', path: [name], message: 'send condition too: the conditions are replaced as a whole', input: patch[name] })
  })
export type AlertPatch = z.output<typeof AlertPatch>

/** How a ticker of an alert on offerings is kept: without spaces around it, in upper case. */
export const storedTicker = (ticker: string): string => ticker.trim().toUpperCase()
/** Upper case can lengthen a text ("ß" becomes "SS"), and a text of spaces leaves none. */
const isStorable = (ticker: string): boolean => storedTicker(ticker) !== '' && storedTicker(ticker).length <= 16

export const IpoAlertCreate = z.strictObject({
  ticker: plainText(16).min(1).refine(isStorable, 'expected a symbol of 1 to 16 characters').describe('proposed or listed; it need not be known yet'),
  event: z
    .enum(ipoEvents, { error: `expected one of ${ipoEvents.join(', ')}` })
    .describe(
      'priced: final terms; listed: the first day in a directory; lockup_soon: lead_days before the lock-up ends; range_amended: another price range in an amendment',
    ),
  lead_days: z.int().min(1).max(90).nullable().default(7).describe('for lockup_soon; null means 7'),
  note: plainText(200).nullable().optional(),
})
export type IpoAlertCreate = z.output<typeof IpoAlertCreate>
export const IpoAlertPatch = z.strictObject({ status: z.enum(['active', 'dismissed'], { error: 'expected active or dismissed' }) })
export type IpoAlertPatch = z.output<typeof IpoAlertPatch>

const status = z.enum(['active', 'triggered', 'dismissed']).describe('triggered: it fired, and waits until it is set to active again')
const Original = z.object({ threshold: Amount.nullable(), baseline_price: Amount.nullable(), threshold2: Amount.nullable() })
export const AlertOut = z.object({
  id: Text,
  ticker: Text,
  condition: z.enum(alertConditions),
  threshold: Amount.nullable().describe('in shares of today: a price is divided by later splits of the listing; null: the condition reads none'),
  baseline_price: Amount.nullable(),
  condition2: z.enum(alertConditions).nullable(),
  threshold2: Amount.nullable(),
  logic: z.enum(['AND', 'OR']).nullable(),
  scope: z.enum(['ticker', 'watchlist']),
  status,
  triggered_at: Instant.nullable(),
  triggered_price: Amount.nullable(),
  triggered_symbol: Symbol.nullable().describe('which listing of the watchlist made it fire'),
  note: Text.nullable(),
  created_at: Instant,
  original: Original.nullable().describe('the original value, if a split has changed it since'),
})
export const AlertList = z.object({ count: Count, alerts: z.array(AlertOut).describe('newest first'), next_cursor: NextCursor })

const EvaluatedCondition = z.object({
  condition: z.enum(alertConditions),
  holds: Flag.nullable().describe('null: an input is not known'),
  value: Amount.nullable().describe('the reading, rounded to four decimals; the comparison uses the unrounded value'),
  against: Amount.nullable(),
  intraday: Flag.describe('it reads the closes, and the last of them is a price of a session that went on'),
  warmed_up: Flag.describe('false: an RSI over fewer than 100 closes'),
})
const Split = z.object({ ex_date: IsoDate, numerator: Text, denominator: Text })
const Inputs = z.object({
  series: Text.describe('split_adjusted: not adjusted for dividends'),
  threshold: Amount.nullable(),
  baseline_price: Amount.nullable(),
  threshold2: Amount.nullable(),
  logic: z.enum(['AND', 'OR']).nullable(),
  splits: z.array(Split).describe('since the alert was made, applied to its prices'),
  price: Amount.nullable(),
  price_basis: z.enum(['quote', 'last_bar']).nullable(),
  price_at: Instant.nullable(),
  session_date: IsoDate.nullable(),
  source: Text.nullable(),
  conditions: z.array(EvaluatedCondition),
})
const Delivery = z.object({
  channel: z.enum(['api', 'mail', 'push']),
  queued_at: Instant,
  skipped: Text.nullable().describe('why nothing was sent'),
})
const Bars = z.object({
  count: Count,
  from: IsoDate.nullable(),
  to: IsoDate.nullable(),
  closes: z.array(z.object({ date: IsoDate, close: Amount })).describe('those that the conditions read, oldest first'),
})
const AlertFiring = z.object({
  id: Text,
  alert_id: Text,
  symbol: Symbol,
  fired_at: Instant,
  release: Release.describe('the release that made it true'),
  price: Amount.nullable(),
  rule: Text,
  ruleset: Text,
  inputs: Inputs,
  bars: Bars,
  deliveries: z.array(Delivery),
})
export const AlertFirings = z.object({ count: Count, firings: z.array(AlertFiring).describe('newest first'), next_cursor: NextCursor })

const WouldFire = z.object({
  symbol: Symbol,
  date: IsoDate,
  price: Amount.describe('close of the day, adjusted for splits since'),
  rearmed: Flag.describe('true: only if the alert had been set to active again after the one before'),
  conditions: z.array(EvaluatedCondition),
})
export const DryRunAnswer = z.object({
  release: Release,
  ruleset: Text,
  rule: Text,
  series: Text,
  symbols: z.array(
    z.object({
      symbol: Symbol,
      from: IsoDate.nullable(),
      to: IsoDate.nullable(),
      sessions: Count,
      baseline_price: Amount.nullable(),
      holds_now: Flag.nullable().describe('true: an alert created now fires only after its condition has been false once'),
      unknown_sessions: Count.describe('sessions on which an input was not known'),
      firings: Count,
    }),
  ),
  history: z
    .array(
      z.object({
        date: IsoDate,
        close: Amount,
        readings: z.array(z.object({ value: Amount.nullable(), against: Amount.nullable() })).describe('of the conditions, in their order'),
      }),
    )
    .describe('each session with what the conditions read, oldest first; empty for more than one listing'),
  symbols_left_out: Count.describe(`of a watchlist with more than ${maxDryRunSymbols} listings`),
  count: Count,
  firings: z.array(WouldFire).describe(`newest first, at most ${maxFirings}; evaluated on daily closes only`),
})

export const IpoAlertOut = z.object({
  id: Text,
  ticker: Text,
  event: z.enum(ipoEvents),
  lead_days: z.int(),
  note: Text.nullable(),
  status,
  triggered_at: Instant.nullable(),
  fired: z
    .object({ event: Text, release: Release, rule: Text, deal: Text, company: Text, date: IsoDate.nullable(), url: Text.nullable() })
    .nullable()
    .describe('the newest firing: the deal, and its known facts'),
  created_at: Instant,
})
export const IpoAlertList = z.object({
  count: Count,
  ipo_alerts: z.array(IpoAlertOut).describe('newest first'),
  next_cursor: NextCursor,
})
