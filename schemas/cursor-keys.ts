// Checks the sort key of a cursor. A cursor carries a check sum and no secret, so a client can make one; what it holds is checked like every
// other input before a statement reads it.
import { isCalendarDay, outsideDays } from './days.ts'
import type { KeyPart } from './operations/operation.ts'

/** Largest `count`: ids and places in lists are far below, and it fits every integer column. */
const mostCount = 2_147_483_647

/** Whether the sort key of a cursor has these parts; null: any. No key holds text that Postgres cannot store. */
export function fitsKey(parts: readonly KeyPart[] | null, key: readonly unknown[]): boolean {
  if (key.some(part => typeof part === 'string' && (part.includes('\u0000') || !part.isWellFormed()))) return false
  return parts === null || (parts.length === key.length && parts.every((part, at) => fits[part](key[at])))
}
const fits: Readonly<Record<KeyPart, (value: unknown) => boolean>> = {
  text: value => typeof value === 'string',
  day: value => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && isCalendarDay(value),
  count: value => Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= mostCount,
  instant: value =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d(:?\d\d)?)?$/.test(value) && isWithin(value),
}
function isWithin(text: string): boolean {
  const ms = Date.parse(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'))
  return !Number.isNaN(ms) && outsideDays(ms) === null
}
