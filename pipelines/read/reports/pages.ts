// The beginning and end of the printed pages of a report, by the numbers at their feet or heads. An index states the pages of an item,
// which can be compared with the located section.
import { firstPlace } from '#schemas/ordered.ts'
import { type Block, blockAt, type Prose } from '#warehouse/documents/prose/prose.ts'
import { textOf } from './heading-look.ts'

export type Pages = {
  /** The page of an offset; null if no number shows it. */
  at(offset: number): number | null
  /** The end of a page; null if the document does not mark it. */
  endOf(page: number): number | null
}

/** The number of a page on a line, or with the name of the report on one side: `12`, `- 12 -`, `Page 12`, `Kiln Works | 2024 Form 10-K | 12`. */
const alone = /^[^\p{L}\p{N}]{0,4}(?:page\s)?(\d{1,3})[^\p{L}\p{N}]{0,4}$/iu
const behindName = /^.{2,90}?(?:\s|\||\t)(\d{1,3})[^\p{L}\p{N}]{0,3}$/u
const beforeName = /^[^\p{L}\p{N}]{0,3}(\d{1,3})(?:\s|\||\t).{3,90}$/u
const longestName = 110

function numbersIn(line: string): number[] {
  const only = alone.exec(line)
  if (only !== null) return [Number(only[1])]
  if (line.length > longestName || /[.;:]$/.test(line)) return []
  return [behindName.exec(line)?.[1], beforeName.exec(line)?.[1]].flatMap(found => (found === undefined ? [] : [Number(found)]))
}

/** A break between two pages, with the numbers directly before or after it. */
type Break = { readonly offset: number; readonly numbers: ReadonlySet<number> }

/** Numbers count only if the pages around have the next lower or the next higher one. */
function inSequence(breaks: readonly Break[]): Map<number, number> {
  const ends = new Map<number, number>()
  for (const [at, { offset, numbers }] of breaks.entries()) {
    for (const page of numbers) {
      const follows = breaks[at - 1]?.numbers.has(page - 1) === true || breaks[at + 1]?.numbers.has(page + 1) === true
      if (follows && !ends.has(page)) ends.set(page, offset)
    }
  }
  return ends
}

/** Fewer pages in sequence may be figures of a table. */
const fewestPages = 5

/** The pages of a document that marks their ends; an empty map (`at` and `endOf` are null) otherwise. Linear. */
export function pagesOf(prose: Prose): Pages {
  const numbersFrom = (from: number, to: number): Set<number> => {
    const found = new Set<number>()
    for (let at = Math.max(0, from); at <= Math.min(prose.blocks.length - 1, to); at += 1)
      for (const page of numbersIn(textOf(prose, prose.blocks[at] as Block).slice(0, longestName + 1))) found.add(page)
    return found
  }
  const offsets = [...new Set(prose.pageBreaks)].toSorted((a, b) => a - b)
  const before = (offset: number): number => blockAt(prose, offset - 1)
  const feet = inSequence(offsets.map(offset => ({ offset, numbers: numbersFrom(before(offset) - 1, before(offset)) })))
  const heads = inSequence(offsets.map(offset => ({ offset, numbers: numbersFrom(before(offset) + 1, before(offset) + 2) })))
  // A number at the head of a page belongs to the page that begins.
  const ends = feet.size >= heads.size ? feet : new Map([...heads].map(([page, offset]) => [page - 1, offset]))
  const sorted = [...ends].toSorted((a, b) => a[1] - b[1])
  const isEmpty = ends.size < fewestPages
  return {
    endOf: page => (isEmpty ? null : (ends.get(page) ?? null)),
    at(offset) {
      if (isEmpty) return null
      const low = firstPlace(sorted.length, place => (sorted[place] as readonly [number, number])[1] <= offset)
      return sorted[low]?.[0] ?? null
    },
  }
}
