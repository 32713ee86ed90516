// Figures of an answer: read from a call by pointer, computed from other figures by a named rule, or taken from the question. An answer
// contains no other digits.
import type { Claim } from '#schemas/assistant.ts'
import { compareDecimals, decimalsOf, productOf, quotientOf, roundedDecimal, signedSum, sumOf } from '#schemas/decimals.ts'
import { Broken } from '#schemas/errors.ts'
import { plainDecimal } from '#schemas/values.ts'
import { lengthAt, textAt } from './json-values.ts'
import type { Result } from './result.ts'

/**
 * How a value is printed. `number` groups thousands; `places` rounds half away from zero (only the printed text); `unit` follows it. `name`
 * and `text` are escaped for Markdown, and `text` (words of a filing) is shortened.
 */
export type Style =
  | { readonly as: 'number'; readonly unit?: string | null; readonly places?: number; readonly sign?: boolean }
  | { readonly as: 'date' }
  | { readonly as: 'name' }
  | { readonly as: 'instant' }
  | { readonly as: 'word' }
  | { readonly as: 'text'; readonly most?: number }
type NumberStyle = Extract<Style, { as: 'number' }>
export const plain: NumberStyle = { as: 'number' }
export const name: Style = { as: 'name' }
export const date: Style = { as: 'date' }
export const instant: Style = { as: 'instant' }
export const word: Style = { as: 'word' }
export const quoted: Style = { as: 'text' }
export const percent: NumberStyle = { as: 'number', unit: '%', places: 2 }
export const signedPercent: NumberStyle = { as: 'number', unit: '%', places: 2, sign: true }
export const money = (currency: string | null, places?: number): NumberStyle =>
  places === undefined ? { as: 'number', unit: currency } : { as: 'number', unit: currency, places }
export const rounded = (places: number, unit: string | null = null): NumberStyle => ({ as: 'number', places, unit })

type Rule = 'sum' | 'difference' | 'growth_pct' | 'ratio' | 'product' | 'count' | 'percent_of' | 'question' | 'clock' | 'definition'
/** A figure. It gets its number when the answer is finished. */
export type Figure = {
  readonly text: string
  readonly value: string | null
  readonly unit: string | null
  readonly call: Result | null
  readonly pointer: string | null
  readonly operands: readonly Figure[]
  readonly rule: Rule | null
}

/** Decimal places of computed quotients before they are printed. */
const quotientPlaces = 12

/** A value of an answer; null if the answer has null or nothing there. */
export function read(result: Result, pointer: string, style: Style = plain): Figure | null {
  const value = textAt(result.tree, pointer)
  if (value === null || value === undefined) return null
  return { text: print(value, style), value, unit: unitOf(style), call: result, pointer, operands: [], rule: null }
}
/** A value that the answer always has. Throws `Broken` if it is missing. */
export function must(result: Result, pointer: string, style: Style = plain): Figure {
  const found = read(result, pointer, style)
  if (found === null) throw new Broken(`${result.operation}: no value at ${pointer}`)
  return found
}
/** The number of items in a list of an answer. */
export function countAt(result: Result, pointer: string): Figure {
  const value = String(lengthAt(result.tree, pointer))
  return { text: print(value, plain), value, unit: null, call: result, pointer, operands: [], rule: 'count' }
}
/** A word, number or day of the question. */
export const given = (value: string, style: Style = word): Figure => taken(value, style, 'question')
/** Figures by convention for a word of the question: oversold is a strength index below 30, a share is one share. */
export const definitions = { oversold: '30', overbought: '70', a_share: '1' } as const
export const defined = (word_: keyof typeof definitions): Figure => taken(definitions[word_], plain, 'definition')
/** A day that follows from the data clock: yesterday, the first of January. */
export const fromClock = (day: string): Figure => taken(day, date, 'clock')
const taken = (value: string, style: Style, rule: Rule): Figure => ({
  text: print(value, style),
  value,
  unit: unitOf(style),
  call: null,
  pointer: null,
  operands: [],
  rule,
})

const decimal = (figure: Figure): string => decimalOf(figure.value ?? '')
/** The decimal of a JSON number, exponents resolved. Throws `Broken` for a text that is not a number. */
export function decimalOf(value: string): string {
  if (/^-?\d+(\.\d+)?$/.test(value)) return value
  if (/^-?\d+(\.\d+)?[eE][+-]?\d+$/.test(value)) return plainDecimal(Number(value))
  throw new Broken(`"${value.slice(0, 40)}" is no number to compute with`)
}

function computed(rule: Rule, operands: readonly Figure[], value: string, style: Style): Figure {
  return { text: print(value, style), value, unit: unitOf(style), call: null, pointer: null, operands, rule }
}
export const sum = (figures: readonly Figure[], style: Style = plain): Figure => computed('sum', figures, sumOf(figures.map(decimal)), style)
export const difference = (left: Figure, right: Figure, style: Style = plain): Figure =>
  computed('difference', [left, right], apply('difference', [decimal(left), decimal(right)]), style)
export const product = (left: Figure, right: Figure, style: Style = plain): Figure =>
  computed('product', [left, right], apply('product', [decimal(left), decimal(right)]), style)
export const percentOf = (whole: Figure, rate: Figure, style: Style = plain): Figure =>
  computed('percent_of', [whole, rate], apply('percent_of', [decimal(whole), decimal(rate)]), style)
