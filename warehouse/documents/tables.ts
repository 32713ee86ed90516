// Finds tables: lines of several segments whose positions agree from line to line. Ruled lines are not used, because many tables have none.
import type { Line, Segment } from './lines.ts'

export type TableColumn = { readonly name: string | null; readonly unit: string | null; readonly x: number; readonly end: number }
export type TableRow = { readonly cells: readonly (string | null)[]; readonly y: number }
export type FoundTable = {
  readonly columns: readonly TableColumn[]
  readonly rows: readonly TableRow[]
  /** Lines of the page that belong to the table: first, and after the last. */
  readonly from: number
  readonly to: number
  readonly titleAt: number | null
  readonly title: string | null
  readonly unit: string | null
}
type Interval = { x: number; end: number }
type Cells = {
  readonly cells: (string | null)[]
  readonly line: Line
  readonly spans: readonly { readonly text: string; readonly from: number; readonly to: number }[]
}

/** A number as a table prints it, and the signs for a missing one. */
const numeric =
  /^[<>~≈±]?\s?(?:US\$|C\$|CA\$|A\$|[$€£])?\s?[-–−(]{0,2}\s?(?:US\$|C\$|[$€£])?\s?\d[\d.,\s]*(?:[)%*†‡]|\s?%|\s?(?:x|[a-z]{1,3}\d?))?\)?(?:\s?[-–to]+\s?\d[\d.,]*)?$/i
const noNumber = /^(?:[-–—−.*]{1,3}|nil|n\/?a|nsv|nsr|nsa|tr|bdl|pending|(?:US|C)?\$|%|\$\s?[-–—])$/i
export const isNumeric = (cell: string): boolean => cell.length <= 40 && numeric.test(cell)
const isYear = (cell: string): boolean => /^(?:FY\s?|fiscal\s)?(?:19|20)\d\d[AE]?$/i.test(cell)
const bullet = /^(?:[•◦▪‣●○■□–—*·-]|\(?(?:[0-9]{1,2}|[a-z]|[ivx]{1,4})[.)])$/i

/** The tables of a page's lines, in order. `running` lines and rotated ones do not belong to tables. */
export function tablesOf(lines: readonly Line[], isOut: (at: number) => boolean): FoundTable[] {
  const tables: FoundTable[] = []
  for (let at = 0; at < lines.length; at++) {
    if (isOut(at) || (lines[at] as Line).segments.length < 2) continue
    const to = blockEnd(lines, at, isOut)
    const table = to - at >= 2 ? tableOf(lines, at, to, tables.at(-1)?.to ?? 0, isOut) : null
    if (table) tables.push(table)
    at = table ? table.to - 1 : at
  }
  return tables
}

/** The end of the lines that belong to the line at `from`: lines of several segments, with single cells between them. */
function blockEnd(lines: readonly Line[], from: number, isOut: (at: number) => boolean): number {
  const first = lines[from] as Line
  let end = from + 1
  let pitch = 0
  let extent: Interval = { x: first.x, end: first.end }
  for (let at = from + 1; at < lines.length && !isOut(at); at++) {
    const line = lines[at] as Line
    const gap = line.y - (lines[at - 1] as Line).y
    const most = Math.max(3.2 * first.size, pitch === 0 ? 0 : 2.1 * pitch)
    if (gap <= 0 || gap > most || line.x > extent.end || line.end < extent.x) break
    if (line.segments.length >= 2) {
      pitch = end === at ? Math.max(pitch, gap) : pitch
      extent = { x: Math.min(extent.x, line.x), end: Math.max(extent.end, line.end) }
      end = at + 1
    } else if (at - end >= 2 || isRunningText(line, extent)) break
  }
  return end
}
/** A line as wide as the table, or a sentence: not a cell. */
const isRunningText = (line: Line, extent: Interval): boolean => {
  const text = line.segments[0]?.text ?? ''
  return text.split(' ').length > 14 || (line.end - line.x > 0.75 * (extent.end - extent.x) && text.split(' ').length > 8)
}

function tableOf(lines: readonly Line[], from: number, to: number, previousEnd: number, isOut: (at: number) => boolean): FoundTable | null {
  const block = lines.slice(from, to)
  const columns = columnsOf(block)
  if (columns.length < 2) return null
  const read = block.map(line => cellsOf(line, columns))
  if (!isTable(read, columns.length)) return null
  const head = headLength(read)
  const named = columns.map((column, at) => headOf(read.slice(0, head), at, column))
  const rows = joined(read.slice(head), block)
  if (rows.length === 0) return null
  const above = titleOf(lines, from, previousEnd, isOut)
  return {
    columns: named,
    rows,
    from,
    to,
    titleAt: above?.at ?? null,
    title: above?.text ?? null,
    unit: tableUnit([
      above?.text ?? '',
      ...read.slice(0, head).flatMap(row => [...row.cells.map(cell => cell ?? ''), ...row.spans.map(span => span.text)]),
    ]),
  }
}

