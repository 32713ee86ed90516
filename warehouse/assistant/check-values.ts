// The values of answers that a text may quote: each number, count, date and identifier with its place, unit, scale and the words for its field.
import { shiftDecimal } from '#schemas/decimals.ts'
import { plainDecimal } from '#schemas/values.ts'
import { at, type Leaf, parseAnswer, pointerOf, textOf, walk } from './json-values.ts'
import { knownScale } from './scales.ts'

export type CheckedAnswer = { readonly text: string; readonly receipt_id: string | null }

/** Fields with names or positions: they support no figure of a text, except a complete identifier. */
const opaque =
  /(^|_)(id|sha256|url|cursor|cik|ciks|cusip|cusips|figi|accession|receipt|start|end|line|rank|version|mic|sic|file_number|raw|ref|release|limit|hash|quote|documents?|source_ids|filename|primary_document|kid|key|keys|signature|etag|token)$/
/** Texts that are an address, a hash or a key, whatever the name of their field. */
const opaqueText =
  /^(?:r1_|https?:|urn:|mailto:|sha\d+[:-])|^\d{10}(-\d\d-\d{6})?$|^[0-9a-f]{32,}$|^[A-Z]{1,5}-\d+(?:-\d+)+$|^[A-Za-z0-9+/_-]{40,}={0,2}$/
const dateFields = /(^|_)(date|day|at|from|to|end|start|period|quarter|year|until|vintage|as_of|published|listed)(_|$)/

export type Value = {
  readonly answer: number
  readonly pointer: string
  /** A decimal, a day, or the text of an identifier, for comparisons. */
  readonly value: string
  /** The value with the digits and letters of the answer. */
  readonly printed: string
  readonly kind: 'number' | 'count' | 'date' | 'identifier' | 'prose'
  readonly unit: string | null
  /** The value in units, if the answer states that it is in thousands or millions of them. */
  readonly scaled: string | null
  /** Words that a text may use for the field. */
  readonly words: ReadonlySet<string>
  readonly field: string
}