export const countOf = (figures: readonly Figure[]): Figure => computed('count', figures, String(figures.length), plain)
/** Null if the divisor is zero. */
export const ratio = (left: Figure, right: Figure, style: Style = rounded(2)): Figure | null =>
  isZero(right) ? null : computed('ratio', [left, right], apply('ratio', [decimal(left), decimal(right)]), style)
/** From `before` to `after` in percent; null if `before` is not above zero. */
export const growth = (before: Figure, after: Figure, style: Style = signedPercent): Figure | null =>
  compareDecimals(decimal(before), '0') <= 0
    ? null
    : computed('growth_pct', [before, after], apply('growth_pct', [decimal(before), decimal(after)]), style)
/** The largest (sign 1) or smallest (-1) of figures: one of them, not a new one. */
export const extreme = (figures: readonly Figure[], sign: 1 | -1): Figure =>
  figures.reduce((best, each) => (compareDecimals(decimal(each), decimal(best)) * sign > 0 ? each : best))
export const isZero = (figure: Figure): boolean => compareDecimals(decimal(figure), '0') === 0
export const isNegative = (figure: Figure): boolean => compareDecimals(decimal(figure), '0') < 0

/** The value of a rule over its operands' decimals: `computed` stores it, and a check of a claim repeats it. */
export function apply(rule: string, values: readonly string[]): string {
  const [a = '0', b = '0'] = values
  if (rule === 'sum') return sumOf(values)
  if (rule === 'count') return String(values.length)
  if (rule === 'product') return productOf(a, b)
  if (rule === 'percent_of') return quotientOf(productOf(a, b), '100', quotientPlaces)
  if (rule === 'ratio') return quotientOf(a, b, quotientPlaces)
  const change = signedSum([
    { sign: 1, value: rule === 'growth_pct' ? b : a },
    { sign: -1, value: rule === 'growth_pct' ? a : b },
  ])
  if (rule === 'difference') return change
  if (rule === 'growth_pct') return quotientOf(productOf(change, '100'), a, quotientPlaces)
  throw new Broken(`no rule "${rule}" to compute with`)
}

const unitOf = (style: Style): string | null =>
  style.as === 'number' ? (style.unit ?? null) : style.as === 'word' || style.as === 'text' ? null : style.as

/** Trailing zeros that a store adds (0.4050000000, 7214880.00 of a count) are not digits of the source. */
const withoutStorage = (digits: string): string =>
  /\.\d{7,}$/.test(digits) ? digits.replace(/0+$/, '').replace(/\.$/, '') : /^-?\d{4,}\.0+$/.test(digits) ? digits.replace(/\.0+$/, '') : digits
/** A value as an answer prints it. */
export function print(value: string, style: Style): string {
  if (style.as === 'date') return value.slice(0, 10)
  if (style.as === 'instant') return `${value.slice(0, 10)} ${value.slice(11, 16)} UTC`
  if (style.as === 'word') return escapeMarkdown(cut(value.replaceAll('_', ' '), 160))
  if (style.as === 'name') return escapeMarkdown(cut(value, 160))
  if (style.as === 'text') return escapeMarkdown(cut(value, style.most ?? 300))
  if (!/^-?\d/.test(value)) return escapeMarkdown(value)
  const exact = withoutStorage(decimalOf(value))
  const shown = style.places !== undefined && decimalsOf(exact) > style.places ? roundedDecimal(exact, style.places) : exact
  const sign = style.sign === true && !shown.startsWith('-') && !/^0(\.0*)?$/.test(shown) ? '+' : ''
  return `${sign}${grouped(shown)}${style.unit === undefined || style.unit === null || style.unit === '' ? '' : ` ${style.unit}`}`
}
function grouped(text: string): string {
  const [whole = '', fraction] = text.split('.')
  const spaced = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? spaced : `${spaced}.${fraction}`
}
const cut = (text: string, most: number): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= most
    ? line
    : `${[...line]
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`
}
/** Text that Markdown prints unchanged: it cannot become a link, image, heading, HTML or table cell, and a bare address does not become a link. */
export const escapeMarkdown = (text: string): string =>
  text
    .replaceAll(/[\\`*_[\]<>|#~!]/g, '\\$&')
    .replaceAll(/(https?|ftp):\/\//gi, '$1:\u200b//')
    .replaceAll(/\bwww\./gi, 'www\u200b.')
    .replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, ' ')

/** The claims of the figures in an answer, and of their operands, in the order of the answer. */
export function claimsOf(figures: readonly Figure[]): Claim[] {
  const numbers = new Map<Figure, number>()
  const claims: Claim[] = []
  const numberOf = (figure: Figure): number => {
    const held = numbers.get(figure)
    if (held !== undefined) return held
    const operands = figure.operands.map(numberOf)
    const n = claims.length + 1
    numbers.set(figure, n)
    claims.push({
      n,
      text: figure.text,
      call: figure.call?.n ?? null,
      pointer: figure.pointer,
      value: figure.value,
      unit: figure.unit,
      release: figure.call?.release ?? null,
      receipt_id: figure.call?.receipt_id ?? null,
      operands,
      rule: figure.rule,
    })
    return n
  }
  for (const figure of figures) numberOf(figure)
  return claims
}
