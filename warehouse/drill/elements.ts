// Tokens to elements: lengths, depth ranges, grades, holes, and the words that tie them together; all else is words. Every pattern
// looks at a bounded number of tokens ahead, so the time is linear in the text.
import { compareDecimals } from '#schemas/decimals.ts'
import { drillRules } from '../rulesets/drill/rules.ts'
import { gradeUnitAt, isMark, isWord, metalAt, skipOf } from './metals.ts'
import type { Token } from './tokens.ts'
import type { Grade, Length, LengthUnit, Qualifier, Span } from './types.ts'

export type Element =
  | { readonly kind: 'length'; readonly length: Length; readonly isTrue: boolean; readonly at: number }
  /** `from`: said so (or by a dash between two depths alone); `to` null: only where it begins. */
  | { readonly kind: 'depth'; readonly from: Length; readonly to: Length | null; readonly said: boolean; readonly at: number }
  | { readonly kind: 'grade'; readonly grade: Grade; readonly at: number; readonly ranged: boolean }
  | { readonly kind: 'hole'; readonly hole: string; readonly trailing: boolean; readonly at: number }
  | { readonly kind: 'angle'; readonly degrees: string; readonly at: number }
  | {
      readonly kind: 'ties' | 'over' | 'within' | 'including' | 'and' | 'comma' | 'open' | 'close' | 'stop' | 'break' | 'paragraph' | 'capped'
      readonly at: number
    }
  | { readonly kind: 'word'; readonly text: string; readonly at: number }

const ties = new Set(
  'at of grading graded grades grade averaging averaged average averages assaying assayed assays returning returned returns running ran yielding yielded containing contained contains carrying with contenant titrant titre teneur moyenne moyen à avec de'.split(
    ' ',
  ),
)
const overs = new Set(['over', 'across', 'sur'])
const metreWords = new Set(['m', 'metre', 'metres', 'meter', 'meters', 'mètre', 'mètres', 'mts', 'mtrs'])
const feetWords = new Set(['ft', 'feet', 'foot', 'pieds', 'pied'])
const holeWords = new Set(['hole', 'holes', 'drillhole', 'drillholes', 'ddh', 'trou', 'trous', 'forage', 'sondage', 'borehole'])
const trueWords = new Set(['true', 'vraie', 'vraies', 'tw', 'etw', 'ttw'])

/** Unit of length at a token, and the token behind it. */
export function lengthUnitAt(tokens: readonly Token[], from: number): { readonly unit: LengthUnit; readonly next: number } | null {
  const at = isMark(tokens[from], '-') && tokens[from]?.joined ? from + 1 : from
  const token = tokens[at]
  if (token?.kind === 'word') {
    // An M is a million.
    if (metreWords.has(token.text) && token.raw !== 'M') return { unit: 'm', next: at + 1 }
    if (feetWords.has(token.text)) return { unit: 'ft', next: at + 1 }
  }
  return at === from && isMark(token, "'") && token?.joined ? { unit: 'ft', next: at + 1 } : null
}

const lengthOf = (tokens: readonly Token[], at: number, unit: LengthUnit): Length => {
  const token = tokens[at] as Token
  return { value: token.text, unit, span: { start: token.start, end: token.end } }
}
type NumberToken = Token & { readonly kind: 'number' }
const isNumber = (token: Token | undefined): token is NumberToken => token?.kind === 'number'

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

type Found = { readonly element: Element | null; readonly next: number }

function elementAt(tokens: readonly Token[], at: number, french: boolean, before: readonly Element[]): Found {
  const token = tokens[at] as Token
  switch (token.kind) {
    case 'number':
      return numberAt(tokens, at, french, before) ?? { element: { kind: 'word', text: token.text, at }, next: at + 1 }
    case 'line':
      return lineAt(tokens, at)
    case 'mark':
      return markAt(tokens, at)
    case 'name': {
      const hole = holeName(token)
      return { element: hole ? { kind: 'hole', hole, trailing: isTrailing(tokens, at), at } : { kind: 'word', text: token.text, at }, next: at + 1 }
    }
    case 'word':
      return wordAt(tokens, at, french)
    default:
      return { element: { kind: 'word', text: token.text, at }, next: at + 1 }
  }
}

