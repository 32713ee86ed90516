import { addDays } from '#schemas/days.ts'
import { dollarSymbol } from '#schemas/fx.ts'
import type { QuoteSession, QuoteTimeBasis } from '#schemas/quotes.ts'
import { arbRules } from '../../rulesets/arb/rules.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { sqlIn } from '../../store/sql-files.ts'
import { easternDay, lastClose } from './market-hours.ts'

const statements = sqlIn(import.meta.dirname, ['find-quotes', 'find-last-closes', 'find-actions', 'find-rates'])

type Origin = { readonly source: string; readonly known_from: string; readonly raw_sha256: string }
export type QuoteRow = Origin & {
  readonly symbol: string
  readonly source_name: string
  readonly quoted_at: string
  readonly time_basis: QuoteTimeBasis
  readonly book_at: string | null
  readonly session_date: string
  readonly session: QuoteSession
  readonly price: number | null
  readonly regular_price: number | null
  readonly bid: number | null
  readonly ask: number | null
  readonly currency: string
  readonly halted: boolean | null
  readonly delay_seconds: number | null
}
export type CloseRow = Origin & { readonly symbol: string; readonly date: string; readonly close: number; readonly currency: string }
export type ActionRow = Origin & { readonly symbol: string; readonly kind: string; readonly ex_date: string; readonly source_name: string }
export type RateRow = Origin & {
  readonly base_currency: string
  readonly quote_currency: string
  readonly date: string
  readonly rate: string
  readonly series: string
}
export type ArbInputs = {
  readonly quotes: ReadonlyMap<string, readonly QuoteRow[]>
  readonly closes: ReadonlyMap<string, CloseRow>
  readonly actions: ReadonlyMap<string, readonly ActionRow[]>
  readonly rate: RateRow | null
}

/** Up to this many keys, a statement lists its symbols and skips the row groups of all others. */
const keysAtOnce = 60
async function inBatches<T>(symbols: readonly string[], ask: (batch: readonly string[]) => Promise<T[]>): Promise<T[]> {
  const batches = Array.from({ length: Math.ceil(symbols.length / keysAtOnce) }, (_, at) => symbols.slice(at * keysAtOnce, (at + 1) * keysAtOnce))
  return (await Promise.all(batches.map(ask))).flat()
}

/** True if no daily bar of the line can be newer: a quote of the regular session, made since the last close. */
const isQuotedSinceClose = (rows: readonly QuoteRow[], close: string): boolean =>
  rows.some(row => row.session === 'regular' && row.price !== null && Date.parse(row.quoted_at) >= Date.parse(close))

/** Reads everything about some lines that was known at `asOf` (null: all of the release); `at` bounds how old a price may be. */
export async function readArbInputs(lake: Lake, symbols: readonly string[], at: string, asOf: string | null): Promise<ArbInputs> {
  const until = easternDay(at)
  const since = addDays(until, -arbRules.last_bar_max_days)
  const days = { since, until, as_of: asOf }
  const opened = { time: since }
  const [rows, actions, rates] = await Promise.all([
    inBatches([...symbols, dollarSymbol], batch =>
      lake.query<QuoteRow>(statements['find-quotes'], days, { quotes: batch }, { since: { quotes: opened } }),
    ),
    inBatches(symbols, batch =>
      lake.query<ActionRow>(statements['find-actions'], days, { corporate_actions: batch }, { since: { corporate_actions: opened } }),
    ),
    lake.query<RateRow>(statements['find-rates'], days, { fx_rates: 'all' }, { since: { fx_rates: opened } }),
  ])
  const quotes = Map.groupBy(rows, row => row.symbol)
  const unquoted = symbols.filter(symbol => !isQuotedSinceClose(quotes.get(symbol) ?? [], lastClose(symbol, at)))
  const closes = await inBatches(unquoted, batch =>
    lake.query<CloseRow>(
      statements['find-last-closes'],
      days,
      { bars: batch, bar_corrections: batch },
      { since: { bars: opened, bar_corrections: opened } },
    ),
  )
  return {
    quotes,
    closes: new Map(closes.map(row => [row.symbol, row])),
    actions: Map.groupBy(actions, row => row.symbol),
    rate: rates[0] ?? null,
  }
}
