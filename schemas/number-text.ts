// JSON whose numbers are the text they were printed as: `185.640000` keeps its zeros, and 20 digits stay 20.

/** JSON with numbers as text. */
export type TextJson = string | boolean | null | readonly TextJson[] | { readonly [name: string]: TextJson }

const quote = 34
const backslash = 92
const minus = 45
const colon = 58
/** RFC 8259, section 6. */
const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

const isDigit = (code: number): boolean => code >= 48 && code <= 57
/** Characters of a number after its first: digits, `.`, `e`, `E`, `+` and `-`. */
const inNumber = (code: number): boolean => isDigit(code) || code === 46 || code === 101 || code === 69 || code === 43 || code === minus
const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9

/** The position after a string that begins at `from`; the end of the text if the string has no end. */
function afterString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slash = end - 1
    while (text.charCodeAt(slash) === backslash) slash -= 1
    if ((end - slash) % 2 === 1) return end + 1
  }
  return text.length
}

function isName(text: string, from: number): boolean {
  let at = from
  while (isSpace(text.charCodeAt(at))) at += 1
  return text.charCodeAt(at) === colon
}

/**
 * The value of a JSON text, numbers as their text. Half of the time that JSON.parse takes with a function for each value. Throws
 * `SyntaxError` for a text that is not JSON (RFC 8259).
 */
export function parseWithNumberText(text: string): TextJson {
  const parts: string[] = []
  let from = 0
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = afterString(text, at)
    } else if (code === minus || isDigit(code)) {
      const start = at
      while (inNumber(text.charCodeAt(at))) at += 1
      const number = text.slice(start, at)
      // What is no number, or is a name without quotes, remains as it is, so that JSON.parse refuses it.
      if (numberForm.test(number) && !isName(text, at)) {
        parts.push(text.slice(from, start), number)
        from = at
      }
    } else at += 1
  }
  parts.push(text.slice(from))
  return JSON.parse(parts.join('"')) as TextJson
}
