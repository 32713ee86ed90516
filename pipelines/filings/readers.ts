// Every kind of EDGAR document that tells of filings.
import type { RawDocument, Reader } from '../parsed.ts'
import type { FilingReference } from './facts.ts'
import { formIndexReader, indexReferences } from './form-index.ts'
import { submissionReader } from './full-submission.ts'
import { fullTextReader } from './full-text.ts'
import { newestReader } from './newest.ts'
import { submissionReferences, submissionsReader } from './submissions.ts'
import { tickersReader } from './tickers.ts'

export const filingReaders: readonly Reader[] = [submissionReader, submissionsReader, formIndexReader, newestReader, tickersReader, fullTextReader]

/**
 * The filings that an index or a submissions file names, each accession once, with its form: a job takes those it wants
 * (`isOwnershipForm` of address.ts: Forms 3, 4, 5 and amendments). Empty for other documents.
 */
export function filingReferences(reader: Reader, document: RawDocument): FilingReference[] {
  if (reader === formIndexReader) return indexReferences(document)
  return reader === submissionsReader ? submissionReferences(document) : []
}
