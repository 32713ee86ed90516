// Every kind of document with daily bars; several also have dividends and splits in the same rows.
import type { Reader } from '../parsed.ts'
import { alphaVantageReader } from './alphavantage.ts'
import { csvBarsReader } from './drop-in.ts'
import { eodhdBarsReader, eodhdBulkBarsReader } from './eodhd.ts'
import { leanReader } from './lean.ts'
import { polygonBarsReader } from './polygon.ts'
import { quandlReader } from './quandl.ts'
import { tiingoReader } from './tiingo.ts'
import { yahooChartReader } from './yahoo-chart.ts'
import { yahooCsvReader } from './yahoo-csv.ts'

export const barReaders: readonly Reader[] = [
  eodhdBulkBarsReader,
  eodhdBarsReader,
  tiingoReader,
  yahooChartReader,
  yahooCsvReader,
  alphaVantageReader,
  leanReader,
  quandlReader,
  polygonBarsReader,
  csvBarsReader,
]
