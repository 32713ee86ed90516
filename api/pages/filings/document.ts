// The text of a document with the places of the values that were read from it.
import type { AnswerOf } from '#schemas/operations.ts'
import { number } from '../components/format.ts'
import { filingPath, linkTabs } from '../components/parts.ts'
import { emptyState } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import { counted } from '../words.ts'

type Document = AnswerOf<'get_filing_document'>
type Place = Document['places'][number]

/** A value as addresses name it: dataset, line (0 if the filing has one row) and field. */
export const valueKey = ({ dataset, line, field }: Omit<Place, 'start' | 'end'>): string => `${dataset}:${line ?? 0}:${field}`

/** Characters above which a place is a section, which is not marked until it is chosen. */
const longestValue = 400

export function documentText({ document, documents, places, accession, around_found, raw }: Document, at: string | undefined): Html {
  const here = filingPath(accession)
  const address = (start: number): string =>
    `${here}?${new URLSearchParams({ ...(document.document === null ? {} : { document: document.document }), start: String(start) })}#document`
  const shown = documents.filter(each => each.bytes > 0).slice(0, 12)
  return html`${
    shown.length > 1 &&
    linkTabs(
      'Documents of the filing',
      shown.map(each => ({
        label: each.document ?? each.type,
        href: `${here}?${new URLSearchParams({ document: each.document ?? '' })}#document`,
        current: each.document === document.document,
      })),
    )
  }
${at !== undefined && around_found === false && html`<p class="notice warn">The place of this value in the document is not known: it was derived from other values, or the document prints it in another form.</p>`}
${
  document.format === 'binary'
    ? emptyState('This document is not text. It is in the submission on sec.gov.')
    : html`<div class="document-text${document.format !== 'xml' && ' prose'}" tabindex="0" role="region" aria-label="Text of ${document.document ?? document.type}">${marked(document.untrusted_text, document.start, places, at)}</div>`
}
<output class="hidden" aria-live="polite" data-place></output>
${
  (document.start > 0 || document.next_start !== null) &&
  html`<nav class="pager" aria-label="Parts of the document">${document.start > 0 && html`<a href="${address(0)}">Beginning</a>`}${document.next_start !== null && html`<a href="${address(document.next_start)}">Next part</a>`}</nav>`
}
<p class="small">Characters ${number(document.start)} to ${number(document.end)} of ${number(document.characters)}; ${counted(places.length, 'value')} read here. ${document.format === 'xml' ? 'The source of the form.' : 'The visible text of the document.'} Submission as received: ${number(raw.bytes)} bytes, SHA-256 <code class="long">${raw.sha256}</code>.</p>`
}

/** The text in pieces that begin and end where a place does; a piece names all places that it belongs to. */
function marked(text: string, from: number, places: readonly Place[], at: string | undefined): Content {
  const to = from + text.length
  const within = places.map(each => ({ ...each, start: Math.max(each.start, from), end: Math.min(each.end, to), key: valueKey(each) }))
  const cuts = [...new Set([from, to, ...within.flatMap(({ start, end }) => [start, end])])].sort((a, b) => a - b)
  let first = true
  return cuts.slice(0, -1).map((start, index) => {
    const end = cuts[index + 1] ?? to
    const piece = text.slice(start - from, end - from)
    const covering = within.filter(each => each.start <= start && each.end >= end)
    if (covering.length === 0) return piece
    const chosen = covering.some(({ key }) => key === at)
    const value = covering.some(each => each.end - each.start <= longestValue)
    const id = chosen && first
    if (chosen) first = false
    return html`<mark class="${value && 'value'}${chosen && ' at'}" data-at="${covering.map(({ key }) => key).join(' ')}"${id && html` id="at"`}>${piece}</mark>`
  })
}
