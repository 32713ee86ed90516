// The state of a page of HTML while it is read: open elements, visible parts, and the resulting lines of text.
import { decodeEntities } from './entities.ts'
import { attribute, type Look, lookOf, plainLook } from './look.ts'
import type { Block } from './text.ts'

/** Elements that begin and end a line of the page. */
const blockTags = new Set(
  'address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol option p page pre section select summary table tbody tfoot thead title tr ul document text'.split(
    ' ',
  ),
)
const cellTags = new Set(['td', 'th'])
export const voidTags = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '))
/** Content that is not shown; the first three hold raw text up to their own end tag. */
export const rawTags = new Set(['script', 'style', 'title', 'textarea', 'noscript'])
const hiddenTags = new Set(['ix:header', 'head', 'template', 'xml'])
/** End tags that reach out of a cell. */
const structure = new Set('table thead tbody tfoot tr td th body html'.split(' '))
/** What may appear in a head; any other element ends it, even if its end tag is missing. */
const headTags = new Set('title meta link style script base noscript template object isindex'.split(' '))
/** A new one ends an open one of the same group, up to the enclosing element named after it. */
const closedBy: Readonly<Record<string, readonly [ends: readonly string[], within: readonly string[]]>> = {
  p: [['p'], ['td', 'th', 'table', 'div', 'li', 'body']],
  li: [
    ['li', 'p'],
    ['ul', 'ol', 'table'],
  ],
  tr: [['tr', 'td', 'th', 'p'], ['table']],
  td: [
    ['td', 'th', 'p'],
    ['tr', 'table'],
  ],
  th: [
    ['td', 'th', 'p'],
    ['tr', 'table'],
  ],
  option: [['option'], ['select']],
}

type Open = {
  readonly name: string
  readonly look: Look
  readonly hidden: boolean
  readonly table: number
  readonly link: number
  readonly level: number
  /** Line feeds are lines. */
  readonly pre: boolean
  /** Position of its tag in the source. */
  readonly at: number
}

/** The strongest separator found between two pieces of text: nothing, a blank, a line, a cell, a row. */
const gaps = ['', ' ', '\n', '\t', '\n'] as const
const blankGap = 1
const lineGap = 2
const cellGap = 3
const rowGap = 4

const deepest = 4096
/** Attributes of a tag that are read; a longer tag is no filer's work. */
const longestTag = 16_384

export class Page {
  readonly source: string
  readonly pieces: string[] = []
  /** For each piece of text: its start in the text and in the source. */
  readonly pieceStarts: number[] = []
  readonly pieceSources: number[] = []
  length = 0
  gap = 0
  readonly blocks: Block[] = []
  readonly anchors = new Map<string, number>()
  readonly waiting: string[] = []
  readonly links: { start: number; end: number; target: string }[] = []
  readonly pageBreaks: number[] = []
  readonly stack: Open[] = []
  /** How many elements of a name are open: most end tags of a broken page end none, and need no walk to find out. */
  readonly opened = new Map<string, number>()
  tables = 0
  current: Open = { name: '', look: plainLook, hidden: false, table: 0, link: -1, level: 0, pre: false, at: -1 }
  // Of the block that is being written.
  from = 0
  bold = 0
  italic = 0
  underline = 0
  inked = 0
  size = 0
  level = 0
  centred = false
  table = 0

  /** The element that was still hiding when the body ended. */
  hidden: number | null = null
  /** Position of the tag being read. */
  tagAt = -1
  /** Tags whose hiding is ignored. */
  readonly revealed: ReadonlySet<number>

  constructor(source: string, revealed: ReadonlySet<number> = new Set()) {
    this.source = source
    this.revealed = revealed
  }

  /** The start of the element that hides the current text; null if none does. */
  hiddenFrom(): number | null {
    if (this.hidden !== null || !this.current.hidden) return this.hidden
    return ([...this.stack, this.current].find(open => open.hidden) as Open).at
  }

  strengthen(gap: number): void {
    if (gap > this.gap) this.gap = gap
  }

