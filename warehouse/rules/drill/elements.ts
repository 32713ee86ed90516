// Tokens to elements: lengths, depth ranges, grades, holes, and the words that connect them; everything else is words. Every pattern
// looks at a bounded number of tokens ahead, so the time is linear in the text.
import { depthAt, rangeAt } from './depths.ts'
import { gradeAt } from './grades.ts'
import { holeAt, holeName, holeWords, isLandmark, isTrailing } from './holes.ts'
import { isMetreWord, isNumber, isTrueWidth, lengthOf, lengthUnitAt } from './lengths.ts'
import { isMark, isWord } from './metals.ts'
import type { Token } from './tokens.ts'
import type { Element, FoundElement } from './types.ts'

const ties = new Set(
  'at of grading graded grades grade averaging averaged average averages assaying assayed assays returning returned returns running ran yielding yielded containing contained contains carrying with contenant titrant titre teneur moyenne moyen à avec de con ley leyes promedio promediando'.split(
    ' ',
  ),
)
const overs = new Set(['over', 'across', 'sur', 'sobre'])

/** All elements of a text. `french`: its numbers have decimal commas, so `or` is gold and `de` is from. */
export function elementsOf(tokens: readonly Token[], french: boolean): Element[] {
  const elements: Element[] = []
  let at = 0
  while (at < tokens.length) {
    const found = elementAt(tokens, at, french, elements)
    if (found.element) elements.push(found.element)
    at = Math.max(found.next, at + 1)
  }
  return elements
}

function elementAt(tokens: readonly Token[], at: number, french: boolean, before: readonly Element[]): FoundElement {
  const token = tokens[at] as Token
  switch (token.kind) {
    case 'number':
      return numberAt(tokens, at, french, before) ?? { element: { kind: 'word', text: token.text, at }, next: at + 1 }
    case 'line':
      return lineAt(tokens, at)
    case 'mark':
      return markAt(tokens, at)
    case 'name': {
      const hole = isLandmark(tokens, at, at + 1) ? null : holeName(token)
      return {
        element: hole ? { kind: 'hole', hole, trailing: isTrailing(tokens, at, at + 1), at } : { kind: 'word', text: token.text, at },
        next: at + 1,
      }
    }
    case 'word':
      return wordAt(tokens, at, french)
    default:
      return { element: { kind: 'word', text: token.text, at }, next: at + 1 }
  }
}

function numberAt(tokens: readonly Token[], at: number, french: boolean, before: readonly Element[]): FoundElement | null {
  const degrees = isMark(tokens[at + 1], '°') || isWord(tokens[at + 1], 'degrees', 'degree', 'degrés')
  if (degrees && axisFollows(tokens, at + 2)) return { element: { kind: 'angle', degrees: (tokens[at] as Token).text, at }, next: at + 2 }
  const range = rangeAt(tokens, at)
  if (range) return { element: { kind: 'depth', ...range.depth, explicit: false, at }, next: range.next }
  const unit = lengthUnitAt(tokens, at + 1)
  if (unit && !isMark(tokens[at - 1], '$')) {
    const length = lengthOf(tokens, at, unit.unit)
    return { element: { kind: 'length', length, isTrue: isTrueWidth(tokens, at, unit.next), at }, next: unit.next }
  }
  return gradeAt(tokens, at, french, before)
}

/** `to the core axis` within a few words. */
function axisFollows(tokens: readonly Token[], from: number): boolean {
  for (let at = from; at < from + 6; at++) if (isWord(tokens[at], 'axis', 'axe')) return true
  return false
}

/** An empty line, or a line that begins with a bullet, ends the preceding elements. */
function lineAt(tokens: readonly Token[], at: number): FoundElement {
  let next = at + 1
  let lines = 1
  while (tokens[next]?.kind === 'line') {
    next += 1
    lines += 1
  }
  const mark = tokens[next]
  const bullet = mark?.kind === 'mark' && ('•·▪◦●■*►➢'.includes(mark.text) || (mark.text === '-' && !isNumber(tokens[next + 1])))
  return { element: lines > 1 || bullet ? { kind: lines > 1 ? 'paragraph' : 'break', at } : null, next: bullet ? next + 1 : next }
}

