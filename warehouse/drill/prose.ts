// Elements of running text to intervals: a length tied to grades, grades over a length, or two depths tied to grades. What cannot
// be tied is listed as unread, never guessed.
import { compareDecimals, signedSum } from '#schemas/decimals.ts'
import type { Element } from './elements.ts'
import { isMark, isWord } from './metals.ts'
import type { Token } from './tokens.ts'
import type { Grade, Length, RawInterval, Relation, Unread, UnreadReason } from './types.ts'

/** Words that may stand between a length and its grades, and elements that are looked at for them. */
const mostWords = 12
const mostElements = 30

export type ReadProse = { readonly intervals: RawInterval[]; readonly unread: Unread[] }

export function readProse(tokens: readonly Token[], elements: readonly Element[]): ReadProse {
  const intervals: RawInterval[] = []
  const unread: Unread[] = []
  const used = new Set<number>()
  let hole: string | null = null
  /** Named in this sentence before its intervals, so that a hole behind them begins something new. */
  let holeLeads = false
  let relation: Relation = 'top'
  /** Depths that stand before their interval, of the same sentence. */
  let waiting: Extract<Element, { kind: 'depth' }> | null = null
  let ofSentence: RawInterval[] = []
  let current: RawInterval | null = null
  /** The last interval is of this sentence: what is said of depths is said of it. */
  let isOpen = false
  /** Results of `hole` were read. */
  let hasResults = false

  for (let at = 0; at < elements.length; at++) {
    const element = elements[at] as Element
    if (used.has(at)) continue
    switch (element.kind) {
      case 'hole':
        if (element.trailing && !holeLeads && ofSentence.length > 0) {
          for (const each of ofSentence) each.hole = element.hole
          ofSentence = []
        } else {
          holeLeads = true
          relation = 'top'
          current = null
        }
        hole = element.hole
        hasResults = element.trailing && current !== null
        break
      case 'paragraph':
      case 'break':
      case 'stop':
        // The hole of a heading stands for what comes below it; once its results are read another paragraph is of no hole that is named.
        if (element.kind === 'paragraph' && hasResults) hole = null
        holeLeads = false
        isOpen = false
        waiting = null
        ofSentence = []
        if (element.kind === 'stop') relation = 'top'
        break
      case 'including':
        relation =
          elements[at - 1]?.kind === 'and' || (elements[at - 1]?.kind === 'comma' && elements[at - 2]?.kind === 'and') ? 'and_including' : 'including'
        break
      case 'within':
        relation = 'containing'
        break
      case 'and':
        if (relation === 'top' && leadsToLength(elements, at)) relation = 'and'
        break
      case 'angle':
        if (current) current.coreAngle ??= element.degrees
        break
      case 'depth':
      case 'length':
      case 'grade': {
        // Depths behind an interval that has none, and as far apart as it is long, are its own whatever follows.
        if (
          element.kind === 'depth' &&
          isLengthOf(element, current) &&
          !beginsAnew(tokens, elements, at) &&
          attachDepth(isOpen ? current : null, element)
        )
          break
        const found = intervalAt(elements, at, used)
        if (!found) {
          if (element.kind === 'depth') waiting = attachDepth(isOpen ? current : null, element) ? null : element.said ? element : waiting
          else if (element.kind === 'length') attachWidth(current, element, tokens, elements, at, unread)
          else if (!attachGrade(current, element, elements, at)) unread.push(unreadGrade(tokens, element))
          break
        }
        const interval = toInterval(found, relation === 'top' ? hole : (hole ?? current?.hole ?? null), relation, waiting)
        intervals.push(interval)
        ofSentence.push(interval)
        for (const each of found.used) used.add(each)
        current = interval
        isOpen = true
        hasResults = true
        waiting = null
        relation = 'top'
        break
      }
      default:
    }
  }
  return { intervals, unread }
}

