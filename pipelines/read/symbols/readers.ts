// Every kind of document with listings: one line per source.
import type { Reader } from '../parsed.ts'
import { dropInSymbolReaders } from './drop-in.ts'
import { eodhdSymbolReaders } from './eodhd-symbols.ts'
import { leanMapReaders } from './lean-maps.ts'
import { nasdaqTraderReaders } from './nasdaq-trader.ts'
import { polygonSymbolReaders } from './polygon-symbols.ts'
import { symbolListReaders } from './symbol-list.ts'
import { tiingoTickerReaders } from './tiingo-tickers.ts'
import { tsxReaders } from './tsx-directory.ts'

export const symbolReaders: readonly Reader[] = [
  ...nasdaqTraderReaders,
  ...tsxReaders,
  ...symbolListReaders,
  ...eodhdSymbolReaders,
  ...polygonSymbolReaders,
  ...tiingoTickerReaders,
  ...leanMapReaders,
  ...dropInSymbolReaders,
]
