// Calendar quarters: `2024Q4`, its last day, and the one before.

import { dayOfMonth } from '#schemas/days.ts'
/** `2024Q4`, `2024-Q4` or any day of it as the quarter; the text is already of one of these shapes. */
export function requestedQuarter(text: string): string {
  const named = /^(\d{4})-?[Qq]([1-4])$/.exec(text)
  return named ? `${named[1]}Q${named[2]}` : `${text.slice(0, 4)}Q${Math.ceil(Number(text.slice(5, 7)) / 3)}`
}

export function lastDayOf(quarter: string): string {
  const [year, number] = [Number(quarter.slice(0, 4)), Number(quarter.slice(5))]
  return dayOfMonth(year, number * 3 + 1, 0)
}

export function quarterBefore(quarter: string): string {
  const [year, number] = [Number(quarter.slice(0, 4)), Number(quarter.slice(5))]
  return number === 1 ? `${year - 1}Q4` : `${year}Q${number - 1}`
}
