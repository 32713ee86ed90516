// Reads lengths from tokens, and whether one is a true width.
import { isMark } from './metals.ts'
import type { Token } from './tokens.ts'
import type { Length, LengthUnit } from './types.ts'

const metreWords = new Set(['m', 'metre', 'metres', 'meter', 'meters', 'mètre', 'mètres', 'metro', 'metros', 'mts', 'mtrs'])
const feetWords = new Set(['ft', 'feet', 'foot', 'pieds', 'pied', 'pies'])
const trueWords = new Set(['true', 'vraie', 'vraies', 'verdadero', 'verdaderos', 'tw', 'etw', 'ttw'])

export const isMetreWord = (word: string): boolean => metreWords.has(word)

/** Unit of length at a token, and the token after it. */
export function lengthUnitAt(tokens: readonly Token[], from: number): { readonly unit: LengthUnit; readonly next: number } | null {
  const at = isMark(tokens[from], '-') && tokens[from]?.joined ? from + 1 : from
  const token = tokens[at]
  if (token?.kind === 'word') {
    // A capital M means a million.
    if (metreWords.has(token.text) && token.raw !== 'M') return { unit: 'm', next: at + 1 }
    if (feetWords.has(token.text)) return { unit: 'ft', next: at + 1 }
  }
  return at === from && isMark(token, "'") && token?.joined ? { unit: 'ft', next: at + 1 } : null
}

export const lengthOf = (tokens: readonly Token[], at: number, unit: LengthUnit): Length => {
  const token = tokens[at] as Token
  return { value: token.text, unit, span: { start: token.start, end: token.end } }
}
type NumberToken = Token & { readonly kind: 'number' }
export const isNumber = (token: Token | undefined): token is NumberToken => token?.kind === 'number'

/** `9.8 m true width`, `9.8 m (est. true width)`, `true width of 9.8 m`, `ETW 9.8 m`. */
export function isTrueWidth(tokens: readonly Token[], number: number, unitEnd: number): boolean {
  const behind = conversionEnd(tokens, unitEnd)
  for (let at = behind; at < behind + 5; at++) {
    const token = tokens[at]
    if (!token || token.kind === 'line' || token.kind === 'number' || beginsSentence(tokens, at)) break
    if (token.kind === 'word' && trueWords.has(token.text)) return !lengthBehind(tokens, at + 1)
    if (token.kind === 'word' && !['estimated', 'est', 'of', 'in', 'de', 'largeur', 'épaisseur', 'approximate'].includes(token.text)) break
    if (token.kind === 'mark' && !'([-.'.includes(token.text)) break
  }
  for (let at = number - 1; at >= number - 7; at--) {
    const token = tokens[at]
    if (!token || token.kind === 'line' || token.kind === 'number' || token.kind === 'name') return false
    if (token.kind === 'mark' && !':=~-'.includes(token.text)) return false
    if (token.kind === 'word' && trueWords.has(token.text)) return true
  }
  return false
}

/** After `(7 ft)`, the same length in another unit; `from` if none follows. */
function conversionEnd(tokens: readonly Token[], from: number): number {
  const unit = isMark(tokens[from], '(') && isNumber(tokens[from + 1]) ? lengthUnitAt(tokens, from + 2) : null
  return unit && isMark(tokens[unit.next], ')') ? unit.next + 1 : from
}

/** `… at 311.8 metres. True widths are …`: another sentence does not describe the length before it. */
const beginsSentence = (tokens: readonly Token[], at: number): boolean =>
  isMark(tokens[at - 1], '.') && tokens[at]?.kind === 'word' && !tokens[at]?.joined && /^\p{Lu}\p{Ll}/u.test(tokens[at]?.raw ?? '')

/** `(true width 4.2 m)`: the true width is the number after the words, not the one before. */
function lengthBehind(tokens: readonly Token[], from: number): boolean {
  for (let at = from; at < from + 6; at++) {
    const token = tokens[at]
    if (isNumber(token)) return lengthUnitAt(tokens, at + 1) !== null
    const links =
      token?.kind === 'word'
        ? ['width', 'thickness', 'of', 'is', 'approximately', 'about', 'estimated', 'at'].includes(token.text)
        : isMark(token, ':') || isMark(token, '~') || isMark(token, '=')
    if (!links) return false
  }
  return false
}
