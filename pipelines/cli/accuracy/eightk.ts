// FACTS.md, `eightk/raw/`: the set of item numbers of a current report. The words of the reference are another program's and are not judged.
import { readProse } from '../../documents/prose.ts'
import { decodeText } from '../../filings/text.ts'
import { locateCurrentItems } from '../../reports/current-items.ts'
import { isEqual } from '../accuracy-equality.ts'
import { compare, type Judge, type Outcome } from './compare.ts'

const numbersOf = (items: unknown): unknown => (typeof items === 'object' && items !== null ? Object.keys(items).toSorted() : items)

/** Words per item of a current report by itself; null where it has no item. */
export function currentItemWords(body: Uint8Array): Record<string, number> {
  const words: Record<string, number> = {}
  for (const { item, words: count } of locateCurrentItems(readProse(decodeText(body)))) words[item] = (words[item] ?? 0) + count
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
