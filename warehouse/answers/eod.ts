// End-of-day bars: stored as traded, adjusted here.
import type { Source } from '#schemas/answer.ts'
import type { BarBasis } from '#schemas/bars.ts'
import { dayMs, utcDay } from '#schemas/days.ts'
import { type Built, digits, effectiveInstant, originsOf, type ReleaseContext, upstreamSources } from '../context/answer.ts'
import type { PrintedJson } from '../context/print-json.ts'
import { rounded } from '../context/rounded.ts'
import { type Days, type Factor, factorOrigins, findBars, type Prices, pickPrices, spansOf, splitOrigins } from '../datasets/bars/bars.ts'
import type { HeldAction } from '../datasets/corporate-actions/corporate-actions.ts'
import { type AdjustMode, adjustBars, adjustedCloses } from '../datasets/prices/adjust.ts'
import type { Span } from '../datasets/symbols/symbol-index.ts'
import { dateIn } from '../rulesets/exchange-calendars/calendar.ts'
import { instantOf } from '../store/duckdb-values.ts'
import { newestOf, printColumns, wordsIn } from './eod-columns.ts'
import { symbolCoverage } from './listed.ts'
import { actionsOf, findPriceRows, seriesOf } from './price-series.ts'
import type { Answers, QuestionOf } from './types.ts'

export type EodQuestion = QuestionOf<'get_eod'>

export const eodDatasets = ['bars', 'bar_corrections', 'adjustment_factors', 'action_verdicts', 'corporate_actions', 'symbols'] as const
export const convention = 'yahoo_crsp'

export type PrintedPrices = {
  readonly open: number | null
  readonly high: number | null
  readonly low: number | null
  readonly close: number
  readonly adjusted_close: number
  readonly volume: number | null
}
export type PrintedBar = PrintedPrices & {
  readonly date: string
  /** Omitted for bars as traded. */
  readonly basis?: BarBasis
}

/** Bars as printed: `adjusted_close` is adjusted for all actions, the other columns as `adjust` requests. `asOf` is a day. */
export function printedBars(prices: Prices, factors: readonly Factor[], adjust: AdjustMode, asOf: string): PrintedBar[] {
  const unclear = factors.length > 0 && prices.basis.includes(unknownBasis)
  if (!unclear) return printedAlike(prices, factors, adjust, asOf)
  // A bar that its source divided by splits up to the retrieval is divided only by later ones.
  const until = prices.basis.map((basis, at) => (basis === unknownBasis ? retrievalDay(prices.known_us[at] as number) : ''))
  const printed = new Map<number, PrintedBar>()
  for (const [day, places] of Map.groupBy(until.keys(), at => until[at] as string)) {
    const own = day === '' ? factors : factors.map(factor => (factor.ex_date <= day ? withoutSplit(factor) : factor))
    for (const [at, bar] of printedAlike(pickPrices(prices, places), own, adjust, asOf).entries()) printed.set(places[at] as number, bar)
  }
  return prices.date.map((_, at) => printed.get(at) as PrintedBar)
}

const unknownBasis = 'split_adjusted_unknown' satisfies BarBasis
const retrievalDay = (microseconds: number): string => dateIn('America/New_York', instantOf(BigInt(microseconds)))
/** The cash part of a factor: a share of the price, whatever the price was divided by. */
const withoutSplit = (factor: Factor): Factor => ({
  ...factor,
  split_numerator: '1',
  split_denominator: '1',
  price_factor: (factor.price_factor * Number(factor.split_numerator)) / Number(factor.split_denominator),
})

