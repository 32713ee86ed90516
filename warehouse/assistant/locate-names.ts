// Which words of a question name a company or a manager, whatever their case: words that belong to no question are looked up in the
// directories before the topic is decided. Nothing is guessed: what is found is a name in the words of the question.
import { type Calls, maxCalls } from './calls.ts'
import { lengthAt } from './json-values.ts'
import { stopwords, type Topic } from './lexicon.ts'
import { wordsOfName } from './name-words.ts'
import { isKnown, meantBy, refusals } from './score-topics.ts'
import { fits, type Line, searchWords, unknownCompany } from './subjects.ts'
import type { Located, Understanding, Unknown } from './understand.ts'

/** Topics that no company takes part in. */
const withoutCompany: ReadonlySet<Topic> = new Set<Topic>([
  'advice',
  'forecast',
  'write',
  'personal',
  'out_of_scope',
  'help',
  'status',
  'receipt',
  'market_hours',
  'themes',
  'managers',
  'drill',
  'flow_through',
  'blue_sky',
])
/** Calls that looking up names may take. */
const mostLookUps = 4
const mostRuns = 3
/** Words behind the name of a manager. */
const managerWords = /^(?:capital|management|mgmt|mgt|advisers?|advisors?|partners|assets?|funds?|investments?|advisory|holdings|llc|lp)$/
const managerTopics: ReadonlySet<Topic> = new Set<Topic>(['manager', 'manager_changes', 'holders'])

type Word = { readonly text: string; readonly start: number; readonly end: number }

/** The names in a question, by their places. Makes at most four calls. */
export async function locateNames(calls: Calls, understood: Understanding): Promise<Located[]> {
  const { topic, score, unknown, question } = understood
  if (topic !== null && withoutCompany.has(topic) && (score >= 2.5 || !refusals.has(topic))) return []
  const words = wordsWithPlaces(question)
  const found: Located[] = []
  for (const run of [...unknown].sort((a, b) => b.text.length - a.text.length).slice(0, mostRuns)) {
    if (calls.made.length >= Math.min(mostLookUps, maxCalls - 3)) break
    if (found.some(each => run.start < each.end && run.end > each.start)) continue
    const company = await companyIn(calls, run, words, understood)
    if (company !== null) found.push(company)
    else if (topic === null || managerTopics.has(topic) || words.some(each => managerWords.test(each.text)))
      found.push(...(await managerIn(calls, run, words)))
  }
  return found.sort((a, b) => a.start - b.start)
}

const wordsWithPlaces = (question: string): Word[] =>
  [...question.matchAll(/[\p{L}\d][\p{L}\d.'’-]*/gu)].map(match => {
    const text = match[0].replace(/['’]s$/, '').replace(/[.'’-]+$/, '')
    return { text: text.toLowerCase(), start: match.index, end: match.index + text.length }
  })

/** The longest part of the question around the unknown words that is part of a listing's name; null if no listing's name contains any of them. */
async function companyIn(calls: Calls, run: Unknown, words: readonly Word[], understood: Understanding): Promise<Located | null> {
  const { question } = understood
  const inside = words.filter(each => each.start >= run.start && each.start < run.end)
  const byLength = [...inside].sort((a, b) => b.text.length - a.text.length)
  for (const { text } of byLength.slice(0, 2)) {
    if (text.length < 2 || calls.made.length >= mostLookUps) break
    const lines = await searchWords(calls, wordsOfName(text))
    const exact = inside.find(each => lines.some(line => line.symbol === each.text.toUpperCase()))
    const best = longestName(lines, run, words)
    const rest = best === null || fitsAlone(best, lines) ? undefined : inside.find(each => isStranger(each, best))
    if (rest !== undefined && best !== null)
      throw await unknownCompany(
        calls,
        restOf(question, run, best),
        understood,
        lines.filter(each => fits(each, wordsOfName(best.value))),
      )
    if (best !== null && (exact === undefined || best.value.includes(' '))) return best
    if (exact !== undefined) return { start: exact.start, end: exact.end, kind: 'symbol', value: exact.text.toUpperCase() }
  }
  return null
}

/** A symbol on its own needs no other word. */
const fitsAlone = ({ value }: Located, lines: readonly Line[]): boolean => !value.includes(' ') && lines.some(line => fitsSymbol(line, value))
/** A word next to a name that belongs to no question makes it another name: "Northgate bananas" is no Northgate Pipelines. */
const isStranger = ({ text, start, end }: Word, name: Located): boolean =>
  (start >= name.end || end <= name.start) && text.length > 2 && !isKnown(text) && meantBy(text) === null
const restOf = (question: string, run: Unknown, name: Located): string => question.slice(Math.min(run.start, name.start), Math.max(run.end, name.end))

/** The longest run of words, an unknown one among them, that are words of one listing's name or the root of its symbol. */
function longestName(lines: readonly Line[], run: Unknown, words: readonly Word[]): Located | null {
  const near = words.filter(each => each.end > run.start - 60 && each.start < run.end + 60)
  let best: readonly Word[] = []
  for (let from = 0; from < near.length; from += 1)
    for (let to = near.length; to > from && to - from > best.length; to -= 1) {
      const window = near.slice(from, to)
      if (!window.some(each => each.start >= run.start && each.start < run.end)) continue
      if (stopwords.has(window[0]?.text ?? '') || stopwords.has(window.at(-1)?.text ?? '')) continue
      if (lines.some(line => bears(line, window))) best = window
    }
  const [first, last] = [best[0], best.at(-1)]
  return first === undefined || last === undefined
    ? null
    : { start: first.start, end: last.end, kind: 'company', value: best.map(each => each.text).join(' ') }
}

/** Whether a listing's name has all the words as they are: one alone has to be a whole word of it, or the root of its symbol. */
function bears(line: Line, window: readonly Word[]): boolean {
  const wanted = window.flatMap(each => wordsOfName(each.text))
  const own = wordsOfName(line.name)
  const isWord = (word: string): boolean => own.includes(word) || (word.length > 4 && word.endsWith('s') && own.includes(word.slice(0, -1)))
  if (wanted.length === 1) return isWord(wanted[0] ?? '') || fitsSymbol(line, wanted[0] ?? '')
  // The last word may be cut short: "lanternfish semi".
  return wanted.slice(0, -1).every(isWord) && fits(line, wanted) && (isWord(wanted.at(-1) ?? '') || (wanted.at(-1) ?? '').length >= 3)
}
const fitsSymbol = (line: Line, word: string): boolean => word.length >= 2 && line.symbol.split(/[.-]/)[0] === word.toUpperCase()

/** A manager of 13F filings whose name begins with the words. */
async function managerIn(calls: Calls, run: Unknown, words: readonly Word[]): Promise<Located[]> {
  const inside = words.filter(each => each.start >= run.start && each.start < run.end).slice(0, 2)
  const query = inside.map(each => each.text).join(' ')
  if (query.length < 4 || calls.made.length >= mostLookUps) return []
  const reply = await calls.try('list_13f_managers', { q: query }, { signed: false })
  if (!reply.ok || lengthAt(reply.tree, '/managers') === 0) return []
  let last = inside.at(-1) as Word
  for (const each of words) if (each.start > last.end && each.start - last.end < 3 && managerWords.test(each.text)) last = each
  const [first] = inside
  return first === undefined ? [] : [{ start: first.start, end: last.end, kind: 'manager', value: query }]
}
