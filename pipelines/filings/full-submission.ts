// A filing itself: full submission text, daily-feed file or index-headers page. Metadata of every entity in it; Forms 3, 4 and 5
// are read whole, the content of other forms is left to their own readers and counted.
import { CrossfileError, Unreadable } from '#schemas/errors.ts'
import { parseOwnership } from '../insider/parse.ts'
import type { Fact, Parsed, RawDocument, Reader, Refused } from '../parsed.ts'
import { accessionIn, archiveUrl, fileName, isOwnershipForm } from './address.ts'
import { closingInstant } from './eastern.ts'
import { type FilingFact, knownFrom, oncePerEntity, roleOf } from './facts.ts'
import { parseSubmission, type Submission, type SubmissionHeader } from './sgml.ts'
import { decodeText } from './text.ts'

type Known = Pick<FilingFact, 'known_from' | 'known_basis'>

/** What was filed in confidence is public from the day of its change on, never from its acceptance. */
function knownOf(header: SubmissionHeader, form: string, filedDate: string): Known {
  if (!header.private_to_public) return knownFrom(form, header.accepted_at, filedDate)
  return header.changed_date === null ? {} : { known_from: closingInstant(header.changed_date), known_basis: 'published' }
}

function filingFacts(document: RawDocument, { header, documents }: Submission, accession: string, form: string, filedDate: string): FilingFact[] {
  const [primary] = documents
  const isWhole = documents.some(part => part.bytes.byteLength > 0)
  return header.entities.flatMap(entity => {
    if (entity.cik === null) return []
    return {
      accession,
      cik: entity.cik,
      role: roleOf(entity.role),
      company: entity.name,
      form,
      filed_date: filedDate,
      accepted_at: header.accepted_at,
      period_of_report: header.period,
      items: [...(header.items ?? [])],
      act: entity.act,
      file_number: entity.file_number,
      film_number: entity.film_number,
      primary_document: primary?.filename ?? null,
      primary_description: primary?.description ?? null,
      size_bytes: isWhole ? document.body.byteLength : null,
      xbrl: documents.length === 0 ? null : documents.some(part => part.wrapper === 'XBRL' || part.type.startsWith('EX-101')),
      url: archiveUrl(entity.cik, accession),
      ...knownOf(header, form, filedDate),
    }
  })
}

/** Parses a submission. Throws `Unreadable` where it has no accession number, form type or date, or is cut off. */
export function parseFiling(document: RawDocument): Parsed {
  const submission = parseSubmission(document.body)
  const { header } = submission
  const accession = header.accession ?? accessionIn(document.url)
  if (accession === null || header.form === null || header.filed_date === null) {
    const missing = accession === null ? 'accession number' : header.form === null ? 'form type' : 'filed date'
    throw new Unreadable('header_incomplete', `submission ${accession ?? document.url}: its header has no ${missing}`)
  }
  if (header.deletion) return { facts: {}, refused: [], skipped: { deleted_submission: 1 }, follow: [] }
  const all = filingFacts(document, submission, accession, header.form, header.filed_date)
  const once = oncePerEntity(all)
  const skipped: Record<string, number> = {}
  const count = (reason: string, number = 1): void => {
    if (number > 0) skipped[reason] = (skipped[reason] ?? 0) + number
  }
  count('filing_repeated', once.repeated)
  count('entity_without_cik', header.entities.length - all.length)
  if (!isOwnershipForm(header.form)) {
    if (submission.documents.some(part => part.bytes.byteLength > 0)) count(`content_not_read_yet:${header.form}`)
    return { facts: { filings: once.rows }, refused: once.refused, skipped, follow: [] }
  }
  const insider = ownershipOf(submission, accession, header.form, header.filed_date)
  if (insider.without && submission.documents.length > 0) count('no_ownership_xml')
  return {
    facts: {
      filings: once.rows,
      insider_filings: insider.filings,
      insider_transactions: insider.transactions,
      insider_holdings: insider.holdings,
    },
    refused: [...once.refused, ...insider.refused],
    skipped,
    follow: [],
  }
}

const isOwnershipXml = (bytes: Uint8Array): boolean => decodeText(bytes.subarray(0, 2000)).includes('<ownershipDocument')

/** The ownership document in a submission. One that cannot be read is refused by itself: the filing stays listed. */
function ownershipOf({ header, documents }: Submission, accession: string, form: string, filedDate: string) {
  const known = knownOf(header, form, filedDate)
  const filings: Fact<'insider_filings'>[] = []
  const transactions: Fact<'insider_transactions'>[] = []
  const holdings: Fact<'insider_holdings'>[] = []
  const refused: Refused[] = []
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
      const issuer = header.entities.find(entity => entity.role === 'issuer' || entity.role === 'subject_company')
      const context = { filing_id: accession, accession, filed_date: filedDate, issuer_cik: issuer?.cik ?? null, form }
      const read = parseOwnership(decodeText(part.bytes), context)
      filings.push({ ...read.filing, ...known })
      transactions.push(...read.transactions.map(row => ({ ...row, ...known })))
      holdings.push(...read.holdings.map(row => ({ ...row, ...known })))
      refused.push(...read.refused)
    } catch (error) {
      if (!(error instanceof CrossfileError)) throw error
      refuse(error instanceof Unreadable ? error.reason : error.code, error.message)
    }
  }
  return { filings, transactions, holdings, refused, without: candidates.length === 0 }
}

const archive =
  /^https:\/\/www\.sec\.gov\/Archives\/edgar\/data\/(\d{1,10})\/(?:\d{18}\/)?(\d{10}-\d\d-\d{6})(?:\.txt|\.nc|\.hdr\.sgml|-index-headers\.html?)$/

export const submissionReader: Reader = {
  name: 'edgar.submission',
  source: 'edgar',
  reads: url => archive.test(url),
  recognise: (path, head) => {
    const accession = /(?:ACCESSION[ -]NUMBER)(?:>|:\s*)(\d{10}-\d\d-\d{6})/.exec(head)?.[1]
    if (accession === undefined) return null
    const cik = /(?:CENTRAL INDEX KEY:\s*|<CIK>)(\d{1,10})/.exec(head)?.[1]
    const name = fileName(path)
    // A file of the daily feed, or a header alone, has no address of its own.
    if (cik === undefined || !/^(<SEC-DOCUMENT>|-----BEGIN PRIVACY)/.test(head.trimStart()) || !/\.txt$/i.test(name)) return `recorded:${path}`
    return archiveUrl(cik, accession)
  },
  parse: parseFiling,
}
