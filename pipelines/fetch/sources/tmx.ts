// Toronto: the company directories and the interlisted file of tsx.com, and TMX Money's GraphQL. All undocumented and
// without terms for automated use, so both are off until the operator enables them.
import { BadRequest } from '#schemas/errors.ts'
import { IsoDate } from '#schemas/values.ts'
import { writeTmx } from '#schemas/vendor-spelling.ts'
import { postAddress } from './question.ts'
import { excerpt, smallJson } from './sniff.ts'
import { type Answer, couldNotAsk, type Disguise, jsonUpstream, upstream } from './upstream.ts'

export const tsx = upstream('tsx', 'TSX and TSX Venture company directory', {
  hosts: ['www.tsx.com'],
  licence: 'undocumented; no right to redistribute',
  credential: 'opt_in',
  limits: { perSecond: 0.5, burst: 2 },
  expects: url => (url.pathname.startsWith('/json/') ? 'json' : 'text'),
})

/** All issuers of a board with their instruments inside; `%5E*` asks for every initial. */
export const tsxDirectoryUrl = (board: 'tsx' | 'tsxv'): string => `https://www.tsx.com/json/company-directory/search/${board}/%5E*`
/** Issuers of both boards that are also listed abroad, tab-separated. */
export const interlistedUrl = 'https://www.tsx.com/files/trading/interlisted-companies.txt'

/** GraphQL reports errors with status 200: `errors` with a null. A day without data looks the same as a failure, so neither is accepted. */
function graphqlErrors(answer: Answer): Disguise | null {
  const head = /^\s*\{\s*"errors"\s*:\s*\[\s*\{/.test(answer.head)
  const errors = smallJson(answer)?.['errors']
  if (!head && !(Array.isArray(errors) && errors.length > 0)) return null
  const first: unknown = Array.isArray(errors) ? errors[0] : null
  const quoted = typeof first === 'object' && first !== null && 'message' in first ? String(first.message) : answer.head
  return couldNotAsk('graphql_errors', `"${excerpt(quoted)}" with status ${answer.status}`)
}

export const tmx = jsonUpstream('tmx', 'TMX Money', {
  hosts: ['app-money.tmx.com'],
  licence: 'undocumented; no right to redistribute',
  credential: 'opt_in',
  limits: { perSecond: 0.5, burst: 2 },
  headers: { 'content-type': 'application/json', accept: 'application/json', locale: 'en', referer: 'https://money.tmx.com/' },
  disguised: graphqlErrors,
})

export const tmxUrl = 'https://app-money.tmx.com/graphql'
/** Rows per page of a dividend history: a quarterly payer's whole history is one page. */
const dividendsInPage = 100
/**
 * One page of a symbol's dividends, newest first, with currency and all four dates. TMX spells a symbol without its board
 * (`CJR.B`), so the query carries the canonical symbol as a comment, which GraphQL ignores. Throws `BadRequest` for a symbol
 * of the United States.
 */
export function tmxDividendsUrl(symbol: string, page = 1): string {
  const spelled = writeTmx(symbol)
  if (spelled === null) throw new BadRequest(`tmx: ${symbol.slice(0, 20)} is not listed in Toronto or on the Venture exchange`)
  const query =
    'query getDividendsForSymbol($symbol: String!, $page: Int, $batch: Int) { dividends: getDividendsForSymbol(symbol: $symbol, page: $page, batch: $batch) { pageNumber hasNextPage dividends { exDate amount currency payableDate declarationDate recordDate } } }'
  return postAddress(tmxUrl, {
    operationName: 'getDividendsForSymbol',
    variables: { symbol: spelled, page, batch: dividendsInPage },
    query: `# ${symbol}\n${query}`,
  })
}
/** Reports of one day on both Canadian boards. */
export function tmxEarningsUrl(date: string): string {
  if (!IsoDate.safeParse(date).success) throw new BadRequest(`tmx: "${date.slice(0, 20)}" is not a day as YYYY-MM-DD`)
  return postAddress(tmxUrl, {
    operationName: 'getEnhancedEarningsForDate',
    variables: { date },
    query:
      'query getEnhancedEarningsForDate($date: String!) { getEnhancedEarningsForDate(date: $date) { symbol companyName announceTime estimatedEps actualEps epsSurprisePercent epsSurpriseDollar } }',
  })
}
