// Selects the headings of items among the lines that look like headings: the chain in the order of the form with the highest score. A
// reference in a sentence, a running head or a list of items has a low score and breaks the order; a link of the contents table to a
// heading has the highest.
import { firstPlace } from '#schemas/ordered.ts'
import type { Block, Prose } from '#warehouse/documents/prose/prose.ts'
import { countWords } from '#warehouse/documents/prose/prose.ts'
import type { Contents } from './contents.ts'
import { titleIn } from './form-items.ts'
import type { HeadingLine } from './heading-lines.ts'

export type ScoredHeading = HeadingLine & { readonly weight: number; readonly anchor: string | null; readonly running: boolean }

/** A document can have a quarter of a million such lines; no report has more than a few dozen of one item. */
const mostPerItem = 40
/** Maximum characters of page numbers and running heads between the target of a link and the heading. */
const furniture = 600
const anchored = 20

/** The headings outside of the contents, with scores; those without a score are left out. */
export function scoreHeadings(prose: Prose, headings: readonly HeadingLine[], contents: Contents): ScoredHeading[] {
  const body = headings.filter(heading => !contents.blocks.has(heading.block))
  const anchors = anchorsOf(body, contents)
  const running = runningHeads(prose, body)
  const words = wordsBehind(prose, body)
  const weighed: ScoredHeading[] = []
  for (const [at, heading] of body.entries()) {
    const anchor = anchors.get(heading) ?? null
    const isRunning = running.has(heading.block)
    const weight = ownWeight(heading) + (anchor === null ? 0 : anchored) - (isRunning ? 8 : 0)
    if (weight <= 0 || heading.continued) continue
    weighed.push({ ...heading, weight: weight + Math.min(6, Math.log2(1 + (words[at] ?? 0)) / 2), anchor, running: isRunning })
  }
  return mostOfEach(weighed)
}

function ownWeight({ kind, also, canonical, styled, title, runIn, numberDiffers }: HeadingLine): number {
  if (kind === 'titled') return styled ? 3 : 0
  if (kind === 'bare') return styled ? 8 : 3
  // Several numbers on a separate line are not a reference.
  if (title === null) return also.length > 1 ? 6 : styled ? 1 : 0
  return (canonical ? 10 : 4) + (styled ? 4 : canonical ? 0 : -4) - (runIn && !styled ? 4 : 0) - (numberDiffers ? 2 : 0)
}

/** The headings that a link of the contents leads to: the nearest of the same item at the target, or directly after it. */
function anchorsOf(headings: readonly HeadingLine[], contents: Contents): Map<HeadingLine, string> {
  const bySlot = Map.groupBy(headings, heading => heading.slot)
  const found = new Map<HeadingLine, string>()
  const done = new Set<string>()
  for (const { slot, target, anchor } of contents.lines) {
    if (slot === null || target === null || anchor === null || done.has(`${slot.order} ${target}`)) continue
    done.add(`${slot.order} ${target}`)
    const near = headingAt(bySlot.get(slot), target)
    if (near !== undefined && !found.has(near)) found.set(near, anchor)
  }
  return found
}

/** The heading at an offset: the first that does not end before it, within the allowed distance. Binary search. */
function headingAt<H extends HeadingLine>(headings: readonly H[] | undefined, target: number): H | undefined {
  if (headings === undefined) return undefined
  const low = firstPlace(headings.length, place => (headings[place] as H).end + 2 < target)
  const found = headings[low]
  return found !== undefined && found.start - target <= furniture ? found : undefined
}

/** Blocks at the top or bottom of pages whose text occurs there three times or more. */
function runningHeads(prose: Prose, headings: readonly HeadingLine[]): Set<number> {
  const found = new Set<number>()
  if (prose.pageBreaks.length < 3) return found
  const groups = new Map<string, number[]>()
  for (const heading of headings) {
    if (heading.runIn || !atPageEdge(prose, heading.block)) continue
    const { start, end } = prose.blocks[heading.block] as Block
    const key = prose.text.slice(start, Math.min(end, start + 120)).toLowerCase()
    const known = groups.get(key)
    if (known === undefined) groups.set(key, [heading.block])
    else known.push(heading.block)
  }
  for (const blocks of groups.values()) if (blocks.length >= 3) for (const block of blocks) found.add(block)
  return found
}
function atPageEdge(prose: Prose, block: number): boolean {
  const from = prose.blocks[Math.max(0, block - 2)] as Block
  const to = prose.blocks[Math.min(prose.blocks.length - 1, block + 3)] as Block
  const { pageBreaks } = prose
  const low = firstPlace(pageBreaks.length, place => (pageBreaks[place] as number) < from.start)
  return low < pageBreaks.length && (pageBreaks[low] as number) <= to.end
}

