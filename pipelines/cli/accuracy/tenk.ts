// FACTS.md, `tenk/`: the risk factors of an annual or quarterly report, their status and their words; if the facts give it, also the set
// of items that the report prints.
import { createHash } from 'node:crypto'
import { decodeText } from '#warehouse/documents/prose/decode.ts'
import { type Prose, readProse } from '#warehouse/documents/prose/prose.ts'
import type { RawDocument } from '../../read/parsed.ts'
import { locateItems } from '../../read/reports/locate.ts'
import { itemOf, type LocatedItem, riskItemOf } from '../../read/reports/located.ts'
import { namedForm, readReportFile } from '../../read/reports/report-file.ts'
import { isEqual } from '../accuracy-equality.ts'
import { type Comparisons, compare, type Entry, type Evaluator, type Outcome, within } from './compare.ts'

/** The form from the report's cover, if no header states it: the first form that the cover names, else an annual report. */
export const formOnCover = (prose: Prose): string => namedForm(prose) ?? '10-K'

/** A report alone, or inside its submission. */
function reportOf(document: RawDocument): { readonly prose: Prose; readonly form: string } {
  return readReportFile(document.body) ?? { prose: readProse(decodeText(document.body)), form: '10-K' }
}

type ReportRead = { readonly prose: Prose; readonly form: string; readonly items: readonly LocatedItem[]; readonly item: LocatedItem | null }

/** The items of a report and its risk factors: `not_present` if it has no such item. */
export function riskFactorsOf(document: RawDocument): ReportRead {
  const { prose, form } = reportOf(document)
  const items = locateItems(prose, form)
  return { prose, form, items, item: itemOf(items, riskItemOf(form)) }
}

/** The numbers of the items that a report prints, in the form's numbering: with the part for a 10-Q, without letters below an item for a 20-F. */
export function printedItems(items: readonly LocatedItem[], form: string): string[] {
  const numbers = items
    .filter(({ item, start, end }) => end > start && /^\d{1,2}[A-Z]?$/.test(item))
    .map(({ part, item }) => (/^10-?Q/i.test(form) && part !== null ? `${part}.${item}` : item))
  return [...new Set(numbers)]
}

const sortedTexts = (value: unknown): unknown => (Array.isArray(value) ? value.map(String).toSorted() : value)

const comparisons = ({ item_1a_accept: accept }: Entry): Comparisons => ({
  item_1a_words: within(0.01, 5),
  item_1a_status: (expected, got) => expected === got || (Array.isArray(accept) && accept.includes(got)),
  items: (expected, got) => isEqual(sortedTexts(expected), sortedTexts(got)),
})

export const tenk: Evaluator = ({ document }, entry, fields) => {
  const { prose, form, items, item } = riskFactorsOf(document)
  const status = item?.status ?? 'not_present'
  const words = status === 'not_present' ? null : (item?.words ?? null)
  const read = { form, item_1a_status: status, item_1a_words: words, items: printedItems(items, form) }
  const outcomes = compare(
    read,
    entry,
    // Which other values are accepted is a rule of the comparison, not a fact.
    fields.filter(field => field !== 'item_1a_accept'),
    comparisons(entry),
  )
  const section = item === null ? '' : prose.text.slice(item.start, item.end)
  const quotes: Readonly<Record<string, readonly string[]>> = {
    items: items.filter(({ start, end }) => end > start).map(each => headOf(prose, each)),
    item_1a_status: item === null ? [] : [item.end > item.start ? headOf(prose, item) : ''],
    item_1a_words: item === null ? [] : [headOf(prose, item), lastWords(section)],
  }
  return [
    ...outcomes.map(outcome => ({ ...outcome, form, ...(quotes[outcome.field] === undefined ? {} : { quotes: quotes[outcome.field] ?? [] }) })),
    ...edgeHints(section, entry),
  ]
}

const headWords = 9
/** The first words of a section, heading included: what its place is found by. */
export const headOf = (prose: Prose, { start, end }: LocatedItem): string =>
  prose.text
    .slice(start, Math.min(end, start + 200))
    .trim()
    .split(/\s+/)
    .slice(0, headWords)
    .join(' ')
const lastWords = (section: string): string => section.trim().slice(-200).split(/\s+/).slice(-headWords).join(' ')

/** Where the section begins and ends, by hashes of some of its first and last words. A hint only, since the facts do not state how many words. */
function edgeHints(section: string, entry: Entry): Outcome[] {
  const words = section
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
    .split(' ')
  return (['first', 'last'] as const).flatMap(edge => {
    const field = `${edge}_words_sha12`
    const expected = entry[field]
    if (typeof expected !== 'string') return []
    const counts = Array.from({ length: 10 }, (_, at) => at + 3)
    const cut = (count: number): string => (edge === 'first' ? words.slice(0, count) : words.slice(-count)).join(' ')
    const equal = counts.some(count => createHash('sha256').update(cut(count)).digest('hex').startsWith(expected))
    return equal ? [] : [{ field, equal, expected, got: `another ${edge === 'first' ? 'beginning' : 'end'}: “${cut(9)}”`, hint: true }]
  })
}
