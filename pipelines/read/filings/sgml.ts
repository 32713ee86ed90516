// An EDGAR full submission: the SGML header (colon style of `.txt`, tag style of `.nc`, `.hdr.sgml` and `-index-headers.html`)
// and its documents. One pass by position over the bytes; content is decoded only on access.
import { Unreadable } from '#schemas/errors.ts'
import { decodeText } from '#warehouse/documents/prose/decode.ts'
import { documentFields, mostDocuments, type SubmissionDocument, submissionDocuments, tagPattern } from '#warehouse/documents/submission.ts'
import { cikOf } from './address.ts'
import { easternInstant, isoDay } from './eastern.ts'
import { itemNumber } from './items.ts'

type FormerName = { readonly name: string; readonly changed_date: string | null }
export type Entity = {
  /** As the header names the group, in snake case: filer, issuer, reporting_owner, subject_company, filed_by, filed_for … */
  readonly role: string
  readonly cik: string | null
  readonly name: string | null
  readonly sic: string | null
  readonly state_of_incorporation: string | null
  readonly fiscal_year_end: string | null // MMDD
  readonly relationship: string | null // of a reporting owner, on paper-era headers: DIRECTOR, OFFICER …
  readonly form: string | null
  readonly act: string | null // 33, 34, 40
  readonly file_number: string | null
  readonly film_number: string | null
  readonly former_names: readonly FormerName[]
}
export type SubmissionHeader = {
  readonly accession: string | null
  readonly form: string | null
  readonly accepted_at: string | null // instant; null: the header is older than May 2001, or of a daily feed, which leaves it out
  readonly filed_date: string | null
  readonly changed_date: string | null
  readonly effective_date: string | null
  readonly period: string | null
  readonly document_count: number | null
  /** Announced items, 8-K titles as their numbers; null if the header has no item line. */
  readonly items: readonly string[] | null
  readonly entities: readonly Entity[]
  /** Filed in confidence and made public later, on `changed_date`. */
  readonly private_to_public: boolean
  /** The daily feed's notice that EDGAR removed this filing. */
  readonly deletion: boolean
}
export type { SubmissionDocument }
export type Submission = { readonly header: SubmissionHeader; readonly documents: readonly SubmissionDocument[] }

const limits = { bytes: 512 * 1024 * 1024, header: 16 * 1024 * 1024 }

/** Reads a submission, with or without documents. Throws `Unreadable`: `not_a_submission`, `too_large`, `truncated`. */
export function parseSubmission(bytes: Uint8Array): Submission {
  if (bytes.byteLength > limits.bytes) {
    throw new Unreadable('too_large', `submission: ${bytes.byteLength} bytes, limit ${limits.bytes}`)
  }
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const html = /^\s*<html/i.test(buffer.toString('latin1', 0, 200)) // the list of documents on an index-headers page is escaped
  const [open, close] = html ? ['&lt;DOCUMENT&gt;', '&lt;/DOCUMENT&gt;'] : ['<DOCUMENT>', '</DOCUMENT>']
  const firstDocument = buffer.indexOf(open, 0, 'latin1')
  const headerEnd = firstDocument < 0 ? buffer.length : firstDocument
  if (headerEnd > limits.header) throw new Unreadable('too_large', `submission: no <DOCUMENT> in the first ${limits.header} bytes`)
  let headerText = decodeText(buffer.subarray(0, headerEnd))
  if (html) {
    const comment = headerText.indexOf('<!--')
    const commentEnd = headerText.indexOf('-->')
    headerText =
      comment >= 0 && commentEnd > comment ? headerText.slice(comment + 4, commentEnd) : headerText.replaceAll('&lt;', '<').replaceAll('&gt;', '>')
  }
  const header = parseHeader(headerText)
  if (header.accession === null && header.form === null) {
    throw new Unreadable('not_a_submission', `submission: no accession number and no form type in a header of ${headerEnd} bytes`)
  }
  const subject = header.accession ?? 'submission'
  if (!html) return { header, documents: submissionDocuments(buffer, subject, header.document_count) }
  // Latin-1 makes a character of every byte, so that positions in the text are positions in the bytes.
  const text = buffer.toString('latin1')
  const documents: SubmissionDocument[] = []
  for (let at = firstDocument; at >= 0; ) {
    const end = text.indexOf(close, at)
    if (end < 0) throw new Unreadable('truncated', `${subject}: document ${documents.length + 1} of ${header.document_count ?? '?'} has no end`)
    if (documents.length >= mostDocuments) throw new Unreadable('too_large', `${subject}: more than ${mostDocuments} documents`)
    documents.push(listedDocument(text.slice(at + open.length, end)))
    at = text.indexOf(open, end + close.length)
  }
  return { header, documents }
}

const listedDocument = (escaped: string): SubmissionDocument => {
  const text = escaped.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
  const textTag = text.indexOf('<TEXT>')
  return { ...documentFields(textTag < 0 ? text : text.slice(0, textTag)), wrapper: null, bytes: new Uint8Array(0) }
}