  /** Text as the source has it, from one tag to the next. */
  write(from: number, to: number): void {
    const { current, source } = this
    if (current.hidden || from >= to) return
    if (!current.pre) {
      this.writeLine(from, to)
      return
    }
    for (let at = from; at <= to; ) {
      const feed = source.indexOf('\n', at)
      const end = feed < 0 || feed > to ? to : feed
      this.writeLine(at, end)
      if (end === to) return
      this.strengthen(lineGap)
      at = end + 1
    }
  }

  writeLine(from: number, to: number): void {
    const { current, source } = this
    if (from >= to) return
    const raw = source.slice(from, to)
    const decoded = raw.includes('&') ? decodeEntities(raw) : raw
    const shown = oddBlanks.test(decoded) ? decoded.replace(blankRuns, ' ').replace(unseen, '') : decoded
    const first = shown.charCodeAt(0) === 32 ? 1 : 0
    const end = shown.length - (shown.length > first && shown.charCodeAt(shown.length - 1) === 32 ? 1 : 0)
    if (first > 0 || shown.length === 0) this.strengthen(shown.length === 0 ? 0 : blankGap)
    if (first >= end) return
    if (this.length > 0) this.separate()
    const { look } = current
    const start = this.length
    if (start === this.from || this.inked === 0) this.begin(start)
    if (this.waiting.length > 0) for (const name of this.waiting.splice(0)) if (!this.anchors.has(name)) this.anchors.set(name, start)
    const text = first === 0 && end === shown.length ? shown : shown.slice(first, end)
    this.pieces.push(text)
    this.pieceStarts.push(start)
    this.pieceSources.push(from)
    this.length += text.length
    let ink = text.length
    for (let at = text.indexOf(' '); at >= 0; at = text.indexOf(' ', at + 1)) ink -= 1
    this.inked += ink
    if (look.bold || current.level > 0) this.bold += ink
    if (look.italic) this.italic += ink
    if (look.underline) this.underline += ink
    if (look.size > this.size) this.size = look.size
    if (current.link >= 0) {
      const link = this.links[current.link] as { start: number; end: number }
      if (link.start < 0) link.start = start
      link.end = this.length
    }
    this.gap = end < shown.length ? blankGap : 0
  }

  /** Writes the separator between the last text and the next, and closes the block at a line's end. */
  separate(): void {
    const { gap } = this
    if (gap === 0) return
    if (gap === lineGap || gap === rowGap) this.close()
    this.pieces.push(gaps[gap] as string)
    this.pieceStarts.push(this.length)
    this.pieceSources.push(-1)
    this.length += 1
    if (gap === lineGap || gap === rowGap) this.from = this.length
    this.gap = 0
  }

  begin(start: number): void {
    const { current } = this
    this.from = start
    this.bold = 0
    this.italic = 0
    this.underline = 0
    this.inked = 0
    this.size = 0
    this.level = current.level
    this.centred = current.look.centred
    this.table = current.table
  }

  close(): void {
    if (this.inked === 0) return
    this.blocks.push({
      start: this.from,
      end: this.length,
      table: this.table,
      bold: this.bold,
      italic: this.italic,
      underline: this.underline,
      inked: this.inked,
      centred: this.centred,
      size: this.size,
      level: this.level,
      gap: 0,
      indent: 0,
    })
    this.inked = 0
  }

