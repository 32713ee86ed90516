// Compares the explored minerals, in words or symbols, with the list of critical minerals.
import type { FlowThroughRules, Mineral } from '../../rulesets/flow-through/rules.ts'

/** A mineral of the ruleset, or words that match none. */
type Named = { readonly text: string; readonly mineral: Mineral | null }
/** For all minerals of a text together: every one is on the list, none is, some are, or not all of them are known. */
type Listing = 'listed' | 'not_listed' | 'mixed' | 'unknown'
export type Commodity = { readonly named: readonly Named[]; readonly listing: Listing }

const longestName = 4

type Book = { readonly names: ReadonlyMap<string, Mineral>; readonly symbols: ReadonlyMap<string, Mineral>; readonly fillers: ReadonlySet<string> }
const books = new WeakMap<FlowThroughRules, Book>()
function bookOf(rules: FlowThroughRules): Book {
  const held = books.get(rules)
  if (held) return held
  const names = new Map(rules.minerals.flatMap(each => [each.mineral, ...each.names].map(name => [name, each] as const)))
  // As written first, so that Co is cobalt; then in lower case for requests that are written so.
  const symbols = new Map(
    rules.minerals.flatMap(each => each.symbols.flatMap(symbol => [[symbol.toLowerCase(), each] as const, [symbol, each] as const])),
  )
  const book = { names, symbols, fillers: new Set(rules.filler_words) }
  books.set(rules, book)
  return book
}

/** True if the mineral is on the list for agreements of a day. */
export const isCritical = (mineral: Mineral, day: string): boolean =>
  mineral.critical && mineral.valid_from <= day && (mineral.valid_to === null || mineral.valid_to >= day)

/** Reads names and symbols (`Cu-Au`, `rare earths`, `nickel and cobalt`); work is linear in the text. */
export function readCommodity(rules: FlowThroughRules, text: string, day: string): Commodity {
  const named = distinct(
    namesIn(
      bookOf(rules),
      text
        .normalize('NFKD')
        .replace(/\p{M}/gu, '')
        .match(/[A-Za-z0-9]+/g) ?? [],
    ),
  )
  const critical = named.map(({ mineral }) => (mineral === null ? null : isCritical(mineral, day)))
  if (named.length === 0 || critical.includes(null)) return { named, listing: 'unknown' }
  if (critical.every(each => each)) return { named, listing: 'listed' }
  return { named, listing: critical.some(each => each) ? 'mixed' : 'not_listed' }
}

function namesIn(book: Book, words: readonly string[]): Named[] {
  const found: Named[] = []
  let strange: string[] = []
  const close = (): void => {
    if (strange.length > 0) found.push({ text: strange.join(' '), mineral: null })
    strange = []
  }
  for (let at = 0; at < words.length; ) {
    const match = matchAt(book, words, at)
    if (match) {
      close()
      found.push(match.named)
    } else if (!book.fillers.has((words[at] ?? '').toLowerCase())) strange.push(words[at] ?? '')
    at += match?.words ?? 1
  }
  close()
  return found
}

function matchAt(book: Book, words: readonly string[], at: number): { readonly named: Named; readonly words: number } | null {
  for (let count = longestName; count > 0; count -= 1) {
    const text = words.slice(at, at + count).join(' ')
    const mineral = book.names.get(text.toLowerCase())
    if (mineral && at + count <= words.length) return { named: { text, mineral }, words: count }
  }
  const word = words[at] ?? ''
  // A filler in lower case is a word (`gold in quartz`), unless it is the whole text.
  const mineral = book.symbols.get(word) ?? book.symbols.get(word.toLowerCase())
  if (!mineral || (words.length > 1 && book.fillers.has(word))) return null
  return { named: { text: word, mineral }, words: 1 }
}

const distinct = (named: readonly Named[]): Named[] =>
  named.filter((each, at) => each.mineral === null || named.findIndex(other => other.mineral === each.mineral) === at)
