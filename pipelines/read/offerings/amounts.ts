// Amounts as prospectuses print them: `$66.7 million`, `US$1,234`, and the blanks of early filings (`$      `, `$[●]`).

export type Money = {
  readonly start: number
  readonly end: number
  /** In whole units of the currency, with every digit; null if the document leaves a blank. */
  readonly value: string | null
  readonly currency: string | null // null: a bare `$` states no country
  readonly approximate: boolean
  /** The unit after the amount: `per share`, `per unit` … */
  readonly each: boolean
}

const signs =
  /(US\$|U\.S\.\s?\$|C\$|Cdn\$|CAD\s?\$|CA\$|A\$|HK\$|NT\$|S\$|R\$|\$|€|£|¥|\bRMB|\bUSD|\bCAD|\bEUR|\bGBP)[ \t]?(?:(\d{1,3}(?:,\d{3}){1,9}(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?:\s?-?(thousand|million|billion|trillion|mm|bn)\b)?|)/gi
const codes: Readonly<Record<string, string | null>> = {
  $: null,
  US$: 'USD',
  USD: 'USD',
  C$: 'CAD',
  CDN$: 'CAD',
  CAD$: 'CAD',
  CA$: 'CAD',
  CAD: 'CAD',
  A$: 'AUD',
  HK$: 'HKD',
  NT$: 'TWD',
  S$: 'SGD',
  R$: 'BRL',
  '€': 'EUR',
  EUR: 'EUR',
  '£': 'GBP',
  GBP: 'GBP',
  '¥': 'JPY',
  RMB: 'CNY',
}
const zeros: Readonly<Record<string, number>> = { thousand: 3, million: 6, mm: 6, billion: 9, bn: 9, trillion: 12 }
const nearly = /\b(?:approximately|about|around|roughly|nearly|almost|approx\.?)\s*(?:an aggregate of\s*)?$/i
const eachOne =
  /^\s*,?\s*(?:per|for each|a)\s+(?:(?:(?:class|series)\s+[\w-]{1,3}|combined|whole|firm|public|offered|subordinate|voting|preferred|preference|trust|new)\s+){0,3}(?:share|unit|ads\b|adr\b|american depositary|note|ordinary|common|warrant|security|depositary|right|pre-funded)/i

/** A printed decimal moved by powers of ten, exactly: `("66.7", 6)` is `66700000`. */
export function shifted(decimal: string, places: number): string {
  const negative = decimal.startsWith('-')
  const [whole = '', fraction = ''] = decimal.replace('-', '').split('.')
  const all = whole + fraction.padEnd(places, '0')
  const point = whole.length + places
  const digits = all.slice(0, point).replace(/^0+(?=\d)/, '')
  const rest = all.slice(point)
  return `${negative ? '-' : ''}${digits === '' ? '0' : digits}${rest === '' ? '' : `.${rest}`}`
}

/** The digits of a printed number: `1,234.50` is `1234.50`, `.5` is `0.5`. */
export function plainNumber(printed: string): string {
  const digits = printed.replaceAll(',', '').replace(/^0+(?=\d)/, '')
  return digits.startsWith('.') ? `0${digits}` : digits
}

/** Maximum number of amounts of one text: no relevant sentence has more. */
const mostAmounts = 40

/** Every amount of a text in order, including blanks; `from` is added to the offsets. */
export function moneyIn(text: string, from = 0): Money[] {
  const found: Money[] = []
  for (const match of text.matchAll(signs)) {
    if (found.length >= mostAmounts) break
    const [all, sign = '', digits, scale] = match
    const end = match.index + all.trimEnd().length
    // Letters of a currency without digits are words (`in USD`); only a sign leaves a blank.
    if (digits === undefined && !/[$€£¥]$/.test(sign)) continue
    found.push({
      start: from + match.index,
      end: from + end,
      value: digits === undefined ? null : shifted(plainNumber(digits), zeros[(scale ?? '').toLowerCase()] ?? 0),
      currency: codes[sign.replace(/\s|\./g, '').toUpperCase()] ?? null,
      approximate: nearly.test(text.slice(Math.max(0, match.index - 60), match.index)),
      each: eachOne.test(text.slice(end, end + 60)),
    })
  }
  return found
}

/** Numbers of the cells of a table row after its label, in order: digits, or null for a currency sign without a number. */
export function cellNumbers(cells: readonly string[]): (string | null)[] {
  const found: (string | null)[] = []
  let open = false // a currency sign precedes its number
  for (const cell of cells) {
    const text = cell.trim()
    const match = /^(?:US|C|A|HK|R)?([$€£¥])?\s*(\(?)-?(\d{1,3}(?:,\d{3}){1,9}(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)\)?(?:\s*(?:\(\d\)|[*†‡]+))*\s*$/.exec(
      text,
    )
    if (/^\(\d{1,2}\)$/.test(text)) continue // a footnote's mark
    if (match?.[3] !== undefined) {
      if (open && match[1]) found.push(null)
      found.push(`${match[2] ? '-' : ''}${plainNumber(match[3])}`)
      open = false
    } else if (/^(?:US|C|A|HK)?[$€£¥][\s_[\]●•*x-]*$/i.test(text)) {
      if (open) found.push(null)
      open = true
    } else if (open && /^(?:[_[\]●•*\s]+|)$/.test(text)) {
      found.push(null)
      open = false
    } else if (/^(?:[-—–]{1,3}|nil)$/i.test(text)) {
      found.push('0') // a dash in a column of amounts is a printed zero
      open = false
    }
  }
  if (open) found.push(null)
  return found
}

/** Maximum length of a sentence: longer text without a full stop is cut, so that the cost stays linear in its length. */
const longestSentence = 6000

export type Sentence = { readonly start: number; readonly end: number; readonly text: string }

/** Sentences of a range of text. A block ends a sentence, and so does a full stop before a capital, except after the usual abbreviations. */
export function sentencesIn(text: string, start: number, end: number): Sentence[] {
  const found: Sentence[] = []
  const stop = /\n|[.?!][”"’)]*[ \t](?=[A-Z“"(•●])/g
  const part = text.slice(start, end)
  let from = 0
  const take = (to: number): void => {
    const shown = part.slice(from, Math.min(to, from + longestSentence))
    const lead = shown.length - shown.trimStart().length
    const words = shown.trim()
    if (words !== '') found.push({ start: start + from + lead, end: start + from + lead + words.length, text: words })
    from = to
  }
  for (const match of part.matchAll(stop)) {
    const before = part.slice(Math.max(0, match.index - 12), match.index)
    if (
      match[0] !== '\n' &&
      /(?:\b(?:Inc|Corp|Ltd|Co|No|Nos|Mr|Ms|Mrs|Dr|vs|approx|e\.g|i\.e|U\.S|U\.K|L\.P|N\.A|St|Jr|Sr|Alex|Bros|Wm|Geo)|\b[A-Z])$/.test(before)
    )
      continue
    take(match.index + match[0].length)
  }
  take(part.length)
  return found
}