  open(name: string, printed: string): void {
    const attributes = printed.length > longestTag ? printed.slice(0, longestTag) : printed
    if (this.current.hidden && !headTags.has(name)) this.endOpen(['head'], ['body'])
    // A page may call a tag `constructor`, which every object has.
    const ends = Object.hasOwn(closedBy, name) ? closedBy[name] : undefined
    if (ends) this.endOpen(ends[0], ends[1])
    if (blockTags.has(name)) this.strengthen(name === 'tr' || name === 'table' ? rowGap : lineGap)
    else if (cellTags.has(name)) this.strengthen(cellGap)
    const { current } = this
    let look = lookOf(name, attributes, current.look)
    let link = current.link
    if (attributes.length > 3) {
      const place = attribute(attributes, 'id')
      if (place) this.waiting.push(place)
      if (name === 'a') {
        const named = attribute(attributes, 'name')
        if (named) this.waiting.push(named)
        const target = attribute(attributes, 'href')
        if (target?.startsWith('#') && target.length > 1) {
          link = this.links.length
          this.links.push({ start: -1, end: -1, target: decodeTarget(target.slice(1)) })
        }
      }
    }
    if (look.breaks) this.pageBreaks.push(this.length)
    if (name === 'table') {
      this.tables += 1
      // A table is formatted by its cells, not by the paragraph around it.
      if (look.centred) look = { ...look, centred: false }
    }
    if (voidTags.has(name)) {
      if (name === 'br') this.strengthen(lineGap)
      return
    }
    if (this.stack.length >= deepest) return
    const isRevealed = this.revealed.has(this.tagAt)
    if (isRevealed) look = { ...look, hidden: false }
    this.stack.push(current)
    this.opened.set(name, (this.opened.get(name) ?? 0) + 1)
    this.current = {
      name,
      look,
      hidden: current.hidden || look.hidden || (hiddenTags.has(name) && !isRevealed),
      table: name === 'table' ? this.tables : current.table,
      link,
      level: /^h[1-6]$/.test(name) ? Number(name[1]) : current.level,
      pre: current.pre || name === 'pre',
      at: this.tagAt,
    }
  }

  /** Ends the innermost open element of these names that is inside of all of those. */
  endOpen(names: readonly string[], within: readonly string[]): void {
    if (!names.some(name => this.isOpen(name))) return
    for (let at = this.stack.length; at > 0; at -= 1) {
      const open = at === this.stack.length ? this.current : (this.stack[at] as Open)
      if (within.includes(open.name)) return
      if (names.includes(open.name)) {
        this.unwind(at - 1)
        at = this.stack.length + 1
      }
    }
  }

  end(name: string): void {
    if (blockTags.has(name)) this.strengthen(name === 'tr' || name === 'table' ? rowGap : lineGap)
    else if (cellTags.has(name)) this.strengthen(cellGap)
    if (!this.isOpen(name)) return
    if (name === 'body' || name === 'html') this.hidden = this.hiddenFrom()
    for (let at = this.stack.length; at > 0; at -= 1) {
      const open = at === this.stack.length ? this.current : (this.stack[at] as Open)
      if (open.name === name) {
        this.unwind(at - 1)
        return
      }
      // Only the table's own end tags reach out of a cell or a table (HTML, 13.2.4.2: scopes).
      if ((open.name === 'td' || open.name === 'th' || open.name === 'table') && !structure.has(name)) return
    }
  }

  isOpen(name: string): boolean {
    return (this.opened.get(name) ?? 0) > 0
  }

  shut({ name }: Open): void {
    this.opened.set(name, (this.opened.get(name) ?? 1) - 1)
  }

  /** Restores the open elements of the time when the stack had this many. */
  unwind(size: number): void {
    this.shut(this.current)
    for (let at = this.stack.length - 1; at > size; at -= 1) this.shut(this.stack[at] as Open)
    this.current = this.stack[size] as Open
    this.stack.length = size
  }

  finish(): void {
    this.close()
    for (const name of this.waiting.splice(0)) if (!this.anchors.has(name)) this.anchors.set(name, this.length)
  }
}

const oddBlanks = /[\t\n\f\r\u00a0\u00ad\u2000-\u200f\u202f\u205f\u2060\u3000\ufeff]| {2}/
const blankRuns = /[ \t\n\f\r\v\u00a0\u2000-\u200a\u202f\u205f\u3000]+/g
/** Characters without width: soft hyphen, zero-width spaces and joiners, marks of direction, byte order mark. */
const unseen = /[\u00ad\u200b-\u200f\u2060\ufeff]/g

function decodeTarget(target: string): string {
  const plain = target.includes('&') ? decodeEntities(target) : target
  if (!plain.includes('%')) return plain
  return plain.replace(/(?:%[0-9a-f]{2})+/gi, run => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'))
}