type FoundInterval = {
  readonly length: Extract<Element, { kind: 'length' }> | null
  readonly depth: Extract<Element, { kind: 'depth' }> | null
  readonly trueWidth: Length | null
  readonly angle: string | null
  readonly grades: readonly Grade[]
  readonly used: readonly number[]
}

function intervalAt(elements: readonly Element[], at: number, used: ReadonlySet<number>): FoundInterval | null {
  const element = elements[at] as Element
  if (element.kind === 'grade') return gradesOver(elements, at)
  if (element.kind === 'depth' && element.to === null) return null
  return lengthTied(elements, at, used)
}

/** `12.5 m [from 120 m] [(9.8 m true width)] @|of|grading 3.2 g/t Au, …`, or two depths in the place of the length. */
function lengthTied(elements: readonly Element[], at: number, used: ReadonlySet<number>): FoundInterval | null {
  const first = elements[at] as Element
  const consumed = [at]
  let length = first.kind === 'length' ? first : null
  let depth = first.kind === 'depth' ? first : null
  let trueWidth: Length | null = null
  let angle: string | null = null
  let tied = false
  let words = 0
  for (let next = at + 1; next < Math.min(elements.length, at + mostElements); next++) {
    const element = elements[next] as Element
    if (used.has(next)) return null
    switch (element.kind) {
      case 'grade': {
        if (element.ranged || (!tied && (words > 0 || (!length && !depth?.said)))) return null
        const list = gradeList(elements, next)
        if (isMixed(list.grades)) return null
        // `drilled 350 m and returned 3.2 g/t over 5 m`: the grades belong to the length behind them.
        if (words > 2 && elements[list.next]?.kind === 'over') return null
        return { length, depth, trueWidth, angle, grades: list.grades, used: [...consumed, ...list.used] }
      }
      case 'length':
        if (element.isTrue && !trueWidth) trueWidth = element.length
        // `7.6 m (25 ft)`: the same in another unit.
        else if (
          length &&
          element.length.unit !== length.length.unit &&
          elements[next - 1]?.kind === 'open' &&
          elements[next + 1]?.kind === 'close'
        ) {
          consumed.push(next)
          break
        } else if (!length && depth) length = element
        else return null
        consumed.push(next)
        break
      case 'depth':
        if (depth) return null
        depth = element
        consumed.push(next)
        break
      case 'angle':
        angle = element.degrees
        consumed.push(next)
        break
      case 'ties':
        tied = true
        break
      case 'word':
        words += 1
        if (words > mostWords) return null
        break
      case 'comma':
      case 'open':
      case 'close':
        break
      default:
        return null
    }
  }
  return null
}

/** `3.2 g/t Au [and …] over|across [a core length of] 12.5 m`. */
function gradesOver(elements: readonly Element[], at: number): FoundInterval | null {
  const first = elements[at] as Extract<Element, { kind: 'grade' }>
  if (first.ranged) return null
  const list = gradeList(elements, at)
  if (isMixed(list.grades)) return null
  let next = list.next
  if (elements[next]?.kind === 'close') next += 1
  const direct = elements[next]
  const isIn = direct?.kind === 'word' && direct.text === 'in' && elements[next + 1]?.kind === 'length'
  if (direct?.kind === 'depth' && direct.to && direct.said) {
    // `3.2 g/t Au from 120.0 to 132.5 m (12.5 m)`: the length in brackets, where there is one.
    const behind = elements[next + 1]?.kind === 'open' ? elements[next + 2] : undefined
    const length = behind?.kind === 'length' && !behind.isTrue ? behind : null
    return { length, depth: direct, trueWidth: null, angle: null, grades: list.grades, used: [...list.used, next, ...(length ? [next + 2] : [])] }
  }
  if (direct?.kind !== 'over' && !isIn) return null
  for (let words = 0, place = next + 1; place < next + 9; place++) {
    const element = elements[place]
    if (element?.kind === 'length')
      return { length: element, depth: null, trueWidth: null, angle: null, grades: list.grades, used: [...list.used, place] }
    if (element?.kind === 'depth' && element.to && element.said)
      return { length: null, depth: element, trueWidth: null, angle: null, grades: list.grades, used: [...list.used, place] }
    if (element?.kind !== 'word' && element?.kind !== 'ties') return null
    words += 1
    if (words > 7) return null
  }
  return null
}

