// Prices: quotes, end-of-day bars, corporate actions, charts.
import { z } from 'zod'
import { Amount, envelope, NearestSymbols, wireFacts } from '../answer.ts'
import { BarBasis } from '../bars.ts'
import { ActionKind, adjustmentFactors, corporateActions, ListingEventKind, VerdictStatus } from '../corporate-actions.ts'
import { KnownBasis } from '../dataset.ts'
import { QuoteSession, QuoteTimeBasis, quotes } from '../quotes.ts'
import { Count, Currency, Instant, Int, IsoDate, Real, Release, Symbol, Text } from '../values.ts'
import { dataQuestion, operation, research } from './operation.ts'
import { day, oneOf, pageLimit, seriesLimit, symbol, symbolList } from './parameters.ts'

const known = {
  known_from: Instant.describe('earliest instant at which anyone could have known it'),
  known_basis: KnownBasis.describe('what known_from is taken from: acceptance, publication, filing day, or our retrieval'),
}
const Convention = Text.describe('how adjusted_close is made: yahoo_crsp = Yahoo/CRSP multipliers')

const Quote = {
  symbol: Symbol,
  price: Real.nullable().describe('last price held, in currency, unadjusted, also outside regular hours; null: only bid or ask is held'),
  currency: Currency,
  bid: Real.nullable(),
  ask: Real.nullable(),
  bid_size: Count.nullable().describe('in the unit of the source: shares or round lots'),
  ask_size: Count.nullable(),
  book_at: Instant.nullable().describe('time of the newer side of bid and ask, if the source prints it'),
  ...wireFacts(quotes.facts.pick({ open: true, high: true, low: true })),
  regular_price: Real.nullable().describe('last price of the regular session, if price was made outside of it'),
  previous_close: Real.nullable().describe('close of the previous session, adjusted for a split since then'),
  change: Amount.nullable().describe('price minus previous_close, in currency'),
  change_pct: Amount.nullable().describe('change in percent of previous_close'),
  volume: Count.nullable().describe('shares'),
  session_date: IsoDate.describe('the trading day of the price, in the time zone of its venue'),
  price_session: QuoteSession.describe("part of the venue's day in which the price was made"),
  session: QuoteSession.describe('the state of the venue at as_of, by its exchange calendar'),
  halted: z.boolean().nullable().describe('null: the source does not report it'),
  quoted_at: Instant.describe('the time of the price; the close of the session if basis is last_bar'),
  time_basis: QuoteTimeBasis.describe(
    'trade: the source prints the time; asked: it prints none, so the latest possible time is given; day: it prints only the day',
  ),
  data_lag_seconds: Int.describe('age of the price at as_of'),
  stale: z.boolean().optional().describe('true if data_lag_seconds is above 900'),
  delay_seconds: Count.nullable().describe('the delay that the source states'),
  minor_unit: Text.nullable().describe('the unit that the source printed, such as GBp, if prices were converted into currency'),
  basis: z.enum(['quote', 'last_bar']).describe('last_bar: no source quotes the symbol, or none newer than the last daily bar'),
  price_basis: BarBasis.optional().describe(
    'how the prices of the last bar differ from prices as traded, as in /market/eod; omitted if they are as traded',
  ),
  basis_note: Text.optional().describe('with split_adjusted_unknown: why the price is not as traded'),
  source: Text,
}
const QuotesAnswer = z.object({
  count: Count,
  quotes: z.array(z.object(Quote)).describe('in the order of the request'),
  unknown: z.array(Text).describe('symbols that no loaded directory lists; always reported here'),
  without_price: z.array(Text).describe('listed symbols for which neither a quote nor a bar is held'),
  ruleset: Text.describe('the source priority used if several sources quote a symbol'),
  ...envelope,
})
const QuoteAnswer = z.object({ ...Quote, ruleset: Text, ...envelope })

const barFields = {
  date: IsoDate.describe('trading day in the time zone of the venue'),
  open: Real.nullable(),
  high: Real.nullable(),
  low: Real.nullable(),
  close: Real.describe('as traded with adjust=none, unless basis states otherwise'),
  adjusted_close: Real.describe('close restated for later splits and distributions; changes when an action becomes known'),
  volume: Real.nullable().describe('shares; with adjust=split or all, adjusted for later splits'),
  basis: z.enum(['reconstructed', 'split_adjusted_unknown']).optional().describe('omitted for bars as traded; otherwise as in the answer'),
}
const SymbolCoverage = z
  .object({
    status: z.enum(['read', 'not_listed', 'none', 'not_loaded']),
    sentence: Text,
    nearest: NearestSymbols,
  })
  .describe(
    'read: bars are held and a directory lists the symbol; not_listed: bars are held, but no loaded directory lists the symbol; none: listed, but no bar of these days is held; not_loaded: neither a bar of these days nor a listing is loaded',
  )
