// Listings and venues.

import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import { midnight } from '#schemas/days.ts'
import { BadRequest } from '#schemas/errors.ts'
import { exchangeOf } from '#schemas/spelling.ts'
import { type Built, originsOf, type ReleaseContext, sourceTitle, upstreamSources } from '../context/answer.ts'
import { findBars, spansOf } from '../datasets/bars/bars.ts'
import { findNearNames, type NearName } from '../datasets/symbols/near-names.ts'
import { type Interval, resolveListing, type SymbolIndex } from '../datasets/symbols/symbol-index.ts'
import {
  calendarOf,
  calendarYears,
  exchangeCalendarsPublished,
  exchangeCalendarsRuleset,
  halfDaysOf,
  holidaysOf,
  isSession,
  sessionsOf,
  venues,
} from '../rulesets/exchange-calendars/calendar.ts'
import { findUnlisted, symbolCoverage } from './listed.ts'
import { symbolPage } from './paged/symbols.ts'
import { listingOfCusip, requestedCusip } from './symbol-cusip.ts'
import type { Answers, AnyQuestion, QuestionOf, RequestedAt } from './types.ts'

const datasets = ['symbols'] as const

const listing = (row: Interval): object => ({
  symbol: row.symbol,
  name: row.name,
  exchange: row.exchange,
  mic: row.mic,
  type: row.type,
  currency: row.currency,
  cik: row.cik,
  instrument_id: row.instrument_id,
})

const startsAt = (row: Interval, needle: string): boolean => row.symbol.startsWith(needle) || row.name.toUpperCase().includes(needle)

async function buildSymbols({ symbols, lake }: ReleaseContext, question: QuestionOf<'list_symbols'>): Promise<Built> {
  const { cursor, limit, as_of: _asOf, release: _release, receipt: _receipt, ...filters } = question
  const after = cursor === undefined ? '' : String(decodeCursor(cursor, 'list_symbols', filters).after[0] ?? '')
  const near = question.match === 'near' ? nearNames(symbols, question.query) : null
  const needle = near === null ? question.query?.toUpperCase() : undefined
  const rows: Interval[] = []
  for (const symbol of near?.keys() ?? symbols.all) {
    if (symbol <= after) continue
    const row = symbols.find(symbol)
    if (!row || row.valid_to !== null) continue
    if (question.exchange !== undefined && row.exchange !== question.exchange) continue
    if (needle !== undefined && !startsAt(row, needle)) continue
    rows.push(row)
    if (rows.length > limit) break
  }
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    body: {
      count: page.length,
      symbols: page.map(row => ({ ...listing(row), listed_from: row.valid_from, ...near?.get(row.symbol) })),
      next_cursor: rows.length > limit && last ? encodeCursor('list_symbols', filters, lake.versionOf(datasets).release, [last.symbol]) : null,
    },
    sources: upstreamSources(page),
    origins: originsOf(page),
    datasets,
  }
}

/** What each listing that the query may mean matched by, in the order of symbols. Throws `BadRequest` without a query. */
function nearNames(symbols: SymbolIndex, query: string | undefined): Map<string, Pick<NearName, 'matched_name' | 'differing_letters'>> {
  if (query === undefined)
    throw new BadRequest('match=near needs a query', { hint: 'add query= with the name that is meant, for example query=lakes' })
  return new Map(
    findNearNames(symbols, query).map(({ symbol, matched_name, differing_letters }) => [symbol, { matched_name, differing_letters }] as const),
  )
}

/** The requested CUSIP, if the text is neither a symbol nor a known CIK. */
function cusipIn(symbols: ReleaseContext['symbols'], requested: string): string | null {
  if (symbols.find(requested.toUpperCase()) || (/^\d{1,10}$/.test(requested) && symbols.byCik(requested.padStart(10, '0')).length > 0)) return null
  return requestedCusip(requested)
}

/** A symbol with stored bars that no directory lists: the fields that bars provide, everything else null. */
async function unlistedSymbol(context: ReleaseContext, symbol: string, question: QuestionOf<'get_symbol'>): Promise<Built> {
  const bars = await findBars(context.lake, spansOf(context.symbols, symbol), { from: null, to: null }, question.as_of ?? null)
  const [first, last] = [bars[0], bars.at(-1)]
  const days = first && last ? { bars: bars.length, first_date: first.date, last_date: last.date } : { bars: 0, first_date: null, last_date: null }
  return {
    body: {
      symbol,
      name: null,
      exchange: exchangeOf(symbol),
      mic: null,
      type: null,
      currency: last?.currency ?? null,
      cik: context.issuers.cikOf(symbol),
      instrument_id: null,
      asked: question.symbol,
      alias_of: question.symbol === symbol ? null : symbol,
      issuer: null,
      listed: false,
      listed_from: null,
      listed_to: null,
      end_reason: null,
      successor: null,
      named_by: null,
      history: [],
      coverage: { ...symbolCoverage(context, symbol, bars.length), ...days },
    },
    sources: upstreamSources(bars),
    origins: originsOf(bars),
    datasets: ['symbols', 'issuer_tickers', 'bars', 'bar_corrections'],
  }
}

