// Matches factors of the newer filing with those of the older one: candidates, scores, one-to-one assignment, then splits and merges.
import type { DiffRules } from '../../rulesets/rfdiff/rules.ts'
import { assign, type Scored } from './assign.ts'
import { candidatePairs, hashText, jaccard, type Pair, sharedCount, shinglesOf, signatureOf } from './shingles.ts'
import { ownNames, type Words, wordsOfFactor } from './words.ts'

export type FactorText = { readonly group: string | null; readonly heading: string; readonly body: string }
export type FactorSide = { readonly company: string | null; readonly factors: readonly FactorText[] }

/** A factor prepared for comparison. */
type Read = {
  readonly words: Words
  readonly headingWords: ReadonlySet<string>
  readonly shingles: Uint32Array
  /** Computed on first use: unchanged factors need none. */
  readonly signature: () => Int32Array
  /** Words of the body by their hash, ascending, and the count of each. */
  readonly terms: Uint32Array
  readonly counts: Float64Array
}
/** With the weight of each word among the factors of both filings; the vector has length 1. */
export type Features = Read & { readonly weights: Float64Array }
export type Part = { readonly of: number; readonly containment: number }
export type Alignment = {
  readonly pairs: readonly Scored[]
  /** One old factor (`whole`) that became several new ones. */
  readonly splits: readonly { readonly whole: number; readonly parts: readonly Part[] }[]
  /** Several old factors that became one new one (`whole`). */
  readonly merges: readonly { readonly whole: number; readonly parts: readonly Part[] }[]
  readonly old: readonly Features[]
  readonly new: readonly Features[]
}

export function alignFactors(old: FactorSide, recent: FactorSide, rules: DiffRules): Alignment {
  const [before, after] = [readSide(old, rules), readSide(recent, rules)]
  const inverse = inverseFrequencies([...before, ...after])
  const [olds, news] = [before.map(each => weighted(each, inverse)), after.map(each => weighted(each, inverse))]
  const same = samePairs(olds, news)
  const scored = [...same, ...candidates(olds, news, same, rules)]
    .map(pair => ({ ...pair, score: scoreOf(olds[pair.old] as Features, news[pair.new] as Features, rules) }))
    .filter(pair => pair.score >= rules.rewritten_from)
  // Among equally good ones, prefer those that keep the reading order: the bonus is less than any threshold's last digit.
  const inOrder = (pair: Pair): number => 1e-6 * (1 - Math.abs((pair.old + 0.5) / olds.length - (pair.new + 0.5) / news.length))
  const chosen = assign(
    scored.map(pair => ({ ...pair, score: pair.score + inOrder(pair) })),
    rules,
  )
  const scores = new Map(scored.map(pair => [pair.old * news.length + pair.new, pair.score]))
  const pairs = chosen.map(pair => ({ ...pair, score: scores.get(pair.old * news.length + pair.new) as number }))
  return { ...regroup(pairs, olds, news, rules), old: olds, new: news }
}

/** What does not depend on the other side is computed once: in a chain of filings each is compared with the previous and the next. */
const sidesRead = new WeakMap<FactorSide, readonly Read[]>()
function readSide(side: FactorSide, rules: DiffRules): readonly Read[] {
  const known = sidesRead.get(side)
  if (known) return known
  const names = ownNames(side.company)
  const read = side.factors.map(factor => readFactor(factor, names, rules))
  sidesRead.set(side, read)
  return read
}

function onceOf<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

function readFactor(factor: FactorText, names: readonly string[], rules: DiffRules): Read {
  const heading = wordsOfFactor(factor.heading, names)
  const body = factor.body === '' ? heading : wordsOfFactor(factor.body, names)
  const hashes = body.masked.map(hashText)
  const counts = new Map<number, number>()
  for (const hash of hashes) counts.set(hash, (counts.get(hash) ?? 0) + 1)
  const terms = Uint32Array.from(counts.keys()).sort()
  const shingles = shinglesOf(hashes, rules.shingle_words)
  return {
    words: factor.body === '' ? heading : { dated: [...heading.dated, ...body.dated], masked: [...heading.masked, ...body.masked] },
    headingWords: new Set(heading.masked),
    shingles,
    signature: onceOf(() => signatureOf(shingles, rules.permutations, rules.seed)),
    terms,
    counts: Float64Array.from(terms, term => counts.get(term) as number),
  }
}

