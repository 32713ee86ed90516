// The XML information table of a 13F (`informationTable`, any namespace prefix): one pass over its characters, one row at a time, so
// that a table of 50,000 rows needs only the memory of its text and of the rows that the caller keeps. Well-formedness is checked too.
// Rows with the markup of an earlier row are read by row-shapes.ts.
import { Unreadable } from '#schemas/errors.ts'
import { RowShapes } from './row-shapes.ts'
import { type Cell, cellText, decodedReferences, emptyRow, type TableRow } from './table-row.ts'

const limits = { characters: 256 * 1024 * 1024, depth: 64 }
const cells: Readonly<Record<string, Cell>> = {
  nameofissuer: 'issuer',
  titleofclass: 'title',
  cusip: 'cusip',
  figi: 'figi',
  value: 'value',
  sshprnamt: 'amount',
  sshprnamttype: 'amountType',
  putcall: 'putCall',
  investmentdiscretion: 'discretion',
  othermanager: 'otherManager',
  sole: 'sole',
  shared: 'shared',
  none: 'none',
}
const groups = new Set(['shrsorprnamt', 'votingauthority', 'infotable', 'informationtable'])

/** Compares element names without prefix and case. */
type Name = { readonly qualified: string; readonly local: string; readonly cell: Cell | null; next: Name | null }

/**
 * The rows in order. Throws `Unreadable` if the text is not well-formed or ends early (`malformed_xml`), has a DOCTYPE (`doctype`), is
 * above 256 Mi characters (`too_large`), or has another root (`not_information_table`). A truncated table is refused, because the missing
 * rows are unknown. `bytes` is the document that `text` was decoded from: with it, rows that repeat the markup of an earlier row are read
 * faster.
 */
export function* readInformationTable(subject: string, text: string, bytes?: Uint8Array): Generator<TableRow, void> {
  if (text.length > limits.characters) throw new Unreadable('too_large', `${subject}: ${text.length} characters of XML, limit ${limits.characters}`)
  const malformed = (at: number, what: string): Unreadable => new Unreadable('malformed_xml', `${subject}: ${what} at character ${at}`)
  // As many bytes as characters: no byte order mark, and no character of several bytes.
  const shapes = bytes === undefined || bytes.length !== text.length ? null : new RowShapes(text, bytes)
  const names = new Map<string, Name>()
  let last: Name = { qualified: '', local: '', cell: null, next: null }
  const stack: string[] = []
  let row: TableRow | null = null
  let rowDepth = 0
  let cell: Cell | null = null
  let content = ''
  let at = 0
  let rooted = false
  for (;;) {
    while (shapes !== null && row === null && stack.length === 1) {
      const repeated = shapes.match(at)
      if (repeated === null) break
      at = shapes.end
      yield repeated
    }
    const open = text.indexOf('<', at)
    if (open < 0) break
    if (cell !== null && open > at) {
      const run = decodedReferences(text.slice(at, open))
      if (run === null) throw malformed(at, 'an unknown reference')
      content += run
    } else if (stack.length === 0 && open > at && !isBlank(text, at, open)) throw malformed(at, 'text outside the root element')
    const next = text.charCodeAt(open + 1)
    if (next === 47) {
      const close = endTagEnd(text, open, stack.pop())
      if (close < 0) throw malformed(open, `${text.slice(open, open + 60)} closes nothing`)
      if (cell !== null) {
        if (row !== null) put(row, cell, content, shapes, at, open)
        cell = null
      } else if (row !== null && stack.length === rowDepth) {
        if (rowDepth === 1 && row.oddities.length === 0) shapes?.learn(close)
        yield row
        row = null
      }
      at = close
      continue
    }
    if (next === 33 || next === 63) {
      const special = skipSpecial(text, open, subject)
      if (special === null) throw malformed(open, 'a comment, section or instruction that does not end')
      if (special.text !== null && cell !== null) content += special.text
      shapes?.spoil()
      at = special.end
      continue
    }
    const name = nameAt(text, open, last, names)
    const end = name === null ? -1 : tagEnd(text, open + 1 + name.qualified.length)
    if (name === null || end < 0) throw malformed(open, 'a tag that is none')
    const empty = text.charCodeAt(end - 2) === 47
    last = name
    if (stack.length === 0 && rooted) throw malformed(open, 'a second root element')
    rooted = true
    if (cell !== null) throw malformed(open, `<${name.qualified.slice(0, 60)}> inside a cell`)
    checkPlace(subject, name, stack.length)
    if (name.local === 'infotable' && row === null && stack.length > 0) {
      row = emptyRow()
      rowDepth = stack.length
      shapes?.begin(at)
      if (empty) {
        yield row
        row = null
      }
    } else if (row !== null && name.cell !== null && empty) {
      put(row, name.cell, '', shapes, 0, 0)
    } else if (row !== null && name.cell !== null) {
      cell = name.cell
      content = ''
    } else if (row !== null && !groups.has(name.local)) note(row, `unknown_element`)
    if (!empty) stack.push(name.qualified)
    at = end
  }
  if (stack.length > 0 || !rooted) throw malformed(text.length, rooted ? `the text ends inside <${stack.at(-1)}>` : 'no element')
  if (!isBlank(text, at, text.length)) throw malformed(at, 'text behind the root element')
}

