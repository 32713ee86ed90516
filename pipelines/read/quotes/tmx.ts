// TMX Money's getQuoteBySymbol and getQuoteForSymbols. Neither prints a time or a currency: the price is at least a quarter of
// an hour old (TMX Money shows delayed prices), and in the currency that the listing trades in. Missing numbers are "N/A" or "".

import { Unreadable } from '#schemas/errors.ts'
import type { TextJson } from '#schemas/number-text.ts'
import { readTmx } from '#schemas/vendor-spelling.ts'
import { isList, isObject, jsonOf, textIn } from '../csv/body.ts'
import { currencyOf } from '../csv/cells.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'
import { type QuoteTable, quoteTable } from './table.ts'

const delaySeconds = 900
const boards: Readonly<Record<string, 'TO' | 'V'>> = { TSX: 'TO', TSXV: 'V', 'TSX-V': 'V', CDX: 'V' }

function addRow(table: QuoteTable, row: { readonly [name: string]: TextJson }, at: number) {
  const printed = textIn(row, 'symbol') ?? ''
  const board = textIn(row, 'exchangeCode') ?? textIn(row, 'exShortName')
  const exchange = boards[board ?? '']
  if (board === null) return table.refuse('exchange_not_stated', printed, `quote ${at} does not name its exchange`, row)
  if (exchange === undefined) return table.skip('other_exchange')
  const listing = readTmx(printed, exchange)
  if (!listing) return table.refuse('unreadable_symbol', printed, `quote ${at} is of "${printed.slice(0, 20)}", expected a symbol`, row)
  table.add(
    {
      symbol: listing.symbol,
      time: null,
      price: textIn(row, 'price'),
      open: textIn(row, 'openPrice'),
      high: textIn(row, 'dayHigh'),
      low: textIn(row, 'dayLow'),
      previous_close: textIn(row, 'prevClose'),
      volume: textIn(row, 'volume'),
      currency: currencyOf(listing.symbol),
      delay_seconds: delaySeconds,
    },
    at,
  )
}

function parse(document: RawDocument): Parsed {
  const value = jsonOf(document)
  const data = isObject(value) ? value['data'] : undefined
  if (!isObject(data)) throw new Unreadable('not_a_quote', `tmx ${document.url}: no member data`)
  const table = quoteTable(document)
  const one = data['getQuoteBySymbol']
  const many = data['getQuoteForSymbols']
  const rows = isList(many) ? many : one === undefined ? [many ?? null] : [one]
  for (const [at, row] of rows.entries()) {
    // TMX returns null both for a symbol that it does not know and for a failed lookup: neither is a fact.
    if (isObject(row)) addRow(table, row, at + 1)
    else table.skip('no_quote')
  }
  return table.parsed()
}

export const tmxQuoteReader = reader('tmx.quote', 'quotes', {
  reads: url => /^https:\/\/app-money\.tmx\.com\/graphql#post:/.test(url) && /getQuote(?:BySymbol|ForSymbols)%22/.test(url),
  matches: head => /^\s*\{\s*"data"\s*:\s*\{\s*"getQuote(?:BySymbol|ForSymbols)"\s*:/.test(head),
  parse,
})
