// Figures in texts: every number, amount, percentage, date and identifier, in digits or in words, with its position and value. Names with
// digits (Form 4, 10-K, Rule 506(b)), marks of citations, list numbers and targets of links are skipped.
import { productOf, shiftDecimal, sumOf } from '#schemas/decimals.ts'

type FigureKind = 'number' | 'amount' | 'percent' | 'date' | 'identifier' | 'multiple'
export type FigureToken = {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly kind: FigureKind
  /**
   * Decimal without grouping; of a date `YYYY`, `YYYY-MM`, `YYYY-Qn` or `YYYY-MM-DD`; of an identifier its text. Null: digits that are not
   * a plain number.
   */
  readonly value: string | null
  /** `%`, `pp` (percentage points), `bps`, an ISO currency, `$` if only the sign is known. */
  readonly unit: string | null
  /** Power of ten of a magnitude word: 6 for million. It is already applied to the value. */
  readonly magnitude: number
}

/** Names with digits that are not figures. */
const terms = [
  /\bForms? (?:3|4|5|8-K|10-K|10-Q|20-F|40-F|6-K|D|S-1|F-1|144|1099|W-8BEN(?:-E)?|NR301|T2209|1116)(?:(?:, | and | or |, and )(?:3|4|5|8-K|10-K|10-Q|20-F|40-F|6-K))*(?:\/A)?(?![\w.,]*\d)/g,
  /\b(?:10-[KQ]|20-F|40-F|8-K|6-K|[SF]-[134]|424B\d|N-1A|DEF 14A|SC 13[DG]|SCHEDULE 13[DG]|Schedule 13[DG]|13F(?:-HR|-NT)?|13[DG])(?:\/A)?\b(?!\d)/g,
  /\bItems? \d{1,2}(?:\.\d\d|[A-Z])?\b/g,
  /\bRules? (?:10b5-1|13d-1(?:\([a-d]\))?|506\([bc]\)|504|147A?|144A?)/g,
  /\b(?:Reg(?:ulation)? [AD]\+?|Tier [12]\b|S&P ?500|S&P\/TSX 60|TSX 60|Nasdaq[- ]100|Russell [123]000|NI 43-101|JORC 2012|401\(k\)|403\(b\)|W-8BEN(?:-E)?|NR301|Section 16|Section 31)/gi,
  /\b(?:52|50|200|20|90|14)-(?:week|day|session)s?\b/gi,
  /\bM[12]\b/g,
]

const months = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december']
const frenchMonths = ['janvier', 'février', 'mars', 'avril', 'mai', 'juin', 'juillet', 'août', 'septembre', 'octobre', 'novembre', 'décembre']
const monthWord = `(?:${[
  ...frenchMonths.flatMap(month => [month, month.normalize('NFD').replaceAll(/\p{M}/gu, '')]),
  ...months.map(month => (month === 'may' ? 'may' : `${month.slice(0, 3)}(?:${month.slice(3)}|${month === 'september' ? 't?\\.?' : '\\.'})?`)),
].join('|')})`
function monthOf(text: string): string {
  const word = text.toLowerCase().replace(/\.$/, '').normalize('NFD').replaceAll(/\p{M}/gu, '')
  const french = frenchMonths.findIndex(month => month.normalize('NFD').replaceAll(/\p{M}/gu, '') === word)
  const found = french < 0 ? months.findIndex(month => month.startsWith(word.slice(0, 3))) : french
  return String(found + 1).padStart(2, '0')
}
/** `19/11/2026` and `11/19/2026` are days; `03/04/2026` is one day in one country and another elsewhere, so its value is null. */
function slashedDay(a: string, b: string, year: string): string | null {
  const [x, y] = [Number(a), Number(b)]
  const [month, day] = x > 12 ? [y, x] : [x, y]
  if (month < 1 || month > 12 || day < 1 || day > 31 || (x <= 12 && y <= 12 && x !== y)) return null
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
}
const quarterWords = ['first', 'second', 'third', 'fourth']

const small: Readonly<Record<string, number>> = Object.fromEntries(
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'
    .split(' ')
    .map((word, value) => [word, value]),
)
const tens: Readonly<Record<string, number>> = { twenty: 20, thirty: 30, forty: 40, fifty: 50, sixty: 60, seventy: 70, eighty: 80, ninety: 90 }
const scales: Readonly<Record<string, number>> = { hundred: 2, thousand: 3, million: 6, billion: 9, trillion: 12, dozen: 0 }
const magnitudes: Readonly<Record<string, number>> = {
  ...scales,
  k: 3,
  m: 6,
  mm: 6,
  mn: 6,
  b: 9,
  bn: 9,
  t: 12,
  tn: 12,
  thousands: 3,
  millions: 6,
  billions: 9,
  trillions: 12,
}
const numberWord = `(?:${[...Object.keys(tens), ...Object.keys(small)].sort((a, b) => b.length - a.length).join('|')})`

