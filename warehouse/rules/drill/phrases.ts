// Finds the positions of a list of phrases in a text, word by word, only the first few. Each phrase is searched once over the text.
import type { Span } from './types.ts'

const mostPlaces = 3
/** Positions examined for one phrase, so that a text that repeats a syllable a million times stays cheap. */
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
/** Two adjacent letters: the phrase is inside a longer word. */
function isLetter(text: string, neighbour: number, phrase: string, at: number): boolean {
  return neighbour >= 0 && neighbour < text.length && letter.test(text[neighbour] as string) && letter.test(phrase[at] as string)
}