/** The rarer a word among the factors of both filings, the greater its weight. */
function inverseFrequencies(factors: readonly Read[]): (word: number) => number {
  const holding = new Map<number, number>()
  for (const { terms } of factors) for (const term of terms) holding.set(term, (holding.get(term) ?? 0) + 1)
  return term => Math.log((1 + factors.length) / (1 + (holding.get(term) ?? 0))) + 1
}

function weighted(read: Read, inverse: (word: number) => number): Features {
  const weights = read.counts.map((count, at) => count * inverse(read.terms[at] as number))
  const length = Math.sqrt(weights.reduce((sum, weight) => sum + weight * weight, 0))
  return { ...read, weights: length === 0 ? weights : weights.map(weight => weight / length) }
}

/** Factors whose texts are equal, numbers apart, and that occur once on either side: they match without a search. */
function samePairs(olds: readonly Features[], news: readonly Features[]): Pair[] {
  const places = (side: readonly Features[]): Map<string, number | null> => {
    const found = new Map<string, number | null>()
    for (const [at, { words }] of side.entries()) {
      const text = words.masked.join(' ')
      found.set(text, found.has(text) ? null : at)
    }
    return found
  }
  const recent = places(news)
  return [...places(olds)].flatMap(([text, old]) => {
    const at = recent.get(text) ?? null
    return old === null || at === null ? [] : { old, new: at }
  })
}

function candidates(olds: readonly Features[], news: readonly Features[], same: readonly Pair[], rules: DiffRules): Pair[] {
  const [settledOld, settledNew] = [new Set(same.map(pair => pair.old)), new Set(same.map(pair => pair.new))]
  const [leftOld, leftNew] = [
    olds
      .keys()
      .filter(at => !settledOld.has(at))
      .toArray(),
    news
      .keys()
      .filter(at => !settledNew.has(at))
      .toArray(),
  ]
  const pairs = candidatePairs(
    leftOld.map(at => (olds[at] as Features).signature()),
    leftNew.map(at => (news[at] as Features).signature()),
    rules,
  ).map(pair => ({ old: leftOld[pair.old] as number, new: leftNew[pair.new] as number }))
  const known = new Set(pairs.map(pair => pair.old * news.length + pair.new))
  // A factor rewritten under its old heading shares too few runs of words to be found by them.
  const byWord = new Map<string, number[]>()
  for (const at of leftNew) {
    for (const word of (news[at] as Features).headingWords) {
      const places = byWord.get(word)
      if (places) places.push(at)
      else byWord.set(word, [at])
    }
  }
  const extra = leftOld.flatMap(at => alikeHeadings(at, olds, news, byWord, rules).filter(pair => !known.has(pair.old * news.length + pair.new)))
  return [...pairs, ...extra].sort((a, b) => a.old - b.old || a.new - b.new)
}

/** The factors with the most similar headings, as many as there may be candidates; of equally good ones the nearest. */
function alikeHeadings(
  at: number,
  olds: readonly Features[],
  news: readonly Features[],
  byWord: ReadonlyMap<string, readonly number[]>,
  rules: DiffRules,
): Pair[] {
  const { headingWords } = olds[at] as Features
  const shared = new Map<number, number>()
  for (const word of headingWords) for (const other of byWord.get(word) ?? []) shared.set(other, (shared.get(other) ?? 0) + 1)
  const alike = [...shared].flatMap(([other, count]) => {
    const share = count / (headingWords.size + (news[other] as Features).headingWords.size - count)
    return share >= rules.candidate_heading_jaccard ? [{ other, share }] : []
  })
  alike.sort((a, b) => b.share - a.share || Math.abs(a.other - at) - Math.abs(b.other - at) || a.other - b.other)
  return alike.slice(0, rules.candidates_per_factor).map(({ other }) => ({ old: at, new: other }))
}

/** `s` of the ruleset: 0.6 Jaccard of runs of five words + 0.25 cosine + 0.15 Jaccard of the heading's words. */
function scoreOf(old: Features, recent: Features, { weights }: DiffRules): number {
  return (
    weights.body_jaccard * jaccard(old.shingles, recent.shingles) +
    weights.body_cosine * cosine(old, recent) +
    weights.heading_jaccard * setJaccard(old.headingWords, recent.headingWords)
  )
}
function cosine(a: Features, b: Features): number {
  let [i, j, sum] = [0, 0, 0]
  while (i < a.terms.length && j < b.terms.length) {
    const [x, y] = [a.terms[i] as number, b.terms[j] as number]
    if (x === y) sum += (a.weights[i] as number) * (b.weights[j] as number)
    if (x <= y) i += 1
    if (y <= x) j += 1
  }
  return Math.min(1, sum)
}
function setJaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0
  for (const word of a) if (b.has(word)) shared += 1
  const all = a.size + b.size - shared
  return all === 0 ? 0 : shared / all
}