const basisFields = {
  basis: z
    .enum([...BarBasis.options, 'mixed'])
    .nullable()
    .describe(
      'what the unadjusted prices are. as_traded; reconstructed: the source divided them by later splits, which are all known and were reversed; split_adjusted_unknown: divided by splits that are not all known; mixed: see the bars. null if there is no bar',
    ),
  basis_note: Text.nullable().describe('the same in a sentence, if not every bar is as traded'),
}
const ClosesAnswer = z.object({
  from: IsoDate,
  to: IsoDate,
  convention: Convention,
  count: Count.describe('closes of all symbols'),
  closes: z
    .array(
      z.object({
        symbol: Symbol,
        date: barFields.date,
        close: Real.describe('as traded, unless basis states otherwise'),
        adjusted_close: barFields.adjusted_close,
        currency: Currency,
        basis: barFields.basis,
      }),
    )
    .describe('in the order of the requested symbols, and by day'),
  held: z
    .array(Symbol)
    .describe('symbols with a held action after the first day, which adjusted_close does not apply; /market/eod lists the actions of each'),
  unknown: z.array(Text).describe('symbols that no loaded directory lists and of which no bar is held'),
  without_bars: z.array(Text).describe('known symbols without a bar in these days'),
  ...envelope,
})
const EodAnswer = z.object({
  symbol: Symbol,
  currency: Currency.nullable().describe('of all prices; null if there is no bar'),
  convention: Convention,
  adjust: z.enum(['none', 'split', 'all']).describe('applied to open, high, low, close and volume; adjusted_close is always adjusted for all'),
  ...basisFields,
  held_actions: z
    .array(
      z.object({
        ...wireFacts(
          corporateActions.facts.pick({
            kind: true,
            ex_date: true,
            source_name: true,
            numerator: true,
            denominator: true,
            amount: true,
            currency: true,
          }),
        ),
        reason: Text.describe('needs_second_source, sources_disagree, price_basis_unknown …'),
        detail: Text.nullable(),
      }),
    )
    .describe('reported actions in doubt, which adjusted_close of these bars does not include: see corporate-actions'),
  order: z.enum(['asc', 'desc']),
  count: Count.describe('bars in this answer; 0 for an unknown symbol'),
  bars: z.array(z.object(barFields)),
  coverage: SymbolCoverage,
  ...envelope,
})
const RevisionsAnswer = z.object({
  symbol: Symbol,
  convention: Convention,
  count: Count,
  revisions: z
    .array(
      z.object({
        ...wireFacts(adjustmentFactors.facts.omit({ symbol: true, convention: true })),
        ...known,
        release: Release.describe('the first release that applied it'),
        withdrawn: z.boolean().describe('true: from this release on the factor no longer applies'),
        first_date: IsoDate.nullable().describe('first bar that it restates'),
        last_date: IsoDate.nullable().describe('last bar that it restates: the session before ex_date'),
        bars_restated: Count,
      }),
    )
    .describe('newest release first'),
  coverage: SymbolCoverage,
  ...envelope,
})
const Applied = z
  .object({
    status: z.enum([...VerdictStatus.options, 'no_price_effect']),
    reason: Text.nullable().describe('in_factor, needs_second_source, duplicate, ex_date_ahead …'),
    detail: Text.nullable(),
    price_factor: Real.nullable().describe('for all actions of the ex-date together: bars before it are multiplied by this'),
    previous_close: Real.nullable(),
    previous_close_date: IsoDate.nullable(),
  })
  .describe('the effect of the action on adjusted_close, or why it has none')
const Conversion = z.object({
  rate: Amount,
  rate_date: IsoDate.describe('the last publication before the ex-date; a later rate causes no restatement'),
  currency: Currency.nullable(),
  amount: Amount.describe('amount times rate, in the currency of the price'),
})
const ActionsAnswer = z.object({
  symbol: Symbol,
  currency: Currency.nullable().describe('of the prices'),
  count: Count,
  actions: z
    .array(
      z.object({
        ...wireFacts(corporateActions.facts.omit({ sequence: true })),
        kind: z.enum([...ActionKind.options, ...ListingEventKind.options]),
        ex_date: IsoDate.describe('first day on which the shares trade without it; of a listing event, its effective day'),
        amount_basis: corporateActions.facts.shape.amount_basis.nullable(),
        successor: Symbol.nullable().describe('rename, move, merger: the symbol that holders have afterwards'),
        predecessor: Symbol.nullable(),
        terms: Text.nullable().describe('of a listing event: in the words of its source, or what the directories show'),
        applied: Applied,
        fx: Conversion.nullable().describe('if the amount was declared in another currency than the price and is in the factor'),
        ...known,
      }),
    )
    .describe('by ex_date, newest first; amounts and currency as declared; numerator new shares for denominator old'),
  cash_applied: z
    .array(z.object({ currency: Currency.nullable(), count: Count, sum: Amount }))
    .describe(
      'cash of the applied actions listed here, each distribution once: dividends, specials, returns of capital and capital gains per share as declared, by currency. Held, repeated and cancelled actions are excluded',
    ),
  coverage: z.object({ status: z.enum(['read', 'none', 'not_loaded']), sentence: Text }).describe('if the list is empty, the reason'),
  ...envelope,
})

