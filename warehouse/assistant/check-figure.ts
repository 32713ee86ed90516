// Compares one figure of a text with the values of answers: by number with its unit, sign and scale, and by the words around it.
import type { ClaimCode } from '#schemas/claims.ts'
import { brokenComparison, type Fault, fitOf, isChangeWhereStated, isHedged, type Reading, readingsOf, unitBehind } from './check-units.ts'
import { stem, type Value, wordsOf } from './check-values.ts'
import type { FigureToken } from './figures.ts'
import type { Quoted, ValueIndex } from './value-index.ts'

export type Finding = {
  readonly status: 'supported' | 'ambiguous' | 'unsupported'
  readonly code: ClaimCode
  readonly reason: string
  readonly matches: readonly Value[]
}
const absent = (reason: string, code: ClaimCode = 'absent', matches: readonly Value[] = []): Finding => ({
  status: 'unsupported',
  code,
  reason,
  matches,
})

/** Dates that say what a row is of. */
export const rowDate = /^(?:date|session_date|ex_date|transaction_date|period_end|quoted_at|start_at|fiscal_year|quarter|period_of_report)$/
export type Rows = ReadonlyMap<string, readonly Value[]>
const rowKey = ({ answer, pointer }: Value): string => `${answer}${pointer.slice(0, pointer.lastIndexOf('/'))}`
/** The values of each object of the answers. */
export function rowsOf(values: readonly Value[]): Rows {
  const rows = new Map<string, Value[]>()
  for (const value of values) {
    const row = rows.get(rowKey(value))
    if (row) row.push(value)
    else rows.set(rowKey(value), [value])
  }
  return rows
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

/** What the answers have for a figure of a text, without regard to whom its sentence is about. */
export function checkFigure(figure: FigureToken, text: string, values: ValueIndex<Value>, rows: Rows): Finding {
  if (figure.kind === 'date')
    return figure.value === null
      ? absent('the day and the month can be exchanged: print the month as a word', 'not_a_number')
      : checkDate(figure, text, values)
  if (figure.value === null) return absent('no plain number, so nothing can be compared with it', 'not_a_number')
  if (figure.kind === 'identifier') {
    const matches = values.identifiers(figure.value)
    return matches.length > 0
      ? { status: 'supported', code: 'identifier', reason: 'an identifier of the answers', matches }
      : absent('no answer holds this identifier')
  }
  const context = contextOf(text, figure)
  const compared = comparedValues(figure, text, values, context)
  const equal = compared.filter(each => each.fits !== null)
  const counted = countOf(figure, context, equal, values)
  if (counted !== null) return counted
  // A unit such as g/t names the field too.
  const behind = unitBehind(text, figure)
  const named = (value: Value): boolean =>
    (behind !== null && behind !== 'shares' && value.unit === behind) || [...context.near].some(each => value.words.has(each))
  const fitting = equal.filter(
    ({ value }) =>
      named(value) && isChangeWhereStated(text, figure, value) && !namesAnother(value, context.lead, rows) && !isOpposite(value, context.lead, rows),
  )
  if (fitting.length > 0) return comparedWith(fitting, text)
  const quoting = unique(values.quoted(figure).filter(({ words }) => words.intersection(context.near).size >= 2))
  if (equal.length > 0)
    return {
      status: 'ambiguous',
      code: 'other_field',
      reason: 'the value occurs, but under no field that the words around it name',
      matches: equal.map(each => each.value),
    }
  if (quoting.length > 0) return { status: 'supported', code: 'quoted', reason: 'quoted from a text of the answers', matches: quoting }
  return explained(figure, compared, values, named)
}

type Compared = { readonly value: Value; readonly reading: Reading; readonly fits: 'equal' | 'rounded' | null; readonly fault: Fault | null }

/** The values near a figure, each with the first of its readings that fits, or with what differs. */
function comparedValues(figure: FigureToken, text: string, values: ValueIndex<Value>, context: Around): Compared[] {
  const readings = readingsOf(figure, text)
  const [behind, hedged] = [unitBehind(text, figure), isHedged(text, figure)]
  const compared = new Map<Value, Compared>()
  for (const reading of readings)
    for (const value of values.near(reading)) {
      if (compared.get(value)?.fits) continue
      const fit = fitOf(reading, value, context, reading.unit === 'm' ? 'm' : behind, hedged)
      const known = compared.get(value)
      if (fit.fits !== null || known === undefined || known.fault === null) compared.set(value, { value, reading, ...fit })
    }
  return [...compared.values()]
}

/** The noun directly after a bare number states what is counted: if an answer counts the same, only that count supports it. */
function countOf(figure: FigureToken, { after }: Around, equal: readonly Compared[], values: ValueIndex<Value>): Finding | null {
  const noun = figure.kind === 'number' ? after.slice(0, 2).find(each => values.counts(each).length > 0) : undefined
  if (noun === undefined) return null
  const counts = values.counts(noun)
  const right = equal.filter(({ value }) => value.kind === 'count' && value.words.has(noun)).map(each => each.value)
  if (right.length > 0) return { status: 'supported', code: 'count', reason: `the answers count ${noun}`, matches: right }
  const fields = equal.filter(({ value }) => value.words.has(noun)).map(each => each.value)
  if (fields.length > 0)
    return {
      status: 'ambiguous',
      code: 'other_field',
      reason: `a field called ${fields[0]?.field} has this value, the count of ${noun} is ${counts[0]?.value}`,
      matches: fields,
    }
  return absent(`the answers count ${[...new Set(counts.map(each => each.value))].slice(0, 5).join(' or ')} of ${noun}`, 'other_count', counts)
}

/** Values that fit, without those that a comparison before the figure excludes; exact ones before rounded ones. */
function comparedWith(fitting: readonly Compared[], text: string): Finding {
  const kept = fitting.filter(({ reading, value }) => brokenComparison(text, reading, value) === null)
  const [first] = fitting
  if (kept.length === 0 && first)
    return absent(
      `the value is ${first.value.printed}, which is not ${brokenComparison(text, first.reading, first.value)} that`,
      'comparison',
      fitting.map(each => each.value),
    )
  const signed = kept.filter(({ reading }) => reading.isAccounting === true)
  const isEnclosed =
    signed.length === 0 && kept.every(({ reading }) => 'isAccounting' in reading || (readingsOf(reading, text).length > 1 && reading.unit !== 'm'))
  const chosen = signed.length > 0 ? signed : kept
  const exact = chosen.filter(({ fits }) => fits === 'equal')
  const matches = (exact.length > 0 ? exact : chosen).map(each => each.value)
  if (isEnclosed && /\($/.test(text.slice(0, kept[0]?.reading.start)))
    return { status: 'ambiguous', code: 'parentheses', reason: 'parentheses can mean a negative number, and the value is positive', matches }
  return exact.length > 0
    ? { status: 'supported', code: 'value', reason: 'value, unit and field fit', matches }
    : { status: 'supported', code: 'rounded', reason: 'the value rounds to the printed digits, and unit and field fit', matches }
}

const unitOr = (unit: string | null): string => unit ?? 'no unit'
/** Why a figure is not supported: the nearest value, if the words around the figure name its field or the digits are too many for chance. */
function explained(figure: FigureToken, compared: readonly Compared[], values: ValueIndex<Value>, named: (value: Value) => boolean): Finding {
  const digits = (figure.value ?? '').replace(/[^0-9]/g, '').replace(/^0+|0+$/g, '').length
  const faulty = compared.filter(({ value, fault }) => fault !== null && (named(value) || digits >= 3))
  const worst = faulty.find(({ value }) => named(value)) ?? faulty[0]
  if (worst !== undefined && worst.fault !== null) {
    const { value, fault } = worst
    const reasons: Readonly<Record<Fault, string>> = {
      other_unit: `the digits occur with another unit: ${value.printed} is in ${unitOr(value.unit)}`,
      other_scale: `the answer prints ${value.printed} in another scale: it is ${value.scaled} ${value.unit ?? ''}`.trim(),
      other_sign: `the value has the other sign: ${value.printed}`,
      other_rounding: `too few digits: the value is ${value.printed}`,
    }
    return absent(
      reasons[fault],
      fault,
      faulty.filter(each => each.fault === fault).map(each => each.value),
    )
  }
  const near = values
    .around(figure)
    .filter(value => named(value) && !/^-?0*$/.test(value.value) && (figure.kind === 'percent') === (value.unit === '%'))
  const [nearest] = near
  return nearest === undefined
    ? absent('no answer has this value')
    : absent(
        `no value rounds to these digits; near it is ${nearest.printed}`,
        'other_rounding',
        unique(near.map(value => ({ value, words: new Set() }))),
      )
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
export const lastEnd = (text: string): number => {
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

const downWords = new Set(
  'fell fall down drop dropped lost los declin declined decrea decreased lower below sold slid negativ minu reduced'.split(' ').map(stem),
)
const upWords = new Set('rose up gain gained increas increased higher advanced climbed added bought'.split(' ').map(stem))

function checkDate(figure: FigureToken, text: string, values: ValueIndex<Value>): Finding {
  const wanted = figure.value ?? ''
  const matches = values.dates(wanted, each => dateFits(wanted, each))
  if (matches.length === 0) {
    // A bare year may be a plain number: 2,026 shares without its comma.
    const numbers = /^\d{4}$/.test(wanted) ? values.near(figure).filter(each => each.kind === 'number' && each.value === wanted) : []
    const quoted = unique(values.quoted(figure))
    if (quoted.length > 0) return { status: 'supported', code: 'quoted', reason: 'quoted from a text of the answers', matches: quoted }
    return numbers.length > 0
      ? { status: 'ambiguous', code: 'other_field', reason: 'a number of the answers, but no date', matches: numbers }
      : absent('no answer has this date')
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
    ? { status: 'supported', code: 'date', reason: 'a date of the answers', matches: fitting }
    : { status: 'ambiguous', code: 'other_field', reason: `the date occurs as ${matches[0]?.field}, not as ${named.join(' or ')} date`, matches }
}
/** Whether a day, month, quarter or year of a text contains a day, quarter or year of an answer. */
export function dateFits(wanted: string, value: string): boolean {
  if (wanted === value || (/^\d{4}(-\d\d)?$/.test(wanted) && value.startsWith(wanted))) return true
  const quarter = /^(\d{4})-Q([1-4])$/.exec(wanted)
  if (quarter)
    return value === `${quarter[1]}-${String(Number(quarter[2]) * 3).padStart(2, '0')}-${quarter[2] === '1' || quarter[2] === '4' ? '31' : '30'}`
  const asQuarter = /^(\d{4})-Q([1-4])$/.exec(value)
  if (asQuarter && /^\d{4}-\d\d-\d\d$/.test(wanted)) return dateFits(value, wanted)
  return wanted.startsWith('--') && value.slice(4) === wanted.slice(1)
}

/** The longer words around a figure inside a text of an answer: two of them must occur around the figure of the checked text too. */
export const longWordsAround = (source: string, { start, end }: FigureToken): ReadonlySet<string> =>
  new Set(wordsOf(source.slice(Math.max(0, start - 60), end + 60)).filter(each => each.length > 3))
const unique = (found: readonly Quoted<Value>[]): Value[] => [...new Set(found.map(each => each.value))]
