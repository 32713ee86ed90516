// A press release as words with their positions, and a phrase search over them. Case, hyphens, line breaks and the width of spaces are
// ignored; a word that a hyphen breaks over two lines is read both ways. Linear in the length of the text.
import { foldMarks, lowerCase } from '../drill/fold.ts'

export type Word = { readonly text: string; readonly start: number; readonly end: number; readonly sentence: number; readonly broken: boolean }
export type Match<T> = { readonly of: T; readonly first: number; readonly last: number }

const isLetter = (code: number): boolean => (code >= 0x61 && code <= 0x7a) || (code > 0x7f && /[\p{L}\p{N}]/u.test(String.fromCharCode(code)))
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
const [dollar, point, comma, apostrophe, hyphen, softHyphen, newline] = [0x24, 0x2e, 0x2c, 0x27, 0x2d, 0xad, 0x0a]

/** Words of a text in order. A full stop or a blank line ends a sentence; one line break does not. */
export function wordsOf(text: string): Word[] {
  const folded = lowerCase(foldMarks(text))
  const words: Word[] = []
  let sentence = 0
  let at = 0
  while (at < folded.length) {
    const code = folded.charCodeAt(at)
    if (isLetter(code) || isDigit(code) || code === dollar) {
      const end = wordEnd(folded, at)
      const next = folded.charCodeAt(end)
      const broken = (next === hyphen || next === softHyphen) && isLineBreak(folded, end + 1)
      words.push({ text: plain(folded.slice(at, end)), start: at, end, sentence, broken })
      at = end
    } else {
      const end = gapEnd(folded, at)
      if (endsSentence(folded, at, end)) sentence += 1
      at = end
    }
  }
  return words
}

/** Letters, digits, apostrophes and soft hyphens inside; a point or comma only between digits. */
function wordEnd(text: string, from: number): number {
  let at = from + 1
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isLetter(code) || isDigit(code) || code === dollar) continue
    const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at + 1)]
    if ((code === point || code === comma) && isDigit(before) && isDigit(after)) continue
    if ((code === point || code === comma) && before === dollar && isDigit(after)) continue
    if ((code === apostrophe || code === softHyphen) && isLetter(after)) continue
    break
  }
  return at
}

function gapEnd(text: string, from: number): number {
  let at = from
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (isLetter(code) || isDigit(code) || code === dollar) break
    at += 1
  }
  return at
}

const isLineBreak = (text: string, at: number): boolean => {
  let place = at
  while (text.charCodeAt(place) === 0x20 && place < at + 4) place += 1
  return text.charCodeAt(place) === newline
}

/** Marks of an end followed by a space, or a blank line. */
function endsSentence(text: string, from: number, end: number): boolean {
  let lines = 0
  for (let at = from; at < end; at++) {
    const code = text.charCodeAt(at)
    const ending = code === point || code === 0x21 || code === 0x3f || code === 0x3b
    if (ending && (at + 1 >= end || /\s|["')]/.test(text[at + 1] as string)) && at + 1 < text.length) return true
    if (code === newline) lines += 1
    if (lines > 1) return true
  }
  return false
}

/** `us$1.00` and `$1` become `$1`; apostrophes, soft hyphens and the commas of thousands are removed. */
function plain(word: string): string {
  const bare = word.replaceAll(/['\u00ad]/g, '')
  const money = bare.lastIndexOf('$')
  const number = money >= 0 ? bare.slice(money + 1) : bare
  if (!/^\d[\d.,]*$|^[.]\d+$/.test(number)) return bare
  const digits = number.replaceAll(',', '').replace(/^\./, '0.')
  const [whole = '', fraction = ''] = digits.split('.')
  const short = fraction.replace(/0+$/, '')
  return `${money >= 0 ? '$' : ''}${whole}${short === '' ? '' : `.${short}`}`
}

type Node<T> = { readonly next: Map<string, Node<T>>; readonly ends: T[] }
export type Lexicon<T> = { readonly root: Node<T> }

/** Phrases to search for together; each has a meaning. */
export function lexiconOf<T>(entries: readonly { readonly phrases: readonly string[]; readonly of: T }[]): Lexicon<T> {
  const root: Node<T> = { next: new Map(), ends: [] }
  for (const { phrases, of } of entries) {
    for (const phrase of phrases) {
      let node = root
      for (const { text } of wordsOf(phrase)) {
        const next: Node<T> = node.next.get(text) ?? { next: new Map(), ends: [] }
        node.next.set(text, next)
        node = next
      }
      node.ends.push(of)
    }
  }
  return { root }
}

/** Every position of every phrase. Looks from each word no further than the longest phrase, in at most two readings per line break. */
export function findAll<T>(words: readonly Word[], { root }: Lexicon<T>): Match<T>[] {
  const found: Match<T>[] = []
  const walk = (node: Node<T>, first: number, at: number): void => {
    for (const of of node.ends) found.push({ of, first, last: at - 1 })
    const word = words[at]
    if (!word || (at > first && word.sentence !== words[first]?.sentence)) return
    const plainly = node.next.get(word.text)
    if (plainly) walk(plainly, first, at + 1)
    const after = word.broken ? words[at + 1] : undefined
    const joined = after && node.next.get(word.text + after.text)
    if (joined) walk(joined, first, at + 2)
  }
  for (let at = 0; at < words.length; at++) walk(root, at, at)
  return found
}
