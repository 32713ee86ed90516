// Quotes of the US dollar in Canadian dollars, from sources of stock quotes that have currencies too: the Bank of Canada's rate is of
// one moment of the day, and a spread needs the rate of its own.
import { current, type Plan } from '../plan.ts'
import { eodhdRealTimeUrl, yahooQuotesUrl } from '../sources/quote-addresses.ts'

/** How the sources spell the dollar's price. */
export const dollarSpelling = { yahoo: 'CAD=X', eodhd: 'USDCAD.FOREX' } as const

export const dollarPlans: readonly (readonly [string, Plan])[] = [
  ['yahoo-dollar', { first: () => [current(yahooQuotesUrl([dollarSpelling.yahoo]))] }],
  ['eodhd-dollar', { first: () => [current(eodhdRealTimeUrl([dollarSpelling.eodhd]))] }],
]