type GradeList = { readonly grades: readonly Grade[]; readonly used: readonly number[]; readonly next: number }
/** Grades that follow each other with commas, `and`, `with` and brackets between: one assay of several metals. */
function gradeList(elements: readonly Element[], from: number): GradeList {
  const grades: Grade[] = []
  const used: number[] = []
  let at = from
  let next = from
  while (at < elements.length && at < next + 5) {
    const element = elements[at] as Element
    if (element.kind === 'grade' && !element.ranged) {
      // `5.1 g/t Au (0.149 oz/t)`: the same in another unit.
      const converted = elements[at - 1]?.kind === 'open' && isConversion(element.grade, grades)
      if (converted) {
        used.push(at)
        next = at + 1
        at += 1
        continue
      }
      const again = grades.some(each => each.metal === element.grade.metal && each.equivalent === element.grade.equivalent)
      const capped = element.grade.capped || elements[at + 1]?.kind === 'capped' || elements[at - 1]?.kind === 'capped'
      if (again && !capped) break
      grades.push(capped && again ? { ...element.grade, capped: true } : element.grade)
      used.push(at)
      next = at + 1
    } else if (!joins(element)) break
    at += 1
  }
  return { grades, used, next }
}
/** Of a metal that is given already, or of none, in another unit of mass per mass. */
const isConversion = (grade: Grade, grades: readonly Grade[]): boolean =>
  grades.some(
    each =>
      each.unit !== grade.unit &&
      each.unit !== '%' &&
      grade.unit !== '%' &&
      (grade.metal === null || (each.metal === grade.metal && each.equivalent === grade.equivalent)),
  )
/** `3 g/t and 4 g/t Au`: two grades of one unit, one without its metal: of which interval each is cannot be told. */
const isMixed = (grades: readonly Grade[]): boolean =>
  grades.some(grade => grade.metal === null && grades.some(other => other !== grade && other.unit === grade.unit))
const joins = (element: Element): boolean =>
  element.kind === 'comma' ||
  element.kind === 'and' ||
  element.kind === 'open' ||
  element.kind === 'close' ||
  element.kind === 'ties' ||
  element.kind === 'capped' ||
  (element.kind === 'word' && (element.text === 'plus' || element.text === 'or' || element.text === 'for'))

function toInterval(found: FoundInterval, hole: string | null, relation: Relation, waiting: Extract<Element, { kind: 'depth' }> | null): RawInterval {
  const depth = found.depth ?? waiting
  const length = found.length
  const from = depth ? unitAs(depth.from, length?.length) : null
  const to = depth?.to ?? null
  const computed = !length && from && to ? lengthBetween(from, to) : null
  const spans = [length?.length.span, from?.span, ...found.grades.map(grade => grade.span)].filter(span => span !== undefined)
  return {
    hole,
    length: length?.length ?? computed,
    isTrueWidth: length?.isTrue ?? false,
    from,
    to,
    trueWidth: found.trueWidth,
    coreAngle: found.angle,
    grades: found.grades,
    relation,
    origin: 'text',
    span: { start: Math.min(...spans.map(span => span.start)), end: Math.max(...spans.map(span => span.end)) },
  }
}

