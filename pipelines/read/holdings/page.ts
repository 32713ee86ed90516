// The page that EDGAR renders of a 13F's information table (`xslForm13F…/`), back into rows as the XML has them. Columns are identified by
// their heads, which span several rows and share columns. Irregular HTML, so read as a tree by cheerio.
import { type CheerioAPI, load } from 'cheerio'
import { Unreadable } from '#schemas/errors.ts'
import { emptyRow, type TableRow } from './table-row.ts'

/** Whether a page is such a table, by its first part. */
export const isTablePage = (head: string): boolean => {
  const plain = head.replace(/<[^>]{0,2000}>|&nbsp;|&#160;|\s+/g, ' ')
  return (
    /<(?:html|table)[\s>]/i.test(head) &&
    /name of issuer/i.test(plain) &&
    /\bcusip\b/i.test(plain) &&
    /\bsole\b/i.test(plain) &&
    /\b13-?f\b/i.test(plain)
  )
}

const limit = 96 * 1024 * 1024
const tidy = (text: string): string => text.replace(/[\s\u00a0]+/g, ' ').trim()
const letters = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '')

type Cell = Exclude<keyof TableRow, 'oddities'>
/** Heads of a column from top to bottom, only their letters. */
const columns: readonly (readonly [head: RegExp, cell: Cell])[] = [
  [/nameofissuer/, 'issuer'],
  [/titleofclass/, 'title'],
  [/cusip/, 'cusip'],
  [/figi/, 'figi'],
  [/othermanagers?$/, 'otherManager'],
  [/discretion$/, 'discretion'],
  [/putcall$/, 'putCall'],
  [/sole$/, 'sole'],
  [/shared$/, 'shared'],
  [/none$/, 'none'],
  [/shprn$/, 'amountType'],
  [/prn(?:amt|amount)$|sharesorprincipalamount$/, 'amount'],
  [/value/, 'value'],
]
const numbers: ReadonlySet<Cell> = new Set(['value', 'amount', 'sole', 'shared', 'none'])

/** The rows in order. Throws `Unreadable` if no table of the page has the form's columns. */
export function pageRows(subject: string, html: string): TableRow[] {
  if (html.length > limit) throw new Unreadable('too_large', `${subject}: ${html.length} characters of HTML, limit ${limit}`)
  const $ = load(html)
  for (const table of $('table').toArray()) {
    const own = $(table)
      .find('tr')
      .toArray()
      .filter(row => $(row).closest('table')[0] === table)
      .map(row => $(row))
    const heads: Row[] = []
    for (const row of own) {
      heads.push(row)
      if (/^none$/i.test(tidy(row.children('td, th').last().text()))) break
    }
    const named = columnsOf($, heads)
    if (!['issuer', 'cusip', 'value', 'amount'].every(cell => named.includes(cell as Cell))) continue
    return own.slice(heads.length).flatMap(row => rowOf($, row, named) ?? [])
  }
  throw new Unreadable('not_information_table', `${subject}: no table of the page has the columns of a 13F`)
}

type Row = ReturnType<CheerioAPI>

function columnsOf($: CheerioAPI, rows: readonly Row[]): (Cell | null)[] {
  const heads: string[] = []
  const filled = new Map<number, number>()
  for (const [line, row] of rows.entries()) {
    let column = 0
    for (const cell of row.children('td, th').toArray()) {
      while ((filled.get(column) ?? 0) > line) column += 1
      const [wide = 1, high = 1] = ['colspan', 'rowspan'].map(name => Math.min(40, Math.max(1, Number($(cell).attr(name) ?? 1) || 1)))
      for (let at = column; at < column + wide; at += 1) {
        heads[at] = `${heads[at] ?? ''}${letters($(cell).text())}`
        if (high > 1) filled.set(at, line + high)
      }
      column += wide
    }
  }
  return heads.map(head => columns.find(([pattern]) => pattern.test((head ?? '').replace(/column/g, '')))?.[1] ?? null)
}

/** Null for a line without an issuer and a CUSIP: rules, totals and notes below the table. */
function rowOf($: CheerioAPI, row: Row, named: readonly (Cell | null)[]): TableRow | null {
  const found = emptyRow()
  for (const [at, cell] of row.children('td, th').toArray().entries()) {
    const name = named[at] ?? null
    if (name === null) continue
    const text = tidy($(cell).text())
    const value = numbers.has(name) ? text.replace(/^\$\s?|,/g, '') : text
    found[name] = value === '' ? null : value
  }
  return found.cusip === null || (found.value === null && found.amount === null) ? null : found
}
