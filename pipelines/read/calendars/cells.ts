// Cells of calendars as pages print them: `$47,076,153,012`, `($0.11)`, `7/03/2024`, `May/2024`, `4.00-6.00`.
import { decimalText, IsoDate } from '#schemas/values.ts'
import { decimalOf, isMissing } from '../csv/cells.ts'

/** A printed decimal, with brackets as a minus; null for an empty cell, undefined for anything else. */
export function shownDecimal(text: string | null): string | null | undefined {
  if (text === null || text.trim() === '' || isMissing(text)) return null
  const bracketed = /^\((.{1,60})\)$/.exec(text.trim())
  const decimal = bracketed ? decimalText(bracketed[1]!) : decimalOf(text)
  if (decimal === null) return undefined
  return bracketed && !/^-?0*\.?0*$/.test(decimal) ? `-${decimal.replace(/^-/, '')}` : decimal
}

/** `7/03/2024`, month first, as an ISO day; null for other text. */
export function shownDay(text: string | null): string | null {
  const match = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text?.trim() ?? '')
  if (!match) return null
  const day = `${match[3]}-${match[1]!.padStart(2, '0')}-${match[2]!.padStart(2, '0')}`
  return IsoDate.safeParse(day).success ? day : null
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const monthNumber = (name: string): string | null => {
  const at = months.indexOf(name.slice(0, 3))
  return at < 0 ? null : String(at + 1).padStart(2, '0')
}
/** `May/2024` as `2024-05`; null for other text. */
export function shownMonth(text: string | null): string | null {
  const match = /^([A-Z][a-z]{2,8})\/(\d{4})$/.exec(text?.trim() ?? '')
  const month = match && monthNumber(match[1]!)
  return month ? `${match[2]}-${month}` : null
}
/** `Wed, Jul 3, 2024` as an ISO day; null for other text. */
export function longDay(text: string | null): string | null {
  const match = /([A-Z][a-z]{2,8})\.? (\d{1,2}), (\d{4})\s*$/.exec((text ?? '').slice(0, 60))
  const month = match && monthNumber(match[1]!)
  if (!match || !month) return null
  const day = `${match[3]}-${month}-${match[2]!.padStart(2, '0')}`
  return IsoDate.safeParse(day).success ? day : null
}

/** `4.00-6.00` or `4.00` as the two ends of a range; null if nothing is printed, undefined if it is something else. */
export function shownRange(text: string | null): { readonly low: string; readonly high: string } | null | undefined {
  if (text === null || text.trim() === '' || isMissing(text)) return null
  const [low, high, ...more] = text.split('-').map(part => decimalText(part))
  if (!low || more.length > 0 || high === null) return undefined
  return { low, high: high ?? low }
}