export const lengthBetween = (from: Length, to: Length): Length => ({
  value: signedSum([
    { sign: 1, value: to.value },
    { sign: -1, value: from.value },
  ]),
  unit: to.unit,
  span: { start: Math.min(from.span.start, to.span.start), end: Math.max(from.span.end, to.span.end) },
})
/** `41 ft … from 516`: a depth without a unit is in that of its length. */
const unitAs = (depth: Length, length: Length | undefined): Length =>
  length &&
  depth.unit !== length.unit &&
  depth.unit === 'm' &&
  depth.span.end - depth.span.start <= depth.value.length + 1 &&
  !depth.value.includes('m')
    ? { ...depth, unit: length.unit }
    : depth

/** `and` before a length within a few words: what comes is a new interval. */
function leadsToLength(elements: readonly Element[], at: number): boolean {
  for (let next = at + 1; next < at + 5; next++) {
    const kind = elements[next]?.kind
    if (kind === 'length' || kind === 'depth') return true
    if (kind !== 'word' && kind !== 'ties') return false
  }
  return false
}

/** Depths behind an interval: said with `from`, or a range that is as long as the interval is. */
function attachDepth(current: RawInterval | null, depth: Extract<Element, { kind: 'depth' }>): boolean {
  if (!current || current.from) return false
  if (!depth.said && depth.to && current.length) {
    const between = lengthBetween(depth.from, depth.to)
    if (compareDecimals(between.value, current.length.value) !== 0 && !near(between.value, current.length.value)) return false
  }
  current.from = unitAs(depth.from, current.length ?? undefined)
  current.to = depth.to && unitAs(depth.to, current.length ?? undefined)
  extend(current, depth.to ?? depth.from)
  return true
}
const isLengthOf = (depth: Extract<Element, { kind: 'depth' }>, current: RawInterval | null): boolean =>
  depth.to !== null && current?.length?.unit === depth.to.unit && near(lengthBetween(depth.from, depth.to).value, current.length.value)
/** Behind `and` or a semicolon something new begins. */
function beginsAnew(tokens: readonly Token[], elements: readonly Element[], at: number): boolean {
  const element = elements[at] as Element
  return elements[at - 1]?.kind === 'and' || isMark(tokens[element.at - 1], ';')
}
const near = (a: string, b: string): boolean => Math.abs(Number(a) - Number(b)) <= Math.max(0.2, 0.1 * Number(b))
function extend(interval: RawInterval, length: Length): void {
  if (interval.span)
    Object.assign(interval, { span: { start: Math.min(interval.span.start, length.span.start), end: Math.max(interval.span.end, length.span.end) } })
}

/** A true width behind its interval; a length that is tied to no grade but says `@` is unread. */
function attachWidth(
  current: RawInterval | null,
  element: Extract<Element, { kind: 'length' }>,
  tokens: readonly Token[],
  elements: readonly Element[],
  at: number,
  unread: Unread[],
): void {
  if (element.isTrue && current && !current.trueWidth && !current.isTrueWidth) {
    current.trueWidth = element.length
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

/** Grades in brackets behind an equivalent: its components, or figures of other metals of the same interval. */
function attachGrade(current: RawInterval | null, element: Extract<Element, { kind: 'grade' }>, elements: readonly Element[], at: number): boolean {
  if (!current || element.ranged) return false
  for (let place = at - 1; place > at - 8; place--) {
    const before = elements[place]
    if (before?.kind === 'open') {
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
/** Why a grade was not read: the nearest word before it that says so. */
function unreadGrade(tokens: readonly Token[], { at, grade, ranged }: Extract<Element, { kind: 'grade' }>): Unread {
  if (ranged) return { reason: 'range', span: grade.span, detail: 'a range of grades, no single one' }
  for (let place = at - 1; place > at - 9 && place >= 0; place--) {
    if (tokens[place]?.kind === 'line' || isMark(tokens[place], '.')) break
    const found = reasons.find(([, words]) => isWord(tokens[place], ...words))
    if (found) return { reason: found[0], span: grade.span, detail: found[2] }
  }
  return { reason: 'grade_without_length', span: grade.span, detail: 'a grade without a length that it can be tied to' }
}
