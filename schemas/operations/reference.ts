// Listings, venues and their hours.
import { z } from 'zod'
import { envelope, NearestSymbols, NextCursor, wireFacts } from '../answer.ts'
import { EndReason, InstrumentType, symbols } from '../symbols.ts'
import { Cik, Count, Currency, Cusip, Exchange, Instant, Int, IsoDate, Symbol, Text } from '../values.ts'
import { dataQuestion, operation, research } from './operation.ts'
import { cursor, integer, oneOf, pageLimit, text } from './parameters.ts'
import { exchangeWords } from './suggestions.ts'

const Listing = {
  symbol: Symbol,
  name: Text,
  exchange: Exchange.describe('US, TO (Toronto) or V (TSX Venture)'),
  mic: Text.nullable().describe('ISO 10383 of the listing venue'),
  type: InstrumentType,
  currency: Currency,
  cik: Cik.nullable(),
  instrument_id: Text.describe('stays the same through renames'),
}
const SymbolsAnswer = z.object({
  count: Count.describe('symbols on this page'),
  symbols: z.array(
    z.object({
      ...Listing,
      listed_from: IsoDate.describe('first day on which we saw it listed'),
      matched_name: Text.optional().describe('with match=near: the name, former name or symbol that the query is near'),
      differing_letters: Count.optional().describe('with match=near: letters in which query and matched_name differ'),
    }),
  ),
  next_cursor: NextCursor,
  ...envelope,
})
export const SymbolAnswer = z.object({
  ...Listing,
  name: Text.nullable().describe('null if no directory lists the symbol and only its bars are held'),
  type: InstrumentType.nullable(),
  currency: Currency.nullable(),
  instrument_id: Text.nullable().describe('stays the same through renames; null if no directory lists the symbol'),
  asked: Text.describe('the requested text'),
  alias_of: Symbol.nullable().describe('the canonical symbol, if the requested text is another spelling or an old symbol'),
  issuer: Text.nullable(),
  listed: z.boolean().describe('listed under this symbol at as_of'),
  listed_from: IsoDate.nullable(),
  listed_to: IsoDate.nullable(),
  end_reason: EndReason.nullable(),
  successor: Symbol.nullable().describe('the symbol that the instrument took next'),
  named_by: z
    .object({
      cusip: Cusip,
      evidence: z.enum(['13F', 'SCHEDULE 13D/13G']).describe('the filings that print the CUSIP with the issuer'),
      confidence: z.number(),
    })
    .nullable()
    .describe('for a requested CUSIP or ISIN: the evidence that it identifies this listing'),
  history: z
    .array(
      z.object({
        ...wireFacts(
          symbols.facts.pick({
            symbol: true,
            exchange: true,
            name: true,
            valid_from: true,
            valid_to: true,
            end_reason: true,
            successor: true,
            predecessor: true,
          }),
        ),
        link_known_from: Instant.optional().describe(
          'when the link to successor or predecessor became known: time of the document that shows both; omitted if there is no link',
        ),
        link_source: Text.optional().describe('source of that document'),
      }),
    )
    .describe('every interval of this instrument, oldest first'),
  coverage: z
    .object({
      status: z.enum(['not_listed', 'not_loaded']),
      sentence: Text,
      nearest: NearestSymbols,
      bars: Count,
      first_date: IsoDate.nullable().describe('day of the first stored bar'),
      last_date: IsoDate.nullable().describe('day of the last stored bar'),
    })
    .optional()
    .describe('the stored data of a symbol that no directory lists; omitted if one lists it'),
  ...envelope,
})
const SessionTime = Text.describe('HH:MM in time_zone')
const ExchangesAnswer = z.object({
  year: Int,
  ruleset: Text.describe('the calendars used'),
  count: Count,
  exchanges: z.array(
    z.object({
      exchange: Exchange,
      name: Text,
      suffix: Text.describe('suffix of its symbols; empty for US'),
      mics: z.array(Text),
      country: Text.describe('ISO 3166-1 alpha-2'),
      currency: Currency,
      time_zone: Text,
      opens: SessionTime,
      closes: SessionTime,
      sessions: Count.describe('trading days of the year'),
      holidays: z.array(
        z.object({
          date: IsoDate,
          name: Text,
          scheduled: z.boolean().describe('false: an unscheduled closing, such as a day of mourning'),
        }),
      ),
      half_days: z.array(z.object({ date: IsoDate, name: Text, closes: SessionTime })),
    }),
  ),
  rate_calendars: z
    .array(
      z.object({
        id: Text,
        name: Text,
        published_at: SessionTime,
        time_zone: Text,
        days_without_rate: z.array(
          z.object({
            date: IsoDate,
            name: Text,
            exchange_open: z.boolean().describe('true: Toronto trades that day, at the rate of the day before'),
          }),
        ),
      }),
    )
    .describe('publishers of exchange rates, which have separate holidays'),
  ...envelope,
})