/** One symbol from any spelling, a CIK, a CUSIP or an ISIN; throws `NotFound` with the nearest ones. */
async function buildSymbol(context: ReleaseContext, question: QuestionOf<'get_symbol'>): Promise<Built> {
  const { symbols } = context
  const cusip = cusipIn(symbols, question.symbol)
  const named = cusip === null ? null : await listingOfCusip(context, cusip, question.as_of ?? null)
  const unlisted = named === null ? await findUnlisted(context, question.symbol) : null
  if (unlisted !== null) return await unlistedSymbol(context, unlisted, question)
  const row = named?.listing ?? resolveListing(symbols, question.symbol)
  const history = symbols.history(row.instrument_id)
  const last = history.at(-1) ?? row
  const alias = last.symbol !== row.symbol ? last.symbol : question.symbol === row.symbol ? null : row.symbol
  return {
    body: {
      ...listing(row),
      asked: question.symbol,
      alias_of: alias,
      issuer: row.issuer,
      listed: row.valid_to === null,
      listed_from: row.valid_from,
      listed_to: row.valid_to,
      end_reason: row.end_reason,
      successor: row.successor,
      named_by: named && { cusip: named.cusip, evidence: named.evidence, confidence: named.confidence },
      history: history.map(each => ({
        symbol: each.symbol,
        exchange: each.exchange,
        name: each.name,
        valid_from: each.valid_from,
        valid_to: each.valid_to,
        end_reason: each.end_reason,
        successor: each.successor,
        predecessor: each.predecessor,
        ...(each.successor === null && each.predecessor === null ? {} : { link_known_from: each.known_from, link_source: sourceTitle(each.source) }),
      })),
    },
    sources: upstreamSources([...history, ...(named?.rows ?? [])]),
    origins: originsOf([...history, ...(named?.rows ?? [])]),
    datasets: named ? ['symbols', 'issuer_tickers', 'holdings', 'holdings_reports', 'ownership_schedules'] : ['symbols'],
  }
}

/** The Bank of Canada's days without a rate: a separate calendar, of days on which Toronto may trade. */
function rateCalendars(year: number): object[] {
  const { from, to } = calendarYears('BOC')
  if (`${year}-01-01` < from || `${year}-12-31` > to) return []
  const days = holidaysOf('BOC', year).map(({ date, name }) => ({ date, name, exchange_open: isSession('TO', date) }))
  return [{ id: 'BOC', name: 'Bank of Canada daily exchange rates', published_at: '16:30', time_zone: 'America/Toronto', days_without_rate: days }]
}

/** Venues of a year; without `year`, the year of the request. */
async function buildExchanges(_context: ReleaseContext, question: QuestionOf<'list_exchanges'>, now: string): Promise<Built> {
  const year = question.year ?? Number(now.slice(0, 4))
  const byExchange = new Map<string, ReturnType<typeof venues>>()
  for (const venue of venues()) byExchange.set(venue.exchange, [...(byExchange.get(venue.exchange) ?? []), venue])
  const exchanges = [...byExchange].map(([exchange, list]) => {
    const [venue] = list as [(typeof list)[number]]
    const calendar = calendarOf(venue.exchange)
    return {
      exchange,
      name: list.map(each => each.name).join(', '),
      suffix: venue.suffix,
      mics: list.map(each => each.mic),
      country: venue.country,
      currency: venue.currency,
      time_zone: venue.time_zone,
      opens: venue.open,
      closes: venue.close,
      sessions: sessionsOf(calendar, `${year}-01-01`, `${year}-12-31`).length,
      holidays: holidaysOf(calendar, year).map(({ date, name, scheduled }) => ({ date, name, scheduled })),
      half_days: halfDaysOf(calendar, year).map(({ date, name, close }) => ({ date, name, closes: close })),
    }
  })
  // The calendars are a ruleset, not lake data: the answer's day is the day of its publication.
  return {
    body: { year, ruleset: exchangeCalendarsRuleset, count: exchanges.length, exchanges, rate_calendars: rateCalendars(year) },
    sources: [],
    origins: [],
    datasets: [],
    as_of: midnight(exchangeCalendarsPublished),
  }
}

const inTheYear = (question: AnyQuestion, { now }: RequestedAt): AnyQuestion =>
  question['year'] === undefined ? { ...question, year: Number(now.slice(0, 4)) } : question

export const symbolAnswers = {
  list_symbols: { build: buildSymbols },
  get_symbol: { build: buildSymbol, page: symbolPage },
  list_exchanges: { build: buildExchanges, complete: inTheYear },
} satisfies Answers