const scaleWord = `(?:${Object.keys(scales).join('|')})`
/** A run of words of a number: "two", "six hundred and twenty-one million", "half a billion", "a dozen". */
const wordRun = `\\b((?:(?:half )?an? (?=${scaleWord}\\b)|${numberWord}\\b)(?:(?:[- ]|(?<=hundred|thousand|million|billion|trillion) and )(?:${numberWord}|${scaleWord})\\b|(?<= )${scaleWord}\\b)*)`

const digitsPattern = String.raw`[+\-−–]?\s?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?`
const currencies = 'USD|CAD|EUR|GBP|AUD|JPY|CHF|US\\$|C\\$|CA\\$|CDN\\$|A\\$|\\$|€|£'
const currencyOf: Readonly<Record<string, string>> = { US$: 'USD', C$: 'CAD', CA$: 'CAD', CDN$: 'CAD', A$: 'AUD', '€': 'EUR', '£': 'GBP' }

type Reader = { readonly pattern: RegExp; readonly read: (match: RegExpExecArray) => Omit<FigureToken, 'text' | 'start' | 'end'> | null }
const dateToken = (value: string): Omit<FigureToken, 'text' | 'start' | 'end'> => ({ kind: 'date', value, unit: null, magnitude: 0 })
const identifier = (match: RegExpExecArray): Omit<FigureToken, 'text' | 'start' | 'end'> => ({
  kind: 'identifier',
  value: match[0],
  unit: null,
  magnitude: 0,
})

