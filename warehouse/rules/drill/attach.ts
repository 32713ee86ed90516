// Attaches to an interval what follows it: depths, a true width, further grades in brackets; and explains why a grade belongs to none.
import { compareDecimals, signedSum } from '#schemas/decimals.ts'
import { isMark, isWord } from './metals.ts'
import { isConversion } from './tied.ts'
import type { Token } from './tokens.ts'
import type { Element, Length, RawInterval, Unread, UnreadReason } from './types.ts'

export const lengthBetween = (from: Length, to: Length): Length => ({
  value: signedSum([
    { sign: 1, value: to.value },
    { sign: -1, value: from.value },
  ]),
  unit: to.unit,
  span: { start: Math.min(from.span.start, to.span.start), end: Math.max(from.span.end, to.span.end) },
})
/** `41 ft … from 516`: a depth without a unit is in that of its length. */
export const unitAs = (depth: Length, length: Length | undefined): Length =>
  length &&
  depth.unit !== length.unit &&
  depth.unit === 'm' &&
  depth.span.end - depth.span.start <= depth.value.length + 1 &&
  !depth.value.includes('m')
    ? { ...depth, unit: length.unit }
    : depth

/** Depths after an interval: introduced by `from`, or a range that is as long as the interval. */
export function attachDepth(current: RawInterval | null, depth: Extract<Element, { kind: 'depth' }>): boolean {
  if (!current || current.from) return false
  if (!depth.explicit && depth.to && current.length) {
    const between = lengthBetween(depth.from, depth.to)
    if (compareDecimals(between.value, current.length.value) !== 0 && !near(between.value, current.length.value)) return false
  }
  current.from = unitAs(depth.from, current.length ?? undefined)
  current.to = depth.to && unitAs(depth.to, current.length ?? undefined)
  extend(current, depth.to ?? depth.from)
  return true
}
export const isLengthOf = (depth: Extract<Element, { kind: 'depth' }>, current: RawInterval | null): boolean =>
  depth.to !== null && current?.length?.unit === depth.to.unit && near(lengthBetween(depth.from, depth.to).value, current.length.value)
/** After `and` or a semicolon a new interval begins. */
export function beginsInterval(tokens: readonly Token[], elements: readonly Element[], at: number): boolean {
  const element = elements[at] as Element
  return elements[at - 1]?.kind === 'and' || isMark(tokens[element.at - 1], ';')
}
const near = (a: string, b: string): boolean => Math.abs(Number(a) - Number(b)) <= Math.max(0.2, 0.1 * Number(b))
function extend(interval: RawInterval, length: Length): void {
  if (interval.span)
    Object.assign(interval, { span: { start: Math.min(interval.span.start, length.span.start), end: Math.max(interval.span.end, length.span.end) } })
}

/** A true width after its interval; a length without a grade but with `@` is listed as unread. */
export function attachWidth(
  current: RawInterval | null,
  element: Extract<Element, { kind: 'length' }>,
  tokens: readonly Token[],
  elements: readonly Element[],
  at: number,
  unread: Unread[],
): void {
  if (element.isTrue && current && !current.trueWidth && !current.isTrueWidth) {
    const { length } = current
    if (length?.unit !== element.length.unit || compareDecimals(element.length.value, length.value) <= 0) current.trueWidth = element.length
    else unread.push({ reason: 'length_without_grade', span: element.length.span, detail: 'a true width longer than the interval before it' })
    return
  }
  const next = elements[at + 1]
  if (next?.kind !== 'ties' || !isMark(tokens[next.at], '@')) return
  const behind = elements[at + 2]
  const number = behind?.kind === 'word' && tokens[behind.at]?.kind === 'number'
  unread.push({
    reason: number ? 'number_without_unit' : 'length_without_grade',
    span: { start: element.length.span.start, end: tokens[behind?.at ?? next.at]?.end ?? element.length.span.end },
    detail: number ? 'a length and a number that has no unit of grade' : 'a length without a grade that can be read',
  })
}

/** `0.9 g/t AuEq, comprised of 0.7 g/t Au and 16 g/t Ag`. */
const made = new Set(['comprised', 'comprising', 'consisting', 'made', 'composed'])
/** Grades in brackets after an equivalent: its components, or figures of other metals of the same interval. */
export function attachGrade(
  current: RawInterval | null,
  element: Extract<Element, { kind: 'grade' }>,
  elements: readonly Element[],
  at: number,
): boolean {
  if (!current || element.notSingle) return false
  for (let place = at - 1; place > at - 8; place--) {
    const before = elements[place]
    if (before?.kind === 'open' || (before?.kind === 'word' && made.has(before.text) && current.grades.some(each => each.equivalent))) {
      const held = current.grades.find(each => each.metal === element.grade.metal && each.equivalent === element.grade.equivalent)
      if (isConversion(element.grade, current.grades)) return true
      if (held && !element.grade.capped && elements[at + 1]?.kind !== 'capped') return false
      current.grades = [...current.grades, held ? { ...element.grade, capped: true } : element.grade]
      extend(current, { value: '0', unit: 'm', span: element.grade.span })
      return true
    }
    if (before === undefined || ['stop', 'break', 'paragraph', 'including', 'hole', 'length'].includes(before.kind)) return false
  }
  return false
}

const reasons: readonly (readonly [UnreadReason, readonly string[], string])[] = [
  ['cut_off', ['cutoff', 'off', 'coupure'], 'a cut-off grade'],
  ['top_cut', ['cap', 'capped', 'capping', 'topcut', 'cut'], 'a limit to which assays were cut'],
  ['tonnage', ['tonnes', 'mt', 'tons', 'million', 'resource', 'resources', 'reserve', 'reserves'], 'the grade of a tonnage, no drill interval'],
  ['up_to', ['up', 'high', 'to', "jusqu'à", 'jusqu', 'maximum', 'peak'], 'a highest value without its length'],
]
const notSingleDetails = {
  range: 'a range of grades, no single one',
  top_cut: 'a limit to which assays were cut',
  sum: 'one figure for several metals',
} as const
/** Why a grade was not read: the nearest preceding word that gives a reason. */
export function unreadGrade(tokens: readonly Token[], { at, grade, notSingle }: Extract<Element, { kind: 'grade' }>): Unread {
  if (notSingle !== null) return { reason: notSingle, span: grade.span, detail: notSingleDetails[notSingle] }
  for (let place = at - 1; place > at - 9 && place >= 0; place--) {
    if (tokens[place]?.kind === 'line' || isMark(tokens[place], '.')) break
    const found = reasons.find(([, words]) => isWord(tokens[place], ...words))
    if (found) return { reason: found[0], span: grade.span, detail: found[2] }
  }
  return { reason: 'grade_without_length', span: grade.span, detail: 'a grade without a length that it can be tied to' }
}
