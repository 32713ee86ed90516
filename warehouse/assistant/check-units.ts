// Units, signs, scales and rounding: whether a figure of a text prints a value of an answer.
import { compareDecimals, decimalsOf, productOf, roundedDecimal, shiftDecimal } from '#schemas/decimals.ts'
import { nameOf, stem, type Value } from './check-values.ts'
import type { FigureToken } from './figures.ts'

/** One way to read a figure: `(1,234)` is 1,234 or, as accountants print it, -1,234; `12 m` is twelve million or twelve metres. */
export type Reading = FigureToken & { readonly isAccounting?: boolean }

const trailingUnits: readonly (readonly [RegExp, string])[] = [
  [/^\s?(?:g\/t|gpt\b|grams? per tonne\b)/i, 'g/t'],
  [/^\s?(?:oz\/t\b|opt\b|ounces? per ton\b)/i, 'oz/t'],
  [/^\s?ppm\b/i, 'ppm'],
  [/^\s?(?:g\*m|gram[- ]metres?)\b/i, 'g*m'],
  [/^\s?(?:m|metres?|meters?)\b(?!\s?[$€£])/, 'm'],
  [/^\s?(?:[a-z]+ ){0,2}shares?\b(?! prices?)/i, 'shares'],
]
/** The unit that is printed behind a bare number. */
export const unitBehind = (text: string, { kind, unit, end }: FigureToken): string | null =>
  unit !== null || kind !== 'number' ? null : (trailingUnits.find(([pattern]) => pattern.test(text.slice(end, end + 40)))?.[1] ?? null)

const magnitudes: Readonly<Record<string, number>> = { thousand: 3, k: 3, million: 6, m: 6, mn: 6, billion: 9, b: 9, bn: 9 }
const signs: Readonly<Record<string, string>> = { US$: 'USD', C$: 'CAD', CA$: 'CAD', $: '$', '€': 'EUR', '£': 'GBP' }

/** The readings of a figure, the likeliest first. */
export function readingsOf(figure: FigureToken, text: string): Reading[] {
  if (figure.value === null || figure.kind === 'date' || figure.kind === 'identifier') return [figure]
  const readings: Reading[] = []
  const accounting = /(US\$|CA\$|C\$|[$€£])?\s?\($/.exec(text.slice(Math.max(0, figure.start - 5), figure.start))
  const closed = /^\)\s?(?:(k|m|mn|b|bn|thousand|million|billion)\b)?/i.exec(text.slice(figure.end, figure.end + 12))
  // "(0.76 CAD)" is a remark; accountants put nothing but the number in parentheses.
  if (accounting && closed && (figure.magnitude > 0 || /\d$/.test(figure.text)) && !figure.value.startsWith('-')) {
    const power = magnitudes[(closed[1] ?? '').toLowerCase()] ?? 0
    const unit = figure.unit ?? signs[accounting[1] ?? ''] ?? null
    const read = { ...figure, value: shiftDecimal(figure.value, power), magnitude: figure.magnitude + power, unit }
    const signed = { ...read, kind: unit !== null && figure.kind === 'number' ? ('amount' as const) : figure.kind }
    readings.push({ ...signed, value: `-${signed.value}`, isAccounting: true }, signed)
  } else readings.push(figure)
  if (/\d\s?m$/.test(figure.text) && figure.kind === 'number')
    readings.push({ ...figure, value: shiftDecimal(figure.value, -6), magnitude: 0, unit: 'm' })
  return readings
}

export type Words = { readonly near: ReadonlySet<string>; readonly down: boolean; readonly up: boolean; readonly lead: string }
export type Fault = 'other_unit' | 'other_scale' | 'other_sign' | 'other_rounding'
export type Fit = { readonly fits: 'equal' | 'rounded'; readonly fault: null } | { readonly fits: null; readonly fault: Fault | null }
const faulty = (fault: Fault | null): Fit => ({ fits: null, fault })

const isCurrency = (unit: string): boolean => /^[A-Z]{3}(?:$|[/ ])/.test(unit)
const ratioField = /(^|_)(ratio|share|rate|limit|cosine)(_|$)/

