// Text to tokens in one pass: numbers (in English or French spelling), words, names with digits, marks. Every token has its position.
import { foldMarks, isHardSpace, lowerCase } from './fold.ts'

export type Token = {
  /** `number`; `word` of letters; `name`: letters and digits, such as a hole; `mark`: one character; `line`: a line feed; `unclear`: digits that are no number. */
  readonly kind: 'number' | 'word' | 'name' | 'mark' | 'line' | 'unclear'
  readonly start: number
  readonly end: number
  /** Lower case; for a number, its decimal in plain digits. */
  readonly text: string
  /** As printed. */
  readonly raw: string
  /** No space before it. */
  readonly joined: boolean
}
/** `from120m`: a word and a number without a space. */
const gluedWord = /^(?:from|to|over|of|at|incl)\d/
/** How a text writes its numbers. */
export type NumberStyle = 'point' | 'comma'

const isDigit = (code: number): boolean => code >= 48 && code <= 57
const isLetter = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 0xc0 && code <= 0x24f && code !== 0xd7 && code !== 0xf7)

/** `comma` if more numbers have one or two digits after a comma than have any after a point: French and Spanish texts. */
export function numberStyle(text: string): NumberStyle {
  let [points, commas] = [0, 0]
  for (let at = 1; at + 1 < text.length; at++) {
    const mark = text.charCodeAt(at)
    if ((mark !== 44 && mark !== 46) || !isDigit(text.charCodeAt(at - 1)) || !isDigit(text.charCodeAt(at + 1))) continue
    if (mark === 46) points += 1
    else {
      const end = digitsFrom(text, at + 1)
      // `10,20,30` is a row of values, not a decimal.
      const listed = text[end] === ',' || text[end] === '.' || text[at - 2] === ',' || text[at - 3] === ',' || text[at - 4] === ','
      if (end - at - 1 !== 3 && !listed) commas += 1
    }
  }
  return commas > points ? 'comma' : 'point'
}

function digitsFrom(text: string, from: number): number {
  let at = from
  while (isDigit(text.charCodeAt(at))) at += 1
  return at
}

/** The tokens of a text in order. Linear in its length: each character is read a bounded number of times. */
export function tokenize(original: string, style: NumberStyle = numberStyle(original)): Token[] {
  const text = foldMarks(original)
  const lower = lowerCase(text)
  const tokens: Token[] = []
  let at = 0
  let spaced = true
  const push = (kind: Token['kind'], end: number, value: string): void => {
    tokens.push({ kind, start: at, end, text: value, raw: text.slice(at, end), joined: !spaced })
    at = end
    spaced = false
  }
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === 32 || code === 9) {
      spaced = true
      at += 1
    } else if (code === 10) {
      push('line', at + 1, '\n')
      spaced = true
    } else if (isDigit(code) || (code === 46 && isDigit(text.charCodeAt(at + 1)) && !isDigit(text.charCodeAt(at - 1)))) {
      const end = numberEnd(text, original, at, style)
      const value = decimalOf(text.slice(at, end), style)
      if (value === null) push('unclear', end, lower.slice(at, end))
      else push('number', end, value)
    } else if (isLetter(code)) {
      const end = gluedWord.test(lower.slice(at, at + 6)) ? at : nameEnd(text, at)
      if (end > at) push('name', end, lower.slice(at, end))
      else push('word', lettersEnd(text, at), lower.slice(at, lettersEnd(text, at)))
    } else push('mark', at + 1, lower[at] as string)
  }
  return tokens
}

