// Figures of running text: amounts of money, percentages, and numbers with a unit.
import { productOf } from '#schemas/decimals.ts'

export type FoundFigure = {
  readonly printed: string
  readonly at: number
  readonly kind: 'money' | 'percent' | 'quantity'
  /** In plain digits, with the printed scale applied. */
  readonly value: string
  readonly unit: string | null
  readonly currency: string | null
}

const sign = String.raw`(?:US\$|U\.S\.\s?\$|USD\s?\$?|C\$|CA\$|CAN\$|Cdn\$|CDN\$|CAD\s?\$?|A\$|AUD\s?\$?|€|EUR\s?|£|GBP\s?|\$)`
const scaleWord = `(?:thousand|million|billion|trillion|mille|millions|milliards?|M|MM|B|bn|K|k)`
const currencies: readonly (readonly [RegExp, string])[] = [
  [/^(?:US|U\.S\.)/i, 'USD'],
  [/^(?:C\$|CA\$|CAN|CDN|CAD)/i, 'CAD'],
  [/^(?:A\$|AUD)/i, 'AUD'],
  [/^(?:€|EUR)/i, 'EUR'],
  [/^(?:£|GBP)/i, 'GBP'],
]
const worded: readonly (readonly [RegExp, string])[] = [
  [/^(?:US|U\.S\.|American) dollars?|USD/i, 'USD'],
  [/^Canadian dollars?|CAD/i, 'CAD'],
  [/^euros?|EUR/i, 'EUR'],
]
const powers: Readonly<Record<string, string>> = {
  thousand: '1000',
  mille: '1000',
  k: '1000',
  million: '1000000',
  millions: '1000000',
  m: '1000000',
  mm: '1000000',
  billion: '1000000000',
  milliard: '1000000000',
  milliards: '1000000000',
  b: '1000000000',
  bn: '1000000000',
  trillion: '1000000000000',
}
const units = [
  'metres',
  'meters',
  'metre',
  'meter',
  'm',
  'kilometres',
  'kilometers',
  'km',
  'feet',
  'ft',
  'hectares',
  'hectare',
  'ha',
  'acres',
  'grams per tonne',
  'g/t',
  'gpt',
  'oz/t',
  'opt',
  'ppm',
  'ppb',
  'ounces',
  'ounce',
  'oz',
  'koz',
  'Moz',
  'tonnes',
  'tonne',
  'tons',
  'kt',
  'Mt',
  't',
  'kilograms',
  'kg',
  'pounds',
  'lbs',
  'lb',
  'barrels',
  'bbl',
  'boe',
  'boepd',
  'MW',
  'GWh',
  'MWh',
  'shares',
  'common shares',
  'units',
  'warrants',
  'options',
  'employees',
  'holes',
  'drill holes',
  'samples',
  'stores',
  'basis points',
  'bps',
  'tpd',
  'tonnes per day',
]
  .toSorted((a, b) => b.length - a.length)
  .map(unit => unit.replaceAll(/[/.]/g, String.raw`\$&`))
  .join('|')
const range = String.raw`(?<![\w.,/$€£-])`

