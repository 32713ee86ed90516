// Where a text says one of a list of phrases: word by word, the first few places. Each phrase is sought once over the text.
import type { Span } from './types.ts'

const mostPlaces = 3
/** Places that are looked at for one phrase: of a text that repeats a syllable a million times no more are. */
const mostLooks = 2000

/** The first places of any of the phrases in `text` (folded, lower case), in order. */
export function findPhrases(text: string, phrases: readonly string[]): Span[] {
  const found: Span[] = []
  for (const phrase of phrases) {
    let places = 0
    let at = text.indexOf(phrase)
    for (let looks = 0; at >= 0 && places < mostPlaces && looks < mostLooks; looks++) {
      const end = at + phrase.length
      if (!isLetter(text, at - 1, phrase, 0) && !isLetter(text, end, phrase, phrase.length - 1)) {
        found.push({ start: at, end })
        places += 1
      }
      at = text.indexOf(phrase, end)
    }
  }
  return found.sort((a, b) => a.start - b.start || b.end - a.end).slice(0, mostPlaces)
}
const letter = /[\p{L}\p{N}]/u
/** A letter beside a letter: the phrase stands inside a longer word. */
function isLetter(text: string, beside: number, phrase: string, at: number): boolean {
  return beside >= 0 && beside < text.length && letter.test(text[beside] as string) && letter.test(phrase[at] as string)
}
