// Yahoo's quoteSummary: the day of the next report with its estimates, and analyst opinions. Numbers are bare or `{raw, fmt}`.

import { Unreadable } from '#schemas/errors.ts'
import type { TextJson } from '#schemas/number-text.ts'
import { exchangeOf } from '#schemas/spelling.ts'
import { dayAt, sessionAt } from '#warehouse/datasets/fundamentals/session.ts'
import { isList, isObject, jsonOf, textIn } from '../csv/body.ts'
import { decimalOf } from '../csv/cells.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'
import { yahooSymbol } from '../symbols/yahoo-symbol.ts'
import { currencyIn } from './eodhd.ts'
import { type CalendarTable, calendarTable, consensusRow, countIn, earningsRow } from './rows.ts'

type Part = { readonly [name: string]: TextJson }
const part = (value: TextJson | undefined): Part | null => (isObject(value) ? value : null)
/** A number as printed: `1.5`, or the `raw` of `{"raw": 1.5, "fmt": "1.50"}`. */
const printed = (value: TextJson | undefined): string | null => (typeof value === 'string' ? value : isObject(value) ? textIn(value, 'raw') : null)
const decimal = (from: Part | null, name: string): string | null => decimalOf(printed(from?.[name]))

/** The symbol: from the address, a recorded file's name, or the modules that contain it. */
function symbolText(url: string, modules: Part): string | null {
  const addressed =
    /\/finance\/quoteSummary\/([^?/#]+)/.exec(url)?.[1] ?? /quoteSummary-[A-Za-z,]+-([A-Z0-9.-]+?)(?:\.json)?(?:\.gz)?$/.exec(url)?.[1]
  if (addressed !== undefined) return decodeURIComponent(addressed)
  for (const name of ['price', 'quoteType']) {
    const found = part(modules[name])
    const symbol = found && textIn(found, 'symbol')
    if (symbol) return symbol
  }
  return null
}

const taken = new Set(['calendarEvents', 'earnings', 'recommendationTrend', 'financialData', 'price', 'quoteType'])

function parse(document: RawDocument): Parsed {
  const subject = `yahoo ${document.url.slice(0, 200)}`
  const value = jsonOf(document)
  const summary = isObject(value) ? part(value['quoteSummary']) : null
  const results = summary && isList(summary['result']) ? summary['result'] : null
  if (results === null) throw new Unreadable('no_summary', `${subject}: no list quoteSummary.result`)
  const modules = part(results[0])
  const table = calendarTable()
  if (modules === null) return table.parsed()
  const requested = symbolText(document.url, modules)
  if (requested === null) throw new Unreadable('no_symbol', `${subject}: neither the address nor a module tell the symbol`)
  const symbol = yahooSymbol(requested)?.symbol
  if (symbol === undefined) table.skip('other_exchange')
  else {
    addNextReport(table, symbol, modules)
    addConsensus(table, symbol, modules, document.retrieved_at.slice(0, 7))
  }
  table.skip('module_not_taken', Object.keys(modules).filter(name => !taken.has(name)).length)
  return table.parsed()
}

/** Seconds since 1970 as an instant; null if it is no such number. */
function instantOf(seconds: string | null): string | null {
  if (seconds === null || !/^\d{9,11}$/.test(seconds)) return null
  return new Date(Number(seconds) * 1000).toISOString().replace('.000Z', 'Z')
}

function addNextReport(table: CalendarTable, symbol: string, modules: Part): void {
  const calendar = part(part(modules['calendarEvents'])?.['earnings'])
  // The module `earnings` repeats the day without the estimates' range.
  const chart = part(part(modules['earnings'])?.['earningsChart'])
  const found = [calendar, chart].find(each => isList(each?.['earningsDate']) && each['earningsDate'].length > 0)
  if (!found) {
    if (calendar !== null || chart !== null) table.skip('no_report_date')
    return
  }
  const instants = (found['earningsDate'] as readonly TextJson[]).map(each => instantOf(printed(each))).filter(each => each !== null)
  const exchange = exchangeOf(symbol)
  const days = [...new Set(instants.map(instant => dayAt(exchange, instant)))].sort()
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined || instants.length !== (found['earningsDate'] as readonly TextJson[]).length) {
    table.refuse('earnings_dates', 'no_date', symbol, 'earningsDate holds something else than seconds since 1970', found)
    return
  }
  const estimate = found['isEarningsDateEstimate']
  const mark = first !== last ? 'two_days' : estimate === true ? 'estimate' : estimate === false ? 'not_an_estimate' : 'no_mark'
  const session = mark === 'not_an_estimate' ? sessionAt(exchange, instants[0] as string) : null
  table.add(
    'earnings_dates',
    earningsRow({
      symbol,
      source_name: 'yahoo',
      report: 'next',
      date: first,
      window_end: first === last ? null : last,
      mark,
      time_of_day: session === 'no_session' ? null : session,
      eps_estimate: decimal(calendar, 'earningsAverage') ?? decimal(chart, 'currentQuarterEstimate'),
      eps_low: decimal(calendar, 'earningsLow'),
      eps_high: decimal(calendar, 'earningsHigh'),
      revenue_estimate: decimal(calendar, 'revenueAverage'),
      revenue_low: decimal(calendar, 'revenueLow'),
      revenue_high: decimal(calendar, 'revenueHigh'),
    }),
  )
}

/** `0m` of a document retrieved in 2026-11 is 2026-11, `-1m` the month before. */
function monthOf(period: string | null, requested: string): string | null {
  const back = /^-?(\d{1,2})m$/.exec(period ?? '')?.[1]
  if (back === undefined) return null
  const [year, month] = requested.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, month - 1 - Number(back), 1)).toISOString().slice(0, 7)
}

