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
  if (prose.html) cells = text.split('\t')
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

/** Rows of the tables between two positions, in order. A label on two lines is joined with the row of its numbers. */
export function rowsIn(prose: Prose, from: number, to: number): Row[] {
  const rows: Row[] = []
  for (const block of prose.blocks) {
    if (block.start < from) continue
    if (block.start >= to) break
    // Old text marks its tables, or has dots between label and number.
    if (block.table === 0 && (prose.html || !/\.{3,}|(?:\. ){3,}/.test(prose.text.slice(block.start, block.end)))) continue
    const row = rowOf(prose, block)
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
