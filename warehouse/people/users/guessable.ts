// Detects passwords that attackers guess first: those made of few common pieces (words with leet, years, keyboard walks, runs, repeats),
// as guessable.json lists them. It rejects the ten thousand most common ones by their structure, and all with the same structure.
import { Broken } from '#schemas/errors.ts'
import patterns from './guessable.json' with { type: 'json' }

const { bits, least_bits, years } = patterns
const leet = new Map(Object.entries(patterns.leet))
const words = new Set(patterns.words)
const longestWord = Math.max(...patterns.words.map(word => word.length))
const walks = patterns.walks.flatMap(walk => [walk, [...walk].reverse().join('')])
/** The shortest stretch of a walk that counts as one. */
const leastWalk = 3

type Piece = { readonly length: number; readonly cost: number }

/** The bits that an attacker needs who tries common pieces first; `own`: words about the person, such as the address. */
export function guessBits(password: string, own: readonly string[] = []): number {
  const whole = piecewiseBits(password, own)
  // Well-known phrases, however their words are separated: a whole phrase counts as one word.
  const letters = password
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
  const phrase = patterns.phrases.find(each => letters.includes(each))
  return phrase === undefined ? whole : Math.min(whole, bits.word + piecewiseBits(letters.replace(phrase, ''), own))
}

function piecewiseBits(password: string, own: readonly string[]): number {
  const chars = [...password.normalize('NFC')]
  const lower = chars.map(char => char.toLowerCase())
  const known = new Set(own.flatMap(word => word.toLowerCase().split(/[^\p{L}\p{N}]+/u)).filter(word => word.length >= 3))
  const best = [0, ...chars.map(() => Number.POSITIVE_INFINITY)]
  for (let at = 0; at < chars.length; at += 1) {
    const before = best[at] ?? 0
    for (const { length, cost } of piecesAt(chars, lower, at, known)) best[at + length] = Math.min(best[at + length] ?? 0, before + cost)
  }
  return best[chars.length] ?? 0
}

/** Whether the password would be among the first that are tried. */
export const isGuessable = (password: string, own: readonly string[] = []): boolean => guessBits(password, own) < least_bits

function* piecesAt(chars: readonly string[], lower: readonly string[], at: number, known: ReadonlySet<string>): Generator<Piece> {
  yield { length: 1, cost: charCost(chars[at] ?? '') }
  yield* wordsAt(chars, lower, at, known)
  const year = Number(lower.slice(at, at + 4).join(''))
  if (/^\d{4}$/.test(lower.slice(at, at + 4).join('')) && year >= years.from && year <= years.to) yield { length: 4, cost: bits.year }
  for (const length of walkLengths(lower, at)) yield { length, cost: bits.walk }
  let same = 1
  while (lower[at + same] === lower[at]) same += 1
  for (let length = 3; length <= same; length += 1) yield { length, cost: Math.min(charCost(chars[at] ?? ''), bits.run) + 2 }
  // A repetition of the preceding text: `abcabc`, `kitty-kitty-` from the second on.
  for (let length = 1; length <= Math.min(at, chars.length - at); length += 1)
    if (lower.slice(at - length, at).join('') === lower.slice(at, at + length).join('')) yield { length, cost: bits.repeat }
}

function* wordsAt(chars: readonly string[], lower: readonly string[], at: number, known: ReadonlySet<string>): Generator<Piece> {
  const longest = Math.max(longestWord, ...[...known].map(word => word.length))
  let spellings: readonly { readonly text: string; readonly swapped: boolean }[] = [{ text: '', swapped: false }]
  let capitals = 0
  for (let end = at; end < chars.length && end - at < longest; end += 1) {
    const char = lower[end] ?? ''
    if (chars[end] !== char) capitals += 1
    const read = [...(leet.get(char) ?? '')]
    spellings = spellings
      .flatMap(({ text, swapped }) => [{ text: text + char, swapped }, ...read.map(letter => ({ text: text + letter, swapped: true }))])
      .slice(0, 64)
    for (const { text, swapped } of spellings) {
      if (text.length < 3 || !(words.has(text) || known.has(text))) continue
      yield { length: text.length, cost: bits.word + (swapped ? bits.leet : 0) + (capitals > 0 ? bits.capital : 0) }
    }
  }
}

/** Lengths of keyboard walks and rows that begin here. */
function walkLengths(lower: readonly string[], at: number): number[] {
  const lengths = new Set<number>()
  for (const walk of walks) {
    for (let from = walk.indexOf(lower[at] ?? ''); from >= 0; from = walk.indexOf(lower[at] ?? '', from + 1)) {
      let length = 1
      while (from + length < walk.length && lower[at + length] === walk[from + length]) length += 1
      for (let taken = leastWalk; taken <= length; taken += 1) lengths.add(taken)
    }
  }
  return [...lengths]
}

function charCost(char: string): number {
  if (/\p{N}/u.test(char)) return bits.digit
  if (/^[a-zA-Z]$/.test(char)) return bits.letter
  return /\s|[\x21-\x7e]/.test(char) ? bits.symbol : bits.other
}

if (words.size !== patterns.words.length) throw new Broken('guessable.json contains a word twice')
