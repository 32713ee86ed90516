// Schedules 13D and 13G: the document inside a submission, and a bare one (XML, HTML or text) without the submission around it.

import { decodeText } from '#warehouse/documents/prose/decode.ts'
import { accessionIn, fileName } from '../filings/address.ts'
import type { ContentRead, ContentReader, FilingContext } from '../filings/content-reader.ts'
import type { Submission, SubmissionDocument } from '../filings/sgml.ts'
import type { Parsed, RawDocument, Reader } from '../parsed.ts'
import { reader } from '../reader.ts'
import { isScheduleForm, isStructuredSchedule, type Schedule, type ScheduleContext } from './schedule.ts'
import { parseStructured } from './structured.ts'
import { parseUnstructured } from './unstructured.ts'

/** Reads one document of either layout. */
export function parseSchedule(text: string, context: ScheduleContext): Schedule {
  return isStructuredSchedule(text.slice(0, 4000)) ? parseStructured(text, context) : parseUnstructured(text, context)
}

/** The structured document if there is one, otherwise the first of the form; exhibits have other types. */
function primaryOf({ documents }: Submission): SubmissionDocument | undefined {
  const own = documents.filter(part => isScheduleForm(part.type) && part.wrapper !== 'PDF' && part.bytes.byteLength > 0)
  return own.find(part => isStructuredSchedule(decodeText(part.bytes.subarray(0, 4000)))) ?? own[0]
}

function readSchedule(submission: Submission, context: FilingContext): ContentRead {
  const primary = primaryOf(submission)
  if (primary === undefined) return { facts: {}, refused: [], skipped: { no_schedule_document: 1 } }
  const read = parseSchedule(decodeText(primary.bytes), {
    filing_id: context.accession,
    accession: context.accession,
    filed_date: context.filed_date,
    form: context.form,
    issuer_cik: context.subject_cik,
    filer_cik: context.filer_cik,
  })
  return { facts: { ownership_schedules: [read.filing], ownership_persons: read.persons }, refused: read.refused, skipped: {} }
}

export const scheduleContent: ContentReader = {
  name: 'beneficial-ownership',
  takes: isScheduleForm,
  dataset: 'ownership_schedules',
  read: readSchedule,
}

/** A document cut out of a submission keeps its own head: type, file name, and its text between tags. */
function unwrapped(text: string): { form: string | null; text: string } {
  const open = text.slice(0, 2000).search(/<TEXT>/i)
  const head = open < 0 ? '' : text.slice(0, open)
  const type = /<TYPE>([^\r\n<]{1,40})/.exec(head)?.[1]?.trim() ?? null
  if (open < 0 || !/^\s*<DOCUMENT>/i.test(head)) return { form: null, text }
  const end = text.toUpperCase().lastIndexOf('</TEXT>')
  const inner = text.slice(open + 6, end > open ? end : text.length)
  return { form: type !== null && isScheduleForm(type) ? type : null, text: inner.replace(/^\s*<XML>\s*/i, '').replace(/\s*<\/XML>\s*$/i, '') }
}

/**
 * Parses a bare document. Its accession is that of its address if it has one, else its hash replaces it. It does not state
 * its acceptance: the rows are known from the retrieval, until the submission or an index gives more.
 */
function parseBareSchedule(document: RawDocument): Parsed {
  const accession = accessionIn(document.url)
  const { form, text } = unwrapped(decodeText(document.body))
  const context = { accession, filing_id: accession ?? `sha256:${document.sha256}`, filed_date: null, form, issuer_cik: null, filer_cik: null }
  const read = parseSchedule(text, context)
  return { facts: { ownership_schedules: [read.filing], ownership_persons: read.persons }, refused: read.refused, skipped: {}, follow: [] }
}

/** Words that the form prints on its first pages; filings that only mention a Schedule 13D do not have them so close together. */
function isCoverPage(head: string): boolean {
  const plain = head
    .replace(/<[^<>]{0,2000}>/g, ' ')
    .replace(/&nbsp;|&#160;/g, ' ')
    .replace(/\s+/g, ' ')
  const named = plain.search(/Schedule 13 ?-? ?[DG]\b/i)
  const cusip = plain.search(/\bCUSIP\b/i)
  return named >= 0 && named < 3000 && cusip >= 0 && cusip < 12_000 && /Names? of (?:the )?(?:Issuer|Subject Company)|Reporting Person/i.test(plain)
}

export const scheduleReader = reader('edgar.schedule13', 'filings', {
  reads: url => /^https:\/\/www\.sec\.gov\/Archives\/edgar\/data\/\d{1,10}\/\d{18}\/(?!xsl)[^/?#]*(?:13[dg])[^/?#]*\.(?:html?|txt|xml)$/i.test(url),
  matches: (head, path) => {
    // Inside a submission the document has a header around it, and that header's own reader.
    const isBare = /\.(?:xml|html?|txt)$/i.test(fileName(path)) && !/ACCESSION[ -]NUMBER[>:]/.test(head)
    if (!isBare) return false
    const type = /^\s*<DOCUMENT>\s{0,20}<TYPE>([^\r\n<]{1,40})/i.exec(head)?.[1]
    return type === undefined ? isStructuredSchedule(head) || isCoverPage(head) : isScheduleForm(type)
  },
  parse: parseBareSchedule,
})

export const beneficialOwnershipReaders: readonly Reader[] = [scheduleReader]
