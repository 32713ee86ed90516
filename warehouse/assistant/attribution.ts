// Compares the subject of a sentence with the subject of a value: the company, person or symbol that the sentence names, and its day or year.
// A value lies in an object that has names and dates, or inside one that has. A price of one company is no price of another.

import type { FigureToken } from './figures.ts'
import { type Leaf, lengthAt, parseAnswer, pointerOf, walk } from './json-values.ts'
import { wordsOfName } from './name-words.ts'
import { isKnown } from './score-topics.ts'
import { acronyms } from './symbol-words.ts'

/** Where a name or a date is: `1/transactions/4` is the fifth row of the first answer, `1` the answer as a whole. */
type Place = string
export type Held = { readonly answer: number; readonly pointer: string }
export type Names = {
  readonly bySymbol: ReadonlyMap<string, ReadonlySet<Place>>
  readonly byWord: ReadonlyMap<string, ReadonlySet<Place>>
  /** Every word of the answers, in lower case. */
  readonly words: ReadonlySet<string>
}

const symbolFields = /^(?:symbol|code|ticker|issuer_symbol|us_symbol|tsx_symbol|toronto_symbol|proposed_symbol)$/
const nameFields =
  /^(?:issuer_name|issuer|company|company_name|name|owner_names?|holder|manager|manager_name|aggregate_of|filer|reporting_person|security_name)$/
const general = new Set(
  'inc incorporated corp corporation co company ltd limited plc llc lp the of and de common stock share shares class'.split(' '),
)

const placeOf = (answer: number, pointer: string): Place => `${answer}${pointer}`
const parentOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('/'))

/** The names of answers by symbol and by word. A name that every row of a list has is one of the object that holds the list too. */
export function namesOf(answers: readonly { readonly text: string }[]): Names {
  const bySymbol = new Map<string, Set<Place>>()
  const byWord = new Map<string, Set<Place>>()
  const words = new Set<string>()
  const add = (names: Map<string, Set<Place>>, name: string, place: Place): void => {
    const held = names.get(name)
    if (held) held.add(place)
    else names.set(name, new Set([place]))
  }
  answers.forEach(({ text }, at) => {
    const tree = parseAnswer(text)
    const answer = at + 1
    for (const { tokens, value } of walk(tree)) {
      const leaf = value as Leaf
      if (typeof leaf !== 'string') continue
      for (const word of wordsOfName(leaf)) words.add(word)
      if (tokens[0] === 'sources') continue
      const field = String(tokens.findLast(token => typeof token === 'string') ?? '')
      const isItem = typeof tokens.at(-1) === 'number'
      const place = placeOf(answer, pointerOf(tokens.slice(0, isItem ? -2 : -1)))
      if (symbolFields.test(field)) add(bySymbol, leaf, place)
      else if (nameFields.test(field)) for (const word of wordsOfName(leaf)) if (word.length > 1 && !general.has(word)) add(byWord, word, place)
    }
    for (const names of [bySymbol, byWord]) for (const places of names.values()) lift(places, answer, tree)
  })
  return { bySymbol, byWord, words }
}
function lift(places: Set<Place>, answer: number, tree: unknown): void {
  const rows = new Map<string, number>()
  for (const place of places) {
    const [, owner, list = ''] = /^(\d+)((?:\/.*)?)\/\d+$/.exec(place) ?? []
    if (owner === String(answer)) rows.set(list, (rows.get(list) ?? 0) + 1)
  }
  for (const [list, count] of rows) if (list !== '' && count === lengthAt(tree, list)) places.add(placeOf(answer, parentOf(list)))
}

/** A name in a text; `places` is null if no answer contains it. */
export type Mention = { readonly text: string; readonly start: number; readonly end: number; readonly places: ReadonlySet<Place> | null }

const capitalWord = "\\p{Lu}[\\p{L}'’.-]*\\p{L}"
const runs = new RegExp(`${capitalWord}(?:\\s+(?:(?:&|of|and|the|de)\\s+)?${capitalWord})*`, 'gu')
const symbols = /(?<![\w.&-])\(?([A-Z][A-Z0-9]{0,5}(?:[.-][A-Z]{1,3}){0,2})\)?(?![\w&])/g
const calendar =
  /^(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)$/
