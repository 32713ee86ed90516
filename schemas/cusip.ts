// CUSIP and CINS numbers: six characters of issuer, two of issue, one check digit ("modulus 10 double add double", ANSI X9.6).

const characters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ*@#'
/** The value of each character code below 128; -1 of a character that is not valid in a CUSIP. */
const values = Int8Array.from({ length: 128 }, (_, code) => characters.indexOf(String.fromCharCode(code)))

/** The check digit of the first eight characters; -1 if one of them is not valid in a CUSIP. */
function checkDigit(text: string): number {
  let sum = 0
  for (let at = 0; at < 8; at += 1) {
    const value = values[text.charCodeAt(at)] ?? -1
    if (value < 0) return -1
    const doubled = at % 2 === 1 ? value * 2 : value
    sum += doubled < 10 ? doubled : Math.floor(doubled / 10) + (doubled % 10)
  }
  return (10 - (sum % 10)) % 10
}

/** The check digit of the first eight characters; null if one of them is not valid in a CUSIP. */
export function cusipCheckDigit(eight: string): string | null {
  const digit = checkDigit(eight)
  return digit < 0 ? null : String(digit)
}

/** True for nine characters of which the last is the check digit of the others; nine zeros are not a CUSIP. */
export function isCusip(text: string): boolean {
  const digit = text.length === 9 ? checkDigit(text) : -1
  return digit >= 0 && text.charCodeAt(8) === 48 + digit && text !== '000000000'
}

export type CusipRead = { readonly cusip: string | null; readonly flag: 'cusip_repaired' | 'cusip_check_digit' | 'cusip_invalid' | null }

/**
 * The CUSIP in a filing's text. Spaces and dashes are removed. Leading zeros that a spreadsheet dropped (`23135106`) and trailing padding
 * (`023135106000`) are corrected if the check digit then matches. A missing check digit is added. Other texts stay as filed with a flag,
 * because they still identify the row.
 */
export function readCusip(filed: string): CusipRead {
  if (isCusip(filed)) return { cusip: filed, flag: null }
  const text = filed.toUpperCase().replace(/[\s.,'’-]+/g, '')
  if (text === '') return { cusip: null, flag: null }
  if (isCusip(text)) return { cusip: text, flag: null }
  if (text.length > 9 && text.length <= 13 && isCusip(text.slice(0, 9))) return { cusip: text.slice(0, 9), flag: 'cusip_repaired' }
  if (text.length >= 6 && text.length < 9 && /\d/.test(text)) {
    // Zeros are only lost before digits: the first character of a CINS number is a letter.
    const padded = text.padStart(9, '0')
    if (/^\d/.test(text) && isCusip(padded)) return { cusip: padded, flag: 'cusip_repaired' }
    const digit = text.length === 8 ? cusipCheckDigit(text) : null
    if (digit !== null) return { cusip: text + digit, flag: 'cusip_repaired' }
  }
  return { cusip: text.slice(0, 40), flag: text.length === 9 ? 'cusip_check_digit' : 'cusip_invalid' }
}
