// EODHD's two kinds of delayed quotes: `real-time` for every exchange with the last price only, and `us-quote-delayed` with bid, ask and
// the price outside of regular hours. A symbol that EODHD does not know is returned with every cell "NA".

import { Unreadable } from '#schemas/errors.ts'
import { dollarSymbol } from '#schemas/fx.ts'
import type { TextJson } from '#schemas/number-text.ts'
import { eodhd as spelling } from '#schemas/vendor-spelling.ts'
import { isList, isObject, jsonOf, objectsOf, textIn } from '../csv/body.ts'
import { currencyOf, isMissing } from '../csv/cells.ts'
import { dollarSpelling } from '../fx/dollar.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'
import { bookAndRange, epochMs, type QuoteTable, quoteTable } from './table.ts'

type Row = { readonly [name: string]: TextJson }
/** EODHD documents 15 to 20 minutes for stocks. */
const delaySeconds = 900
/** Currencies come about a minute late. */
const dollarDelaySeconds = 60

function symbolOf(table: QuoteTable, printed: string): string | null {
  if (printed === dollarSpelling.eodhd) return dollarSymbol
  const listing = spelling.read(printed)
  if (!listing) table.skip(/\.[A-Z]+$/.test(printed) ? 'other_exchange' : 'unreadable_symbol')
  return listing?.symbol ?? null
}

function parseRealTime(document: RawDocument): Parsed {
  const value = jsonOf(document)
  const table = quoteTable(document)
  // One symbol is answered as an object, several as a list.
  for (const [at, row] of objectsOf(isList(value) ? value : [value], `eodhd ${document.url}`).entries()) {
    const code = textIn(row, 'code')
    if (code === null) throw new Unreadable('not_a_quote', `eodhd ${document.url}: element ${at + 1} has no code`)
    const symbol = symbolOf(table, code)
    if (symbol === null) continue
    const cell = (name: string): string | null => textIn(row, name)
    if (isMissing(cell('close')) || cell('close') === 'NA') {
      table.skip('unknown_symbol')
      continue
    }
    const time = epochMs(cell('timestamp'))
    const plain = (name: string): string | null => (cell(name) === 'NA' ? null : cell(name))
    if (time === null) table.refuse('bad_time', symbol, `quote ${at + 1} has timestamp "${String(cell('timestamp')).slice(0, 30)}"`, row)
    else
      table.add(
        {
          symbol,
          time,
          price: plain('close'),
          open: plain('open'),
          high: plain('high'),
          low: plain('low'),
          previous_close: plain('previousClose'),
          volume: plain('volume'),
          currency: symbol === dollarSymbol ? 'CAD' : currencyOf(symbol),
          delay_seconds: symbol === dollarSymbol ? dollarDelaySeconds : delaySeconds,
        },
        at + 1,
      )
  }
  return table.parsed()
}

/** The price outside of regular hours if it is newer. */
function lastOf(row: Row): { readonly price: string | null; readonly regular: string | null; readonly time: number | null } {
  const [last, eth] = [textIn(row, 'lastTradePrice'), textIn(row, 'ethPrice')]
  const [lastTime, ethTime] = [epochMs(textIn(row, 'lastTradeTime')), epochMs(textIn(row, 'ethTime'))]
  const extended = eth !== null && Number(eth) > 0 && ethTime !== null && (lastTime === null || ethTime > lastTime)
  return extended ? { price: eth, regular: last, time: ethTime } : { price: last, regular: null, time: lastTime }
}

function parseDelayed(document: RawDocument): Parsed {
  const value = jsonOf(document)
  const data = isObject(value) ? value['data'] : undefined
  if (!isObject(data)) throw new Unreadable('not_a_quote', `eodhd ${document.url}: no member data`)
  const table = quoteTable(document)
  for (const [at, [printed, row]] of Object.entries(data).entries()) {
    const symbol = symbolOf(table, printed)
    if (symbol === null) continue
    if (!isObject(row)) {
      table.skip('unknown_symbol')
      continue
    }
    const cell = (name: string): string | null => textIn(row, name)
    const { price, regular, time } = lastOf(row)
    const book = Math.max(epochMs(cell('bidTime')) ?? 0, epochMs(cell('askTime')) ?? 0) || null
    if (price === null && cell('bidPrice') === null && cell('askPrice') === null) {
      table.skip('no_price')
      continue
    }
    if (time === null && book === null) {
      table.refuse('bad_time', symbol, `quote ${at + 1} has no time of a trade and none of a bid or an ask`, row)
      continue
    }
    table.add(
      {
        symbol,
        time: time ?? book,
        price,
        regular_price: regular,
        regular_time: epochMs(cell('lastTradeTime')),
        ...bookAndRange(cell, book),
        previous_close: cell('previousClosePrice') ?? cell('previousClose'),
        volume: cell('volume'),
        currency: cell('currency') ?? currencyOf(symbol),
        delay_seconds: delaySeconds,
      },
      at + 1,
    )
  }
  return table.parsed()
}

export const eodhdRealTimeReader = reader('eodhd.real_time', 'quotes', {
  reads: url => /^https:\/\/eodhd\.com\/api\/real-time\/[^/?]+(?:\?|$)/.test(url),
  matches: head => /^\s*\[?\s*\{\s*"code"\s*:\s*"[^"]{1,20}"\s*,\s*"timestamp"\s*:/.test(head) && head.includes('"previousClose"'),
  parse: parseRealTime,
})
export const eodhdDelayedReader = reader('eodhd.us_quote_delayed', 'quotes', {
  reads: url => /^https:\/\/eodhd\.com\/api\/us-quote-delayed(?:\?|$)/.test(url),
  matches: head => /^\s*\{/.test(head) && head.includes('"lastTradePrice"') && head.includes('"data"'),
  parse: parseDelayed,
})
