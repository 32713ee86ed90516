// An HTML table as a grid: the columns that each cell covers, so that a number is matched with its heads across blank cells.
import { decodeEntities } from '#warehouse/documents/prose/entities.ts'

export type GridCell = { readonly column: number; readonly span: number; readonly text: string; readonly start: number; readonly end: number }
export type GridRow = readonly GridCell[]

const widest = 400
const breaks = new Set(['br', 'p', 'div', 'tr', 'td', 'th', 'li'])

const spanOf = (tag: string): number => Math.min(widest, Math.max(1, Number(/\bcolspan\s*=\s*["']?(\d{1,3})/i.exec(tag)?.[1] ?? 1)))

/** Rows of the outermost table of `source` between two offsets of `source`. One pass by position. */
export function gridOf(source: string, from: number, to: number): GridRow[] {
  const rows: GridCell[][] = []
  let row: GridCell[] | null = null
  let open: { column: number; span: number; start: number; parts: string[] } | null = null
  let column = 0
  let hidden = 0
  const close = (at: number): void => {
    if (open === null || row === null) return
    const text = decodeEntities(open.parts.join(''))
      .replace(/[\s\u00a0\u200b]+/g, ' ')
      .trim()
    row.push({ column: open.column, span: open.span, text, start: open.start, end: at })
    open = null
  }
  for (let at = from; at < to; ) {
    const tag = source.indexOf('<', at)
    const textEnd = tag < 0 || tag > to ? to : tag
    if (open !== null && hidden === 0 && textEnd > at) open.parts.push(source.slice(at, textEnd))
    if (tag < 0 || tag >= to) break
    const end = source.indexOf('>', tag)
    if (end < 0) break
    at = end + 1
    const closing = source.charCodeAt(tag + 1) === 47
    const name = /^[a-z0-9:]+/i.exec(source.slice(tag + (closing ? 2 : 1), Math.min(end, tag + 24)))?.[0].toLowerCase() ?? ''
    if (name === 'tr') {
      close(tag)
      if (!closing) {
        row = []
        rows.push(row)
        column = 0
      }
    } else if (name === 'td' || name === 'th') {
      close(tag)
      if (!closing && row !== null) {
        const span = spanOf(source.slice(tag, Math.min(end, tag + 4000)))
        open = { column, span, start: at, parts: [] }
        column = Math.min(column + span, 10_000)
      }
    } else if (name === 'sup') hidden += closing ? (hidden > 0 ? -1 : 0) : 1
    else if (open !== null && breaks.has(name)) open.parts.push(' ')
  }
  close(to)
  return rows.filter(cells => cells.some(cell => cell.text !== ''))
}

/** The source range of the table around an offset; null if none is open there. */
export function tableAround(source: string, first: number, last: number): { readonly from: number; readonly to: number } | null {
  const back = source
    .slice(Math.max(0, first - 40_000), first)
    .toLowerCase()
    .lastIndexOf('<table')
  if (back < 0) return null
  const from = Math.max(0, first - 40_000) + back
  const lower = source.indexOf('</table', last)
  const upper = source.indexOf('</TABLE', last)
  const end = lower < 0 ? upper : upper < 0 ? lower : Math.min(lower, upper)
  return { from, to: end < 0 ? Math.min(source.length, last + 4000) : end }
}