function addConsensus(table: CalendarTable, symbol: string, modules: Part, requested: string): void {
  const trend = part(modules['recommendationTrend'])?.['trend']
  const data = part(modules['financialData'])
  const targets = {
    // Yahoo's mean runs the other way than EODHD's.
    rating_mean: decimal(data, 'recommendationMean'),
    rating_scale: '1 strong buy to 5 strong sell',
    target_low: decimal(data, 'targetLowPrice'),
    target_mean: decimal(data, 'targetMeanPrice'),
    target_median: decimal(data, 'targetMedianPrice'),
    target_high: decimal(data, 'targetHighPrice'),
    analysts: countIn(printed(data?.['numberOfAnalystOpinions'])),
  }
  const hasTargets = Object.entries(targets).some(([name, each]) => name !== 'rating_scale' && each !== null)
  const price = part(modules['price'])
  // financialCurrency is of the statements; targets are in the currency of the price.
  const current = hasTargets ? { ...targets, target_currency: price && currencyIn(price, 'currency') } : {}
  const counted = new Set<string>()
  for (const row of isList(trend) ? trend : []) {
    const month = isObject(row) ? monthOf(textIn(row, 'period'), requested) : null
    if (!isObject(row) || month === null || counted.has(month)) {
      table.skip('ratings_without_month')
      continue
    }
    const counts = {
      strong_buy: countIn(printed(row['strongBuy'])),
      buy: countIn(printed(row['buy'])),
      hold: countIn(printed(row['hold'])),
      sell: countIn(printed(row['sell'])),
      strong_sell: countIn(printed(row['strongSell'])),
    }
    // A listing without analysts has rows of zeros.
    if (Object.values(counts).every(count => count === null || count === 0)) table.skip('month_without_ratings')
    else {
      counted.add(month)
      table.add('analyst_consensus', consensusRow({ symbol, source_name: 'yahoo', month, ...counts, ...(month === requested ? current : {}) }))
    }
  }
  if (hasTargets && !counted.has(requested))
    table.add('analyst_consensus', consensusRow({ symbol, source_name: 'yahoo', month: requested, ...current }))
}

export const yahooSummaryReader = reader('yahoo.quote-summary', 'earnings_dates', {
  reads: url => /^https:\/\/query[12]\.finance\.yahoo\.com\/v10\/finance\/quoteSummary\//.test(url),
  matches: head => /^\s*\{\s*"quoteSummary"\s*:/.test(head),
  parse,
})