/** Whether the units of a figure and of a value can be one. `behind`: the unit that `unitBehind` found. */
function isSameUnit(figure: Reading, value: Value, behind: string | null): boolean {
  const { unit } = value
  if (figure.unit === 'pp') return unit === 'pp' || /(^|_)(points?|pp)(_|$)/.test(value.field)
  if (figure.kind === 'percent') {
    if (unit === '%' || unit === 'bps') return true
    return figure.unit !== 'bps' && (unit === null || isCurrency(unit)) && ratioField.test(value.field)
  }
  if (unit === '%' || unit === 'bps') return false
  if (figure.kind === 'amount') {
    if (unit === null) return true
    if (figure.unit === '$') return /^(?:USD|CAD|AUD)/.test(unit)
    return isCurrency(unit) && unit.startsWith(figure.unit ?? '')
  }
  const printed = behind ?? figure.unit
  // An observation in another unit than shares may count them; a price never does.
  return printed === null || unit === null || unit === printed || (printed === 'shares' && unit.includes('shares') && !isCurrency(unit))
}

/** The decimals that print a value in the unit of a figure. */
function printedIn(figure: Reading, value: Value): string[] {
  if (figure.kind === 'percent') {
    if (figure.unit === 'bps' && value.unit === '%') return [shiftDecimal(value.value, 2)]
    if (figure.unit === '%' && value.unit === 'bps') return [shiftDecimal(value.value, -2)]
    if (value.unit !== '%' && value.unit !== 'bps' && figure.unit !== 'pp') return [shiftDecimal(value.value, 2)]
  }
  return [value.scaled ?? value.value]
}

const scaleWords = ['thousand', 'thousands', 'million', 'millions', 'billion', 'billions', 'trillion'].map(stem)
const profitField = /(?:^|_)(?:income|profit|earnings|eps|gain|cash_flow)(?:_|$)/
const isProfit = ({ pointer, words }: Value): boolean => profitField.test(nameOf(pointer)) || words.has('incom') || words.has('profit')
const lossWord = /\b(?:loss(?:es)?|lost|loses|deficit|negative|minus)\b/i

/** Whether a figure prints a value, exactly or rounded to its digits; if not, what differs although the digits are the same. */
export function fitOf(figure: Reading, value: Value, words: Words, behind: string | null, hedged: boolean): Fit {
  const wanted = figure.value ?? ''
  const sameUnit = isSameUnit(figure, value, behind)
  let fault: Fault | null = null
  for (const each of sameUnit ? printedIn(figure, value) : [value.value]) {
    const how = digitsFit(wanted.replace(/^-/, ''), each.replace(/^-/, ''), figure, hedged)
    if (how === null) continue
    if (!sameUnit) return faulty(how === 'loose' ? null : 'other_unit')
    if (how === 'loose') fault = 'other_rounding'
    else if (isSameSign(wanted, each, value, words)) return { fits: how, fault: null }
    else fault = 'other_sign'
  }
  if (fault === null && sameUnit && value.scaled !== null && digitsFit(wanted.replace(/^-/, ''), value.value.replace(/^-/, ''), figure, hedged)) {
    // The bare digits of a column in thousands: right if the text states the scale elsewhere, as the head of a table does.
    if (!scaleWords.some(each => words.near.has(each))) return faulty('other_scale')
    if (isSameSign(wanted, value.value, value, words)) return { fits: 'equal', fault: null }
    return faulty('other_sign')
  }
  // 25 % is not 25 basis points.
  const isOther = figure.kind === 'percent' && sameUnit && fault === null && value.unit !== figure.unit && value.unit !== null
  if (isOther && compareDecimals(wanted.replace(/^-/, ''), value.value.replace(/^-/, '')) === 0) return faulty('other_unit')
  return faulty(fault)
}

