// The contents table of a report and similar tables (the index that maps the items of a form to pages): their lines, the targets of their
// links, and their pages. They are recognised by links, by page numbers at the end of lines, and by items that follow each other without
// text in between.
import { firstPlace } from '#schemas/ordered.ts'
import { type Block, blockAt, type Prose } from '#warehouse/documents/prose/prose.ts'
import { type FormItems, type ItemSlot, titleIn } from './form-items.ts'
import type { HeadingLine } from './heading-lines.ts'
import { partLine, textOf } from './heading-look.ts'
import { stubBeginning } from './heading-titles.ts'

/** A line of the contents that names an item or a section. */
export type ContentsLine = {
  readonly block: number
  readonly start: number
  /** Text without its page number. */
  readonly text: string
  /** The item, if the line names one by number or by its complete title. */
  readonly slot: ItemSlot | null
  readonly numbered: boolean
  /** The target of its link. */
  readonly target: number | null
  readonly anchor: string | null
  readonly pages: readonly [first: number, last: number] | null
  /** The run of contents lines that it belongs to. */
  readonly run: number
}
export type Contents = {
  readonly lines: readonly ContentsLine[]
  /** Blocks that belong to a contents table. */
  readonly blocks: ReadonlySet<number>
}

/** A run that names fewer items of the form is not a contents table of the report, but a list of notes, of exhibits, of tables. */
const fewestItems = 3

/**
 * The lines of the contents and the index of the report: the runs that name its items, by number or title. A list of notes to the
 * statements also links and numbers its lines, but does not show where items end.
 */
export function reportLines(contents: Contents): ContentsLine[] {
  const named = new Map<number, Set<ItemSlot>>()
  for (const { run, slot } of contents.lines) {
    if (run < 0 || slot === null) continue
    const slots = named.get(run)
    if (slots === undefined) named.set(run, new Set([slot]))
    else slots.add(slot)
  }
  const most = Math.max(0, ...[...named.values()].map(slots => slots.size))
  return contents.lines.filter(({ run }) => {
    const count = named.get(run)?.size ?? 0
    return count >= fewestItems && count * 2 >= most
  })
}

/** Leaders or a cell, then `27`, `27-36`, `4-6, 7-13`, `F-1`, `Not applicable`. */
const pageTail =
  /(?:\t|[.\u2026·_\s]{3,}|\s)(?:pages?\s)?(\d{1,3})(?:\s?[-–—]\s?(\d{1,3}))?((?:\s?(?:,|and|&)\s?\d{1,3}(?:\s?[-–—]\s?\d{1,3})?){0,12})\s{0,3}$/iu
const indexTail = /(?:\t|[.\u2026]{3,}\s?)(?:[A-Z]{1,3}-\d{1,3}|not\sapplicable|none|n\/a|\([a-z]\)|\*{1,3}|[-–—])\s{0,3}$/iu

/** A heading that links to itself is not a contents line. */
const farAway = 3
/** Links back to the contents are frequent and occur everywhere in the document. */
function backLinks(prose: Prose): ReadonlySet<number> {
  const groups = new Map<number, { first: number; last: number; count: number }>()
  for (const link of prose.links) {
    const target = prose.anchors.get(link.target)
    if (target === undefined) continue
    const group = groups.get(target)
    if (group === undefined) groups.set(target, { first: link.start, last: link.start, count: 1 })
    else {
      group.last = link.start
      group.count += 1
    }
  }
  const back = new Set<number>()
  for (const [target, { first, last, count }] of groups) {
    const spread = count >= 3 && last - first > Math.max(2000, prose.text.length / 10)
    if (spread || (target < first && namesContents(prose, target))) back.add(target)
  }
  return back
}

/** The rest of a line with only page numbers: `52`, `52-65`, `5-6, 21-42`, `68 (a)`. */
const onlyPages = /^\s?\d{1,3}[\d\s,&–—-]{0,60}(?:\s\([a-z]\))?$/u

const namesContents = (prose: Prose, target: number): boolean =>
  /^\W{0,4}(?:table\sof\s)?contents\b|^\W{0,4}index\W{0,4}$/im.test(prose.text.slice(target, target + 40))

