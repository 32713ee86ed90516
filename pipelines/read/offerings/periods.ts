// The meaning of a column's head: the period or day, pro forma or adjusted, audited or not.

import { calendarDay } from '#schemas/days.ts'
import { numberWords } from '#schemas/number-words.ts'
export type Column = {
  readonly heading: string
  readonly period_start: string | null
  readonly period_end: string | null
  readonly period_months: number | null
  readonly basis: 'actual' | 'pro_forma' | 'as_adjusted' | 'pro_forma_as_adjusted'
  readonly audited: boolean | null
}

const months = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december']
const monthWord =
  '(January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)\\.?'
const datePattern = new RegExp(`\\b${monthWord}\\s*(\\d{1,2})\\s*,?\\s*(\\d{4})\\b`, 'gi')
const dayPattern = new RegExp(`\\b${monthWord}\\s*(\\d{1,2})\\b`, 'i')

/** The calendar day of a month, day and year in words; null for a day that does not exist. */
function dayOf(month: string, day: string, year: string): string | null {
  const at = months.findIndex(name => name.startsWith(month.toLowerCase().slice(0, 3)))
  return calendarDay(year, at + 1, day)
}
export const datesIn = (text: string): string[] =>
  [...text.matchAll(datePattern)].map(([, month = '', day = '', year = '']) => dayOf(month, day, year)).filter(day => day !== null)

/** The number of months in a head: `six months ended`, `fiscal year`, `quarter ended`; null for a day. */
function monthsIn(text: string): number | null {
  const counted = /\b(\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)[\s-]months?\b/i.exec(text)?.[1]?.toLowerCase()
  if (counted !== undefined) return numberWords[counted] ?? Number(counted)
  if (/\b(?:13|14|thirteen|fourteen)[\s-]weeks?\b|\bquarters? ended\b/i.test(text)) return 3
  if (/\b(?:26|27)[\s-]weeks?\b/i.test(text)) return 6
  if (/\b(?:39|40)[\s-]weeks?\b/i.test(text)) return 9
  return /\byears?\b|\bfiscal\b|\b(?:52|53)[\s-]weeks?\b/i.test(text) ? 12 : null
}

export function basisOf(text: string): Column['basis'] {
  const proForma = /\bpro[\s-]?forma\b/i.test(text)
  const adjusted = /\bas (?:further )?adjusted\b/i.test(text)
  return proForma ? (adjusted ? 'pro_forma_as_adjusted' : 'pro_forma') : adjusted ? 'as_adjusted' : 'actual'
}

/** Reads the joined head of a column. `around` is the introduction of the table: it states what was audited, and dates that the heads omit. */
export function columnOf(heading: string, around: string): Column {
  const text = heading.replace(/\s+/g, ' ').trim()
  const basis = basisOf(text)
  const dates = datesIn(text)
  const span = monthsIn(text)
  const isFrom = dates.length >= 2 && /\b(?:from|inception|period)\b/i.test(text)
  let end = dates.at(-1) ?? null
  if (end === null) {
    // `Year ended December 31,` above and `2023` below: day and year in different cells of one head.
    const day = dayPattern.exec(text)
    const year = /\b((?:19|20)\d\d)\b(?!.*\b(?:19|20)\d\d\b)/.exec(text)?.[1]
    if (day?.[1] !== undefined && day[2] !== undefined && year !== undefined) end = dayOf(day[1], day[2], year)
    else if (day === null && year === undefined) end = onlyDate(around)
  }
  const column = { heading: text, period_start: isFrom ? (dates[0] ?? null) : null, period_end: end, period_months: isFrom ? null : span, basis }
  return { ...column, audited: auditedOf(text, column, around) }
}

/** `as of March 31, 2021`, if the introduction names one day only. */
function onlyDate(around: string): string | null {
  const days = new Set(
    [...around.matchAll(new RegExp(`\\bas (?:of|at)\\s+${monthWord}\\s*(\\d{1,2})\\s*,?\\s*(\\d{4})`, 'gi'))].map(
      ([, month = '', day = '', year = '']) => dayOf(month, day, year),
    ),
  )
  return days.size === 1 ? ([...days][0] ?? null) : null
}

/**
 * By the head, else by the first `audited` or `unaudited` after the column's period in the introduction. Pro forma figures are never
 * audited (Regulation S-X, Article 11).
 */
function auditedOf(heading: string, column: Omit<Column, 'audited' | 'heading'>, around: string): boolean | null {
  if (/\bunaudited\b/i.test(heading) || column.basis !== 'actual') return false
  if (/\baudited\b/i.test(heading)) return true
  const words = Object.entries(numberWords).find(([, count]) => count === column.period_months)?.[0]
  const phrase =
    column.period_start !== null
      ? /\b(?:inception|for the period)\b/i
      : column.period_months === 12
        ? /\byears? ended\b|\bfiscal years?\b/i
        : column.period_months !== null
          ? new RegExp(`\\b(?:${words ?? column.period_months}|${column.period_months})[\\s-]months?\\b`, 'i')
          : column.period_end === null
            ? null
            : asOf(column.period_end)
  if (phrase === null) return null
  for (const sentence of around.split(/(?<=[.])\s+(?=[A-Z])/)) {
    const at = sentence.search(phrase)
    if (at < 0) continue
    const match = /\b(un)?audited\b/i.exec(sentence.slice(at)) ?? /\b(un)?audited\b/i.exec(sentence)
    if (match) return match[1] === undefined
  }
  return null
}
function asOf(day: string): RegExp {
  const [year = '', month = '', date = ''] = day.split('-')
  return new RegExp(`\\bas (?:of|at)\\b[^.]{0,80}\\b${months[Number(month) - 1]}\\s+${Number(date)}\\b[^.]{0,30}\\b${year}`, 'i')
}