function isSameSign(wanted: string, value: string, of: Value, { down, up, lead }: Words): boolean {
  if (/^-?[0.]*$/.test(value)) return true
  const [minus, negative] = [wanted.startsWith('-'), value.startsWith('-')]
  const isChange = /(^|_)(change|return|growth)(_|$)/.test(of.field)
  const isLoss = isProfit(of) && lossWord.test(lead)
  if (minus) return negative
  if (isLoss) return negative
  // A change that the text calls a fall does not match a rise; "fell 3 %" is -3, because the word contains the sign.
  if (negative) return down && !up
  return !(isChange && down && !up)
}

/**
 * `equal` as numbers, or `rounded` to the printed digits: at least three significant ones, two with a magnitude or for a percentage with
 * decimals, one with a magnitude and a word such as about. `loose`: rounded to fewer.
 */
function digitsFit(wanted: string, value: string, { magnitude, kind }: Reading, hedged: boolean): 'equal' | 'rounded' | 'loose' | null {
  if (compareDecimals(wanted, value) === 0) return 'equal'
  const places = magnitude > 0 ? decimalsOf(shiftDecimal(wanted, -magnitude)) - magnitude : decimalsOf(wanted)
  const shown = places >= 0 ? roundedDecimal(value, places) : productOf(roundedDecimal(shiftDecimal(value, places), 0), shiftDecimal('1', -places))
  if (compareDecimals(shown, wanted) !== 0) return null
  const significant = shiftDecimal(wanted, -Math.min(magnitude, 30))
    .replace(/^-?0*\.?0*/, '')
    .replace('.', '').length
  const least = magnitude > 0 ? (hedged ? 1 : 2) : kind === 'percent' && places > 0 ? 2 : 3
  return significant < least ? 'loose' : 'rounded'
}

const before = (words: string): RegExp => new RegExp(`\\b(?:${words})\\s*(?:the\\s+)?(?:[A-Z]{2,3}\\$?\\s*|[$€£(]\\s*){0,2}$`, 'i')
const hedges = before('about|around|approximately|approx\\.?|roughly|nearly|almost|some|circa|close to|an estimated')
const comparisons: readonly (readonly [RegExp, (order: number) => boolean, string])[] = [
  [before('no less than|not less than|at least|a minimum of|minimum of'), order => order >= 0, 'at least'],
  [before('no more than|not more than|at most|a maximum of|maximum of'), order => order <= 0, 'at most'],
  [before('more than|over|above|exceeded|exceeds|exceeding|greater than|higher than|in excess of|upwards of'), order => order > 0, 'more than'],
  [before('less than|under|below|fewer than|lower than|short of'), order => order < 0, 'less than'],
  [before('nearly|almost'), order => order <= 0, 'nearly'],
]
const beforeOf = (text: string, { start }: FigureToken): string => text.slice(Math.max(0, start - 40), start)
/** Whether a word before the figure states that it is not exact. */
export const isHedged = (text: string, figure: FigureToken): boolean => hedges.test(beforeOf(text, figure))
const moved = before(
  '(?:fell|falls|rose|rises|dropped|drops|declined|declines|increased|increases|decreased|decreases|grew|grows|gained|gains|lost|loses|moved|changed|up|down|climbed|slid)\\s+by(?:\\s+(?:about|around|approximately|nearly|almost|roughly|some|over|more than|less than))?',
)
/** "fell by 5" states a change: whether the value is one, or the text states none. */
export const isChangeWhereStated = (text: string, figure: FigureToken, value: Value): boolean =>
  !moved.test(beforeOf(text, figure)) || /(?:^|_)(?:change|return|growth|difference|gain|move)(?:_|$)/.test(nameOf(value.pointer))
/** The comparison that precedes a figure and that a value does not fulfil (`more than 1.2 billion` for 1190000000), or null. */
export function brokenComparison(text: string, figure: Reading, value: Value): string | null {
  const found = comparisons.find(([pattern]) => pattern.test(beforeOf(text, figure)))
  if (found === undefined) return null
  const [printed = value.value] = printedIn(figure, value)
  const order = compareDecimals(printed.replace(/^-/, ''), (figure.value ?? '').replace(/^-/, ''))
  return found[1](order) ? null : found[2]
}
