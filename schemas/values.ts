// The scalar types of the field, each checked by one pattern. Records contain strings, numbers, booleans and null only: a `Decimal` is a
// string in the form of a JSON number, so that the printed digits reach the client.
import { z } from 'zod'
import { dayPattern, earliestDay, isCalendarDay, latestDay, outsideDays } from './days.ts'

/** The DuckDB type of a column; read back from the JSON Schema's `column` key by `dataset.ts`. */
const column = (type: string) => ({ column: type })

export const IsoDate = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, 'expected a calendar day as YYYY-MM-DD')
  .refine(isCalendarDay, 'no such calendar day')
  .meta({ ...column('DATE'), format: 'date' })
/** An instant in UTC, `2024-06-30T20:00:00Z` or with milliseconds or microseconds. */
export const Instant = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/, 'expected an instant in UTC as YYYY-MM-DDTHH:MM:SSZ')
  .meta({ ...column('TIMESTAMP WITH TIME ZONE'), format: 'date-time' })
/**
 * Text without control characters, as a pattern that every dialect of regular expressions reads: not all JSON Schema validators set the `u`
 * flag that `\P{Cc}` needs.
 */
export const oneLinePattern = '^[^\\x00-\\x1f\\x7f-\\x9f]*$'
const supported = `from ${earliestDay} to ${latestDay}`
/** A day that a client names in a body: `IsoDate` within the supported days. */
export const GivenDay = IsoDate.superRefine((text, context) => {
  const beyond = isCalendarDay(text) ? outsideDays(Date.parse(text)) : null
  if (beyond !== null) context.addIssue({ code: 'custom', message: `${text} ${beyond}` })
}).meta({ format: 'date', pattern: dayPattern, description: `a calendar day ${supported}` })
/** An instant that a client names in a body, with Z or an offset; within the supported days in UTC. */
export const GivenInstant = z.iso
  .datetime({ offset: true, error: 'expected an instant such as 2026-12-31T00:00:00Z' })
  .superRefine((text, context) => {
    const beyond = outsideDays(Date.parse(text))
    if (beyond !== null) context.addIssue({ code: 'custom', message: `${text.slice(0, 64)} ${beyond}` })
  })
  .meta({ format: 'date-time', description: `an instant ${supported}` })
/** Digits as printed, in JSON-number form; never rounded, never converted to binary. The brand distinguishes its type from other texts. */
export const Decimal = Object.assign(
  z
    .string()
    .regex(/^-?(0|[1-9]\d*)(\.\d+)?$/, 'expected a decimal number')
    .meta({ ...column('VARCHAR'), decimal: true }),
  { isDecimal: true } as const,
)
/** A binary float: bar prices (checked to keep the printed digits) and statistics. The third number system of docs/architecture.md#numbers. */
export const Real = z.number().meta(column('DOUBLE'))
export const Count = z.int().min(0).meta(column('BIGINT'))
export const Int = z.int().meta(column('BIGINT'))
export const Flag = z.boolean().meta(column('BOOLEAN'))
export const Text = z.string().meta(column('VARCHAR'))

/** A listing, canonical: US bare (`BRK-B`), Toronto `.TO`, TSX Venture `.V`; class and unit marks with a dash. */
export const Symbol = z
  .string()
  .regex(/^[A-Z0-9][A-Z0-9.-]{0,15}$/, 'expected a symbol such as AAPL, BRK-B, RY.TO or XYZ.V')
  .meta(column('VARCHAR'))
export const Exchange = z.enum(['US', 'TO', 'V']).meta(column('VARCHAR'))
/** SEC Central Index Key, ten digits with leading zeros. */
export const Cik = z
  .string()
  .regex(/^\d{10}$/, 'expected a CIK of ten digits')
  .meta(column('VARCHAR'))
/** EDGAR accession number with dashes. */
export const AccessionNumber = z
  .string()
  .regex(/^\d{10}-\d{2}-\d{6}$/, 'expected an accession number such as 0000320193-24-000123')
  .meta(column('VARCHAR'))
export const Cusip = z
  .string()
  .regex(/^[0-9A-Z*@#]{9}$/, 'expected a CUSIP of nine characters')
  .meta(column('VARCHAR'))
/** ISO 4217. */
export const Currency = z
  .string()
  .regex(/^[A-Z]{3}$/, 'expected a currency such as USD or CAD')
  .meta(column('VARCHAR'))
export const Sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 in hex')
  .meta(column('VARCHAR'))
export const Release = z.int().min(0).meta(column('BIGINT'))

/**
 * The decimal that a source printed, as a JSON number: thousands separators, a leading `$` or `+` and a bare point are removed, and every
 * digit stays (`"1,000.50"` gives `"1000.50"`). Null if the text is not a plain decimal number.
 */
export function decimalText(text: string): string | null {
  if (isPlainDecimal(text)) return text
  const match = /^([+-]?)\$?(\d{1,3}(?:,\d{3})+|\d*)(?:\.(\d*))?$/.exec(text.trim())
  if (!match) return null
  const [, sign, whole = '', fraction = ''] = match
  if (whole === '' && fraction === '') return null
  const digits = whole.replaceAll(',', '').replace(/^0+(?=\d)/, '') || '0'
  return `${sign === '-' ? '-' : ''}${digits}${fraction === '' ? '' : `.${fraction}`}`
}

/** True for digits without a zero in front, with or without a point and more digits: nearly all numbers of filings, which stay as they are. */
function isPlainDecimal(text: string): boolean {
  let point = text.length
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 46 && point === text.length) point = at
    else if (code < 48 || code > 57) return false
  }
  return point > 0 && point !== text.length - 1 && (point === 1 || text.charCodeAt(0) !== 48)
}

/** True if the binary float nearest to `decimal` prints the same value again, so that no digit was lost. */
export function fitsDouble(decimal: string): boolean {
  const number = Number(decimal)
  if (!Number.isFinite(number)) return false
  return plainDecimal(number) === stripZeros(decimal)
}

/** A finite number in plain decimal notation (no exponent), in the shortest form that reads back as the same number. */
export function plainDecimal(number: number): string {
  const text = String(number)
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text)
  if (!match) return text
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return sign + digits + '0'.repeat(point - digits.length)
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

function stripZeros(decimal: string): string {
  const short = decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal
  return short === '-0' ? '0' : short
}
