// Compares the figures of a text with the values of given answers. Values are compared as numbers with their unit and their field, not as
// digits: a 5 inside a receipt's id supports nothing, and "5 transactions" needs a list of five transactions.
import type { FigureCheck, TextCheck } from '#schemas/assistant.ts'
import { compareDecimals, decimalsOf, productOf, roundedDecimal, shiftDecimal } from '#schemas/decimals.ts'
import { plainDecimal } from '#schemas/values.ts'
import { type Mention, mentionsIn, namesOf, ofNamed } from './attribution.ts'
import { type FigureToken, figuresOfProse } from './figures.ts'
import { at, type Leaf, parseAnswer, pointerOf, textOf, walk } from './json-values.ts'
import { indexOf, type Quoted, type ValueIndex } from './value-index.ts'

export type CheckedAnswer = { readonly text: string; readonly receipt_id: string | null }

/** Fields with names or positions: they support no figure of a text, except a complete identifier. */
const opaque =
  /(^|_)(id|sha256|url|cursor|cik|ciks|cusip|cusips|figi|accession|receipt|start|end|line|rank|version|mic|sic|file_number|raw|ref|release|limit|hash|quote|documents?|source_ids|filename|primary_document)$/
const dateFields = /(^|_)(date|day|at|from|to|end|start|period|quarter|year|until|vintage|as_of|published|listed)(_|$)/

type Value = {
  readonly answer: number
  readonly pointer: string
  readonly value: string
  readonly kind: 'number' | 'count' | 'date' | 'identifier' | 'prose'
  readonly unit: string | null
  /** Words that a text may use for the field. */
  readonly words: ReadonlySet<string>
  readonly field: string
}

