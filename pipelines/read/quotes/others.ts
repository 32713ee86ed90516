// Tiingo's top of the book at IEX, Alpha Vantage's GLOBAL_QUOTE, and Lean's coarse file of one day for the whole market.
import { Unreadable } from '#schemas/errors.ts'
import { parseSymbol, parseSymbolOn } from '#schemas/spelling.ts'
import { alphaVantage, tiingo } from '#schemas/vendor-spelling.ts'
import { csvCells, fileName, isObject, jsonOf, objectsOf, pathOf, textIn } from '../csv/body.ts'
import { currencyOf, dayOf } from '../csv/cells.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'
import { bookAndRange, isoMs, quoteTable } from './table.ts'

/** The volume is of one venue, a few percent of the day's, so it is dropped: it is not the market's volume. */
function parseTiingo(document: RawDocument): Parsed {
  const table = quoteTable(document)
  for (const [at, row] of objectsOf(jsonOf(document), `tiingo ${document.url}`).entries()) {
    const listing = tiingo.read(textIn(row, 'ticker') ?? '')
    const cell = (name: string): string | null => textIn(row, name)
    const book = isoMs(cell('quoteTimestamp'))
    const time = isoMs(cell('lastSaleTimestamp') ?? cell('lastsaleTimeStamp')) ?? isoMs(cell('timestamp')) ?? book
    if (!listing) table.skip('unreadable_symbol')
    else if (time === null) table.refuse('bad_time', listing.symbol, `quote ${at + 1} has no time of a trade, a quote or its own`, row)
    else {
      if (cell('volume') !== null) table.skip('volume_of_one_venue_left_out')
      table.add(
        {
          symbol: listing.symbol,
          time,
          price: cell('last') ?? cell('tngoLast'),
          ...bookAndRange(cell, book),
          previous_close: cell('prevClose'),
          currency: 'USD',
        },
        at + 1,
      )
    }
  }
  return table.parsed()
}

/** An unknown symbol is an empty object there, with status 200. */
function parseGlobalQuote(document: RawDocument): Parsed {
  const value = jsonOf(document)
  const quote = isObject(value) ? (value['Global Quote'] ?? value['Global Quote - DATA DELAYED BY 15 MINUTES']) : undefined
  if (!isObject(quote)) throw new Unreadable('not_a_quote', `alphavantage ${document.url}: no member "Global Quote"`)
  const table = quoteTable(document)
  const printed = textIn(quote, '01. symbol') ?? ''
  const listing = alphaVantage.read(printed)
  const day = dayOf(textIn(quote, '07. latest trading day'))
  if (Object.keys(quote).length === 0) table.skip('unknown_symbol')
  else if (!listing || /\.(?!TR[TV]$)[A-Z]{2,}$/.test(printed)) table.skip('other_exchange')
  else if (day === null) table.refuse('bad_time', listing.symbol, 'no day in "07. latest trading day"', quote)
  else
    table.add(
      {
        symbol: listing.symbol,
        time: day,
        price: textIn(quote, '05. price'),
        open: textIn(quote, '02. open'),
        high: textIn(quote, '03. high'),
        low: textIn(quote, '04. low'),
        previous_close: textIn(quote, '08. previous close'),
        volume: textIn(quote, '06. volume'),
        currency: currencyOf(listing.symbol),
      },
      1,
    )
  return table.parsed()
}

/**
 * One line per security: its id, symbol, close as traded, volume, dollar volume, and factors that we compute. Without open, high
 * and low it is the day's last price, not a bar.
 */
function parseCoarse(document: RawDocument): Parsed {
  const day = /^(\d{4})(\d\d)(\d\d)\.csv/.exec(fileName(pathOf(document.url)))
  if (!day) throw new Unreadable('day_not_stated', `lean ${document.url}: the file's name is no day, expected e.g. 20140324.csv`)
  const table = quoteTable(document)
  for (const { cells, at } of csvCells(document)) {
    const [, printed = '', close, volume] = cells
    const listing = parseSymbolOn('US', printed) ?? parseSymbol(`US:${printed}`)
    if (!listing) table.skip('unreadable_symbol')
    else table.add({ symbol: listing.symbol, time: `${day[1]}-${day[2]}-${day[3]}`, price: close, volume, currency: 'USD' }, at)
  }
  return table.parsed()
}

export const tiingoQuoteReader = reader('tiingo.iex_quote', 'quotes', {
  reads: url => /^https:\/\/api\.tiingo\.com\/iex\/?(?:\?|$)/.test(url) || /^https:\/\/api\.tiingo\.com\/iex\/[^/?]+\/?(?:\?|$)/.test(url),
  matches: head => /^\s*\[\s*\{/.test(head) && head.includes('"tngoLast"'),
  parse: parseTiingo,
})
export const globalQuoteReader = reader('alphavantage.global_quote', 'quotes', {
  reads: url => /^https:\/\/www\.alphavantage\.co\/query\?(?:.*&)?function=GLOBAL_QUOTE(?:&|$)/.test(url),
  matches: head => /^\s*\{\s*"Global Quote/.test(head),
  parse: parseGlobalQuote,
})
export const leanCoarseReader = reader('lean.coarse', 'quotes', {
  reads: () => false, // files only
  matches: head => /^\ufeff?[A-Z0-9.]+ [A-Z0-9]{10,16},[A-Z0-9.]+,[\d.]+,\d+,\d+,(?:True|False),/i.test(head),
  parse: parseCoarse,
})
