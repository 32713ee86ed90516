// How well each topic's phrases fit the words of a question. A phrase fits by its words, by their stems, or by words that a misspelled word
// probably means; what is written as the phrase has it counts most.
import { cacheLimits } from '#schemas/cache-limits.ts'
import { madeOnce } from '#schemas/once.ts'
import { slips } from '#schemas/spelling.ts'
import { type Entry, entries, stopwords, type Topic } from './lexicon.ts'
import { commonWords, spelledOut } from './spellings.ts'
import { rootOf, stem, type Token } from './tokens.ts'

type Word = { readonly word: string; readonly root: string }
type Phrase = { readonly words: readonly (readonly Word[] | '*')[]; readonly weight: number }
type Compiled = { readonly entry: Entry; readonly phrases: readonly Phrase[] }
const compile = (): readonly Compiled[] =>
  entries.map(entry => ({
    entry,
    phrases: entry.phrases.map(text => {
      const words = text
        .split(/\s+/)
        .map((word): readonly Word[] | '*' =>
          word === '*'
            ? '*'
            : word.startsWith('<')
              ? [{ word, root: word }]
              : word.split('|').map(each => ({ word: stem(each), root: rootOf(each) })),
        )
      const counted = words.filter(word => word !== '*').length
      return { words, weight: counted + (counted - 1) * 0.5 }
    }),
  }))
type Lexicon = {
  readonly phrases: readonly Compiled[]
  readonly words: ReadonlySet<string>
  readonly roots: ReadonlySet<string>
  readonly commonRoots: ReadonlySet<string>
  /** Words that may have been misspelled. */
  readonly long: readonly string[]
}
/** Made by the first question: of a start of the API it would be a tenth. */
const lexicon = madeOnce((): Lexicon => {
  const compiled = compile()
  const allWords = compiled.flatMap(({ phrases }) => phrases.flatMap(({ words }) => words.flatMap(word => (word === '*' ? [] : word))))
  const words = new Set(allWords.map(each => each.word))
  return {
    phrases: compiled,
    words,
    roots: new Set(allWords.map(each => each.root)),
    commonRoots: new Set([...commonWords].map(rootOf)),
    long: [...words].filter(each => each.length >= 5 && /^\p{L}+$/u.test(each)),
  }
})

/** Words of phrases. */
export const entryWords = (): ReadonlySet<string> => lexicon().words

/** Whether a word belongs to a question rather than to a name: a word of a phrase, or one that people put around it. */
export const isKnown = (word: string): boolean =>
  lexicon().words.has(stem(word)) ||
  lexicon().roots.has(rootOf(word)) ||
  stopwords.has(word) ||
  stopwords.has(`${word}s`) ||
  commonWords.has(word) ||
  lexicon().commonRoots.has(rootOf(word)) ||
  Object.hasOwn(spelledOut, word)

/** Letters in which a misspelled word may differ from the one that is meant. */
const mostSlips = (word: string): number => (word.length < 5 ? 0 : word.length < 9 ? 1 : 2)
const meanings = new Map<string, string | null>()

/** The word of a phrase that an unknown word is a misspelling of; null for words that are known, and for those that are near none or two. */
export function meantBy(word: string): string | null {
  if (word.length < 5 || !/^\p{L}+$/u.test(word) || isKnown(word)) return null
  const held = meanings.get(word)
  if (held !== undefined) return held
  const most = mostSlips(word)
  let [best, least, twice] = ['', most + 1, false]
  for (const each of lexicon().long) {
    if (Math.abs(each.length - word.length) > most) continue
    // A word that begins otherwise is another word more often than a slip.
    if (each[0] !== word[0]) continue
    const apart = slips(word, each, most)
    if (apart < least) [best, least, twice] = [each, apart, false]
    else if (apart === least && rootOf(each) !== rootOf(best)) twice = true
  }
  const found = least <= most && !twice ? best : null
  if (meanings.size >= cacheLimits.misspellings) meanings.clear()
  meanings.set(word, found)
  return found
}

/** Topics that get no answer by rule. */
export const refusals: ReadonlySet<Topic> = new Set<Topic>(['advice', 'forecast', 'write', 'personal', 'out_of_scope'])

/** `places`: the tokens that its phrases used. */
export type Scored = { readonly entry: Entry; readonly score: number; readonly at: number; readonly places: readonly number[] }

export function scoreTopics(tokens: readonly Token[]): Scored[] {
  return lexicon().phrases.flatMap(({ entry, phrases }) => {
    const matches = phrases.flatMap(phrase => {
      // A question is not refused for words that are only related: an executive executes no order, and insiders may be buying or selling.
      const found = match(phrase, tokens, !refusals.has(entry.topic))
      return found === null ? [] : [{ weight: phrase.weight * found.quality, places: found.places }]
    })
    if (matches.length === 0) return []
    const best = matches.reduce((a, b) => (b.weight > a.weight ? b : a))
    const more = matches.filter(each => each !== best && each.places.some(place => !best.places.includes(place)))
    const extra = Math.min(
      1,
      more.reduce((sum, each) => sum + each.weight * 0.2, 0),
    )
    return [
      { entry, score: best.weight + extra + (entry.bonus ?? 0), at: best.places[0] ?? 0, places: [...new Set(matches.flatMap(each => each.places))] },
    ]
  })
}

type Match = { readonly places: readonly number[]; readonly quality: number }
/** `related`: other forms of a word fit as well. */
function match({ words }: Phrase, tokens: readonly Token[], related: boolean): Match | null {
  let best: Match | null = null
  for (let start = 0; start < tokens.length; start += 1) {
    const found = matchFrom(words, 0, tokens, start, related)
    if (found === null) continue
    const quality = found.reduce((sum, each) => sum + each.quality, 0) / found.length
    if (best === null || quality > best.quality) best = { places: found.map(each => each.place), quality }
    if (quality === 1) break
  }
  return best
}

type Place = { readonly place: number; readonly quality: number }
function matchFrom(words: Phrase['words'], index: number, tokens: readonly Token[], place: number, related: boolean): Place[] | null {
  const word = words[index]
  if (word === undefined) return []
  if (word === '*') {
    // The words of a name are skipped as one.
    for (let [skipped, next] = [0, place]; skipped <= 4 && next <= tokens.length; next += 1) {
      const rest = matchFrom(words, index + 1, tokens, next, related)
      if (rest !== null) return rest
      if (tokens[next]?.inName !== true || tokens[next + 1]?.inName !== true) skipped += 1
    }
    return null
  }
  const token = tokens[place]
  const quality = token === undefined ? 0 : qualityOf(token, word, related)
  if (quality === 0) return null
  const rest = matchFrom(words, index + 1, tokens, place + 1, related)
  return rest === null ? null : [{ place, quality }, ...rest]
}

/** 1 for the word itself, less for another form of it or a misspelling, 0 for another word. */
function qualityOf(token: Token, words: readonly Word[], related: boolean): number {
  if (words.some(({ word }) => word === token.word || word === token.spelled)) return 1
  if (token.mark !== null || token.inName) return 0
  if (related && words.some(({ root }) => root === token.root)) return 0.9
  return token.meant !== null && words.some(({ word }) => word === token.meant) ? 0.8 : 0
}
