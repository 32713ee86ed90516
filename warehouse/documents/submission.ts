// The documents of an EDGAR full submission, between `<DOCUMENT>` and `</DOCUMENT>`. Content is decoded only on access.
import { Unreadable } from '#schemas/errors.ts'
import { decodeText } from './prose/decode.ts'

export type SubmissionDocument = {
  readonly type: string
  readonly sequence: number | null
  readonly filename: string | null
  readonly description: string | null
  readonly wrapper: 'XML' | 'XBRL' | 'PDF' | null
  /** The content between `<TEXT>` and `</TEXT>`, out of its wrapper; uuencoded content is kept unchanged. */
  readonly bytes: Uint8Array
}
const wrappers = ['XML', 'XBRL', 'PDF'] as const
export const mostDocuments = 20_000

/**
 * The documents of a submission in plain form (`.txt`, `.nc`), in their order; empty if it has none. Throws `Unreadable` for one without
 * an end, or with more than 20,000 documents; the error names `subject` and the number of documents that the header states.
 */
export function submissionDocuments(bytes: Uint8Array, subject: string, stated: number | null = null): SubmissionDocument[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [open, close] = ['<DOCUMENT>', '</DOCUMENT>']
  const documents: SubmissionDocument[] = []
  for (let at = buffer.indexOf(open, 0, 'latin1'); at >= 0; ) {
    const end = buffer.indexOf(close, at, 'latin1')
    if (end < 0) throw new Unreadable('truncated', `${subject}: document ${documents.length + 1} of ${stated ?? '?'} has no end`)
    if (documents.length >= mostDocuments) throw new Unreadable('too_large', `${subject}: more than ${mostDocuments} documents`)
    documents.push(documentIn(buffer.subarray(at + open.length, end)))
    at = buffer.indexOf(open, end + close.length, 'latin1')
  }
  return documents
}

/** A tag and its value, which ends at the line's end or at the next tag: some feeds put a whole header on one line. */
export const tagPattern = /<(\/?)([A-Z][A-Z0-9-]*)>((?:[^<\r\n]|<(?![A-Z/]))*)/g

function documentIn(body: Buffer): SubmissionDocument {
  const textTag = body.indexOf('<TEXT>', 0, 'latin1')
  const fields = documentFields(decodeText(textTag < 0 ? body : body.subarray(0, textTag)))
  if (textTag < 0) return { ...fields, wrapper: null, bytes: body.subarray(body.length) }
  let from = textTag + '<TEXT>'.length
  let to = body.lastIndexOf('</TEXT>', body.length, 'latin1')
  if (to < from) to = body.length
  let wrapper: SubmissionDocument['wrapper'] = null
  const opening = /^\s*<(XML|XBRL|PDF)>[ \t\r]*\n?/i.exec(body.toString('latin1', from, from + 200))
  if (opening?.[1] !== undefined) {
    wrapper = wrappers.find(name => name === opening[1]?.toUpperCase()) ?? null
    const closing = body.subarray(from, to).lastIndexOf(`</${opening[1]}>`, to - from, 'latin1')
    if (closing >= 0) to = from + closing
    from += opening[0].length
  }
  return { ...fields, wrapper, bytes: body.subarray(from, Math.max(from, to)) }
}

export function documentFields(head: string): Omit<SubmissionDocument, 'wrapper' | 'bytes'> {
  const found = new Map<string, string>()
  for (const [, , tag = '', value = ''] of head.matchAll(tagPattern)) if (!found.has(tag)) found.set(tag, value.trim())
  const sequence = found.get('SEQUENCE') ?? ''
  return {
    type: found.get('TYPE') ?? '',
    sequence: /^\d{1,9}$/.test(sequence) ? Number(sequence) : null,
    filename: found.get('FILENAME') || null,
    description: found.get('DESCRIPTION') || null,
  }
}
