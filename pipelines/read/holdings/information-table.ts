// The XML information table of a 13F (`informationTable`, any namespace prefix): one pass over its characters, one row at a time, so
// that a table of 50,000 rows needs only the memory of its text and of the rows that the caller keeps. Well-formedness is checked too.
import { Unreadable } from '#schemas/errors.ts'

/** The cells of one `infoTable` as filed, decoded and trimmed; null if the element is absent or empty. */
export type TableRow = {
  issuer: string | null
  title: string | null
  cusip: string | null
  figi: string | null
  value: string | null
  amount: string | null
  amountType: string | null
  putCall: string | null
  discretion: string | null
  otherManager: string | null
  sole: string | null
  shared: string | null
  none: string | null
  /** Elements of the row that the form does not have, or has once and the filing twice. */
  oddities: string[]
}
type Cell = Exclude<keyof TableRow, 'oddities'>

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

export const emptyRow = (): TableRow => ({
  issuer: null,
  title: null,
  cusip: null,
  figi: null,
  value: null,
  amount: null,
  amountType: null,
  putCall: null,
  discretion: null,
  otherManager: null,
  sole: null,
  shared: null,
  none: null,
  oddities: [],
})

/** Compares element names without prefix and case. */
type Name = { readonly qualified: string; readonly local: string; readonly cell: Cell | null; next: Name | null }

/**
 * The rows in order. Throws `Unreadable` if the text is not well-formed or ends early (`malformed_xml`), has a DOCTYPE (`doctype`), is
 * above 256 Mi characters (`too_large`), or has another root (`not_information_table`). A truncated table is refused, because the missing
 * rows are unknown.
 */
export function* readInformationTable(subject: string, text: string): Generator<TableRow, void> {
  if (text.length > limits.characters) throw new Unreadable('too_large', `${subject}: ${text.length} characters of XML, limit ${limits.characters}`)
  const malformed = (at: number, what: string): Unreadable => new Unreadable('malformed_xml', `${subject}: ${what} at character ${at}`)
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
    const open = text.indexOf('<', at)
    if (open < 0) break
    if (cell !== null && open > at) content += decoded(text.slice(at, open), () => malformed(at, 'an unknown reference'))
    else if (stack.length === 0 && open > at && !isBlank(text, at, open)) throw malformed(at, 'text outside the root element')
    const next = text.charCodeAt(open + 1)
    if (next === 47) {
      const opened = stack.pop()
      let close = open + 2 + (opened?.length ?? 0)
      if (opened === undefined || !text.startsWith(opened, open + 2)) throw malformed(open, `${text.slice(open, open + 60)} closes nothing`)
      while (text.charCodeAt(close) <= 32) close += 1
      if (text.charCodeAt(close) !== 62) throw malformed(open, `${text.slice(open, open + 60)} closes nothing`)
      if (cell !== null) {
        if (row !== null) put(row, cell, content)
        cell = null
      } else if (row !== null && stack.length === rowDepth) {
        yield row
        row = null
      }
      at = close + 1
      continue
    }
    if (next === 33 || next === 63) {
      const special = skipSpecial(text, open, subject)
      if (special === null) throw malformed(open, 'a comment, section or instruction that does not end')
      if (special.text !== null && cell !== null) content += special.text
      at = special.end
      continue
    }
    // Elements follow one another as in the row before: the name that came next then is tried first.
    const guess = last.next
    const guessed = guess !== null && text.startsWith(guess.qualified, open + 1) && endsName(text.charCodeAt(open + 1 + guess.qualified.length))
    const nameEnd = guessed ? open + 1 + guess.qualified.length : nameEndAt(text, open)
    const end = nameEnd < 0 ? -1 : tagEnd(text, nameEnd)
    if (end < 0) throw malformed(open, 'a tag that is none')
    const empty = text.charCodeAt(end - 2) === 47
    const name = guessed ? guess : known(names, text.slice(open + 1, nameEnd))
    const { qualified } = name
    last.next = name
    last = name
    if (stack.length === 0) {
      if (rooted) throw malformed(open, 'a second root element')
      rooted = true
      if (name.local !== 'informationtable')
        throw new Unreadable('not_information_table', `${subject}: root element <${qualified.slice(0, 60)}>, expected <informationTable>`)
    }
    if (cell !== null) throw malformed(open, `<${qualified.slice(0, 60)}> inside a cell`)
    if (stack.length >= limits.depth) throw new Unreadable('too_deep', `${subject}: more than ${limits.depth} levels of elements`)
    if (name.local === 'infotable' && row === null && stack.length > 0) {
      row = emptyRow()
      rowDepth = stack.length
      if (empty) {
        yield row
        row = null
      }
    } else if (row !== null && name.cell !== null) {
      if (empty) put(row, name.cell, '')
      else {
        cell = name.cell
        content = ''
      }
    } else if (row !== null && !groups.has(name.local)) note(row, `unknown_element`)
    if (!empty) stack.push(qualified)
    at = end
  }
  if (stack.length > 0 || !rooted) throw malformed(text.length, rooted ? `the text ends inside <${stack.at(-1)}>` : 'no element')
  if (!isBlank(text, at, text.length)) throw malformed(at, 'text behind the root element')
}

function known(names: Map<string, Name>, qualified: string): Name {
  const held = names.get(qualified)
  if (held !== undefined) return held
  const local = qualified.slice(qualified.indexOf(':') + 1).toLowerCase()
  const name: Name = { qualified, local, cell: cells[local] ?? null, next: null }
  if (names.size < 1000) names.set(qualified, name)
  return name
}

function put(row: TableRow, cell: Cell, content: string): void {
  const text = content.trim()
  if (row[cell] !== null) note(row, 'cell_twice')
  else if (text !== '') row[cell] = text.length > 12 ? detached(text) : text
}

function note(row: TableRow, oddity: string): void {
  if (!row.oddities.includes(oddity)) row.oddities.push(oddity)
}

/** A copy: V8 keeps the whole document alive for a slice of it that is longer than twelve characters. */
const detached = (text: string): string => Buffer.from(text.replace(/\s+/g, ' ')).toString()

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

const references: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }
/** Text with its references decoded. */
function decoded(raw: string, unknown: () => Unreadable): string {
  if (!raw.includes('&')) return raw
  // A name such as `AT&T` is a filer's slip that software of the time let pass: the bare sign is kept.
  return raw.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{1,9}));/g, (whole, decimal, hex, name: string | undefined) => {
    if (name !== undefined) {
      const character = references[name]
      if (character === undefined) throw unknown()
      return character
    }
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
