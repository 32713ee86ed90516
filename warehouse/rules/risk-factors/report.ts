// The body of an answer about two sections: classes, ids, word-level differences and figures. Plain values in and out, so that it can
// run in a separate thread.
import { createHash } from 'node:crypto'
import { type DiffRules, diffRules } from '../../rulesets/rfdiff/rules.ts'
import { type Hunk, wordDiff } from '../diff/words.ts'
import { type ChangeClass, type ChangedNumber, compareFactors, type FactorChange, type FactorComparison } from './compare.ts'
import { type FiledFactors, idsOfChain } from './ids.ts'
import { compareSentences, type SentenceCounts } from './sentences.ts'

export type ReportInput = {
  /** The issuer's filings whose factors give ids, oldest first; both compared ones are among them. */
  readonly chain: readonly FiledFactors[]
  readonly old: number
  readonly new: number
  /** Visible texts of the two sections; null: the factors' texts are used instead. */
  readonly oldText: string | null
  readonly newText: string | null
  /** False for paragraphs of another item, which have no ids. */
  readonly ids: boolean
}
type QuotedHunk = Hunk & { readonly truncated: boolean }
type Named = { readonly at: number; readonly factor_id: string | null }
export type ReportedChange = {
  readonly class: Exclude<ChangeClass, 'rewritten'>
  readonly similarity: number | null
  readonly same_text: boolean
  readonly moved: boolean
  readonly old: readonly Named[]
  readonly new: readonly Named[]
  readonly rewritten: string | null
  readonly numbers: readonly ChangedNumber[]
  readonly hunks: readonly QuotedHunk[]
  readonly hunks_total: number
}
type SectionMetrics = {
  readonly old_words: number
  readonly new_words: number
  readonly cosine: number
  readonly share_new: number
  readonly share_removed: number
  readonly reading_order_change: number
  readonly sentences: SentenceCounts
}
export type DiffReport = {
  readonly summary: Readonly<Record<ChangeClass, number>>
  readonly metrics: SectionMetrics
  readonly changes: readonly ReportedChange[]
}

/** Limits of quotation for one change: a number of hunks and, over all of them, a number of characters. */
const quoted = { hunks: 20, characters: 6_000, numbers: 40 }

export function reportDiff(input: ReportInput, rules: DiffRules = diffRules): DiffReport {
  const [old, recent] = [input.chain[input.old] as FiledFactors, input.chain[input.new] as FiledFactors]
  const comparison = compareFactors(old, recent, rules)
  const ids = input.ids
    ? idsOfChain(input.chain, rules, older => (older === input.old && older + 1 === input.new ? comparison : undefined))
    : input.chain.map(each => each.factors.map(() => null))
  const named = { old: ids[input.old] as (string | null)[], new: ids[input.new] as (string | null)[] }
  const texts = { old: old.factors.map(textOf), new: recent.factors.map(textOf) }
  const changes = comparison.changes.flatMap(change => reported(change, named, texts, rules))
  const [oldText, newText] = [input.oldText ?? texts.old.join('\n'), input.newText ?? texts.new.join('\n')]
  return { summary: summaryOf(comparison), metrics: metricsOf(comparison, texts, oldText, newText), changes }
}

const textOf = (factor: { readonly heading: string; readonly body: string }): string => `${factor.heading}\n${factor.body}`

type Sides<T> = { readonly old: readonly T[]; readonly new: readonly T[] }

/** A rewritten factor is shown as one removed and one new factor that reference each other. */
function reported(change: FactorChange, ids: Sides<string | null>, texts: Sides<string>, rules: DiffRules): ReportedChange[] {
  const old = change.old.map(at => ({ at, factor_id: ids.old[at] ?? null }))
  const recent = change.new.map(at => ({ at, factor_id: ids.new[at] ?? null }))
  const base = {
    similarity: change.similarity,
    same_text: change.same_text,
    moved: change.moved,
    rewritten: null,
    numbers: change.numbers.slice(0, quoted.numbers),
  }
  const [before, after] = [change.old.map(at => texts.old[at] as string).join('\n'), change.new.map(at => texts.new[at] as string).join('\n')]
  if (change.class !== 'rewritten') return [{ ...base, class: change.class, old, new: recent, ...hunksOf(before, after, rules) }]
  return [
    { ...base, class: 'removed', old, new: [], rewritten: recent[0]?.factor_id ?? null, ...hunksOf(before, '', rules) },
    { ...base, class: 'new', old: [], new: recent, rewritten: old[0]?.factor_id ?? null, ...hunksOf('', after, rules) },
  ]
}

