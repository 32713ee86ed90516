// The information table of a 13F before 2013, as text: fixed columns, tabs or bars, pages with headings and subtotals, names over several
// lines, one security over several lines. A row is found by its CUSIP, a second line of a security by its amounts, a row without a CUSIP by
// its other cells. Every other line with amounts is a labelled total, or is listed as not read.
import type { Refused } from '../parsed.ts'
import type { TableRow } from './table-row.ts'
import { type Columns, cellsOf, noColumns } from './text-cells.ts'
import { amountOf, type Found, findCusip, findLikelyCusip, type Line, lineOf } from './text-line.ts'
import { NamesAbove, nameRow } from './text-names.ts'

/** `unread`: lines with amounts that could not be read as rows; the first two hundred of them are in `refused`. */
export type TextTable = { readonly rows: readonly TableRow[]; readonly refused: readonly Refused[]; readonly unread: number }

/** As much text as all tables of a filing may have. */
const mostLines = 400_000
const mostRefusals = 200
const total = /\b(?:sub-?\s?total|grand total|page total|report total|total|totals|aggregate|carried forward|brought forward|column totals?)\b/i
const heading =
  /name of issue|title of|\bcusip\b|voting auth|discretion|\bitem \d|\bcolumn \d|principal am|shares (?:or|of) |information table|\(x\s?\$?1,?000|in thousands|<\/?(?:s|c|table|caption|page)>|form 13f|\bmgrs?\b/i
/** Number of a line's words that appear side by side only in headings. */
const columnWords = (line: Line): number =>
  line.words.filter(word =>
    /^(?:\(?[abc]\)?|sole|shared|shared-|none|other|defined|class|value|amount|sh\/|prn|call|put\/|managers?|number|\(a\)|\(b\)|\(c\))$/i.test(
      word.text,
    ),
  ).length
const isRule = (text: string): boolean => /^[\s\-_=+.|]*$/.test(text)

/** Reads every table below the first heading that names a CUSIP column (of the whole text if no heading does). */
export function parseTextTable(subject: string, all: readonly string[]): TextTable {
  // The lines of a heading above the one with CUSIP name columns too.
  const begin = Math.max(0, all.findIndex(line => /\bcusip\b/i.test(line)) - 12)
  const lines = all.slice(begin, begin + mostLines).map((text, at) => lineOf(plainColumns(text), begin + at + 1))
  const found = lines.map(findCusip)
  const place = cusipPlace(lines, found)
  const refused: Refused[] = []
  let unread = 0
  const rows: TableRow[] = []
  const names = new NamesAbove()
  let columns = noColumns
  let headingLines: Line[] = []
  const taken = new Set<Line>()
  for (const [at, line] of lines.entries()) {
    if (taken.has(line)) continue
    if (isRule(line.text)) {
      // A blank line between a name and its row happens; a rule ends a heading or a page.
      if (line.text.trim() !== '') names.clear()
      continue
    }
    const cusip = found[at] ?? (place === null ? null : findLikelyCusip(line, place.left, place.right))
    const isHeading = cusip === null && (heading.test(line.text) || columnWords(line) > 2)
    if (isHeading) {
      headingLines.push(line)
      names.clear()
      continue
    }
    if (headingLines.length > 0) {
      columns = columnsOf(headingLines) ?? columns
      headingLines = []
    }
    const row = readLine(line, cusip, columns, rows.at(-1), names, lines, at, place, taken)
    if (row === 'text') names.add(line.text)
    else if (row === 'total') names.clear()
    else if (row === 'unread') {
      names.clear()
      unread += 1
      if (unread <= mostRefusals) refused.push(unreadLine(subject, line))
    } else rows.push(row)
  }
  return { rows, refused, unread }
}

/** Tabs, bars and quoted commas separate as widely as columns do. */
function plainColumns(text: string): string {
  const bars = text.split('|').length > 5
  const quoted = /^\s*"[^"]*"\s*,/.test(text)
  if (!text.includes('\t') && !bars && !quoted) return text
  const parts = quoted ? [...text.matchAll(/"([^"]*)"|([^",]+)/g)].map(match => match[1] ?? match[2] ?? '') : text.split(bars ? /[|\t]/ : '\t')
  return parts.map(part => part.trim()).join('   ')
}

