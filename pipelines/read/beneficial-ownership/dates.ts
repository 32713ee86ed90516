// Calendar days as filers of Schedules 13D and 13G print them.

import { isCalendarDay } from '#schemas/days.ts'

const months = 'january february march april may june july august september october november december'.split(' ')

function isoDayOf(year: number, month: number, day: number): string | null {
  const text = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
  return month >= 1 && month <= 12 && day >= 1 && day <= 31 && year >= 1900 && year < 2100 && isCalendarDay(text) ? text : null
}

/** Two digits are of this century up to 69, as POSIX reads them; EDGAR begins in 1993. */
const fullYear = (text: string): number => (text.length === 2 ? Number(text) + (Number(text) < 70 ? 2000 : 1900) : Number(text))

const monthOf = (name: string): number =>
  months.findIndex(month => name.length >= 3 && month.startsWith(name.toLowerCase().replace('sept', 'sep'))) + 1

const shapes: readonly { readonly pattern: RegExp; readonly day: (parts: readonly string[]) => string | null }[] = [
  {
    pattern: /\b(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)/,
    day: ([, year = '', month = '', day = '']) => isoDayOf(Number(year), Number(month), Number(day)),
  },
  // Americans write the month first; if that number is no month, the other order applies.
  {
    pattern: /\b(\d{1,2})\s?[/.-]\s?(\d{1,2})\s?[/.-]\s?(\d{4}|\d{2})(?!\d)/,
    day: ([, first = '', second = '', year = '']) =>
      isoDayOf(fullYear(year), Number(first), Number(second)) ?? isoDayOf(fullYear(year), Number(second), Number(first)),
  },
  {
    pattern: /\b([A-Za-z]{3,9})\.?\s{0,3}(\d{1,2})\s?(?:st|nd|rd|th)?\s?[,.]?\s{0,3}(\d{4})(?!\d)/,
    day: ([, month = '', day = '', year = '']) => isoDayOf(Number(year), monthOf(month), Number(day)),
  },
  {
    pattern: /\b(\d{1,2})\s?(?:st|nd|rd|th)?\s{1,3}(?:day of )?([A-Za-z]{3,9})\.?\s?,?\s{0,3}(\d{4})(?!\d)/,
    day: ([, day = '', month = '', year = '']) => isoDayOf(Number(year), monthOf(month), Number(day)),
  },
]

/** The first calendar day in a short text, and the position of its characters; null without one. */
export function dayIn(text: string): { readonly day: string; readonly start: number; readonly end: number } | null {
  const short = text.slice(0, 2000)
  let best: { day: string; start: number; end: number } | null = null
  for (const { pattern, day } of shapes) {
    const match = pattern.exec(short)
    const read = match === null ? null : day(match)
    if (match === null || read === null) continue
    if (best === null || match.index < best.start) best = { day: read, start: match.index, end: match.index + match[0].length }
  }
  return best
}

/** The day in a field, a time-zone suffix cut; null if it has none. */
export const dayOf = (text: string | null): string | null => (text === null ? null : (dayIn(text)?.day ?? null))