/** Separates pairs that are really one factor split into several: those whose other pieces found no partner. */
function regroup(
  pairs: readonly Scored[],
  olds: readonly Features[],
  news: readonly Features[],
  rules: DiffRules,
): Pick<Alignment, 'pairs' | 'splits' | 'merges'> {
  const splits = wholesOf(
    pairs.map(pair => ({ whole: pair.old, part: pair.new, score: pair.score })),
    olds,
    news,
    rules,
  )
  const split = new Set(splits.map(each => each.whole))
  const kept = pairs.filter(pair => !split.has(pair.old))
  const taken = new Set(splits.flatMap(each => each.parts.map(part => part.of)))
  const merges = wholesOf(
    kept.map(pair => ({ whole: pair.new, part: pair.old, score: pair.score })),
    news,
    olds,
    rules,
    { whole: taken, part: split },
  )
  const merged = new Set(merges.map(each => each.whole))
  return { pairs: kept.filter(pair => !merged.has(pair.new)), splits, merges }
}

type Whole = { readonly whole: number; readonly parts: readonly Part[] }
type Joined = { readonly whole: number; readonly part: number; readonly score: number }
type Taken = { readonly whole: ReadonlySet<number>; readonly part: ReadonlySet<number> }
const nothing: Taken = { whole: new Set(), part: new Set() }

/** Factors of one side whose text is in two or more of the other: their partner and pieces without one. */
function wholesOf(
  joined: readonly Joined[],
  wholes: readonly Features[],
  parts: readonly Features[],
  rules: DiffRules,
  taken: Taken = nothing,
): Whole[] {
  const partner = new Map(joined.map(each => [each.whole, each]))
  const paired = new Set(joined.map(each => each.part))
  const loose = parts.flatMap((_, at) => (paired.has(at) || taken.part.has(at) ? [] : at))
  const homes = new Map<number, Part[]>()
  for (const [at, home] of homesOf(loose, parts, wholes, rules, taken.whole)) {
    homes.set(home.whole, [...(homes.get(home.whole) ?? []), { of: at, containment: home.containment }])
  }
  return [...homes]
    .sort(([a], [b]) => a - b)
    .flatMap(([whole, found]) => {
      const own = partner.get(whole)
      // A factor that is unchanged did not become two: another factor that repeats its words is new.
      if (own && own.score >= rules.unchanged_from) return []
      const ownPart = own ? containment(parts[own.part] as Features, wholes[whole] as Features) : 0
      const all = [...(own && ownPart >= rules.containment_from ? [{ of: own.part, containment: ownPart }] : []), ...found].sort(
        (a, b) => a.of - b.of,
      )
      if (own && ownPart < rules.containment_from) return []
      return all.length >= 2 ? [{ whole, parts: all }] : []
    })
}

type Home = { readonly whole: number; readonly containment: number }

/** For each piece the factor that holds most of its runs of words, if it holds enough. Linear except for common runs. */
function homesOf(
  pieces: readonly number[],
  parts: readonly Features[],
  wholes: readonly Features[],
  rules: DiffRules,
  taken: ReadonlySet<number>,
): ReadonlyMap<number, Home> {
  const holders = new Map<number, number[]>()
  for (const at of pieces) {
    for (const shingle of (parts[at] as Features).shingles) {
      const known = holders.get(shingle)
      if (!known) holders.set(shingle, [at])
      else if (known.length < commonRun) known.push(at)
    }
  }
  const homes = new Map<number, Home>()
  if (holders.size === 0) return homes
  for (const [whole, { shingles }] of wholes.entries()) {
    if (taken.has(whole)) continue
    const shared = new Map<number, number>()
    for (const shingle of shingles) for (const at of holders.get(shingle) ?? []) shared.set(at, (shared.get(at) ?? 0) + 1)
    for (const [at, count] of shared) {
      const held = count / (parts[at] as Features).shingles.length
      if (held >= rules.containment_from && held > (homes.get(at)?.containment ?? 0)) homes.set(at, { whole, containment: held })
    }
  }
  return new Map([...homes].sort(([a], [b]) => a - b))
}
/** A run of words that is in more pieces is boilerplate, and counts only for the first of them. */
const commonRun = 50

const containment = (piece: Features, whole: Features): number =>
  piece.shingles.length === 0 ? 0 : sharedCount(piece.shingles, whole.shingles) / piece.shingles.length
