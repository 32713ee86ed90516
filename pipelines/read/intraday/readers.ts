// Every kind of document that holds bars below a day; Yahoo's are read by the reader of its chart (bars/yahoo-chart.ts).
import type { Reader } from '../parsed.ts'
import { eodhdIntradayReader, polygonIntradayReader, tiingoIntradayReader } from './others.ts'

export const intradayReaders: readonly Reader[] = [eodhdIntradayReader, polygonIntradayReader, tiingoIntradayReader]
