// Lines of a text and their cells, from which tables are read.
import { foldMarks } from './fold.ts'
import { type Token, tokenize } from './tokens.ts'

/** One line: its position, its tokens (`from` to `to`), and how its cells are separated. */
export type Line = { readonly start: number; readonly end: number; readonly from: number; readonly to: number }
export type Cell = { readonly start: number; readonly end: number; readonly tokens: readonly Token[] }

/** The lines of a text with the tokens of each. */
export function linesOf(text: string, tokens: readonly Token[]): Line[] {
  const lines: Line[] = []
  let start = 0
  let from = 0
  for (let at = 0; at <= tokens.length; at++) {
    const token = tokens[at]
    if (token && token.kind !== 'line') continue
    lines.push({ start, end: token ? token.start : text.length, from, to: at })
    start = token ? token.end : text.length
    from = at + 1
  }
  return lines
}

export type Splitter = 'bar' | 'tab' | 'wide' | 'comma' | 'none'
/** How the cells of a line are separated: bars, tabs, commas, two spaces or more; `none`: one space, as text from a PDF. */
export function splitterOf(text: string, line: Line): Splitter {
  const inner = text.slice(line.start, Math.min(line.end, line.start + 2000))
  if (inner.split('|').length > 2) return 'bar'
  if (inner.includes('\t')) return 'tab'
  if (/\S {2,}\S/.test(inner.replaceAll('\u00a0', ' '))) return 'wide'
  return inner.split(',').length > 3 ? 'comma' : 'none'
}

/** The cells of a line. With bars, the outermost cells are not counted. */
export function cellsOf(text: string, tokens: readonly Token[], line: Line, splitter: Splitter): Cell[] {
  const bounds: [number, number][] = []
  const inner = foldMarks(text.slice(line.start, line.end))
  const mark = { bar: '|', tab: '\t', comma: ',' }[splitter as 'bar'] as string | undefined
  if (splitter === 'none') bounds.push([line.start, line.end])
  else {
    let begun = 0
    for (let at = 0; at <= inner.length; at++) {
      const wide = mark === undefined && inner[at] === ' ' && inner[at + 1] === ' '
      // foldMarks does not change tabs, so a tab is still visible here.
      const cut = at === inner.length || wide || (mark !== undefined && inner[at] === mark)
      if (!cut) continue
      bounds.push([line.start + begun, line.start + at])
      begun = at + 1
      if (wide) {
        while (inner[begun] === ' ') begun += 1
        at = begun - 1
      }
    }
  }
  // Between commas a number ends at the comma: the text's tokens took `10,20` as one.
  if (splitter === 'comma')
    return bounds.map(([start, end]) => ({ start, end, tokens: tokenize(text.slice(start, end), 'point').map(token => moved(token, start)) }))
  const cells = bounds.map(([start, end]) => ({ start, end, tokens: [] as Token[] }))
  let place = 0
  for (let at = line.from; at < line.to; at++) {
    const token = tokens[at] as Token
    while (place < cells.length - 1 && token.start >= (cells[place] as Cell).end) place += 1
    cells[place]?.tokens.push(token)
  }
  if (splitter === 'wide') return cells.filter(cell => cell.tokens.length > 0)
  if (splitter !== 'bar') return cells
  const first = cells[0]?.tokens.length === 0 ? 1 : 0
  const last = cells.at(-1)?.tokens.length === 0 ? cells.length - 1 : cells.length
  return cells.slice(first, last)
}

const moved = (token: Token, by: number): Token => ({ ...token, start: token.start + by, end: token.end + by })
