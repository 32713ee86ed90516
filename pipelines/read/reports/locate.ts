// Locates the items of an annual or quarterly report in its visible text: by the links of the contents table and by headings; for filers
// without item headings, by the index that maps items to sections. A reference to another text does not count as content.
import { type Block, blockAt, countWords, type Prose } from '#warehouse/documents/prose/prose.ts'
import { anchoredTitles, chooseHeadings, type ScoredHeading, scoreHeadings } from './chain.ts'
import { type Contents, findContents } from './contents.ts'
import { type ItemSlot, itemsOfForm, type Part } from './form-items.ts'
import { type HeadingLine, headingLines } from './heading-lines.ts'
import { commonest, partLine, textOf } from './heading-look.ts'
import { lineOf, pageFlags, rangeEnd } from './index-pages.ts'
import { indexedItems } from './index-sections.ts'
import { itemsLeftOut } from './left-out.ts'
import { type LocatedItem, riskItemOf } from './located.ts'
import { letteredEnd, letterOf, nextSection, type Outline, outlineOf } from './next-section.ts'
import { pagesOf } from './pages.ts'
import { withSharedAnswers } from './shared-answers.ts'
import { itemVerdict, lengthFlags, riskVerdict } from './status.ts'
import { withTargets } from './targets.ts'
import { bareHeadings, fewestNumbered, withExecutiveOfficers } from './unnumbered.ts'

/** Items of a 10-K, 10-KSB, 10-Q or 20-F in the order of the document, and the form's risk-factor item in any case. Pure; linear in the text. */
export function locateItems(prose: Prose, form: string): LocatedItem[] {
  const items = itemsOfForm(form)
  if (items === null) return []
  const printed = headingLines(prose, items)
  // Titles that only begin like those of the form are headings if the item has no other.
  const lines = printed.filter(({ kind, canonical }) => kind !== 'titled' || canonical)
  const contents = findContents(prose, items, lines)
  const titles = anchoredTitles(prose, lines, contents, offset => blockAt(prose, offset))
  const all = [...lines, ...titles].toSorted((a, b) => a.start - b.start)
  const isContents = (block: number): boolean => contents.blocks.has(block)
  const withNumbers = withoutSmaller(prose, chooseHeadings(scoreHeadings(prose, all, contents)))
  const bare = bareHeadings(prose, printed, withNumbers, isContents)
  const chosen = [...withNumbers, ...bare].toSorted((a, b) => a.start - b.start)
  const pages = pagesOf(prose)
  const outline = outlineOf(prose, contents, all)
  const ends = sectionEnds(prose, chosen, outline).map((end, at) => {
    const heading = chosen[at] as ScoredHeading
    const limit = rangeEnd(lineOf(outline.lines, heading.slot), heading.start, pages)
    return limit === null || limit <= heading.end ? end : Math.min(end, limit)
  })
  const sections = chosen.flatMap((heading, at) => locatedOf(prose, form, heading, ends[at] as number))
  const found = withExecutiveOfficers(prose, form, ownRisks(prose, form, sections, lines, outline), isContents)
  const indexed = indexedItems(prose, form, contents, all, found, outline, pages)
  const placed = withSharedAnswers(prose, [...found, ...indexed].toSorted(byPlace)).map(item => throughIndex(item, contents))
  const risk = riskItemOf(form)
  const slot = items.slots.findLast(known => known.item === risk)
  if (slot !== undefined && !placed.some(item => item.item === risk)) placed.push(notPresent(slot))
  return [...withTargets({ prose, items: placed, pages, outline }), ...itemsLeftOut(prose, form, items, placed)]
    .map(item => ({
      ...item,
      flags: [...item.flags, ...lengthFlags(item.item, item.status, item.words, form), ...pageFlags(item, outline.lines, pages)],
    }))
    .toSorted(byPlace)
}
/** Items that the report omits have no position, and come last. */
const byPlace = (a: LocatedItem, b: LocatedItem): number =>
  Number(a.status === 'omitted') - Number(b.status === 'omitted') || a.start - b.start || a.end - b.end

