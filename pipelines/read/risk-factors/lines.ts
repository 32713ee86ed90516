// The lines of a section as a reader of the page sees them: paragraphs and headings, without running heads and page numbers, with
// the beginning that the markup sets apart.
import { type Block, blockAt, countWords, type Prose } from '#warehouse/documents/prose/prose.ts'

export type Span = { readonly start: number; readonly end: number }

/** How a line, or its beginning, is set apart from running text. */
export type Mark = {
  /** Equal for lines that look the same. */
  readonly key: string
  /** Ranks a group's heading above a factor's: size, bold, capitals, underline; bold italic ranks no higher than bold. */
  readonly weight: number
}
export type Line = Span & {
  readonly text: string
  readonly words: number
  readonly bullet: boolean
  /** The whole line is set apart. */
  readonly mark: Mark | null
  /** Its beginning is set apart (a heading that runs into its paragraph); up to `at` in `text`. */
  readonly lead: { readonly mark: Mark; readonly at: number } | null
  /** Continues the sentence of the previous line, on the next page. */
  readonly continues: boolean
}

const bullets = /^(?:[•·●○◦▪■□◆►➢✓*]|[–—-](?=\s)|o(?=\s)|\(?[ivx]{1,4}\)|\(?[a-z0-9]{1,2}\)(?=\s))/
const terminal = /[.?!:;”"’)\]]$/

/** The lines of a section, from its heading's end. */
export function linesOf(prose: Prose, section: Span): Line[] {
  const first = Math.max(0, blockAt(prose, section.start))
  const running = runningTexts(prose)
  const blocks: Block[] = []
  for (let at = first; at < prose.blocks.length; at += 1) {
    const block = prose.blocks[at] as Block
    if (block.start >= section.end) break
    if (block.end <= section.start || block.inked === 0) continue
    const cut = block.start < section.start || block.end > section.end
    const kept = cut ? { ...block, start: Math.max(block.start, section.start), end: Math.min(block.end, section.end) } : block
    blocks.push(kept)
  }
  const size = bodySize(blocks)
  const lines: Line[] = []
  let broken = false
  for (const paragraph of prose.html ? blocks.map(block => [block]) : paragraphs(prose, blocks)) {
    const line = lineOf(prose, paragraph, size)
    if (isFurniture(line.text, running)) {
      broken = true
      continue
    }
    const before = lines.at(-1)
    if (before && isOneHeading(before, line)) {
      lines[lines.length - 1] = { ...before, end: line.end, text: `${before.text} ${line.text}`, words: before.words + line.words }
      continue
    }
    const continues = broken && before !== undefined && !before.mark && !terminal.test(before.text) && /^[a-z0-9(“"$]/.test(line.text)
    lines.push(continues ? { ...line, mark: null, lead: null, continues } : line)
    broken = false
  }
  return lines
}

/** A heading over two lines: the same style, and the sentence continues. */
const isOneHeading = (before: Line, line: Line): boolean =>
  before.mark !== null && before.mark.key === line.mark?.key && !terminal.test(before.text) && /^[a-z(]/.test(line.text)

/** Lines of plain text that belong together: no empty line between them, no new indent after a full stop. */
function paragraphs(prose: Prose, blocks: readonly Block[]): Block[][] {
  const out: Block[][] = []
  for (const block of blocks) {
    const paragraph = out.at(-1)
    const before = paragraph?.at(-1)
    const indented = before && block.indent >= before.indent + 2 && terminal.test(prose.text.slice(before.end - 1, before.end))
    if (!paragraph || block.gap > 0 || indented || bullets.test(prose.text.slice(block.start, block.start + 4))) out.push([block])
    else paragraph.push(block)
  }
  return out
}

function lineOf(prose: Prose, blocks: readonly Block[], bodySize: number): Line {
  const [first] = blocks as [Block]
  const start = first.start
  const end = (blocks.at(-1) as Block).end
  const text = prose.text.slice(start, end).replaceAll('\n', ' ').trim()
  const bullet = bullets.test(text)
  const mark = bullet || blocks.length > 3 ? null : markOf(first, text, bodySize)
  return {
    start,
    end,
    text,
    words: countWords(text),
    bullet,
    mark,
    lead: mark || bullet || !prose.html ? null : leadOf(first, text),
    continues: false,
  }
}

const share = 0.8

function markOf(block: Block, text: string, bodySize: number): Mark | null {
  const caps = isCapitals(text)
  const [bold, italic, underline] = [block.bold, block.italic, block.underline].map(count => count >= share * block.inked) as [
    boolean,
    boolean,
    boolean,
  ]
  const large = block.size > 0 && bodySize > 0 && block.size >= bodySize + 1
  if (!bold && !italic && !underline && !caps && !large) return null
  const size = large ? Math.round(block.size) : 0
  const key = `${bold ? 'b' : ''}${italic ? 'i' : ''}${underline ? 'u' : ''}${caps ? 'k' : ''}${block.centred ? 'c' : ''}${size}`
  const weight = size * 10 + (bold ? 4 : 0) + (caps ? 3 : 0) + (block.centred ? 2 : 0) + (underline ? 2 : 0) + (italic && !bold ? 1 : 0)
  return { key, weight }
}

const isCapitals = (text: string): boolean => /[A-Z]{2}/.test(text) && !/[a-z]/.test(text) && /[A-Z]{3,}|[A-Z] [A-Z]/.test(text)

/**
 * A heading that runs into its paragraph. The markup counts how many characters are set apart, not which: they are the
 * beginning if so many characters end a sentence, or precede a colon or a dash.
 */
function leadOf(block: Block, text: string): Line['lead'] {
  for (const [name, count, weight] of [
    ['b', block.bold, 4],
    ['i', block.italic, 1],
    ['u', block.underline, 2],
  ] as const) {
    if (count < 6 || count >= share * block.inked) continue
    const at = endOfInk(text, count)
    if (!isBoundary(text, at) || !/^[“"'(]?[A-Z0-9]/.test(text)) continue
    const words = countWords(text, 0, at)
    if (words > 80) continue
    const end = at + (/^\s?[-–—:.]/.exec(text.slice(at, at + 2))?.[0].length ?? 0)
    return { mark: { key: `lead ${name}`, weight }, at: end }
  }
  return null
}

const isBoundary = (text: string, at: number): boolean =>
  /[.?!:]["”’)]?$|[-–—]$/.test(text.slice(Math.max(0, at - 2), at)) || /^\s?[-–—:.]/.test(text.slice(at, at + 2))

function endOfInk(text: string, count: number): number {
  let seen = 0
  let at = 0
  while (at < text.length && seen < count) {
    if (text.charCodeAt(at) !== 32) seen += 1
    at += 1
  }
  return at
}

/** The font size of most of the text; 0 if the markup states none. */
function bodySize(blocks: readonly Block[]): number {
  const ink = new Map<number, number>()
  for (const block of blocks) ink.set(block.size, (ink.get(block.size) ?? 0) + block.inked)
  let [size, most] = [0, 0]
  for (const [each, amount] of ink) if (amount > most) [size, most] = [each, amount]
  return size
}

const masked = (text: string): string => text.toLowerCase().replace(/\d+/g, '#').replace(/\s+/g, ' ').trim()

/** Short lines that appear on many pages: the filer's name, `Table of Contents`, the form and its page number. */
function runningTexts(prose: Prose): ReadonlySet<string> {
  const seen = new Map<string, number>()
  const breaks = prose.pageBreaks
  let next = 0
  for (const block of prose.blocks) {
    while (next < breaks.length && (breaks[next] as number) < block.start - 400) next += 1
    if (block.end - block.start > 120) continue
    const near = Math.abs((breaks[next] ?? Number.POSITIVE_INFINITY) - block.start) <= 400
    const text = masked(prose.text.slice(block.start, block.end))
    // Next to a page's end, or with a number in it, a repeated line is a running header; other repeated lines are the filer's headings.
    if (near || text.includes('#')) seen.set(text, (seen.get(text) ?? 0) + 1)
  }
  return new Set([...seen].filter(([, count]) => count >= 4).map(([text]) => text))
}

function isFurniture(text: string, running: ReadonlySet<string>): boolean {
  if (text.length > 120) return false
  if (/^(?:page\s+)?[-–—(]?\s*(?:[A-Z]{1,2}-)?(?:\d{1,4}|[ivxlc]{1,6})\s*[-–—)]?$/i.test(text)) return true
  if (/^(?:(?:back to )?table of contents|index to financial statements)$/i.test(text)) return true
  if (/^(?:(?:part\s+i+[,.]?\s*)?item\s*(?:1a|3\.?d)\.?.{0,40}|risk factors\W{0,4})\bcontinued\)?\.?$/i.test(text)) return true
  return running.has(masked(text)) && !/[.?!]$/.test(text)
}
