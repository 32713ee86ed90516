// Tables in a text: heads with From, To, Interval and metals, and the rows below them, whichever way their cells are parted. A row
// that does not fit its head is listed as unread.
import { compareDecimals } from '#schemas/decimals.ts'
import { lengthBetween } from './attach.ts'
import { type Column, columnOf, columnsInWords, isHead, textColumn, unitLine, withUnits } from './columns.ts'
import { type Cell, cellsOf, type Line, linesOf, type Splitter, splitterOf } from './lines.ts'
import { isMark, isWord } from './metals.ts'
import type { Token } from './tokens.ts'
import type { Grade, Length, LengthUnit, RawInterval, Relation, Unread } from './types.ts'

export type ReadTables = {
  readonly intervals: RawInterval[]
  readonly unread: Unread[]
  /** The tokens that belong to no table, with a break where one was taken out. */
  readonly rest: readonly Token[]
}
const longestLine = 600

export function readTables(text: string, tokens: readonly Token[], french: boolean): ReadTables {
  const lines = linesOf(text, tokens)
  const taken = new Set<number>()
  const intervals: RawInterval[] = []
  const unread: Unread[] = []
  for (let at = 0; at < lines.length; at++) {
    const head = headAt(text, tokens, lines, at, french)
    if (!head) continue
    const found = readRows(text, tokens, lines, head, french)
    // A head over nothing that looks like a row is a sentence.
    if (found.intervals.length === 0 && found.unread.length === 0) continue
    for (const column of head.columns)
      if (column.kind === 'grade' && column.gradeUnit === null)
        unread.push({ reason: 'table_column', span: column.span, detail: 'a column of a metal without a unit' })
    intervals.push(...found.intervals)
    unread.push(...found.unread)
    for (let line = at; line < found.next; line++) taken.add(line)
    at = found.next - 1
  }
  return { intervals, unread, rest: taken.size === 0 ? tokens : without(tokens, lines, taken) }
}

function without(tokens: readonly Token[], lines: readonly Line[], taken: ReadonlySet<number>): Token[] {
  const rest: Token[] = []
  lines.forEach((line, at) => {
    const mark = tokens[line.to]
    if (!taken.has(at)) for (let place = line.from; place < line.to; place++) rest.push(tokens[place] as Token)
    if (mark) rest.push(mark)
    if (mark && taken.has(at) && !taken.has(at + 1)) rest.push(mark)
  })
  return rest
}

type Head = { readonly columns: readonly Column[]; readonly splitter: Splitter; readonly next: number; readonly stacked: boolean }

function headAt(text: string, tokens: readonly Token[], lines: readonly Line[], at: number, french: boolean): Head | null {
  const line = lines[at] as Line
  if (line.to === line.from || line.end - line.start > longestLine) return null
  const own = tokens.slice(line.from, line.to)
  const splitter = splitterOf(text, line)
  const split = cellsOf(text, tokens, line, splitter).map(cell =>
    hasNumber(cell.tokens) ? null : (columnOf(cell.tokens, french) ?? textColumn(cell.tokens)),
  )
  if (splitter !== 'none' && split.every(column => column !== null) && isHead(split as Column[])) return withUnitLines(split as Column[], splitter)
  const inWords = columnsInWords(own, french)
  if (inWords && isHead(inWords)) return withUnitLines(inWords, 'none')
  return stackedHead(tokens, lines, at, french)

  function withUnitLines(columns: Column[], how: Splitter): Head {
    let next = at + 1
    const below = lines[next]
    if (below && below.to > below.from && columns.some(column => column.kind === 'grade' && column.gradeUnit === null)) {
      const units = unitLine(tokens.slice(below.from, below.to), french)
      if (units) return { columns: withUnits(columns, units), splitter: how, next: next + 1, stacked: false }
    }
    while (lines[next] && isRule(tokens, lines[next] as Line)) next += 1
    return { columns, splitter: how, next, stacked: false }
  }
}
/** A name of a metal may have a digit before it; any other number is no part of a head. */
const hasNumber = (tokens: readonly Token[]): boolean => tokens.some((token, at) => token.kind === 'number' && !tokens[at + 1]?.joined)
/** `|---|---|` below the head. */
const isRule = (tokens: readonly Token[], line: Line): boolean =>
  line.to > line.from && tokens.slice(line.from, line.to).every(token => token.kind === 'mark' && '|-:=+_'.includes(token.text))