const years = integer('calendar year of holidays and half days', 1990, 2100, { example: 2026 })

/** Parameters that agents' tools take. */
const searched = ['query', 'match', 'exchange', 'limit', 'cursor'] as const

export const referenceOperations = [
  operation('list_symbols', 'GET /api/v1/market/symbols', {
    tag: 'Reference',
    access: 'public',
    summary: 'Listed symbols of a venue',
    description:
      'Symbols listed at as_of, by symbol. query matches the beginning of a symbol or a part of a name. match=near finds misspelled names, former names and names whose words are joined or split otherwise; it needs a query.',
    question: dataQuestion({
      exchange: oneOf('venue code', ['US', 'TO', 'V'], undefined, exchangeWords).optional(),
      query: text('beginning of a symbol, or part of a name', 64, 'lakes').optional(),
      match: oneOf('contains: the text as it is (default); near: names that may be meant by it', ['contains', 'near']).optional(),
      limit: pageLimit(100, 1000),
      cursor,
    }),
    answer: SymbolsAnswer,
    rows: 'symbols',
    data: true,
    served_from: 'lake',
    freshness: '26 hours',
    cursor_key: ['text'],
    agents: [
      { endpoint: 'research', tool: 'find_company', view: 'search', takes: searched, defaults: { limit: 20 } },
      { endpoint: 'mineral', tool: 'mining_issuers', view: 'name', takes: searched, defaults: { limit: 20 } },
    ],
    example: '/api/v1/market/symbols?exchange=TO&limit=1',
  }),
  operation('get_symbol', 'GET /api/v1/market/symbols/{symbol}', {
    tag: 'Reference',
    access: 'public',
    summary: 'One symbol, resolved from any spelling',
    description:
      'Accepts RY.TO, RY:CA, TSX:RY, a CIK, an old symbol, a CUSIP or an ISIN of the United States or Canada that filings print. Returns the canonical symbol, its listing, and every symbol that the instrument has had.',
    question: dataQuestion({ symbol: text('symbol in any usual spelling, or a CIK', 32, 'TSX:GLPR') }),
    answer: SymbolAnswer,
    rows: 'history',
    data: true,
    served_from: 'page',
    freshness: '26 hours',
    agents: [research('find_company', 'listing', ['symbol'])],
    example: '/api/v1/market/symbols/TSX:GLPR',
  }),
  operation('list_exchanges', 'GET /api/v1/market/exchanges', {
    tag: 'Reference',
    access: 'public',
    summary: 'Venues, their hours, holidays and half days',
    description: 'Session hours in the local time of the venue; holidays and half days of one year (default: this year).',
    question: dataQuestion({ year: years.optional() }),
    answer: ExchangesAnswer,
    rows: 'exchanges',
    data: true,
    served_from: 'page',
    repeat_ms: 600_000, // the default year is the current one
    freshness: 'yearly',
    agents: [research('coverage', 'venues', ['year'])],
    example: '/api/v1/market/exchanges?year=2026',
  }),
] as const
