// A filing: full submission text, daily-feed file or index-headers page. Metadata of every entity in it; the reader that content.ts names
// for its form reads its content, which is only counted without such a reader.
import { CrossfileError, Unreadable } from '#schemas/errors.ts'
import { accessionIn, archiveUrl, fileName } from '../filings/address.ts'
import type { ContentRead, ContentReader, FilingContext } from '../filings/content-reader.ts'
import { closingInstant } from '../filings/eastern.ts'
import { type FilingFact, knownFrom, oncePerEntity, roleOf } from '../filings/facts.ts'
import { issuersIn } from '../filings/issuers.ts'
import { parseSubmission, type Submission, type SubmissionHeader } from '../filings/sgml.ts'
import type { Parsed, RawDocument, Reader, Refused } from '../parsed.ts'
import { contentReaders } from './content.ts'

type Known = Pick<FilingFact, 'known_from' | 'known_basis'>

/** A filing made in confidence is public from the day of its change, not from its acceptance. */
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

/** Parses a submission. Throws `Unreadable` if it is truncated, or has no accession number, form type or date. */
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
  const refused: Refused[] = [...once.refused]
  const facts: Record<string, readonly object[]> = { filings: once.rows }
  const known = knownOf(header, header.form, header.filed_date)
  const issuers = issuersIn(header.form, header.entities).map(row => ({ ...row, ...known }))
  if (issuers.length > 0) facts['issuers'] = issuers
  const hasContent = submission.documents.some(part => part.bytes.byteLength > 0)
  const context = contextOf(document, header, accession, header.form, header.filed_date)
  const takers = contentReaders.filter(reader => reader.takes(context.form))
  if (takers.length === 0 && hasContent) count(`content_not_read_yet:${header.form}`)
  // A header without content (index-headers page) names its documents and contains none, so nothing is read or refused.
  for (const reader of hasContent ? takers : []) {
    const read = contentOf(reader, submission, context)
    for (const [name, rows] of Object.entries(read.facts)) {
      // The rows are new and used here only: tens of thousands of them are not copied.
      for (const row of rows) Object.assign(row, known)
      const before = facts[name]
      facts[name] = before === undefined ? rows : [...before, ...rows]
    }
    refused.push(...read.refused)
    for (const [reason, number] of Object.entries(read.skipped)) count(reason, number)
  }
  return { facts: facts as Parsed['facts'], refused, skipped, follow: [] }
}

function contextOf(document: RawDocument, header: SubmissionHeader, accession: string, form: string, filedDate: string): FilingContext {
  const cikIn = (...roles: readonly string[]): string | null => header.entities.find(entity => roles.includes(entity.role))?.cik ?? null
  return {
    accession,
    form,
    filed_date: filedDate,
    accepted_at: header.accepted_at,
    period_of_report: header.period,
    subject_cik: cikIn('issuer', 'subject_company') ?? cikIn('filer'),
    filer_cik: cikIn('filed_by', 'filer', 'reporting_owner'),
    url: document.url,
  }
}

/** The result of one reader for the filing. Unreadable content is refused separately: the filing stays listed. */
function contentOf(reader: ContentReader, submission: Submission, context: FilingContext): ContentRead {
  try {
    return reader.read(submission, context)
  } catch (error) {
    if (!(error instanceof CrossfileError)) throw error
    const reason = error instanceof Unreadable ? error.reason : error.code
    const refusal: Refused = { dataset: reader.dataset, reason, detail: error.message, subject: context.accession, record: { form: context.form } }
    return { facts: {}, refused: [refusal], skipped: {} }
  }
}

const archive =
  /^https:\/\/www\.sec\.gov\/Archives\/edgar\/data\/(\d{1,10})\/(?:\d{18}\/)?(\d{10}-\d\d-\d{6})(?:\.txt|\.nc|\.hdr\.sgml|-index-headers\.html?)$/

/** A filing in the archive of a day's dissemination. */
const inFeed = /^https:\/\/www\.sec\.gov\/Archives\/edgar\/Feed\/\d{4}\/QTR[1-4]\/\d{8}\.nc\.tar\.gz#\d{10}-\d\d-\d{6}\.(?:nc|corr\d\d)$/

export const submissionReader: Reader = {
  // The number increases with every change of a content reader: content read by an older version counts as unread, and is read again.
  name: 'edgar.submission.3',
  source: 'edgar',
  dataset: 'filings',
  reads: url => archive.test(url) || inFeed.test(url),
  recognise: (path, head) => {
    const accession = /(?:ACCESSION[ -]NUMBER)(?:>|:\s*)(\d{10}-\d\d-\d{6})/.exec(head)?.[1]
    if (accession === undefined) return null
    const cik = /(?:CENTRAL INDEX KEY:\s*|<CIK>)(\d{1,10})/.exec(head)?.[1]
    const name = fileName(path)
    // A file of the daily feed, or a single header, has no address.
    if (cik === undefined || !/^(<SEC-DOCUMENT>|-----BEGIN PRIVACY)/.test(head.trimStart()) || !/\.txt$/i.test(name)) return `recorded:${path}`
    return archiveUrl(cik, accession)
  },
  parse: parseFiling,
}