export const timeframes = ['1d', '5d', '1mo', '3mo', '6mo', '1y', '2y', '5y', '10y', '20y', 'max'] as const
const ChartAnswer = z.object({
  symbol: Symbol,
  timeframe: z.enum(timeframes),
  interval: z.enum(['5m', '15m', '1h', '1d', '1wk', '1mo']).describe('what one bar covers; the date of a bar is its first session'),
  interval_note: Text.nullable().describe('why 1d and 5d use daily bars, if they do; null otherwise'),
  currency: Currency,
  convention: Convention,
  adjust: z.enum(['none', 'splits', 'all']),
  scale: z
    .enum(['as_of_each_candle', 'as_of_now_splits', 'as_of_now_all'])
    .describe(
      'the share basis of prices and volume of a bar. as_of_each_candle: shares of its last session, so a split within a week or month divides the bars before it; as_of_now_splits: adjusted for later splits; as_of_now_all: adjusted for later splits and distributions',
    ),
  ...basisFields,
  count: Count,
  bars: z
    .array(
      z.object({
        date: barFields.date,
        start_at: Instant.optional().describe('start of a bar shorter than a day, UTC'),
        open: barFields.open,
        high: barFields.high,
        low: barFields.low,
        close: barFields.close,
        adjusted_close: barFields.adjusted_close,
        volume: barFields.volume,
        basis: barFields.basis,
        partial: z.boolean().optional().describe('for a bar shorter than a day; true: it had not ended when it was retrieved'),
      }),
    )
    .describe('oldest first'),
  coverage: SymbolCoverage,
  ...envelope,
})