function numberAt(tokens: readonly Token[], at: number, french: boolean, before: readonly Element[]): Found | null {
  const degrees = isMark(tokens[at + 1], '°') || isWord(tokens[at + 1], 'degrees', 'degree', 'degrés')
  if (degrees && axisFollows(tokens, at + 2)) return { element: { kind: 'angle', degrees: (tokens[at] as Token).text, at }, next: at + 2 }
  const range = rangeAt(tokens, at)
  if (range) return { element: { kind: 'depth', ...range.depth, said: false, at }, next: range.next }
  const unit = lengthUnitAt(tokens, at + 1)
  if (unit && !isMark(tokens[at - 1], '$')) {
    const length = lengthOf(tokens, at, unit.unit)
    return { element: { kind: 'length', length, isTrue: saysTrue(tokens, at, unit.next), at }, next: unit.next }
  }
  return gradeAt(tokens, at, french, before)
}

/** `to the core axis` within a few words. */
function axisFollows(tokens: readonly Token[], from: number): boolean {
  for (let at = from; at < from + 6; at++) if (isWord(tokens[at], 'axis', 'axe')) return true
  return false
}

/** `9.8 m true width`, `9.8 m (est. true width)`, `true width of 9.8 m`, `ETW 9.8 m`. */
function saysTrue(tokens: readonly Token[], number: number, behind: number): boolean {
  for (let at = behind; at < behind + 5; at++) {
    const token = tokens[at]
    if (!token || token.kind === 'line' || token.kind === 'number') break
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

/** `(true width 4.2 m)`: the true width is the number behind the words, not the one before. */
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

/** Two depths with a dash or a `to` between, the second with its unit: `120.0-132.5 m`, `120 m to 132.5 m`. */
function rangeAt(
  tokens: readonly Token[],
  at: number,
): { readonly depth: { readonly from: Length; readonly to: Length }; readonly next: number } | null {
  const first = lengthUnitAt(tokens, at + 1)
  let middle = first && !isMark(tokens[at + 1], '-') ? first.next : at + 1
  if (isMark(tokens[middle], '-') || isWord(tokens[middle], 'to', 'à', 'and', 'et')) {
    const between = isWord(tokens[middle], 'and', 'et')
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

function gradeAt(tokens: readonly Token[], at: number, french: boolean, before: readonly Element[]): Found | null {
  const unit = gradeUnitAt(tokens, at + 1, french)
  if (!unit) return null
  const token = tokens[at] as Token
  const behind = unit.metal ? null : metalAt(tokens, skipOf(tokens, unit.next), french)
  const leading = unit.metal || behind ? null : metalBefore(tokens, at, french, before)
  const metal = unit.metal ?? behind ?? leading
  // A percentage of nothing named is a share of something else: of a width, of a recovery.
  if (unit.unit === '%' && !metal) return null
  const next = behind ? behind.next : unit.next
  const ranged = (isMark(tokens[at - 1], '-') || isWord(tokens[at - 1], 'to', 'à')) && isNumber(tokens[at - 2])
  const grade: Grade = {
    metal: metal?.metal ?? null,
    value: token.text,
    unit: unit.unit,
    qualifier: qualifierBefore(tokens, at),
    equivalent: metal?.equivalent ?? false,
    // `cut 3.2 g/t over 5 m` is a hole that cut it.
    capped: isWord(tokens[next], 'cut', 'capped', 'coupé') || isWord(tokens[at - 1], 'capped'),
    span: { start: token.start, end: (tokens[next - 1] as Token).end },
  }
  return { element: { kind: 'grade', grade, at, ranged }, next }
}

/** `Au 3.2 g/t`, `gold: 3.2 g/t`: the metal stands before, and is not the end of the grade before. */
function metalBefore(
  tokens: readonly Token[],
  at: number,
  french: boolean,
  before: readonly Element[],
): { metal: string; equivalent: boolean } | null {
  let place = at - 1
  while (
    place > at - 6 &&
    (isMark(tokens[place], ':') ||
      isMark(tokens[place], '=') ||
      isWord(tokens[place], 'grades', 'grade', 'of', 'at', 'mineralization', 'mineralisation', 'values', 'assays', 'averaging', 'grading') ||
      isMark(tokens[place], '~'))
  )
    place -= 1
  const last = before.at(-1)
  if (last?.kind === 'grade' && last.grade.span.end > (tokens[place]?.start ?? 0)) return null
  for (const start of [place - 1, place]) {
    const found = start < 0 ? null : metalAt(tokens, start, french)
    if (found && found.next === place + 1) return found
  }
  return null
}

function qualifierBefore(tokens: readonly Token[], at: number): Qualifier | null {
  const mark = tokens[at - 1]
  if (mark?.kind !== 'mark') return null
  return mark.text === '<' || mark.text === '>' || mark.text === '~' ? mark.text : null
}

/** An empty line, or a line that begins with a bullet, ends what stands before. */
function lineAt(tokens: readonly Token[], at: number): Found {
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

function markAt(tokens: readonly Token[], at: number): Found {
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
    (before?.kind === 'word' && (abbreviations.has(before.text) || before.raw.length === 1) && !metreWords.has(before.text) && before.text !== 't')
  )
    return false
  return behind?.kind !== 'word' || behind.raw[0] !== behind.text[0]
}

function wordAt(tokens: readonly Token[], at: number, french: boolean): Found {
  const token = tokens[at] as Token
  const { text } = token
  if (
    text === 'from' ||
    text === 'between' ||
    text === 'entre' ||
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
    if (hole) return hole
  }
  if (
    text === 'incl' ||
    text === 'including' ||
    text === 'incluant' ||
    text === 'dont' ||
    text === 'includes' ||
    text === 'comprenant' ||
    text === 'inc' ||
    (text === 'y' && isWord(tokens[at + 1], 'compris'))
  )
    return { element: nests(tokens, at) ? { kind: 'including', at } : { kind: 'word', text, at }, next: text === 'y' ? at + 2 : at + 1 }
  if (text === 'with' && nestsWith(tokens, at)) return { element: { kind: 'including', at }, next: at + 1 }
  if (text === 'within' && nestsWith(tokens, at)) return { element: { kind: 'within', at }, next: at + 1 }
  if (overs.has(text)) return { element: { kind: 'over', at }, next: at + 1 }
  if (text === 'and' || text === 'et') return { element: { kind: 'and', at }, next: at + 1 }
  if (text === 'cut' || text === 'capped' || text === 'coupé') return { element: { kind: 'capped', at }, next: at + 1 }
  if (ties.has(text)) return { element: { kind: 'ties', at }, next: at + 1 }
  return { element: { kind: 'word', text, at }, next: at + 1 }
}
/** `with 2 m @ 10 g/t`: a part of the interval before; `with grades of`, `with 3.2 g/t` is not. */
const nestsWith = (tokens: readonly Token[], at: number): boolean => isNumber(tokens[at + 1]) && lengthUnitAt(tokens, at + 2) !== null
/** `results including 12 m` names an example, no part. */
const nests = (tokens: readonly Token[], at: number): boolean =>
  !isWord(tokens[at - 1], 'results', 'highlights', 'intercepts', 'intersections', 'holes', 'assays', 'drilling', 'intervals', 'résultats')

/** `from 120 [m] [to 132.5 m]`, `from surface`, `starting at 120 m`, `at a depth of 120 m`. */
function depthAt(tokens: readonly Token[], at: number, word: string): Found | null {
  let place = at + 1
  if (word === 'starting' || word === 'beginning') place = isWord(tokens[place], 'at', 'from') ? place + 1 : place
  else if (word === 'partir') place = isWord(tokens[place], 'de') ? place + 1 : place
  else if (word === 'depth' || word === 'depths') {
    if (!isWord(tokens[place], 'of', 'from')) return null
    place += 1
  }
  while (isWord(tokens[place], 'a', 'downhole', 'depth', 'depths', 'of', 'about', 'approximately', 'hole', 'down') && place < at + 7) place += 1
  if (isMark(tokens[place], '~')) place += 1
  if (word !== 'depth' && isWord(tokens[place], 'surface')) {
    const surface = tokens[place] as Token
    const from: Length = { value: '0', unit: 'm', span: { start: surface.start, end: surface.end } }
    const to = isWord(tokens[place + 1], 'to') && isNumber(tokens[place + 2]) ? lengthUnitAt(tokens, place + 3) : null
    if (to)
      return { element: { kind: 'depth', from: { ...from, unit: to.unit }, to: lengthOf(tokens, place + 2, to.unit), said: true, at }, next: to.next }
    return { element: { kind: 'depth', from, to: null, said: true, at }, next: place + 1 }
  }
  if (!isNumber(tokens[place])) return null
  const range = rangeAt(tokens, place)
  if (range) return { element: { kind: 'depth', ...range.depth, said: true, at }, next: range.next }
  const open = openRange(tokens, place)
  if (open) return { element: { kind: 'depth', ...open.depth, said: true, at }, next: open.next }
  const unit = lengthUnitAt(tokens, place + 1)
  if (word === 'between' || word === 'entre' || (word === 'de' && !unit)) return null
  if (unit && word === 'de') return null
  if (unit) return { element: { kind: 'depth', from: lengthOf(tokens, place, unit.unit), to: null, said: true, at }, next: unit.next }
  // `from 516`: only where no word follows that it could count (`from 5 holes`).
  const behind = tokens[place + 1]
  const counts = behind?.kind === 'word' && !['incl', 'including', 'and', 'in', 'incluant', 'with'].includes(behind.text)
  if (counts || gradeFollows(tokens, place + 1) || isMark(tokens[place - 1], '$')) return null
  return { element: { kind: 'depth', from: lengthOf(tokens, place, 'm'), to: null, said: true, at }, next: place + 1 }
}
/** `from 120 to 132.5` without a unit. */
function openRange(tokens: readonly Token[], at: number) {
  if (!isWord(tokens[at + 1], 'to', 'à') && !isMark(tokens[at + 1], '-')) return null
  if (!isNumber(tokens[at + 2]) || gradeUnitAt(tokens, at + 3, false) || isMark(tokens[at + 3], '$')) return null
  const behind = tokens[at + 3]
  if (behind?.kind === 'word' && !['incl', 'including', 'and', 'in', 'incluant', 'with', 'grading', 'averaging', 'returned'].includes(behind.text))
    return null
  const [from, to] = [lengthOf(tokens, at, 'm'), lengthOf(tokens, at + 2, 'm')]
  return compareDecimals(from.value, to.value) < 0 ? { depth: { from, to }, next: at + 3 } : null
}

/** `hole DDH-21-005`, `hole 23-105`, `holes S-12`: what stands behind, up to a space. */
function holeAt(tokens: readonly Token[], at: number): Found | null {
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
  return isName ? { element: { kind: 'hole', hole: raw, trailing: isTrailing(tokens, at), at }, next: end + 1 } : null
}
const isHolePart = (token: Token | undefined): boolean =>
  token?.joined === true &&
  (token.kind === 'number' || token.kind === 'name' || token.kind === 'word' || token.kind === 'unclear' || isMark(token, '-') || isMark(token, '_'))

const notHoles = new Set(drillRules.not_holes.map(each => each.toLowerCase()))
/** A name such as `KHDDH808` or `ABC-21-005`: capitals, and at least two digits. */
function holeName({ raw, text }: Token): string | null {
  const letters = /^[A-Z]{1,8}/.exec(raw)?.[0]
  if (letters === undefined || raw.length > 24 || (raw.match(/\d/g)?.length ?? 0) < 2) return null
  const lead = /^[a-z]+(?:-[a-z]+)*/.exec(text)?.[0] ?? ''
  if (notHoles.has(lead) || notHoles.has(lead.split('-', 1)[0] ?? '') || /[a-z]/.test(raw.slice(letters.length, letters.length + 1))) return null
  return raw
}
/** `… in hole X`, `… from X`: the hole is named behind its results. */
function isTrailing(tokens: readonly Token[], at: number): boolean {
  let place = at - 1
  while (place > at - 6 && (tokens[place]?.kind === 'line' || isWord(tokens[place], 'drill', 'diamond', 'hole', 'drillhole'))) place -= 1
  return isWord(tokens[place], 'in', 'from', 'dans', 'within')
}

export const spanOf = (tokens: readonly Token[], from: number, to: number): Span => ({
  start: tokens[from]?.start ?? 0,
  end: tokens[Math.max(from, to)]?.end ?? 0,
})