function markAt(tokens: readonly Token[], at: number): FoundElement {
  const token = tokens[at] as Token
  const element = ((): Element | null => {
    switch (token.text) {
      case '@':
      case ':':
      case '=':
        return { kind: 'ties', at }
      case '(':
      case '[':
        return { kind: 'open', at }
      case ')':
      case ']':
        return { kind: 'close', at }
      case ',':
      case '/':
      case '+':
      case ';':
        return { kind: 'comma', at }
      case '&':
        return { kind: 'and', at }
      case '.':
        return endsSentence(tokens, at) ? { kind: 'stop', at } : null
      case '•':
      case '▪':
      case '●':
        return { kind: 'break', at }
      default:
        return null
    }
  })()
  return { element, next: at + 1 }
}
const abbreviations = new Set([
  'incl',
  'inc',
  'approx',
  'no',
  'est',
  'ca',
  'vs',
  'avg',
  'env',
  'dr',
  'mr',
  'ms',
  'mrs',
  'eq',
  'equiv',
  'geo',
  'eng',
  'max',
  'min',
])
function endsSentence(tokens: readonly Token[], at: number): boolean {
  const [before, behind] = [tokens[at - 1], tokens[at + 1]]
  if (
    behind?.joined ||
    (before?.kind === 'word' && (abbreviations.has(before.text) || before.raw.length === 1) && !isMetreWord(before.text) && before.text !== 't')
  )
    return false
  return behind?.kind !== 'word' || behind.raw[0] !== behind.text[0]
}

function wordAt(tokens: readonly Token[], at: number, french: boolean): FoundElement {
  const token = tokens[at] as Token
  const { text } = token
  if (
    text === 'from' ||
    text === 'between' ||
    text === 'entre' ||
    text === 'desde' ||
    text === 'starting' ||
    text === 'beginning' ||
    text === 'depth' ||
    text === 'depths' ||
    (french && (text === 'de' || text === 'partir'))
  ) {
    const depth = depthAt(tokens, at, text)
    if (depth) return depth
  }
  if (holeWords.has(text)) {
    const hole = holeAt(tokens, at)
    // A landmark's name is skipped.
    if (hole) return isLandmark(tokens, at, hole.next) ? { element: { kind: 'word', text, at }, next: hole.next } : hole
  }
  if (
    text === 'incl' ||
    text === 'including' ||
    text === 'incluant' ||
    text === 'incluyendo' ||
    text === 'incluye' ||
    text === 'dont' ||
    text === 'includes' ||
    text === 'comprenant' ||
    text === 'inc' ||
    (text === 'y' && isWord(tokens[at + 1], 'compris'))
  )
    return { element: nests(tokens, at) ? { kind: 'including', at } : { kind: 'word', text, at }, next: text === 'y' ? at + 2 : at + 1 }
  if (text === 'with' && nestsWith(tokens, at) && !isWord(tokens[at - 1], 'compared', 'comparable', 'consistent', 'contrast'))
    return { element: { kind: 'including', at }, next: at + 1 }
  if (text === 'within' && nestsWith(tokens, at)) return { element: { kind: 'within', at }, next: at + 1 }
  if (overs.has(text)) return { element: { kind: 'over', at }, next: at + 1 }
  if (text === 'and' || text === 'et' || (french && text === 'y')) return { element: { kind: 'and', at }, next: at + 1 }
  if (text === 'cut' || text === 'capped' || text === 'coupé') return { element: { kind: 'capped', at }, next: at + 1 }
  if (ties.has(text)) return { element: { kind: 'ties', at }, next: at + 1 }
  return { element: { kind: 'word', text, at }, next: at + 1 }
}
/** `with 2 m @ 10 g/t`: a part of the interval before; `with grades of`, `with 3.2 g/t` is not. */
const nestsWith = (tokens: readonly Token[], at: number): boolean => isNumber(tokens[at + 1]) && lengthUnitAt(tokens, at + 2) !== null
/** `results including 12 m` introduces an example, not a part. */
const nests = (tokens: readonly Token[], at: number): boolean =>
  !isWord(tokens[at - 1], 'results', 'highlights', 'intercepts', 'intersections', 'holes', 'assays', 'drilling', 'intervals', 'résultats')
