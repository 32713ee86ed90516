// Plans that fetch the US dollar in Canadian dollars from sources of stock quotes.
import { eodhdRealTimeUrl, yahooQuotesUrl } from '../../fetch/sources/quote-addresses.ts'
import { dollarSpelling } from '../../read/fx/dollar.ts'
import { current, type Plan } from './plan.ts'

export const dollarPlans: readonly (readonly [string, Plan])[] = [
  ['yahoo-dollar', { first: () => [current(yahooQuotesUrl([dollarSpelling.yahoo]))] }],
  ['eodhd-dollar', { first: () => [current(eodhdRealTimeUrl([dollarSpelling.eodhd]))] }],
]