/** A head whose cells stand each on a line of its own, as pasted from a page. */
function stackedHead(tokens: readonly Token[], lines: readonly Line[], at: number, french: boolean): Head | null {
  const columns: Column[] = []
  let next = at
  for (; next < lines.length && columns.length < 16; next++) {
    const line = lines[next] as Line
    if (line.to === line.from) continue
    const own = tokens.slice(line.from, line.to)
    const column = own.length <= 10 && !hasNumber(own) ? columnOf(own, french) : null
    if (!column) break
    columns.push(column)
  }
  return columns.length >= 4 && isHead(columns) ? { columns, splitter: 'none', next, stacked: true } : null
}

type Rows = { readonly intervals: RawInterval[]; readonly unread: Unread[]; readonly next: number }
type State = { hole: string | null; relation: Relation }

function readRows(text: string, tokens: readonly Token[], lines: readonly Line[], head: Head, french: boolean): Rows {
  const intervals: RawInterval[] = []
  const unread: Unread[] = []
  const state: State = { hole: null, relation: 'top' }
  let next = head.next
  let end = head.next
  let blank = 0
  while (next < lines.length) {
    const line = lines[next] as Line
    if (line.to === line.from || isRule(tokens, line)) {
      blank += 1
      if (blank > 2 && !head.stacked) break
      next += 1
      continue
    }
    if (line.end - line.start > longestLine || (next > head.next && headAt(text, tokens, lines, next, french))) break
    const read = head.stacked ? stackedRow(tokens, lines, next, head.columns) : { cells: cellsFor(text, tokens, line, head), next: next + 1 }
    const row = read.cells && toRow(read.cells, head.columns, state)
    if (row) {
      intervals.push(row)
      next = read.next
    } else {
      const label = labelOf(tokens.slice(line.from, line.to), state)
      if (!label && !looksLikeRow(tokens, line)) break
      if (!label) unread.push(unreadRow(tokens, line))
      next += 1
    }
    end = next
    blank = 0
  }
  return { intervals, unread, next: end }
}

/** The cells of a row, one for each column; null where they cannot be told apart. */
function cellsFor(text: string, tokens: readonly Token[], line: Line, head: Head): (readonly Token[])[] | null {
  const wanted = head.columns.length
  if (head.splitter !== 'none') {
    const cells: Cell[] = cellsOf(text, tokens, line, head.splitter)
    if (cells.length === wanted) return cells.map(cell => cell.tokens)
    if (head.splitter !== 'wide' && cells.length > wanted && cells.slice(wanted).every(cell => cell.tokens.length === 0))
      return cells.slice(0, wanted).map(cell => cell.tokens)
    if (head.splitter === 'bar' || head.splitter === 'tab') return null
  }
  return cellsInWords(tokens.slice(line.from, line.to), head.columns)
}

/** Cells parted by one space: a label, then exactly as many numbers as the head has columns for. */
function cellsInWords(tokens: readonly Token[], columns: readonly Column[]): (readonly Token[])[] | null {
  const numeric = columns.filter(column => column.kind !== 'hole' && column.kind !== 'text')
  const values = valuesOf(tokens)
  const labelled = values.length - numeric.length
  if (labelled < 0 || labelled > 3) return null
  // Of a label such as `23-105` the numbers are joined to each other by dashes.
  if (labelled > 0 && !values.slice(1, labelled).every(([at]) => isMark(tokens[at - 1], '-') && tokens[at]?.joined)) return null
  const first = values[labelled]?.[0] ?? tokens.length
  const label = tokens.slice(0, first).filter(token => !isMark(token, '-') || token.joined)
  let place = labelled
  return columns.map(column => {
    if (column.kind === 'hole') return label
    if (column.kind === 'text') return []
    const [at, end] = values[place++] as readonly [number, number]
    return tokens.slice(at, end)
  })
}
/** Places of numbers, with `<` before them, and of `-` and `nil` where a number would stand. */
function valuesOf(tokens: readonly Token[]): (readonly [number, number])[] {
  const values: (readonly [number, number])[] = []
  for (let at = 0; at < tokens.length; at++) {
    if (tokens[at]?.kind === 'number') values.push([isMark(tokens[at - 1], '<') ? at - 1 : at, at + 1])
    else if ((isMark(tokens[at], '-') && !tokens[at]?.joined && !tokens[at + 1]?.joined) || isWord(tokens[at], 'nil', 'nsv', 'tr', 'bdl', 'na'))
      values.push([at, at + 1])
  }
  return values
}

/** The next row of a table whose cells stand each on a line of its own. */
function stackedRow(
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
    // The hole's cell is left out where it is that of the row above.
    if (columns[cells.length]?.kind === 'hole' && own.length === 1 && own[0]?.kind === 'number') cells.push([])
    cells.push(own)
  }
  return { cells: cells.length === columns.length ? cells : null, next }
}

