// The result of locating the items of a report (locate.ts): the position and the text of each.
import type { ItemStatus, LocatedBy } from '#schemas/reports.ts'

/** The target of a reference in the same document. Offsets are in `Prose.text`. */
export type Target = {
  readonly by: 'title' | 'note' | 'pages' | 'item'
  /** The title, note, pages or item that the reference names. */
  readonly label: string
  readonly start: number
  readonly end: number
  readonly words: number
}

/** An item of a report. Offsets are in `Prose.text`; a missing item has `start === end`. */
export type LocatedItem = {
  /** `I` to `IV`; null if the form has no parts, or the document does not state the part. */
  readonly part: 'I' | 'II' | 'III' | 'IV' | null
  /** Canonical: `1A`, `7`, `3.D`, `2.02`; `risk_factors` of an annual information form, which has other numbers. */
  readonly item: string
  /** As printed after the number; null if there is none. */
  readonly title: string | null
  readonly status: ItemStatus
  /** For every status except `full`: the words of the document, or what is missing. */
  readonly reason: string | null
  readonly start: number
  /** The end of the heading and the beginning of the text. */
  readonly headingEnd: number
  readonly end: number
  /** Words from `start` to `end`, including the heading. */
  readonly words: number
  readonly located: LocatedBy | null
  /** The anchor of the contents table's link to this item. */
  readonly anchor: string | null
  readonly flags: readonly string[]
  /** For status `cross_reference`: the target, if it was found. */
  readonly target?: Target
}

/** The item with the risk factors of a form: `1A`, `3.D` of a 20-F, `risk_factors` of an annual information form. */
export const riskItemOf = (form: string): string => (/^20-F/.test(form) ? '3.D' : /^(?:40-F|AIF)/.test(form) ? 'risk_factors' : '1A')

/** The item by its number; of several (parts I and II of a 10-Q) the longest. */
export function itemOf(items: readonly LocatedItem[], item: string): LocatedItem | null {
  let best: LocatedItem | null = null
  for (const candidate of items) if (candidate.item === item && (best === null || candidate.words > best.words)) best = candidate
  return best
}
