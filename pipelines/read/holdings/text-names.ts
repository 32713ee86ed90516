// Names in text tables: they cover several lines, before their row or after it, and end in the class without a gap.
import type { TableRow } from './table-row.ts'

/** Issuer and class of a row: the text left of its CUSIP or amounts, after the name that the lines above began. */
export function nameRow(row: TableRow, left: string, names: NamesAbove, above: TableRow | undefined, following: string): void {
  const { issuer, title } = nameAndClass(left)
  row.issuer = names.with(issuer, /^\s/.test(left), above, following) || null
  row.title = title
  if (row.cusip === null && row.issuer === null) row.oddities.push('name_missing')
}

const classWords =
  /\s((?:COM(?:MON)?(?: (?:STK|STOCK|NEW))?|ORD(?:INARY)?|SHS|SH BEN INT|ADR|ADS|SPON(?:SORED)? ADR|SPONSORED ADS|CL(?:ASS)? ?[A-C](?: COM)?|PFD|NOTE|DBCV|UNIT(?: SER \d)?|W EXP [\d/]+|CAP STK CL [A-C]))\s*$/i

/** Name and class of the text before a CUSIP: a gap of two spaces separates them, otherwise the typical words of a class. */
export function nameAndClass(left: string): { readonly issuer: string; readonly title: string | null } {
  const text = left.trim()
  const gap = text.lastIndexOf('  ')
  if (gap > 0) return { issuer: clean(text.slice(0, gap)), title: clean(text.slice(gap)) }
  const words = classWords.exec(` ${text}`)
  if (words !== null) return { issuer: clean(text.slice(0, Math.max(0, words.index - 1))), title: clean(words[1] ?? '') }
  return { issuer: clean(text), title: null }
}
/** More than any name with its class has; a longer line is not a name, and the search for the end of its marks takes quadratic time. */
const mostOfName = 500
const clean = (text: string): string =>
  text
    .slice(0, mostOfName)
    .replace(/\s+/g, ' ')
    // Blanks go first: a cell's padding would hide the marks at its end.
    .trim()
    .replace(/^[*"]+|[,;"]+$/g, '')
    .trim()

/** Lines of text between rows: the beginning of the next row's name or the end of the last one's. */
export class NamesAbove {
  #held: string[] = []
  add(text: string): void {
    this.#held.push(clean(text))
    if (this.#held.length > 4) this.#held.shift()
  }
  clear(): void {
    this.#held = []
  }
  /**
   * The whole name of a row. Held lines begin it, unless the row's name is at the margin and keeps the alphabetical order that the held
   * lines would break: then they end the name of the row above.
   */
  with(own: string, indented: boolean, above: TableRow | undefined, following: string): string {
    const held = this.#held.join(' ')
    this.#held = []
    if (held === '') return own
    const last = above?.issuer ?? ''
    const next = following === '' ? !before(held, own) : before(own, following) && !before(held, following)
    const inOrder = !indented && last !== '' && before(last, own) && next
    if (own !== '' && inOrder && above !== undefined) {
      above.issuer = `${last} ${held}`.trim()
      return own
    }
    return `${held} ${own}`.trim()
  }
}
const before = (a: string, b: string): boolean => letters(a) <= letters(b)
const letters = (text: string): string => text.toUpperCase().replace(/[^A-Z0-9]/g, '')
