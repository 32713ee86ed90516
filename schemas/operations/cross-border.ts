// Lines of one issuer in Toronto and in the United States: the pairs and their spreads.
import { z } from 'zod'
import { Amount, envelope, NextCursor } from '../answer.ts'
import { Confidence } from '../dual-listings.ts'
import { QuoteSession, QuoteTimeBasis } from '../quotes.ts'
import { parseSymbol, parseSymbolOn } from '../spelling.ts'
import { Count, Currency, Instant, Int, IsoDate, Real, Symbol, Text } from '../values.ts'
import { dataQuestion, operation, research } from './operation.ts'
import { cursor, oneOf, pageLimit, shaped, symbol } from './parameters.ts'

const limit = pageLimit(100, 500, 'pairs')

/** A symbol without suffix is resolved on the Toronto exchange: `RY` means RY.TO. */
function torontoSpelling(raw: string): string {
  const stated = /[:.]/.test(raw.trim()) || / /.test(raw.trim())
  const parsed = parseSymbol(raw)
  return (stated || parsed?.exchange !== 'US' ? parsed?.symbol : parseSymbolOn('TO', raw)?.symbol) ?? raw
}
const canonical = /^[A-Z0-9][A-Z0-9.-]{0,15}$/
const torontoSymbol = shaped(
  'the Toronto line in any usual spelling; without a suffix it is resolved on the Toronto exchange',
  canonical,
  'a symbol such as RY.TO, TSX:RY or RY',
  'GLPR.TO',
  torontoSpelling,
)

const pairStatuses = ['no_data', 'halted', 'corporate_action', 'one_market_closed', 'stale_leg', 'fx_stale', 'skewed', 'live'] as const
const Status = z
  .enum(pairStatuses)
  .describe(
    'live: both prices and the rate are recent enough and close in time; otherwise the first reason against it: no_data, halted, corporate_action, one_market_closed, stale_leg, fx_stale, skewed',
  )
const Reason = z.object({
  code: z.enum(['no_data', 'halted', 'corporate_action', 'one_market_closed', 'stale_leg', 'fx_stale', 'skewed']),
  leg: z.enum(['toronto', 'us', 'fx', 'both']).nullable().describe('the leg that causes it; null: the pair'),
  sentence: Text,
})
const Basis = z.enum(['mid', 'last']).describe('mid: of bid and ask on both sides; last: last prices, which have no executable edge')
const Premium = z.enum(['toronto', 'us', 'none']).describe('which line is more expensive; none: within the tolerance of the ruleset')
const lag = Int.nullable().describe('age of the older of the two prices at as_of; null if one is missing')
const actionable = z.boolean().describe('true only if the pair is live, all quotes are two-sided and an edge remains after the stated costs')
const Ratio = Amount.describe('Toronto shares per one US share')
const names = { toronto_symbol: Symbol, us_symbol: Symbol, us_mic: Text.nullable(), issuer: Text.nullable(), ratio: Ratio, tracked: z.boolean() }
const ListedBy = z.enum(['ruleset', 'operator']).describe('source of the pair: the curated table, or the operator of this service')

const PairRow = z.object({
  ...names,
  listed_by: ListedBy,
  status: Status,
  why: Text.nullable().describe('the first reason against the spread, in words; null if it is live'),
  basis: Basis.nullable(),
  tsx_price: Amount.nullable(),
  us_price: Amount.nullable(),
  fx_rate: Amount.nullable().describe('units of the Toronto line for one of the US line: CAD per USD'),
  us_in_cad: Amount.nullable().describe("the US price in the Toronto line's currency, per Toronto share"),
  spread_abs: Amount.nullable(),
  spread_pct: Real.nullable(),
  spread_bps: Real.nullable().describe('Toronto minus New York, in hundredths of a percent of the US price'),
  premium_side: Premium.nullable(),
  fx_implied: Real.nullable(),
  net_edge_bps: Real.nullable(),
  actionable,
  data_lag_seconds: lag,
})
const PairsAnswer = z.object({
  ruleset: Text,
  pairs_ruleset: Text,
  count: Count.describe('pairs on this page'),
  total: Count.describe('tracked pairs that match the request'),
  ruleset_pairs: Count.describe('tracked pairs of the curated table'),
  operator_pairs: Count.describe('tracked pairs of the operator'),
  by_status: z.record(z.string(), Count).describe('how many pairs of total are in each state'),
  pairs: z.array(PairRow).describe('by Toronto symbol'),
  next_cursor: NextCursor,
  ...envelope,
})