function hunksOf(before: string, after: string, rules: DiffRules): Pick<ReportedChange, 'hunks' | 'hunks_total'> {
  const all = wordDiff(before, after)
  const hunks: QuotedHunk[] = []
  let left = quoted.characters
  for (const hunk of all.slice(0, quoted.hunks)) {
    const [old_text, new_text] = [cut(hunk.old_text, rules.hunk_characters), cut(hunk.new_text, rules.hunk_characters)]
    left -= old_text.length + new_text.length
    if (left < 0 && hunks.length > 0) break
    hunks.push({ ...hunk, old_text, new_text, truncated: old_text.length < hunk.old_text.length || new_text.length < hunk.new_text.length })
  }
  return { hunks, hunks_total: all.length }
}

/** At most this many characters, up to a word's end; never half of a character. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const blank = text.lastIndexOf(' ', most)
  if (blank > most / 2) return text.slice(0, blank)
  const half = text.charCodeAt(most - 1)
  return text.slice(0, half >= 0xd800 && half <= 0xdbff ? most - 1 : most)
}

function summaryOf({ changes }: FactorComparison): Record<ChangeClass, number> {
  const counts = { unchanged: 0, modified_minor: 0, modified: 0, rewritten: 0, new: 0, removed: 0, moved: 0, numbers_only: 0, split: 0, merged: 0 }
  for (const change of changes) counts[change.class] += 1
  return { ...counts, new: counts.new + counts.rewritten, removed: counts.removed + counts.rewritten }
}

function metricsOf(comparison: FactorComparison, texts: Sides<string>, oldText: string, newText: string): SectionMetrics {
  const wordsOf = (places: readonly number[], from: readonly string[]): number => places.reduce((sum, at) => sum + countOf(from[at] as string), 0)
  const all = (from: readonly string[]): number => from.reduce((sum, text) => sum + countOf(text), 0)
  const lone = (kind: 'old' | 'new'): number[] =>
    comparison.changes
      .filter(change => change.class === 'rewritten' || change.class === (kind === 'new' ? 'new' : 'removed'))
      .flatMap(change => change[kind])
  const share = (kind: 'old' | 'new'): number => {
    const total = all(texts[kind])
    return total === 0 ? 0 : wordsOf(lone(kind), texts[kind]) / total
  }
  return {
    old_words: countOf(oldText),
    new_words: countOf(newText),
    cosine: sectionCosine(oldText, newText),
    share_new: share('new'),
    share_removed: share('old'),
    reading_order_change: comparison.reading_order_change,
    sentences: compareSentences(oldText, newText),
  }
}
function countOf(text: string): number {
  let [count, inside] = [0, false]
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    const word = code > 32 && code !== 0xa0
    if (word && !inside) count += 1
    inside = word
  }
  return count
}

/** The cosine of the two sections' word counts, nothing masked; 0 if one has no words. */
export function sectionCosine(oldText: string, newText: string): number {
  const [old, recent] = [countsOf(oldText), countsOf(newText)]
  // Whole numbers below 2^53: their sums do not depend on the order.
  let [dot, a, b] = [0, 0, 0]
  for (const [word, count] of old) {
    dot += count * (recent.get(word) ?? 0)
    a += count * count
  }
  for (const count of recent.values()) b += count * count
  return a === 0 || b === 0 ? 0 : Math.min(1, dot / Math.sqrt(a * b))
}
/** The count of each word in a text, by its hash: runs of letters and digits, in lower case. */
function countsOf(text: string): Map<number, number> {
  const counts = new Map<number, number>()
  const lower = text.toLowerCase()
  let hash = 0
  for (let at = 0; at <= lower.length; at += 1) {
    const code = at < lower.length ? lower.charCodeAt(at) : 0
    const letter = (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 0xc0 && !(code >= 0x2000 && code <= 0x206f))
    if (letter) hash = Math.imul(hash ^ code, 0x01000193) | 1
    else if (hash !== 0) {
      counts.set(hash, (counts.get(hash) ?? 0) + 1)
      hash = 0
    }
  }
  return counts
}

/** Paragraphs of a section that is no list of risk factors: at least 40 words; shorter ones are appended to the previous one. */
export function paragraphsOf(
  text: string,
): { readonly heading: string; readonly body: string; readonly group: null; readonly words: number; readonly sha256: string }[] {
  const parts: string[] = []
  for (const line of text.split('\n')) {
    const words = countOf(line)
    const last = parts.at(-1)
    // A short paragraph is appended to the previous one; a short first one takes what follows.
    if (last !== undefined && (words < leastWords || countOf(last) < leastWords)) parts[parts.length - 1] = `${last}\n${line}`
    else if (words > 0) parts.push(line)
  }
  return parts.map(part => {
    const end = /[.?!:]["”’)]?(?=\s)/.exec(part.slice(0, 400))
    const at = end ? end.index + end[0].length : Math.min(part.length, 400)
    const [heading, body] = [part.slice(0, at), part.slice(at).trimStart()]
    return { heading, body, group: null, words: countOf(part), sha256: createHash('sha256').update(`${heading}\n${body}`).digest('hex') }
  })
}
const leastWords = 40
