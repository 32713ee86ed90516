// EODHD's splits and dividends, by exchange and day or by symbol. A split is "shares after/shares before" in six decimals;
// of a dividend the unadjusted value is taken, since `value` is divided by every later split.

import { earliestDay } from '#schemas/days.ts'
import { type ActionTable, actionTable, ratioParts } from '../bars/action-table.ts'
import { bulkSymbol, bulkType, eodhdRows, symbolInPath } from '../bars/eodhd.ts'
import { withSplitHistory } from '../bars/split-history.ts'
import { headerOf, type TableRow } from '../csv/body.ts'
import { dayOf, decimalOf } from '../csv/cells.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'

type SymbolOf = (row: TableRow) => ReturnType<typeof bulkSymbol>

function parseRows(
  document: RawDocument,
  needed: readonly string[],
  symbolOf: SymbolOf,
  add: (table: ActionTable, symbol: string, row: TableRow) => void,
): Parsed {
  const table = actionTable('eodhd')
  for (const row of eodhdRows(document, needed)) {
    const found = symbolOf(row)
    if ('skipped' in found) table.skip(found.skipped)
    else add(table, found.symbol, row)
  }
  return table.parsed()
}

function addSplit(table: ActionTable, symbol: string, { cells, at }: TableRow): void {
  const text = cells['split'] || cells['stocksplits'] || cells['splits']
  const ratio = ratioParts(text)
  if (ratio) table.add({ symbol, kind: 'split', ex_date: cells['date'], ...ratio }, at)
  else
    table.refuse('bad_ratio', symbol, `row ${at} of ${cells['date']} has split "${String(text).slice(0, 40)}", expected after/before`, { ...cells })
}

function addDividend(table: ActionTable, symbol: string, { cells, at }: TableRow): void {
  const printed = [cells['unadjustedvalue'], cells['dividend'], cells['value'], cells['dividends']]
  const amount = printed.find(text => Number(decimalOf(text) ?? 0) > 0)
  const dates = { record_date: cells['recorddate'], pay_date: cells['paymentdate'], declared_date: cells['declarationdate'] }
  if (amount === undefined) table.refuse('no_amount', symbol, `row ${at} of ${cells['date']} states no amount above 0`, { ...cells })
  else table.add({ symbol, kind: 'dividend', ex_date: cells['date'], amount, currency: cells['currency'], ...dates }, at)
}

const inPath = (document: RawDocument): SymbolOf => {
  const symbol = symbolInPath(document)
  return () => ({ symbol })
}
/**
 * The days that an address requests: from the first day if it has no start, and up to the retrieval if it has no end; none if the file has
 * no address.
 */
function requestedDays({ url, retrieved_at }: RawDocument): readonly [string | null, string] {
  const requested = url.startsWith('https:') ? (URL.parse(url)?.searchParams ?? null) : null
  const [until, retrieved] = [dayOf(requested?.get('to')) ?? '9999-12-31', retrieved_at.slice(0, 10)]
  return [requested === null ? null : (dayOf(requested.get('from')) ?? earliestDay), until < retrieved ? until : retrieved]
}
const isJson = (head: string, yes: RegExp, no?: RegExp): boolean =>
  /^\s*\[\s*\{/.test(head) && yes.test(head.slice(0, 2000)) && !no?.test(head.slice(0, 2000))
const single =
  (kind: string) =>
  (url: string): boolean =>
    new RegExp(`^https://eodhd\\.com/api/${kind}/[^/?]+(?:\\?|$)`).test(url)

export const eodhdBulkSplitsReader = reader('eodhd.bulk_splits', 'corporate_actions', {
  reads: url => bulkType(url) === 'splits',
  matches: head => isJson(head, /"code".*"split"/s) || /^code,ex(?:change)?,date,split$/.test(headerOf(head).join()),
  parse: document => parseRows(document, ['code', 'date', 'split'], row => bulkSymbol(row, document), addSplit),
})
export const eodhdBulkDividendsReader = reader('eodhd.bulk_dividends', 'corporate_actions', {
  reads: url => bulkType(url) === 'dividends',
  matches: head => isJson(head, /"code".*"dividend"/s) || /^code,ex(?:change)?,date,dividend/.test(headerOf(head).join()),
  parse: document => parseRows(document, ['code', 'date', 'dividend'], row => bulkSymbol(row, document), addDividend),
})
export const eodhdSplitsReader = reader('eodhd.splits', 'corporate_actions', {
  reads: single('splits'),
  matches: head => isJson(head, /"date".*"split"/s, /"code"/) || /^date,(?:stocksplits|split)$/.test(headerOf(head).join()),
  parse: document => {
    const parsed = parseRows(document, ['date'], inPath(document), addSplit)
    const [from, to] = requestedDays(document)
    return from === null ? parsed : withSplitHistory(parsed, symbolInPath(document), 'eodhd', from, to)
  },
})
export const eodhdDividendsReader = reader('eodhd.dividends', 'corporate_actions', {
  reads: single('div'),
  matches: head => isJson(head, /"date".*"unadjustedValue"/s, /"code"/) || /^date,dividends/.test(headerOf(head).join()),
  parse: document => parseRows(document, ['date'], inPath(document), addDividend),
})
