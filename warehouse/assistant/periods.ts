// Periods of a question: "in 2024", "since yesterday", "Q3 2026", "between 1 March and 30 June", as days counted from the data clock.
import type { Period } from '#schemas/assistant.ts'
import { addDays, addMonths, isCalendarDay, weekdayOf } from '#schemas/days.ts'
import { numberWords } from '#schemas/number-words.ts'

export type FoundPeriod = Period & {
  readonly start: number
  readonly end: number
  readonly kind: 'day' | 'range' | 'year' | 'quarter' | 'month' | 'since' | 'ahead'
}

const monthNames = 'january february march april may june july august september october november december'.split(' ')
const monthPattern =
  'jan(?:uary|\\.)?|feb(?:ruary|\\.)?|mar(?:ch|\\.)?|apr(?:il|\\.)?|may|june?|july?|aug(?:ust|\\.)?|sept?(?:ember|\\.)?|oct(?:ober|\\.)?|nov(?:ember|\\.)?|dec(?:ember|\\.)?'
const numbers: Readonly<Record<string, number>> = { ...numberWords, a: 1, an: 1, thirty: 30, couple: 2, 'a couple of': 2 }
const numberPattern = '\\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|twelve|thirty'
const ordinals: Readonly<Record<string, number>> = { first: 1, second: 2, third: 3, fourth: 4, '1st': 1, '2nd': 2, '3rd': 3, '4th': 4 }

const lastDay = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate()
const iso = (year: number, month: number, date: number): string => `${year}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`
const monthNumber = (text: string): number => monthNames.findIndex(name => name.startsWith(text.slice(0, 3).toLowerCase())) + 1
const monthRange = (year: number, month: number): [string, string] => [iso(year, month, 1), iso(year, month, lastDay(year, month))]
const quarterRange = (year: number, quarter: number): [string, string] => [
  iso(year, quarter * 3 - 2, 1),
  iso(year, quarter * 3, lastDay(year, quarter * 3)),
]
const weekStart = (day: string): string => addDays(day, -((weekdayOf(day) + 6) % 7))

const dayPatterns = [
  '(?<iso>\\d{4}-\\d{2}-\\d{2})',
  `(?<month>${monthPattern})\\s+(?<date>\\d{1,2})(?:st|nd|rd|th)?(?:,?\\s+(?<year>(?:19|20)\\d\\d))?(?!\\d)`,
  `(?:the\\s+)?(?<date>\\d{1,2}|first)(?:st|nd|rd|th)?\\s+(?:of\\s+)?(?<month>${monthPattern})(?:,?\\s+(?<year>(?:19|20)\\d\\d))?(?!\\d)`,
]
type Groups = Readonly<Record<string, string | undefined>>
/** A named day; without a year the newest one that is not after today (or, with `ahead`, the next one). Null for days that do not exist. */
function namedDay(groups: Groups, today: string, ahead: boolean): string | null {
  if (groups['iso'] !== undefined) return isCalendarDay(groups['iso']) ? groups['iso'] : null
  const [month, date] = [monthNumber(groups['month'] ?? ''), groups['date']?.toLowerCase() === 'first' ? 1 : Number(groups['date'])]
  const year = groups['year'] === undefined ? Number(today.slice(0, 4)) : Number(groups['year'])
  const day = iso(year, month, date)
  if (!isCalendarDay(day)) return null
  if (groups['year'] !== undefined) return day
  if (!ahead && day > today) return iso(year - 1, month, date)
  return ahead && day < today ? iso(year + 1, month, date) : day
}

type Rule = {
  readonly pattern: RegExp
  readonly read: (groups: Groups, today: string, text: string, next: boolean) => Omit<FoundPeriod, 'start' | 'end' | 'words'> | null
}
const day = (value: string): Omit<FoundPeriod, 'start' | 'end' | 'words'> => ({ kind: 'day', from: value, to: value })
const range = (from: string | null, to: string | null, kind: FoundPeriod['kind'] = 'range'): Omit<FoundPeriod, 'start' | 'end' | 'words'> => ({
  kind,
  from,
  to,
})

