// Intraday bars.
import { z } from 'zod'
import { envelope, NextCursor } from '../answer.ts'
import { Coverage } from '../coverage.ts'
import { BarInterval, BarSession } from '../intraday.ts'
import { Count, Currency, Instant, IsoDate, Real, Symbol, Text } from '../values.ts'
import { dataQuestion, operation, research } from './operation.ts'
import { cursor, day, oneOf, pageLimit, symbol } from './parameters.ts'
import { intervalWords } from './suggestions.ts'

const requestedIntervals = ['1m', '5m', '15m', '1h'] as const

const IntradayAnswer = z.object({
  symbol: Symbol,
  interval: z.enum(requestedIntervals),
  made_from: z.array(BarInterval).describe('the stored intervals that the bars are built from'),
  currency: Currency.nullable().describe('of all prices; null if there is no bar'),
  convention: Text.describe('how adjusted_close is made: yahoo_crsp = Yahoo/CRSP multipliers'),
  adjust: z.enum(['none', 'split', 'all']).describe('applied to open, high, low, close and volume, by the factor of the session'),
  count: Count.describe('bars on this page'),
  bars: z
    .array(
      z.object({
        start_at: Instant.describe('start of the bar, UTC'),
        session_date: IsoDate.describe('trading day in the time zone of the venue'),
        session: BarSession.describe('pre-market, regular hours or post-market'),
        open: Real.nullable(),
        high: Real.nullable(),
        low: Real.nullable(),
        close: Real,
        adjusted_close: Real,
        volume: Real.nullable().describe('shares; null if the source covers only a single venue'),
        partial: z.boolean().describe('true: the bar had not ended when it was retrieved'),
      }),
    )
    .describe('oldest first; minutes without a trade have no bar'),
  coverage: Coverage,
  next_cursor: NextCursor,
  ...envelope,
})

export const intradayOperations = [
  operation('get_intraday', 'GET /api/v1/market/intraday/{symbol}', {
    tag: 'Prices',
    access: 'public',
    summary: 'Intraday bars of one symbol',
    description:
      'Bars of a minute to an hour, with the session and a flag for a bar retrieved before its end. Prices other than adjusted_close are unadjusted unless adjust is given. Without from and to, the last session held is returned. Intervals that no source provides are built from finer ones, counted from the start of the session. Intraday bars are stored for tracked symbols only: coverage states what is held.',
    question: dataQuestion({
      symbol: symbol(),
      interval: oneOf('what one bar covers', requestedIntervals, '5m', intervalWords).default('5m'),
      from: day('first session').optional(),
      to: day('last session', '2024-12-31').optional(),
      session: oneOf('regular hours only, or all', ['all', 'regular'], 'all').default('all'),
      adjust: oneOf('adjust open, high, low, close and volume: none, for splits, or for all actions', ['none', 'split', 'all'], 'none').default(
        'none',
      ),
      limit: pageLimit(1000, 5000),
      cursor,
    }),
    answer: IntradayAnswer,
    rows: 'bars',
    data: true,
    served_from: 'lake',
    cache: 'quotes',
    freshness: '30 minutes',
    cursor_key: ['instant'],
    agents: [research('prices', 'intraday', ['symbol', 'interval', 'from', 'to', 'limit', 'cursor'], { defaults: { limit: 40 } })],
    example: '/api/v1/market/intraday/GLPR.TO?interval=15m&limit=3',
  }),
] as const
