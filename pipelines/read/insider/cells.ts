// Cells of the ownership form's tables: a value, plain or in `<value>`, with the footnotes that cite it. What cannot be read is
// null, flagged, and listed with its text: a row is never lost over one of its cells.
import { isCalendarDay } from '#schemas/days.ts'
import { decimalText } from '#schemas/values.ts'
import { child, type Element, textOf } from '../xml/xml.ts'

type Citation = { readonly field: string; readonly id: string; readonly text: string | null }
type RowDataset = 'insider_filings' | 'insider_transactions' | 'insider_holdings'
export type UnreadCell = {
  readonly dataset: RowDataset
  readonly line: number // 0: of the filing itself
  readonly field: string
  readonly text: string
  readonly expected: string
}

/** The output of reading one row, in addition to its facts. */
export type Row = {
  readonly dataset: RowDataset
  readonly line: number
  readonly footnoteTexts: ReadonlyMap<string, string>
  readonly citations: Citation[]
  readonly flags: string[]
  readonly unread: UnreadCell[]
}

export function flag(row: Pick<Row, 'flags'>, name: string): void {
  if (!row.flags.includes(name)) row.flags.push(name)
}

/** Records the footnotes directly inside an element (or in its `<value>`) as citations of a field. */
export function cite(row: Row, element: Element | undefined, field: string): void {
  if (element === undefined) return
  for (const part of element.children) {
    if (part.name === 'value') cite(row, part, field)
    if (part.name !== 'footnoteId' || part.id === null) continue
    const text = row.footnoteTexts.get(part.id) ?? null
    if (text === null) flag(row, 'footnote_undefined')
    if (!row.citations.some(known => known.field === field && known.id === part.id)) row.citations.push({ field, id: part.id, text })
  }
}

function unreadable(row: Row, field: string, text: string, expected: string): null {
  flag(row, `${field}_unreadable`)
  row.unread.push({ dataset: row.dataset, line: row.line, field, text: text.slice(0, 200), expected })
  return null
}

export function textCell(row: Row, parent: Element | undefined, name: string, field: string): string | null {
  const cell = child(parent, name)
  cite(row, cell, field)
  return textOf(cell)
}

/** Digits as filed; `-0-` is the printed nil. */
export function decimalCell(row: Row, parent: Element | undefined, name: string, field: string): string | null {
  const text = textCell(row, parent, name, field)
  if (text === null) return null
  return text === '-0-' ? '0' : (decimalText(text) ?? unreadable(row, field, text, 'a decimal number'))
}

/** A calendar day; a following zone or time (`2020-01-02-05:00`) is dropped. Undefined if the text is no day. */
export function dayOf(text: string): string | undefined {
  const day = /^(\d{4}-\d\d-\d\d)(?:T[\d:.]{1,20})?(?:Z|[+-]\d\d:\d\d)?$/.exec(text)?.[1]
  return day !== undefined && isCalendarDay(day) ? day : undefined
}

export function dayCell(row: Row, parent: Element | undefined, name: string, field: string): string | null {
  const text = textCell(row, parent, name, field)
  if (text === null) return null
  return dayOf(text) ?? unreadable(row, field, text, 'a calendar day')
}

export function letterCell<L extends string>(row: Row, parent: Element | undefined, name: string, field: string, letters: readonly L[]): L | null {
  const text = textCell(row, parent, name, field)
  if (text === null) return null
  return letters.find(letter => letter === text.toUpperCase()) ?? unreadable(row, field, text, letters.join(' or '))
}

/** The form's booleans: 1, 0, true, false; anything else is null. */
export function truth(text: string | null): boolean | null {
  const lower = text?.toLowerCase()
  if (lower === '1' || lower === 'true' || lower === 'y' || lower === 'yes') return true
  return lower === '0' || lower === 'false' || lower === 'n' || lower === 'no' ? false : null
}
