// Finds the end of a section with a title without number: the next target of the contents' links, else the next of its titles, else the
// next line of the same look. A letter of an item ends with the next letter or with the item.
import { type Block, blockAt, type Prose } from '#warehouse/documents/prose/prose.ts'
import { type Contents, type ContentsLine, reportLines } from './contents.ts'
import type { HeadingLine } from './heading-lines.ts'
import { bodySize, commonest, textOf } from './heading-look.ts'
import { lineOf } from './index-pages.ts'

/** The data of a report that shows where its sections end, computed once for all of its titles. */
export type Outline = {
  readonly contents: Contents
  /** Lines of the contents and the index that name the report's items and sections. */
  readonly lines: readonly ContentsLine[]
  readonly titles: ReadonlySet<string>
  /** The contents names sections, not only the items of the form: it is used. */
  readonly namesSections: boolean
  readonly body: number
  /** Blocks with the number of an item, and those with only its title. */
  readonly numbered: ReadonlySet<number>
  readonly titled: ReadonlySet<number>
  /** The font size of most titles; 0 if too few are known. */
  readonly usual: number
}

export function outlineOf(prose: Prose, contents: Contents, headings: readonly HeadingLine[]): Outline {
  const lines = reportLines(contents)
  const titles = new Set(lines.filter(line => line.text.length > 3).map(line => letters(line.text)))
  const titled = headings.filter(({ kind, block, runIn }) => kind === 'titled' && !runIn && !contents.blocks.has(block))
  return {
    contents,
    lines,
    titles,
    namesSections: lines.filter(line => !line.numbered && line.text.length > 3).length >= 8,
    body: bodySize(prose),
    numbered: new Set(headings.filter(({ kind }) => kind !== 'titled').map(({ block }) => block)),
    titled: new Set(titled.map(({ block }) => block)),
    usual: usualSize(prose, contents, titles, titled),
  }
}

/** With fewer titles, their common look is unknown. */
const fewestTitles = 3
function usualSize(prose: Prose, contents: Contents, titles: ReadonlySet<string>, titled: readonly HeadingLine[]): number {
  const sizes: number[] = []
  if (titles.size > 0) {
    for (const [at, block] of prose.blocks.entries()) {
      if (block.size === 0 || block.end - block.start > longestTitle || contents.blocks.has(at)) continue
      if (titles.has(letters(textOf(prose, block)))) sizes.push(block.size)
    }
  }
  if (sizes.length >= fewestTitles) return commonest(sizes)
  const ofItems = titled.map(({ block }) => (prose.blocks[block] as Block).size)
  return ofItems.length >= fewestTitles ? commonest(ofItems) : 0
}

const longestTitle = 200
const letters = (text: string): string =>
  text
    .slice(0, longestTitle)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')

type Look = { readonly size: number; readonly bold: boolean; readonly capitals: boolean }
function look(prose: Prose, block: Block, end: number): Look {
  const text = prose.text.slice(block.start, Math.min(end, block.end))
  let capitals = 0
  let small = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code >= 65 && code <= 90) capitals += 1
    else if (code >= 97 && code <= 122) small += 1
  }
  return { size: block.size, bold: block.bold >= (capitals + small) * 0.6, capitals: capitals > small * 4 }
}

/** Null if the end is unknown. Titles that look smaller are part of the section, unless its heading is larger than titles are. */
export function nextSection(prose: Prose, heading: HeadingLine, outline: Outline): number | null {
  const own = look(prose, prose.blocks[heading.block] as Block, heading.end)
  // A size that the markup does not state is that of the surrounding text.
  const ownSize = own.size || outline.body
  const isLike = (block: Block, size: number): boolean => {
    const other = look(prose, block, block.start + 60)
    return (other.size || outline.body) >= size - 0.1 && (!own.capitals || other.capitals) && (!own.bold || block.bold > 0)
  }
  const isContainer = outline.usual > 0 && outline.usual < ownSize
  const linked = nextLinked(prose, heading, outline.lines, block => isLike(block, ownSize))
  const title = letters(heading.title ?? '')
  const isOutlier = own.bold || own.capitals || own.size > outline.body + 0.9
  const inside = titlesInside(heading, outline.lines)
  let alike: number | null = null
  for (let at = heading.block + 1; at < prose.blocks.length; at += 1) {
    const block = prose.blocks[at] as Block
    if (linked !== null && block.start >= linked) return linked
    if (outline.contents.blocks.has(at) || block.end - block.start > longestTitle) continue
    const isNeighbour = isContainer && block.size > 0 && isLike(block, outline.usual)
    const fits = isLike(block, ownSize)
    if (!fits && !isNeighbour) continue
    if (outline.numbered.has(at)) return block.start
    const text = letters(textOf(prose, block))
    // The same title again is the running head of the section's pages.
    if (text.length < 4 || text.startsWith(title) || title.startsWith(text) || inside.has(text)) continue
    if (outline.titles.has(text) || (!fits && outline.titled.has(at))) return block.start
    if (fits && alike === null && isOutlier && block.table === 0 && /^[^a-z]*[A-Z]/.test(textOf(prose, block))) alike = block.start
  }
  // An index names only the items of the form, and sections with other names end one too.
  return outline.namesSections ? null : alike
}

/** Titles of the contents on the pages of this section: its parts. */
function titlesInside(heading: HeadingLine, lines: readonly ContentsLine[]): ReadonlySet<string> {
  const range = lineOf(lines, heading.slot)?.pages ?? null
  if (range === null) return new Set()
  const [first, last] = range
  return new Set(
    lines.filter(({ pages, slot }) => pages !== null && slot === null && pages[0] >= first && pages[0] < last).map(({ text }) => letters(text)),
  )
}

function nextLinked(prose: Prose, heading: HeadingLine, lines: readonly ContentsLine[], fits: (block: Block) => boolean): number | null {
  let best: number | null = null
  for (const { target } of lines) {
    if (target === null || target <= heading.end || (best !== null && target >= best)) continue
    const block = prose.blocks[blockAt(prose, target)]
    if (block !== undefined && fits(block)) best = block.start
  }
  return best
}

/** Whether a slot is a letter of an item (`3.D` of Form 20-F). */
export const letterOf = ({ slot }: Pick<HeadingLine, 'slot'>): boolean => slot.item.includes('.')

/**
 * The end of an item's letter: the next letter with the same look, else the end of the item. Another apparent section before that is a
 * heading inside it, or a misleading link of another list.
 */
export function letteredEnd(prose: Prose, heading: HeadingLine, itemEnd: number): number {
  const next = heading.slot.item.charCodeAt(heading.slot.item.length - 1) + 1
  const isBold = (prose.blocks[heading.block]?.bold ?? 0) > 0
  for (let at = blockAt(prose, heading.end) + 1; at < prose.blocks.length; at += 1) {
    const block = prose.blocks[at] as Block
    if (block.start >= itemEnd) break
    if (block.end - block.start > 120 || (isBold && block.bold === 0)) continue
    const line = textOf(prose, block)
    const own = /^(?:item\s)?(?:\d{1,2}[\s.]{0,2})?\(?([A-Ka-k])[.):]\s?[\p{Lu}[]/u.exec(line)?.[1]
    if (own?.toUpperCase().charCodeAt(0) === next) return block.start
  }
  return itemEnd
}