function printedAlike(prices: Prices, factors: readonly Factor[], adjust: AdjustMode, asOf: string): PrintedBar[] {
  const { date, open, high, low, close, volume, basis } = prices
  const closes = adjustedCloses(date, close, factors, { asOf })
  const raw = date.map((day, at): PrintedBar => {
    const bar = {
      date: day,
      open: open[at] as number | null,
      high: high[at] as number | null,
      low: low[at] as number | null,
      close: close[at] as number,
      adjusted_close: rounded(closes[at] as number),
      volume: volume[at] as number | null,
    }
    return basis[at] === 'as_traded' ? bar : { ...bar, basis: basis[at] as BarBasis }
  })
  if (adjust === 'none' || factors.length === 0) return raw
  const number = (value: number | null): number | null => (value === null ? value : rounded(value))
  return adjustBars(raw, factors, adjust, { asOf }).map(({ factor: _factor, ...bar }) => ({
    ...bar,
    open: number(bar.open),
    high: number(bar.high),
    low: number(bar.low),
    close: number(bar.close) as number,
    volume: number(bar.volume),
  }))
}

/** The basis of several bars' prices, as a code and, if they are not as traded, a sentence. */
export function basisOf(bases: readonly BarBasis[]): { readonly basis: BarBasis | 'mixed' | null; readonly basis_note: string | null } {
  const kinds = new Set(bases)
  const [only] = kinds
  return {
    basis: kinds.size > 1 ? 'mixed' : (only ?? null),
    basis_note: kinds.has(unknownBasis) ? unknownNote : kinds.has('reconstructed') ? reconstructedNote : null,
  }
}
const unknownNote =
  'Bars marked split_adjusted_unknown were divided by their source by splits that are not all known: their prices are not as traded, and no amount as declared is applied to them.'
const reconstructedNote =
  'Bars marked reconstructed were divided by their source by later splits; all of these are known and were taken back, as exactly as the source printed.'

type Retrieved = readonly Pick<Factor, 'source' | 'known_from'>[]
/** The upstreams of bars and factors, each with its newest retrieval. */
export const sourcesOf = (bars: Pick<Prices, 'source' | 'known_us'>, factors: Retrieved): Source[] => sourcesFrom(newestRetrievals(bars), factors)

const sourcesFrom = (newest: ReadonlyMap<string, number>, factors: Retrieved): Source[] =>
  upstreamSources([...[...newest].map(([name, known]) => ({ source: name, known_from: instantOf(BigInt(known)) })), ...factors])

/** The newest retrieval of each upstream, in microseconds since 1970. */
function newestRetrievals({ source, known_us }: Pick<Prices, 'source' | 'known_us'>): Map<string, number> {
  const newest = new Map<string, number>()
  for (let at = 0; at < source.length; at += 1) {
    const [name, known] = [source[at] as string, known_us[at] as number]
    const held = newest.get(name)
    if (held === undefined || held < known) newest.set(name, known)
  }
  return newest
}

/** The positions of at most `limit` of `count` rows, from the oldest or the newest on. */
export const placesOf = (count: number, order: 'asc' | 'desc', limit: number | undefined): number[] =>
  Array.from({ length: Math.min(count, limit ?? count) }, (_, at) => (order === 'desc' ? count - 1 - at : at))

const heldAction = ({ kind, ex_date, source_name, numerator, denominator, amount, currency, reason, detail }: HeldAction): object => ({
  kind,
  ex_date,
  source_name,
  numerator: digits(numerator),
  denominator: digits(denominator),
  amount: digits(amount),
  currency,
  reason,
  detail,
})

/** The bars of an answer, in its order: as records or printed, and what its other members are made of. */
type Taken = {
  readonly count: number
  /** The earliest day; null for no bar. */
  readonly first: string | null
  /** Of the last bar; null for no bar. */
  readonly currency: string | null
  readonly bases: readonly BarBasis[]
  /** Upstreams of the bars, each with its newest retrieval in microseconds since 1970. */
  readonly newest: ReadonlyMap<string, number>
  readonly bars: readonly PrintedBar[] | PrintedJson
  /** The factors that apply, and the held actions after the first of the requested days. */
  readonly factors: readonly Factor[]
  readonly held: readonly HeldAction[]
}

