// An index of values by number, date, identifier and text, so that a figure of a text is compared only with similar ones.
import { decimalsOf, shiftDecimal } from '#schemas/decimals.ts'
import { BadRequest } from '#schemas/errors.ts'
import { firstPlace } from '#schemas/ordered.ts'
import { type FigureToken, figuresOfProse } from './figures.ts'

/** Comparisons of one check, about a second of work. */
const mostComparisons = 1_000_000
/** Numbers that are searched for an explanation. */
const mostAround = 200

type Indexed = {
  readonly value: string
  /** The value in units, if the answer states that it is in thousands or millions of them. */
  readonly scaled?: string | null
  readonly kind: 'number' | 'count' | 'date' | 'identifier' | 'prose'
  readonly words: ReadonlySet<string>
}
/** A figure inside a text of an answer, with the words around it. */
export type Quoted<V> = { readonly value: V; readonly words: ReadonlySet<string> }
export type ValueIndex<V> = {
  /** Numbers and counts that a figure may print: equal to it within half a unit of its last place, as they are, as hundredths, or percentages as basis points. */
  readonly near: (figure: FigureToken) => V[]
  /** At most `mostAround` numbers within ten percent of a figure, the nearest first, to explain why it is not supported. */
  readonly around: (figure: FigureToken) => readonly V[]
  /** Counts that a word may name. */
  readonly counts: (word: string) => readonly V[]
  /** Dates that match a figure, by `fits`. */
  readonly dates: (wanted: string, fits: (date: string) => boolean) => readonly V[]
  readonly identifiers: (text: string) => readonly V[]
  /** Figures of the same kind, value and unit inside texts of the answers. */
  readonly quoted: (figure: FigureToken) => readonly Quoted<V>[]
}

/** Indexes values. Its functions throw 422 when their results exceed `mostComparisons` in total. */
export function indexOf<V extends Indexed>(
  values: readonly V[],
  wordsAround: (text: string, token: FigureToken) => ReadonlySet<string>,
): ValueIndex<V> {
  let compared = 0
  const counted = <T extends { readonly length: number }>(found: T): T => {
    compared += found.length + 1
    if (compared > mostComparisons)
      throw new BadRequest('the check of this text needs too many comparisons', {
        status: 422,
        code: 'validation_error',
        items: [{ loc: ['body', 'text'], msg: 'its figures can mean too many values of these answers', type: 'custom' }],
        hint: 'send a shorter text, or fewer receipts',
      })
    return found
  }
  const place = new Map(values.map((value, at) => [value, at]))
  const ordered = (found: Iterable<V>): V[] => [...found].sort((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0))

  const numbers = values
    .filter(each => each.kind === 'number' || each.kind === 'count')
    .flatMap(value => [value.value, ...(value.scaled ? [value.scaled] : [])].map(each => ({ value, size: Math.abs(Number(each)) })))
    .sort((a, b) => a.size - b.size)
  const byWord = new Map<string, V[]>()
  for (const value of values) if (value.kind === 'count') for (const word of value.words) add(byWord, word, value)
  const byDate = grouped(values, 'date')
  const fitting = new Map<string, readonly V[]>()
  const byIdentifier = grouped(values, 'identifier')
  let prose: Map<string, Quoted<V>[]> | null = null

  function readProse(): Map<string, Quoted<V>[]> {
    const found = new Map<string, Quoted<V>[]>()
    for (const value of values) {
      if (value.kind !== 'prose') continue
      for (const token of figuresOfProse(value.value))
        if (token.value !== null) add(found, keyOf(token), { value, words: wordsAround(value.value, token) })
    }
    return found
  }

  return {
    near({ value, magnitude, unit: printedUnit }) {
      const text = value ?? ''
      const wanted = Math.abs(Number(text))
      if (!Number.isFinite(wanted)) return []
      const places = magnitude > 0 ? decimalsOf(shiftDecimal(text, -magnitude)) - magnitude : decimalsOf(text)
      const unit = 10 ** -places
      const found = new Set<V>()
      for (const scale of printedUnit === '%' ? [1, 0.01, 100] : [1, 0.01]) {
        // A little more than half a unit, because these are binary fractions; the results are compared exactly.
        const [low, high] = [(wanted - unit * 0.51) * scale, (wanted + unit * 0.51) * scale]
        for (const each of sizesBetween(numbers, low, high)) found.add(each.value)
      }
      counted([...found])
      return ordered(found)
    },
    around({ value }) {
      const wanted = Math.abs(Number(value ?? ''))
      if (!Number.isFinite(wanted)) return []
      return sizesBetween(numbers, wanted * 0.9, wanted * 1.1)
        .slice(0, mostAround)
        .toSorted((a, b) => Math.abs(a.size - wanted) - Math.abs(b.size - wanted))
        .map(each => each.value)
    },
    counts: word => counted(byWord.get(word) ?? []),
    dates(wanted, fits) {
      const known = fitting.get(wanted)
      if (known) return counted(known)
      counted({ length: byDate.size })
      const found = ordered(counted([...byDate].flatMap(([date, held]) => (fits(date) ? held : []))))
      fitting.set(wanted, found)
      return found
    },
    identifiers: text => counted(byIdentifier.get(text) ?? []),
    quoted(figure) {
      prose ??= readProse()
      return counted(prose.get(keyOf(figure)) ?? [])
    },
  }
}

/** The values of a list ordered by size whose size is from `low` to `high`. */
function sizesBetween<T extends { readonly size: number }>(ordered: readonly T[], low: number, high: number): readonly T[] {
  const from = firstPlace(ordered.length, place => (ordered[place]?.size ?? 0) < low)
  let end = from
  while (end < ordered.length && (ordered[end]?.size ?? 0) <= high) end += 1
  return ordered.slice(from, end)
}

const keyOf = ({ kind, value, unit }: FigureToken): string => `${kind} ${unit} ${plain(value ?? '')}`
/** A decimal without zeros at its end: 1.50 and 1.5 are one number. */
const plain = (value: string): string => (/^-?\d+\.\d+$/.test(value) ? value.replace(/\.?0+$/, '') : value)

function grouped<V extends Indexed>(values: readonly V[], kind: Indexed['kind']): Map<string, V[]> {
  const groups = new Map<string, V[]>()
  for (const value of values) if (value.kind === kind) add(groups, value.value, value)
  return groups
}
function add<T>(groups: Map<string, T[]>, name: string, value: T): void {
  const group = groups.get(name)
  if (group) group.push(value)
  else groups.set(name, [value])
}