// Of matches that begin earliest, the first reader in this order is used.
const readers: readonly Reader[] = [
  { pattern: /\br1_[a-z2-7]{20,}\b/g, read: identifier },
  { pattern: /\b\d{10}-\d{2}-\d{6}\b/g, read: identifier },
  { pattern: /\b[0-9a-f]{40,64}\b/g, read: identifier },
  // A drill hole: GL-26-014.
  { pattern: /\b[A-Z]{1,5}-\d+(?:-\d+)+\b/g, read: identifier },
  { pattern: /\b(?:CIK\s*)?\d{10}\b/g, read: match => ({ ...identifier(match), value: match[0].replace(/\D/g, '') }) },
  {
    pattern: /\b(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:Z|UTC))?)?/g,
    read: ([, day]) => dateToken(day ?? ''),
  },
  {
    pattern: new RegExp(`\\b(${monthWord})\\s+(\\d{1,2})(?:st|nd|rd|th)?,?\\s+((?:19|20)\\d\\d)\\b`, 'gi'),
    read: ([, month = '', day = '', year]) => dateToken(`${year}-${monthOf(month)}-${day.padStart(2, '0')}`),
  },
  {
    pattern: new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th|er)?(?:\\s+|-)(?:of\\s+)?(${monthWord})(?:,?\\s+|-)((?:19|20)\\d\\d)\\b`, 'gi'),
    read: ([, day = '', month = '', year]) => dateToken(`${year}-${monthOf(month)}-${day.padStart(2, '0')}`),
  },
  { pattern: new RegExp(`\\b(${monthWord})\\s+((?:19|20)\\d\\d)\\b`, 'gi'), read: ([, month = '', year]) => dateToken(`${year}-${monthOf(month)}`) },
  {
    pattern: new RegExp(`\\b(${monthWord})\\s+(\\d{1,2})(?:st|nd|rd|th)?\\b(?!\\d|[.,]\\d)`, 'gi'),
    read: ([, month = '', day = '']) => dateToken(`--${monthOf(month)}-${day.padStart(2, '0')}`),
  },
  {
    pattern: new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th|er)?\\s+(?:of\\s+)?(${monthWord})(?![\\p{L}\\d])`, 'giu'),
    read: ([, day = '', month = '']) => dateToken(`--${monthOf(month)}-${day.padStart(2, '0')}`),
  },
  {
    pattern: /\b(\d{1,2})\/(\d{1,2})\/((?:19|20)\d\d)\b/g,
    read: ([, a = '', b = '', year = '']) => ({ ...dateToken(''), value: slashedDay(a, b, year) }),
  },
  {
    pattern: /\b((?:19|20)\d\d)\/(0[1-9]|1[0-2])\/(0[1-9]|[12]\d|3[01])\b/g,
    read: ([, year, month, day]) => dateToken(`${year}-${month}-${day}`),
  },
  {
    pattern: /\b(first|second|third|fourth)[ -]quarter (?:of |ended in )?(?:fiscal )?((?:19|20)\d\d)\b/gi,
    read: ([, word = '', year]) => dateToken(`${year}-Q${quarterWords.indexOf(word.toLowerCase()) + 1}`),
  },
  { pattern: /\bQ([1-4])[ -]?(?:of )?((?:19|20)\d\d)\b/gi, read: ([, quarter, year]) => dateToken(`${year}-Q${quarter}`) },
  { pattern: /\b((?:19|20)\d\d)[ -]?Q([1-4])\b/gi, read: ([, year, quarter]) => dateToken(`${year}-Q${quarter}`) },
  { pattern: /\b(?:FY|fiscal(?: year)?)\s?((?:19|20)\d\d)\b/gi, read: ([, year]) => dateToken(year ?? '') },
  {
    pattern: /\b((?:19|20)\d\d)\b(?![.,]\d|%| ?(?:%|percent|shares|million|billion|thousand|CAD|USD))/g,
    read: match => (/[$€£]\s?$/.test(match.input.slice(0, match.index)) ? null : dateToken(match[1] ?? '')),
  },
  // A decimal comma: in English it would group digits.
  { pattern: /(?<![\w.,])\d+,\d{1,2}(?![\w,]|\.\d)/g, read: () => ({ kind: 'number', value: null, unit: null, magnitude: 0 }) },
  {
    pattern: new RegExp(
      `(?<![\\w.])(${currencies})?\\s?(${digitsPattern})\\s?(?:(k|mm?|mn|bn?|tn?|thousands?|millions?|billions?|trillions?|hundred|dozen)\\b)?\\s?(%|‰|percent\\b|per cent\\b|percentage points?\\b|basis points?\\b|bps?\\b|x\\b|times\\b|${currencies})?`,
      'gi',
    ),
    read: ([, before = '', digits = '', magnitude = '', after = '']) => {
      if (!/\d/.test(digits)) return null
      const value = decimalOf(digits)
      const power = magnitudes[magnitude.toLowerCase()] ?? 0
      const scaled = magnitude.toLowerCase() === 'dozen' ? productOf(value, '12') : shiftDecimal(value, power)
      const tail = after.toLowerCase()
      const unit = tail.startsWith('percentage')
        ? 'pp'
        : /^(%|percent|per cent)/.test(tail)
          ? '%'
          : /^(basis|bp)/.test(tail)
            ? 'bps'
            : before !== '' || (tail !== '' && tail !== 'x' && tail !== 'times' && tail !== '‰')
              ? currency(before === '' ? after : before)
              : null
      const kind: FigureKind =
        unit === '%' || unit === 'bps' || unit === 'pp'
          ? 'percent'
          : tail === 'x' || tail === 'times'
            ? 'multiple'
            : unit === null
              ? 'number'
              : 'amount'
      return { kind, value: magnitude === '' ? value : scaled, unit, magnitude: power }
    },
  },
  { pattern: new RegExp(`${wordRun}(\\s?(?:%|percent\\b|per cent\\b|percentage points?\\b))?`, 'gi'), read: match => readWords(match) },
  {
    pattern: /\b(doubl(?:ed|ing|es)|tripl(?:ed|ing|es)|quadrupl(?:ed|ing|es)|halv(?:ed|ing|es)|twice|thrice|twofold|threefold|tenfold)\b/gi,
    read: ([word = '']) => ({ kind: 'multiple', value: multipleOf(word.toLowerCase()), unit: null, magnitude: 0 }),
  },
  { pattern: /[\p{No}\p{Nl}]+|(?![0-9])\p{Nd}+/gu, read: match => ({ kind: 'number', value: decimalDigits(match[0]), unit: null, magnitude: 0 }) },
]

