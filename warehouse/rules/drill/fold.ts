// The text with every character in one of its few spellings, position by position: a match in the folded text has the same position in
// the submitted text.
import { firstPlace } from '#schemas/ordered.ts'

/** Spaces of every width that may be inside a number: `1 250` with one of these is one thousand two hundred and fifty. */
export const isHardSpace = (code: number): boolean => code === 0xa0 || code === 0x202f || code === 0x2009 || code === 0x2007

const spaces = new Set([0x09, 0x0b, 0x0c, 0x20, 0xa0, 0x1680, 0x202f, 0x205f, 0x3000, 0xfeff, ...Array.from({ length: 14 }, (_, at) => 0x2000 + at)])
const dashes = new Set([0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015, 0x2212, 0xfe58, 0xfe63, 0xff0d])
const replaced = new Map<number, string>([
  [0x2018, "'"],
  [0x2019, "'"],
  [0x2032, "'"],
  [0x00b4, "'"],
  [0x201c, '"'],
  [0x201d, '"'],
  [0x2033, '"'],
  [0xff05, '%'],
  [0x2248, '~'],
  [0x223c, '~'],
  [0xff5e, '~'],
  [0x2265, '>'],
  [0x2264, '<'],
  [0x00d7, 'x'],
  [0x2044, '/'],
  [0x2215, '/'],
  [0x00a6, '|'],
  [0x2502, '|'],
  [0x2028, '\n'],
  [0x2029, '\n'],
  [0x0085, '\n'],
])
/** Lower-case digits written below the line: `U₃O₈`. */
const subscripts = 0x2080

/** Folds a text to one of the same length: one spelling each for dashes, quotes and spaces, with letters unchanged. */
export function foldMarks(text: string): string {
  const parts: string[] = []
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code > 0x20 && code < 0x7f) continue
    const other = foldOne(code)
    if (other === null) continue
    parts.push(text.slice(from, at), other)
    from = at + 1
  }
  parts.push(text.slice(from))
  return parts.join('')
}

function foldOne(code: number): string | null {
  if (code === 0x0a || code === 0x20 || code === 0x09) return null
  if (code === 0x0d) return ' '
  if (spaces.has(code)) return ' '
  if (dashes.has(code)) return '-'
  if (code >= subscripts && code <= subscripts + 9) return String.fromCharCode(0x30 + code - subscripts)
  return replaced.get(code) ?? null
}

/** Lower case, of the same length: the few letters whose lower case is longer are unchanged. */
export function lowerCase(text: string): string {
  const lower = text.toLowerCase()
  if (lower.length === text.length) return lower
  return [...text].map(letter => (letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter)).join('')
}

/** Positions in UTF-16 units as positions in characters (Unicode code points); the text is scanned once. */
export function characterPlaces(text: string): (place: number) => number {
  const after: number[] = []
  for (let at = 0; at < text.length - 1; at++) {
    const code = text.charCodeAt(at)
    if (code >= 0xd800 && code < 0xdc00 && text.charCodeAt(at + 1) >= 0xdc00 && text.charCodeAt(at + 1) < 0xe000) after.push(at + 1)
  }
  if (after.length === 0) return place => place
  return place => place - firstPlace(after.length, at => (after[at] as number) < place)
}
