// Intraday bars, raw as traded, in UTC with the venue's session. Prices are adjusted on reading by the factor of the session's date.
import { z } from 'zod'
import { pricesOfBar } from './bars.ts'
import { defineDataset, type RowOf, terms } from './dataset.ts'
import { Flag, Instant, IsoDate, Symbol, Text } from './values.ts'

/** The time that one stored bar covers. Requests may use all of them except 30m, which only some sources print. */
export const BarInterval = z.enum(['1m', '5m', '15m', '30m', '1h']).meta({ column: 'VARCHAR' })
export type BarInterval = z.infer<typeof BarInterval>
export const intervalSeconds: Readonly<Record<BarInterval, number>> = { '1m': 60, '5m': 300, '15m': 900, '30m': 1800, '1h': 3600 }

/** The part of the venue's day in which a bar begins; bars outside of all parts are not stored. */
export const BarSession = z.enum(['pre', 'regular', 'post']).meta({ column: 'VARCHAR' })
export type BarSession = z.infer<typeof BarSession>

export const intradayBars = defineDataset('intraday_bars', 'Intraday bars', terms('30 minutes', 'as of each source; most grant no redistribution'), {
  description:
    'One unadjusted bar per source, symbol, interval and begin. A bar that was taken before its end is partial, and superseded by the whole one. Minutes without a trade have no row.',
  facts: {
    symbol: Symbol,
    interval: BarInterval, // the length of the bar
    start_at: Instant.describe('begin of the bar'),
    session_date: IsoDate, // in the venue's time zone
    session: BarSession, // the part of the day
    ...pricesOfBar,
    partial: Flag.describe('true: taken before the end of the bar'),
    source_name: Text,
  },
  rows: { key: ['symbol', 'session_date', 'interval', 'start_at', 'source_name'], time: 'session_date' },
})
export type IntradayBar = RowOf<typeof intradayBars>