/** Bars from the columns of the model of prices, printed without a record for each. Null if they cannot be printed so. */
async function takeColumns(
  { prices }: ReleaseContext,
  spans: readonly Span[],
  days: Days,
  { order, limit, adjust }: EodQuestion,
  asOfDay: string,
): Promise<Taken | null> {
  const [span] = spans
  if (!prices || !span || spans.length > 1 || span.from !== null || span.to !== null) return null
  const found = await prices.readSymbol(span.symbol)
  if (!found) return null
  const columns = found.columns(days)
  const { factors, held } = actionsOf(found, days, asOfDay)
  if (!columns || (factors.length > 0 && columns.basis.words.includes(unknownBasis))) return null
  const count = Math.min(columns.count, limit ?? columns.count)
  const range = order === 'asc' ? { from: 0, to: count } : { from: columns.count - count, to: columns.count }
  const last = order === 'asc' ? range.to - 1 : range.from
  return {
    count,
    first: count === 0 ? null : utcDay((columns.day[range.from] as number) * dayMs),
    currency: count === 0 ? null : (columns.currency.words[columns.currency.codes[last] as number] as string),
    bases: wordsIn(columns.basis, range) as BarBasis[],
    newest: newestOf(columns, range),
    bars: printColumns(columns, range, order, factors, adjust, asOfDay),
    factors,
    held,
  }
}

async function takeRows(
  context: ReleaseContext,
  spans: readonly Span[],
  days: Days,
  { order, limit, adjust }: EodQuestion,
  asOfDay: string,
  asOf: string | null,
): Promise<Taken> {
  const { bars, factors, held } = seriesOf(await findPriceRows(context, spans, days, asOfDay, asOf), spans, days, asOfDay)
  const whole = order === 'asc' && limit === undefined
  const taken = whole ? bars : pickPrices(bars, placesOf(bars.date.length, order, limit))
  return {
    count: taken.date.length,
    first: taken.date.reduce<string | null>((least, day) => (least === null || day < least ? day : least), null),
    currency: taken.currency.at(-1) ?? null,
    bases: taken.basis,
    newest: newestRetrievals(taken),
    bars: printedBars(taken, factors, adjust, asOfDay),
    factors,
    held,
  }
}

export async function buildEod(context: ReleaseContext, question: EodQuestion): Promise<Built> {
  const { lake, symbols } = context
  const asOf = question.as_of ?? null
  const spans = spansOf(symbols, question.symbol)
  // The factors of later ex-dates restate earlier bars, so only the answer's day limits them, not the range.
  const asOfDay = effectiveInstant(asOf, lake.versionOf(eodDatasets)).slice(0, 10)
  const days = { from: question.from ?? null, to: question.to ?? null }
  const columns = asOf === null ? await takeColumns(context, spans, days, question, asOfDay) : null
  const taken = columns ?? (await takeRows(context, spans, days, question, asOfDay, asOf))
  const { count, first, factors } = taken
  // A held action would change the bars before its ex-date.
  const held = taken.held.filter(action => first !== null && action.ex_date > first)
  return {
    body: {
      symbol: question.symbol,
      currency: taken.currency,
      convention,
      adjust: question.adjust,
      ...basisOf(taken.bases),
      held_actions: held.map(heldAction),
      order: question.order,
      count,
      bars: taken.bars,
      coverage: symbolCoverage(context, question.symbol, count),
    },
    sources: sourcesFrom(taken.newest, [...factors, ...held]),
    origins: async () => {
      const rows = await findBars(lake, spans, days, asOf)
      const printed = placesOf(rows.length, question.order, question.limit).map(at => rows[at] as (typeof rows)[number])
      const explained = printed.some(bar => bar.basis === 'reconstructed') ? await splitOrigins(lake, spans, asOf) : []
      return originsOf([
        ...printed,
        ...explained,
        ...held,
        ...(await factorOrigins(lake, spans, [...factors, ...held.map(({ ex_date }) => ({ ex_date, fx_rate_date: null }))], asOf)),
      ])
    },
    datasets: eodDatasets,
  }
}

export const eodAnswers = {
  get_eod: { build: buildEod, decided_by: eodDatasets },
} satisfies Answers