/** What follows a name at the beginning of a sentence. */
const verbAfter =
  /^(?:['’]s\b|\s+(?:is|was|are|were|has|had|trades?|traded|closed?|closes|opened|fell|falls?|rose|rises?|reports?|reported|pays?|paid|earns?|earned|sells?|sold|buys|bought|holds?|held|owns?|owned|makes?|made|lost|loses|gained|gains|ended|stands?|stood|yields?|posted|announced|disclosed|filed|had)\b)/

/** The names in a text, in its order. */
export function mentionsIn(text: string, names: Names): Mention[] {
  const found: Mention[] = []
  const free = (start: number, end: number): boolean => !found.some(each => start < each.end && end > each.start)
  for (const match of text.matchAll(symbols)) {
    const symbol = match[1] ?? ''
    const [start, end] = [match.index, match.index + match[0].length]
    const places = names.bySymbol.get(symbol)
    const isSymbol = symbol.length > 1 && !acronyms.has(symbol) && !acronyms.has(symbol.split(/[.-]/)[0] ?? '') && !isKnown(symbol.toLowerCase())
    if (places !== undefined) found.push({ text: symbol, start, end, places })
    else if (isSymbol && !names.words.has(symbol.toLowerCase())) found.push({ text: symbol, start, end, places: null })
  }
  for (const match of text.matchAll(runs)) {
    const [start, end] = [match.index, match.index + match[0].length]
    if (!free(start, end)) continue
    const words = wordsOfName(match[0]).filter(word => !general.has(word))
    const own = words.filter(word => names.byWord.has(word))
    if (own.length > 0) {
      // The rarest word decides: "Gold" is part of many names.
      const places = own.flatMap(word => names.byWord.get(word) ?? []).reduce((a, b) => (b.size < a.size ? b : a))
      found.push({ text: match[0], start, end, places })
      continue
    }
    const strange = words.filter(word => word.length > 1 && !isKnown(word) && !calendar.test(word) && !names.words.has(word))
    if (strange.length === 0) continue
    const begins = /(?:^|[.!?|:\n-]\s*)$/.test(text.slice(0, start))
    if (begins && words.length === 1 && !verbAfter.test(text.slice(end))) continue
    found.push({ text: match[0], start, end, places: null })
  }
  return found.sort((a, b) => a.start - b.start)
}

/** Whether an object that has the name holds the value. */
function isInside({ answer, pointer }: Held, places: ReadonlySet<Place>): boolean {
  for (let place = placeOf(answer, pointer); place.includes('/'); ) {
    place = place.slice(0, place.lastIndexOf('/'))
    if (places.has(place)) return true
  }
  return false
}
const depthOf = (places: ReadonlySet<Place> | null): number =>
  places === null ? -1 : [...places].reduce((least, place) => Math.min(least, place.split('/').length), Number.POSITIVE_INFINITY)

/** `text` is the whole text. */
export type Sentence = {
  readonly text: string
  readonly from: number
  readonly to: number
  readonly line: number
  readonly figures: readonly FigureToken[]
}
/**
 * The values that belong to the names that a figure is about, and the name that none of them belongs to. The nearest name before the figure
 * counts, in its clause, its sentence, behind it, or earlier in its paragraph; in a clause also names of another level, as a person of a company.
 */
export function ofNamed<V extends Held>(
  values: readonly V[],
  figure: FigureToken,
  sentence: Sentence,
  mentions: readonly Mention[],
): { readonly fitting: readonly V[]; readonly foreign: Mention | null } {
  const inside = mentions.filter(each => each.start >= sentence.from && each.end <= sentence.to)
  const clause = Math.max(sentence.from, ...sentence.figures.filter(each => each.end <= figure.start && each.kind !== 'date').map(each => each.end))
  const next = Math.min(sentence.to, ...sentence.figures.filter(each => each.start >= figure.end && each.kind !== 'date').map(each => each.start))
  const groups = [
    inside.filter(each => each.start >= clause && each.end <= figure.start),
    inside.filter(each => each.end <= figure.start),
    inside.filter(each => each.start >= figure.end && each.end <= next),
    mentions.filter(each => each.start >= sentence.line && each.end <= sentence.from),
  ]
  const chosen = groups.findIndex(each => each.length > 0)
  const group = groups[chosen] ?? []
  const nearest = chosen === 2 ? group[0] : group.at(-1)
  if (nearest === undefined) return { fitting: values, foreign: null }
  // "20,000 shares of GLPR": the name behind the figure is what it is about, also if another precedes it.
  const linked = inside.find(each => each.start >= figure.end && each.start <= next)
  const isLinked = linked !== undefined && /^\s+(?:[\p{L}-]+\s+){0,3}(?:of|in)\s+(?:the\s+)?$/u.test(sentence.text.slice(figure.end, linked.start))
  const others = [...(chosen === 0 ? otherLevels(group, nearest) : []), ...(isLinked ? [linked] : [])]
  let fitting = values
  for (const mention of [nearest, ...others]) {
    const { places } = mention
    if (places === null) return { fitting: [], foreign: mention }
    fitting = fitting.filter(value => isInside(value, places))
    if (fitting.length === 0) return { fitting, foreign: mention }
  }
  return { fitting, foreign: null }
}
/** The nearest name of each level other than the nearest name's. */
function otherLevels(group: readonly Mention[], nearest: Mention): Mention[] {
  const levels = new Set([depthOf(nearest.places)])
  const others: Mention[] = []
  for (const mention of group.toReversed()) {
    const level = depthOf(mention.places)
    if (levels.has(level)) continue
    levels.add(level)
    others.push(mention)
  }
  return others
}
