// The codes of the cover page's rows (17 CFR 240.13d-101 and -102, instructions for cover page), and the amounts in its fields.
import { decimalText } from '#schemas/values.ts'

/** Row 14 of Schedule 13D, row 12 of 13G. Only the structured form has FI, DR and MM. */
export const personTypes = new Set(['BD', 'BK', 'IC', 'IV', 'IA', 'EP', 'HC', 'SA', 'CP', 'CO', 'PN', 'IN', 'FI', 'OO', 'DR', 'MM'])
/** Row 4 of Schedule 13D. */
export const fundSources = new Set(['SC', 'BK', 'AF', 'WC', 'PF', 'OO'])

/** CUSIPs in a field: capitals, without blanks and dashes, each once. Other text is kept if it has a digit. */
export function cusipsIn(text: string | null): string[] {
  const found = (text ?? '')
    .toUpperCase()
    .split(/[,;/\n]|\bAND\b/)
    .map(part => part.replace(/[^0-9A-Z*@#]/g, ''))
    .filter(part => /\d/.test(part) && part.length <= 12)
  return [...new Set(found)]
}

/** The amount in a structured field; `undefined` if it is not an amount. */
export function amountOf(printed: string | null): string | null | undefined {
  if (printed === null) return null
  return decimalText(printed.replace(/\s*%$/, '').replace(/\s/g, '')) ?? undefined
}

/** The key that groups an issuer's filings, even if a document names no CIK. */
export const issuerKey = (cik: string | null, cusips: readonly string[], filingId: string): string =>
  cik ?? (cusips[0] === undefined ? `filing:${filingId}` : `cusip:${cusips[0]}`)
