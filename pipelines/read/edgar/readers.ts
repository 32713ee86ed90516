// Every kind of EDGAR document that lists filings.

import type { FilingReference } from '../filings/facts.ts'
import { formIndexReader, indexReferences } from '../filings/form-index.ts'
import { fullTextReader } from '../filings/full-text.ts'
import { newestReader } from '../filings/newest.ts'
import { submissionReferences, submissionsReader } from '../filings/submissions.ts'
import { tickersReader } from '../filings/tickers.ts'
import type { RawDocument, Reader } from '../parsed.ts'
import { submissionReader } from './full-submission.ts'

export const filingReaders: readonly Reader[] = [submissionReader, submissionsReader, formIndexReader, newestReader, tickersReader, fullTextReader]

/**
 * The filings that an index or a submissions file names, each accession once, with its form: a job takes those it wants
 * (`isOwnershipForm` of address.ts: Forms 3, 4, 5 and amendments). Empty for other documents.
 */
export function filingReferences(reader: Reader, document: RawDocument): FilingReference[] {
  if (reader === formIndexReader) return indexReferences(document)
  return reader === submissionsReader ? submissionReferences(document) : []
}
