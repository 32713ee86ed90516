// Tables: a caption for everybody, numbers aligned by their digits, a scroll area that the keyboard reaches.
import { type Content, type Html, html } from '../html.ts'
import { unknown } from './format.ts'

type Heading = { readonly label: Content; readonly numeric?: boolean; readonly tight?: boolean }
/** A column by its label, or by its label with the way its cells are set. */
export type Column = string | Heading

/** A column of numbers: right-aligned with digits of equal width. */
export const numeric = (label: string): Heading => ({ label, numeric: true })
/** A column whose cells are never broken into lines: dates, symbols. */
export const tight = (label: string): Heading => ({ label, tight: true })

/** Whether a column has numbers. */
export const isNumeric = (column: Column): boolean => typeof column !== 'string' && column.numeric === true

export type Table = {
  readonly caption: Content
  /** The heading above the table states what the caption would. */
  readonly captionHidden?: boolean
  readonly columns: readonly Column[]
  /** Cells in the order of the columns. Null prints the dash for an unknown value. The first cell is the heading of its row. */
  readonly rows: readonly (readonly Content[])[]
  /** What is shown if there is no row. */
  readonly empty?: Content
  /** Limits the height; the header stays visible. */
  readonly tall?: boolean
}

export function table({ caption, captionHidden = false, columns, rows, empty = 'There are no rows.', tall = false }: Table): Html {
  if (rows.length === 0) return emptyState(empty)
  const headings = columns.map((column): Heading => (typeof column === 'string' ? { label: column } : column))
  const classOf = ({ numeric = false, tight = false }: Heading): Content => (numeric ? html` class="n"` : tight && html` class="t"`)
  return html`<div class="scroll${tall && ' tall'}" tabindex="0" role="group" aria-label="${plainText(caption)}"><table>
<caption${captionHidden && html` class="hidden"`}>${caption}</caption>
<thead><tr>${headings.map(column => html`<th scope="col"${classOf(column)}>${column.label}</th>`)}</tr></thead>
<tbody>${rows.map(
    cells =>
      html`<tr>${headings.map((column, index) => {
        const cell = cells[index] ?? unknown
        return index === 0 ? html`<th scope="row"${classOf(column)}>${cell}</th>` : html`<td${classOf(column)}>${cell}</td>`
      })}</tr>\n`,
  )}</tbody></table></div>`
}

/** The text of a content without its tags, for an attribute. */
export const plainText = (content: Content): string =>
  html`${content}`
    .toString()
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")

/** Pairs of a name and a value. */
export const facts = (pairs: readonly (readonly [Content, Content])[]): Html =>
  html`<dl class="facts">${pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value ?? unknown}</dd></div>`)}</dl>`

export const emptyState = (text: Content): Html => html`<p class="empty">${text}</p>`
