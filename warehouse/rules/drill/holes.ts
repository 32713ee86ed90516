// Holes: named after a word for a hole, or by a name of capitals and digits.
import { drillRules } from '../../rulesets/drill/rules.ts'
import { lengthUnitAt } from './lengths.ts'
import { isMark, isWord } from './metals.ts'
import type { Token } from './tokens.ts'
import type { FoundElement } from './types.ts'

export const holeWords = new Set([
  'hole',
  'holes',
  'drillhole',
  'drillholes',
  'ddh',
  'trou',
  'trous',
  'forage',
  'sondage',
  'borehole',
  'sondaje',
  'sondeo',
  'barreno',
  'pozo',
])

/** `hole DDH-21-005`, `hole 23-105`, `holes S-12`: the text after the word, up to a space. */
export function holeAt(tokens: readonly Token[], at: number): FoundElement | null {
  let place = at + 1
  if (isMark(tokens[place], '#') || isMark(tokens[place], ':')) place += 1
  if (isWord(tokens[place], 'no', 'number', 'id') && tokens[at]?.text !== 'ddh') place += isMark(tokens[place + 1], '.') ? 2 : 1
  if (tokens[at]?.text === 'ddh' && isMark(tokens[place], '-')) return null
  const first = tokens[place]
  if (!first || (first.kind !== 'number' && first.kind !== 'name' && first.kind !== 'word' && first.kind !== 'unclear')) return null
  let end = place
  while (end < place + 8 && isHolePart(tokens[end + 1])) end += 1
  const raw = tokens
    .slice(place, end + 1)
    .map(token => token.raw)
    .join('')
  const isName = /\d/.test(raw) && raw.length <= 24 && !lengthUnitAt(tokens, end + 1) && (first.kind !== 'word' || /^[A-Z]/.test(first.raw))
  return isName ? { element: { kind: 'hole', hole: raw, trailing: isTrailing(tokens, at, end + 1), at }, next: end + 1 } : null
}
const isHolePart = (token: Token | undefined): boolean =>
  token?.joined === true &&
  (token.kind === 'number' || token.kind === 'name' || token.kind === 'word' || token.kind === 'unclear' || isMark(token, '-') || isMark(token, '_'))

const notHoles = new Set(drillRules.not_holes.map(each => each.toLowerCase()))
/** A name such as `KHDDH808` or `ABC-21-005`: capitals, and at least two digits. */
export function holeName({ raw, text }: Token): string | null {
  const letters = /^[A-Z]{1,8}/.exec(raw)?.[0]
  if (letters === undefined || raw.length > 24 || (raw.match(/\d/g)?.length ?? 0) < 2) return null
  const lead = /^[a-z]+(?:-[a-z]+)*/.exec(text)?.[0] ?? ''
  if (notHoles.has(lead) || notHoles.has(lead.split('-', 1)[0] ?? '') || /[a-z]/.test(raw.slice(letters.length, letters.length + 1))) return null
  return raw
}
const directions = 'north south east west northeast northwest southeast southwest dip strike plunge m metres meters ft feet km'.split(' ')
/**
 * `150 m north of X`, `below hole X`: the location of another hole, not a hole of these results, unless `which` continues about it.
 * `at`: the name, or the word for a hole before it; `next`: the token after the name.
 */
export function isLandmark(tokens: readonly Token[], at: number, next: number): boolean {
  if (isWord(tokens[isMark(tokens[next], ',') ? next + 1 : next], 'which')) return false
  let place = at - 1
  while (place > at - 4 && isWord(tokens[place], 'drill', 'diamond', 'hole', 'drillhole', 'historical', 'historic', 'previous')) place -= 1
  return (
    isWord(tokens[place], 'below', 'above', 'beneath', 'under', 'twinning') ||
    (isWord(tokens[place], 'of') && isWord(tokens[place - 1], ...directions))
  )
}

/** `… in hole X`, `… from X`, `… (hole X)`: the hole is named after its results. `next`: the token after its name. */
export function isTrailing(tokens: readonly Token[], at: number, next: number): boolean {
  if (isMark(tokens[at - 1], '(') && isMark(tokens[next], ')')) return true
  let place = at - 1
  while (
    place > at - 6 &&
    (tokens[place]?.kind === 'line' || isWord(tokens[place], 'drill', 'diamond', 'hole', 'drillhole', 'historical', 'historic'))
  )
    place -= 1
  return isWord(tokens[place], 'in', 'from', 'dans', 'within')
}
