// Facts of `pdf/`: PDF documents, with the text of their pages, their headings and their tables cell by cell. Equality is counted.
// For the rest, similarity (words in order, cells in rows) is reported.
import { maxReportPages } from '#schemas/documents.ts'
import { BadRequest, Unreadable } from '#schemas/errors.ts'
import { openPdfReader } from '#warehouse/documents/read-pdf.ts'
import { shortestEdit } from '#warehouse/rules/diff/myers.ts'
import { compare, type Entry, type Found, type Outcome } from './compare.ts'

type Table = {
  readonly page: number
  readonly title: string | null
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (string | null)[])[]
}
export type ReadFacts = {
  readonly page_count: number
  readonly page_text: readonly string[]
  readonly headings: readonly string[]
  readonly tables: readonly Table[]
  readonly scanned_pages: readonly number[]
  readonly drill_intervals: number
}
const readPdf = openPdfReader(1, 1_000)
const limits = { pages: maxReportPages, ms: 120_000, wallMs: 360_000, megabytes: 800 }

/** What is read from the bytes of a PDF, by the names that facts use. Throws `Unreadable` with the reason. */
export async function readFacts(bytes: Uint8Array): Promise<ReadFacts> {
  const { body } = await readPdf(bytes, limits, new AbortController().signal).catch((error: unknown) => {
    if (error instanceof BadRequest) throw new Unreadable('pdf', error.message, { cause: error })
    throw error
  })
  type Body = {
    readonly page_count: number
    readonly scanned_pages: number[]
    readonly pages: { readonly text: string }[]
    readonly headings: { readonly text: string }[]
    readonly tables: (Omit<Table, 'columns' | 'rows'> & { columns: { name: string | null }[]; rows: { cells: (string | null)[] }[] })[]
    readonly drill: { readonly tables: { readonly intervals: number }[] } | null
  }
  const { page_count, scanned_pages, pages, headings, tables, drill } = JSON.parse(body.toString('utf8')) as Body
  return {
    page_count,
    scanned_pages,
    page_text: pages.map(page => page.text),
    headings: headings.map(heading => heading.text),
    tables: tables.map(({ page, title, columns, rows }) => ({
      page,
      title,
      columns: columns.map(column => column.name ?? ''),
      rows: rows.map(row => row.cells),
    })),
    drill_intervals: (drill?.tables ?? []).reduce((sum, table) => sum + table.intervals, 0),
  }
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter(word => word !== '')
/** Share of words that two texts have in common in the same order: 1 for equal texts, regardless of spaces and lines. */
export const textScore = (expected: string, got: string): number => sharedShare(wordsOf(expected), wordsOf(got))
/** The same over the cells of tables: each cell with its column, row after row, the head first. */
export const tableScore = (expected: readonly Table[], got: readonly Table[]): number => sharedShare(expected.flatMap(cellsOf), got.flatMap(cellsOf))
const cellsOf = ({ columns, rows }: Table): string[] =>
  [columns, ...rows].flatMap(row => row.map((cell, at) => `${at} ${(cell ?? '').replace(/\s+/g, ' ').trim()}`))

function sharedShare(expected: readonly string[], got: readonly string[]): number {
  if (expected.length + got.length === 0) return 1
  const numbers = new Map<string, number>()
  const numbered = (list: readonly string[]): Int32Array =>
    Int32Array.from(list, each => {
      const known = numbers.get(each) ?? numbers.size
      numbers.set(each, known)
      return known
    })
  const { removed } = shortestEdit(numbered(expected), numbered(got))
  const common = expected.length - removed.reduce((sum, each) => sum + each, 0)
  return (2 * common) / (expected.length + got.length)
}

const isSameText = (expected: unknown, got: unknown): boolean =>
  Array.isArray(expected) &&
  Array.isArray(got) &&
  expected.length === got.length &&
  expected.every((text, at) => textScore(String(text), String(got[at])) === 1)
const isSameTable = (expected: unknown, got: unknown): boolean =>
  Array.isArray(expected) &&
  Array.isArray(got) &&
  expected.length === got.length &&
  expected.every((table, at) => tableScore([table as Table], [got[at] as Table]) === 1)

export async function pdf({ document }: Found, entry: Entry, fields: readonly string[]): Promise<Outcome[]> {
  const read = await readFacts(document.body)
  const { page_text: texts, tables } = entry as Partial<ReadFacts>
  const score = (field: string, value: number): Outcome => ({
    field,
    equal: value === 1,
    expected: 1,
    got: `${(100 * value).toFixed(2)} %`,
    hint: true,
  })
  return [
    ...compare(read, entry, fields, { page_text: isSameText, tables: isSameTable }),
    ...(texts ? [score('text score', textScore(texts.join('\n'), read.page_text.join('\n')))] : []),
    ...(tables ? [score('table score', tableScore(tables, read.tables))] : []),
  ]
}
