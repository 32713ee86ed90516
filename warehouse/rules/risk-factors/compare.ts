// Compares two lists of risk factors: every factor of either filing is in exactly one change, with its class (rfdiff@1, steps 5 to 7).
import { firstPlace } from '#schemas/ordered.ts'
import type { DiffRules } from '../../rulesets/rfdiff/rules.ts'
import { type Alignment, alignFactors, type FactorSide, type FactorText, type Features, type Part } from './align.ts'
import type { Scored } from './assign.ts'
import { isNumber } from './words.ts'

const changeClasses = ['unchanged', 'modified_minor', 'modified', 'rewritten', 'new', 'removed', 'moved', 'numbers_only', 'split', 'merged'] as const
export type ChangeClass = (typeof changeClasses)[number]

export type ChangedNumber = { readonly old: string; readonly new: string }
/** `old` and `new` are positions in the two lists, counted from 0. */
export type FactorChange = {
  readonly class: ChangeClass
  readonly old: readonly number[]
  readonly new: readonly number[]
  /** The score of the pair; for pieces the least containment; null without a counterpart. */
  readonly similarity: number | null
  /** The texts are equal once dates, years and the filer's own name are masked. */
  readonly same_text: boolean
  readonly moved: boolean
  /** For texts that differ only in numbers: the numbers in order, each pair once. */
  readonly numbers: readonly ChangedNumber[]
}
export type FactorComparison = {
  readonly changes: readonly FactorChange[]
  /** Share of the paired factors that are in another order; 0 if there are no pairs. */
  readonly reading_order_change: number
}

/** Compares; `compareFactors(b, a)` is the mirror image of `compareFactors(a, b)`. */
export function compareFactors(old: FactorSide, recent: FactorSide, rules: DiffRules): FactorComparison {
  // Ties between assignments are decided by an order of the two sides that does not depend on which is the newer.
  const swapped = textOf(old) > textOf(recent)
  const found = swapped ? mirrored(compareInOrder(recent, old, rules)) : compareInOrder(old, recent, rules)
  return { ...found, changes: inReadingOrder(found.changes) }
}
const textOf = (side: FactorSide): string => side.factors.map(factor => `${factor.heading}\n${factor.body}`).join('\n')

function compareInOrder(old: FactorSide, recent: FactorSide, rules: DiffRules): FactorComparison {
  const found = alignFactors(old, recent, rules)
  const order = orderOf(found.pairs)
  const renamed = sameGroups(found.pairs, old.factors, recent.factors)
  const changes = found.pairs.map(pair => {
    const [before, after] = [old.factors[pair.old] as FactorText, recent.factors[pair.new] as FactorText]
    const otherGroup = groupKey(before) !== groupKey(after) && !renamed(before, after)
    return changeOf(pair, found, rules, otherGroup || order.isMoved(pair, rules.moved_ranks))
  })
  const pieces = [
    ...found.splits.map(({ whole, parts }) => pieceChange('split', [whole], parts)),
    ...found.merges.map(({ whole, parts }) => pieceChange('merged', [whole], parts)),
  ]
  const [olds, news] = [new Set([...changes, ...pieces].flatMap(each => each.old)), new Set([...changes, ...pieces].flatMap(each => each.new))]
  return {
    changes: [
      ...changes,
      ...pieces,
      ...old.factors.flatMap((_, at) => (olds.has(at) ? [] : [lone('removed', at)])),
      ...recent.factors.flatMap((_, at) => (news.has(at) ? [] : [lone('new', at)])),
    ],
    reading_order_change: order.change,
  }
}

const lone = (kind: 'new' | 'removed', at: number): FactorChange => ({
  class: kind,
  old: kind === 'removed' ? [at] : [],
  new: kind === 'new' ? [at] : [],
  similarity: null,
  same_text: false,
  moved: false,
  numbers: [],
})

function pieceChange(kind: 'split' | 'merged', whole: readonly number[], parts: readonly Part[]): FactorChange {
  const pieces = parts.map(part => part.of)
  return {
    class: kind,
    old: kind === 'split' ? whole : pieces,
    new: kind === 'split' ? pieces : whole,
    similarity: Math.min(...parts.map(part => part.containment)),
    same_text: false,
    moved: false,
    numbers: [],
  }
}

function changeOf(pair: Scored, found: Alignment, rules: DiffRules, moved: boolean): FactorChange {
  const [before, after] = [found.old[pair.old] as Features, found.new[pair.new] as Features]
  const same_text = isSame(before.words.dated, after.words.dated)
  const numbers = !same_text && isSame(before.words.masked, after.words.masked) ? changedNumbers(before.words.dated, after.words.dated) : []
  const kind = classOf(pair.score, same_text, numbers.length > 0, rules)
  return {
    class: moved && (kind === 'unchanged' || kind === 'modified_minor') ? 'moved' : kind,
    old: [pair.old],
    new: [pair.new],
    similarity: same_text ? 1 : pair.score,
    same_text,
    moved,
    numbers,
  }
}