type Linked = { readonly target: number; readonly anchor: string }

/** For each block that is mostly a link to another position of the document: the target. */
function linkedBlocks(prose: Prose): Map<number, Linked> {
  const back = backLinks(prose)
  const linked = new Map<number, Linked>()
  let at = -1
  let from = -1
  let covered = 0
  for (const link of prose.links) {
    const block = blockAt(prose, link.start)
    const target = prose.anchors.get(link.target)
    if (block < 0 || target === undefined || back.has(target)) continue
    const { start, end } = prose.blocks[block] as Block
    if (target > start - farAway && target < end + farAway) continue
    if (block !== at) [at, from, covered] = [block, link.start, 0]
    covered += link.end - link.start
    // A reference inside a paragraph links a few of its words; a contents line is a link, or its page numbers are.
    const isPages = end - start < 400 && onlyPages.test(prose.text.slice(link.start, end))
    if (covered * 2 < end - start && !isPages && !(end - start < 160 && from - start <= 24)) continue
    if (!linked.has(block)) linked.set(block, { target, anchor: link.target })
  }
  return linked
}

function pagesOf(line: string): readonly [number, number] | null {
  const match = pageTail.exec(line.slice(-90))
  if (match === null) return null
  const [, first = '', last, more = ''] = match
  const all = [first, last ?? first, ...(more.match(/\d{1,3}/g) ?? [])].map(Number)
  return [Number(first), Math.max(...all)]
}

/** True for lines that end as those of a contents table do. */
function endsInPages(prose: Prose, block: Block): boolean {
  if (block.end - block.start > 320) return false
  const tail = prose.text.slice(Math.max(block.start, block.end - 60), block.end)
  if (indexTail.test(tail)) return true
  return /\d\s{0,3}$/.test(tail) && /(?:\t|[.\u2026·_]{3,}\s{0,3}|\s[.\s]{4,})(?:pages?\s)?[\d\s,–—and&-]{1,40}$/u.test(tail)
}

const isPageNumber = (line: string): boolean => /^\W{0,4}(?:page\s)?\d{1,3}\W{0,4}$/iu.test(line) || /^\W{0,3}page\W{0,3}$/iu.test(line)

/** Finds the contents. `headings` are the lines that look like the heading of an item; this function recognises those in a contents table. */
export function findContents(prose: Prose, form: FormItems | null, headings: readonly HeadingLine[]): Contents {
  const linked = linkedBlocks(prose)
  const members = new Set<number>(linked.keys())
  for (const heading of headings) {
    if (heading.kind === 'titled') continue
    // Plain text keeps one of the blanks before the page number.
    const pageBehindTitle = heading.canonical && !heading.runIn && /[a-z)\]]\s\d{1,3}$/iu.test(heading.title ?? '')
    if (pageBehindTitle || endsInPages(prose, prose.blocks[heading.block] as Block)) members.add(heading.block)
  }
  for (const block of pagedRuns(prose)) members.add(block)
  for (const block of bareRuns(prose, headings, members)) members.add(block)
  const numbered = headings.filter(({ kind }) => kind !== 'titled')
  const runs = runsOf(prose, members).map(run => withItemAbove(prose, run, numbered))
  const lines: ContentsLine[] = []
  const blocks = new Set<number>()
  const slots = new Map(headings.map(heading => [heading.block, heading.kind === 'titled' ? null : heading.slot]))
  const add = (at: number, run: number): void => {
    blocks.add(at)
    lines.push(contentsLine(prose, form, at, linked.get(at) ?? null, run, slots.get(at) ?? null))
  }
  for (const { first, last, run } of runs) for (let at = first; at <= last; at += 1) add(at, run)
  // A single line with a page number or a link is not a heading either.
  for (const at of members) if (!blocks.has(at)) add(at, -1)
  return { lines: lines.toSorted((a, b) => a.start - b.start), blocks }
}

/** Maximum lines of a contents table; a table of figures may have thousands of lines that end with small numbers. */
const longestContents = 400

