// The cells of a table's rows, separated by marks, by one space, or each on a separate line.
import type { Column } from './columns.ts'
import { type Cell, cellsOf, type Line, type Splitter } from './lines.ts'
import { isMark, isWord } from './metals.ts'
import type { Token } from './tokens.ts'

/** The cells of a row, one for each column; null if they cannot be separated. */
export function cellsFor(
  text: string,
  tokens: readonly Token[],
  line: Line,
  columns: readonly Column[],
  splitter: Splitter,
): (readonly Token[])[] | null {
  const wanted = columns.length
  if (splitter !== 'none') {
    const cells: Cell[] = cellsOf(text, tokens, line, splitter)
    if (cells.length === wanted) return cells.map(cell => cell.tokens)
    if (splitter !== 'wide' && cells.length > wanted && cells.slice(wanted).every(cell => cell.tokens.length === 0))
      return cells.slice(0, wanted).map(cell => cell.tokens)
    if (splitter === 'bar' || splitter === 'tab') return null
  }
  return cellsInWords(tokens.slice(line.from, line.to), columns)
}

/** Cells separated by one space: a label, then exactly as many numbers as the head has numeric columns. */
function cellsInWords(tokens: readonly Token[], columns: readonly Column[]): (readonly Token[])[] | null {
  const numeric = columns.filter(column => column.kind !== 'hole' && column.kind !== 'text')
  const values = valuesOf(
    tokens,
    columns.some(column => column.kind === 'depths'),
  )
  const labelled = values.length - numeric.length
  if (labelled < 0 || labelled > 3) return null
  // Of a label such as `23-105` the numbers are joined to each other by dashes.
  if (labelled > 0 && !values.slice(1, labelled).every(([at]) => isMark(tokens[at - 1], '-') && tokens[at]?.joined)) return null
  const first = values[labelled]?.[0] ?? tokens.length
  if (!columns.some(column => column.kind === 'text') && tokens.slice(first).some(isNoCell)) return null
  const label = tokens.slice(0, first).filter(token => !isMark(token, '-') || token.joined)
  let place = labelled
  return columns.map(column => {
    if (column.kind === 'hole') return label
    if (column.kind === 'text') return []
    const [at, end] = values[place++] as readonly [number, number]
    return tokens.slice(at, end)
  })
}
/** A word or a currency sign among the numbers: a note below the table, not a row. Units and marks for a missing assay are allowed. */
const isNoCell = (token: Token): boolean =>
  isMark(token, '$') ||
  (token.kind === 'word' &&
    !isWord(token, 'm', 'ft', 'g', 't', 'gpt', 'ppm', 'ppb', 'oz', 'opt', 'to', 'nil', 'nsv', 'tr', 'bdl', 'na', 'incl', 'including'))
/** Positions of numbers, with `<` before them, and of `-` and `nil` in place of a number; `ranges`: `120.5-132.0` is one. */
function valuesOf(tokens: readonly Token[], ranges: boolean): (readonly [number, number])[] {
  const values: (readonly [number, number])[] = []
  for (let at = 0; at < tokens.length; at++) {
    if (ranges && tokens[at]?.kind === 'number' && rangeIn(tokens.slice(at, at + 3))) {
      values.push([at, at + 3])
      at += 2
    } else if (tokens[at]?.kind === 'number') values.push([isMark(tokens[at - 1], '<') ? at - 1 : at, at + 1])
    else if ((isMark(tokens[at], '-') && !tokens[at]?.joined && !tokens[at + 1]?.joined) || isWord(tokens[at], 'nil', 'nsv', 'tr', 'bdl', 'na'))
      values.push([at, at + 1])
  }
  return values
}

/** The next row of a table whose cells are each on a separate line. */
export function stackedRow(
  tokens: readonly Token[],
  lines: readonly Line[],
  from: number,
  columns: readonly Column[],
): { readonly cells: (readonly Token[])[] | null; readonly next: number } {
  const cells: (readonly Token[])[] = []
  let next = from
  while (cells.length < columns.length && next < lines.length && next < from + 3 * columns.length) {
    const line = lines[next] as Line
    const own = tokens.slice(line.from, line.to)
    next += 1
    if (own.length === 0) continue
    if (own.length > 8) return { cells: null, next: from + 1 }
    // The hole's cell is omitted if it is the same as in the row above.
    if (columns[cells.length]?.kind === 'hole' && own.length === 1 && own[0]?.kind === 'number') cells.push([])
    cells.push(own)
  }
  return { cells: cells.length === columns.length ? cells : null, next }
}

/** `120.5-132.0`, `88.0 to 240.0`: two depths and nothing else; null for anything else. */
export function rangeIn(cell: readonly Token[]): readonly [Token, Token] | null {
  // The bar before a cell is among its tokens.
  const own = cell.filter(token => token.kind !== 'mark' || token.text === '-')
  const [from, link, to] = own
  const links = isMark(link, '-') || isWord(link, 'to', 'à', 'a')
  return own.length === 3 && links && from?.kind === 'number' && to?.kind === 'number' ? [from, to] : null
}
