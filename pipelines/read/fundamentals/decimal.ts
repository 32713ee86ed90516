// Converts a JSON number's text to our decimal form: plain notation, every digit kept.
import { Decimal } from '#schemas/values.ts'

/** Beyond it a number is no amount of anything that a company reports. */
const widest = 60

/** `1.50` stays, `1.5E3` becomes 1500, `-2e-3` becomes -0.002. Null for text that is not a JSON number, or is absurdly long. */
export function decimalOfJson(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > widest) return null
  if (Decimal.safeParse(text).success) return text
  const match = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?[eE]([+-]?\d{1,3})$/.exec(text)
  if (!match) return null
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  if (Math.abs(point) > widest) return null
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (point < digits.length) return `${sign}${trimmed(digits.slice(0, point))}.${digits.slice(point)}`
  return `${sign}${trimmed(digits + '0'.repeat(point - digits.length))}`
}
const trimmed = (whole: string): string => whole.replace(/^0+(?=\d)/, '')
