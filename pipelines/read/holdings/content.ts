// Form 13F inside a submission: the cover and the information table among its documents, as XML or, before 2013, as text. An unreadable
// table is refused separately: the report with its cover is kept, and flagged.
import { CrossfileError, Unreadable } from '#schemas/errors.ts'
import { decodeText } from '#warehouse/documents/prose/decode.ts'
import { isHtmlText, readProse } from '#warehouse/documents/prose/prose.ts'
import type { ContentRead, ContentReader, FilingContext } from '../filings/content-reader.ts'
import type { Submission, SubmissionDocument } from '../filings/sgml.ts'
import type { Refused } from '../parsed.ts'
import { blankCover, type Cover, parseCover } from './cover.ts'
import { readInformationTable } from './information-table.ts'
import { buildReport, type ReportContext, type Table } from './report.ts'
import type { TableRow } from './table-row.ts'
import { parseTextCover } from './text-cover.ts'
import { parseTextTable } from './text-table.ts'

export const isHoldingsForm = (form: string): boolean => /^13F-(?:HR|NT|CTR)(?:\/A)?$/.test(form.trim())

const start = (text: string): string => text.slice(0, 4000)
export const isCoverXml = (text: string): boolean => /<(?:[\w.-]{1,40}:)?edgarSubmission[\s>]/.test(start(text))
export const isTableXml = (text: string): boolean => /<(?:[\w.-]{1,40}:)?informationTable[\s>]/i.test(start(text))

/** A document, and the bytes that it was decoded from. */
export type TableText = { readonly text: string; readonly bytes: Uint8Array }
type Parts = { readonly cover: string | null; readonly tables: readonly TableText[]; readonly texts: readonly string[] }
function partsOf(documents: readonly SubmissionDocument[]): Parts {
  const decoded = documents
    .filter(part => part.wrapper !== 'PDF' && part.bytes.byteLength > 0 && !/^(?:GRAPHIC|ZIP|EXCEL|EX-10[01])/.test(part.type))
    .map(({ bytes }): TableText => ({ text: decodeText(bytes), bytes }))
  const covers = decoded.filter(({ text }) => isCoverXml(text))
  const tables = decoded.filter(({ text }) => !isCoverXml(text) && isTableXml(text))
  const texts = covers.length > 0 ? [] : decoded.filter(part => !tables.includes(part)).map(({ text }) => text)
  return { cover: covers[0]?.text ?? null, tables, texts }
}

/** Visible lines of a document of the text era; cells of an HTML table are separated by tabs. */
const linesOf = (text: string): readonly string[] => (isHtmlText(text) ? readProse(text).text : text).split(/\r\n|\r|\n/)

function readHoldings({ documents }: Submission, context: FilingContext): ContentRead {
  const subject = `13F ${context.accession}`
  const parts = partsOf(documents)
  const lines = parts.texts.flatMap(linesOf)
  const cover = parts.cover === null ? (lines.length > 0 ? parseTextCover(lines) : blankCover) : parseCover(subject, parts.cover)
  const cik = context.filer_cik ?? context.subject_cik ?? cover.manager_cik
  if (cik === null) throw new Unreadable('manager_missing', `${subject}: neither header nor cover names the manager`)
  const report: ReportContext = { ...context, filing_id: context.accession, manager_cik: cik }
  const table = tableOf(subject, parts, lines, cover, context.form)
  const built = withWholeTable(subject, table, whole => buildReport(report, cover, whole, cik))
  return { facts: { holdings_reports: [built.report], holdings: built.rows }, refused: built.refused, skipped: {} }
}

function tableOf(subject: string, { tables, texts }: Parts, lines: readonly string[], cover: Cover, form: string): Table {
  if (tables.length > 0) return { kind: 'xml', rows: xmlRows(subject, tables), refused: [] }
  // A notice has no table; its text may still quote the form's headings.
  if (texts.length === 0 || form.startsWith('13F-NT') || cover.report_type === '13F NOTICE') return { kind: 'none', rows: [], refused: [] }
  const { rows, refused, unread } = parseTextTable(subject, lines)
  if (rows.length > 0) return { kind: 'text', rows, refused, unread }
  const expected = Number(cover.entry_total ?? 0)
  if (expected === 0) return { kind: 'none', rows: [], refused }
  const none: Refused = {
    dataset: 'holdings',
    reason: 'table_not_found',
    detail: `${subject}: the cover announces ${expected} entries, and no line of its ${lines.length} lines could be read as one`,
    subject,
    record: null,
  }
  return { kind: 'unreadable', rows: [], refused: [...refused, none] }
}

/** The rows one after the other, on demand, so that fifty thousand of them are not in memory twice. */
export function xmlRows(subject: string, tables: readonly TableText[]): Iterable<TableRow> {
  const [only] = tables
  return tables.length === 1 && only !== undefined ? readInformationTable(subject, only.text, only.bytes) : rowsOfAll(subject, tables)
}
function* rowsOfAll(subject: string, tables: readonly TableText[]): Generator<TableRow, void> {
  for (const { text, bytes } of tables) yield* readInformationTable(subject, text, bytes)
}

/** Calls `build` with the table; for a malformed table, calls it without rows and uses none of the table's rows. */
function withWholeTable<T>(subject: string, table: Table, build: (table: Table) => T): T {
  try {
    return build(table)
  } catch (error) {
    if (table.kind !== 'xml' || !(error instanceof CrossfileError)) throw error
    const reason = error instanceof Unreadable ? error.reason : error.code
    return build({ kind: 'unreadable', rows: [], refused: [{ dataset: 'holdings', reason, detail: error.message, subject, record: null }] })
  }
}

export const holdingsContent: ContentReader = { name: 'holdings', takes: isHoldingsForm, dataset: 'holdings_reports', read: readHoldings }
