// Full-text search over the documentation: operations with their parameters and fields, and the sections of the guides.
import { operations } from '#schemas/operations.ts'
import { fieldsOf } from './fields.ts'
import { operationPath } from './frame.ts'
import { allGuides, guidePath } from './guides.ts'
import { plainLine } from './markdown.ts'
import { parameterRows } from './operation-parts.ts'

export type Hit = { readonly title: string; readonly path: string; readonly kind: string; readonly excerpt: string }
type Entry = {
  readonly title: string
  readonly path: string
  readonly kind: string
  readonly text: string
  readonly titleWords: ReadonlySet<string>
  /** Number of times that a word occurs. */
  readonly words: ReadonlyMap<string, number>
  readonly length: number
}

/** Words of a text in lower case; `dividend_yield_pct` gives itself and its parts. */
export function wordsOf(text: string): string[] {
  const found = text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_]*/gu) ?? []
  return found.flatMap(word => (word.includes('_') ? [word, ...word.split('_').filter(part => part !== '')] : [word]))
}

function entryOf(title: string, path: string, kind: string, text: string): Entry {
  const all = wordsOf(text)
  const words = new Map<string, number>()
  for (const word of all) words.set(word, (words.get(word) ?? 0) + 1)
  return { title, path, kind, text, titleWords: new Set(wordsOf(title)), words, length: Math.max(all.length, 20) }
}

let entries: readonly Entry[] | null = null
/** The index is made once; the texts are part of the program. */
function index(): readonly Entry[] {
  entries ??= [
    ...operations.map(operation => {
      const parameters = parameterRows(operation).map(each => `${each.name}: ${each.meaning}`)
      const fields = operation.answer === null ? [] : fieldsOf(operation.answer).map(each => `${each.name} ${each.meaning ?? ''}`)
      const text = [operation.description, operation.id, operation.path, ...parameters, ...fields].join('\n')
      return entryOf(operation.summary, operationPath(operation.id), `${operation.method} ${operation.path}`, text)
    }),
    ...allGuides().flatMap(guide =>
      guide.sections.map(({ heading, text }) =>
        entryOf(
          heading.level === 1 ? guide.title : heading.text,
          heading.level === 1 ? guidePath(guide.name) : `${guidePath(guide.name)}#${heading.id}`,
          heading.level === 1 ? 'Guide' : guide.title,
          plainLine(text.replaceAll(/<!--[\s\S]*?-->/g, '').replaceAll(/\n[|\s:-]+\n/g, '\n')),
        ),
      ),
    ),
  ]
  return entries
}

/** The weight of a word in an entry: whole words count more than beginnings, titles more than text. 0: it does not occur. */
function weightOf({ titleWords, words, length }: Entry, word: string): number {
  const dense = (count: number): number => count / (count + length / 120)
  let weight = (titleWords.has(word) ? 6 : 0) + dense(words.get(word) ?? 0) * 3
  if (weight > 0 || word.length < 3) return weight
  for (const each of titleWords) if (each.startsWith(word)) weight = Math.max(weight, 3)
  for (const [each, count] of words) if (each.startsWith(word)) weight = Math.max(weight, dense(count))
  return weight
}

export const mostHits = 30
/** The pages and sections that have every word, best first. Empty if there is none. */
export function searchDocs(query: string): Hit[] {
  const words = [...new Set(wordsOf(query))].slice(0, 12)
  if (words.length === 0) return []
  const found = index().flatMap(entry => {
    const weights = words.map(word => weightOf(entry, word))
    return weights.every(weight => weight > 0) ? [{ entry, weight: weights.reduce((sum, each) => sum + each, 0) }] : []
  })
  return found
    .toSorted((a, b) => b.weight - a.weight || (a.entry.path < b.entry.path ? -1 : 1))
    .slice(0, mostHits)
    .map(({ entry: { title, path, kind, text } }) => ({ title, path, kind, excerpt: excerptOf(text, words) }))
}

/** About 200 characters around the first word that occurs. */
function excerptOf(text: string, words: readonly string[]): string {
  const plain = text.replaceAll(/[|`*\s]+/g, ' ').trim()
  const lower = plain.toLowerCase()
  const places = words.map(word => lower.indexOf(word)).filter(at => at >= 0)
  const from = places.length === 0 ? 0 : Math.max(0, Math.min(...places) - 60)
  const start = from === 0 ? 0 : lower.indexOf(' ', from) + 1
  const cut = plain.slice(start, start + 200)
  return `${start > 0 ? '… ' : ''}${start + 200 < plain.length ? `${cut.slice(0, cut.lastIndexOf(' '))} …` : cut}`
}

/** The word of the documentation that is nearest to a word that it does not have; null if none is near. */
export function nearestWord(word: string): string | null {
  let best: { readonly word: string; readonly distance: number; readonly count: number } | null = null
  const counts = new Map<string, number>()
  for (const entry of index()) for (const [each, count] of entry.words) counts.set(each, (counts.get(each) ?? 0) + count)
  if (counts.has(word)) return null
  const most = word.length < 6 ? 1 : 2
  for (const [each, count] of counts) {
    if (Math.abs(each.length - word.length) > most || each.length < 3) continue
    const distance = editDistance(word, each)
    if (distance <= most && (best === null || distance < best.distance || (distance === best.distance && count > best.count)))
      best = { word: each, distance, count }
  }
  return best?.word ?? null
}

/** Insertions, deletions, substitutions and swaps of neighbours that turn one word into the other. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const [above, before] = [rows[i - 1] as number[], rows[i - 2]]
      const step = Math.min((above[j] as number) + 1, (row[j - 1] as number) + 1, (above[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1))
      const swapped = before !== undefined && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] as number) + 1 : step
      row.push(Math.min(step, swapped))
    }
    rows.push(row)
  }
  return (rows[a.length] as number[])[b.length] as number
}
