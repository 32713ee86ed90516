// Compares located sections with the pages in the contents or the index of the report: a section ends with its pages, and a section that
// contradicts them gets a flag.
import type { ContentsLine } from './contents.ts'
import type { ItemSlot } from './form-items.ts'
import type { LocatedItem } from './located.ts'
import type { Pages } from './pages.ts'

/** Contents are off by a page in some reports; the number may be at the head or the foot. */
const tolerance = 1
/** A page of a report has some 400 words; one with a table or a heading has fewer. */
const fewestPerPage = 60

/** The line of an item with its pages; of several, the first. */
export function lineOf(lines: readonly ContentsLine[], slot: Pick<ItemSlot, 'item' | 'part'>): ContentsLine | null {
  const own = lines.filter(line => line.slot?.item === slot.item && line.slot.part === slot.part)
  return own.find(line => line.pages !== null) ?? own[0] ?? null
}

/** The end of the pages that the index gives for a section; null if it gives none, or if the section is not on them. */
export function rangeEnd(line: ContentsLine | null, start: number, pages: Pages): number | null {
  if (line?.pages === null || line === null) return null
  const [first, last] = line.pages
  const page = pages.at(start)
  if (last <= first || page === null || page < first - tolerance || page > last) return null
  return pages.endOf(last)
}

/** The first page of the item after a line in its run; null if it is unknown. Lines below an item name its parts. */
function following(lines: readonly ContentsLine[], line: ContentsLine): number | null {
  const others = lines.filter(({ run, start, slot }) => run === line.run && start > line.start && slot !== line.slot)
  const next = others.find(({ slot, numbered }) => slot !== null && (numbered || !line.numbered))
  const page = next?.pages?.[0] ?? null
  return page === null || line.pages === null || page < line.pages[0] ? null : page
}

/** Findings on a section whose position or length differs from its index; none for references, and without pages. */
export function pageFlags(item: LocatedItem, lines: readonly ContentsLine[], pages: Pages): string[] {
  const line = lineOf(lines, item)
  const isContent = item.status === 'full' || item.status === 'update'
  if (line === null || line.pages === null || !isContent || item.start === line.start) return []
  const [from, to] = [pages.at(item.start), pages.at(item.end - 1)]
  if (from === null || to === null) return []
  const [first, last] = line.pages
  const next = last > first ? last : following(lines, line)
  const flags: string[] = []
  if (from < first - tolerance || from > last + tolerance) flags.push('not_on_index_page')
  else if (next !== null && to > Math.max(next, last) + tolerance) flags.push('beyond_index_pages')
  else if (next !== null && item.words < (next - first - tolerance) * fewestPerPage) flags.push('shorter_than_index_pages')
  return flags
}
