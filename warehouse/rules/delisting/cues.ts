// Cues in a press release about the listing: signs of trouble with their positions, which of them it retracts, and which it denies.
// All words come from the ruleset.
import type { DelistingRules } from '../../rulesets/delisting/rules.ts'
import type { Cue } from '../../rulesets/delisting/signals.ts'
import { findAll, type Lexicon, lexiconOf, type Match, type Word, wordsOf } from './words.ts'

/** raised: stated and current; resolved: the text states that it is over; denied: the text states that it is not so. */
type CueStatus = 'raised' | 'resolved' | 'denied'
type CuePlace = { readonly start: number; readonly end: number; readonly status: CueStatus }
export type FoundCue = {
  readonly cue: Cue
  readonly status: CueStatus
  readonly count: number
  /** In UTF-16 units of the text, those of the cue's own status first. */
  readonly places: readonly CuePlace[]
}
/** At most this many positions are reported for a text that repeats itself. */
const mostPlaces = 5

type Role = 'resolution' | 'closing' | 'past' | 'denial' | 'not_denial' | 'unfulfilled' | 'renewal'
type Entry = { readonly cue: Cue } | { readonly role: Role }

/** One lexicon per edition: building it takes some hundred phrases. */
const lexicons = new WeakMap<DelistingRules, Lexicon<Entry>>()
function lexiconFor(rules: DelistingRules): Lexicon<Entry> {
  const held = lexicons.get(rules)
  if (held) return held
  const { rule, cues } = rules.signals
  const roles: readonly (readonly [Role, readonly string[]])[] = [
    ['resolution', rule.resolutions],
    ['closing', rule.closings],
    ['past', rule.past],
    ['denial', rule.denials],
    ['not_denial', rule.not_denials],
    ['unfulfilled', rule.unfulfilled],
    ['renewal', rule.renewals],
  ]
  const made = lexiconOf<Entry>([
    ...cues.map(cue => ({ phrases: cue.phrases, of: { cue } })),
    ...roles.map(([role, phrases]) => ({ phrases, of: { role } })),
  ])
  lexicons.set(rules, made)
  return made
}

/** Cues of a text in the order of the ruleset. Cost: linear in the text. */
export function readCues(text: string, rules: DelistingRules): FoundCue[] {
  if (text.trim() === '') return []
  const words = wordsOf(text)
  const context = contextOf(words, findAll(words, lexiconFor(rules)), rules)
  return rules.signals.cues.flatMap(cue => {
    const places = context.cues.get(cue.cue) ?? []
    const [first] = places
    if (!first) return []
    const status = (['raised', 'resolved', 'denied'] as const).find(each => places.some(place => place.status === each)) ?? first.status
    const ordered = [...places.filter(place => place.status === status), ...places.filter(place => place.status !== status)]
    return [{ cue, status, count: places.length, places: ordered.slice(0, mostPlaces) }]
  })
}

function contextOf(
  words: readonly Word[],
  matches: readonly Match<Entry>[],
  rules: DelistingRules,
): { readonly cues: ReadonlyMap<string, CuePlace[]> } {
  const { denial_words: near } = rules.signals.rule
  const sentences: Readonly<Record<'resolution' | 'past' | 'renewal', Set<number>>> = { resolution: new Set(), past: new Set(), renewal: new Set() }
  const ends: Readonly<Record<'denial' | 'unfulfilled', Int32Array>> = {
    denial: new Int32Array(words.length),
    unfulfilled: new Int32Array(words.length),
  }
  /** Words that begin an apparent denial. */
  const spared = new Set<number>()
  for (const { of, first } of matches) if ('role' in of && of.role === 'not_denial') spared.add(first)
  for (const { of, first, last } of matches) {
    if (!('role' in of)) continue
    if (of.role === 'denial' && !spared.has(first)) ends.denial[last] = 1
    if (of.role === 'unfulfilled') ends.unfulfilled[last] = 1
    if (of.role === 'past' || of.role === 'renewal') sentences[of.role].add(sentenceOf(first))
  }
  const precededBy = (marks: Int32Array, first: number): boolean => {
    for (let at = first - 1; at >= 0 && at >= first - near && sentenceOf(at) === sentenceOf(first); at--) if (marks[at] === 1) return true
    return false
  }
  let closed = false
  for (const { of, first } of matches) {
    if (!('role' in of) || (of.role !== 'resolution' && of.role !== 'closing') || precededBy(ends.unfulfilled, first)) continue
    sentences.resolution.add(sentenceOf(first))
    if (of.role === 'closing') closed = true
  }
  const cues = new Map<string, CuePlace[]>()
  for (const { of, first, last } of matches) {
    if (!('cue' in of)) continue
    const places = cues.get(of.cue.cue) ?? []
    const place = { start: words[first]?.start ?? 0, end: words[last]?.end ?? 0, status: statusOf(of.cue, first) }
    const before = places.at(-1)
    // Phrases of one cue that share words count as one position.
    if (before && place.start < before.end) places[places.length - 1] = joined(before, place)
    else places.push(place)
    cues.set(of.cue.cue, places)
  }
  return { cues }

  function sentenceOf(at: number): number {
    return words[at]?.sentence ?? 0
  }
  function statusOf(cue: Cue, first: number): CueStatus {
    const sentence = sentenceOf(first)
    if (cue.resolvable && !sentences.renewal.has(sentence)) {
      if (sentences.resolution.has(sentence) || closed) return 'resolved'
      if (sentences.resolution.size > 0 && sentences.past.has(sentence)) return 'resolved'
    }
    return cue.deniable && precededBy(ends.denial, first) ? 'denied' : 'raised'
  }
}

const joined = (a: CuePlace, b: CuePlace): CuePlace => ({
  start: a.start,
  end: Math.max(a.end, b.end),
  status: a.status === 'raised' || b.status === 'raised' ? 'raised' : a.status,
})
