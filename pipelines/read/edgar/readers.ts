// Every kind of EDGAR document that lists filings.

import { formIndexReader } from '../filings/form-index.ts'
import { fullTextReader } from '../filings/full-text.ts'
import { newestReader } from '../filings/newest.ts'
import { submissionsReader } from '../filings/submissions.ts'
import { tickersReader } from '../filings/tickers.ts'
import type { Reader } from '../parsed.ts'
import { submissionReader } from './full-submission.ts'

export const filingReaders: readonly Reader[] = [submissionReader, submissionsReader, formIndexReader, newestReader, tickersReader, fullTextReader]
