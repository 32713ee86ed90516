// Tables in a text: heads with From, To, Interval and metals, and the rows below them, however their cells are separated. A row that
// does not fit its head is listed as unread.
import { compareDecimals } from '#schemas/decimals.ts'
import { lengthBetween } from './attach.ts'
import { type Column, columnOf, columnsInWords, isHead, textColumn, unitLine, withUnits } from './columns.ts'
import { cellsOf, type Line, linesOf, type Splitter, splitterOf } from './lines.ts'
import { isMark, isWord } from './metals.ts'
import { cellsFor, rangeIn, stackedRow } from './table-cells.ts'
import type { Token } from './tokens.ts'
import type { Grade, Length, LengthUnit, RawInterval, Relation, Unread } from './types.ts'

export type ReadTables = {
  readonly intervals: RawInterval[]
  readonly unread: Unread[]
  /** The tokens outside tables, with a break in place of each table. */
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
    // A head followed by nothing that looks like a row is a sentence.
    if (found.intervals.length === 0 && found.unread.length === 0) continue
    for (const column of head.columns)
      if (column.kind === 'grade' && (column.gradeUnit === null || column.metal === null))
        unread.push({
          reason: 'table_column',
          span: column.span,
          detail: column.metal === null ? 'a column of several metals together' : 'a column of a metal without a unit',
        })
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
/** A name of a metal may have a digit before it; any other number cannot be part of a head. */
const hasNumber = (tokens: readonly Token[]): boolean => tokens.some((token, at) => token.kind === 'number' && !tokens[at + 1]?.joined)
/** `|---|---|` below the head. */
const isRule = (tokens: readonly Token[], line: Line): boolean =>
  line.to > line.from && tokens.slice(line.from, line.to).every(token => token.kind === 'mark' && '|-:=+_'.includes(token.text))

/** A head whose cells are each on a separate line, as pasted from a page. */
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
    const read = head.stacked
      ? stackedRow(tokens, lines, next, head.columns)
      : { cells: cellsFor(text, tokens, line, head.columns, head.splitter), next: next + 1 }
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

function toRow(cells: readonly (readonly Token[])[], columns: readonly Column[], state: State): RawInterval | null {
  const all = cells.flat()
  const relation = relationIn(cells.filter((_, at) => columns[at]?.kind !== 'grade').flat())
  const hole = columns.findIndex(column => column.kind === 'hole')
  if (hole >= 0) state.hole = holeIn(cells[hole] ?? [], relation !== null) ?? state.hole
  const measured = measuredIn(cells, columns)
  if (measured === null) return null
  const { from, to, length, true_width: trueWidth, grades } = measured
  if (grades.length === 0 || (!length && !(from && to)) || (from && to && compareDecimals(from.value, to.value) >= 0)) return null
  const statement = relation ?? state.relation
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
    relation: statement,
    origin: 'table',
    span: { start: (all[0] as Token).start, end: (all.at(-1) as Token).end },
  }
}

type Measures = { from: Length | null; to: Length | null; length: Length | null; true_width: Length | null }
/** The quantities in the cells of a row; null if a cell contains more than one number and is not a pair of depths. */
function measuredIn(cells: readonly (readonly Token[])[], columns: readonly Column[]): (Measures & { readonly grades: readonly Grade[] }) | null {
  const measures: Measures = { from: null, to: null, length: null, true_width: null }
  const grades: Grade[] = []
  const hasDepths = columns.some(column => column.kind === 'from' || column.kind === 'to')
  const anyUnit = columns.find(column => column.lengthUnit !== null)?.lengthUnit ?? 'm'
  for (const [at, column] of columns.entries()) {
    const cell = cells[at] ?? []
    const value = cell.find(token => token.kind === 'number')
    if (column.kind === 'hole' || column.kind === 'text' || column.kind === 'number' || !value) continue
    const unit = column.lengthUnit ?? anyUnit
    const range = column.kind === 'depths' || (column.kind === 'length' && !hasDepths) ? rangeIn(cell) : null
    if (range) [measures.from, measures.to] = [lengthIn(range[0], unit), lengthIn(range[1], unit)]
    else if (cell.filter(token => token.kind === 'number').length > 1) return null
    else if (column.kind === 'grade') {
      if (column.gradeUnit && column.metal) grades.push(gradeIn(cell, value, column))
    } else if (column.kind !== 'depths') measures[column.kind] = lengthIn(value, unit)
    // A single depth is that of the hole.
  }
  return { ...measures, grades }
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

/** `including`, `incl.`, `and`, `and incl.` in a row's label; null if it has none. */
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
/** A line that contains only `including`, or only a hole's name: it applies to the next row. */
function labelOf(tokens: readonly Token[], state: State): boolean {
  const relation = tokens.length <= 3 ? relationIn(tokens) : null
  if (relation) state.relation = relation
  const isHole = tokens.length === 1 && tokens[0]?.kind === 'name'
  if (isHole) state.hole = tokens[0]?.raw ?? null
  return relation !== null || isHole
}

/** At least two numbers and few words: a row, though one that does not fit. */
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
