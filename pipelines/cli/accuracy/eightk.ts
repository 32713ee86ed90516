// FACTS.md, `eightk/raw/`: the set of item numbers of a current report. The reference words come from another program and are not compared.

import { decodeText } from '#warehouse/documents/prose/decode.ts'
import { type Prose, readProse } from '#warehouse/documents/prose/prose.ts'
import { isCurrentForm } from '../../read/reports/content.ts'
import { locateCurrentItems } from '../../read/reports/current-items.ts'
import type { LocatedItem } from '../../read/reports/located.ts'
import { locateReportItems, readReportFile } from '../../read/reports/report-file.ts'
import { isEqual } from '../accuracy-equality.ts'
import { compare, type Evaluator, type Outcome } from './compare.ts'
import { headOf } from './tenk.ts'

const numbersOf = (items: unknown): unknown => (typeof items === 'object' && items !== null ? Object.keys(items).toSorted() : items)

type Located = { readonly prose: Prose; readonly items: readonly LocatedItem[] }
/** The items of a current report, alone or inside its submission, whose header announces them. A 6-K has none. */
function itemsOf(body: Uint8Array): Located {
  const report = readReportFile(body)
  if (report !== null && isCurrentForm(report.form)) return { prose: report.prose, items: locateReportItems(report) }
  const prose = report?.prose ?? readProse(decodeText(body))
  return { prose, items: locateCurrentItems(prose) }
}

/** Words per item of a current report. An item that is announced but not printed has no place and does not count. */
export const currentItemWords = (body: Uint8Array): Record<string, number> => wordsOf(itemsOf(body).items)

function wordsOf(items: readonly LocatedItem[]): Record<string, number> {
  const words: Record<string, number> = {}
  for (const { item, start, end, words: count } of items) if (end > start) words[item] = (words[item] ?? 0) + count
  return words
}

export const eightk: Evaluator = ({ document }, entry, fields) => {
  const located = itemsOf(document.body)
  const items = wordsOf(located.items)
  const outcomes = compare({ items }, entry, fields, { items: (expected, got) => isEqual(numbersOf(expected), numbersOf(got)) })
  const quotes = located.items.filter(({ start, end }) => end > start).map(item => headOf(located.prose, item))
  return [...outcomes.map(outcome => ({ ...outcome, quotes })), ...similarity(items, entry['items'])]
}

/** Similarity of the items' words to the other program's, if they are not nearly the same. */
function similarity(items: Readonly<Record<string, number>>, expected: unknown): Outcome[] {
  if (typeof expected !== 'object' || expected === null) return []
  const pairs = Object.entries(expected).flatMap(([item, words]) =>
    typeof words === 'number' && items[item] !== undefined ? [[words, items[item]]] : [],
  )
  if (pairs.length === 0) return []
  const shares = pairs.map(([theirs = 0, ours = 0]) => Math.min(theirs, ours) / Math.max(theirs, ours, 1))
  const mean = shares.reduce((total, share) => total + share, 0) / shares.length
  if (mean >= 0.9) return []
  return [
    {
      field: 'words',
      equal: false,
      expected,
      got: `similarity ${mean.toFixed(2)}: ours ${JSON.stringify(items)}, theirs ${JSON.stringify(expected)}`,
      hint: true,
    },
  ]
}
