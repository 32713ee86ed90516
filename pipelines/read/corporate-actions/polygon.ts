// Polygon's reference lists of US splits and dividends. `split_to` new shares for `split_from` old ones.

import { Unreadable } from '#schemas/errors.ts'
import type { TextJson } from '#schemas/number-text.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { type ActionTable, actionTable } from '../bars/action-table.ts'
import { isObject, jsonOf, objectsOf, textIn } from '../csv/body.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'

type Fields = { readonly [name: string]: TextJson }
/** Polygon: CD consistent, SC special cash, LT and ST long- and short-term capital gain. */
const kinds: Readonly<Record<string, 'dividend' | 'special_dividend' | 'capital_gain'>> = {
  CD: 'dividend',
  SC: 'special_dividend',
  LT: 'capital_gain',
  ST: 'capital_gain',
}

function parseRows(document: RawDocument, add: (table: ActionTable, symbol: string, row: Fields, at: number) => void): Parsed {
  const subject = `polygon ${document.url}`
  const value = jsonOf(document)
  if (!isObject(value)) throw new Unreadable('not_a_list', `${subject}: an object with results was expected`)
  const table = actionTable('polygon')
  for (const [at, row] of objectsOf(value['results'] ?? [], subject).entries()) {
    const read = parseSymbol(`US:${textIn(row, 'ticker') ?? ''}`)
    if (read) add(table, read.symbol, row, at + 1)
    else table.skip('unreadable_symbol')
  }
  const parsed = table.parsed()
  const next = textIn(value, 'next_url')
  return next === null ? parsed : { ...parsed, follow: [next] }
}

function addDividend(table: ActionTable, symbol: string, row: Fields, at: number): void {
  const kind = kinds[textIn(row, 'dividend_type') ?? 'CD']
  const cell = (name: string): string | null => textIn(row, name)
  if (kind === undefined)
    table.refuse('unknown_kind', symbol, `row ${at} has dividend_type "${cell('dividend_type')?.slice(0, 20)}", expected CD, SC, LT or ST`, row)
  else {
    const dates = { record_date: cell('record_date'), pay_date: cell('pay_date'), declared_date: cell('declaration_date') }
    table.add({ symbol, kind, ex_date: cell('ex_dividend_date'), amount: cell('cash_amount'), currency: cell('currency') ?? 'USD', ...dates }, at)
  }
}

export const polygonDividendsReader = reader('polygon.dividends', 'corporate_actions', {
  reads: url => /^https:\/\/api\.polygon\.io\/v3\/reference\/dividends(?:\?|$)/.test(url),
  matches: head => /"results"/.test(head.slice(0, 500)) && head.slice(0, 3000).includes('"ex_dividend_date"'),
  parse: document => parseRows(document, addDividend),
})
export const polygonSplitsReader = reader('polygon.splits', 'corporate_actions', {
  reads: url => /^https:\/\/api\.polygon\.io\/v3\/reference\/splits(?:\?|$)/.test(url),
  matches: head => /"results"/.test(head.slice(0, 500)) && head.slice(0, 3000).includes('"split_from"'),
  parse: document =>
    parseRows(document, (table, symbol, row, at) => {
      table.add(
        { symbol, kind: 'split', ex_date: textIn(row, 'execution_date'), numerator: textIn(row, 'split_to'), denominator: textIn(row, 'split_from') },
        at,
      )
    }),
})
