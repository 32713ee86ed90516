// Reports without item headings: an index maps each item to pages or to sections that have titles of their own (GE, Citigroup,
// Intel, Morgan Stanley). The section is found by its title; it ends where the next title of the contents, or of the same look, stands.
import type { Block, Prose } from '../documents/prose.ts'
import { blockAt, countWords } from '../documents/prose.ts'
import type { Contents, ContentsLine } from './contents.ts'
import type { HeadingLine } from './heading-lines.ts'
import { bodySize, textOf } from './heading-look.ts'
import { type LocatedItem, riskItemOf } from './located.ts'
import { riskVerdict } from './status.ts'

/** Items that came with the rule on risk factors or later (SEC Release 33-8591, December 2005): a report that has one of them is under it. */
const sinceRiskFactors = new Set(['1A', '1B', '1C', '9C', '16'])
const shortest = 120 // words of a section that a title alone tells

/** Items that have no heading of their own in `found`: the sections that the index names, or the index's line where no section is found. */
export function indexedItems(
  prose: Prose,
  form: string,
  contents: Contents,
  headings: readonly HeadingLine[],
  found: readonly LocatedItem[],
): LocatedItem[] {
  const items: LocatedItem[] = []
  const risk = riskItemOf(form)
  const has = new Set(found.map(item => `${item.part} ${item.item}`))
  const named = new Map<string, ContentsLine>()
  for (const line of contents.lines) {
    const key = `${line.slot?.part} ${line.slot?.item}`
    if (line.slot !== null && line.numbered && !has.has(key) && !named.has(key)) named.set(key, line)
  }
  const modern = /^(?:20-?F|40-?F|AIF)/i.test(form) || headings.some(heading => heading.kind !== 'titled' && sinceRiskFactors.has(heading.slot.item))
  if (!found.some(item => item.item === risk)) {
    const line = [...named.values()].find(entry => entry.slot?.item === risk)
    const section = line !== undefined || modern ? titledSection(prose, form, contents, headings, found, line ?? null) : null
    if (section !== null) {
      items.push(section)
      for (const key of named.keys()) if (key.endsWith(` ${risk}`)) named.delete(key)
    }
  }
  // An index names most of the form's items; two or three lines are the remains of a contents table.
  if (named.size >= 6) for (const line of named.values()) items.push(indexLine(prose, line))
  return items
}

/** The longest section that has the risk factors' title, among those that the index's pages or links allow. */
function titledSection(
  prose: Prose,
  form: string,
  contents: Contents,
  headings: readonly HeadingLine[],
  found: readonly LocatedItem[],
  line: ContentsLine | null,
): LocatedItem | null {
  const risk = riskItemOf(form)
  const bounds = found.filter(item => item.status !== 'not_present').map(item => item.start)
  let best: { heading: HeadingLine; end: number; words: number } | null = null
  const candidates = headings.filter(({ kind, slot, block, continued, canonical, styled }) => {
    return kind === 'titled' && slot.item === risk && canonical && styled && !continued && !contents.blocks.has(block)
  })
  for (const heading of candidates.slice(0, 60)) {
    // The title again inside of its own section is a running head.
    if (best !== null && heading.start < best.end) continue
    let end = nextSection(prose, heading, contents, headings) ?? prose.text.length
    for (const start of bounds) if (start > heading.start && start < end) end = start
    const words = countWords(prose.text, heading.start, end)
    if (words > (best?.words ?? shortest)) best = { heading, end, words }
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

/** The index's own line: it says where the item stands, and that is all that can be said of it. */
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

const look = (prose: Prose, block: Block, end: number) => {
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

/**
 * Where the section behind a title without number ends: at the next place that the contents link to, else at the next of their
 * titles, else at the next line of the same look. Titles that look smaller are the section's own.
 */
export function nextSection(prose: Prose, heading: HeadingLine, contents: Contents, headings: readonly HeadingLine[]): number | null {
  const own = look(prose, prose.blocks[heading.block] as Block, heading.end)
  const body = bodySize(prose)
  // A size that the markup does not state is that of the text around.
  const sizeOf = ({ size }: { readonly size: number }): number => size || body
  const isLarge = own.size > body + 0.9
  const fits = (block: Block): boolean => {
    const other = look(prose, block, block.start + 60)
    return sizeOf(other) >= sizeOf(own) - 0.1 && (!own.capitals || other.capitals) && (!own.bold || block.bold > 0)
  }
  const linked = nextLinked(prose, heading, contents, fits)
  const titles = new Set(contents.lines.filter(line => line.text.length > 3).map(line => letters(line.text)))
  const title = letters(heading.title ?? '')
  const numbered = new Set(headings.filter(({ kind }) => kind !== 'titled').map(({ block }) => block))
  let alike: number | null = null
  for (let at = heading.block + 1; at < prose.blocks.length; at += 1) {
    const block = prose.blocks[at] as Block
    if (linked !== null && block.start >= linked) return linked
    if (contents.blocks.has(at) || block.end - block.start > 200 || !fits(block)) continue
    if (numbered.has(at)) return block.start
    const text = letters(textOf(prose, block))
    // The same title again is the running head of the section's pages.
    if (text.length < 4 || text.startsWith(title) || title.startsWith(text)) continue
    if (titles.has(text)) return block.start
    const standsOut = own.bold || own.capitals || isLarge
    if (alike === null && standsOut && block.table === 0 && /^[^a-z]*[A-Z]/.test(textOf(prose, block))) alike = block.start
  }
  // A contents that names the sections is believed; an index names the form's items only, and sections of other names end one, too.
  return contents.lines.filter(line => !line.numbered && line.text.length > 3).length >= 8 ? null : alike
}

function nextLinked(prose: Prose, heading: HeadingLine, contents: Contents, fits: (block: Block) => boolean): number | null {
  let best: number | null = null
  for (const { target } of contents.lines) {
    if (target === null || target <= heading.end || (best !== null && target >= best)) continue
    const block = prose.blocks[blockAt(prose, target)]
    if (block !== undefined && fits(block)) best = block.start
  }
  return best
}

const letters = (text: string): string =>
  text
    .slice(0, 200)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