const currency = (text: string): string => currencyOf[text.toUpperCase()] ?? text.toUpperCase()
function decimalOf(digits: string): string {
  const clean = digits.replaceAll(/[,\s+]/g, '').replace(/^[−–]/, '-')
  const negative = clean.startsWith('-')
  const [whole = '', fraction] = clean.replace('-', '').split('.')
  const text = `${whole.replace(/^0+(?=\d)/, '') || '0'}${fraction === undefined ? '' : `.${fraction}`}`
  return negative ? `-${text}` : text
}
/** A number in words. Words that no number is made of in this order have a value of null: nothing can be compared with them. */
function readWords(match: RegExpExecArray): Omit<FigureToken, 'text' | 'start' | 'end'> | null {
  const [whole, run = '', rate = ''] = match
  const words = run
    .toLowerCase()
    .split(/[- ]+/)
    .filter(each => each !== 'and')
  // "one" is usually a pronoun: it is a number only before a counted noun, or with a scale.
  if (words.length === 1 && words[0] === 'one' && rate === '')
    return /^ (?:transaction|filing|share|purchase|sale|buy|holder|manager|split|dividend|risk|insider|company|stock|hole|interval|percent)/i.test(
      match.input.slice(match.index + whole.length),
    )
      ? { kind: 'number', value: '1', unit: null, magnitude: 0 }
      : null
  const read = valueOfWords(words)
  const unit = rate === '' ? null : /points?/i.test(rate) ? 'pp' : '%'
  return { kind: unit === null ? 'number' : 'percent', value: read?.value ?? null, unit, magnitude: read?.magnitude ?? 0 }
}
function valueOfWords(words: readonly string[]): { readonly value: string; readonly magnitude: number } | null {
  let [total, part, magnitude, isOpen] = ['0', '', 0, true]
  for (const word of words) {
    const power = scales[word]
    if (word === 'dozen') [part, isOpen] = [productOf(part === '' ? '1' : part, '12'), false]
    else if (power === 2) [part, magnitude, isOpen] = [productOf(part === '' ? '1' : part, '100'), magnitude + 2, true]
    else if (power !== undefined)
      [total, part, magnitude, isOpen] = [sumOf([total, shiftDecimal(part === '' ? '1' : part, power)]), '', magnitude + power, true]
    else if (word === 'a' || word === 'an') part ||= '1'
    else if (word === 'half') part = '0.5'
    else {
      const next = tens[word] ?? small[word] ?? 0
      const last = Number(part === '' ? 0 : part) % 100
      // Units follow tens or hundreds, tens follow hundreds.
      const fits = part === '' || (isOpen && last === 0) || (last >= 20 && last % 10 === 0 && next > 0 && next < 10)
      if (!fits) return null
      ;[part, magnitude, isOpen] = [sumOf([part === '' ? '0' : part, String(next)]), 0, false]
    }
  }
  return { value: sumOf([total, part === '' ? '0' : part]), magnitude }
}
const multipleOf = (word: string): string =>
  word.startsWith('doubl') || word === 'twice' || word === 'twofold'
    ? '2'
    : word.startsWith('tripl') || word === 'thrice' || word === 'threefold'
      ? '3'
      : word.startsWith('quadrupl')
        ? '4'
        : word === 'tenfold'
          ? '10'
          : '0.5'
/** Digits of another script as ASCII digits; null for fractions, superscripts and the like. */
function decimalDigits(text: string): string | null {
  const plain = text.normalize('NFKC')
  return /^\d+$/.test(plain) && /^\p{Nd}+$/u.test(text) ? decimalOf(plain) : null
}

/** Positions without figures of the text: targets of links, marks of citations, numbers of a list, names with digits. */
function maskOf(text: string): string {
  const blank = (match: string): string => ' '.repeat(match.length)
  const links = text
    .replaceAll(/\]\((?:https?:\/\/|\/)[^)\s]*\)/g, match => `]${' '.repeat(match.length - 1)}`)
    .replaceAll(/\[\d{1,2}\](?!\()/g, blank)
    .replaceAll(/\bhttps?:\/\/[^\s)\]>"]*/g, blank)
  const numbered = maskListNumbers(links)
  return terms.reduce((masked, term) => masked.replaceAll(term, blank), numbered)
}
/** Only numbers that count up line by line number a list: a single "5. transactions" is a figure. */
function maskListNumbers(text: string): string {
  let expected = 1
  return text.replaceAll(/^( {0,3})(\d{1,2})([.)])(?= )/gm, (all, indent: string, number: string, mark: string) => {
    if (Number(number) !== expected && Number(number) !== 1) return all
    const next = new RegExp(`^ {0,3}${Number(number) + 1}[.)] `, 'm').test(text)
    const masked = Number(number) > 1 || next
    expected = Number(number) + 1
    return masked ? `${indent}${' '.repeat(number.length)}${mark}` : all
  })
}

/** The figures of a text, in order, without overlap. */
export function figuresOfProse(text: string): FigureToken[] {
  const masked = maskOf(text)
  const found: FigureToken[] = []
  const taken = new Uint8Array(masked.length)
  for (const { pattern, read } of readers) {
    for (const match of masked.matchAll(pattern)) {
      const token = match[0].trim() === '' ? null : read(match as RegExpExecArray)
      if (token === null) continue
      const start = match.index + (match[0].length - match[0].trimStart().length)
      const end = start + match[0].trim().length
      if (taken.subarray(start, end).some(each => each === 1)) continue
      taken.fill(1, start, end)
      found.push({ ...token, text: text.slice(start, end), start, end })
    }
  }
  return found.sort((a, b) => a.start - b.start)
}
