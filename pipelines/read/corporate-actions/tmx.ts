// TMX Money's dividends of one symbol (GraphQL `getDividendsForSymbol`): amount, currency and the four dates, newest first, in
// pages. The rows do not repeat the symbol; it is in the request, with its board in a comment (sources/tmx.ts).

import { Unreadable, Upstream } from '#schemas/errors.ts'
import type { TextJson } from '#schemas/number-text.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { readTmx } from '#schemas/vendor-spelling.ts'
import { questionAt } from '../../fetch/sources/question.ts'
import { tmxDividendsUrl, tmxUrl } from '../../fetch/sources/tmx.ts'
import { actionTable } from '../bars/action-table.ts'
import { isObject, jsonOf, objectsOf, pathOf, stem, textIn } from '../csv/body.ts'
import { dayOf, isMissing } from '../csv/cells.ts'
import type { Parsed, RawDocument } from '../parsed.ts'
import { reader } from '../reader.ts'

type Question = { readonly symbol: string; readonly page: number }

/** The parameters of a dividends request at an address; null for other addresses. */
function requestedDividends(url: string): Question | null {
  const { url: target, body } = questionAt(url)
  if (target !== tmxUrl || body === null) return null
  const requested = JSON.parse(body) as { operationName?: unknown; query?: unknown; variables?: { page?: unknown } }
  const listing = typeof requested.query === 'string' ? /^# (\S+)\n/.exec(requested.query)?.[1] : undefined
  if (requested.operationName !== 'getDividendsForSymbol' || listing === undefined) return null
  return { symbol: listing, page: typeof requested.variables?.page === 'number' ? requested.variables.page : 1 }
}

/** `getDividendsForSymbol_CJR.B_2024-06-27.json` and `RY.TO.json`; without a board Toronto is meant, as on TMX's pages. */
function symbolIn(document: RawDocument): string {
  const requested = document.url.startsWith('https:') ? requestedDividends(document.url) : null
  if (requested) return requested.symbol
  const name =
    stem(pathOf(document.url))
      .replace(/^getDividendsForSymbol[_-]/i, '')
      .split('_')[0] ?? ''
  const read = /\.(?:TO|V)$/.test(name) ? parseSymbol(name) : readTmx(name, 'TO')
  if (read) return read.symbol
  throw new Unreadable('symbol_not_stated', `tmx ${document.url}: neither the request nor the file's name gives the symbol`)
}

function pageOf(document: RawDocument): { readonly [name: string]: TextJson } {
  const subject = `tmx ${document.url}`
  const value = jsonOf(document)
  const data = isObject(value) ? value['data'] : undefined
  // A response may hold `errors` with a null: it does not distinguish no dividends from a failed lookup.
  if (isObject(value) && Array.isArray(value['errors']) && value['errors'].length > 0)
    throw new Upstream(`${subject}: "${JSON.stringify(value['errors']).slice(0, 200)}"`)
  if (!isObject(data) || !('dividends' in data)) throw new Unreadable('not_dividends', `${subject}: no member data.dividends`)
  if (!isObject(data['dividends'])) throw new Upstream(`${subject}: null instead of dividends`)
  return data['dividends']
}

function parse(document: RawDocument): Parsed {
  const symbol = symbolIn(document)
  const page = pageOf(document)
  const table = actionTable('tmx')
  for (const [at, row] of objectsOf(page['dividends'] ?? [], `tmx ${document.url}`).entries()) {
    const cell = (name: string): string | null => (isMissing(textIn(row, name)) ? null : textIn(row, name))
    const [amount, currency] = [cell('amount'), cell('currency')]
    if (amount === null || !(Number(amount) > 0))
      table.refuse('no_amount', symbol, `row ${at + 1} of ${cell('exDate')} states no amount above 0`, row)
    // The currency decides whether a rate is applied: it is never taken from the listing.
    else if (currency === null || !/^[A-Z]{3}$/.test(currency))
      table.refuse('no_currency', symbol, `row ${at + 1} of ${cell('exDate')} has currency "${String(row['currency']).slice(0, 20)}"`, row)
    else {
      const dates = { record_date: cell('recordDate'), pay_date: cell('payableDate'), declared_date: cell('declarationDate') }
      table.add({ symbol, kind: 'dividend', ex_date: dayOf(cell('exDate')), amount, currency, ...dates }, at + 1)
    }
  }
  const requested = requestedDividends(document.url)
  const parsed = table.parsed()
  return page['hasNextPage'] === true && requested ? { ...parsed, follow: [tmxDividendsUrl(symbol, requested.page + 1)] } : parsed
}

export const tmxDividendsReader = reader('tmx.dividends', 'corporate_actions', {
  reads: url => url.startsWith(`${tmxUrl}#`) && requestedDividends(url) !== null,
  matches: (head, path) =>
    /^\s*\{/.test(head) && (/"payableDate"/.test(head.slice(0, 4000)) || /getDividendsForSymbol/.test(path)) && /"dividends"|"errors"/.test(head),
  parse,
})
