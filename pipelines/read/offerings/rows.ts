// Rows of the small tables of a prospectus: label, numbers, and the heads of the columns.
import type { Block, Prose } from '#warehouse/documents/prose/prose.ts'
import { cellNumbers } from './amounts.ts'

export type Row = {
  readonly start: number
  readonly end: number
  readonly table: number
  readonly label: string
  readonly cells: readonly string[] // after the label
  readonly numbers: readonly (string | null)[]
}

/** Footnote marks, leader dots and a colon at the end of a label are removed. */
const cleanLabel = (text: string): string =>
  text
    .replace(/(?:\s*\.){2,}[\s.]*$|…[\s.…]*$/, '')
    .replace(/(?:\s*\((?:\d{1,2}|[a-z])\))+\s*$/i, '')
    .replace(/(?:\s*\.){2,}\s*$|[\s:]+$/, '')
    .replace(/\s+/g, ' ')
    .trim()

/** One row; plain text has no cells, so its numbers are those after the words. */
function rowOf(prose: Prose, block: Block): Row {
  const text = prose.text.slice(block.start, block.end)
  let cells: string[]
  // `Per Security: $10.00` in one cell is a label and its amount.
  if (prose.html) cells = text.split('\t').flatMap(cell => /^(Per [A-Za-z ]{2,40}|Total): (\$ ?[\d,.]+)$/.exec(cell.trim())?.slice(1) ?? [cell])
  else {
    // A hyphen or bracket inside a name (`Robinson-Humphrey`, `(USA)`) begins no number.
    const tail =
      /^(.*?[A-Za-z%).:*][\s.…]*)((?<=[\s.…])(?:(?:US|U\.S\.|C|Cdn|CAD|A|HK|R)?\s?[$€£¥]|\(\s?[$\d]|\d[\d,.]*(?!\w)|[-—–]+(?=\s|$|\$|\d)).*)$/.exec(
        text.slice(0, 2000),
      )
    cells = tail?.[2] !== undefined && /\d|\$/.test(tail[2]) ? [tail[1] ?? '', ...tail[2].split(/\s+/)] : [text]
  }
  const at = cells.findIndex(cell => /[A-Za-z]/.test(cell))
  const label = at < 0 ? '' : (cells[at] as string)
  const rest = at < 0 ? cells : cells.slice(at + 1)
  return { start: block.start, end: block.end, table: block.table, label: cleanLabel(label.slice(0, 600)), cells: rest, numbers: cellNumbers(rest) }
}

/** A row of an untagged table of plain text: dots between label and number, or a label before several amounts. */
const untagged = /\.{3,}|(?:\. ){3,}|^[A-Z][\w ()*]{2,60}?\s\$ ?[\d,.]+(?:\s(?:\$ ?)?[\d,.]+(?: ?\(\d\))?){1,5}$/
/** The rest of a firm's name on a second line: `First of Kittiwake Securities` above `Corporation`. */
const nameEnd = /^(?:Corporation|Incorporated|Inc\.?|LLC|L\.L\.C\.?|L\.P\.?|Ltd\.?|Limited|Company|& Co(?:mpany|\.)?(?:,? (?:Inc|LLC|L\.P)\.?)?)$/

/** The line above a row of plain text that begins the name on the row. */
function beginning({ text, blocks }: Prose, at: number): Block | null {
  const [line, row] = [blocks[at - 1], blocks[at] as Block]
  if (line === undefined || row.gap > 0 || line.table !== row.table || row.indent <= line.indent || line.end - line.start > 60) return null
  return /^[A-Z][^.:\d]*$/.test(text.slice(line.start, line.end)) ? line : null
}

/** Rows of the tables between two positions, in order. A label on two lines is joined with the row of its numbers. */
export function rowsIn(prose: Prose, from: number, to: number): Row[] {
  const rows: Row[] = []
  for (const [at, block] of prose.blocks.entries()) {
    if (block.start < from) continue
    if (block.start >= to) break
    // Old text marks most of its tables.
    if (block.table === 0 && (prose.html || !untagged.test(prose.text.slice(block.start, Math.min(block.end, block.start + 400))))) continue
    const row = rowOf(prose, block)
    const above = !prose.html && row.numbers.length > 0 && nameEnd.test(row.label) ? beginning(prose, at) : null
    if (above !== null) {
      if (rows.at(-1)?.start === above.start) rows.pop()
      rows.push({ ...row, start: above.start, label: `${prose.text.slice(above.start, above.end)} ${row.label}` })
      continue
    }
    const last = rows.at(-1)
    if (
      last &&
      last.table === row.table &&
      last.numbers.length === 0 &&
      last.cells.length === 0 &&
      row.numbers.length > 0 &&
      /^[a-z(]/.test(row.label) &&
      !/[:.]$/.test(last.label)
    ) {
      rows[rows.length - 1] = { ...row, start: last.start, label: `${last.label} ${row.label}` }
    } else rows.push(row)
  }
  return rows
}