/** Five or more lines of a table with few cells that end with rising page numbers: a contents table without links. */
function pagedRuns(prose: Prose): Set<number> {
  const found = new Set<number>()
  let run: number[] = []
  let page = 0
  const close = (): void => {
    if (run.length >= 5 && run.length <= longestContents) for (const at of run) found.add(at)
    run = []
    page = 0
  }
  for (const [at, block] of prose.blocks.entries()) {
    const length = block.end - block.start
    if (length > 260 || length < 5) {
      if (length > 260) close()
      continue
    }
    const line = textOf(prose, block)
    const pages = endsInPages(prose, block) && line.split('\t').length <= 4 && /[A-Za-z]{3}/.test(line) ? pagesOf(line) : null
    if (pages === null) continue
    const last = run.at(-1)
    if ((last !== undefined && at - last > 4) || pages[0] < page) close()
    run.push(at)
    page = pages[0]
  }
  close()
  return found
}

/** Blocks of four or more items in sequence with only page numbers, parts and the rest of long titles in between. */
function bareRuns(prose: Prose, headings: readonly HeadingLine[], members: ReadonlySet<number>): Set<number> {
  const found = new Set<number>()
  const numbered = headings.filter(heading => heading.kind !== 'titled')
  const often = new Map<ItemSlot, number>()
  for (const { slot } of numbered) often.set(slot, (often.get(slot) ?? 0) + 1)
  let run: HeadingLine[] = []
  const seen = new Set<ItemSlot>()
  const close = (): void => {
    // Headings of part III are often listed above one common sentence: they are contents only if the items have other headings too.
    const elsewhere = run.filter(heading => (often.get(heading.slot) ?? 0) > 1 || members.has(heading.block)).length
    if (run.length >= 4 && elsewhere * 2 > run.length) for (const heading of run) found.add(heading.block)
    run = []
    seen.clear()
  }
  for (const heading of numbered) {
    const before = run.at(-1)
    // After the last line of the contents, the first item follows: the numbers begin again.
    const begins = heading.slot.order === 0 || seen.has(heading.slot)
    const goesOn = before !== undefined && !begins && !before.runIn && nothingBetween(prose, before, heading, members)
    if (!goesOn) close()
    run.push(heading)
    seen.add(heading.slot)
  }
  close()
  return found
}

function nothingBetween(prose: Prose, before: HeadingLine, next: HeadingLine, members: ReadonlySet<number>): boolean {
  let from = before.block + 1
  const beforeEnd = (prose.blocks[before.block] as Block).end
  if (before.end > beforeEnd) from += 1
  if (next.block - from > 12) return false
  let tails = 0
  for (let at = from; at < next.block; at += 1) {
    if (members.has(at)) continue
    const line = textOf(prose, prose.blocks[at] as Block)
    if (isPageNumber(line) || partLine(line) !== null) continue
    // The rest of a title on two lines.
    tails += 1
    if (tails > 1 || line.length > 110 || stubBeginning.test(line) || /[.!?]\s*$/.test(line)) return false
  }
  return true
}

type Run = { first: number; last: number; run: number }
/** Runs of contents lines: at most three other blocks between two of them, and four lines or more. */
function runsOf(prose: Prose, members: ReadonlySet<number>): Run[] {
  const sorted = [...members].toSorted((a, b) => a - b)
  const runs: Run[] = []
  let from = 0
  for (let at = 1; at <= sorted.length; at += 1) {
    const previous = sorted[at - 1] as number
    const next = sorted[at]
    const joined = next !== undefined && next - previous <= 4 && shortBetween(prose, previous, next)
    if (joined) continue
    if (at - from >= 4) runs.push({ first: sorted[from] as number, last: previous, run: runs.length })
    from = at
  }
  return runs
}

/** Lines below an item of the contents that name its parts. */
const mostParts = 14
/** Plain text keeps one of the blanks before the page number. */
const pageAtEnd = /\S\s(?:[A-Z]{1,2}-)?\d{1,3}\s*$/u
/**
 * A run whose first item has no page number, while its parts below have: `Item 1. Financial Statements`, `Balance Sheets 4`, `Item 2. …
 * 24`. Such an item is the one of the form before the first that the run names.
 */