/** Texts that are equal except for their numbers are reported as such, however similar they are: a figure may be the whole news. */
function classOf(score: number, sameText: boolean, numbersOnly: boolean, rules: DiffRules): ChangeClass {
  if (sameText) return 'unchanged'
  if (numbersOnly) return 'numbers_only'
  if (score >= rules.unchanged_from) return 'unchanged'
  if (score >= rules.modified_minor_from) return 'modified_minor'
  return score >= rules.modified_from ? 'modified' : 'rewritten'
}

const isSame = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((word, at) => word === b[at])

function changedNumbers(old: readonly string[], recent: readonly string[]): ChangedNumber[] {
  const once = new Map<string, ChangedNumber>()
  for (const [at, word] of old.entries()) {
    const other = recent[at] as string
    if (word !== other && isNumber(word)) once.set(`${word} ${other}`, { old: word.replace(/,$/, ''), new: other.replace(/,$/, '') })
  }
  return [...once.values()]
}

const groupKey = (factor: FactorText): string =>
  (factor.group ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()

/**
 * One group under two names: each holds most of the other's factors. A renamed group moves nothing.
 */
function sameGroups(
  pairs: readonly Scored[],
  old: readonly FactorText[],
  recent: readonly FactorText[],
): (before: FactorText, after: FactorText) => boolean {
  const counts = new Map<string, Map<string, number>>()
  const count = (from: string, to: string): void => {
    const row = counts.get(from) ?? new Map<string, number>()
    counts.set(from, row.set(to, (row.get(to) ?? 0) + 1))
  }
  for (const pair of pairs) {
    const [before, after] = [`old ${groupKey(old[pair.old] as FactorText)}`, `new ${groupKey(recent[pair.new] as FactorText)}`]
    count(before, after)
    count(after, before)
  }
  const mostOf = (from: string): string | undefined => [...(counts.get(from) ?? [])].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]?.[0]
  return (before, after) => {
    const [a, b] = [`old ${groupKey(before)}`, `new ${groupKey(after)}`]
    return mostOf(a) === b && mostOf(b) === a
  }
}

/**
 * Which pairs moved: those outside the longest run that keeps its order, and whose position among the paired factors changed by more
 * than this many. Additions and removals in between move nothing.
 */
function orderOf(pairs: readonly Scored[]): { readonly change: number; readonly isMoved: (pair: Scored, ranks: number) => boolean } {
  const byNew = [...pairs].sort((a, b) => a.new - b.new)
  const oldPlace = new Map([...pairs].sort((a, b) => a.old - b.old).map((pair, at) => [pair.old, at]))
  const newPlace = new Map(byNew.map((pair, at) => [pair.new, at]))
  const kept = longestRun(byNew.map(pair => oldPlace.get(pair.old) as number))
  return {
    change: pairs.length === 0 ? 0 : 1 - kept.size / pairs.length,
    isMoved: (pair, ranks) => {
      const [from, to] = [oldPlace.get(pair.old) as number, newPlace.get(pair.new) as number]
      return !kept.has(from) && Math.abs(from - to) > ranks
    },
  }
}

/** The members of a longest ascending subsequence of distinct numbers. */
function longestRun(values: readonly number[]): ReadonlySet<number> {
  const tails: number[] = []
  const before = new Map<number, number | undefined>()
  for (const value of values) {
    const low = firstPlace(tails.length, place => (tails[place] as number) < value)
    before.set(value, tails[low - 1])
    tails[low] = value
  }
  const run = new Set<number>()
  for (let at = tails.at(-1); at !== undefined; at = before.get(at)) run.add(at)
  return run
}

const opposite: Partial<Record<ChangeClass, ChangeClass>> = { new: 'removed', removed: 'new', split: 'merged', merged: 'split' }
function mirrored({ changes, reading_order_change }: FactorComparison): FactorComparison {
  return {
    changes: changes.map(change => ({
      ...change,
      class: opposite[change.class] ?? change.class,
      old: change.new,
      new: change.old,
      numbers: change.numbers.map(number => ({ old: number.new, new: number.old })),
    })),
    reading_order_change,
  }
}

/** In the order of the newer filing; a removed factor comes after the factor that it followed. */
function inReadingOrder(changes: readonly FactorChange[]): FactorChange[] {
  const newOf = new Map(changes.flatMap(change => (change.new.length > 0 ? change.old.map(old => [old, change.new[0] as number] as const) : [])))
  const place = (change: FactorChange): number => {
    if (change.new.length > 0) return change.new[0] as number
    for (let old = (change.old[0] as number) - 1; old >= 0; old -= 1) {
      const above = newOf.get(old)
      if (above !== undefined) return above + 0.5
    }
    return -1
  }
  const placed = changes.map(change => ({ change, at: place(change) }))
  return placed.sort((a, b) => a.at - b.at || (a.change.old[0] ?? -1) - (b.change.old[0] ?? -1)).map(each => each.change)
}