function toRow(cells: readonly (readonly Token[])[], columns: readonly Column[], state: State): RawInterval | null {
  const measures: { from: Length | null; to: Length | null; length: Length | null; true_width: Length | null } = {
    from: null,
    to: null,
    length: null,
    true_width: null,
  }
  const grades: Grade[] = []
  const all = cells.flat()
  const relation = relationIn(cells.filter((_, at) => columns[at]?.kind !== 'grade').flat())
  const anyUnit = columns.find(column => column.lengthUnit !== null)?.lengthUnit ?? 'm'
  for (const [at, column] of columns.entries()) {
    const cell = cells[at] ?? []
    const value = cell.find(token => token.kind === 'number')
    if (column.kind === 'hole') {
      const hole = holeIn(cell, relation !== null)
      if (hole) state.hole = hole
      continue
    }
    if (column.kind === 'text' || column.kind === 'number' || !value) continue
    if (cell.filter(token => token.kind === 'number').length > 1) return null
    const measured = lengthIn(value, column.lengthUnit ?? anyUnit)
    if (column.kind !== 'grade') measures[column.kind] = measured
    else if (column.gradeUnit && column.metal) grades.push(gradeIn(cell, value, column))
  }
  const { from, to, length, true_width: trueWidth } = measures
  if (grades.length === 0 || (!length && !(from && to)) || (from && to && compareDecimals(from.value, to.value) >= 0)) return null
  const said = relation ?? state.relation
  state.relation = 'top'
  return {
    hole: state.hole,
    length: length ?? lengthBetween(from as Length, to as Length),
    isTrueWidth: false,
    from,
    to,
    trueWidth,
    coreAngle: null,
    grades,
    relation: said,
    origin: 'table',
    span: { start: (all[0] as Token).start, end: (all.at(-1) as Token).end },
  }
}
const lengthIn = (token: Token, unit: LengthUnit): Length => ({ value: token.text, unit, span: { start: token.start, end: token.end } })
const gradeIn = (cell: readonly Token[], value: Token, column: Column): Grade => ({
  metal: column.metal,
  value: value.text,
  unit: column.gradeUnit as Grade['unit'],
  qualifier: isMark(cell[cell.indexOf(value) - 1], '<') ? '<' : null,
  equivalent: column.equivalent,
  capped: false,
  span: { start: value.start, end: value.end },
})

/** `including`, `incl.`, `and`, `and incl.` in a row's label; null where it has none. */
function relationIn(tokens: readonly Token[]): Relation | null {
  const includes = tokens.some(token => isWord(token, 'incl', 'including', 'includes', 'incluant', 'inc', 'dont', 'with'))
  const and = tokens.some(token => isWord(token, 'and', 'et', '&') || isMark(token, '&'))
  return includes ? (and ? 'and_including' : 'including') : and ? 'and' : null
}
function holeIn(cell: readonly Token[], related: boolean): string | null {
  const parts = cell.filter(token => token.kind !== 'mark' || token.text === '-' || token.text === '_')
  const name = parts.map(token => token.raw).join('')
  if (name === '' || !/\d/.test(name)) return null
  return related ? (cell.find(token => token.kind === 'name')?.raw ?? null) : name.slice(0, 32)
}
/** A line that only says `including`, or only names a hole: it is about the next row. */
function labelOf(tokens: readonly Token[], state: State): boolean {
  const relation = tokens.length <= 3 ? relationIn(tokens) : null
  if (relation) state.relation = relation
  const isHole = tokens.length === 1 && tokens[0]?.kind === 'name'
  if (isHole) state.hole = tokens[0]?.raw ?? null
  return relation !== null || isHole
}

/** Two numbers or more and hardly a word: a row, though one that does not fit. */
function looksLikeRow(tokens: readonly Token[], line: Line): boolean {
  const own = tokens.slice(line.from, line.to)
  const numbers = own.filter(token => token.kind === 'number' || token.kind === 'unclear').length
  const words = own.filter(token => token.kind === 'word').length
  return (numbers >= 2 && words <= 8) || (own[0]?.kind === 'name' && words <= 6)
}
function unreadRow(tokens: readonly Token[], line: Line): Unread {
  const own = tokens.slice(line.from, line.to)
  const none = own.some(token => isWord(token, 'nsv', 'nsr', 'nsa', 'significant', 'pending', 'anomalous'))
  return {
    reason: none ? 'no_result' : 'table_row',
    span: { start: (own[0] as Token).start, end: (own.at(-1) as Token).end },
    detail: none ? 'a row that says that there is no result' : 'a row that does not fit the head of its table',
  }
}
