// FACTS.md, `eightk/raw/`: the set of item numbers of a current report. The words of the reference are another program's and are not judged.
import { Unreadable } from '#schemas/errors.ts'
import { readProse } from '../../documents/prose.ts'
import { parseSubmission } from '../../filings/sgml.ts'
import { decodeText } from '../../filings/text.ts'
import { isCurrentForm, reportIn } from '../../reports/content.ts'
import { locateCurrentItems } from '../../reports/current-items.ts'
import type { LocatedItem } from '../../reports/located.ts'
import { isEqual } from '../accuracy-equality.ts'
import { compare, type Judge, type Outcome } from './compare.ts'

const numbersOf = (items: unknown): unknown => (typeof items === 'object' && items !== null ? Object.keys(items).toSorted() : items)

/** The items of a current report, by itself or inside of its submission, whose header announces them. A 6-K has none. */
function itemsOf(body: Uint8Array): LocatedItem[] {
  try {
    const submission = parseSubmission(body)
    const form = submission.header.form ?? ''
    const main = reportIn(submission, form)
    if (main !== null)
      return isCurrentForm(form) && !/^6-K/i.test(form) ? locateCurrentItems(readProse(decodeText(main.bytes)), submission.header.items) : []
  } catch (error) {
    if (!(error instanceof Unreadable && error.reason === 'not_a_submission')) throw error
  }
  const prose = readProse(decodeText(body))
  return /\bform\s{0,3}6\s{0,2}[-‐‑–—]?\s{0,2}k\b/i.test(prose.text.slice(0, 4000)) ? [] : locateCurrentItems(prose)
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