/** Figures of one sentence. `style`: how the document writes its numbers (drill/tokens.ts, numberStyle). */
export function figuresIn(text: string, style: 'point' | 'comma'): FoundFigure[] {
  const number =
    style === 'point' ? String.raw`\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?` : String.raw`\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:,\d+)?|\d+(?:,\d+)?`
  const end = String.raw`(?![\w]|[.,]\d)`
  const patterns: readonly (readonly [RegExp, FoundFigure['kind']])[] = [
    [
      new RegExp(
        String.raw`(?<open>\()?(?<minus>[-−–])?(?<sign>${sign})\s?(?<open2>\()?(?<n>${number})(?:\s?(?<scale>${scaleWord})\b)?\)?${end}`,
        'g',
      ),
      'money',
    ],
    [
      new RegExp(
        String.raw`${range}(?<minus>[-−])?(?<n>${number})(?:\s(?<scale>${scaleWord}))?\s?(?<sign>\$|(?:US|U\.S\.|American|Canadian)\sdollars?|dollars?|USD|CAD|euros?|EUR)${end}`,
        'g',
      ),
      'money',
    ],
    [new RegExp(String.raw`${range}(?<minus>[-−])?(?<n>${number})\s?(?<unit>%|per\s?cent\b|pour\scent\b)`, 'gi'), 'percent'],
    [
      new RegExp(
        String.raw`${range}(?<minus>[-−])?(?<n>${number})(?:[\s-](?<scale>thousand|million|billion|trillion|millions|milliards?))?(?:\s|-)?(?<unit>${units})(?![\w/])`,
        'g',
      ),
      'quantity',
    ],
  ]
  const found: FoundFigure[] = []
  for (const [pattern, kind] of patterns)
    for (const match of text.matchAll(pattern)) {
      const { n = '', minus, scale, unit, open, open2 } = match.groups as Record<string, string | undefined>
      const at = match.index
      if (found.some(each => at < each.at + each.printed.length && each.at < at + match[0].length)) continue
      const plain = plainDigits(n, style)
      if (plain === null) continue
      const scaled = scale === undefined ? plain : productOf(plain, powers[scale.toLowerCase()] ?? '1')
      const isNegative = minus !== undefined || ((open !== undefined || open2 !== undefined) && match[0].endsWith(')'))
      const printed = open !== undefined && !match[0].endsWith(')') ? match[0].slice(1) : match[0]
      found.push({
        printed: printed.trim(),
        at: at + (match[0].length - printed.length),
        kind,
        value: isNegative && !/^0(?:\.0*)?$/.test(scaled) ? `-${scaled}` : scaled,
        unit: kind === 'money' ? null : (unit ?? null),
        currency: kind === 'money' ? currencyOf(match.groups?.['sign'] ?? '') : null,
      })
    }
  return found.sort((a, b) => a.at - b.at)
}
const currencyOf = (text: string): string | null =>
  (currencies.find(([pattern]) => pattern.test(text)) ?? worded.find(([pattern]) => pattern.test(text)))?.[1] ?? null

/** `1,234.50` as `1234.50`; null for digits that are not a number (a leading zero of an id). */
function plainDigits(printed: string, style: 'point' | 'comma'): string | null {
  const bare = style === 'point' ? printed.replaceAll(',', '') : printed.replaceAll(/[ \u00a0\u202f]/g, '').replace(',', '.')
  return bare.length <= 24 && /^(?:0|[1-9]\d*)(?:\.\d+)?$/.test(bare) ? bare : null
}

/** The number of a table's cell, in plain digits; null if the cell contains anything else: a text, a dash, a bound such as `<0.5`, a range. */
export function cellNumber(cell: string, style: 'point' | 'comma'): string | null {
  const match =
    /^(?<open>\()?\s?(?<minus>[-−–])?\s?(?:US\$|C\$|CA\$|[$€£])?\s?(?<open2>\()?(?<minus2>[-−–])?\s?(?<n>\d[\d.,\u00a0\u202f ]*?)\s?%?\s?(?<close>\))?\s?%?[*†‡]?$/.exec(
      cell.trim(),
    )
  const { n = '', open, open2, minus, minus2, close } = (match?.groups ?? {}) as Record<string, string | undefined>
  if (!match || ((open ?? open2) === undefined) !== (close === undefined)) return null
  const shape = style === 'point' ? /^(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?$/ : /^(?:\d{1,3}(?:[ \u00a0\u202f]\d{3})+|\d+)(?:,\d+)?$/
  const plain = shape.test(n) ? plainDigits(n, style) : null
  const isNegative = (open ?? open2 ?? minus ?? minus2) !== undefined
  return plain === null ? null : isNegative && !/^0(?:\.0*)?$/.test(plain) ? `-${plain}` : plain
}
