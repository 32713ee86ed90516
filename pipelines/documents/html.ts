// HTML as filers write it, to the text that a browser shows. A scanner of our own: one pass, no tree, styles looked up by their
// text. Measured against cheerio and htmlparser2 in bench; what it has to get right is in html.test.ts.
import { decodeEntities } from './entities.ts'
import { attribute, type Look, lookOf, plainLook } from './look.ts'
import { type Block, type InnerLink, isBlank, type Prose } from './text.ts'

/** Elements that begin and end a line of the page. */
const blockTags = new Set(
  'address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol option p page pre section select summary table tbody tfoot thead title tr ul document text'.split(
    ' ',
  ),
)
const cellTags = new Set(['td', 'th'])
const voidTags = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '))
/** Content that is not shown; the first three hold raw text up to their own end tag. */
const rawTags = new Set(['script', 'style', 'title', 'textarea', 'noscript'])
const hiddenTags = new Set(['ix:header', 'head', 'template', 'xml'])
/** End tags that reach out of a cell. */
const structure = new Set('table thead tbody tfoot tr td th body html'.split(' '))
/** What may stand in a head; anything else ends it, also where its end tag is missing. */
const headTags = new Set('title meta link style script base noscript template object isindex'.split(' '))
/** A new one ends an open one of the same group, up to the enclosing element named behind. */
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
}

/** What stands between two pieces of text, the strongest of what was met: nothing, a blank, a line, a cell, a row. */
const gaps = ['', ' ', '\n', '\t', '\n'] as const
const blankGap = 1
const lineGap = 2
const cellGap = 3
const rowGap = 4

const deepest = 4096
/** Attributes of a tag that are read; a longer tag is no filer's work. */
const longestTag = 16_384

class Reading {
  readonly source: string
  readonly pieces: string[] = []
  /** For each piece of text: where it begins in the text and in the source. */
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
  current: Open = { name: '', look: plainLook, hidden: false, table: 0, link: -1, level: 0, pre: false }
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

