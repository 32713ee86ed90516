// Notable moves of a listing with what was known before them, by timestamps only. That something was known before a move does not show what
// moved the price, and the answer states no cause.
import type { AnnotationRequest } from '#schemas/annotations.ts'
import { demoTicker } from '#schemas/annotations.ts'
import { addDays, dayMs, midnight } from '#schemas/days.ts'
import { CrossfileError } from '#schemas/errors.ts'
import { exchangeOf, parseSymbol } from '#schemas/spelling.ts'
import { type Built, digits, type ReleaseContext } from '../context/answer.ts'
import { issuerCik } from '../context/issuer.ts'
import { rounded } from '../context/rounded.ts'
import { findFactors, findPrices, spansOf } from '../datasets/bars/bars.ts'
import { searchFilings } from '../datasets/filings/filings.ts'
import { type Interval, resolveListing } from '../datasets/symbols/symbol-index.ts'
import { type Close, type Move, movesOf } from '../rules/annotations/moves.ts'
import { type AnnotationRules, annotationRules } from '../rulesets/annotations/rules.ts'
import { calendarOf, sessionHours } from '../rulesets/exchange-calendars/calendar.ts'
import { printedBars, sourcesOf } from './eod.ts'
import { filingSources } from './filings.ts'

type Item = {
  readonly kind: 'headline' | 'filing'
  readonly from: 'request' | 'lake'
  readonly known_at: string
  readonly title: string | null
  readonly form: string | null
  readonly accession: string | null
  readonly source: string | null
  readonly url: string | null
}
type Series = {
  readonly rows: readonly Close[]
  readonly from: 'request' | 'lake' | 'none'
  readonly sources: Built['sources']
  readonly printed: (at: number) => object | number
}
const datasets = ['bars', 'bar_corrections', 'adjustment_factors', 'symbols', 'filings', 'issuer_tickers', 'insider_filings'] as const
const noSeries: Series = { rows: [], from: 'none', sources: [], printed: () => 0 }

/**
 * `now`: the current instant for market data; nothing later is listed. `bundled`: the installation serves the bundled universe, in which
 * DEMO is an alias. Throws `NotFound` for an unknown ticker if the request contains no prices.
 */
export async function buildAnnotations(context: ReleaseContext, request: AnnotationRequest, now: string, bundled: boolean): Promise<Built> {
  const rules = annotationRules
  const { listing, demo } = listingOf(context, request, bundled, rules)
  const symbol = listing?.symbol ?? null
  const today = now.slice(0, 10)
  const series = request.price_series
    ? givenSeries(request.price_series)
    : listing
      ? await heldSeries(context, listing, addDays(today, -rules.lake_days), today)
      : noSeries
  const { moves, evaluated, volatility } = movesOf(series.rows, rules)
  const shown = moves.slice(-rules.most_moves).toReversed()
  const venue = calendarOf(symbol === null ? 'US' : exchangeOf(symbol))
  const own = await heldFilings(context, listing, shown, rules, now)
  const items = [...givenItems(request, own.items), ...own.items].filter(item => item.known_at <= now).sort(byKnown)
  const annotations = shown.map(move => annotated(move, series, items, venue, rules))
  const [first, last] = [series.rows[0], series.rows.at(-1)]
  return {
    body: {
      ticker: request.ticker,
      symbol,
      demo,
      rule: {
        ruleset: rules.ruleset,
        statement: `A move is listed if its return from the close before is at least ${rules.threshold} times the sample standard deviation of the ${rules.returns_before} returns before it (at least ${rules.least_returns}). The order in time is all that is stated.`,
        returns_before: rules.returns_before,
        least_returns: rules.least_returns,
        threshold: rules.threshold,
        known_before_days: rules.known_before_days,
      },
      series: {
        from: series.from,
        basis: series.from === 'none' ? null : series.from === 'request' ? 'as_given' : 'adjusted_close',
        first: first?.date ?? null,
        last: last?.date ?? null,
        count: series.rows.length,
        evaluated,
        volatility_pct: volatility === null ? null : rounded(volatility * 100),
      },
      count: annotations.length,
      annotations,
      notes: notesOf(request, series, { symbol, demo, evaluated, hidden: moves.length - shown.length, known: listing !== null }, rules),
      not_advice: true,
    },
    sources: [...series.sources, ...own.sources(annotations.flatMap(move => [...move.known_before, ...move.within_interval]))],
    origins: [],
    datasets,
  }
}

function listingOf(
  context: ReleaseContext,
  request: AnnotationRequest,
  bundled: boolean,
  rules: AnnotationRules,
): { readonly listing: Interval | null; readonly demo: boolean } {
  const parsed = parseSymbol(request.ticker)
  const own = parsed ? context.symbols.find(parsed.symbol) : null
  if (own) return { listing: own, demo: false }
  if (request.ticker.trim().toUpperCase() === demoTicker) return { listing: bundled ? context.symbols.find(rules.demo_symbol) : null, demo: true }
  // A request with prices needs no listing.
  return { listing: request.price_series === null ? resolveListing(context.symbols, request.ticker) : null, demo: false }
}

function givenSeries(rows: NonNullable<AnnotationRequest['price_series']>): Series {
  return {
    rows: rows.map(({ date, close }) => ({ date, close: Number(close) })),
    from: 'request',
    sources: [],
    printed: at => digits(rows[at]?.close) ?? 0,
  }
}

