// Readers of what comes in bulk: the SEC's data sets, and the lists of what its archives held.
import type { Reader } from '../parsed.ts'
import { holdingsDataSetReader } from './holdings-data-set.ts'
import { insiderDataSetReader } from './insider-data-set.ts'
import { manifestReader } from './manifest.ts'

export const bulkReaders: readonly Reader[] = [insiderDataSetReader, holdingsDataSetReader, manifestReader]
