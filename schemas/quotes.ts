// Quotes: what a source last said of a listing. Never a bar: a day's bar comes from an end-of-day source alone.
import { z } from 'zod'
import { defineDataset, type RowOf } from './dataset.ts'
import { Count, Currency, Flag, Instant, IsoDate, Real, Symbol, Text } from './values.ts'

/** Where in the venue's day the price was made. */
export const QuoteSession = z.enum(['pre', 'regular', 'post', 'closed']).meta({ column: 'VARCHAR' })
export type QuoteSession = z.infer<typeof QuoteSession>

export const quotes = defineDataset({
  name: 'quotes',
  title: 'Quotes',
  description:
    'The newest quote of each source for a listing; older ones are versions of the same key. Prices in `currency`, as the source gave them. quoted_at is the instant of the last trade (or of the newer side), not of our asking.',
  facts: {
    symbol: Symbol,
    source_name: Text,
    quoted_at: Instant,
    session_date: IsoDate, // in the venue's time zone
    session: QuoteSession,
    price: Real.nullable(), // last trade
    bid: Real.nullable(),
    ask: Real.nullable(),
    bid_size: Count.nullable(),
    ask_size: Count.nullable(),
    open: Real.nullable(),
    high: Real.nullable(),
    low: Real.nullable(),
    previous_close: Real.nullable(),
    volume: Count.nullable(),
    currency: Currency,
    halted: Flag.nullable(), // null: the source does not say
    delay_seconds: Count.nullable(), // by how much the source says that it delays
  },
  key: ['symbol', 'source_name'],
  order: ['symbol', 'source_name'],
  time: 'session_date',
  freshness: '15 minutes',
  licence: 'as of each source; most grant no redistribution',
})
export type Quote = RowOf<typeof quotes>
