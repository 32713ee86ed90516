// End-of-day bars: stored as traded, adjusted here.
import type { Source } from '#schemas/answer.ts'
import type { BarBasis } from '#schemas/bars.ts'
import { type Built, digits, effectiveInstant, originsOf, type ReleaseContext, rounded, upstreamSources } from '../context/answer.ts'
import { type Factor, factorOrigins, findBars, type Prices, pickPrices, spansOf, splitOrigins } from '../datasets/bars/bars.ts'
import type { HeldAction } from '../datasets/corporate-actions/corporate-actions.ts'
import { type AdjustMode, adjustBars, adjustedCloses } from '../datasets/prices/adjust.ts'
import { dateIn } from '../rulesets/exchange-calendars/calendar.ts'
import { instantOf } from '../store/duckdb.ts'
import { symbolCoverage } from './listed.ts'
import { findPriceRows, seriesOf } from './price-series.ts'
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

/** The upstreams of bars and factors, each with its newest retrieval. */
export function sourcesOf(
  { source, known_us }: Pick<Prices, 'source' | 'known_us'>,
  factors: readonly Pick<Factor, 'source' | 'known_from'>[],
): Source[] {
  const newest = new Map<string, number>()
  for (let at = 0; at < source.length; at += 1) {
    const [name, known] = [source[at] as string, known_us[at] as number]
    const held = newest.get(name)
    if (held === undefined || held < known) newest.set(name, known)
  }
  return upstreamSources([...[...newest].map(([name, known]) => ({ source: name, known_from: instantOf(BigInt(known)) })), ...factors])
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

export async function buildEod(context: ReleaseContext, question: EodQuestion): Promise<Built> {
  const { lake, symbols } = context
  const asOf = question.as_of ?? null
  const spans = spansOf(symbols, question.symbol)
  // The factors of later ex-dates restate earlier bars, so only the answer's day limits them, not the range.
  const asOfDay = effectiveInstant(asOf, lake.versionOf(eodDatasets)).slice(0, 10)
  const days = { from: question.from ?? null, to: question.to ?? null }
  const { bars, factors, held: heldAll } = seriesOf(await findPriceRows(context, spans, days, asOfDay, asOf), spans, days, asOfDay)
  const whole = question.order === 'asc' && question.limit === undefined
  const taken = whole ? bars : pickPrices(bars, placesOf(bars.date.length, question.order, question.limit))
  // A held action would change the bars before its ex-date.
  const first = taken.date.reduce((least, day) => (day < least ? day : least), '9999-12-31')
  const held = heldAll.filter(action => action.ex_date > first)
  return {
    body: {
      symbol: question.symbol,
      currency: taken.currency.at(-1) ?? null,
      convention,
      adjust: question.adjust,
      ...basisOf(taken.basis),
      held_actions: held.map(heldAction),
      order: question.order,
      count: taken.date.length,
      bars: printedBars(taken, factors, question.adjust, asOfDay),
      coverage: symbolCoverage(context, question.symbol, taken.date.length),
    },
    sources: sourcesOf(taken, [...factors, ...held]),
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
  get_eod: { build: buildEod },
} satisfies Answers