/** The positions of columns: those that segments share, from the lines with most segments to those with fewest. */
function columnsOf(block: readonly Line[]): Interval[] {
  const columns: Interval[] = []
  const many = block.filter(line => line.segments.length >= 2).toSorted((a, b) => b.segments.length - a.segments.length)
  for (const line of many) {
    for (const segment of line.segments) {
      const over = columns.filter(column => overlap(column, segment) > 0)
      const [only] = over
      if (over.length === 0) columns.push({ x: segment.x, end: segment.end })
      else if (over.length === 1 && only) {
        const grown = { x: Math.min(only.x, segment.x), end: Math.max(only.end, segment.end) }
        if (!columns.some(other => other !== only && overlap(other, grown) > 0)) Object.assign(only, grown)
      }
    }
  }
  return columns.sort((a, b) => a.x - b.x)
}
const overlap = (a: Interval, b: Interval): number => Math.min(a.end, b.end) - Math.max(a.x, b.x)

function cellsOf(line: Line, columns: readonly Interval[]): Cells {
  const cells: (string | null)[] = columns.map(() => null)
  const spans: { text: string; from: number; to: number }[] = []
  for (const segment of line.segments) {
    const over = columns.flatMap((column, at) => (overlap(column, segment) > 0 ? [at] : []))
    const at = over.length > 0 ? widest(columns, over, segment) : nearest(columns, segment)
    if (over.length > 1 && !isNumeric(segment.text)) spans.push({ text: segment.text, from: over[0] as number, to: (over.at(-1) as number) + 1 })
    else cells[at] = cells[at] === null ? segment.text : `${cells[at]} ${segment.text}`
  }
  return { cells, line, spans }
}
const widest = (columns: readonly Interval[], over: readonly number[], segment: Interval): number =>
  over.reduce((best, at) => (overlap(columns[at] as Interval, segment) > overlap(columns[best] as Interval, segment) ? at : best))
const nearest = (columns: readonly Interval[], segment: Interval): number =>
  columns.reduce((best, column, at) => (distance(column, segment) < distance(columns[best] as Interval, segment) ? at : best), 0)
const distance = (a: Interval, b: Interval): number => Math.abs((a.x + a.end) / 2 - (b.x + b.end) / 2)

/** Two rows or more that fill their columns, and neither a list nor two columns of text. */
function isTable(rows: readonly Cells[], columns: number): boolean {
  const filled = rows.map(row => row.cells.filter(cell => cell !== null).length)
  const full = filled.filter(count => count >= Math.max(2, columns / 2)).length
  if (full < 2) return false
  const cells = rows.flatMap(row => row.cells.filter(cell => cell !== null))
  const numbers = cells.filter(cell => isNumeric(cell) || noNumber.test(cell)).length
  const words = cells.reduce((sum, cell) => sum + cell.split(' ').length, 0) / cells.length
  if (rows.every(row => row.cells[0] == null || bullet.test(row.cells[0] ?? ''))) return false
  if (columns === 2) return words <= 9 && (numbers > 0 || rows.length >= 3)
  return numbers > 0 ? words <= 12 : words <= 8
}

/** Maximum lines of a table's head: with more, the numbers belong to an unusual row. */
const longestHead = 5
/** A percentage followed by words, as in tables of royalties (2.0% NSR); names of columns do not begin like this. */
const rate = /^\d[\d.,]*\s?%/
/** Rows before the first with a number outside of the first column; years and dates may be a head. */
function headLength(rows: readonly Cells[]): number {
  const isBody = ({ cells, spans }: Cells): boolean => {
    const values = cells.slice(1).filter(cell => cell !== null)
    if (values.length === 0 && spans.length > 0) return false
    return values.some(cell => (isNumeric(cell) && !isYear(cell)) || noNumber.test(cell) || rate.test(cell))
  }
  const first = rows.findIndex(isBody)
  if (first > 0 && first <= longestHead) {
    // A label alone above the first row of numbers is a section of the body.
    let head = first
    while (head > 1 && isLabel(rows[head - 1] as Cells)) head -= 1
    return head
  }
  // Without numbers: the first row is the head if it is bold and the others are not.
  if (first < 0 || first > longestHead) return rows[0]?.line.bold === true && rows.slice(1).some(row => !row.line.bold) ? 1 : 0
  return 0
}
const isLabel = ({ cells, spans }: Cells): boolean => spans.length === 0 && cells[0] !== null && cells.slice(1).every(cell => cell === null)