/** Words from each heading to the next one of another item. */
function wordsBehind(prose: Prose, headings: readonly HeadingLine[]): number[] {
  const words: number[] = new Array(headings.length).fill(0)
  let following = 0
  for (let at = headings.length - 1; at >= 0; at -= 1) {
    const heading = headings[at] as HeadingLine
    const next = headings[at + 1]
    const own = countWords(prose.text, heading.end, next?.start ?? prose.text.length)
    following = next !== undefined && next.slot === heading.slot ? following + own : own
    words[at] = following
  }
  return words
}

function mostOfEach(weighed: readonly ScoredHeading[]): ScoredHeading[] {
  const kept = [...Map.groupBy(weighed, heading => heading.slot).values()].flatMap(group =>
    group.toSorted((a, b) => b.weight - a.weight || a.start - b.start).slice(0, mostPerItem),
  )
  return kept.toSorted((a, b) => a.start - b.start)
}

/** The chain with the highest score whose items are in the order of the document. */
function heaviestChain(headings: readonly ScoredHeading[]): ScoredHeading[] {
  const total: number[] = []
  const before: number[] = []
  let best = -1
  for (const [at, heading] of headings.entries()) {
    let from = -1
    for (let earlier = 0; earlier < at; earlier += 1) {
      const other = headings[earlier] as ScoredHeading
      const rises = other.slot.order < heading.slot.order && other.end <= heading.start
      if (rises && (from < 0 || (total[earlier] as number) > (total[from] as number))) from = earlier
    }
    before.push(from)
    total.push(heading.weight + (from < 0 ? 0 : (total[from] as number)))
    if (best < 0 || (total[at] as number) > (total[best] as number)) best = at
  }
  const chain: ScoredHeading[] = []
  for (let at = best; at >= 0; at = before[at] as number) chain.push(headings[at] as ScoredHeading)
  return chain.reverse()
}

/** A heading that the chain omits because it is out of order, and that cannot be anything else. */
const strong = 14

/**
 * The headings of the items, in the order of the document: the chain, and headings of items that it does not have (filers that print the
 * items in another order).
 */
export function chooseHeadings(headings: readonly ScoredHeading[]): ScoredHeading[] {
  const numbered = headings.filter(heading => heading.kind !== 'titled' || heading.anchor !== null)
  let chain = heaviestChain(numbered)
  if (chain.length < 3 && !headings.some(heading => heading.anchor !== null)) {
    // A document without numbers and without links: titles only.
    const titles = heaviestChain(headings)
    if (titles.length >= 3 && titles.length > chain.length) chain = titles
  }
  const has = new Set(chain.flatMap(heading => [heading.slot, ...heading.also]))
  const additional: ScoredHeading[] = []
  const often = Map.groupBy(headings, heading => heading.slot)
  for (const heading of numbered.toSorted((a, b) => b.weight - a.weight || a.start - b.start)) {
    // A plain heading is sufficient if it is the only one of its item.
    const isOnly = heading.canonical && heading.kind === 'numbered' && heading.title !== null && often.get(heading.slot)?.length === 1
    if (has.has(heading.slot) || (heading.weight < strong && !isOnly) || heading.running) continue
    if (heading.runIn && heading.anchor === null && !(isOnly && heading.styled)) continue
    // `1. Business` after the items of a report that writes `Item` is a note to the statements.
    if (heading.kind === 'bare' && heading.anchor === null && !chain.some(({ kind }) => kind === 'bare')) continue
    has.add(heading.slot)
    additional.push(heading)
  }
  return [...chain, ...additional].toSorted((a, b) => a.start - b.start)
}

/** Headings that only links of the contents show: the target has the title, without number or style. */
export function anchoredTitles(
  prose: Prose,
  headings: readonly HeadingLine[],
  contents: Contents,
  blockAt: (offset: number) => number,
): HeadingLine[] {
  const found: HeadingLine[] = []
  const taken = new Set(headings.map(heading => heading.block))
  const bySlot = Map.groupBy(headings, heading => heading.slot)
  for (const { slot, target, text } of contents.lines) {
    if (slot === null || target === null) continue
    if (headingAt(bySlot.get(slot), target) !== undefined) continue
    const first = Math.max(0, blockAt(target))
    for (let at = first; at < Math.min(first + 6, prose.blocks.length); at += 1) {
      const block = prose.blocks[at] as Block
      const line = prose.text.slice(block.start, Math.min(block.end, block.start + 300))
      const known = titleIn(line, slot.titles) ?? titleIn(line, [lettersOf(text)])
      if (known === null || contents.blocks.has(at) || taken.has(at)) continue
      if (block.end - block.start > 200 && !(block.bold > known.end * 0.5)) continue
      taken.add(at)
      const runIn = block.end - block.start > 200
      found.push({
        ...{ slot, also: [], block: at, start: block.start, end: runIn ? block.start + known.end : block.end, kind: 'titled', canonical: true },
        ...{ title: line.slice(0, runIn ? known.end : 200), runIn, styled: true, continued: false, numberDiffers: false },
      })
      break
    }
  }
  return found
}
const lettersOf = (text: string): string =>
  text
    .slice(0, 200)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '') || '-'