/** Points by which a heading must be smaller to be one of another level. */
const smallerBy = 1.5
/**
 * A title without its number that is smaller than the one before it is a part of that section (`Cybersecurity` among the risks), unless
 * that one is larger than the titles of items in this report, and so is a heading over several of them.
 */
function withoutSmaller(prose: Prose, headings: readonly ScoredHeading[]): ScoredHeading[] {
  const kept: ScoredHeading[] = []
  const sizeOf = (heading: ScoredHeading): number => prose.blocks[heading.block]?.size ?? 0
  const usual = commonest(headings.filter(({ kind }) => kind === 'titled').map(sizeOf))
  for (const heading of headings) {
    const before = kept.at(-1)
    const level = before === undefined ? 0 : Math.min(sizeOf(before), usual)
    const isSmaller = before?.kind === 'titled' && sizeOf(heading) > 0 && sizeOf(heading) + smallerBy < level
    if (heading.kind !== 'titled' || !isSmaller) kept.push(heading)
  }
  return kept
}

/** A title that an index names by the number of the item was found through that index, independent of the link. */
function throughIndex(item: LocatedItem, contents: Contents): LocatedItem {
  if (!item.flags.includes('title_only')) return item
  const named = contents.lines.some(({ slot, numbered, pages }) => numbered && pages !== null && slot?.item === item.item && slot.part === item.part)
  return named ? { ...item, located: 'cross_reference_index' } : item
}

function notPresent({ part, item }: Pick<ItemSlot, 'item' | 'part'>): LocatedItem {
  const reason = 'the document has no such item'
  return { part, item, title: null, status: 'not_present', reason, start: 0, headingEnd: 0, end: 0, words: 0, located: null, anchor: null, flags: [] }
}

/** Risk factors that share a heading with another item begin at their title, if they have one. */
function ownRisks(prose: Prose, form: string, items: readonly LocatedItem[], lines: readonly HeadingLine[], outline: Outline): LocatedItem[] {
  const risk = riskItemOf(form)
  return items.map(item => {
    if (item.item !== risk || !item.flags.some(flag => flag.startsWith('combined_with_'))) return item
    const own = lines.find(({ slot, kind, start, end }) => slot.item === risk && kind === 'titled' && start >= item.headingEnd && end < item.end)
    if (own === undefined) return item
    const end = trimmed(prose.text, own.end, Math.min(item.end, nextSection(prose, own, outline) ?? item.end))
    const verdict = riskVerdict(prose.text.slice(own.end, end), form)
    const words = countWords(prose.text, own.start, end)
    return { ...item, ...verdict, title: own.title, start: own.start, headingEnd: own.end, end, words, flags: [...item.flags, 'title_only'] }
  })
}

/** A heading of Regulation AB (`Item 1117 of Regulation AB`), or the line that introduces such items, ends the item of the form before it. */
const otherRule =
  /^\W{0,6}(?:items?\s(?:1[01]\d\d|11\d\d)\b|substitut\w{1,4}\sinformation\s(?:provided|furnished|required)|(?:the\s)?following\sitems?\s(?:have|has|are)\s(?:been\s)?omitted)/iu
function otherRules(prose: Prose): number[] {
  const starts: number[] = []
  for (const { start, end } of prose.blocks) {
    const head = prose.text.slice(start, Math.min(end, start + 60))
    if (otherRule.test(head) && (end - start < 260 || /^\W{0,6}(?:the\s)?following/iu.test(head))) starts.push(start)
  }
  return starts
}

/** Items of the form between a heading and the next one, if that one is taken to follow it. */
const widestStep = 3