const Leg = z
  .object({
    symbol: Symbol,
    price: Amount.describe('the price used for the spread: the middle of bid and ask, or the last price'),
    bid: Amount.nullable(),
    ask: Amount.nullable(),
    last: Amount.nullable(),
    currency: Currency,
    observed_at: Instant,
    time_basis: z
      .enum([...QuoteTimeBasis.options, 'close'])
      .describe('what observed_at is: the time of the trade, of our request, the day, or the close of the session'),
    age_seconds: Int,
    session_date: IsoDate,
    session: QuoteSession,
    halted: z.boolean().nullable(),
    delay_seconds: Int.nullable(),
    basis: z.enum(['quote', 'last_close']),
    source: Text,
  })
  .nullable()
const Edge = z.object({
  proceeds: Amount.describe("per US share, in the Toronto line's currency"),
  outlay: Amount,
  costs: Amount,
  edge: Amount,
  edge_bps: Real.describe('edge in hundredths of a percent of outlay'),
})
const PairAnswer = z.object({
  ...names,
  listed_by: ListedBy,
  ruleset: Text,
  pairs_ruleset: Text,
  status: Status,
  reasons: z.array(Reason).describe('all reasons against the spread, most severe first; empty if it is live'),
  actionable,
  data_lag_seconds: lag,
  basis: Basis.nullable(),
  currency: Currency.nullable().describe('of spread_abs, us_in_cad and the edges: that of the Toronto line'),
  us_in_cad: Amount.nullable(),
  spread_abs: Amount.nullable(),
  spread_pct: Real.nullable(),
  spread_bps: Real.nullable(),
  premium_side: Premium.nullable(),
  tolerance_bps: Amount,
  fx_implied: Real.nullable().describe('the rate that a journalled share converts at: Toronto price by US price'),
  fx_implied_diff_bps: Real.nullable().describe('the implied rate against fx.rate'),
  edges: z
    .object({ buy_us_sell_toronto: Edge, buy_toronto_sell_us: Edge })
    .nullable()
    .describe('results at the quoted bid and ask; null with last prices'),
  net_edge_bps: Real.nullable().describe('the larger of the two'),
  toronto: Leg,
  us: Leg,
  fx: z
    .object({
      rate: Amount,
      bid: Amount.nullable(),
      ask: Amount.nullable(),
      sides: z
        .enum(['two_sided', 'half_spread', 'one_rate'])
        .nullable()
        .describe('two_sided: quoted; half_spread: derived from one rate and the stated cost fx_half_spread; one_rate: one rate for both directions'),
      basis: z.enum(['quote', 'reference_rate', 'identity']).describe('identity: both lines trade in one currency'),
      series: Text.nullable(),
      observed_at: Instant,
      observed_on: IsoDate,
      carried: z.boolean().describe('true: the rate is of an earlier day than the newer price'),
      age_seconds: Int,
      source: Text.nullable(),
    })
    .nullable(),
  costs: z
    .array(z.object({ cost: Text, value: Amount, unit: Text, stated_by: z.enum(['ruleset', 'question']) }))
    .describe('every cost included, also those of 0'),
  actions: z
    .array(z.object({ symbol: Symbol, kind: Text, ex_date: IsoDate }))
    .describe('splits and distributions of both lines in the days before as_of'),
  limits: z.object({
    max_age_seconds: z.object({ live: Int, delayed: Int }),
    max_skew_seconds: z.object({ live: Int, delayed: Int }),
    fx_max_age_seconds: Int,
  }),
  ...envelope,
})

const Verdict = z
  .enum(['confirmed', 'likely', 'contradicted', 'line_gone', 'not_checked'])
  .describe(
    'confirmed: both directories list one issuer; likely: the names begin alike; contradicted: they list two issuers; line_gone: a line is no longer listed; not_checked: no loaded directory lists it',
  )
