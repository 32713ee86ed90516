// Yahoo's quote (v7): the newest of the regular, the pre-market and the post-market price. A symbol that Yahoo does not know is returned
// with quoteType NONE among the others, without an error.

import { Unreadable } from '#schemas/errors.ts'
import { dollarSymbol } from '#schemas/fx.ts'
import type { TextJson } from '#schemas/number-text.ts'
import { isObject, jsonOf, objectsOf, textIn } from '../csv/body.ts'
import { dollarSpelling } from '../fx/dollar.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'
import { yahooSymbol } from '../symbols/yahoo-symbol.ts'
import { epochMs, type QuoteCells, quoteTable } from './table.ts'

type Row = { readonly [name: string]: TextJson }
/** With `formatted=true` every number is an object of its raw and its printed form. */
function cell(row: Row, name: string): string | null {
  const value = row[name]
  return isObject(value) ? textIn(value, 'raw') : textIn(row, name)
}

type Price = Pick<QuoteCells, 'price' | 'time'> & { readonly session: 'pre' | 'regular' | 'post' }
const sessions = ['regular', 'pre', 'post'] as const

/** The newest price that has a time, and the regular one if they differ. */
function pricesOf(row: Row): { last: Price | null; regular: string | null } {
  const prices = sessions.flatMap((session): Price[] => {
    const [price, time] = [cell(row, `${session}MarketPrice`), epochMs(cell(row, `${session}MarketTime`))]
    return price === null || time === null ? [] : [{ session, price, time }]
  })
  const last = prices.reduce<Price | null>((best, each) => (best === null || Number(each.time) > Number(best.time) ? each : best), null)
  return { last, regular: last?.session === 'regular' ? null : (prices.find(each => each.session === 'regular')?.price ?? null) }
}

function parse(document: RawDocument): Parsed {
  const subject = `yahoo ${document.url}`
  const value = jsonOf(document)
  const response = isObject(value) ? value['quoteResponse'] : undefined
  if (!isObject(response)) throw new Unreadable('not_a_quote', `${subject}: no member quoteResponse`)
  const table = quoteTable(document)
  for (const [at, row] of objectsOf(response['result'], subject).entries()) {
    const printed = textIn(row, 'symbol') ?? ''
    const listing = printed === dollarSpelling.yahoo ? { symbol: dollarSymbol } : yahooSymbol(printed)
    if (textIn(row, 'quoteType') === 'NONE') table.skip('unknown_symbol')
    else if (!listing) table.skip('other_exchange')
    else {
      const { last, regular } = pricesOf(row)
      const currency = textIn(row, 'currency')
      const delay = cell(row, 'exchangeDataDelayedBy')
      if (last === null && cell(row, 'bid') === null && cell(row, 'ask') === null) table.skip('no_price')
      else if (currency === null) table.refuse('no_currency', listing.symbol, `quote ${at + 1} names no currency`, row)
      else
        table.add(
          {
            symbol: listing.symbol,
            time: last?.time ?? null,
            ...(last ? { session: last.session } : {}),
            price: last?.price ?? null,
            regular_price: regular,
            regular_time: epochMs(cell(row, 'regularMarketTime')),
            bid: cell(row, 'bid'),
            ask: cell(row, 'ask'),
            bid_size: cell(row, 'bidSize'),
            ask_size: cell(row, 'askSize'),
            open: cell(row, 'regularMarketOpen'),
            high: cell(row, 'regularMarketDayHigh'),
            low: cell(row, 'regularMarketDayLow'),
            previous_close: cell(row, 'regularMarketPreviousClose'),
            volume: cell(row, 'regularMarketVolume'),
            currency,
            delay_seconds: delay === null ? null : Number(delay) * 60,
          },
          at + 1,
        )
    }
  }
  return table.parsed()
}

export const yahooQuoteReader = reader('yahoo.quote', 'quotes', {
  reads: url => /^https:\/\/query[12]\.finance\.yahoo\.com\/v7\/finance\/quote(?:\?|$)/.test(url),
  matches: head => /^\s*\{\s*"quoteResponse"\s*:/.test(head),
  parse,
})
