// Every kind of document with report days, coming offerings or analyst opinions; and vendors' statements, which are not stored.
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
