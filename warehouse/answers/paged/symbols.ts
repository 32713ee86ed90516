// Stored pages of listings: one for each symbol that a directory lists.
import { parseSymbol } from '#schemas/spelling.ts'
import { changedValues, distinct, hasOnly } from './changed.ts'
import type { StoredPage } from './stored-page.ts'

export const symbolPage: StoredPage = {
  from: ['symbols'],
  // A CUSIP has no page: its meaning depends on filings.
  standard: (question, context) =>
    hasOnly(question, 'symbol') &&
    parseSymbol(String(question['symbol']))?.symbol === question['symbol'] &&
    context.symbols.find(String(question['symbol'])) !== null,
  changed: (rows, context) =>
    distinct(changedValues(rows, ['symbols'], 'instrument_id').flatMap(id => context.symbols.history(id).map(each => each.symbol))).map(symbol => ({
      symbol,
    })),
}
