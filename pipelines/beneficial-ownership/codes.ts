// The codes of the cover page's rows (17 CFR 240.13d-101 and -102, instructions for cover page), and the amounts in its fields.
import { decimalText } from '#schemas/values.ts'

/** Row 14 of Schedule 13D, row 12 of 13G. FI, DR and MM are of the structured form alone. */
export const personTypes = new Set(['BD', 'BK', 'IC', 'IV', 'IA', 'EP', 'HC', 'SA', 'CP', 'CO', 'PN', 'IN', 'FI', 'OO', 'DR', 'MM'])
/** Row 4 of Schedule 13D. */
export const fundSources = new Set(['SC', 'BK', 'AF', 'WC', 'PF', 'OO'])

/** CUSIPs in a field: capitals, blanks and dashes taken out, each once. What is no CUSIP is kept where it has a digit. */
export function cusipsIn(text: string | null): string[] {
  const found = (text ?? '')
    .toUpperCase()
    .split(/[,;/\n]|\bAND\b/)
    .map(part => part.replace(/[^0-9A-Z*@#]/g, ''))
    .filter(part => /\d/.test(part) && part.length <= 12)
  return [...new Set(found)]
}

/** A CUSIP of nine characters whose last one is its check digit (ANSI X9.6). */
export function isCusip(text: string): boolean {
  if (!/^[0-9A-Z*@#]{8}\d$/.test(text)) return false
  let sum = 0
  for (let at = 0; at < 8; at += 1) {
    const value = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ*@#'.indexOf(text[at] as string) * (at % 2 === 0 ? 1 : 2)
    sum += Math.floor(value / 10) + (value % 10)
  }
  return (10 - (sum % 10)) % 10 === Number(text[8])
}

/** The amount in a structured field; `undefined` where it is none. */
export function amountOf(printed: string | null): string | null | undefined {
  if (printed === null) return null
  return decimalText(printed.replace(/\s*%$/, '').replace(/\s/g, '')) ?? undefined
}

/** The key under which an issuer's filings stand together, also where a document names no CIK. */
export const issuerKey = (cik: string | null, cusips: readonly string[], filingId: string): string =>
  cik ?? (cusips[0] === undefined ? `filing:${filingId}` : `cusip:${cusips[0]}`)