/** Both header styles, one word for each concept. If they differ, the words of the colon style come first. */
const words: Readonly<Record<string, string>> = {
  'ACCESSION NUMBER': 'accession',
  'CONFORMED SUBMISSION TYPE': 'form',
  TYPE: 'form',
  'ACCEPTANCE DATETIME': 'accepted',
  'PUBLIC DOCUMENT COUNT': 'count',
  'CONFORMED PERIOD OF REPORT': 'period',
  PERIOD: 'period',
  'ITEM INFORMATION': 'item',
  ITEMS: 'item',
  'FILED AS OF DATE': 'filed',
  'FILING DATE': 'filed',
  'DATE AS OF CHANGE': 'changed',
  'DATE OF FILING DATE CHANGE': 'changed',
  'EFFECTIVENESS DATE': 'effective',
  'PRIVATE TO PUBLIC': 'private_to_public',
  DELETION: 'deletion',
}
const entityWords: Readonly<Record<string, keyof Draft>> = {
  'COMPANY CONFORMED NAME': 'name',
  'CONFORMED NAME': 'name',
  'CENTRAL INDEX KEY': 'cik',
  CIK: 'cik',
  'STANDARD INDUSTRIAL CLASSIFICATION': 'sic',
  'ASSIGNED SIC': 'sic',
  'STATE OF INCORPORATION': 'state',
  'FISCAL YEAR END': 'yearEnd',
  RELATIONSHIP: 'relationship',
  'FORM TYPE': 'form',
  'SEC ACT': 'act',
  ACT: 'act',
  'SEC FILE NUMBER': 'file',
  'FILE NUMBER': 'file',
  'FILM NUMBER': 'film',
}
const roles = new Set([
  'FILER',
  'ISSUER',
  'REPORTING OWNER',
  'SUBJECT COMPANY',
  'FILED BY',
  'FILED FOR',
  'SERIAL COMPANY',
  'DEPOSITOR',
  'SECURITIZER',
])
type Draft = { role: string; former: FormerName[] } & Partial<
  Record<'name' | 'cik' | 'sic' | 'state' | 'yearEnd' | 'relationship' | 'form' | 'act' | 'file' | 'film', string>
>

function parseHeader(text: string): SubmissionHeader {
  const found = new Map<string, string>()
  const items: string[] = []
  const entities: Draft[] = []
  let entity: Draft | null = null
  let itemLine = false
  const take = (word: string, value: string): void => {
    if (roles.has(word) && value === '') {
      entity = { role: word.toLowerCase().replaceAll(' ', '_'), former: [] }
      entities.push(entity)
      return
    }
    if (word === 'SERIES AND CLASSES CONTRACTS DATA') entity = null // its <CIK>s are those of merging funds
    const name = words[word]
    const entityName = entityWords[word]
    if (name === 'item') {
      itemLine = true
      if (value !== '') items.push(value)
    } else if (name !== undefined && !found.has(name)) found.set(name, value)
    else if (entity !== null && (word === 'FORMER CONFORMED NAME' || word === 'FORMER NAME') && value !== '') {
      entity.former.push({ name: value, changed_date: null })
    } else if (entity !== null && (word === 'DATE OF NAME CHANGE' || word === 'DATE CHANGED')) {
      const last = entity.former.pop()
      if (last !== undefined) entity.former.push({ ...last, changed_date: isoDay(value) })
    } else if (entity !== null && entityName !== undefined && entityName !== 'role' && entityName !== 'former' && value !== '') {
      entity[entityName] ??= value
    }
  }
  for (const line of linesOf(text)) {
    if (line.startsWith('<')) {
      for (const [, slash, tag = '', value = ''] of line.matchAll(tagPattern)) if (slash === '') take(tag.replaceAll('-', ' '), value.trim())
    } else {
      const colon = line.indexOf(':')
      if (colon > 0) take(line.slice(0, colon).trim().replaceAll('-', ' '), line.slice(colon + 1).trim())
    }
  }
  const filed = isoDay(found.get('filed') ?? '')
  const count = found.get('count') ?? ''
  return {
    accession: /^\d{10}-\d\d-\d{6}$/.test(found.get('accession') ?? '') ? (found.get('accession') ?? null) : null,
    form: found.get('form') || null,
    accepted_at: easternInstant(found.get('accepted') ?? ''),
    filed_date: filed,
    changed_date: isoDay(found.get('changed') ?? ''),
    effective_date: isoDay(found.get('effective') ?? ''),
    period: isoDay(found.get('period') ?? ''),
    document_count: /^\d{1,9}$/.test(count) ? Number(count) : null,
    items: itemLine ? items.map(item => itemNumber(item, filed)) : null,
    entities: entities.map(entityOf),
    private_to_public: found.has('private_to_public'),
    deletion: found.has('deletion'),
  }
}

function* linesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const line = text.slice(at, end < 0 ? text.length : end).trim()
    if (line !== '') yield line
    if (end < 0) return
    at = end + 1
  }
}

function entityOf(draft: Draft): Entity {
  const sic = draft.sic ?? ''
  return {
    role: draft.role,
    cik: draft.cik === undefined ? null : cikOf(draft.cik),
    name: draft.name ?? null,
    sic: /\[(\d{1,4})\]$/.exec(sic)?.[1] ?? (/^\d{1,4}$/.test(sic) ? sic : null),
    state_of_incorporation: draft.state ?? null,
    fiscal_year_end: draft.yearEnd ?? null,
    relationship: draft.relationship ?? null,
    form: draft.form ?? null,
    act: draft.act === undefined ? null : (/^(?:19)?(\d\d)(?: Act)?$/i.exec(draft.act)?.[1] ?? draft.act),
    file_number: draft.file ?? null,
    film_number: draft.film ?? null,
    former_names: draft.former,
  }
}
