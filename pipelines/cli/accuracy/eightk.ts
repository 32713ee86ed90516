// FACTS.md, `eightk/raw/`: the set of item numbers of a current report. The words of the reference are another program's and are not judged.
import { readProse } from '../../documents/prose.ts'
import { decodeText } from '../../filings/text.ts'
import { isCurrentForm } from '../../reports/content.ts'
import { locateCurrentItems } from '../../reports/current-items.ts'
import type { LocatedItem } from '../../reports/located.ts'
import { locateReportItems, readReportFile } from '../../reports/report-file.ts'
import { isEqual } from '../accuracy-equality.ts'
import { compare, type Judge, type Outcome } from './compare.ts'

const numbersOf = (items: unknown): unknown => (typeof items === 'object' && items !== null ? Object.keys(items).toSorted() : items)

/** The items of a current report, by itself or inside of its submission, whose header announces them. A 6-K has none. */
function itemsOf(body: Uint8Array): LocatedItem[] {
  const report = readReportFile(body)
  if (report !== null && isCurrentForm(report.form)) return locateReportItems(report)
  return locateCurrentItems(report?.prose ?? readProse(decodeText(body)))
}

/** Words per item of a current report; an item that is announced and not printed has no place and is none. */
export function currentItemWords(body: Uint8Array): Record<string, number> {
  const words: Record<string, number> = {}
  for (const { item, start, end, words: count } of itemsOf(body)) if (end > start) words[item] = (words[item] ?? 0) + count
  return words
}

export const eightk: Judge = ({ document }, entry, fields) => {
  const items = currentItemWords(document.body)
  const outcomes = compare({ items }, entry, fields, { items: (expected, got) => isEqual(numbersOf(expected), numbersOf(got)) })
  return [...outcomes, ...similarity(items, entry['items'])]
}

/** How alike the words of the items are to the other program's, where they are not nearly the same. */
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
