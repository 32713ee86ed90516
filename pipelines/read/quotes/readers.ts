// Every kind of document that quotes a listing.
import type { Reader } from '../parsed.ts'
import { eodhdDelayedReader, eodhdRealTimeReader } from './eodhd.ts'
import { globalQuoteReader, leanCoarseReader, tiingoQuoteReader } from './others.ts'
import { polygonOpenCloseReader, polygonSnapshotReader, polygonStatusReader } from './polygon.ts'
import { tmxQuoteReader } from './tmx.ts'
import { yahooQuoteReader } from './yahoo.ts'

export const quoteReaders: readonly Reader[] = [
  yahooQuoteReader,
  tmxQuoteReader,
  eodhdDelayedReader,
  eodhdRealTimeReader,
  polygonSnapshotReader,
  polygonStatusReader,
  polygonOpenCloseReader,
  tiingoQuoteReader,
  globalQuoteReader,
  leanCoarseReader,
]