function headOf(rows: readonly Cells[], at: number, { x, end }: Interval): TableColumn {
  const parts = rows.flatMap(({ cells, spans }) => [
    ...spans.filter(span => span.from <= at && at < span.to).map(span => span.text),
    ...(cells[at] ? [cells[at]] : []),
  ])
  const name = parts.join(' ').replace(/\s+/g, ' ').trim()
  return { name: name === '' ? null : name, unit: unitIn(name), x, end }
}
const unitWords =
  /^(?:m|metres?|meters?|ft|feet|km|ha|g\/t|gpt|oz\/t|opt|ppm|ppb|%|kg|kt|Mt|t|tonnes?|koz|Moz|oz|ounces|lbs?|Mlbs?|US\$(?:\/\w+)?|C\$(?:\/\w+)?|\$(?:\/\w+)?|USD|CAD|°|degrees|shares|bbl|boe|MW|years?|(?:000s|'000s?|thousands|millions)|US\$\s?(?:000s?|M|millions)|C\$\s?(?:000s?|M|millions)|\$\s?(?:000s?|M|millions))$/i
/** The unit in the name of a column: in brackets, or as its last word. */
function unitIn(name: string): string | null {
  for (const match of name.matchAll(/[([]([^()[\]]{1,24})[)\]]/g)) if (unitWords.test((match[1] as string).trim())) return (match[1] as string).trim()
  const last = /(?:^|[\s,])(\S{1,12})$/.exec(name)?.[1] ?? ''
  return name.includes(' ') && unitWords.test(last) ? last : last === '%' ? '%' : null
}
/** `(in thousands of US dollars, except per share amounts)` of a title or a head. */
function tableUnit(texts: readonly string[]): string | null {
  for (const text of texts) {
    const match =
      /\b(?:expressed |stated |presented |all (?:amounts|figures) )?in ((?:thousands|millions|billions)(?: of (?:[A-Z][\w.]* )?(?:dollars|\w+))?[^()]{0,60}|(?:US|U\.S\.|Canadian) dollars[^()]{0,40})/i.exec(
        text,
      )
    if (match) return (match[1] as string).trim().replace(/[.;:]$/, '')
    const short = /\((?:US\$|C\$|\$)\s?(?:000s|'000s?|thousands|millions)\)/.exec(text)
    if (short) return short[0].slice(1, -1)
  }
  return null
}

/** A text that continues on the next line without a number is one cell: the line is closer to the one above than rows are to each other. */
function joined(read: readonly Cells[], block: readonly Line[]): TableRow[] {
  const gaps = block.slice(1).map((line, at) => line.y - (block[at] as Line).y)
  const usual = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0
  const rows: { cells: (string | null)[]; y: number; last: number }[] = []
  for (const { cells, line, spans } of read) {
    const before = rows.at(-1)
    const filled = cells.flatMap((cell, at) => (cell === null ? [] : [at]))
    const goesOn =
      before !== undefined &&
      spans.length === 0 &&
      cells[0] === null &&
      filled.length > 0 &&
      filled.every(at => before.cells[at] !== null && !isNumeric(cells[at] as string) && !isNumeric(before.cells[at] as string)) &&
      line.y - before.last < Math.min(0.9 * usual, 1.35 * line.size)
    if (goesOn && before) {
      for (const at of filled) before.cells[at] = `${before.cells[at]} ${cells[at]}`
      before.last = line.y
      continue
    }
    const all = [...cells]
    for (const span of spans) all[span.from] = all[span.from] === null ? span.text : `${all[span.from]} ${span.text}`
    rows.push({ cells: all, y: line.y, last: line.y })
  }
  return rows.map(({ cells, y }) => ({ cells, y }))
}

/** The line above that names the table: it begins with "Table", or is bold, or ends with a colon, and is close. */
function titleOf(
  lines: readonly Line[],
  from: number,
  previousEnd: number,
  isOut: (at: number) => boolean,
): { readonly at: number; readonly text: string } | null {
  const first = lines[from] as Line
  for (let at = from - 1; at >= Math.max(previousEnd, from - 3); at--) {
    const line = lines[at] as Line
    const [only] = line.segments as readonly [Segment, ...Segment[]]
    if (isOut(at) || line.segments.length > 1 || first.y - line.y > (from - at) * 2.6 * first.size) return null
    if (/^(?:table|tableau|tabla)\b/i.test(only.text))
      return {
        at,
        text: lines
          .slice(at, from)
          .map(each => each.segments[0]?.text ?? '')
          .join(' '),
      }
  }
  const above = lines[from - 1]
  if (!above || from - 1 < previousEnd || isOut(from - 1) || above.segments.length > 1 || first.y - above.y > 2.6 * first.size) return null
  const text = above.segments[0]?.text ?? ''
  return (above.bold || above.size > 1.1 * first.size || text.endsWith(':') || /^\(.*\)$/.test(text)) && text.length <= 200
    ? { at: from - 1, text }
    : null
}
