// Headings without a number in a report with item numbers: an item whose number the filer omitted (`LEGAL PROCEEDINGS`), and the executive
// officers, which part I of Form 10-K has as a section without a number (Regulation S-K, instruction to Item 401).
import type { Block, Prose } from '#warehouse/documents/prose/prose.ts'
import { countWords } from '#warehouse/documents/prose/prose.ts'
import type { ScoredHeading } from './chain.ts'
import { titleIn } from './form-items.ts'
import { type HeadingLine, isUnderRiskRule, sinceRiskFactors } from './heading-lines.ts'
import { bodySize, isAlone, isOutlier, isRuled, partLine, textOf } from './heading-look.ts'
import type { LocatedItem } from './located.ts'
import { itemVerdict } from './status.ts'

type Look = { readonly capitals: boolean; readonly bold: boolean; readonly underline: boolean; readonly centred: boolean; readonly size: number }
function lookOf(prose: Prose, at: number, end: number): Look {
  const block = prose.blocks[at] as Block
  const head = prose.text.slice(block.start, Math.min(block.end, end)).replace(/^\W*items?\s/iu, '')
  const enough = Math.min(block.inked, head.length) * 0.6
  return {
    capitals: /\p{Lu}/u.test(head) && !/\p{Ll}{2}/u.test(head),
    bold: block.bold >= enough || block.level > 0,
    underline: block.underline >= enough,
    centred: block.centred,
    size: block.size,
  }
}
/** Whether a heading is at least as large as another. */
const isAsLarge = (own: Look, other: Look): boolean =>
  (own.capitals || !other.capitals) && (own.bold || !other.bold) && (own.underline || !other.underline || own.bold) && own.size >= other.size - 0.1

/** Items whose heading may lack its number: those between a found one and the next, at most this many positions later in the form. */
const widestGap = 4

/**
 * Headings that consist of the title of an item, for items without another heading: at least as large as the headings around, and at the
 * position of the item in the form. `chosen` in the order of the document.
 */
export function bareHeadings(
  prose: Prose,
  headings: readonly HeadingLine[],
  chosen: readonly ScoredHeading[],
  isContents: (block: number) => boolean,
): ScoredHeading[] {
  const has = new Set(chosen.flatMap(heading => [heading.slot, ...heading.also].map(slot => slot.item)))
  const numbered = chosen.filter(({ kind }) => kind !== 'titled')
  if (numbered.length < 3) return []
  // Before December 2005 a part of Item 1 may be called `Risk Factors`.
  const isModern = isUnderRiskRule(numbered)
  const candidates = headings.filter(({ kind, slot, block, runIn, continued }) => {
    const isFormsOwn = isModern || !sinceRiskFactors.has(slot.item)
    // A letter of an item (`3.D` of Form 20-F) is not an item, and a letter before a title makes it a part of one.
    const isItem = !slot.item.includes('.') && slot.item !== '4A' && titleIn(textOf(prose, prose.blocks[block] as Block), slot.titles) !== null
    return kind === 'titled' && isItem && isFormsOwn && !runIn && !continued && !has.has(slot.item) && !isContents(block)
  })
  const added: ScoredHeading[] = []
  // Before the first heading as between two.
  for (const [at, next] of [...chosen, undefined].entries()) {
    const before = chosen[at - 1]
    if (next === undefined || before?.kind === 'titled') continue
    const from = before === undefined ? -1 : Math.max(before.slot.order, ...before.also.map(({ order }) => order))
    const [to, after] = [next.slot.order, before?.end ?? -1]
    if (to - from < 2 || to - from > widestGap + 1) continue
    const own = candidates.filter(({ slot, start }) => slot.order > from && slot.order < to && start > after && start < next.start)
    const around = (before === undefined ? [next] : [before, next]).map(heading => lookOf(prose, heading.block, heading.end))
    for (const [slot, all] of Map.groupBy(own, heading => heading.slot)) {
      const alike = all.filter(heading => around.every(other => isAsLarge(lookOf(prose, heading.block, heading.end), other)))
      // `Business` is the title of the item; `General` and `The Company` also name parts of it.
      const first = alike.filter(({ title }) => titleIn(title ?? '', slot.titles.slice(0, 1)) !== null)
      const whole = alike.filter(({ canonical }) => canonical)
      const same = first.length > 0 ? first : whole.length > 0 ? whole : alike
      const [only] = same
      if (only === undefined || same.length > 1 || added.some(other => other.slot === slot)) continue
      added.push({ ...only, weight: 0, anchor: null, running: false })
    }
  }
  // Two in one gap must be in the order of the form.
  return added.toSorted((a, b) => a.start - b.start).filter((heading, at, all) => (all[at - 1]?.slot.order ?? -1) < heading.slot.order)
}

