// One document of a filing as text, with the places of the values that were read from it.
import { firstPlace } from '#schemas/ordered.ts'
import type { ReadRecord } from '../datasets/filings/values.ts'
import { decodeText } from './prose/decode.ts'
import { readProse } from './prose/prose.ts'
import { type SubmissionDocument, submissionDocuments } from './submission.ts'
import { type NamedValue, type ValuePlace, xmlPlaces } from './xml-places.ts'

export type DocumentRequest = {
  /** The submission as received. */
  readonly bytes: Uint8Array
  readonly accession: string
  readonly records: readonly Pick<ReadRecord, 'dataset' | 'line' | 'document' | 'values'>[]
  /** File name; null: the document of `around`, else the main one. */
  readonly document: string | null
  readonly around: Omit<NamedValue, 'value'> | null
  readonly start: number
  readonly length: number
}
export type ReadDocument = {
  readonly documents: readonly {
    readonly document: string | null
    readonly type: string
    readonly description: string | null
    readonly bytes: number
  }[]
  /** Null: the submission has no document of that name. */
  readonly document: {
    readonly document: string | null
    readonly type: string
    readonly format: 'xml' | 'html' | 'text' | 'binary'
    readonly characters: number
    readonly start: number
    readonly end: number
    readonly next_start: number | null
    readonly untrusted_text: string
  } | null
  readonly places: readonly {
    readonly dataset: string
    readonly line: number | null
    readonly field: string
    readonly start: number
    readonly end: number
  }[]
  readonly around_found: boolean | null
}
/** Text in front of the value that a slice is chosen around. */
const before = 1_500

/** Pure. Throws `Unreadable` for a submission without an end. */
export function readFilingDocument(request: DocumentRequest): ReadDocument {
  const { accession, records, around } = request
  const documents = submissionDocuments(request.bytes, accession)
  const listed = documents.map(({ filename, type, description, bytes }) => ({ document: filename, type, description, bytes: bytes.byteLength }))
  const values = records.flatMap(({ dataset, line, values: read, document }) => read.map(each => ({ dataset, line: line ?? 0, document, ...each })))
  const named =
    around === null ? undefined : values.find(each => each.dataset === around.dataset && each.line === around.line && each.field === around.field)
  const chosen = choose(documents, request, named ?? null)
  if (chosen === undefined) return { documents: listed, document: null, places: [], around_found: around === null ? null : false }
  const { text, format, sourceOffset } = textOf(chosen)
  const first = documents[0] === chosen
  const own = values.filter(each => (each.document === null ? first || format === 'xml' : each.document === chosen.filename))
  const places = (format === 'xml' ? xmlPlaces(text, own) : statedPlaces(own, text.length, sourceOffset))
    .map(each => trimmed(text, each))
    .filter(({ start, end }) => end > start)
    .sort((a, b) => a.start - b.start || b.end - a.end)
  const at = around === null ? undefined : places.find(each => isSame(each, around))
  const from = at === undefined ? request.start : text.length <= request.length ? 0 : Math.max(0, at.start - before)
  const start = Math.min(from, text.length)
  const end = Math.min(start + request.length, text.length)
  return {
    documents: listed,
    document: {
      document: chosen.filename,
      type: chosen.type,
      format,
      characters: text.length,
      start,
      end,
      next_start: end < text.length ? end : null,
      untrusted_text: text.slice(start, end),
    },
    places: places.filter(each => each.start < end && each.end > start).map(each => ({ ...each, line: each.line === 0 ? null : each.line })),
    around_found: around === null ? null : at !== undefined,
  }
}

/** A place without the blanks around its text. */
function trimmed(text: string, { start, end, ...value }: ValuePlace): ValuePlace {
  const printed = text.slice(start, end)
  const first = start + printed.length - printed.trimStart().length
  return { ...value, start: first, end: first + printed.trim().length }
}
const isSame = (a: Omit<NamedValue, 'value'>, b: Omit<NamedValue, 'value'>): boolean =>
  a.dataset === b.dataset && a.line === b.line && a.field === b.field

function choose(
  documents: readonly SubmissionDocument[],
  { document, around }: DocumentRequest,
  named: { readonly document: string | null } | null,
): SubmissionDocument | undefined {
  if (document !== null) return documents.find(each => each.filename === document)
  if (named?.document) return documents.find(each => each.filename === named.document) ?? documents[0]
  // The rows of a 13F are in a separate document.
  if (around?.dataset === 'holdings') return documents.find(each => /INFORMATION TABLE/i.test(each.type)) ?? documents[0]
  return documents[0]
}

/** Whether the source is the XML of a form: XHTML reports begin with an XML declaration too. */
const isForm = (head: string): boolean => /<(?:\w+:)?(?:ownershipDocument|edgarSubmission|informationTable)\b/.test(head) && !/<html\b/i.test(head)

type DocumentText = {
  readonly text: string
  readonly format: 'xml' | 'html' | 'text' | 'binary'
  /** The offset in the source of a character of the text. */
  readonly sourceOffset: (at: number) => number
}
function textOf({ bytes, wrapper }: SubmissionDocument): DocumentText {
  const source = decodeText(bytes)
  const same = (at: number): number => at
  if (wrapper === 'PDF' || /^\s*begin \d{3} /.test(source.slice(0, 80))) return { text: '', format: 'binary', sourceOffset: same }
  if (isForm(source.slice(0, 2_000))) return { text: source, format: 'xml', sourceOffset: same }
  const prose = readProse(source)
  return { text: prose.text, format: prose.html ? 'html' : 'text', sourceOffset: prose.sourceOffset }
}

type Stated = NamedValue & { readonly start: number | null; readonly end: number | null }
/** Places that the reader of the form stated in the source, in the visible text. */
function statedPlaces(values: readonly Stated[], length: number, sourceOffset: (at: number) => number): ValuePlace[] {
  /** The first character of the text at or after a position in the source. */
  const visible = (source: number): number => firstPlace(length, place => sourceOffset(place) < source)
  return values.flatMap(({ dataset, line, field, start, end }) =>
    start === null || end === null ? [] : [{ dataset, line, field, start: visible(start), end: visible(end) }],
  )
}