function withItemAbove(prose: Prose, run: Run, numbered: readonly HeadingLine[]): Run {
  // The first heading of the run, by binary search: a document may have thousands of runs and headings.
  const low = firstPlace(numbered.length, place => (numbered[place] as HeadingLine).block < run.first)
  const [above, named] = [numbered[low - 1], numbered[low]]
  if (above === undefined || named === undefined || named.block > run.last || above.runIn) return run
  if (above.slot.order >= named.slot.order || named.slot.order - above.slot.order > 2) return run
  if (run.first - above.block > mostParts) return run
  for (let at = above.block + 1; at < run.first; at += 1) {
    const line = textOf(prose, prose.blocks[at] as Block)
    const isPaged = pageAtEnd.test(line) && line.length <= 200
    // The second line of a title contains its page.
    if (!isPaged && !isPageNumber(line) && line.length > 90) return run
  }
  const below = Array.from({ length: run.first - above.block - 1 }, (_, at) => textOf(prose, prose.blocks[above.block + 1 + at] as Block))
  const isOfParts = below.length > 0 && below.filter(line => pageAtEnd.test(line)).length * 2 >= below.length
  return isOfParts ? { ...run, first: above.block } : run
}
function shortBetween(prose: Prose, previous: number, next: number): boolean {
  for (let at = previous + 1; at < next; at += 1) {
    const block = prose.blocks[at] as Block
    if (block.end - block.start > 160) return false
  }
  return true
}

const numberCell = /^(?:part\s(?:iv|i{1,3}),?\s?)?(?:items?\s{0,2})?(\d{1,2}\.?[A-K]?)\.?$/iu

function contentsLine(prose: Prose, form: FormItems | null, at: number, link: Linked | null, run: number, known: ItemSlot | null): ContentsLine {
  const block = prose.blocks[at] as Block
  const line = prose.text.slice(block.start, Math.min(block.end, block.start + 500))
  const pages = pagesOf(line)
  const text = line.replace(/[\s.\u2026·_]{0,200}(?:pages?\s)?\d{1,3}(?:\s?[-–—,]\s?\d{1,3}){0,12}\s{0,3}$/iu, '').trim()
  let slot = known
  let numbered = known !== null
  if (form !== null && slot === null) {
    const cells = line.split('\t').map(cell => cell.trim())
    for (const cell of cells) {
      const number = numberCell.exec(cell)?.[1]?.toUpperCase().replace('.', '')
      if (number === undefined) continue
      // The cells of number and title, in either order (`Risk Factors  I  1A  12`).
      slot = form.byNumber.get(number)?.find(candidate => cells.some(other => titleIn(other, candidate.titles) !== null)) ?? null
      if (slot !== null) break
    }
    if (slot === null) {
      const head = /^\W{0,4}(?:part\s(?:iv|i{1,3})[\s,.–-]{0,4})?items?\s{0,3}(\d{1,2})\s?\.?\(?([A-K](?![A-Za-z]))?\)?[\s.:;|–—-]{0,8}/iu.exec(line)
      const rest = head === null ? '' : line.slice(head[0].length)
      const named = head === null ? undefined : form.byNumber.get(`${head[1] ?? ''}${(head[2] ?? '').toUpperCase()}`)
      slot = named?.find(candidate => titleIn(rest, candidate.titles) !== null) ?? (rest === '' ? (named?.at(-1) ?? null) : null)
    }
    numbered = slot !== null
    slot ??= form.slots.find(candidate => titleIn(text, candidate.titles)?.whole === true && titleEndsLine(text, candidate)) ?? null
  }
  return { block: at, start: block.start, text, slot, numbered, target: link?.target ?? null, anchor: link?.anchor ?? null, pages, run }
}

const titleEndsLine = (text: string, slot: ItemSlot): boolean => !/[A-Za-z]/.test(text.slice(titleIn(text, slot.titles)?.end ?? 0))
