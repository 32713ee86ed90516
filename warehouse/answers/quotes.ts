// Quotes from the last daily bar, until a quote source is configured. The age of a price is counted from the answer's as_of.
import type { Source } from '#schemas/answer.ts'
import { type BarRow, findLastBars } from '../bars/bars.ts'
import { calendarOf, sessionHours } from '../rulesets/exchange-calendars/calendar.ts'
import { type Built, type Ground, originsOf, rounded, upstreamSources } from './answer.ts'
import type { QuestionOf } from './types.ts'

const datasets = ['bars', 'bar_corrections', 'symbols'] as const
/** A quote older than this says so. */
const staleSeconds = 900

type Quoted = {
  readonly quotes: readonly object[]
  readonly unknown: readonly string[]
  readonly rows: readonly BarRow[]
  readonly sources: readonly Source[]
}

const exchangeOf = (symbol: string): 'US' | 'TO' | 'V' => (symbol.endsWith('.TO') ? 'TO' : symbol.endsWith('.V') ? 'V' : 'US')

/** The close of a session as an instant; a bar on a day that the calendar does not know stands at midnight UTC after it. */
function quotedAt(symbol: string, date: string): string {
  const hours = sessionHours(calendarOf(exchangeOf(symbol)), date)
  return hours?.close_at ?? `${new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`
}

function quoteOf(last: BarRow, previous: BarRow | undefined, at: string): object {
  const quoted_at = quotedAt(last.symbol, last.date)
  const lag = Math.max(0, Math.round((Date.parse(at) - Date.parse(quoted_at)) / 1000))
  const change = previous ? last.close - previous.close : null
  return {
    symbol: last.symbol,
    price: last.close,
    currency: last.currency,
    open: last.open,
    high: last.high,
    low: last.low,
    previous_close: previous?.close ?? null,
    change: change === null ? null : rounded(change),
    change_pct: change === null || !previous || previous.close === 0 ? null : rounded((change / previous.close) * 100),
    volume: last.volume,
    session_date: last.date,
    quoted_at,
    data_lag_seconds: lag,
    ...(lag > staleSeconds ? { stale: true } : {}),
    basis: 'last_bar',
    source: last.source,
  }
}

async function quoted({ lake }: Ground, symbols: readonly string[], asOf: string, known: string | null): Promise<Quoted> {
  const rows = await findLastBars(lake, symbols, known)
  const bySymbol = new Map<string, BarRow[]>()
  for (const row of rows) bySymbol.set(row.symbol, [...(bySymbol.get(row.symbol) ?? []), row])
  const found = symbols.filter(symbol => bySymbol.has(symbol))
  return {
    quotes: found.map(symbol => {
      const [last, previous] = bySymbol.get(symbol) as [BarRow, BarRow?]
      return quoteOf(last, previous, asOf)
    }),
    unknown: symbols.filter(symbol => !bySymbol.has(symbol)),
    rows,
    sources: upstreamSources(rows),
  }
}

/** `now` is the instant of asking: it dates the answer where the question gives no as_of. */
export async function buildQuotes(ground: Ground, question: QuestionOf<'get_quotes'>, now: string): Promise<Built> {
  const at = question.as_of ?? now
  const { quotes, unknown, rows, sources } = await quoted(ground, question.symbols, at, question.as_of ?? null)
  return { body: { count: quotes.length, quotes, unknown }, sources, origins: originsOf(rows), datasets, as_of: at }
}

/** One quote; null where we hold no price of the symbol. */
export async function buildQuote(ground: Ground, question: QuestionOf<'get_quote'>, now: string): Promise<Built | null> {
  const at = question.as_of ?? now
  const { quotes, rows, sources } = await quoted(ground, [question.ticker], at, question.as_of ?? null)
  const [quote] = quotes
  return quote === undefined ? null : { body: quote, sources, origins: originsOf(rows), datasets, as_of: at }
}