export const marketOperations = [
  operation('get_quotes', 'GET /api/v1/market/quotes', {
    tag: 'Prices',
    access: 'public',
    summary: 'Delayed quotes of up to 30 symbols',
    description:
      'Quotes in the order of the request; symbols that no loaded directory lists are in unknown. If several sources quote a symbol, the first in the ruleset is used, unless another is newer by 15 minutes. If no source quotes a symbol, or none since the last close, the price is that of the last daily bar.',
    question: dataQuestion({ symbols: symbolList('1 to 30 symbols separated by commas', 30) }),
    answer: QuotesAnswer,
    rows: 'quotes',
    data: true,
    served_from: 'page',
    cache: 'quotes',
    repeat_ms: 1000,
    freshness: '15 minutes with a quote source, else 26 hours',
    agents: [research('prices', 'quotes', ['symbols'])],
    example: '/api/v1/market/quotes?symbols=GLPR.TO',
  }),
  operation('get_quote', 'GET /api/v1/market/quote/{ticker}', {
    tag: 'Prices',
    access: 'session',
    summary: 'Delayed quote of one symbol',
    description: 'As /api/v1/market/quotes, for one symbol; 404 if no price is held for it.',
    question: dataQuestion({ ticker: symbol() }),
    answer: QuoteAnswer,
    data: true,
    served_from: 'page',
    cache: 'quotes',
    repeat_ms: 1000,
    freshness: '15 minutes with a quote source, else 26 hours',
    example: '/api/v1/market/quote/GLPR.TO',
  }),
  operation('get_eod', 'GET /api/v1/market/eod/{symbol}', {
    tag: 'Prices',
    access: 'public',
    summary: 'End-of-day bars of one symbol',
    description:
      'Daily bars with adjusted_close. Other prices are unadjusted unless adjust is given. Without limit, all bars are returned. An unknown symbol returns 200 with count 0. adjusted_close is restated when an action becomes known: see revisions and corporate-actions.',
    question: dataQuestion({
      symbol: symbol(),
      from: day('first day').optional(),
      to: day('last day', '2024-12-31').optional(),
      order: oneOf('by date', ['asc', 'desc'], 'asc').default('asc'),
      limit: seriesLimit('bars', 250),
      adjust: oneOf('adjust open, high, low, close and volume: none, for splits, or for all actions', ['none', 'split', 'all'], 'none').default(
        'none',
      ),
    }),
    answer: EodAnswer,
    rows: 'bars',
    data: true,
    served_from: 'lake',
    freshness: '26 hours',
    agents: [research('prices', 'daily', ['symbol', 'from', 'to', 'order', 'adjust', 'limit'], { defaults: { order: 'desc', limit: 20 } })],
    example: '/api/v1/market/eod/GLPR.TO?from=2026-11-18',
  }),
  operation('list_closes', 'GET /api/v1/market/closes', {
    tag: 'Prices',
    access: 'public',
    curated: false,
    summary: 'Recent closes of up to 50 symbols',
    description:
      'One row per symbol and day: the close and the close adjusted for all actions, for the lines of a list or a chart of many symbols. Up to 366 days. The prices are those of /market/eod.',
    question: dataQuestion({
      symbols: symbolList('1 to 50 symbols separated by commas', 50),
      from: day('first day (default: 45 days before the last)').optional(),
      to: day('last day, at most 366 after the first (default: the day of the answer)', '2026-12-31').optional(),
    }),
    answer: ClosesAnswer,
    rows: 'closes',
    data: true,
    served_from: 'lake',
    cost: 2,
    freshness: '26 hours',
    agents: [research('prices', 'closes', ['symbols', 'from', 'to'])],
    example: '/api/v1/market/closes?symbols=GLPR.TO,GLPR&from=2026-11-18',
  }),
  operation('list_eod_revisions', 'GET /api/v1/market/eod/{symbol}/revisions', {
    tag: 'Prices',
    access: 'public',
    curated: false,
    summary: 'The restatement ledger of one symbol',
    description:
      'Each restatement of adjusted_close: the action, the range of bars, the factor, the first release that applied it, and when it became known.',
    question: dataQuestion({
      symbol: symbol(),
      from: day('first ex-date').optional(),
      to: day('last ex-date', '2024-12-31').optional(),
      limit: pageLimit(1000, 10_000),
    }),
    answer: RevisionsAnswer,
    rows: 'revisions',
    data: true,
    served_from: 'lake',
    freshness: '26 hours',
    example: '/api/v1/market/eod/GLPR.TO/revisions?from=2026-05-01&to=2026-05-31',
  }),
  operation('list_corporate_actions', 'GET /api/v1/market/corporate-actions/{symbol}', {
    tag: 'Fundamentals',
    access: 'public',
    summary: 'Corporate actions of one symbol',
    description:
      'Splits, dividends, spin-offs and other distributions as their sources reported them, digits and currency as declared. Each has its effect on prices: in the factor, held in quarantine with the reason, waiting, or cancelled. Listings, renames, moves, mergers and delistings are included. This is the ledger of reports: with type=cash and status=applied it lists each dividend once, and cash_applied is their sum.',
    question: dataQuestion({
      symbol: symbol(),
      from: day('first ex-date').optional(),
      to: day('last ex-date', '2024-12-31').optional(),
      type: oneOf('one kind only; cash: dividends, specials, returns of capital and capital gains', [
        ...ActionKind.options,
        ...ListingEventKind.options,
        'cash',
      ]).optional(),
      status: oneOf('only actions with this status; with applied, each distribution appears once', [
        ...VerdictStatus.options,
        'no_price_effect',
      ]).optional(),
    }),
    answer: ActionsAnswer,
    rows: 'actions',
    data: true,
    served_from: 'page',
    freshness: '26 hours',
    agents: [research('prices', 'actions', ['symbol', 'from', 'to', 'type'])],
    example: '/api/v1/market/corporate-actions/GLPR.TO?type=split',
  }),
  operation('get_chart', 'GET /api/v1/chart/{symbol}', {
    tag: 'Prices',
    access: 'session',
    summary: 'Price history of one symbol over a time frame',
    description:
      '1d has bars of five minutes and 5d of fifteen, in regular hours, if intraday bars are held; otherwise daily bars. Up to two years has daily bars, 5y and 10y weekly, 20y and max monthly. Prices other than adjusted_close are unadjusted unless adjust is given. A bar never mixes prices before and after a split.',
    question: dataQuestion({
      symbol: symbol(),
      timeframe: oneOf('how far back from the last session', timeframes, '1y').default('1y'),
      adjust: oneOf('adjust prices and volume: none, for splits, or for all actions', ['none', 'splits', 'all'], 'none').default('none'),
    }),
    answer: ChartAnswer,
    rows: 'bars',
    data: true,
    served_from: 'lake',
    freshness: '26 hours',
    example: '/api/v1/chart/GLPR.TO?timeframe=1d',
  }),
] as const