/** Minimum number of numbered headings: with fewer, the report may not number its items. */
export const fewestNumbered = 6

const executiveOfficers = 'executive_officers'
const officersTitle =
  /^\W{0,4}(?:item\s4a\W{0,4})?(?:supplement(?:al|ary)\sitem\W{1,4})?(?:information\s(?:about|regarding|concerning|relating\sto|on|as\sto)\s)?(?:(?:the|our)\s)?executive\sofficers(?:\sand\s(?:significant|key|other)\s[\w\s]{1,30})?(?:\s(?:of|at)\s(?:the\s|our\s)?[\p{L}\p{N}&.,’'()\s-]{2,60})?[\s.:*]{0,4}(?:\([\w\s]{1,30}\))?[\s.:]{0,3}$/iu
/** Headings after the officers inside Item 1, where it continues. */
const goesOn =
  /\b(?:available|information|website|internet|employees|human\scapital|competition|regulat\w+|environment\w*|seasonal\w*|backlog|research|patents?|intellectual|trademarks?|access|general|where\syou|forward|segments?|customers|suppliers|products)\b/i

/** The section of the executive officers in part I, cut from its item, unless that item continues after it. */
export function withExecutiveOfficers(
  prose: Prose,
  form: string,
  items: readonly LocatedItem[],
  isContents: (block: number) => boolean,
): LocatedItem[] {
  if (!/^10-?K/i.test(form)) return [...items]
  const size = bodySize(prose)
  // A title without a number is the heading of an item like any other if the report numbers its items.
  const numbersItems = items.filter(({ flags, end, start }) => end > start && !flags.includes('title_only')).length >= fewestNumbered
  for (const [at, block] of prose.blocks.entries()) {
    if (block.end - block.start > 130 || isContents(at)) continue
    const line = textOf(prose, block)
    if (!/executive/i.test(line) || !officersTitle.test(line)) continue
    if (!isOutlier(block, line, size) && !isRuled(prose, at) && !isAlone(prose, at)) continue
    const inside = items.findIndex(
      item => item.part === 'I' && item.headingEnd <= block.start && item.end >= block.end && (numbersItems || !item.flags.includes('title_only')),
    )
    const holder = items[inside]
    if (holder === undefined || holder.item === '1A' || (holder.item === '4' && /executive/i.test(holder.title ?? ''))) continue
    const end = officersEnd(prose, at, holder)
    const own = sectionOf(prose, block, end)
    if (own.words < 12) continue
    const cut = end < holder.end ? holder : { ...holder, end: trimmed(prose.text, holder.headingEnd, block.start) }
    const rest = { ...cut, words: countWords(prose.text, cut.start, cut.end) }
    // The rest decides the status of the item: without the officers it may be a reference.
    const body = prose.text.slice(rest.headingEnd, rest.end)
    const left = cut === holder ? holder : { ...rest, ...itemVerdict(body, rest.title) }
    return [...items.slice(0, inside), left, { ...own, flags: cut === holder ? [`inside_item_${holder.item}`] : [] }, ...items.slice(inside + 1)]
  }
  return [...items]
}

/** The end of the officers: the end of the item, or a heading like theirs with which the item continues. */
function officersEnd(prose: Prose, heading: number, holder: LocatedItem): number {
  const own = lookOf(prose, heading, (prose.blocks[heading] as Block).end)
  for (let at = heading + 1; at < prose.blocks.length; at += 1) {
    const block = prose.blocks[at] as Block
    if (block.start >= holder.end) break
    const line = textOf(prose, block)
    if (partLine(line) !== null) return block.start
    if (line.length > 90 || block.table > 0 || !/^\p{Lu}/u.test(line) || /[.;,]$|\d/.test(line)) continue
    // In plain text, an unmarked heading has blank lines around it.
    const isApart = prose.html || own.capitals || isAlone(prose, at)
    if (goesOn.test(line) && isApart && isAsLarge(lookOf(prose, at, block.end), own)) return block.start
  }
  return holder.end
}

function sectionOf(prose: Prose, heading: Block, sectionEnd: number): LocatedItem {
  const end = trimmed(prose.text, heading.end, sectionEnd)
  const title = prose.text.slice(heading.start, heading.end).replace(/\s+/g, ' ').trim()
  return {
    ...{ part: 'I', item: executiveOfficers, title, ...itemVerdict(prose.text.slice(heading.end, end), title) },
    ...{ start: heading.start, headingEnd: heading.end, end, words: countWords(prose.text, heading.start, end) },
    ...{ located: 'heading', anchor: null, flags: [] },
  }
}

function trimmed(text: string, from: number, to: number): number {
  let end = to
  while (end > from && text.charCodeAt(end - 1) <= 32) end -= 1
  return end
}
