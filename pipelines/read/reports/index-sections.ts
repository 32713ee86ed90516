// Reports without item headings: an index maps each item to pages or to sections with other titles (GE, Citigroup, Intel, Morgan Stanley).
// The section is found by its title; next-section.ts finds its end.
import type { Block, Prose } from '#warehouse/documents/prose/prose.ts'
import { countWords } from '#warehouse/documents/prose/prose.ts'
import type { Contents, ContentsLine } from './contents.ts'
import { type HeadingLine, isUnderRiskRule } from './heading-lines.ts'
import { rangeEnd } from './index-pages.ts'
import { type LocatedItem, riskItemOf } from './located.ts'
import { letteredEnd, letterOf, nextSection, type Outline } from './next-section.ts'
import type { Pages } from './pages.ts'
import { riskVerdict } from './status.ts'

const shortest = 120 // minimum words of a section that is found by its title only

/** Items without a heading in `found`: the sections that the index names, or the line of the index if no section is found. */
export function indexedItems(
  prose: Prose,
  form: string,
  contents: Contents,
  headings: readonly HeadingLine[],
  found: readonly LocatedItem[],
  outline: Outline,
  pages: Pages,
): LocatedItem[] {
  const items: LocatedItem[] = []
  const risk = riskItemOf(form)
  const has = new Set(found.map(item => `${item.part} ${item.item}`))
  const named = new Map<string, ContentsLine>()
  for (const line of contents.lines) {
    const key = `${line.slot?.part} ${line.slot?.item}`
    if (line.slot !== null && line.numbered && !has.has(key) && !named.has(key)) named.set(key, line)
  }
  const modern = /^(?:20-?F|40-?F|AIF)/i.test(form) || isUnderRiskRule(headings)
  if (!found.some(item => item.item === risk)) {
    const line = [...named.values()].find(entry => entry.slot?.item === risk)
    const section = line !== undefined || modern ? titledSection(prose, form, contents, headings, found, line ?? null, outline, pages) : null
    if (section !== null) {
      items.push(section)
      for (const key of named.keys()) if (key.endsWith(` ${risk}`)) named.delete(key)
    }
  }
  // An index names most items of the form; two or three lines are the rest of a contents table.
  if (named.size >= 6) for (const line of named.values()) items.push(indexLine(prose, line))
  return items
}

/** The longest section with the title of the risk factors, among those that the pages or links of the index allow. */
function titledSection(
  prose: Prose,
  form: string,
  contents: Contents,
  headings: readonly HeadingLine[],
  found: readonly LocatedItem[],
  line: ContentsLine | null,
  outline: Outline,
  pages: Pages,
): LocatedItem | null {
  const risk = riskItemOf(form)
  const bounds = found.filter(item => item.status !== 'not_present').map(item => item.start)
  // A letter ends with its item if the items have headings.
  const hasItems = found.some(item => item.located !== null && !item.flags.includes('title_only'))
  let best: { heading: HeadingLine; end: number; words: number } | null = null
  const candidates = headings.filter(({ kind, slot, block, continued, canonical, styled }) => {
    return kind === 'titled' && slot.item === risk && canonical && styled && !continued && !contents.blocks.has(block)
  })
  for (const heading of candidates.slice(0, 60)) {
    // The title again inside its section is a running head.
    if (best !== null && heading.start < best.end) continue
    const bound = Math.min(prose.text.length, ...bounds.filter(start => start > heading.start))
    let end = Math.min(bound, letterOf(heading) && hasItems ? letteredEnd(prose, heading, bound) : (nextSection(prose, heading, outline) ?? bound))
    const limit = rangeEnd(line, heading.start, pages)
    if (limit !== null && limit > heading.end) end = Math.min(end, limit)
    const words = countWords(prose.text, heading.start, end)
    const least = isLetterOfItem(prose, heading, found) ? 3 : shortest
    if (words > (best?.words ?? least)) best = { heading, end, words }
  }
  if (best === null) return null
  const { heading, words } = best
  let end = best.end
  while (end > heading.end && prose.text.charCodeAt(end - 1) <= 32) end -= 1
  return {
    ...{ part: heading.slot.part, item: risk, title: heading.title, ...riskVerdict(prose.text.slice(heading.end, end), form) },
    ...{ start: heading.start, headingEnd: heading.end, end, words, located: line === null ? 'heading' : 'cross_reference_index', anchor: null },
    flags: ['title_only'],
  }
}

/** `D. Risk Factors` within Item 3: the letter identifies the section, however short it is. */
function isLetterOfItem(prose: Prose, heading: HeadingLine, found: readonly LocatedItem[]): boolean {
  if (!letterOf(heading)) return false
  const [item = '', letter = ''] = heading.slot.item.split('.')
  const line = prose.text.slice(heading.start, heading.start + 24)
  const own = /^\W{0,3}(?:item\s)?(?:(\d{1,2})[\s.]{0,2})?\(?([A-Za-z])[).:\s]/iu.exec(line)
  if (own?.[2]?.toUpperCase() !== letter || (own[1] !== undefined && own[1] !== item)) return false
  return own[1] === item || found.some(holder => holder.item === item && holder.start < heading.start && holder.end >= heading.end)
}

/** The line of the index: it only states the location of the item. */
function indexLine(prose: Prose, line: ContentsLine): LocatedItem {
  const { end } = prose.blocks[line.block] as Block
  const text = prose.text.slice(line.start, end).replace(/\s+/g, ' ')
  const answered = /not\s?applicable|\bnone\b|\bn\/a\b/i.test(text)
  return {
    ...{ part: line.slot?.part ?? null, item: line.slot?.item ?? '', title: line.text.replace(/\s+/g, ' ').slice(0, 200) },
    ...{ status: answered ? 'not_required' : 'cross_reference', reason: text.slice(0, 400) },
    ...{ start: line.start, headingEnd: end, end, words: countWords(prose.text, line.start, end) },
    ...{ located: 'cross_reference_index', anchor: line.anchor, flags: [] },
  }
}
