import type { StoredRow } from '#schemas/dataset.ts'
import { type BarInterval, intervalSeconds, type intradayBars } from '#schemas/intraday.ts'
import { exchangeOf } from '#schemas/spelling.ts'
import { quoteRules, rankOf } from '../../rulesets/quotes/rules.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { sqlIn } from '../../store/sql-files.ts'
import { within } from '../bars/bars.ts'
import { hoursOf, instantText } from '../quotes/venue-time.ts'
import type { Span } from '../symbols/symbol-index.ts'

const statements = sqlIn(import.meta.dirname, ['find-series', 'find-bars', 'find-held'])

export type IntradayRow = Omit<StoredRow<typeof intradayBars>, 'known_basis' | 'withdrawn' | 'release_from'>
/** The stored bars of one session from one source at one interval. */
export type Series = {
  readonly symbol: string
  readonly session_date: string
  readonly interval: BarInterval
  readonly source_name: string
  readonly bars: number
  readonly last_at: string
  readonly received_at: string
}
export type Range = { readonly from: string; readonly to: string; readonly session: 'all' | 'regular' }
/** A bar of the requested interval; `rows` are the stored bars that it was made of. */
export type IntradayBar = Pick<
  IntradayRow,
  'session_date' | 'session' | 'start_at' | 'open' | 'high' | 'low' | 'close' | 'volume' | 'currency' | 'partial'
>

const keysOf = (spans: readonly Span[]): string[] => [...new Set(spans.map(span => span.symbol))]

/** The stored series of an instrument between two days, oldest session first. */
export async function findSeries(lake: Lake, spans: readonly Span[], { from, to, session }: Range, asOf: string | null): Promise<Series[]> {
  const keys = keysOf(spans)
  if (!(await lake.holds('intraday_bars', keys))) return []
  const rows = await lake.query<Series>(statements['find-series'], { from, to, session, as_of: asOf }, { intraday_bars: keys })
  return rows.filter(row => within(spans, { symbol: row.symbol, date: row.session_date }))
}

/** The first and the last session of an instrument with stored bars; null if it has none. */
export async function findHeld(
  lake: Lake,
  spans: readonly Span[],
  session: Range['session'],
  asOf: string | null,
): Promise<{ readonly first: string; readonly last: string } | null> {
  const keys = keysOf(spans)
  if (!(await lake.holds('intraday_bars', keys))) return null
  const rows = await lake.query<{ symbol: string; first: string; last: string }>(
    statements['find-held'],
    { session, as_of: asOf },
    { intraday_bars: keys },
  )
  // Bars outside a symbol's span belong to another company.
  const own = rows.flatMap(row =>
    spans
      .filter(span => span.symbol === row.symbol)
      .map(span => ({
        first: span.from !== null && span.from > row.first ? span.from : row.first,
        last: span.to !== null && span.to < row.last ? span.to : row.last,
      }))
      .filter(({ first, last }) => first <= last),
  )
  if (own.length === 0) return null
  return {
    first: own.map(({ first }) => first).reduce((a, b) => (b < a ? b : a)),
    last: own.map(({ last }) => last).reduce((a, b) => (b > a ? b : a)),
  }
}

/** True if bars of one interval can be aggregated to bars of another. */
export const makes = (stored: BarInterval, wanted: BarInterval): boolean => intervalSeconds[wanted] % intervalSeconds[stored] === 0

/**
 * The series used for each session: of those that can make the interval and do not end a quarter of an hour before another
 * one does, that of the source which the ruleset puts first, at the interval itself or else the coarsest that makes it.
 */
export function pickSeries(held: readonly Series[], wanted: BarInterval): Map<string, Series> {
  const usable = held.filter(series => makes(series.interval, wanted))
  const picked = new Map<string, Series>()
  const endOf = (series: Series): number => Date.parse(series.last_at) + intervalSeconds[series.interval] * 1000
  for (const [date, own] of Map.groupBy(usable, series => series.session_date)) {
    const latest = Math.max(...own.map(endOf))
    const reaching = own.filter(series => latest - endOf(series) <= Math.max(quoteRules.gives_way_seconds, intervalSeconds[wanted]) * 1000)
    reaching.sort(
      (a, b) =>
        rankOf('intraday', exchangeOf(a.symbol), a.source_name) - rankOf('intraday', exchangeOf(b.symbol), b.source_name) ||
        intervalSeconds[b.interval] - intervalSeconds[a.interval] ||
        (a.source_name + a.symbol < b.source_name + b.symbol ? -1 : 1),
    )
    picked.set(date, reaching[0] as Series)
  }
  return picked
}