/** Words and marks that a bracket may contain if it only defines notation. */
const definition = /^(?:g|t|gpt|m|ft|oz|opt|st|ton|tonne|ppm|ppb|au|ag|cu|zn|pb|ni|mo|co|pt|pd|aueq|ageq|cueq|eq|["'%/-])$/
/** Removes brackets such as `("g/t")`, `(Au)`, `("m")`, which only define notation. */
export function withoutDefinitions(tokens: readonly Token[]): Token[] {
  const kept: Token[] = []
  for (let at = 0; at < tokens.length; at++) {
    const end = (tokens[at] as Token).text === '(' ? definitionEnd(tokens, at) : at
    if (end > at) at = end
    else kept.push(tokens[at] as Token)
  }
  return kept
}
function definitionEnd(tokens: readonly Token[], open: number): number {
  for (let at = open + 1; at < open + 10; at++) {
    const token = tokens[at]
    if (token?.text === ')') return at > open + 1 ? at : open
    if (!token || token.kind === 'number' || !(definition.test(token.text) || ['li2o', 'u3o8'].includes(token.text))) return open
  }
  return open
}

const sixteenths: Readonly<Record<string, number>> = { '2': 8, '4': 4, '8': 2, '16': 1 }
const printedFractions: Readonly<Record<string, number>> = { '½': 8, '¼': 4, '¾': 12, '⅛': 2, '⅜': 6, '⅝': 10, '⅞': 14 }
const measured = /^(?:ft|feet|foot|oz|ounce|ounces|opt|m|metre|metres|meter|meters|in|inch|inches)$/

/** `5 1/2 feet`, `1/4 oz`, `5½ ft` as one number each: fractions of 2, 4, 8 and 16 before a unit that uses them. */
export function withFractions(tokens: readonly Token[]): Token[] {
  const read: Token[] = []
  for (let at = 0; at < tokens.length; at++) {
    const found = fractionAt(tokens, at)
    if (found) at = found.last
    read.push(found?.token ?? (tokens[at] as Token))
  }
  return read
}
function fractionAt(tokens: readonly Token[], at: number): { readonly token: Token; readonly last: number } | null {
  const first = tokens[at] as Token
  const whole = first.kind === 'number' && /^\d{1,5}$/.test(first.text) ? first : null
  const behind = whole && !isSlash(tokens[at + 1]) ? at + 1 : at
  const part = partAt(tokens, behind)
  const last = tokens[part?.last ?? at] as Token
  const unit = tokens[(part?.last ?? at) + 1]
  if (!part || (behind === at && first.joined && tokens[at - 1]?.kind !== 'mark') || !(unit?.kind === 'word' && measured.test(unit.text))) return null
  const value = `${(behind === at ? 0 : Number(whole?.text)) * 10_000 + part.sixteenths * 625}`.padStart(5, '0')
  const text = `${value.slice(0, -4)}.${value.slice(-4)}`.replace(/\.?0+$/, '')
  return { token: { ...first, kind: 'number', end: last.end, text, raw: `${first.raw} ${last.raw}` }, last: part.last }
}
/** Sixteenths of `1/2` or `½`, and the last token of it. */
function partAt(tokens: readonly Token[], at: number): { readonly sixteenths: number; readonly last: number } | null {
  const [top, slash, bottom] = [tokens[at], tokens[at + 1], tokens[at + 2]]
  const printed = printedFractions[top?.raw ?? '']
  if (printed !== undefined) return { sixteenths: printed, last: at }
  const each = sixteenths[bottom?.text ?? '']
  if (top?.kind !== 'number' || !isSlash(slash) || bottom?.kind !== 'number' || each === undefined) return null
  return /^\d{1,2}$/.test(top.text) && Number(top.text) * each < 16 && Number(top.text) > 0
    ? { sixteenths: Number(top.text) * each, last: at + 2 }
    : null
}
const isSlash = (token: Token | undefined): boolean => token?.kind === 'mark' && token.text === '/' && token.joined

function lettersEnd(text: string, from: number): number {
  let at = from
  while (isLetter(text.charCodeAt(at))) at += 1
  return at
}

/** End of a name of letters, digits, dashes and underscores that contains a digit; `from` if there is none. */
function nameEnd(text: string, from: number): number {
  let at = lettersEnd(text, from)
  let digits = false
  // The caller handles a run of letters only: each part of `core-length-weighted` is read from its beginning.
  for (let parts = 0; parts < 8; parts++) {
    const code = text.charCodeAt(at)
    const behind = code === 45 || code === 95 ? at + 1 : at
    const next = text.charCodeAt(behind)
    if (isDigit(next)) {
      const end = digitsFrom(text, behind)
      const point = text.charCodeAt(end)
      // `from-120.5` and `Cu0.5`: a part with decimals is a number.
      if ((point === 46 || point === 44) && isDigit(text.charCodeAt(end + 1))) break
      digits = true
      at = end
    } else if (isLetter(next) && (behind === at ? digits : true)) {
      const end = lettersEnd(text, behind)
      // A word after a dash belongs to a name only if it contains digits or digits follow.
      if (behind > at && !digits && !digitFollows(text, end)) break
      if (behind > at && digits && end - behind > 4) break
      at = end
    } else break
  }
  return digits ? at : from
}
function digitFollows(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return isDigit(code) || ((code === 45 || code === 95) && isDigit(text.charCodeAt(at + 1)))
}

/** Digits with their points, commas and (if they are thousands) spaces. */
function numberEnd(text: string, original: string, from: number, style: NumberStyle): number {
  let at = digitsFrom(text, from)
  for (;;) {
    const code = text.charCodeAt(at)
    if ((code === 46 || code === 44) && isDigit(text.charCodeAt(at + 1))) {
      // In a list of an English text whose items are separated by spaces, `1,2` is two numbers only if a space follows the comma.
      at = digitsFrom(text, at + 1)
      continue
    }
    const hard = isHardSpace(original.charCodeAt(at))
    const grouped = (hard || (style === 'comma' && code === 32)) && at - from <= 3 + 4 * 3 && isThousands(text, from, at)
    if (!grouped) return at
    at += 4
  }
}
/** Up to three digits, a space, three digits and no more. */
function isThousands(text: string, from: number, at: number): boolean {
  let first = from
  while (isDigit(text.charCodeAt(first))) first += 1
  const behind = digitsFrom(text, at + 1)
  return first - from <= 3 && behind - at === 4 && text.charCodeAt(from) !== 48
}

/** The decimal value of digits, points, commas and spaces; null if they form none. */
export function decimalOf(printed: string, style: NumberStyle): string | null {
  const text = printed.replaceAll(/\s/g, '')
  const points = text.split('.').length - 1
  const commas = text.split(',').length - 1
  if (points === 0 && commas === 0) return plain(text, '')
  if (points > 1 && commas === 0) return style === 'comma' && grouped(text.split('.')) ? plain(text.replaceAll('.', ''), '') : null
  if (commas === 0) {
    const [whole = '', fraction = ''] = text.split('.')
    return plain(whole, fraction)
  }
  const groups = text.split(',')
  if (points === 0) {
    const decimal = commas === 1 && (groups[1]?.length !== 3 || style === 'comma' || groups[0] === '0')
    if (decimal) return plain(groups[0] as string, groups[1] as string)
    return grouped(groups) ? plain(groups.join(''), '') : null
  }
  // With both marks, the last one is the decimal mark.
  const point = text.lastIndexOf('.')
  const comma = text.lastIndexOf(',')
  const [thousands, decimals] =
    point > comma ? [text.slice(0, point).split(','), text.slice(point + 1)] : [text.slice(0, comma).split('.'), text.slice(comma + 1)]
  return thousands.every(group => /^\d+$/.test(group)) && grouped(thousands) ? plain(thousands.join(''), decimals) : null
}
const grouped = (groups: readonly string[]): boolean =>
  groups.every((group, at) => (at === 0 ? group.length >= 1 && group.length <= 3 : group.length === 3))
/** Longer digit strings measure nothing in a drill hole, and exact arithmetic with them takes long. */
const mostDigits = 24
function plain(whole: string, fraction: string): string | null {
  if (whole.length + fraction.length > mostDigits) return null
  const digits = whole.replace(/^0+(?=\d)/, '') || '0'
  return fraction === '' ? digits : `${digits}.${fraction}`
}
