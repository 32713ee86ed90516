// Forms 3, 4 and 5 inside a submission: the ownership document is read whole; an unreadable one is refused separately.
import { CrossfileError, Unreadable } from '#schemas/errors.ts'
import { decodeText } from '#warehouse/documents/prose/decode.ts'
import { isOwnershipForm } from '../filings/address.ts'
import type { ContentRead, ContentReader, FilingContext } from '../filings/content-reader.ts'
import type { Submission } from '../filings/sgml.ts'
import type { Fact, Refused } from '../parsed.ts'
import { parseOwnership } from './parse.ts'

const isOwnershipXml = (bytes: Uint8Array): boolean => decodeText(bytes.subarray(0, 2000)).includes('<ownershipDocument')

function readOwnership({ documents }: Submission, context: FilingContext): ContentRead {
  const filings: Fact<'insider_filings'>[] = []
  const transactions: Fact<'insider_transactions'>[] = []
  const holdings: Fact<'insider_holdings'>[] = []
  const refused: Refused[] = []
  const { accession, form, filed_date, subject_cik } = context
  const candidates = documents.filter(part => isOwnershipForm(part.type) && (part.wrapper === 'XML' || isOwnershipXml(part.bytes)))
  for (const part of candidates) {
    const refuse = (reason: string, detail: string): void => {
      refused.push({ dataset: 'insider_filings', reason, detail, subject: accession, record: { filename: part.filename, sequence: part.sequence } })
    }
    if (filings.length > 0) {
      refuse('second_ownership_document', `filing ${accession}: a second ownership document ${part.filename ?? ''}; the first is kept`)
      continue
    }
    try {
      const read = parseOwnership(decodeText(part.bytes), { filing_id: accession, accession, filed_date, issuer_cik: subject_cik, form })
      filings.push(read.filing)
      transactions.push(...read.transactions)
      holdings.push(...read.holdings)
      refused.push(...read.refused)
    } catch (error) {
      if (!(error instanceof CrossfileError)) throw error
      refuse(error instanceof Unreadable ? error.reason : error.code, error.message)
    }
  }
  return {
    facts: { insider_filings: filings, insider_transactions: transactions, insider_holdings: holdings },
    refused,
    skipped: candidates.length === 0 && documents.length > 0 ? { no_ownership_xml: 1 } : {},
  }
}

export const ownershipContent: ContentReader = { name: 'insider', takes: isOwnershipForm, dataset: 'insider_filings', read: readOwnership }
