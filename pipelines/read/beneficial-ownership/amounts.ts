// The value after a cover page's label: an amount, a percentage, codes. Each has a confidence by the rules below.
//   0.98  a plain number, or -0-, alone in its place
//   0.95  a word for nothing: none, nil, zero
//   0.9   a number with words around it; a percentage without its sign
//   0.7   several numbers of which the first was taken; a corrected number (blank or stop for a comma)
//   0.5   a lone dash
import { decimalText } from '#schemas/values.ts'
import { fundSources, personTypes } from './codes.ts'

/** `value` null: the field states that there is none (N/A), or refers elsewhere. Offsets are in the segment. */
export type Value<T> = {
  readonly value: T | null
  readonly start: number
  readonly end: number
  readonly confidence: number
  readonly flag: string | null
}

const longest = 600
/** Words of the box next to the powers, and tails of labels: they are not part of the value. */
const idle =
  /^(?:number|of|shares?|beneficially|owned|by|each|reporting|persons?|with|before|filling|out|instructions?|\(see|see:?|the|a|an)[:;,.)*!]*$/i
const reference =
  /^(?:also|the|attached|responses?|to|items?|rows?|lines?|notes?|footnotes?|exhibit|schedule|section|paragraph|page|pages|of|in|on|and|or|herein|hereto|below|above|statement|this|cover|explanatory|annex|appendix|[A-K]|[\dIVXa-k()[\].,;:&-]+)$/i
