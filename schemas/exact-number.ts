// Numbers of a body with the digits that were sent: `1.50` stays `1.50`, and 20 digits stay 20. JSON.parse alone would convert them to
// binary floats.
import { z } from 'zod'
import { decimalsOf, shiftDecimal } from './decimals.ts'
import { plainDecimal } from './values.ts'

type RawNumber = { readonly rawJSON: string }
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown
const raw = JSON as unknown as { isRawJSON(value: unknown): value is RawNumber; parse(text: string, reviver: Reviver): unknown }

/** JSON whose numbers keep their text, as `exactNumber` reads it. Throws `SyntaxError` for invalid JSON. */
export const parseExactly = (text: string): unknown =>
  raw.parse(text, (_key, value, { source }) => (typeof value === 'number' && source !== undefined ? JSON.rawJSON(source) : value))

const wholeDigits = 26
const fractionDigits = 12
const limits = `at most ${wholeDigits} digits before the point and ${fractionDigits} after it`

/** A JSON number of a body as its decimal. It is refused, not rounded, if it has too many digits. */
export function exactNumber({ minimum }: { readonly minimum?: 0 } = {}) {
  const sent = z.custom<RawNumber | number>(value => raw.isRawJSON(value) || (typeof value === 'number' && Number.isFinite(value)), {
    message: 'expected a number',
    abort: true,
  })
  // The description for OpenAPI, because JSON Schema cannot express this schema.
  sent._zod.toJSONSchema = () => ({ type: 'number', ...(minimum === undefined ? {} : { minimum }) })
  return sent.transform((value, context) => {
    const decimal = typeof value === 'number' ? plainDecimal(value) : plainText(value.rawJSON)
    const message =
      decimal === null || decimal.replace(/^-|\..*$/g, '').length > wholeDigits || decimalsOf(decimal) > fractionDigits
        ? `expected ${limits}`
        : minimum !== undefined && decimal.startsWith('-')
          ? `expected a number of ${minimum} or more`
          : null
    if (message === null) return decimal as string
    context.issues.push({ code: 'custom', message, input: value })
    return z.NEVER
  })
}

/** A JSON number without its exponent; null if that would make it too long to store. */
function plainText(source: string): string | null {
  const [, sign = '', digits = '', exponent = '0'] = /^(-?)([\d.]+)(?:[eE]([+-]?\d+))?$/.exec(source) ?? []
  if (digits === '' || digits.length > 64 || exponent.length > 4 || Math.abs(Number(exponent)) > 64) return null
  const plain = exponent === '0' ? digits : shiftDecimal(digits, Number(exponent))
  return /^[0.]*$/.test(plain) ? plain : sign + plain
}