/** Forms that their ending does not show. */
const irregular: Readonly<Record<string, string>> = { paid: 'pay', held: 'hold', sold: 'sell', bought: 'buy' }
export const stem = (word: string): string =>
  (irregular[word.toLowerCase()] ?? word)
    .toLowerCase()
    .replace(/(?:'s|ies|sses|es|s)$/, suffix => (suffix === 'ies' ? 'y' : suffix === 'sses' ? 'ss' : ''))
    .replace(/e$/, '')
export const wordsOf = (text: string): string[] =>
  text
    .split(/[^\p{L}]+/u)
    .filter(each => each.length > 1)
    .map(stem)

/** Words of texts for words of fields. */
const synonyms: Readonly<Record<string, string>> = {
  close: 'close closed closing price trade trading finish settle last',
  price: 'price trade traded trading cost quote last close priced share bought sold',
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
  net_income: 'profit earning income loss earned lost',
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

/** The name of a value: the last member of its pointer; of a member called value, the one around it. */
export function nameOf(pointer: string): string {
  const names = pointer.split('/').filter(each => each !== '' && !/^\d+$/.test(each))
  const last = names.at(-1) ?? ''
  return last === 'value' ? (names.at(-2) ?? last) : last
}

export function fieldWords(tokens: Tokens): ReadonlySet<string> {
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

/** Siblings that describe a value: a title, a metal, the name of an indicator. Whose value it is, is compared by attribution.ts. */
const describing = /^(title|name|metal|indicator|check|id|measure|kind|item|label|line_item|standard|code)$/

type Tokens = readonly (string | number)[]

/** Every value of an answer, in its order. `answer`: its number, from 1. Throws `SyntaxError` for invalid JSON. */
export function valuesOf({ text }: CheckedAnswer, answer: number): Value[] {
  const tree = parseAnswer(text)
  const found: Value[] = []
  for (const { tokens, value } of walk(tree)) {
    const names = tokens.filter(token => typeof token === 'string') as string[]
    const field = names.at(-1) ?? ''
    if (names[0] === 'sources' && field !== 'accession') continue
    const pointer = pointerOf(tokens)
    const plain = { answer, pointer, unit: null, scaled: null, field } as const
    if (Array.isArray(value)) {
      const value_ = String(value.length)
      if (field !== 'sources') found.push({ ...plain, value: value_, printed: value_, kind: 'count', words: fieldWords(tokens) })
      continue
    }
    const leaf = value as Leaf
    if (leaf === null || typeof leaf === 'boolean') continue
    if (typeof leaf === 'object') {
      if (!opaque.test(field)) found.push(numberOf(tree, tokens, leaf.number, plain))
    } else found.push(...textValues(leaf, tokens, plain))
  }
  return found
}

type Plain = { readonly answer: number; readonly pointer: string; readonly unit: null; readonly scaled: null; readonly field: string }

function numberOf(tree: unknown, tokens: Tokens, printed: string, plain: Plain): Value {
  const { field } = plain
  const siblings = describingWords(tree, tokens)
  const kind = field === 'count' || field.endsWith('_count') ? 'count' : dateFields.test(field) && /year/.test(field) ? 'date' : 'number'
  const counted = field === 'count' ? listWords(tree, pointerOf(tokens.slice(0, -1))) : []
  const words = new Set([...fieldWords(tokens), ...siblings, ...counted])
  const value = /[eE]/.test(printed) ? plainDecimal(Number(printed)) : printed
  const { unit, power } = unitOf(tree, tokens, field)
  return { ...plain, value, printed, kind, unit, scaled: power > 0 ? shiftDecimal(value, power) : null, words }
}

function textValues(leaf: string, tokens: Tokens, plain: Plain): Value[] {
  const { field } = plain
  const words = fieldWords(tokens)
  if (/^\d{4}-\d\d-\d\d(T.*)?$/.test(leaf)) return [{ ...plain, value: leaf.slice(0, 10), printed: leaf, kind: 'date', words }]
  if (/^\d{4}-?Q[1-4]$/.test(leaf)) return [{ ...plain, value: leaf.replace(/-?Q/, '-Q'), printed: leaf, kind: 'date', words }]
  if (opaque.test(field) || opaqueText.test(leaf)) return [{ ...plain, value: leaf, printed: leaf, kind: 'identifier', words: new Set() }]
  if (/^-?\d+(\.\d+)?%?$/.test(leaf))
    return [{ ...plain, value: leaf.replace('%', ''), printed: leaf, kind: 'number', unit: leaf.endsWith('%') ? '%' : null, words }]
  if (/\d/.test(leaf) || field === 'acquired_disposed')
    return [{ ...plain, value: leaf, printed: leaf, kind: 'prose', words: new Set(wordsOf(leaf)) }]
  return []
}

function describingWords(tree: unknown, tokens: Tokens): string[] {
  const words: string[] = []
  const outermost = observed.test(String(tokens.at(-1))) ? 0 : Math.max(1, tokens.length - 3)
  for (let depth = tokens.length - 1; depth >= outermost; depth -= 1) {
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
const moneyField =
  /price|close|open|high|low|bid|ask|amount|value|change|cost|cash|dividend|revenue|income|debt|cap|close_|spread_abs|net|total|last|vwap|fee|tax|gain|assets|liabilities|equity/
const shareField =
  /^(?:shares|volume|aggregate|previous_aggregate|(?:sole|shared)_(?:voting|dispositive)|voting_(?:sole|shared|none))$|(?:^|_)shares(?:_|$)/
/** Fields whose unit may be stated by an object further out, as a series states that of its observations. */
const observed = /^(?:value|actual|previous|latest)$/
/** Units at the end of a field's name. */
const ending: readonly (readonly [RegExp, string])[] = [
  [/_bps$/, 'bps'],
  [/_m$/, 'm'],
  [/_days$/, 'days'],
  [/_months$/, 'months'],
  [/_years$/, 'years'],
  [/_seconds$/, 'seconds'],
  [/_ms$/, 'ms'],
  [/_bytes$/, 'bytes'],
]

/** The unit of a field, and the power of ten that the answer states for its value: 3 for a column in thousands. */
function unitOf(tree: unknown, tokens: Tokens, field: string): { readonly unit: string | null; readonly power: number } {
  const plain = (unit: string | null): { unit: string | null; power: number } => ({ unit, power: 0 })
  if (percentField.test(field)) return plain('%')
  const named = /_(usd|cad)$/.exec(field)?.[1]
  if (named !== undefined) return plain(named.toUpperCase())
  const ended = ending.find(([pattern]) => pattern.test(field))
  if (ended) return plain(ended[1])
  if (shareField.test(field)) return plain('shares')
  const power = powerNextTo(tree, tokens)
  for (let depth = tokens.length - 1; depth >= 0; depth -= 1) {
    const parent = pointerOf(tokens.slice(0, depth))
    const stated = depth === tokens.length - 1 || observed.test(field) ? textOf(tree, `${parent}/unit`) : null
    if (stated !== null && stated !== 'currency' && stated !== 'per_share' && stated !== 'dollars') {
      const scale = knownScale(stated)
      return { unit: scale.unit === 'percent' ? '%' : scale.unit === 'metres' ? 'm' : scale.unit, power: power + scale.power }
    }
    const code = textOf(tree, `${parent}/currency`)
    if (code !== null && (stated !== null || moneyField.test(field))) return { unit: code, power }
  }
  return { unit: null, power }
}
/** A member `scale` next to a value is what it is multiplied by. */
function powerNextTo(tree: unknown, tokens: Tokens): number {
  if (tokens.at(-1) !== 'value') return 0
  const scale = textOf(tree, `${pointerOf(tokens.slice(0, -1))}/scale`)
  return scale !== null && /^10*$/.test(scale) ? scale.length - 1 : 0
}
