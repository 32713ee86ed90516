// Rows as text: csv, excel (tab-separated) and ndjson.
import { type BodyRows, type Cell, columnsIn, Digits, flatten, isPlain, type Json, plainText, printJson } from './rows.ts'

export type TextFormat = 'csv' | 'excel' | 'ndjson'

/** The byte order mark, by which spreadsheets read a tab-separated file as UTF-8. */
export const byteOrderMark = '\ufeff'

/** The rows of a body. `schemaColumns` are the columns of an answer without rows. */
export function renderText(format: TextFormat, { rows }: BodyRows, schemaColumns: readonly string[]): string {
  if (format === 'ndjson') return rows.map(row => `${printJson(row)}\n`).join('')
  const flat = rows.map(row => flatten(row, listText))
  const found = columnsIn(flat)
  const columns = found.length > 0 ? found : schemaColumns
  const lines = flat.map(row =>
    rowLine(
      format,
      columns.map(column => row.get(column) ?? null),
    ),
  )
  return [headerLine(format, columns), ...lines].join('')
}

/** Lists of plain values are one cell with semicolons, lists of objects JSON. */
const listText = (list: readonly Json[]): string => (list.every(isPlain) ? list.map(plainText).join('; ') : printJson(list))

/** The first line of a csv or excel text: column names, guarded as text is. */
export function headerLine(format: 'csv' | 'excel', columns: readonly string[]): string {
  return `${format === 'excel' ? byteOrderMark : ''}${rowLine(format, columns)}`
}
/** One line, CRLF included. csv as RFC 4180; excel with tabs and line breaks in text replaced by a space. */
export function rowLine(format: 'csv' | 'excel', cells: readonly Cell[]): string {
  return `${cells.map(cell => (format === 'csv' ? csvCell(cell) : excelCell(cell))).join(format === 'csv' ? ',' : '\t')}\r\n`
}

function csvCell(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell !== 'string') return cell instanceof Digits ? cell.text : String(cell)
  const safe = guard(cell)
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
function excelCell(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell !== 'string') return cell instanceof Digits ? cell.text : String(cell)
  return guard(cell).replaceAll(/[\t\r\n\v\f\u0085\u2028\u2029]+/g, ' ')
}

/** What a spreadsheet would run as a formula (full-width forms too). Numbers are never tested. */
export const looksLikeFormula = (text: string): boolean => /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/.test(text)

/** Text that looks like a formula gets a leading apostrophe. */
function guard(text: string): string {
  return looksLikeFormula(text) ? `'${text}` : text
}