/** Throws for a root element that is no information table, and for an element too deep inside one. */
function checkPlace(subject: string, { local, qualified }: Name, depth: number): void {
  if (depth === 0 && local !== 'informationtable')
    throw new Unreadable('not_information_table', `${subject}: root element <${qualified.slice(0, 60)}>, expected <informationTable>`)
  if (depth >= limits.depth) throw new Unreadable('too_deep', `${subject}: more than ${limits.depth} levels of elements`)
}

/** The position after the end tag at `open` of the element that was opened last; -1 if there is none. */
function endTagEnd(text: string, open: number, opened: string | undefined): number {
  if (opened === undefined || !text.startsWith(opened, open + 2)) return -1
  let close = open + 2 + opened.length
  while (text.charCodeAt(close) <= 32) close += 1
  return text.charCodeAt(close) === 62 ? close + 1 : -1
}

/** The name of the start tag at `open`; null if there is none. */
function nameAt(text: string, open: number, last: Name, names: Map<string, Name>): Name | null {
  // Elements follow one another as in the row before: the name that came next then is tried first.
  const guess = last.next
  if (guess !== null && text.startsWith(guess.qualified, open + 1) && endsName(text.charCodeAt(open + 1 + guess.qualified.length))) return guess
  const end = nameEndAt(text, open)
  if (end < 0) return null
  last.next = known(names, text.slice(open + 1, end))
  return last.next
}

function known(names: Map<string, Name>, qualified: string): Name {
  const held = names.get(qualified)
  if (held !== undefined) return held
  const local = qualified.slice(qualified.indexOf(':') + 1).toLowerCase()
  const name: Name = { qualified, local, cell: cells[local] ?? null, next: null }
  if (names.size < 1000) names.set(qualified, name)
  return name
}

/** Sets a cell, with its content from `start` to `end`; both are 0 for an empty tag. */
function put(row: TableRow, cell: Cell, content: string, shapes: RowShapes | null, start: number, end: number): void {
  shapes?.cell(cell, start, end)
  if (row[cell] !== null) note(row, 'cell_twice')
  else row[cell] = cellText(content)
}

function note(row: TableRow, oddity: string): void {
  if (!row.oddities.includes(oddity)) row.oddities.push(oddity)
}

const endsName = (code: number): boolean => code === 62 || code === 47 || code <= 32

/** The end of the name of the start tag at `open`; -1 if there is none. */
function nameEndAt(text: string, open: number): number {
  for (let at = open + 1; ; at += 1) {
    const code = text.charCodeAt(at)
    if (Number.isNaN(code) || code === 60) return -1
    if (endsName(code)) return at === open + 1 ? -1 : at
  }
}

/** The position after the `>` of the start tag whose name ends at `at`; -1 without one. A `>` inside an attribute's quotes does not end it. */
function tagEnd(text: string, from: number): number {
  for (let at = from; ; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 62) return at + 1
    if (Number.isNaN(code) || code === 60) return -1
    if (code === 34 || code === 39) {
      at = text.indexOf(code === 34 ? '"' : "'", at + 1)
      if (at < 0) return -1
    }
  }
}

/** A comment, CDATA section (its text), instruction or declaration at `open`; null if it has no end. */
function skipSpecial(text: string, open: number, subject: string): { readonly end: number; readonly text: string | null } | null {
  const to = (mark: string, from: number): number => text.indexOf(mark, from)
  if (text.startsWith('<!--', open)) {
    const end = to('-->', open + 4)
    return end < 0 ? null : { end: end + 3, text: null }
  }
  if (text.startsWith('<![CDATA[', open)) {
    const end = to(']]>', open + 9)
    return end < 0 ? null : { end: end + 3, text: text.slice(open + 9, end) }
  }
  if (text.startsWith('<?', open)) {
    const end = to('?>', open + 2)
    return end < 0 ? null : { end: end + 2, text: null }
  }
  throw new Unreadable('doctype', `${subject}: has a declaration (${text.slice(open, open + 20)}), which no EDGAR form has`)
}

const isBlank = (text: string, from: number, to: number): boolean => {
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at)
    if (code > 32 && code !== 0xfeff) return false
  }
  return true
}
