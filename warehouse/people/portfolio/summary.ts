// The summary of a portfolio: its positions, the last prices of a release and the reference rates of the day of the newest of them.
import { addDays, daysBetween } from '#schemas/days.ts'
import type { Position, Target } from '#schemas/portfolio.ts'
import { plainDecimal } from '#schemas/values.ts'
import { findLastPrices, type LastPrice } from '../../answers/quotes.ts'
import { digits, type ReleaseContext, sourceTitle } from '../../context/answer.ts'
import { within } from '../../datasets/bars/bars.ts'
import { findSplits } from '../../datasets/quotes/quotes.ts'
import { zone } from '../../datasets/quotes/venue-time.ts'
import { presentListing } from '../../datasets/symbols/held.ts'
import { dateIn } from '../../rulesets/exchange-calendars/calendar.ts'
import { findRates, type RateUsed, rateOn } from './rates.ts'
import { type Holding, type Split, type Sums, sumsBy, sumsOf, type Valued, valuePosition } from './value.ts'

const notes = [
  'Quantities and costs are as they were stated: splits since then are listed with each position and have not been applied to them.',
  'Costs are converted at the rate of the day of the newest price, not at that of the purchase.',
]

/** The summary at `now`, from one release. */
export async function buildSummary(context: ReleaseContext, positions: readonly Position[], target: Target, now: string): Promise<object> {
  const today = dateIn(zone, now)
  const holdings = await holdingsOf(context, positions, now, today)
  const rates_on = holdings.flatMap(({ price }) => price?.session_date ?? []).reduce((a, b) => (b > a ? b : a), '') || today
  const currencies = [...new Set(holdings.flatMap(({ position, price }) => [position.currency, ...(price ? [price.currency] : [])]))].sort()
  const foreign = currencies.filter(currency => currency !== target)
  const rows = foreign.length === 0 ? [] : await findRates(context.lake, [...foreign, target], rates_on)
  const rates = new Map(foreign.map(currency => [currency, rateOn(rows, currency, target, rates_on)]))
  const valued = holdings.map(holding => valuePosition(holding, target, currency => rates.get(currency) ?? null))
  return {
    currency: target,
    as_of: now,
    release: context.lake.release,
    rates_on,
    rates: [...rates.values()].filter(rate => rate !== null).map(printedRate),
    rates_missing: foreign.filter(currency => (rates.get(currency) ?? null) === null),
    total: printedSums(sumsOf(valued)),
    by_account_type: sumsBy(valued, each => each.account_type).map(([account_type, sums]) => ({ account_type, ...printedSums(sums) })),
    by_currency: sumsBy(valued, each => each.currency).map(([position_currency, sums]) => ({ position_currency, ...printedSums(sums) })),
    positions: valued.filter(({ reason }) => reason === null).map(each => printedPosition(each, today)),
    unvalued: valued.filter(({ reason }) => reason !== null).map(each => ({ ...printedPosition(each, today), reason: each.reason })),
    notes,
  }
}

/** The last price of each position's listing, and the splits since the position was entered. */
async function holdingsOf(context: ReleaseContext, positions: readonly Position[], now: string, today: string): Promise<Holding[]> {
  const listings = new Map(positions.map(({ id, instrument_id, ticker }) => [id, presentListing(context.symbols, { instrument_id, symbol: ticker })]))
  // A symbol that another company uses now gives no information about its former user.
  const wearing = new Set(
    [...listings.values()].filter(listing => listing !== null).filter(listing => context.symbols.find(listing.symbol) === listing),
  )
  const tickers = [...new Set([...wearing].map(listing => listing.symbol))].sort()
  const [prices, splits] = await Promise.all([findLastPrices(context, tickers, now), splitsOf(context, positions, today)])
  return positions.map(position => {
    const listing = listings.get(position.id) ?? null
    return {
      position,
      listing: listing === null ? 'unknown' : listing.valid_to === null ? 'listed' : 'delisted',
      price: listing !== null && wearing.has(listing) ? (prices.get(position.ticker) ?? null) : null,
      splits_since: (splits.get(position.instrument_id ?? '') ?? []).filter(({ ex_date }) => ex_date > dateIn(zone, position.stated_at)),
    }
  })
}

/** Splits of each instrument, under every symbol that it had, from the day after the oldest position to today. */
async function splitsOf(context: ReleaseContext, positions: readonly Position[], today: string): Promise<Map<string, Split[]>> {
  const oldest = positions.map(({ stated_at }) => dateIn(zone, stated_at)).reduce((a, b) => (b < a ? b : a), today)
  const instruments = new Set(positions.flatMap(({ instrument_id }) => instrument_id ?? []))
  const spans = new Map([...instruments].map(id => [id, context.symbols.spans(id)]))
  const allSymbols = [...new Set([...spans.values()].flat().map(span => span.symbol))]
  const found = allSymbols.length === 0 ? [] : await findSplits(context.lake, allSymbols, addDays(oldest, 1), null)
  const done = found.filter(({ ex_date }) => ex_date <= today)
  return new Map(
    [...spans].map(([id, own]) => [
      id,
      done
        .filter(({ symbol, ex_date }) => within(own, { symbol, date: ex_date }))
        .map(({ ex_date, split_numerator, split_denominator }) => ({ ex_date, numerator: split_numerator, denominator: split_denominator })),
    ]),
  )
}

const printedSums = ({ market_value, cost, gain, ...counts }: Sums) => ({
  positions: counts.positions,
  priced: counts.priced,
  market_value: digits(market_value),
  costed: counts.costed,
  cost: digits(cost),
  gained: counts.gained,
  gain: digits(gain),
})
const printedRate = ({ from, to, rate, source, ...rest }: RateUsed) => ({ from, to, rate: digits(rate), ...rest, source: sourceTitle(source) })

const printedPrice = ({ price, currency, session_date, quoted_at, basis, source }: LastPrice, today: string) => ({
  price: digits(plainDecimal(price)),
  currency,
  date: session_date,
  quoted_at,
  age_days: Math.max(0, daysBetween(session_date, today)),
  basis,
  source: sourceTitle(source),
})

const printedPosition = ({ position, price, price_rate, cost_rate, market_value, cost, gain, splits_since }: Valued, today: string) => ({
  id: position.id,
  ticker: position.ticker,
  account_type: position.account_type,
  currency: position.currency,
  quantity: digits(position.quantity),
  acb_per_share: digits(position.acb_per_share),
  price: price === null ? null : printedPrice(price, today),
  price_rate: digits(price_rate),
  cost_rate: digits(cost_rate),
  market_value: digits(market_value),
  cost: digits(cost),
  gain: digits(gain),
  splits_since: splits_since.map(({ ex_date, numerator, denominator }) => ({
    ex_date,
    numerator: digits(numerator),
    denominator: digits(denominator),
  })),
})
