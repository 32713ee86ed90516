// What locating the items of a report gives (locate.ts): where each stands in the visible text and what stands there.
import type { ItemStatus, LocatedBy } from '#schemas/reports.ts'

/** Where a stub points to in its own document. Offsets are in `Prose.text`. */
export type Target = {
  readonly by: 'title' | 'note' | 'pages' | 'item'
  /** The title, note, pages or item that the stub names. */
  readonly label: string
  readonly start: number
  readonly end: number
  readonly words: number
}

/** An item of a report. Offsets are in `Prose.text`; an item that is not there has `start === end`. */
export type LocatedItem = {
  /** `I` to `IV`; null where the form has no parts, or the document does not say which. */
  readonly part: 'I' | 'II' | 'III' | 'IV' | null
  /** As canon: `1A`, `7`, `3.D`, `2.02`; `risk_factors` of an annual information form, which numbers otherwise. */
  readonly item: string
  /** As printed behind the number; null where nothing is. */
  readonly title: string | null
  readonly status: ItemStatus
  /** For every status but `full`: the words of the document that say so, or what is missing. */
  readonly reason: string | null
  readonly start: number
  /** Where the heading ends and the body begins. */
  readonly headingEnd: number
  readonly end: number
  /** Words from `start` to `end`, the heading counted. */
  readonly words: number
  readonly located: LocatedBy | null
  /** The place name of the contents table's link that leads here. */
  readonly anchor: string | null
  readonly flags: readonly string[]
  /** Of a stub of status `cross_reference`: the place that it points to, where that was found. */
  readonly target?: Target
}

/** The item that holds the risk factors of a form: `1A`, `3.D` of a 20-F, `risk_factors` of an annual information form. */
export const riskItemOf = (form: string): string => (/^20-F/.test(form) ? '3.D' : /^(?:40-F|AIF)/.test(form) ? 'risk_factors' : '1A')

/** The item by its number; of several (parts I and II of a 10-Q) the one that holds most. */
export function itemOf(items: readonly LocatedItem[], item: string): LocatedItem | null {
  let best: LocatedItem | null = null
  for (const candidate of items) if (candidate.item === item && (best === null || candidate.words > best.words)) best = candidate
  return best
}