async function heldSeries(context: ReleaseContext, listing: Interval, from: string, to: string): Promise<Series> {
  const spans = spansOf(context.symbols, listing.symbol)
  const [prices, factors] = await Promise.all([findPrices(context.lake, spans, { from, to }, null), findFactors(context.lake, spans, to, null)])
  const rows = printedBars(prices, factors, 'none', to).flatMap(({ date, adjusted_close: close }) => (close > 0 ? [{ date, close }] : []))
  return { rows, from: rows.length === 0 ? 'none' : 'lake', sources: sourcesOf(prices, factors), printed: at => rows[at]?.close ?? 0 }
}

async function heldFilings(context: ReleaseContext, listing: Interval | null, moves: readonly Move[], rules: AnnotationRules, now: string) {
  const [newest, oldest] = [moves[0], moves.at(-1)]
  const cik = listing ? issuerCik(context, listing.symbol) : null
  if (cik === null || !newest || !oldest) return { items: [], sources: () => [] }
  const filings = await searchFilings(
    context.lake,
    {
      ciks: [cik],
      forms: [],
      prefixes: [],
      amendments: 'any',
      // A filing is known on the day of filing, or on the day before if it was accepted in the evening.
      from: addDays(oldest.previous_date, -rules.known_before_days - 3),
      to: addDays(newest.date, 3),
      items: [],
      words: [],
      after: null,
      as_of: now,
      limit: 2_000,
    },
    null,
  )
  const items = filings.map(
    (filing): Item => ({
      kind: 'filing',
      from: 'lake',
      known_at: filing.accepted_at ?? filing.known_from,
      title: filing.primary_description,
      form: filing.form,
      accession: filing.accession,
      source: null,
      url: filing.url,
    }),
  )
  return {
    items,
    sources: (listed: readonly Item[]) => {
      const named = new Set(listed.map(item => item.accession))
      return filingSources(filings.filter(filing => named.has(filing.accession)))
    },
  }
}

/** The lists of the request; a filing that is also stored is listed once, with the stored data. */
function givenItems({ headlines, filings }: AnnotationRequest, held: readonly Item[]): Item[] {
  const known = new Set(held.map(item => item.accession))
  return [
    ...(headlines ?? []).map(
      ({ title, published_at, source, url }): Item => ({
        kind: 'headline',
        from: 'request',
        known_at: utc(published_at),
        title,
        form: null,
        accession: null,
        source,
        url,
      }),
    ),
    ...(filings ?? [])
      .filter(({ accession }) => accession === null || !known.has(accession))
      .map(
        ({ form, accepted_at, title, accession, url }): Item => ({
          kind: 'filing',
          from: 'request',
          known_at: utc(accepted_at),
          title,
          form,
          accession,
          source: null,
          url,
        }),
      ),
  ]
}
const utc = (instant: string): string => new Date(Date.parse(instant)).toISOString().replace('.000Z', 'Z')
const byKnown = (a: Item, b: Item): number =>
  Date.parse(b.known_at) - Date.parse(a.known_at) || compareText(a.title ?? a.form ?? '', b.title ?? b.form ?? '')
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

function annotated(move: Move, series: Series, items: readonly Item[], venue: string, rules: AnnotationRules) {
  const [after, until] = [closeOf(venue, move.previous_date), closeOf(venue, move.date)]
  const earliest = Date.parse(after) - rules.known_before_days * dayMs
  const at = (item: Item): number => Date.parse(item.known_at)
  return {
    date: move.date,
    previous_date: move.previous_date,
    close: series.printed(move.at),
    previous_close: series.printed(move.at - 1),
    direction: move.return > 0 ? 'up' : 'down',
    return_pct: rounded(move.return * 100),
    volatility_pct: rounded(move.volatility * 100),
    multiple: rounded(Math.abs(move.return) / move.volatility),
    returns_before: move.returns_before,
    interval: { after, until },
    known_before: items.filter(item => at(item) > earliest && at(item) <= Date.parse(after)).slice(0, rules.most_items),
    within_interval: items.filter(item => at(item) > Date.parse(after) && at(item) <= Date.parse(until)).slice(0, rules.most_items),
  }
}

/** The close of a day's session; the end of the day in UTC if the venue is closed on it, or its calendar does not cover it. */
function closeOf(venue: string, date: string): string {
  try {
    return sessionHours(venue, date)?.close_at ?? midnight(addDays(date, 1))
  } catch (error) {
    if (!(error instanceof CrossfileError)) throw error
    return midnight(addDays(date, 1))
  }
}

type Facts = { readonly symbol: string | null; readonly demo: boolean; readonly evaluated: number; readonly hidden: number; readonly known: boolean }
function notesOf(request: AnnotationRequest, series: Series, facts: Facts, rules: AnnotationRules): string[] {
  const { symbol, demo, evaluated, hidden, known } = facts
  return [
    ...(demo && known ? [`${demoTicker} is answered by ${symbol}, a fictional listing of the bundled universe`] : []),
    ...(demo && !known ? [`${demoTicker} names no listing of this installation: name a ticker, or send price_series`] : []),
    ...(!demo && !known ? [`${request.ticker} is no listing that this service knows: its own filings and prices are not used`] : []),
    ...(series.from === 'none' && !demo ? ['no prices of this listing are held, and the request brings none'] : []),
    ...(series.rows.length > 0 && evaluated === 0
      ? [`no return has ${rules.least_returns} returns before it that differ from each other: no move is evaluated`]
      : []),
    ...(request.headlines === null ? ['the service holds no headlines, and the request brings none'] : []),
    ...(hidden > 0 ? [`the newest ${rules.most_moves} moves are listed; ${hidden} older ones are not`] : []),
  ]
}