const unitOf = (count: number, unit: string, today: string): string =>
  unit.startsWith('day') || unit.startsWith('session')
    ? addDays(today, -count)
    : unit.startsWith('week')
      ? addDays(today, -7 * count)
      : unit.startsWith('month')
        ? addMonths(today, -count)
        : unit.startsWith('quarter')
          ? addMonths(today, -3 * count)
          : addMonths(today, -12 * count)
const count = (text: string | undefined): number => (text === undefined ? 1 : (numbers[text.toLowerCase()] ?? Number(text)))
const ahead = /\b(?:next|upcoming|will|calendar|due|coming)\b/i

const twoDays = dayPatterns.flatMap((first, i) =>
  dayPatterns.map(
    (second, j) =>
      new RegExp(`(?:between|from)\\s+${prefix(first, 'a')}\\s+(?:and|to|until|through)\\s+${prefix(second, 'b')}`, `gi${i + j < 0 ? 's' : ''}`),
  ),
)
function prefix(pattern: string, mark: string): string {
  return pattern.replaceAll(/\(\?<(\w+)>/g, `(?<${mark}_$1>`)
}
const part = (groups: Groups, mark: string): Groups =>
  Object.fromEntries(['iso', 'month', 'date', 'year'].map(name => [name, groups[`${mark}_${name}`]]))

const rules: readonly Rule[] = [
  ...twoDays.map(
    (pattern): Rule => ({
      pattern,
      read: (groups, today, _text, next) => {
        const second = part(groups, 'b')
        const to = namedDay(second, today, next)
        const first = part(groups, 'a')
        const from = namedDay(
          first['iso'] === undefined && first['year'] === undefined && to !== null ? { ...first, year: to.slice(0, 4) } : first,
          today,
          next,
        )
        return from === null || to === null ? null : from <= to ? range(from, to) : range(to, from)
      },
    }),
  ),
  {
    pattern: /\b(?:between|from)\s+(?<a>(?:19|20)\d\d)\s+(?:and|to|until|through)\s+(?<b>(?:19|20)\d\d)\b/gi,
    read: ({ a = '', b = '' }) => range(`${a}-01-01`, `${b}-12-31`),
  },
  ...dayPatterns.map(
    (pattern): Rule => ({
      pattern: new RegExp(`\\bsince\\s+${pattern}`, 'gi'),
      read: (groups, today) => {
        const from = namedDay(groups, today, false)
        return from === null ? null : range(from, null, 'since')
      },
    }),
  ),
  {
    pattern: /\bsince\s+(?<what>yesterday|last week|last month|last year|last quarter|monday|friday)\b/gi,
    read: ({ what = '' }, today) => range(sinceWord(what.toLowerCase(), today), null, 'since'),
  },
  {
    pattern: new RegExp(
      `\\bsince\\s+(?:the\\s+(?:start|beginning|first)\\s+of\\s+)?(?<month>${monthPattern})(?:\\s+(?<year>(?:19|20)\\d\\d))?\\b`,
      'gi',
    ),
    read: ({ month = '', year }, today) => range(monthRange(yearOf(month, year, today, ''), monthNumber(month))[0], null, 'since'),
  },
  {
    pattern: /\bsince\s+(?:the\s+(?:start|beginning)\s+of\s+)?(?<year>(?:19|20)\d\d)\b/gi,
    read: ({ year }) => range(`${year}-01-01`, null, 'since'),
  },
  ...dayPatterns.map(
    (pattern): Rule => ({
      pattern: new RegExp(`\\b${pattern}`, 'gi'),
      read: (groups, today, text, next) => {
        const found = namedDay(groups, today, next || ahead.test(text))
        return found === null ? null : day(found)
      },
    }),
  ),
  { pattern: /\bQ(?<q>[1-4])\s*(?:of\s+)?(?<year>(?:19|20)\d\d)?\b/gi, read: ({ q, year }, today) => quarterOf(Number(q), year, today) },
  { pattern: /\b(?<year>(?:19|20)\d\d)[\s-]?Q(?<q>[1-4])\b/gi, read: ({ q, year }, today) => quarterOf(Number(q), year, today) },
  {
    pattern: /\b(?<q>first|second|third|fourth|1st|2nd|3rd|4th)\s+quarter(?:\s+(?:of\s+)?(?<year>(?:19|20)\d\d))?\b/gi,
    read: ({ q = '', year }, today) => quarterOf(ordinals[q.toLowerCase()] ?? 1, year, today),
  },
  {
    pattern: /\b(?:last|previous|prior)\s+quarter\b/gi,
    read: (_groups, today) => {
      const [year, quarter] = quarterBefore(today)
      return range(...quarterRange(year, quarter), 'quarter')
    },
  },
  {
    pattern: /\bthis\s+quarter\b/gi,
    read: (_groups, today) => range(...quarterRange(Number(today.slice(0, 4)), Math.ceil(Number(today.slice(5, 7)) / 3)), 'quarter'),
  },
  {
    pattern: new RegExp(`\\b(?<month>${monthPattern})\\s+(?:of\\s+)?(?<year>(?:19|20)\\d\\d)\\b`, 'gi'),
    read: ({ month = '', year }) => range(...monthRange(Number(year), monthNumber(month)), 'month'),
  },
  {
    pattern: new RegExp(`\\b(?:in|during|for|of)\\s+(?<last>last\\s+)?(?<month>${monthPattern})\\b(?!\\s+\\d)`, 'gi'),
    read: ({ month = '' }, today, text) => range(...monthRange(yearOf(month, undefined, today, text), monthNumber(month)), 'month'),
  },
  {
    pattern: /\b(?:fiscal(?:\s+year)?|FY|calendar year|year|financial year)\s?(?<year>(?:19|20)\d\d)\b/gi,
    read: ({ year }) => range(`${year}-01-01`, `${year}-12-31`, 'year'),
  },
  {
    pattern: /(?<![\d$.,])\b(?<year>(?:19|20)\d\d)\b(?![.,]\d|-\d|\s?%|\s+(?:shares|units|dollars))/g,
    read: ({ year }) => range(`${year}-01-01`, `${year}-12-31`, 'year'),
  },
  {
    pattern: /\bsince\s+(?:the\s+)?(?:start|beginning)\s+of\s+(?:the|this)\s+(?<unit>week|month|quarter|year)\b/gi,
    read: ({ unit = '' }, today) => range(startOf(unit.toLowerCase(), today), null, 'since'),
  },
  {
    pattern: new RegExp(
      `\\b(?:in|during|for)?\\s*(?:the\\s+)?(?<which>first|second|third|fourth|last)\\s+week\\s+(?:of|in)\\s+(?<month>${monthPattern})(?:\\s+(?<year>(?:19|20)\\d\\d))?\\b`,
      'gi',
    ),
    read: ({ which = '', month = '', year }, today, text) => {
      const [from, to] = monthRange(yearOf(month, year, today, text), monthNumber(month))
      const week = ordinals[which.toLowerCase()]
      return week === undefined ? range(addDays(to, -6), to) : range(addDays(from, 7 * (week - 1)), addDays(from, 7 * week - 1))
    },
  },
  {
    pattern: /\b(?:FY|fiscal(?:\s+year)?)\s?'?(?<year>\d\d)\b(?!\d)/gi,
    read: ({ year }) => range(`20${year}-01-01`, `20${year}-12-31`, 'year'),
  },
  {
    pattern: /\b(?:(?<half>first|second)\s+half\s+(?:of\s+)?|H(?<h>[12])\s?)(?<year>(?:19|20)\d\d)\b/gi,
    read: ({ half, h, year }) =>
      half?.toLowerCase() === 'first' || h === '1' ? range(`${year}-01-01`, `${year}-06-30`) : range(`${year}-07-01`, `${year}-12-31`),
  },
  {
    pattern: /\b(?:on|last|this past)\s+(?<day>monday|tuesday|wednesday|thursday|friday)\b(?!\s+(?:the|\d))/gi,
    read: ({ day: named = '' }, today) => day(lastWeekday(named.toLowerCase(), today)),
  },
  { pattern: /\b(?:the\s+)?day\s+before\s+yesterday\b/gi, read: (_groups, today) => day(addDays(today, -2)) },
  { pattern: /\byesterday\b/gi, read: (_groups, today) => day(addDays(today, -1)) },
  { pattern: /\b(?:today|tonight|this morning|this afternoon)\b/gi, read: (_groups, today) => day(today) },
  { pattern: /\btomorrow\b/gi, read: (_groups, today) => ({ ...day(addDays(today, 1)), kind: 'ahead' }) },
  {
    pattern: new RegExp(`\\b(?<n>an?|a couple of|${numberPattern})\\s+(?<unit>days?|weeks?|months?|quarters?|years?)\\s+ago\\b`, 'gi'),
    read: ({ n, unit = '' }, today) => day(unitOf(count(n), unit.toLowerCase(), today)),
  },
  {
    pattern: new RegExp(
      `\\b(?:over|in|during|for|within)?\\s*(?:the\\s+)?(?:last|past|previous|trailing|prior)\\s+(?<n>${numberPattern})\\s+(?<unit>trading days?|days?|sessions?|weeks?|months?|quarters?|years?)\\b`,
      'gi',
    ),
    read: ({ n, unit = '' }, today) => range(unitOf(count(n), unit.toLowerCase().replace('trading ', ''), today), today),
  },
  {
    pattern: new RegExp(
      `\\b(?:over|in|during|for|within)\\s+(?:the\\s+)?(?:next|coming|following)\\s+(?<n>${numberPattern})\\s+(?<unit>days?|weeks?|months?)\\b|\\bnext\\s+(?<m>${numberPattern})\\s+(?<vnit>days?|weeks?|months?)\\b`,
      'gi',
    ),
    read: ({ n, unit, m, vnit }, today) => range(today, forward(count(n ?? m), (unit ?? vnit ?? '').toLowerCase(), today), 'ahead'),
  },
  {
    pattern: /\b(?:over|in|during|for|within)?\s*(?:the\s+)?past\s+(?<unit>week|month|quarter|year)\b/gi,
    read: ({ unit = '' }, today) => range(unitOf(1, unit.toLowerCase(), today), today),
  },
  { pattern: /\blast\s+week\b/gi, read: (_groups, today) => range(addDays(weekStart(today), -7), addDays(weekStart(today), -1)) },
  { pattern: /\bthis\s+week\b/gi, read: (_groups, today) => range(weekStart(today), addDays(weekStart(today), 6)) },
  { pattern: /\bnext\s+week\b/gi, read: (_groups, today) => range(addDays(weekStart(today), 7), addDays(weekStart(today), 13), 'ahead') },
  {
    pattern: /\blast\s+month\b/gi,
    read: (_groups, today) => {
      const before = addMonths(`${today.slice(0, 7)}-01`, -1)
      return range(...monthRange(Number(before.slice(0, 4)), Number(before.slice(5, 7))), 'month')
    },
  },
  { pattern: /\bthis\s+month\b/gi, read: (_groups, today) => range(...monthRange(Number(today.slice(0, 4)), Number(today.slice(5, 7))), 'month') },
  {
    pattern: /\bnext\s+month\b/gi,
    read: (_groups, today) => {
      const next = addMonths(`${today.slice(0, 7)}-01`, 1)
      return range(...monthRange(Number(next.slice(0, 4)), Number(next.slice(5, 7))), 'ahead')
    },
  },
  {
    pattern: /\blast\s+year\b/gi,
    read: (_groups, today) => {
      const year = Number(today.slice(0, 4)) - 1
      return range(`${year}-01-01`, `${year}-12-31`, 'year')
    },
  },
  { pattern: /\b(?:this\s+year|ytd|year[ -]to[ -]date|so far this year)\b/gi, read: (_groups, today) => range(`${today.slice(0, 4)}-01-01`, today) },
  {
    pattern: /\bthe year before(?: that)?\b|\ba year earlier\b|\bprevious year\b|\bprior year\b/gi,
    read: (_groups, today) => {
      const year = Number(today.slice(0, 4)) - 2
      return range(`${year}-01-01`, `${year}-12-31`, 'year')
    },
  },
]

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
/** The newest such day before today. */
function lastWeekday(name: string, today: string): string {
  const back = (weekdayOf(today) - weekdays.indexOf(name) + 7) % 7
  return addDays(today, back === 0 ? -7 : -back)
}
const startOf = (unit: string, today: string): string =>
  unit === 'week'
    ? weekStart(today)
    : unit === 'month'
      ? `${today.slice(0, 7)}-01`
      : unit === 'quarter'
        ? quarterRange(Number(today.slice(0, 4)), Math.ceil(Number(today.slice(5, 7)) / 3))[0]
        : `${today.slice(0, 4)}-01-01`

const yearOf = (month: string, year: string | undefined, today: string, text: string): number =>
  year !== undefined
    ? Number(year)
    : monthNumber(month) > Number(today.slice(5, 7)) && !ahead.test(text)
      ? Number(today.slice(0, 4)) - 1
      : Number(today.slice(0, 4))
function quarterBefore(today: string): [year: number, quarter: number] {
  const [year, quarter] = [Number(today.slice(0, 4)), Math.ceil(Number(today.slice(5, 7)) / 3)]
  return quarter === 1 ? [year - 1, 4] : [year, quarter - 1]
}
function quarterOf(quarter: number, year: string | undefined, today: string): Omit<FoundPeriod, 'start' | 'end' | 'words'> {
  const own = Number(today.slice(0, 4))
  const chosen = year !== undefined ? Number(year) : quarterRange(own, quarter)[0] > today ? own - 1 : own
  return range(...quarterRange(chosen, quarter), 'quarter')
}
const forward = (n: number, unit: string, today: string): string =>
  unit.startsWith('day') ? addDays(today, n) : unit.startsWith('week') ? addDays(today, 7 * n) : addMonths(today, n)
function sinceWord(what: string, today: string): string {
  if (what === 'yesterday') return addDays(today, -1)
  if (what === 'last week') return addDays(weekStart(today), -7)
  if (what === 'last month') return addMonths(`${today.slice(0, 7)}-01`, -1)
  if (what === 'last quarter') {
    const [year, quarter] = quarterBefore(today)
    return quarterRange(year, quarter)[0]
  }
  if (what === 'last year') return `${Number(today.slice(0, 4)) - 1}-01-01`
  return lastWeekday(what, today)
}

/** Every period that a text names, without overlap, in the order of the text. `today` is the data clock's day; `next`: a day without a year is the next one, not the last. */
export function findPeriods(text: string, today: string, next = false): FoundPeriod[] {
  const found: FoundPeriod[] = []
  for (const { pattern, read } of rules) {
    for (const match of text.matchAll(pattern)) {
      const [start, end] = [match.index, match.index + match[0].length]
      if (found.some(each => start < each.end && end > each.start)) continue
      const period = read((match.groups ?? {}) as Groups, today, text, next)
      if (period !== null) found.push({ ...period, words: match[0].trim(), start, end })
    }
  }
  return found.sort((a, b) => a.start - b.start)
}