/** The stored bars of the picked series, oldest first. */
export async function findSeriesBars(
  lake: Lake,
  picked: ReadonlyMap<string, Series>,
  session: Range['session'],
  asOf: string | null,
): Promise<IntradayRow[]> {
  const dates = [...picked.keys()].sort()
  const [from, to] = [dates[0], dates.at(-1)]
  if (from === undefined || to === undefined) return []
  const keys = [...new Set([...picked.values()].map(series => series.symbol))]
  const rows = await lake.query<IntradayRow>(statements['find-bars'], { from, to, session, as_of: asOf }, { intraday_bars: keys })
  return rows.filter(row => {
    const series = picked.get(row.session_date)
    return series?.symbol === row.symbol && series.interval === row.interval && series.source_name === row.source_name
  })
}

/** Every stored bar of the sessions, from all sources and intervals, which an answer considered. */
export async function findAllBars(lake: Lake, spans: readonly Span[], dates: readonly string[], asOf: string | null): Promise<IntradayRow[]> {
  const days = [...dates].sort()
  const [from, to] = [days[0], days.at(-1)]
  if (from === undefined || to === undefined) return []
  const rows = await lake.query<IntradayRow>(statements['find-bars'], { from, to, session: 'all', as_of: asOf }, { intraday_bars: keysOf(spans) })
  const wanted = new Set(days)
  return rows.filter(row => wanted.has(row.session_date))
}

/** Start and end of the bar of the interval that contains a stored bar: counted from the session's start, cut at its end. */
function bucketOf(row: IntradayRow, seconds: number): { readonly start: number; readonly end: number } {
  const at = Date.parse(row.start_at)
  const width = seconds * 1000
  const hours = hoursOf(exchangeOf(row.symbol), row.session_date)
  const [begin, limit] = !hours
    ? [0, Number.POSITIVE_INFINITY]
    : row.session === 'pre'
      ? [hours.pre ?? hours.open, hours.open]
      : row.session === 'regular'
        ? [hours.open, hours.close]
        : [hours.close, hours.post]
  const start = begin + Math.floor((at - begin) / width) * width
  return { start, end: Math.min(start + width, limit) }
}

const known = (values: readonly (number | null)[]): number[] => values.filter(value => value !== null)

/**
 * Bars of `wanted` out of the rows of `picked`. Bars of a finer interval become one: first open, highest high, lowest low, last
 * close, all the volume. A bar that ends after the source's last update is partial.
 */
export function barsOf(rows: readonly IntradayRow[], picked: ReadonlyMap<string, Series>, wanted: BarInterval): IntradayBar[] {
  const seconds = intervalSeconds[wanted]
  const buckets = new Map<string, { readonly end: number; readonly start: number; readonly rows: IntradayRow[] }>()
  const bars: IntradayBar[] = []
  for (const row of rows) {
    if (row.interval === wanted) {
      const { session_date, session, start_at, open, high, low, close, volume, currency, partial } = row
      bars.push({ session_date, session, start_at, open, high, low, close, volume, currency, partial })
      continue
    }
    const { start, end } = bucketOf(row, seconds)
    const key = `${row.session} ${start}`
    const bucket = buckets.get(key)
    if (bucket) bucket.rows.push(row)
    else buckets.set(key, { start, end, rows: [row] })
  }
  for (const { start, end, rows: own } of buckets.values()) {
    const [first, last] = [own[0] as IntradayRow, own.at(-1) as IntradayRow]
    const highs = known(own.map(row => row.high))
    const lows = known(own.map(row => row.low))
    const volumes = known(own.map(row => row.volume))
    const receivedUntil = Date.parse(picked.get(first.session_date)?.received_at ?? '') - quoteRules.stale_seconds * 1000
    bars.push({
      session_date: first.session_date,
      session: first.session,
      start_at: instantText(start),
      open: first.open,
      high: highs.length === 0 ? null : Math.max(...highs),
      low: lows.length === 0 ? null : Math.min(...lows),
      close: last.close,
      volume: volumes.length === 0 ? null : volumes.reduce((sum, value) => sum + value, 0),
      currency: last.currency,
      partial: own.some(row => row.partial) || end > receivedUntil,
    })
  }
  return bars.sort((a, b) => (a.start_at < b.start_at ? -1 : a.start_at > b.start_at ? 1 : 0))
}
