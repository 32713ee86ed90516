// Yahoo's chart (v8): daily bars with the range's dividends and splits, or intraday bars (intraday/yahoo.ts). `close` there is already divided by
// later splits. If the range reaches the day of the response, so that every such split is shown, the bars are restored to traded prices.

import { dayMs } from '#schemas/days.ts'
import { NotFound, Unreadable, Upstream } from '#schemas/errors.ts'
import type { TextJson } from '#schemas/number-text.ts'
import { splitRatio } from '#warehouse/datasets/prices/actions.ts'
import { compare, numberOf, one, type Ratio } from '#warehouse/datasets/prices/ratio.ts'
import { dateIn } from '#warehouse/rulesets/exchange-calendars/calendar.ts'
import { isList, isObject, jsonOf, textIn } from '../csv/body.ts'
import { type BarTable, barTable, decimalOf } from '../csv/cells.ts'
import { parseYahooIntraday } from '../intraday/yahoo.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'
import { reachDays, splitBasis, yahooSymbol } from '../symbols/yahoo-symbol.ts'
import { type ActionTable, actionTable } from './action-table.ts'
import { areDivided, type KnownSplit, sharesAfter, undividedPrice, undividedVolume } from './split-basis.ts'
import { withSplitHistory } from './split-history.ts'

type Fields = { readonly [name: string]: TextJson }
type Split = { readonly date: string; readonly numerator: string; readonly denominator: string }

function resultOf(document: RawDocument): Fields {
  const subject = `yahoo ${document.url}`
  const value = jsonOf(document)
  const chart = isObject(value) ? value['chart'] : undefined
  if (!isObject(chart)) throw new Unreadable('not_a_chart', `${subject}: no member chart`)
  const error = chart['error']
  if (isObject(error)) {
    const reason = `${textIn(error, 'code') ?? 'error'}: ${textIn(error, 'description') ?? ''}`
    throw /not found|no data/i.test(reason) ? new NotFound(`${subject}: ${reason}`) : new Upstream(`${subject}: ${reason}`)
  }
  const first = isList(chart['result']) ? chart['result'][0] : undefined
  if (!isObject(first) || !isObject(first['meta'])) throw new Unreadable('not_a_chart', `${subject}: chart.result holds no result with a meta`)
  return first
}

function parse(document: RawDocument): Parsed {
  const result = resultOf(document)
  const meta = result['meta'] as Fields
  const printed = textIn(meta, 'symbol') ?? ''
  const table = barTable()
  const actions = actionTable('yahoo')
  const timestamps = (isList(result['timestamp']) ? result['timestamp'] : []).map(Number)
  const listing = yahooSymbol(printed)
  const currency = textIn(meta, 'currency') ?? ''
  if (listing === null) {
    if (timestamps.length > 0) table.skip('other_exchange', timestamps.length)
    return table.parsed()
  }
  if (!/^[A-Z]{3}$/.test(currency)) {
    table.refuse('minor_currency_unit', listing.symbol, `quoted in "${currency.slice(0, 10)}", expected an ISO 4217 currency`)
    return table.parsed()
  }
  const dayAt = dayReader(textIn(meta, 'exchangeTimezoneName'), document)
  const events = isObject(result['events']) ? result['events'] : {}
  const splits = splitsOf(events, dayAt)
  const ratios = known(splits)
  const days = timestamps.map(dayAt)
  const answered = dayAt(Number(textIn(meta, 'regularMarketTime') ?? Number.NaN))
  const complete = days.length > 0 && answered !== '' && Date.parse(answered) - Date.parse(days.at(-1)!) <= reachDays * dayMs
  const granularity = textIn(meta, 'dataGranularity') ?? ''
  if (granularity !== '1d') {
    const marketTime = Number(textIn(meta, 'regularMarketTime') ?? Number.NaN)
    const shares = (seconds: number): Ratio => sharesAfter(complete ? ratios : [], dayAt(seconds))
    const by = (seconds: number): number => numberOf(shares(seconds))
    const back = (price: string | null, seconds: number): string | null => undivided(price, shares(seconds))
    const { symbol } = listing
    return parseYahooIntraday({ document, symbol, currency, granularity, marketTime, timestamps, result, complete, multiplied: back, dividedBy: by })
  }
  // A split without a readable ratio leaves the basis of every earlier bar unknown.
  const divided = areDivided(closesOf(days, result), ratios)
  const explained = complete && ratios.length === splits.length && divided ? ratios : null
  addBars(table, listing.symbol, currency, days, result, explained)
  for (const [at, { date, numerator, denominator }] of splits.entries())
    actions.add({ symbol: listing.symbol, kind: 'split', ex_date: date, numerator, denominator }, at + 1)
  addCash(actions, listing.symbol, currency, events, dayAt, explained)
  if (explained === null && table.bars.length > 0) table.refuse(splitBasis(0).reason, listing.symbol, splitBasis(table.bars.length).detail)
  const parsed = table.parsed(actions.parsed())
  return explained === null ? parsed : withSplitHistory(parsed, listing.symbol, 'yahoo', days[0] ?? '', answered)
}