const Side = z.object({ symbol: Symbol, listed: z.boolean().nullable(), name: Text.nullable(), listed_to: IsoDate.nullable() })
const DualListingsAnswer = z.object({
  ruleset: Text,
  coverage: z
    .object({ status: z.enum(['read', 'none', 'not_a_pair']), sentence: Text })
    .describe('if the list is empty, the reason; not_a_pair: the symbols look like a pair but are none'),
  count: Count,
  total: Count,
  pairs: z
    .array(
      z.object({
        tsx_symbol: Symbol,
        us_symbol: Symbol,
        us_mic: Text.nullable().describe('ISO 10383'),
        issuer: Text.nullable(),
        ratio: Ratio,
        status: z.enum(['current', 'ended', 'ahead']).describe('at as_of, by valid_from and valid_to'),
        valid_from: IsoDate.nullable().describe('first day of these symbols and this venue; null: from before the table'),
        valid_to: IsoDate.nullable(),
        tracked: z.boolean().describe('one of the pairs of /api/v1/arb/pairs at as_of'),
        listed_by: ListedBy,
        evidence: z.array(z.object({ code: Text.nullable(), text: Text })),
        confidence: Confidence,
        last_verified: IsoDate.nullable(),
        doubt: Text.nullable(),
        note: Text.nullable(),
        verified: z
          .object({ verdict: Verdict, sentence: Text, toronto: Side, us: Side, interlisted_file: z.boolean().nullable() })
          .describe('the state of the pair in the directories of this release'),
      }),
    )
    .describe('by Toronto symbol, US symbol, valid_from'),
  not_pairs: z
    .array(z.object({ tsx_symbol: Symbol, us_symbol: Symbol.nullable(), why: Text }))
    .describe('known pitfalls for this request: equal symbols of two companies, lines in public maps without a listing'),
  next_cursor: NextCursor,
  ...envelope,
})

const costs = shaped(
  'costs that replace those of the ruleset: name:value, separated by commas; names and units are in the answer',
  /^[a-z0-9_]{1,32}:\d{1,9}(\.\d{1,9})?(,[a-z0-9_]{1,32}:\d{1,9}(\.\d{1,9})?){0,15}$/,
  'name:value, separated by commas, such as commission_us:0.005,fx_half_spread:2',
  'commission_us:0.005',
).optional()

export const crossBorderOperations = [
  operation('list_arb_pairs', 'GET /api/v1/arb/pairs', {
    tag: 'Screening',
    access: 'session',
    summary: 'Tracked dual-listed pairs and their spreads',
    description:
      'The 59 tracked pairs of the curated table and those of the operator: spread, premium side, implied rate, edges after costs and state at as_of. Information, never a recommendation.',
    question: dataQuestion({ status: oneOf('one state only', pairStatuses).optional(), limit, cursor }),
    answer: PairsAnswer,
    rows: 'pairs',
    data: true,
    served_from: 'page',
    cache: 'quotes',
    repeat_ms: 1000,
    freshness: '15 minutes with a quote source, else 26 hours',
    cursor_key: ['text'],
    agents: [research('cross_border', 'spreads', ['status', 'limit', 'cursor'], { defaults: { limit: 15 } })],
    example: '/api/v1/arb/pairs?as_of=2026-11-19T18:12:00Z&status=live&limit=2',
  }),
  operation('get_arb_pair', 'GET /api/v1/arb/{toronto_sym}/{us_sym}', {
    tag: 'Screening',
    access: 'session',
    summary: 'Spread between the two listings of a pair',
    description:
      'Both legs, the rate, spread, implied rate, executable edges with every cost echoed, and the state with all reasons against it. Edges are returned for two-sided quotes only. Information, never a recommendation.',
    question: dataQuestion({ toronto_sym: torontoSymbol, us_sym: symbol('the US line in any usual spelling', 'GLPR'), costs }),
    answer: PairAnswer,
    rows: null,
    data: true,
    served_from: 'page',
    cache: 'quotes',
    repeat_ms: 1000,
    freshness: '15 minutes with a quote source, else 26 hours',
    agents: [research('cross_border', 'spread', ['toronto_sym', 'us_sym', 'costs'])],
    example: '/api/v1/arb/GLPR.TO/GLPR?as_of=2026-11-19T18:12:00Z',
  }),
  operation('list_dual_listings', 'GET /api/v1/data/dual-listings', {
    tag: 'Developer Data API',
    access: 'key',
    summary: 'Toronto and United States lines of one issuer',
    description:
      'The curated pairs with validity, evidence and confidence, and the state of each in the directories of the release. Pairs are matched by issuer, never by equal symbols.',
    question: dataQuestion({
      symbol: symbol('either line in any usual spelling', 'GLPR.TO').optional(),
      tracked: oneOf('tracked pairs only, or the others only', ['yes', 'no']).optional(),
      status: oneOf('pairs in one state at as_of', ['current', 'ended', 'ahead']).optional(),
      limit,
      cursor,
    }),
    answer: DualListingsAnswer,
    rows: 'pairs',
    data: true,
    served_from: 'page',
    freshness: '26 hours',
    cursor_key: ['text'],
    agents: [research('cross_border', 'pairs', ['symbol', 'limit', 'cursor'], { defaults: { limit: 15 } })],
    example: '/api/v1/data/dual-listings?symbol=GLPR.TO',
  }),
] as const
