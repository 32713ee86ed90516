// Every kind of document with exchange rates.
import type { Reader } from '../parsed.ts'
import { bankOfCanadaReader } from './bank-of-canada.ts'

export const fxReaders: readonly Reader[] = [bankOfCanadaReader]