type Place = { readonly left: number; readonly right: number; readonly end: number }
/** The columns in which CUSIPs begin in this text: between the tenth and the ninetieth percentile, with a margin for pages that shift. */
function cusipPlace(lines: readonly Line[], found: readonly (Found | null)[]): Place | null {
  const spans = found.flatMap((cusip, at) => {
    const line = lines[at] as Line
    return cusip === null ? [] : [{ start: line.words[cusip.from]?.start ?? 0, end: line.words[cusip.to - 1]?.end ?? 0 }]
  })
  if (spans.length === 0) {
    const named = lines.flatMap(line => line.words.filter(word => /^cusip/i.test(word.text))).at(0)
    return named === undefined ? null : { left: named.start - 8, right: named.start + 8, end: named.end + 8 }
  }
  const starts = spans.map(span => span.start).sort((a, b) => a - b)
  const ends = spans.map(span => span.end).sort((a, b) => a - b)
  const of = (sorted: readonly number[], share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { left: of(starts, 0.1) - 4, right: of(starts, 0.9) + 6, end: of(ends, 0.1) }
}

type Read = TableRow | 'text' | 'total' | 'unread'

function readLine(
  line: Line,
  cusip: Found | null,
  columns: Columns,
  above: TableRow | undefined,
  names: NamesAbove,
  lines: readonly Line[],
  at: number,
  place: Place | null,
  taken: Set<Line>,
): Read {
  if (cusip !== null) {
    const before = line.text.slice(0, line.words[cusip.from]?.start ?? 0)
    // If the CUSIP is the first column, the name follows it.
    const behind = before.trim() === '' ? nameBehind(line, cusip.to) : null
    const row = cellsOf(line, behind?.to ?? cusip.to, columns) ?? cellsBelow(lines, at, columns, taken)
    if (row === null) return 'unread'
    row.cusip = cusip.filed
    if (!cusip.sure) row.oddities.push('cusip_by_place')
    nameRow(row, behind?.text ?? before, names, above, nextName(lines, at))
    return row
  }
  const amounts = line.words.filter(word => amountOf(word.text) !== null)
  if (amounts.length < 2) return amounts.length === 1 && (line.words.length === 1 || total.test(line.text)) ? 'total' : plainText(line)
  if (total.test(line.text)) return 'total'
  const firstAmount = line.words.findIndex((word, index) => amountOf(word.text) !== null && word.start >= (place?.left ?? 0) && index >= 0)
  if (firstAmount < 0) return plainText(line)
  const left = line.text.slice(0, line.words[firstAmount]?.start ?? 0)
  if (left.trim() === '') return dittoOf(line, columns, above)
  const row = cellsOf(line, firstAmount, columns, true)
  if (row === null) return /[A-Za-z]{3}/.test(left) ? (amounts.length > 2 ? 'unread' : 'text') : 'total'
  nameRow(row, left, names, above, nextName(lines, at))
  return row
}

/** The words after a CUSIP up to the first gap before an amount; null if there are none. */
function nameBehind(line: Line, from: number): { readonly text: string; readonly to: number } | null {
  const first = line.words[from]
  if (first === undefined || !/[A-Za-z]{2}/.test(line.text.slice(first.start, first.start + 12)) || types.test(first.text)) return null
  let to = from + 1
  while (to < line.words.length) {
    const [last, next] = [line.words[to - 1], line.words[to]]
    if (last === undefined || next === undefined || (next.start - last.end > 1 && amountOf(next.text) !== null)) break
    to += 1
  }
  return { text: line.text.slice(first.start, line.words[to - 1]?.end ?? first.end), to }
}
const types = /^(?:SH|SHS|PRN|PUT|CALL|SOLE|SHARED|DEFINED|OTHER)$/i

/** Words without amounts are part of a name; a lone number or page mark is nothing. */
const plainText = (line: Line): Read => (/[A-Za-z]{2}/.test(line.text) && line.words.length < 16 ? 'text' : 'total')

/** A line of amounts below a row: the same security, held otherwise. Two bare numbers are a subtotal. */
function dittoOf(line: Line, columns: Columns, above: TableRow | undefined): Read {
  if (above === undefined) return 'total'
  const row = cellsOf(line, 0, columns, true)
  if (row === null) return 'total'
  row.issuer = above.issuer
  row.title = above.title
  row.cusip = above.cusip
  row.oddities.push('security_from_line_above')
  return row
}

/** The amounts of a row whose line broke after the CUSIP: those of the next line, if it contains nothing else. */
function cellsBelow(lines: readonly Line[], at: number, columns: Columns, taken: Set<Line>): TableRow | null {
  const next = lines[at + 1]
  if (next === undefined || next.words.length < 2 || amountOf(next.words[0]?.text ?? '') === null) return null
  const row = cellsOf(next, 0, columns)
  // Its line is spent: it is no second line of the security as well.
  if (row !== null) taken.add(next)
  return row
}

/** The name that the next row of the table begins with, for the order of the alphabet. */
function nextName(lines: readonly Line[], at: number): string {
  const next = lines.slice(at + 1, at + 4).find(line => /^\S/.test(line.text) && line.words.length > 2)
  return next?.text ?? ''
}

/** The column definitions in the heading lines above a table; null if there are none. */
function columnsOf(lines: readonly Line[]): Columns | null {
  const words = lines.flatMap(line => line.words)
  const starts = (pattern: RegExp): number[] => words.filter(word => pattern.test(word.text)).map(word => (word.start + word.end) / 2)
  const value = Math.min(...starts(/^\(?value\)?$/i))
  const shares = Math.min(...starts(/^(?:shares?\/?|shrs|sh\/prn|amount|amt)$/i))
  const names = lines.filter(line => /\bsole\b/i.test(line.text) && /\bnone\b/i.test(line.text))
  const last = names.at(-1)
  if (last === undefined) return Number.isFinite(value) && Number.isFinite(shares) ? { ...noColumns, sharesFirst: shares < value - 4 } : null
  const centres = (pattern: RegExp): number[] =>
    last.words.filter(word => pattern.test(word.text.replace(/[()]/g, ''))).map(word => (word.start + word.end) / 2)
  const [soles, shared, none] = [centres(/^sole$/i), centres(/^(?:shared|defined|shrd|shared-)$/i), centres(/^none$/i)]
  const others = centres(/^(?:other|oth)$/i)
  const voteSole = soles.at(-1)
  const discretion = soles.length > 1 && soles[0] !== undefined ? soles[0] : null
  const mine =
    discretion === null
      ? []
      : [
          ['SOLE', discretion] as const,
          ...shared
            .filter(at => voteSole !== undefined && at < voteSole && at > discretion)
            .slice(0, 1)
            .map(at => ['DFND', at] as const),
          ...others
            .filter(at => voteSole !== undefined && at < voteSole)
            .slice(0, 1)
            .map(at => ['OTR', at] as const),
        ]
  const votes = [
    ...(voteSole === undefined ? [] : [['sole', voteSole] as const]),
    ...shared
      .filter(at => voteSole !== undefined && at > voteSole)
      .slice(0, 1)
      .map(at => ['shared', at] as const),
    ...none.slice(-1).map(at => ['none', at] as const),
  ]
  return { sharesFirst: Number.isFinite(value) && Number.isFinite(shares) && shares < value - 4, discretion: mine, votes }
}

function unreadLine(subject: string, line: Line): Refused {
  return {
    dataset: 'holdings',
    reason: 'table_line_not_read',
    detail: `${subject}: line ${line.number} of the document has amounts and could not be read as a row: ${JSON.stringify(line.text.trim().slice(0, 160))}`,
    subject,
    record: { line: line.number, text: line.text.slice(0, 400) },
  }
}
