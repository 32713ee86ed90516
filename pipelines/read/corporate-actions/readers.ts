// Every kind of document with only corporate actions; sources that combine them with bars are in ../bars/readers.ts.
import type { Reader } from '../parsed.ts'
import { csvActionsReader } from './drop-in.ts'
import { eodhdBulkDividendsReader, eodhdBulkSplitsReader, eodhdDividendsReader, eodhdSplitsReader } from './eodhd.ts'
import { leanFactorsReader } from './lean.ts'
import { polygonDividendsReader, polygonSplitsReader } from './polygon.ts'
import { tmxDividendsReader } from './tmx.ts'

export const corporateActionReaders: readonly Reader[] = [
  eodhdBulkSplitsReader,
  eodhdBulkDividendsReader,
  eodhdSplitsReader,
  eodhdDividendsReader,
  polygonSplitsReader,
  polygonDividendsReader,
  tmxDividendsReader,
  leanFactorsReader,
  csvActionsReader,
]
