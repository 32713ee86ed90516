// Quotes: the last quote of a listing by source. Daily bars never come from quotes, only from an end-of-day source.
import { z } from 'zod'
import { defineDataset, type RowOf, terms } from './dataset.ts'
import { Count, Currency, Flag, Instant, IsoDate, Real, Symbol, Text } from './values.ts'

/** The part of the venue's day in which the price was made. */
export const QuoteSession = z.enum(['pre', 'regular', 'post', 'closed']).meta({ column: 'VARCHAR' })
export type QuoteSession = z.infer<typeof QuoteSession>

/**
 * The meaning of `quoted_at`: `trade` the source prints the instant of the price; `asked` it prints none, so it is the latest possible
 * instant (the time of the request less the source's delay, at most the session's close); `day` it prints only the day, so it is that
 * session's close, or the time of the request if that was earlier.
 */
export const QuoteTimeBasis = z.enum(['trade', 'asked', 'day']).meta({ column: 'VARCHAR' })
export type QuoteTimeBasis = z.infer<typeof QuoteTimeBasis>

export const quotes = defineDataset('quotes', 'Quotes', terms('15 minutes', 'as of each source; most grant no redistribution'), {
  description:
    'The newest quote of each source, listing and session; older ones are versions of the same key, so the newest quote of a listing is the one with the latest quoted_at. Prices in `currency`, as the source gave them (minor_unit marks pence converted to pounds). quoted_at is the instant of the price, not of our request.',
  facts: {
    symbol: Symbol,
    source_name: Text,
    quoted_at: Instant, // the instant of the price
    time_basis: QuoteTimeBasis, // the origin of quoted_at
    session_date: IsoDate, // in the venue's time zone
    session: QuoteSession, // the part of the day of the price
    price: Real.nullable().describe('last trade, outside of regular hours too; null: the source gives a bid or an ask alone'),
    regular_price: Real.nullable().describe('last trade of the regular session, where price was made outside of it'),
    bid: Real.nullable(), // the best bid
    ask: Real.nullable(), // the best ask
    bid_size: Count.nullable().describe('in the unit of the source: shares or round lots'),
    ask_size: Count.nullable(), // in the unit of the source: shares or round lots
    book_at: Instant.nullable().describe('of the newer side of bid and ask, if the source prints it'),
    open: Real.nullable(),
    high: Real.nullable(),
    low: Real.nullable(),
    previous_close: Real.nullable(),
    volume: Count.nullable(),
    currency: Currency,
    minor_unit: Text.nullable().describe('the unit that the source printed, such as GBp, where prices were converted from it'),
    halted: Flag.nullable(), // null: the source does not report it
    delay_seconds: Count.nullable(), // the delay stated by the source
  },
  rows: { key: ['symbol', 'source_name', 'session_date'], time: 'session_date' },
})
export type Quote = RowOf<typeof quotes>
