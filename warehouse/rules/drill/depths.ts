// Depths: two with a dash or a word between, or one that is introduced by `from`.
import { compareDecimals } from '#schemas/decimals.ts'
import { isNumber, lengthOf, lengthUnitAt } from './lengths.ts'
import { gradeUnitAt, isMark, isWord } from './metals.ts'
import type { Token } from './tokens.ts'
import type { FoundElement, Length } from './types.ts'

/** Two depths with a dash or a `to` between, the second with its unit: `120.0-132.5 m`, `120 m to 132.5 m`. */
export function rangeAt(
  tokens: readonly Token[],
  at: number,
): { readonly depth: { readonly from: Length; readonly to: Length }; readonly next: number } | null {
  const first = lengthUnitAt(tokens, at + 1)
  let middle = first && !isMark(tokens[at + 1], '-') ? first.next : at + 1
  if (isMark(tokens[middle], '-') || isWord(tokens[middle], 'to', 'à', 'a', 'hasta', 'and', 'et', 'y')) {
    const between = isWord(tokens[middle], 'and', 'et', 'y')
    if (between && !isWord(tokens[at - 1], 'between', 'entre')) return null
    middle += 1
  } else return null
  const second = tokens[middle]
  if (!isNumber(second)) return null
  const unit = lengthUnitAt(tokens, middle + 1)
  if (!unit || gradeFollows(tokens, middle + 1)) return null
  const [from, to] = [lengthOf(tokens, at, unit.unit), lengthOf(tokens, middle, unit.unit)]
  return compareDecimals(from.value, to.value) < 0 ? { depth: { from, to }, next: unit.next } : null
}
const gradeFollows = (tokens: readonly Token[], at: number): boolean => isMark(tokens[at], '%') || isWord(tokens[at], 'g', 'gpt', 'ppm')

/** `from 120 [m] [to 132.5 m]`, `from surface`, `starting at 120 m`, `at a depth of 120 m`. */
export function depthAt(tokens: readonly Token[], at: number, word: string): FoundElement | null {
  let place = at + 1
  if (word === 'starting' || word === 'beginning') place = isWord(tokens[place], 'at', 'from') ? place + 1 : place
  else if (word === 'partir') place = isWord(tokens[place], 'de') ? place + 1 : place
  else if (word === 'depth' || word === 'depths') {
    if (!isWord(tokens[place], 'of', 'from') || isHoleDepth(tokens, at)) return null
    place += 1
  }
  while (isWord(tokens[place], 'a', 'los', 'downhole', 'depth', 'depths', 'of', 'about', 'approximately', 'hole', 'down') && place < at + 7)
    place += 1
  if (isMark(tokens[place], '~')) place += 1
  if (word !== 'depth' && isWord(tokens[place], 'surface')) {
    const surface = tokens[place] as Token
    const from: Length = { value: '0', unit: 'm', span: { start: surface.start, end: surface.end } }
    const to = isWord(tokens[place + 1], 'to') && isNumber(tokens[place + 2]) ? lengthUnitAt(tokens, place + 3) : null
    if (to)
      return {
        element: { kind: 'depth', from: { ...from, unit: to.unit }, to: lengthOf(tokens, place + 2, to.unit), explicit: true, at },
        next: to.next,
      }
    return { element: { kind: 'depth', from, to: null, explicit: true, at }, next: place + 1 }
  }
  if (!isNumber(tokens[place])) return null
  const range = rangeAt(tokens, place)
  if (range) return { element: { kind: 'depth', ...range.depth, explicit: true, at }, next: range.next }
  const open = openRange(tokens, place)
  if (open) return { element: { kind: 'depth', ...open.depth, explicit: true, at }, next: open.next }
  const unit = lengthUnitAt(tokens, place + 1)
  if (word === 'between' || word === 'entre' || (word === 'de' && !unit)) return null
  if (unit && word === 'de') return null
  if (unit) return { element: { kind: 'depth', from: lengthOf(tokens, place, unit.unit), to: null, explicit: true, at }, next: unit.next }
  // `from 516`: only if no word follows that it could count (`from 5 holes`).
  const behind = tokens[place + 1]
  const counts = behind?.kind === 'word' && !['incl', 'including', 'and', 'in', 'incluant', 'with'].includes(behind.text)
  if (counts || gradeFollows(tokens, place + 1) || isMark(tokens[place - 1], '$')) return null
  return { element: { kind: 'depth', from: lengthOf(tokens, place, 'm'), to: null, explicit: true, at }, next: place + 1 }
}
/** `to a depth of 350 m`, `a total depth of`, `a vertical depth of`: the depth of the hole, not the start of an interval. */
const isHoleDepth = (tokens: readonly Token[], at: number): boolean =>
  isWord(tokens[at - 1], 'total', 'final', 'maximum', 'vertical', 'planned') || (isWord(tokens[at - 1], 'a', 'the') && isWord(tokens[at - 2], 'to'))
/** `from 120 to 132.5` without a unit. */
function openRange(tokens: readonly Token[], at: number) {
  if (!isWord(tokens[at + 1], 'to', 'à', 'hasta') && !isMark(tokens[at + 1], '-')) return null
  if (!isNumber(tokens[at + 2]) || gradeUnitAt(tokens, at + 3, false) || isMark(tokens[at + 3], '$')) return null
  const behind = tokens[at + 3]
  if (behind?.kind === 'word' && !['incl', 'including', 'and', 'in', 'incluant', 'with', 'grading', 'averaging', 'returned'].includes(behind.text))
    return null
  const [from, to] = [lengthOf(tokens, at, 'm'), lengthOf(tokens, at + 2, 'm')]
  return compareDecimals(from.value, to.value) < 0 ? { depth: { from, to }, next: at + 3 } : null
}
