// Days as English texts print them: `Wednesday, December 3, 2025`, `Dec. 3`, `3 December 2025`.

import { isCalendarDay, weekdayOf } from '#schemas/days.ts'

export type PrintedDay = {
  /** Offsets in the text. */
  readonly start: number
  readonly end: number
  readonly month: number
  readonly day: number
  readonly year: number | null
  /** 0 Sunday to 6; null if none is printed. */
  readonly weekday: number | null
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const month =
  '(jan(?:uary|\\.)?|feb(?:ruary|\\.)?|mar(?:ch|\\.)?|apr(?:il|\\.)?|may|june?\\.?|july?\\.?|aug(?:ust|\\.)?|sept?(?:ember)?\\.?|oct(?:ober|\\.)?|nov(?:ember|\\.)?|dec(?:ember|\\.)?)'
const weekday = '(?:(sun|mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?)(?:day|\\.)?,?\\s{1,3}(?:the\\s)?)?'
const pattern = new RegExp(
  `\\b${weekday}(?:${month}\\s{1,3}(\\d{1,2})(?:st|nd|rd|th)?(?!\\d)(?:,?\\s{1,3}((?:19|20)\\d\\d)\\b)?|(\\d{1,2})(?:st|nd|rd|th)?\\s(?:of\\s)?${month}(?:,?\\s{1,3}((?:19|20)\\d\\d)\\b)?)`,
  'gi',
)

/** Every day that a text prints, in its order. Linear: nothing in the pattern can repeat without end. */
export function printedDays(text: string): PrintedDay[] {
  const found: PrintedDay[] = []
  for (const match of text.matchAll(pattern)) {
    const [whole, week, first, dayAfter, yearAfter, dayBefore, second, yearBefore] = match
    const name = (first ?? second ?? '').toLowerCase().slice(0, 3)
    const day = Number(dayAfter ?? dayBefore)
    const year = yearAfter ?? yearBefore
    if (day < 1 || day > 31) continue
    found.push({
      start: match.index,
      end: match.index + whole.length,
      month: months.indexOf(name) + 1,
      day,
      year: year === undefined ? null : Number(year),
      weekday: week === undefined ? null : weekdays.indexOf(week.toLowerCase().slice(0, 3)),
    })
  }
  return found
}

const isoOf = (year: number, { month: m, day }: PrintedDay): string | null => {
  const text = `${year}-${String(m).padStart(2, '0')}-${String(day).padStart(2, '0')}`
  return isCalendarDay(text) ? text : null
}

/** The day itself if the year is printed; otherwise null, also for a day that no calendar has. */
export const dayOf = (printed: PrintedDay): string | null => (printed.year === null ? null : isoOf(printed.year, printed))

/**
 * A day after another, with the year of the text or otherwise the next one that fits. Without a year, a printed weekday must match: it
 * makes the year certain.
 */
export function dayAfter(printed: PrintedDay, from: string): { readonly date: string; readonly yearPrinted: boolean } | null {
  if (printed.year !== null) {
    const date = isoOf(printed.year, printed)
    return date !== null && date > from ? { date, yearPrinted: true } : null
  }
  const year = Number(from.slice(0, 4))
  const date = [isoOf(year, printed), isoOf(year + 1, printed)].find(each => each !== null && each > from)
  if (date === undefined || date === null) return null
  return printed.weekday === null || printed.weekday === weekdayOf(date) ? { date, yearPrinted: false } : null
}
