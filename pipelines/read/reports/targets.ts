// The target of a reference in the same document: pages, a title in quotation marks, a note to the statements, another item. The target is
// offered in addition to the reference and not as the text of the item.
import { type Block, blockAt, countWords, type Prose } from '#warehouse/documents/prose/prose.ts'
import type { HeadingLine } from './heading-lines.ts'
import { isOutlier, isRuled, textOf } from './heading-look.ts'
import type { LocatedItem, Target } from './located.ts'
import { nextSection, type Outline } from './next-section.ts'
import type { Pages } from './pages.ts'

type ReleaseContext = { readonly prose: Prose; readonly items: readonly LocatedItem[]; readonly pages: Pages; readonly outline: Outline }

/** The items with the targets of references of status `cross_reference`, as far as they can be found. */
export function withTargets(context: ReleaseContext): LocatedItem[] {
  return context.items.map(item => {
    if (item.status !== 'cross_reference' || item.end <= item.start) return item
    const body = context.prose.text.slice(item.headingEnd, item.end)
    const words = (item.located === 'cross_reference_index' ? (item.reason ?? '') : body).replace(/\s+/g, ' ')
    const target = byTitle(context, item, words) ?? byNote(context, item, words) ?? byPages(context, item, words) ?? byItem(context, item, words)
    return target === null ? item : { ...item, target }
  })
}

function targetOf({ prose }: ReleaseContext, by: Target['by'], label: string, from: number, sectionEnd: number): Target | null {
  let [start, end] = [from, sectionEnd]
  while (start < end && prose.text.charCodeAt(start) <= 32) start += 1
  while (end > start && prose.text.charCodeAt(end - 1) <= 32) end -= 1
  const words = countWords(prose.text, start, end)
  return words === 0 ? null : { by, label, start, end, words }
}

const inText = /\bpages?\s(\d{1,3})(?:\s?(?:to|through|and|[-–—])\s?(\d{1,3}))?/i
const ofIndex = /(?:^|\s)(\d{1,3})(?:\s?[-–—]\s?(\d{1,3}))?(?:\s?,\s?\d[\d\s,–—-]*)?$/u

/** Pages of the report; the first range of several. */
function byPages(context: ReleaseContext, item: LocatedItem, words: string): Target | null {
  const match = inText.exec(words) ?? (item.located === 'cross_reference_index' ? ofIndex.exec(words) : null)
  if (match === null) return null
  const [first, last] = [Number(match[1]), Number(match[2] ?? match[1])]
  const [start, end] = [first === 1 ? null : context.pages.endOf(first - 1), context.pages.endOf(last)]
  return start === null || end === null || end <= start ? null : targetOf(context, 'pages', `pages ${first}-${last}`, start, end)
}

const letters = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '')
const noSlot = { part: null, item: '', order: -1, titles: [] } as const
const headingAt = ({ prose }: ReleaseContext, at: number): HeadingLine => {
  const block = prose.blocks[at] as Block
  const title = textOf(prose, block)
  return {
    ...{ slot: noSlot, also: [], block: at, start: block.start, end: block.end, title, kind: 'titled' },
    ...{ canonical: false, runIn: false, styled: true, continued: false, numberDiffers: false },
  }
}

/** The longest section with the requested title; the contents, the reference and running heads do not count. */
function longestSection(
  context: ReleaseContext,
  item: LocatedItem,
  fits: (line: string) => boolean,
): { readonly start: number; readonly end: number } | null {
  const { prose, outline, items } = context
  let best: { start: number; end: number } | null = null
  let tried = 0
  for (const [at, block] of prose.blocks.entries()) {
    if (block.end - block.start > 200 || outline.contents.blocks.has(at) || tried > mostTried) continue
    if (block.start >= item.start && block.start < item.end) continue
    const line = textOf(prose, block)
    if (!fits(line) || !(isOutlier(block, line, outline.body) || isRuled(prose, at))) continue
    tried += 1
    const holder = items.find(other => other.start <= block.start && other.end >= block.end && other.item !== item.item)
    const end = Math.min(nextSection(prose, headingAt(context, at), outline) ?? prose.text.length, holder?.end ?? prose.text.length)
    if (best === null || end - block.start > best.end - best.start) best = { start: block.start, end }
  }
  return best
}
/** Maximum number of headings of one title: a running head may occur on every page. */
const mostTried = 12

function byTitle(context: ReleaseContext, item: LocatedItem, words: string): Target | null {
  for (const [, quoted = ''] of words.matchAll(/[“"‘']([^”"’']{4,120}?)[,.;]?[”"’']/gu)) {
    const wanted = letters(
      quoted.replace(/^(?:part\s(?:iv|i{1,3}),?\s)?item\s\d{1,2}[A-C]?[\s.:–—-]{1,4}/iu, '').replace(/^note\s\d{1,2}[\s.:–—-]{1,4}/iu, ''),
    )
    if (wanted.length < 4) continue
    const place = longestSection(context, item, line => letters(line.replace(/^(?:note\s)?\d{1,2}[\s.:–—-]{1,4}/iu, '')) === wanted)
    if (place === null) continue
    // A note to the statements ends with the next one.
    const number = /^(?:note\s)?(\d{1,2})[\s.:–—-]/iu.exec(context.prose.text.slice(place.start, place.start + 12))?.[1]
    const following = number === undefined ? null : nextNote(context.prose, place.start, Number(number) + 1)
    const target = targetOf(context, 'title', quoted, place.start, Math.min(place.end, following ?? place.end))
    if (target !== null) return target
  }
  return null
}

function byNote(context: ReleaseContext, item: LocatedItem, words: string): Target | null {
  const number = /\bnotes?\s(\d{1,2})\b/i.exec(words)?.[1]
  if (number === undefined) return null
  const head = new RegExp(String.raw`^(?:note\s{0,2})?${number}\s?[.:)–—-]\s?\p{Lu}|^note\s${number}$`, 'iu')
  const place = longestSection(context, item, line => head.test(line))
  if (place === null) return null
  const following = nextNote(context.prose, place.start, Number(number) + 1)
  return targetOf(context, 'note', `note ${number}`, place.start, Math.min(place.end, following ?? place.end))
}
function nextNote(prose: Prose, start: number, number: number): number | null {
  const head = new RegExp(String.raw`^(?:note\s{0,2})?${number}\s?[.:)–—-]\s?\p{Lu}`, 'iu')
  for (let at = blockAt(prose, start) + 1; at < prose.blocks.length; at += 1) {
    const block = prose.blocks[at] as Block
    if (block.end - block.start <= 200 && head.test(textOf(prose, block))) return block.start
  }
  return null
}

function byItem(context: ReleaseContext, item: LocatedItem, words: string): Target | null {
  const [, part, number] = /\b(?:part\s(iv|i{1,3}),?\s)?item\s(\d{1,2}[A-C]?)\b/i.exec(words) ?? []
  if (number === undefined) return null
  const holds = context.items.filter(
    other => other.item === number.toUpperCase() && other !== item && other.end > other.start && other.status !== 'cross_reference',
  )
  const found = holds.find(other => part !== undefined && other.part === part.toUpperCase()) ?? holds[0]
  return found === undefined ? null : targetOf(context, 'item', `item ${found.item}`, found.start, found.end)
}
