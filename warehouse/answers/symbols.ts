// Listings and venues.
import { decodeCursor, encodeCursor } from '#schemas/cursor.ts'
import { calendarOf, exchangeCalendarsPublished, halfDaysOf, holidaysOf, venues } from '../rulesets/exchange-calendars/calendar.ts'
import { type Interval, resolveListing } from '../symbols/symbol-index.ts'
import { type Built, type Ground, originsOf, upstreamSources } from './answer.ts'
import type { QuestionOf } from './types.ts'

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

export async function buildSymbols({ symbols, lake }: Ground, question: QuestionOf<'list_symbols'>): Promise<Built> {
  const { cursor, limit, as_of: _asOf, release: _release, receipt: _receipt, ...filters } = question
  const after = cursor === undefined ? '' : String(decodeCursor(cursor, 'list_symbols', filters).after[0] ?? '')
  const needle = question.query?.toUpperCase()
  const rows: Interval[] = []
  for (const symbol of symbols.all) {
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
      symbols: page.map(row => ({ ...listing(row), listed_from: row.valid_from })),
      next_cursor: rows.length > limit && last ? encodeCursor('list_symbols', filters, lake.versionOf(datasets).release, [last.symbol]) : null,
    },
    sources: upstreamSources(page),
    origins: originsOf(page),
    datasets,
  }
}

/** One symbol from any spelling; throws `NotFound` with the nearest ones. */
export async function buildSymbol({ symbols }: Ground, question: QuestionOf<'get_symbol'>): Promise<Built> {
  const row = resolveListing(symbols, question.symbol)
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
      history: history.map(each => ({
        symbol: each.symbol,
        exchange: each.exchange,
        name: each.name,
        valid_from: each.valid_from,
        valid_to: each.valid_to,
        end_reason: each.end_reason,
        successor: each.successor,
        predecessor: each.predecessor,
      })),
    },
    sources: upstreamSources(history),
    origins: originsOf(history),
    datasets: ['symbols'],
  }
}

/** Venues of a year; `year` comes from the asker's clock where the question leaves it out. */
export async function buildExchanges(_ground: Ground, question: QuestionOf<'list_exchanges'>, now: string): Promise<Built> {
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
      holidays: holidaysOf(calendar, year).map(({ date, name }) => ({ date, name })),
      half_days: halfDaysOf(calendar, year).map(({ date, name, close }) => ({ date, name, closes: close })),
    }
  })
  // The calendars are a ruleset, not the lake's: the answer stands at the day of its publication.
  return {
    body: { year, count: exchanges.length, exchanges },
    sources: [],
    origins: [],
    datasets: [],
    as_of: `${exchangeCalendarsPublished}T00:00:00Z`,
  }
}