/** Forms that their ending does not show. */
const irregular: Readonly<Record<string, string>> = { paid: 'pay', held: 'hold', sold: 'sell', bought: 'buy' }
const stem = (word: string): string =>
  (irregular[word.toLowerCase()] ?? word)
    .toLowerCase()
    .replace(/(?:'s|ies|sses|es|s)$/, suffix => (suffix === 'ies' ? 'y' : suffix === 'sses' ? 'ss' : ''))
    .replace(/e$/, '')
const wordsOf = (text: string): string[] =>
  text
    .split(/[^\p{L}]+/u)
    .filter(each => each.length > 1)
    .map(stem)

/** Words of texts for words of fields. */
const synonyms: Readonly<Record<string, string>> = {
  close: 'close closed closing price trade trading finish settle last',
  price: 'price trade traded trading cost quote last close priced share',
  open: 'open opened opening',
  high: 'high highest peak top',
  low: 'low lowest bottom',
  change: 'change rose fell gain gained lost drop dropped up down move moved increase increased decrease decreased return decline declined advance',
  return: 'return gain gained lost rose fell up down change',
  volume: 'volume share traded turnover',
  shares: 'share stock unit bought sold held purchase sale',
  amount: 'dividend distribution pay paid amount worth value cash',
  value: 'value worth stake position total',
  percent: 'percent stake own owns ownership hold',
  aggregate: 'share stake own hold holding beneficially',
  rate: 'rate withheld withholding tax',
  withheld: 'withheld withholding tax',
  net: 'net after receive received keep',
  gross: 'gross before',
  yield: 'yield yielding yields',
  ratio: 'ratio times',
  count: 'number total',
  revenue: 'revenue sale turnover',
  net_income: 'profit earning income loss',
  eps: 'earning per share eps',
  transactions: 'transaction trade',
  purchases: 'purchase buy bought',
  holders: 'holder manager institution',
  holdings: 'holding position',
  filings: 'filing document form',
  factors: 'factor risk',
  bars: 'bar session day',
  spread: 'spread premium discount gap',
  spread_bps: 'spread premium basis',
  length: 'metre meter length width interval core',
  grade: 'grade grading',
}

function fieldWords(tokens: readonly (string | number)[]): ReadonlySet<string> {
  const names = tokens.filter(token => typeof token === 'string' && !/^\d+$/.test(token)) as string[]
  const last = names.at(-1) ?? ''
  // A member called `value` (or similar) is named by its parent: /annual/0/values/revenue/value.
  const own = /^(value|amount|normalised_value|latest|previous|figure)$/.test(last) ? [last, names.at(-2) ?? '', names.at(-3) ?? ''] : [last]
  const name = own.join('/')
  const known = knownFields.get(name)
  if (known) return known
  const parts = own.flatMap(each => [each, ...each.split('_')]).filter(each => each !== '')
  const words = new Set(parts.flatMap(part => [...wordsOf(part.replaceAll('_', ' ')), ...wordsOf(synonyms[part] ?? '')]))
  if (knownFields.size < mostKnownFields) knownFields.set(name, words)
  return words
}
/** Words of fields that occurred: an answer has thousands of values under a few names. */
const knownFields = new Map<string, ReadonlySet<string>>()
const mostKnownFields = 10_000

/** Siblings that describe a value: a title, a metal, the name of an indicator. */
const describing = /^(title|name|metal|indicator|check|id|measure|kind|item|label|standard|symbol|code|issuer_name|company|holder|manager)$/

function valuesOf({ text }: CheckedAnswer, answer: number): Value[] {
  const tree = parseAnswer(text)
  const found: Value[] = []
  for (const { tokens, value } of walk(tree)) {
    const names = tokens.filter(token => typeof token === 'string') as string[]
    const field = names.at(-1) ?? ''
    if (names[0] === 'sources' && field !== 'accession') continue
    const pointer = pointerOf(tokens)
    const parent = pointerOf(tokens.slice(0, -1))
    if (Array.isArray(value)) {
      if (field !== 'sources')
        found.push({ answer, pointer, value: String(value.length), kind: 'count', unit: null, words: fieldWords(tokens), field })
      continue
    }
    const leaf = value as Leaf
    if (leaf === null || typeof leaf === 'boolean') continue
    if (typeof leaf === 'object') {
      if (opaque.test(field)) continue
      const siblings = describingWords(tree, tokens)
      const kind = field === 'count' || field.endsWith('_count') ? 'count' : dateFields.test(field) && /year/.test(field) ? 'date' : 'number'
      const words = new Set([...fieldWords(tokens), ...siblings, ...(field === 'count' ? listWords(tree, parent) : [])])
      found.push({ answer, pointer, value: plainNumber(leaf.number), kind, unit: unitOf(tree, tokens, field), words, field })
    } else if (/^\d{4}-\d\d-\d\d(T.*)?$/.test(leaf))
      found.push({ answer, pointer, value: leaf.slice(0, 10), kind: 'date', unit: null, words: fieldWords(tokens), field })
    else if (/^\d{4}-?Q[1-4]$/.test(leaf))
      found.push({ answer, pointer, value: leaf.replace(/-?Q/, '-Q'), kind: 'date', unit: null, words: fieldWords(tokens), field })
    else if (opaque.test(field) || /^r1_|^\d{10}(-\d\d-\d{6})?$/.test(leaf))
      found.push({ answer, pointer, value: leaf, kind: 'identifier', unit: null, words: new Set(), field })
    else if (/^-?\d+(\.\d+)?%?$/.test(leaf))
      found.push({ answer, pointer, value: leaf.replace('%', ''), kind: 'number', unit: null, words: fieldWords(tokens), field })
    else if (/\d/.test(leaf) || field === 'acquired_disposed')
      found.push({ answer, pointer, value: leaf, kind: 'prose', unit: null, words: new Set(wordsOf(leaf)), field })
  }
  return found
}
const plainNumber = (text: string): string => (/[eE]/.test(text) ? plainDecimal(Number(text)) : text)

function describingWords(tree: unknown, tokens: readonly (string | number)[]): string[] {
  const words: string[] = []
  for (let depth = tokens.length - 1; depth >= Math.max(1, tokens.length - 3); depth -= 1) {
    let here: unknown = tree
    for (const token of tokens.slice(0, depth)) here = (here as Record<string, unknown> | undefined)?.[String(token)]
    if (here === null || typeof here !== 'object' || Array.isArray(here)) continue
    for (const [name, member] of Object.entries(here))
      if (describing.test(name) && typeof member === 'string') words.push(...wordsOf(member.slice(0, 200)))
  }
  return words
}
/** A member `count` counts the lists of the same object. */
function listWords(tree: unknown, parent: string): string[] {
  const holder = at(tree, parent)
  if (holder === null || typeof holder !== 'object') return []
  const lists = Object.entries(holder).filter(([name, value]) => Array.isArray(value) && name !== 'sources')
  return lists.flatMap(([name]) => [...fieldWords([name])])
}

const percentField = /(^|_)(pct|percent|percentage|yield|margin)(_|$)/
function unitOf(tree: unknown, tokens: readonly (string | number)[], field: string): string | null {
  if (percentField.test(field)) return '%'
  if (/_bps$/.test(field)) return 'bps'
  const named = /_(usd|cad)$/.exec(field)?.[1]
  if (named !== undefined) return named.toUpperCase()
  for (let depth = tokens.length - 1; depth >= 0; depth -= 1) {
    const parent = pointerOf(tokens.slice(0, depth))
    const unit = depth === tokens.length - 1 ? textOf(tree, `${parent}/unit`) : null
    if (unit !== null) return unit === 'percent' ? '%' : unit
    const code = textOf(tree, `${parent}/currency`)
    if (
      code !== null &&
      /price|close|open|high|low|bid|ask|amount|value|change|cost|cash|dividend|revenue|income|debt|cap|close_|spread_abs|net|total|last|vwap/.test(
        field,
      )
    )
      return code
  }
  return null
}

const downWords = new Set(
  'fell fall down drop dropped lost los declin declined decrea decreased lower below sold slid negativ minu reduced'.split(' ').map(stem),
)
const upWords = new Set('rose up gain gained increas increased higher advanced climbed added bought'.split(' ').map(stem))

/** Checks every figure of a text against the values of the answers near it. Throws 422 for a text that needs more than `mostComparisons`. */
export function checkText(requested: string, answers: readonly CheckedAnswer[]): TextCheck {
  // Marks of citations are skipped: a larger number in brackets is a figure.
  const text = requested.replaceAll(/\[(\d{1,2})\]/g, (mark, n: string) => (Number(n) <= mostMarks ? mark : ` ${n} `))
  const list = answers.flatMap((answer, index) => valuesOf(answer, index + 1))
  const values = indexOf(list, longWordsAround)
  const rows = rowsOf(list)
  const days = [...new Set(list.flatMap(each => (rowDate.test(each.field) ? [each.value] : [])))]
  const all = figuresOfProse(text)
  const doubt = { text, all, mentions: mentionsIn(text, namesOf(answers)), rows, days }
  const figures = all.map((figure): FigureCheck => {
    const { status, reason, matches } = doubted(checkFigure(figure, text, values, rows), figure, doubt)
    return {
      text: figure.text,
      start: figure.start,
      end: figure.end,
      kind: figure.kind,
      status,
      reason,
      matches: matches
        .slice(0, 5)
        .map(({ answer, pointer, value }) => ({ answer, receipt_id: answers[answer - 1]?.receipt_id ?? null, pointer, value: value.slice(0, 200) })),
    }
  })
  const of = (status: FigureCheck['status']): number => figures.filter(figure => figure.status === status).length
  return { figures, supported: of('supported'), ambiguous: of('ambiguous'), unsupported: of('unsupported') }
}

type Finding = Pick<FigureCheck, 'status' | 'reason'> & { readonly matches: readonly Value[] }

/** Maximum number of citations of an answer. */
const mostMarks = 12
type Rows = ReadonlyMap<string, readonly Value[]>
const rowKey = ({ answer, pointer }: Value): string => `${answer}${pointer.slice(0, pointer.lastIndexOf('/'))}`
/** The values of each object of the answers. */
function rowsOf(values: readonly Value[]): Rows {
  const rows = new Map<string, Value[]>()
  for (const value of values) {
    const row = rows.get(rowKey(value))
    if (row) row.push(value)
    else rows.set(rowKey(value), [value])
  }
  return rows
}

type Doubt = {
  readonly text: string
  readonly all: readonly FigureToken[]
  readonly mentions: readonly Mention[]
  readonly rows: Rows
  /** Dates of rows, of every answer. */
  readonly days: readonly string[]
}
/** Dates that say what a row is of. */
const rowDate = /^(?:date|session_date|ex_date|transaction_date|period_end|quoted_at|start_at|fiscal_year|quarter|period_of_report)$/
const negation = /\b(?:not|never|neither|nor|n't|cannot|no longer)\b|n't\b/i
/** A supported figure is ambiguous if its sentence denies it, is about another company or person, or names the day or year of another row. */
function doubted(finding: Finding, figure: FigureToken, doubt: Doubt): Finding {
  if (finding.status !== 'supported' || figure.kind === 'identifier') return finding
  const { text, all, mentions, rows, days } = doubt
  const [from, to] = sentenceOf(text, figure)
  if (negation.test(text.slice(from, figure.start))) return { ...finding, status: 'ambiguous', reason: 'a negation precedes it' }
  const sentence = { from, to, line: text.lastIndexOf('\n', figure.start - 1) + 1, figures: all.filter(each => each.start >= from && each.end <= to) }
  const named = ofNamed(finding.matches, figure, sentence, mentions)
  if (named.foreign !== null)
    return {
      ...finding,
      status: 'ambiguous',
      reason:
        named.foreign.places === null ? `the answers do not mention ${named.foreign.text}` : `the value does not belong to ${named.foreign.text}`,
    }
  const matches = named.fitting
  if (figure.kind === 'date') return { ...finding, matches }
  const when = dateOf(figure, sentence.figures, text)
  if (when === null) return { ...finding, matches }
  const fitting = matches.filter(match => {
    const own = datesOf(match, when, rows)
    return own.length === 0 || own.some(each => dateFits(when, each))
  })
  if (fitting.length > 0) return { ...finding, matches: fitting }
  if (!days.some(each => dateFits(when, each))) return { ...finding, matches }
  const [first] = matches
  const own = first === undefined ? [] : datesOf(first, when, rows)
  return { ...finding, matches, status: 'ambiguous', reason: `the value is of ${own[0] ?? 'another time'}, not of ${when.replace(/^--/, '')}` }
}
/** The date of a figure: the one right after it ("in 2024"), else the one before it, else the only one of the sentence. */
function dateOf(figure: FigureToken, figures: readonly FigureToken[], text: string): string | null {
  const dates = figures.filter(each => each.kind === 'date' && each.value !== null)
  if (
    /\b(?:from|against|versus|vs\.?|than|previous|prior|before|compared (?:with|to))\s*(?:[A-Z]{3}\s*|[$€£]\s*)?$/i.test(text.slice(0, figure.start))
  )
    return behind(figure, figures, text)
  return (
    behind(figure, figures, text) ??
    dates.findLast(each => each.end <= figure.start)?.value ??
    (dates.length === 1 ? (dates[0]?.value ?? null) : null)
  )
}
function behind(figure: FigureToken, figures: readonly FigureToken[], text: string): string | null {
  const next = figures.find(each => each.start >= figure.end)
  if (next === undefined || next.kind !== 'date') return null
  return /^[^.;,\d]{0,30}\b(?:in|for|on|of|at|to|during)\s+(?:the\s+)?(?:fiscal\s+)?(?:year|quarter|month|week|period)?(?:\s+(?:to|of|ended|ending))?\s*$/i.test(
    text.slice(figure.end, next.start),
  )
    ? next.value
    : null
}
/** The dates of the object that a value is in, or of the nearest one around it that has any. A year is compared with what a row is of alone. */
function datesOf(value: Value, when: string, rows: Rows): string[] {
  const isDay = /^(?:\d{4}|-)-\d\d-\d\d$/.test(when)
  for (let pointer = value.pointer; pointer !== ''; ) {
    pointer = pointer.slice(0, pointer.lastIndexOf('/'))
    const row = rows.get(`${value.answer}${pointer}`) ?? []
    if (!row.some(each => rowDate.test(each.field))) continue
    return row.flatMap(each => ((each.kind === 'date' && isDay) || rowDate.test(each.field) ? [each.value] : []))
  }
  return []
}
function sentenceOf(text: string, { start, end }: FigureToken): readonly [number, number] {
  const line = text.lastIndexOf('\n', start - 1) + 1
  const from = line + lastEnd(text.slice(line, start))
  const stop = /\n|[.!?](?=\s|$)/.exec(text.slice(end))?.index ?? text.length - end
  return [from, end + stop]
}

/** Fields that one word of the text names unambiguously: next to such a word, a general word such as price does not mean another field. */
const ownWords: readonly (readonly [field: RegExp, word: RegExp])[] = [
  [/^open$/, /\bopen(?:ed|ing)?\b/i],
  [/^high/, /\b(?:high|highest)\b/i],
  [/^low/, /\b(?:low|lowest)\b/i],
  [/^previous_close/, /\b(?:previous|prior|preceding) (?:close|closing)|close before\b/i],
  [/^bid$/, /\bbid\b/i],
  [/^ask$/, /\b(?:ask|offer)\b/i],
  [/^shares_after/, /\b(?:owns?|owned|holds?|held) (?:after)?\b/i],
]
/** Whether the words since the previous figure name another field of the object that contains the value. */
function namesAnother(value: Value, lead: string, rows: Rows): boolean {
  return ownWords.some(
    ([field, word]) => word.test(lead) && !field.test(value.field) && (rows.get(rowKey(value)) ?? []).some(each => field.test(each.field)),
  )
}
/** Whether the text states a purchase or sale and the row is the opposite. */
function isOpposite(value: Value, lead: string, tree: Rows): boolean {
  const side = (tree.get(rowKey(value)) ?? []).find(each => each.field === 'acquired_disposed')?.value
  if (side === undefined || value.field !== 'shares') return false
  return (
    (side === 'D' && /\b(?:bought|buy|buys|purchased?|acquired?)\b/i.test(lead)) || (side === 'A' && /\b(?:sold|sell|sells|disposed)\b/i.test(lead))
  )
}

function checkFigure(figure: FigureToken, text: string, values: ValueIndex<Value>, rows: Rows): Finding {
  if (figure.value === null) return { status: 'unsupported', reason: 'no plain number, so nothing can be compared with it', matches: [] }
  if (figure.kind === 'identifier') {
    const matches = values.identifiers(figure.value)
    return matches.length > 0
      ? { status: 'supported', reason: 'an identifier of the answers', matches }
      : { status: 'unsupported', reason: 'no answer holds this identifier', matches: [] }
  }
  if (figure.kind === 'date') return checkDate(figure, text, values)
  const context = contextOf(text, figure)
  const equal = values.near(figure).filter(each => isEqual(figure, each, context))
  // The noun directly after a bare number states what is counted: if an answer counts the same, only that count supports it.
  const noun = figure.kind === 'number' ? context.after.slice(0, 2).find(each => values.counts(each).length > 0) : undefined
  if (noun !== undefined) {
    const counts = values.counts(noun)
    const right = equal.filter(value => value.kind === 'count' && value.words.has(noun))
    if (right.length > 0) return { status: 'supported', reason: `the answers count ${noun}`, matches: right }
    const fields = equal.filter(value => value.words.has(noun))
    if (fields.length > 0)
      return {
        status: 'ambiguous',
        reason: `a field called ${fields[0]?.field} has this value, the count of ${noun} is ${counts[0]?.value}`,
        matches: fields,
      }
    return {
      status: 'unsupported',
      reason: `the answers count ${[...new Set(counts.map(each => each.value))].slice(0, 5).join(' or ')} of ${noun}`,
      matches: counts,
    }
  }
  const fitting = equal.filter(
    value =>
      [...context.near].some(each => value.words.has(each)) && !namesAnother(value, context.lead, rows) && !isOpposite(value, context.lead, rows),
  )
  if (fitting.length > 0) return { status: 'supported', reason: 'value, unit and field fit', matches: fitting }
  if (equal.length > 0) return { status: 'ambiguous', reason: 'the value occurs, but under no field that the words around it name', matches: equal }
  const quoting = unique(values.quoted(figure).filter(({ words }) => words.intersection(context.near).size >= 2))
  if (quoting.length > 0) return { status: 'supported', reason: 'quoted from a text of the answers', matches: quoting }
  return { status: 'unsupported', reason: 'no answer has this value', matches: [] }
}

/** Characters on each side of a figure that are searched for words: fourteen words and more. */
const nearby = 400
type Around = {
  readonly near: ReadonlySet<string>
  readonly after: readonly string[]
  readonly down: boolean
  readonly up: boolean /** The text since the previous figure or comma. */
  readonly lead: string
}
/** The words of the figure's sentence or table row, and those after it. */
function contextOf(text: string, { start, end }: FigureToken): Around {
  const line = text.lastIndexOf('\n', start - 1) + 1
  const from = line + lastEnd(text.slice(line, start))
  const feed = text.indexOf('\n', end)
  const rest = text.slice(end, feed < 0 ? text.length : feed + 1)
  const stop = /\n|[.!?](?=\s|$)/.exec(rest)?.index ?? rest.length
  const header = tableHeader(text, start)
  const before = wordsOf(text.slice(Math.max(from, start - nearby), start))
  const after = wordsOf(rest.slice(0, Math.min(stop, nearby)))
  const own = wordsOf(text.slice(start, end))
  const lead = /[^,;|\d]*$/.exec(text.slice(Math.max(from, start - nearby), start))?.[0] ?? ''
  const near = new Set([...before.slice(-14), ...after.slice(0, 10), ...own, ...wordsOf(header)])
  return { near, after, down: [...near].some(each => downWords.has(each)), up: [...near].some(each => upWords.has(each)), lead }
}
const lastEnd = (text: string): number => {
  let end = 0
  for (const match of text.matchAll(/[.!?](?=\s)/g)) end = match.index + 1
  return end
}
/** The header of the figure's table column. */
function tableHeader(text: string, start: number): string {
  const line = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
  if (!line.startsWith('|')) return ''
  const column = line.split('|').length - 1
  const above = text.slice(0, start).split('\n')
  for (let index = above.length - 1; index > 0; index -= 1) {
    if (/^\|(\s*:?-+:?\s*\|)+\s*$/.test(above[index] ?? '')) return (above[index - 1] ?? '').split('|')[column] ?? ''
    if (!(above[index] ?? '').startsWith('|')) return ''
  }
  return ''
}

function isEqual(figure: FigureToken, value: Value, { down, up }: Around): boolean {
  const wanted = figure.value ?? ''
  // A difference of percentages is no percentage.
  if (figure.unit === 'pp') return value.unit === 'pp' || /(^|_)(points?|pp)(_|$)/.test(value.field) ? isSame(wanted, value.value, figure) : false
  if (figure.kind === 'percent') {
    if (figure.unit === 'bps' ? value.unit !== 'bps' : value.unit !== '%' && !/(^|_)(ratio|share|rate|limit|cosine)(_|$)/.test(value.field))
      return false
  } else if (value.unit === '%' || value.unit === 'bps') return false
  if (
    figure.kind === 'amount' &&
    value.unit !== null &&
    /^[A-Z]{3}/.test(value.unit) &&
    figure.unit !== '$' &&
    !value.unit.startsWith(figure.unit ?? '')
  )
    return false
  if (figure.kind === 'amount' && figure.unit === '$' && value.unit !== null && /^[A-Z]{3}$/.test(value.unit) && !/USD|CAD|AUD/.test(value.unit))
    return false
  const candidates = figure.kind === 'percent' && value.unit !== '%' && value.unit !== 'bps' ? [shiftDecimal(value.value, 2)] : [value.value]
  return candidates.some(each => {
    // A change that the text calls a fall does not match a rise.
    const isChange = /(^|_)(change|return|growth)(_|$)/.test(value.field)
    if (isSame(wanted, each, figure)) return !(isChange && down && !up && !wanted.startsWith('-') && !/^[-0.]*$/.test(each) && !each.startsWith('-'))
    // "fell 3 %" for -3: the word contains the sign.
    const [bare, negative] = [wanted.replace(/^-/, ''), each.startsWith('-')]
    return negative && !wanted.startsWith('-') && down && !up && isSame(bare, each.slice(1), figure)
  })
}
/**
 * Equal as numbers, or the value rounded to the printed digits: at least three significant ones, or two with a magnitude or for a
 * percentage with decimals.
 */
function isSame(wanted: string, value: string, { magnitude, kind }: FigureToken): boolean {
  if (compareDecimals(wanted, value) === 0) return true
  const places = magnitude > 0 ? decimalsOf(shiftDecimal(wanted, -magnitude)) - magnitude : decimalsOf(wanted)
  const significant = shiftDecimal(wanted, -Math.min(magnitude, 30))
    .replace(/^-?0*\.?0*/, '')
    .replace('.', '').length
  if (significant < (magnitude > 0 || (kind === 'percent' && places > 0) ? 2 : 3)) return false
  const shown = places >= 0 ? roundedDecimal(value, places) : productOf(roundedDecimal(shiftDecimal(value, places), 0), shiftDecimal('1', -places))
  return compareDecimals(shown, wanted) === 0
}

function checkDate(figure: FigureToken, text: string, values: ValueIndex<Value>): Finding {
  const wanted = figure.value ?? ''
  const matches = values.dates(wanted, each => dateFits(wanted, each))
  if (matches.length === 0) {
    // A bare year may be a plain number: 2,026 shares without its comma.
    const numbers = /^\d{4}$/.test(wanted) ? values.near(figure).filter(each => each.kind === 'number' && each.value === wanted) : []
    const quoted = unique(values.quoted(figure))
    if (quoted.length > 0) return { status: 'supported', reason: 'quoted from a text of the answers', matches: quoted }
    return numbers.length > 0
      ? { status: 'ambiguous', reason: 'a number of the answers, but no date', matches: numbers }
      : { status: 'unsupported', reason: 'no answer has this date', matches: [] }
  }
  const { near, lead } = contextOf(text, figure)
  const kinds = ['ex', 'pay', 'record', 'filed', 'declared', 'transaction', 'report', 'listed', 'event', 'expiration', 'priced', 'withdrawn'].map(
    stem,
  )
  // The nearest kind of day before it decides: "pays with ex-date …" is an ex-date.
  const nearest = wordsOf(lead).findLast(each => kinds.includes(each))
  const named = nearest !== undefined ? [nearest] : kinds.filter(kind => near.has(kind) || near.has(stem(`${kind}ing`)))
  const fitting =
    named.length === 0 ? matches : matches.filter(each => named.some(kind => each.words.has(kind)) || !kinds.some(kind => each.words.has(kind)))
  return fitting.length > 0
    ? { status: 'supported', reason: 'a date of the answers', matches: fitting }
    : { status: 'ambiguous', reason: `the date occurs as ${matches[0]?.field}, not as ${named.join(' or ')} date`, matches }
}
function dateFits(wanted: string, value: string): boolean {
  if (wanted === value || (/^\d{4}(-\d\d)?$/.test(wanted) && value.startsWith(wanted))) return true
  const quarter = /^(\d{4})-Q([1-4])$/.exec(wanted)
  if (quarter)
    return value === `${quarter[1]}-${String(Number(quarter[2]) * 3).padStart(2, '0')}-${quarter[2] === '1' || quarter[2] === '4' ? '31' : '30'}`
  const asQuarter = /^(\d{4})-Q([1-4])$/.exec(value)
  if (asQuarter && /^\d{4}-\d\d-\d\d$/.test(wanted)) return dateFits(value, wanted)
  return wanted.startsWith('--') && value.slice(4) === wanted.slice(1)
}

/** The longer words around a figure inside a text of an answer: two of them must occur around the figure of the checked text too. */
const longWordsAround = (source: string, { start, end }: FigureToken): ReadonlySet<string> =>
  new Set(wordsOf(source.slice(Math.max(0, start - 60), end + 60)).filter(each => each.length > 3))
const unique = (found: readonly Quoted<Value>[]): Value[] => [...new Set(found.map(each => each.value))]
