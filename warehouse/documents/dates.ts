// Dates as documents print them, in English and French.
import { calendarDay } from '#schemas/days.ts'
export type FoundDate = {
  readonly printed: string
  readonly date: string | null
  readonly precision: 'day' | 'month' | 'quarter' | 'year'
  readonly at: number
}

const months = [
  ['january', 'jan', 'janvier'],
  ['february', 'feb', 'février', 'fevrier'],
  ['march', 'mar', 'mars'],
  ['april', 'apr', 'avril'],
  ['may', 'mai'],
  ['june', 'jun', 'juin'],
  ['july', 'jul', 'juillet'],
  ['august', 'aug', 'août', 'aout'],
  ['september', 'sept', 'sep', 'septembre'],
  ['october', 'oct', 'octobre'],
  ['november', 'nov', 'novembre'],
  ['december', 'dec', 'décembre', 'decembre'],
]
const names = months
  .flat()
  .toSorted((a, b) => b.length - a.length)
  .join('|')
const monthOf = (name: string): number => months.findIndex(each => each.includes(name.toLowerCase().replace(/\.$/, ''))) + 1
const year = String.raw`(?<y>(?:19|20)\d\d)`
const patterns: readonly (readonly [RegExp, (groups: Readonly<Record<string, string | undefined>>) => Omit<FoundDate, 'printed' | 'at'> | null])[] = [
  [
    new RegExp(String.raw`\b(?<m>${names})\.?\s+(?<d>\d{1,2})(?:st|nd|rd|th)?,?\s+${year}\b`, 'gi'),
    ({ y, m, d }) => day(Number(y), monthOf(m ?? ''), Number(d)),
  ],
  [
    new RegExp(String.raw`\b(?<d>\d{1,2})(?:st|nd|rd|th|er)?\s+(?:of\s+)?(?<m>${names})\.?,?\s+${year}\b`, 'gi'),
    ({ y, m, d }) => day(Number(y), monthOf(m ?? ''), Number(d)),
  ],
  [new RegExp(String.raw`\b${year}-(?<m>\d\d)-(?<d>\d\d)\b`, 'g'), ({ y, m, d }) => day(Number(y), Number(m), Number(d))],
  [new RegExp(String.raw`\b(?<a>\d{1,2})\/(?<b>\d{1,2})\/${year}\b`, 'g'), ({ y, a, b }) => slashed(Number(y), Number(a), Number(b))],
  [new RegExp(String.raw`\bQ(?<q>[1-4])[\s-]+(?:of\s+)?(?:FY\s?)?${year}\b`, 'g'), ({ y, q }) => quarter(Number(y), Number(q))],
  [
    new RegExp(String.raw`\b(?<w>first|second|third|fourth)\s+quarter\s+(?:of\s+|ended\s+in\s+)?(?:fiscal\s+)?${year}\b`, 'gi'),
    ({ y, w }) => quarter(Number(y), ['first', 'second', 'third', 'fourth'].indexOf((w ?? '').toLowerCase()) + 1),
  ],
  [new RegExp(String.raw`\b(?<m>${names})\.?,?\s+${year}\b`, 'gi'), ({ y, m }) => ({ date: `${y}-${two(monthOf(m ?? ''))}-01`, precision: 'month' })],
]
const two = (number: number): string => String(number).padStart(2, '0')
function day(y: number, m: number, d: number): Omit<FoundDate, 'printed' | 'at'> | null {
  const date = calendarDay(y, m, d)
  return date === null ? null : { date, precision: 'day' }
}
/** 03/04/2026 is March in one country and April in another: only a number above twelve shows which is the day. */
function slashed(y: number, a: number, b: number): Omit<FoundDate, 'printed' | 'at'> | null {
  if (a > 12 && b > 12) return null
  if (a > 12) return day(y, b, a)
  if (b > 12 || a === b) return day(y, a, b)
  return { date: null, precision: 'day' }
}
// Only the name of a fiscal year is known: the first day is that of the calendar quarter only if the text does not contain "fiscal".
const quarter = (y: number, q: number): Omit<FoundDate, 'printed' | 'at'> => ({ date: `${y}-${two(3 * q - 2)}-01`, precision: 'quarter' })

/** The dates of a text, in order; a day is not also returned as its month. */
export function datesIn(text: string): FoundDate[] {
  const found: FoundDate[] = []
  const isTaken = (from: number, to: number): boolean => found.some(each => from < each.at + each.printed.length && each.at < to)
  for (const [pattern, read] of patterns)
    for (const match of text.matchAll(pattern)) {
      if (isTaken(match.index, match.index + match[0].length)) continue
      const date = read(match.groups ?? {})
      const isFiscal = date?.precision === 'quarter' && /fiscal|FY/i.test(match[0])
      if (date) found.push({ printed: match[0], at: match.index, ...date, ...(isFiscal ? { date: null } : {}) })
    }
  return found.sort((a, b) => a.at - b.at)
}
