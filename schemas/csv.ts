// Reads CSV for documents, the command line and uploads. Cells keep the text of the file, so that a symbol `NA` or `TRUE` stays a symbol,
// and 185.640000 keeps its digits.
import Papa from 'papaparse'

export type CsvRow = {
  readonly cells: readonly string[]
  /** Number of the row, from 1; blank rows are counted too. */
  readonly row: number
  /** Line of the file on which the row begins, from 1. It is above `row` after a quoted cell with a line break. */
  readonly line: number
}
export type CsvTable = {
  /** Rows with at least one cell that is not blank, the header included. Rows may differ in length. */
  readonly rows: readonly CsvRow[]
  /** The first quotation that does not end correctly; null if all do. The rows from there on are not reliable. */
  readonly broken: { readonly row: number; readonly line: number; readonly message: string } | null
}

/** Reads a text without its byte order mark. `delimiter`: the one of the file, or those to choose from by the text. */
export function readCsv(text: string, delimiter: string | readonly string[] = ','): CsvTable {
  const body = text.replace(/^\ufeff/, '')
  const chosen = typeof delimiter === 'string' ? delimiter : guessDelimiter(body, delimiter)
  const { data, errors } = Papa.parse<string[]>(body, { delimiter: chosen, dynamicTyping: false, skipEmptyLines: false })
  const fault = errors.find(error => error.type === 'Quotes')
  const lines: number[] = []
  let line = 1
  for (const cells of data) {
    lines.push(line)
    for (const cell of cells) for (let at = cell.indexOf('\n'); at >= 0; at = cell.indexOf('\n', at + 1)) line += 1
    line += 1
  }
  const numbered = data.map((cells, at): CsvRow => ({ cells, row: at + 1, line: lines[at] as number }))
  const rows = numbered.filter(({ cells }) => cells.some(cell => cell.trim() !== ''))
  return { rows, broken: fault ? { row: (fault.row ?? 0) + 1, line: lines[fault.row ?? 0] ?? line, message: fault.message } : null }
}

/** The delimiter that splits the first rows most evenly. Blank rows do not count: with them, Papa Parse finds no delimiter in a short file. */
const guessDelimiter = (text: string, among: readonly string[]): string =>
  Papa.parse(text, { delimitersToGuess: [...among], preview: 10, skipEmptyLines: 'greedy' }).meta.delimiter
