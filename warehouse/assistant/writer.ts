// The text of an answer, from sentences whose only figures are claims: a literal with a digit is refused.
import type { Citation } from '#schemas/assistant.ts'
import { Broken } from '#schemas/errors.ts'
import { type Figure, print } from './claims.ts'
import { figuresOfProse } from './figures.ts'
import { lengthAt, textOf } from './json-values.ts'
import type { Result } from './result.ts'

export type Part = { readonly text: string } | { readonly figure: Figure } | { readonly cite: readonly number[] }
export type Prose = { readonly parts: readonly Part[] }
type Slot = Figure | Prose

const isProse = (slot: Slot): slot is Prose => 'parts' in slot

/** A sentence or a part of one: t`${name} closed at ${price}.` Throws `Broken` if a literal contains a figure. */
export function t(literals: TemplateStringsArray, ...slots: readonly Slot[]): Prose {
  return {
    parts: literals.flatMap((literal, index): Part[] => {
      const slot = slots[index]
      return [...literalParts(literal), ...(slot === undefined ? [] : isProse(slot) ? slot.parts : [{ figure: slot }])]
    }),
  }
}
/** Words of the code, without a figure. */
export const words = (text: string): Prose => ({ parts: literalParts(text) })

function literalParts(text: string): Part[] {
  const [found] = figuresOfProse(text)
  if (found !== undefined) throw new Broken(`an answer may not write the figure "${found.text}" itself: make it a claim`)
  return text === '' ? [] : [{ text }]
}
/** A count with its noun: `1 dividend`, `2 dividends`. */
export const countedOf = (count: Figure, one: string, many = `${one}s`): Prose => t`${count} ${words(count.value === '1' ? one : many)}`
/** `a, b and c`. */
export function listed(items: readonly Slot[], last = 'and'): Prose {
  return {
    parts: items.flatMap((item, index): Part[] => [
      ...(index === 0 ? [] : [{ text: index === items.length - 1 ? ` ${last} ` : ', ' }]),
      ...(isProse(item) ? item.parts : [{ figure: item }]),
    ]),
  }
}
export const joined = (items: readonly Slot[], between = ' '): Prose => ({
  parts: items.flatMap((item, index): Part[] => [...(index === 0 ? [] : [{ text: between }]), ...(isProse(item) ? item.parts : [{ figure: item }])]),
})

export type Cell = Slot | null
export type Writer = {
  say(...sentences: readonly Prose[]): void
  table(header: readonly string[], rows: readonly (readonly Cell[])[]): void
  list(items: readonly Prose[]): void
  /** A mark such as [1] for the sources of an answer: `only` keeps the filings with these accession numbers. */
  cite(result: Result, options?: { readonly only?: readonly (string | null)[]; readonly span?: string | null }): Prose
  readonly parts: readonly Part[]
  readonly citations: readonly Citation[]
}

const maxCitations = 12
const citationsPerCall = 4

export function createWriter(): Writer {
  const parts: Part[] = []
  const citations: Citation[] = []
  const add = (block: readonly Part[]): void => {
    if (parts.length > 0) parts.push({ text: '\n\n' })
    parts.push(...block)
  }
  return {
    parts,
    citations,
    say: (...sentences) => add(joined(sentences.filter(each => each.parts.length > 0)).parts),
    table(header, rows) {
      const line = (cells: readonly Cell[]): Part[] => [
        { text: '| ' },
        ...cells.flatMap((cell, index): Part[] => [
          ...(index === 0 ? [] : [{ text: ' | ' }]),
          ...(cell === null ? [{ text: '–' }] : isProse(cell) ? cell.parts : [{ figure: cell }]),
        ]),
        { text: ' |' },
      ]
      const head = line(header.map(words))
      const rule: Part = { text: `\n|${' --- |'.repeat(header.length)}` }
      add([...head, rule, ...rows.flatMap((row): Part[] => [{ text: '\n' }, ...line(row)])])
    },
    list(items) {
      add(items.flatMap((item, index): Part[] => [{ text: index === 0 ? '- ' : '\n- ' }, ...item.parts]))
    },
    cite(result, { only, span = null } = {}) {
      const numbers: number[] = []
      for (let index = 0; index < lengthAt(result.tree, '/sources') && numbers.length < citationsPerCall; index += 1) {
        const member = (field: string): string | null => textOf(result.tree, `/sources/${index}/${field}`)
        const accession = member('accession')
        if (only !== undefined && !only.includes(accession)) continue
        const [url, source] = [secAddress(member('url')), member('name') ?? result.operation]
        const held = citations.find(
          each => each.accession === accession && each.source === source && each.span === span && (accession !== null || each.url === url),
        )
        if (held) numbers.push(held.n)
        else if (citations.length < maxCitations) {
          citations.push({ n: citations.length + 1, accession, url, span, source })
          numbers.push(citations.length)
        }
      }
      return { parts: numbers.length === 0 ? [] : [{ cite: [...new Set(numbers)].sort((a, b) => a - b) }] }
    },
  }
}

/** Links of an answer lead to the SEC only. */
function secAddress(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' && (hostname === 'sec.gov' || hostname.endsWith('.sec.gov')) ? url : null
}

/** The Markdown of parts, and their figures by position. */
export function renderParts(parts: readonly Part[]): { readonly text: string; readonly figures: readonly Figure[] } {
  const figures: Figure[] = []
  const text = parts
    .map(part => {
      if ('text' in part) return part.text
      if ('cite' in part) return part.cite.map(n => `[${n}]`).join('')
      figures.push(part.figure)
      return part.figure.text
    })
    .join('')
  return { text, figures }
}

/** The list of sources under an answer; empty without citations. */
export function renderSources(citations: readonly Citation[]): string {
  if (citations.length === 0) return ''
  const lines = citations.map(({ n, accession, url, span, source }) => {
    const label = print([source, accession, span].filter(each => each !== null).join(', '), { as: 'name' })
    return `[${n}] ${url === null ? label : `[${label}](${url.replaceAll(/[()\s]/g, encodeURIComponent)})`}`
  })
  return `\n\nSources: ${lines.join(' · ')}`
}
