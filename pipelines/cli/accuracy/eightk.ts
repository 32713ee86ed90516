// FACTS.md, `eightk/raw/`: the set of item numbers of a current report. The words of the reference are another program's and are not judged.
import { readProse } from '../../documents/prose.ts'
import { decodeText } from '../../filings/text.ts'
import { locateCurrentItems } from '../../reports/current-items.ts'
import { isEqual } from '../accuracy-equality.ts'
import { compare, type Judge } from './compare.ts'

const numbersOf = (items: unknown): unknown => (typeof items === 'object' && items !== null ? Object.keys(items).toSorted() : items)

/** Words per item of a current report by itself; null where it has no item. */
export function currentItemWords(body: Uint8Array): Record<string, number> {
  const words: Record<string, number> = {}
  for (const { item, words: count } of locateCurrentItems(readProse(decodeText(body)))) words[item] = (words[item] ?? 0) + count
  return words
}

export const eightk: Judge = ({ document }, entry, fields) =>
  compare({ items: currentItemWords(document.body) }, entry, fields, { items: (expected, got) => isEqual(numbersOf(expected), numbersOf(got)) })
