// Every kind of document that tells report days, offerings to come or what analysts say; and statements of vendors, which are not taken.
import type { Reader } from '../parsed.ts'
import { alphaVantageEarningsReader, alphaVantageIpoReader, alphaVantageOverviewReader } from './alphavantage.ts'
import { eodhdEarningsReader, eodhdIpoReader, eodhdRatingsReader } from './eodhd.ts'
import { nasdaqEarningsReader, nasdaqIpoReader } from './nasdaq.ts'
import { notTakenReaders } from './not-taken.ts'
import { tmxEarningsReader } from './tmx.ts'
import { yahooSummaryReader } from './yahoo.ts'

export const calendarReaders: readonly Reader[] = [
  nasdaqEarningsReader,
  nasdaqIpoReader,
  tmxEarningsReader,
  yahooSummaryReader,
  eodhdEarningsReader,
  eodhdIpoReader,
  eodhdRatingsReader,
  alphaVantageEarningsReader,
  alphaVantageIpoReader,
  alphaVantageOverviewReader,
  ...notTakenReaders,
]