const mark = /^(?:[([{]\w{1,3}[)\]}]|\*+|†+|‡+|#)+[.,;]?$/
const nothing = /^[-–—~_]{0,3}0[-–—~_]{0,3}(?:[.,;:]|\*+|[([]\w{1,3}[)\]])*$|^[-–—~_]{1,3}[Oo][-–—~_]{1,3}(?:[.,;:]|\*+|[([]\w{1,3}[)\]])*$/
const word = /^(?:none|nil|zero|-none-)(?:[.,;:]|\*+|[([]\w{1,3}[)\]])*$/i
const absent = /^(?:n\/a|n\.a\.?|na|inapplicable)[.,;:*]*$/i
const grouped = /^[([$~]*(\d{1,3}(?:,\d{3}){1,9})(\d*)(\.\d+)?/
const plain = /^[([$~]*(\d+)(\.\d+)?(?![\d/]|-\d)/

type Token = { readonly text: string; readonly start: number }

function tokensOf(segment: string): Token[] {
  return [...segment.slice(0, longest).matchAll(/\S+/g)].map(match => ({ text: match[0], start: match.index }))
}

/** The number that a token begins with, and how many of its characters that takes. */
function numberAt(tokens: readonly Token[], at: number): { value: string; end: number; repaired: boolean } | null {
  const { text, start } = tokens[at] as Token
  // "1, 234, 567": spaces after the commas.
  let whole = text
  let last = at
  while (/^\d{1,3}(?:,\d{3})*,$/.test(whole) && /^\d{3}(?!\d)/.test(tokens[last + 1]?.text ?? '')) {
    last += 1
    whole += (tokens[last] as Token).text
  }
  const split = last > at
  const before = whole.length - (tokens[last] as Token).text.length
  const end = (length: number): number => (split ? (tokens[last] as Token).start + length - before : start + length)
  const commas = grouped.exec(whole)
  if (commas?.[1] !== undefined) {
    // Digits after a complete group of three are a footnote's mark, raised in the document.
    const length = commas[2] === '' ? commas[0].length : commas[0].length - (commas[2]?.length ?? 0) - (commas[3]?.length ?? 0)
    const printed = commas[2] === '' ? `${commas[1]}${commas[3] ?? ''}` : commas[1]
    return { value: decimalText(printed) ?? '', end: end(length), repaired: split }
  }
  const stops = /^\d{1,3}(?:\.\d{3}){2,}(?!\d)/.exec(whole)
  if (stops) return { value: stops[0].replaceAll('.', ''), end: end(stops[0].length), repaired: true }
  const digits = plain.exec(whole)
  if (digits === null) return null
  return { value: decimalText(`${digits[1]}${digits[2] ?? ''}`) ?? '', end: end(digits[0].length), repaired: false }
}

/** The amount after a label: its first number, or a word or sign for none. Null if nothing is there. `own`: numbers of the row. */
export function amountIn(segment: string, own: readonly number[] = []): Value<string> | null {
  const tokens = tokensOf(segment)
  let words = 0
  let dash: Token | null = null
  let away: Token | null = null
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as Token
    const { text, start } = token
    const whole = { start, end: start + text.length, flag: null }
    if (nothing.test(text)) return { value: '0', confidence: confidenceOf(0.98, words), ...whole }
    if (word.test(text)) return { value: '0', confidence: confidenceOf(0.95, words), ...whole }
    if (absent.test(text) || (/^\(?not$/i.test(text) && /^applicable/i.test(tokens[at + 1]?.text ?? '')))
      return { value: null, confidence: 0.9, ...whole, flag: 'not_applicable' }
    if (/^[-–—]{1,2}$/.test(text)) dash ??= token
    else if (/^\(?(?:see|refer)[:,]?$/i.test(text)) {
      away ??= token
      at = behindReference(tokens, at)
    } else if (!mark.test(text) && !/^[-–—_=.|:]+$/.test(text) && !idle.test(text)) {
      const number = numberAt(tokens, at)
      const isRow = number !== null && own.includes(Number(number.value)) && tokens.slice(at + 1).some((_, after) => isAmount(tokens, at + 1 + after))
      if (number !== null && !isRow) {
        const several = tokens.slice(at + 1).some((later, after) => !later.text.startsWith('(') && isLarge(tokens, at + 1 + after))
        const confidence = several || number.repaired ? 0.7 : confidenceOf(0.98, words)
        return { value: number.value, start, end: number.end, confidence, flag: several ? 'several_numbers' : null }
      }
      if (number === null) words += 1
      if (words > 24) break
    }
  }
  if (away) return { value: null, start: away.start, end: away.start + away.text.length, confidence: 0.9, flag: 'refers_elsewhere' }
  // A dash in a number's place means nothing held; in running text it means nothing.
  if (dash && words === 0) return { value: '0', start: dash.start, end: dash.start + dash.text.length, confidence: 0.5, flag: 'dash_for_zero' }
  return null
}

const confidenceOf = (best: number, words: number): number => (words === 0 ? best : 0.9)
const isAmount = (tokens: readonly Token[], at: number): boolean => {
  const text = tokens[at]?.text ?? ''
  return nothing.test(text) || word.test(text) || absent.test(text) || /^[-–—]{1,2}$/.test(text) || numberAt(tokens, at) !== null
}
const isLarge = (tokens: readonly Token[], at: number): boolean => /^[$]?\d{1,3}(?:,\d{3}){1,9}/.test(tokens[at]?.text ?? '')

/** The last token of "see Item 5", "(see Note 1 below)". */
function behindReference(tokens: readonly Token[], from: number): number {
  let at = from
  const bracketed = (tokens[from]?.text ?? '').startsWith('(')
  while (at + 1 < tokens.length && at - from < 14) {
    const next = (tokens[at + 1] as Token).text
    if (bracketed ? (tokens[at] as Token).text.endsWith(')') && at > from : !reference.test(next) || grouped.test(next)) break
    at += 1
  }
  return at
}

/** The percentage after its label, without the sign; a bound ("less than 1%") is text, not a number. */
export function percentIn(segment: string): (Value<string> & { readonly printed: string | null }) | null {
  const short = segment.slice(0, longest)
  const signed = /(\d{1,3}(?:[.,]\d+)?|[.]\d+)\s{0,2}(?:%|percent\b)/i.exec(short)
  if (signed?.[1] !== undefined) {
    const bound = /(?:(?:less|more|greater|fewer|not more) than|under|over|up to|[<>≤≥])\s{0,3}$/i.exec(short.slice(0, signed.index))
    const start = bound ? bound.index : signed.index
    const end = signed.index + signed[0].length
    const printed = short
      .slice(start, end)
      .replace(/\s*(?:%|percent)$/i, '')
      .replace(/\s+/g, ' ')
    if (bound) return { value: null, start, end, confidence: 0.9, flag: 'is_a_bound', printed }
    const comma = signed[1].includes(',')
    const clear = signed.index < 60 && amountIn(short.slice(0, signed.index)) === null
    return { value: decimalText(signed[1].replace(',', '.')), start, end, confidence: comma ? 0.7 : clear ? 0.98 : 0.9, flag: null, printed }
  }
  const amount = amountIn(short)
  if (amount === null) {
    const star = /^\W{0,20}?(\*{1,3})/.exec(short)
    return star?.[1] === undefined
      ? null
      : { value: null, start: star[0].length - star[1].length, end: star[0].length, confidence: 0.9, flag: 'in_footnote', printed: star[1] }
  }
  // Text that only states that there is none, or refers to another place, is not a printed percentage.
  const printed = amount.value === null ? null : short.slice(amount.start, amount.end)
  if (amount.value !== null && Number(amount.value) > 100) return { ...amount, value: null, confidence: 0.5, flag: 'over_100', printed }
  return { ...amount, confidence: Math.min(amount.confidence, 0.9), printed }
}

/** Two-letter codes from the start of a segment up to the first word that is not a code. */
function codesIn(segment: string, codes: ReadonlySet<string>): (Value<readonly string[]> & { readonly value: readonly string[] }) | null {
  const found: string[] = []
  let first = 0
  let last = 0
  for (const match of segment.slice(0, 300).matchAll(/\([^()]{0,80}\)|[A-Za-z0-9]+|\n/g)) {
    const text = match[0]
    // Filers print zeros for the letters of OO.
    const code = text === '00' ? 'OO' : text
    if (codes.has(code)) {
      if (found.length === 0) first = match.index
      last = match.index + text.length
      if (!found.includes(code)) found.push(code)
    } else if (text === '\n' ? false : !text.startsWith('(') && !/^(?:and|or|see|instructions?|before|filling|out|\d{1,2})$/i.test(text)) break
  }
  if (found.length > 0) return { value: found, start: first, end: last, confidence: 0.98, flag: null }
  // "(IN)", as some print it.
  const inner = /^[\s:.*]{0,20}\(([A-Z]{2})\)/.exec(segment)
  if (inner?.[1] === undefined || !codes.has(inner[1])) return null
  return { value: [inner[1]], start: inner[0].length - 4, end: inner[0].length, confidence: 0.9, flag: null }
}

const typeWords: readonly (readonly [RegExp, string])[] = [
  [/^individual\b/i, 'IN'],
  [/^(?:limited |general )?partnership\b/i, 'PN'],
  [/^corporation\b/i, 'CO'],
  [/^(?:registered )?investment advis[eo]r\b/i, 'IA'],
  [/^(?:bank)\b/i, 'BK'],
  [/^(?:limited liability company|trust|other)\b/i, 'OO'],
  [/^(?:parent )?holding company\b/i, 'HC'],
]

/** The types of a reporting person: codes, or the words for them. */
export function typesIn(segment: string): (Value<readonly string[]> & { readonly value: readonly string[] }) | null {
  const codes = codesIn(segment, personTypes)
  if (codes) return codes
  const lead = /^[\s:.*)]*/.exec(segment)?.[0].length ?? 0
  const text = segment.slice(lead, lead + 60)
  const lower = /^[a-z]{2}(?=[\s.,;]|$)/.exec(text)?.[0].toUpperCase()
  if (lower !== undefined && personTypes.has(lower)) return { value: [lower], start: lead, end: lead + 2, confidence: 0.7, flag: null }
  const named = typeWords.find(([pattern]) => pattern.test(text))
  if (named === undefined) return null
  const length = named[0].exec(text)?.[0].length ?? 0
  return { value: [named[1]], start: lead, end: lead + length, confidence: 0.6, flag: 'type_in_words' }
}

export const fundsIn = (segment: string) => codesIn(segment, fundSources)
