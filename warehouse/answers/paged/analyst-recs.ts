// Stored pages of analysts' ratings: one for each listing with a rating from any source.
import { parseSymbol } from '#schemas/spelling.ts'
import type { StoredPage } from './stored-page.ts'

export const analystRecsPage: StoredPage = {
  from: ['analyst_consensus'],
  standard: question => Object.keys(question).join() === 'symbol' && parseSymbol(String(question['symbol']))?.symbol === question['symbol'],
  changed: rows => [...new Set((rows.get('analyst_consensus') ?? []).map(row => String(row['symbol'])))].sort().map(symbol => ({ symbol })),
  parts: questions => ({ analyst_consensus: questions.map(question => String(question['symbol'])) }),
  // The reason of an empty answer depends on more than the listing's rows: it is evaluated for each request.
  isCurrent: (payload, question) =>
    payload.toString('utf8', 0, 200).startsWith(`{"symbol":${JSON.stringify(question['symbol'])},"coverage":{"status":"read"`),
}