function dayReader(zone: string | null, document: RawDocument): (seconds: number) => string {
  return seconds => {
    if (!Number.isFinite(seconds) || Math.abs(seconds) > 1e11) return ''
    try {
      return dateIn(zone ?? '', new Date(seconds * 1000).toISOString())
    } catch (cause) {
      throw new Unreadable('unknown_time_zone', `yahoo ${document.url}: exchangeTimezoneName is "${(zone ?? '').slice(0, 40)}"`, { cause })
    }
  }
}

const membersOf = (events: Fields, name: string): Fields[] => Object.values(isObject(events[name]) ? events[name] : {}).filter(isObject)

function splitsOf(events: Fields, dayAt: (seconds: number) => string): Split[] {
  return membersOf(events, 'splits').map(split => ({
    date: dayAt(Number(textIn(split, 'date') ?? Number.NaN)),
    numerator: decimalOf(textIn(split, 'numerator')) ?? '',
    denominator: decimalOf(textIn(split, 'denominator')) ?? '',
  }))
}

/** The multiplier of shares of each split; those without a ratio are left to the actions, which refuse them. */
const known = (splits: readonly Split[]): KnownSplit[] =>
  splits.flatMap(split => {
    const shares = splitRatio(split)
    return shares && split.date !== '' ? [{ ex_date: split.date, ratio: shares }] : []
  })
const undivided = (text: string | null, shares: Ratio): string | null => {
  const decimal = decimalOf(text)
  return decimal === null || compare(shares, one) === 0 ? text : undividedPrice(Number(decimal), shares)
}

/** The printed closes by their days. */
function closesOf(days: readonly string[], result: Fields): { readonly date: string; readonly close: number }[] {
  const closes = quoteColumn(result, 'close')
  return days.flatMap((date, at) => (typeof closes[at] === 'string' ? [{ date, close: Number(closes[at]) }] : []))
}

/** A column of the chart's prices; empty if it has none. */
function quoteColumn(result: Fields, name: string): readonly TextJson[] {
  const indicators = isObject(result['indicators']) ? result['indicators'] : {}
  const quote = isList(indicators['quote']) && isObject(indicators['quote'][0]) ? indicators['quote'][0] : {}
  return isList(quote[name]) ? quote[name] : []
}

function addBars(
  table: BarTable,
  symbol: string,
  currency: string,
  days: readonly string[],
  result: Fields,
  splits: readonly KnownSplit[] | null,
): void {
  const column = (name: string): readonly TextJson[] => quoteColumn(result, name)
  const [open, high, low, close, volume] = [column('open'), column('high'), column('low'), column('close'), column('volume')]
  const cell = (values: readonly TextJson[], at: number): string | null => (typeof values[at] === 'string' ? values[at] : null)
  // While a market is open, and shortly after, the day appears twice: as a session and as of now. The last with a close counts.
  const last = new Map<string, number>()
  for (const [at, date] of days.entries()) if (!last.has(date) || cell(close, at) !== null) last.set(date, at)
  for (const [at, date] of days.entries()) {
    if (last.get(date) !== at) {
      table.skip('live_row_replaced')
      continue
    }
    const by = sharesAfter(splits ?? [], date)
    const price = (values: readonly TextJson[]): string | null => undivided(cell(values, at), by)
    const shares = cell(volume, at)
    const traded = shares === null ? null : String(undividedVolume(Number(shares), by))
    const basis = splits === null ? 'split_adjusted_unknown' : compare(by, one) === 0 ? 'as_traded' : 'reconstructed'
    table.add({ symbol, date, open: price(open), high: price(high), low: price(low), close: price(close), volume: traded, currency, basis }, at + 1)
  }
}

function addCash(
  actions: ActionTable,
  symbol: string,
  currency: string,
  events: Fields,
  dayAt: (seconds: number) => string,
  splits: readonly KnownSplit[] | null,
): void {
  const amount_basis = splits === null ? 'split_adjusted_unknown' : 'post_split'
  const dividends = new Map<string, number>()
  for (const [at, dividend] of membersOf(events, 'dividends').entries()) {
    const date = dayAt(Number(textIn(dividend, 'date') ?? Number.NaN))
    const amount = undivided(textIn(dividend, 'amount'), sharesAfter(splits ?? [], date))
    dividends.set(date, Number(amount))
    actions.add({ symbol, kind: 'dividend', ex_date: date, amount, currency: textIn(dividend, 'currency') ?? currency, amount_basis }, at + 1)
  }
  for (const [at, gain] of membersOf(events, 'capitalGains').entries()) {
    const date = dayAt(Number(textIn(gain, 'date') ?? Number.NaN))
    const amount = undivided(textIn(gain, 'amount'), sharesAfter(splits ?? [], date))
    // A fund's dividend there contains its capital gain (DODFX 2025-12-18: 0.837 with 0.417 in it): not counted twice.
    if ((dividends.get(date) ?? 0) >= Number(amount)) actions.skip('capital_gain_within_dividend')
    else actions.add({ symbol, kind: 'capital_gain', ex_date: date, amount, currency, amount_basis }, at + 1)
  }
}

export const yahooChartReader = reader('yahoo.chart', 'bars', {
  reads: url => /^https:\/\/query[12]\.finance\.yahoo\.com\/v8\/finance\/chart\//.test(url),
  matches: head => /^\s*\{\s*"chart"\s*:\s*\{/.test(head),
  parse,
})