/** The end of each section: the next heading, the line of the part before it, the signatures, or the beginning of a contents table. */
function sectionEnds(prose: Prose, headings: readonly ScoredHeading[], outline: Outline): number[] {
  // The position of the first item in each run of contents lines.
  const starts = new Map<number, number>()
  for (const { run, slot, numbered, start } of outline.contents.lines)
    if (run >= 0 && slot !== null && numbered && !starts.has(run)) starts.set(run, start)
  const others = otherRules(prose)
  // Among numbered items, a title without a number ends like them.
  const titled = headings.filter(({ kind }) => kind === 'titled').length
  const numbersItems = headings.length - titled >= Math.max(fewestNumbered, titled * 2)
  return headings.map((heading, at) => {
    // Item 3 of a 20-F contains its letter D.
    const next = headings.slice(at + 1, at + 3).find(({ slot }) => !slot.item.startsWith(`${heading.slot.item}.`))
    let end = next?.start ?? signatures(prose, heading)
    const isOneOfMany = numbersItems && next !== undefined && next.kind !== 'titled' && next.slot.order - heading.slot.order <= widestStep
    if (heading.kind === 'titled' && (letterOf(heading) || !isOneOfMany)) {
      end = Math.min(end, letterOf(heading) ? letteredEnd(prose, heading, end) : (nextSection(prose, heading, outline) ?? end))
    }
    for (const start of starts.values()) if (start > heading.end && start < end) end = start
    end = Math.min(end, others.find(start => start > heading.end) ?? end)
    return next === undefined ? end : beforePart(prose, heading, next, end)
  })
}

const partOrder: readonly (Part | null)[] = ['I', 'II', 'III', 'IV']
/**
 * The line `PART II` begins a part wherever it occurs between two headings of different parts, because text about the whole part may follow
 * it. The name of the same part, or one that a later heading contradicts, is a running head.
 */
function beforePart(prose: Prose, heading: ScoredHeading, next: ScoredHeading, end: number): number {
  const [own, other] = [partOrder.indexOf(heading.slot.part), partOrder.indexOf(next.slot.part)]
  const last = blockAt(prose, end - 1)
  for (let at = blockAt(prose, heading.end) + 1; at <= last; at += 1) {
    const block = prose.blocks[at] as Block
    const part = partLine(textOf(prose, block))
    if (part === null || part === heading.slot.part) continue
    const begins = own >= 0 && partOrder.indexOf(part) > own && partOrder.indexOf(part) <= other
    // Directly above the next heading it is not a running head, whatever part the form gives that item.
    if (begins || at > last - 3) return block.start
  }
  return end
}

const signatureLine = /^[^\p{L}]{0,4}s\s?i\s?g\s?n\s?a\s?t\s?u\s?r\s?e\s?s?[^\p{L}]{0,8}$/iu
function signatures(prose: Prose, heading: ScoredHeading): number {
  for (let at = heading.block + 1; at < prose.blocks.length; at += 1) {
    const block = prose.blocks[at]
    if (block !== undefined && block.end - block.start < 24 && signatureLine.test(textOf(prose, block))) return block.start
  }
  return prose.text.length
}

function locatedOf(prose: Prose, form: string, heading: ScoredHeading, sectionEnd: number): LocatedItem[] {
  const end = trimmed(prose.text, heading.end, sectionEnd)
  const body = prose.text.slice(heading.end, end)
  return [heading.slot, ...heading.also].map(slot => {
    const { status, reason } = slot.item === riskItemOf(form) ? riskVerdict(body, form) : itemVerdict(body, heading.title)
    const others = [heading.slot, ...heading.also].filter(other => other !== slot).map(other => `combined_with_${other.item}`)
    return {
      ...{ part: slot.part, item: slot.item, title: heading.title, status, reason },
      ...{ start: heading.start, headingEnd: heading.end, end, words: countWords(prose.text, heading.start, end) },
      ...{ located: heading.anchor === null ? 'heading' : 'anchor', anchor: heading.anchor },
      flags: [...others, ...(heading.numberDiffers ? ['number_differs'] : []), ...(heading.kind === 'titled' ? ['title_only'] : [])],
    }
  })
}

function trimmed(text: string, from: number, to: number): number {
  let end = to
  while (end > from && text.charCodeAt(end - 1) <= 32) end -= 1
  return end
}