  constructor(source: string) {
    this.source = source
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

  /** Writes what stands between the last text and the next, and closes the block where that is a line's end. */
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
      // A table stands as its own cells say, not as the paragraph around it does.
      if (look.centred) look = { ...look, centred: false }
    }
    if (voidTags.has(name)) {
      if (name === 'br') this.strengthen(lineGap)
      return
    }
    if (this.stack.length >= deepest) return
    this.stack.push(current)
    this.opened.set(name, (this.opened.get(name) ?? 0) + 1)
    this.current = {
      name,
      look,
      hidden: current.hidden || look.hidden || hiddenTags.has(name),
      table: name === 'table' ? this.tables : current.table,
      link,
      level: /^h[1-6]$/.test(name) ? Number(name[1]) : current.level,
      pre: current.pre || name === 'pre',
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

  /** Back to what was open when the stack held so many. */
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

const nameEnd = /[\s/>]/g

/** Where a tag ends: the next `>` that no quoted value holds. Quotes that never close do not swallow the page. */
function tagEnds(source: string): (from: number) => number {
  // The next quote is looked for once, or a page without quotes would be searched to its end for every tag.
  let known = source.indexOf('"')
  const quoteFrom = (from: number): number => {
    if (known >= 0 && known < from) known = source.indexOf('"', from)
    return known
  }
  return from => {
    const first = source.indexOf('>', from)
    let next = first
    for (let at = from; ; ) {
      // Looked for again only where a quoted value held it, or a tag of quotes would be searched to its end for each.
      if (next < at) next = source.indexOf('>', at)
      if (next < 0) return first
      const open = quoteFrom(at)
      if (open < 0 || open > next) return next
      const shut = quoteFrom(open + 1)
      if (shut < 0 || shut - open > longestValue) return first
      at = shut + 1
    }
  }
}
/** A quoted value longer than this is a quote that was never closed. */
const longestValue = 20_000

export function readHtml(source: string): Prose {
  const reading = new Reading(source)
  const tagEnd = tagEnds(source)
  for (let at = 0; at < source.length; ) {
    const tag = source.indexOf('<', at)
    if (tag < 0) {
      reading.write(at, source.length)
      break
    }
    const next = source.charCodeAt(tag + 1)
    const isTag = next === 47 || next === 33 || next === 63 || (next >= 65 && next <= 90) || (next >= 97 && next <= 122)
    if (!isTag) {
      // `<` that begins no tag is text (`p < 0.05`).
      const following = source.indexOf('<', tag + 1)
      reading.write(at, following < 0 ? source.length : following)
      at = following < 0 ? source.length : following
      continue
    }
    reading.write(at, tag)
    if (next === 33 && source.startsWith('<!--', tag)) {
      const close = source.indexOf('-->', tag + 4)
      at = close < 0 ? source.length : close + 3
      continue
    }
    const close = tagEnd(tag + 1)
    if (close < 0) break
    at = close + 1
    if (next === 33 || next === 63) continue
    if (next === 47) {
      reading.end(
        source
          .slice(tag + 2, close)
          .trim()
          .toLowerCase(),
      )
      continue
    }
    nameEnd.lastIndex = tag + 1
    const nameTo = Math.min(nameEnd.test(source) ? nameEnd.lastIndex - 1 : close, close)
    const name = source.slice(tag + 1, nameTo).toLowerCase()
    const selfClosed = source.charCodeAt(close - 1) === 47
    if (name === 'page') reading.pageBreaks.push(reading.length)
    if (rawTags.has(name) && !selfClosed) {
      const end = endOfRaw(source, name, at)
      at = end
      continue
    }
    // XHTML closes empty elements of any name by a slash, which browsers ignore in HTML; filers mean it.
    if (selfClosed && !voidTags.has(name)) {
      reading.open(name, source.slice(nameTo, close - 1))
      reading.end(name)
    } else reading.open(name, source.slice(nameTo, close))
  }
  reading.finish()
  return proseOf(reading)
}

/** Behind the end tag of an element whose content is no markup; the end of the source where it has none. */
function endOfRaw(source: string, name: string, from: number): number {
  const endTag = new RegExp(`</${name}`, 'gi')
  endTag.lastIndex = from
  const end = endTag.exec(source)?.index
  if (end === undefined) return source.length
  const close = source.indexOf('>', end)
  return close < 0 ? source.length : close + 1
}

function proseOf(reading: Reading): Prose {
  const { source, pieceStarts, pieceSources, length } = reading
  const text = reading.pieces.join('')
  const links: InnerLink[] = reading.links.filter(link => link.start >= 0)
  return {
    text,
    blocks: reading.blocks,
    anchors: reading.anchors,
    links,
    pageBreaks: reading.pageBreaks,
    html: true,
    sourceOffset(at) {
      if (pieceStarts.length === 0) return 0
      let low = 0
      let high = pieceStarts.length - 1
      while (low < high) {
        const middle = (low + high + 1) >> 1
        if ((pieceStarts[middle] as number) <= at) low = middle
        else high = middle - 1
      }
      // What stands between two pieces belongs to the next.
      while (low < pieceSources.length - 1 && (pieceSources[low] as number) < 0) low += 1
      const start = pieceStarts[low] as number
      const begins = pieceSources[low] as number
      if (begins < 0) return source.length
      const raw = source.slice(begins, tagOrEnd(source, begins))
      return begins + sourceLength(raw, Math.max(0, Math.min(at, length) - start))
    },
  }
}
const tagOrEnd = (source: string, from: number): number => {
  const tag = source.indexOf('<', from + 1)
  return tag < 0 ? source.length : tag
}

/** How many characters of a source's text stand before its `count`-th shown one: entities are one, runs of blanks one, leading blanks none. */
function sourceLength(raw: string, count: number): number {
  let shown = 0
  let at = 0
  let blank = true // leading blanks are not shown
  while (at < raw.length) {
    let width = 1
    let character = raw.charAt(at)
    if (character === '&') {
      const reference = /^&#?[A-Za-z0-9]{1,31};?/.exec(raw.slice(at, at + 34))?.[0] ?? '&'
      const decoded = decodeEntities(reference)
      // Without its semicolon a reference may end before the run of letters does (`&ampx`).
      if (decoded !== reference) {
        const own = reference.endsWith(';') ? decoded.length : 1
        character = decoded.slice(0, own)
        width = reference.length - (decoded.length - own)
      }
    }
    const isSpace = isBlank(character.charCodeAt(0))
    const adds = isSpace ? (blank ? 0 : 1) : unseenOne.test(character) ? 0 : character.length
    if (adds > 0 && shown >= count) return at
    shown += adds
    if (adds > 0 || isSpace) blank = isSpace
    at += width
  }
  return raw.length
}
const unseenOne = /^[\u00ad\u200b-\u200f\u2060\ufeff]$/
