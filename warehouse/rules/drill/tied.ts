// Matches a length with its grades, in either order. A match never crosses another length, a sentence or too many words.
import { tonOf } from './tons.ts'
import type { Element, Grade, Length } from './types.ts'

/** Words allowed between a length and its grades, and the number of elements examined for them. */
const mostWords = 12
const mostElements = 30

export type FoundInterval = {
  readonly length: Extract<Element, { kind: 'length' }> | null
  readonly depth: Extract<Element, { kind: 'depth' }> | null
  readonly trueWidth: Length | null
  readonly angle: string | null
  readonly grades: readonly Grade[]
  readonly used: readonly number[]
}

export function intervalAt(elements: readonly Element[], at: number, used: ReadonlySet<number>): FoundInterval | null {
  const element = elements[at] as Element
  if (element.kind === 'grade') return gradesOver(elements, at)
  if (element.kind === 'depth' && element.to === null) return null
  return lengthTied(elements, at, used)
}

/** `12.5 m [from 120 m] [(9.8 m true width)] @|of|grading 3.2 g/t Au, …`, or two depths in place of the length. */
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
        if (element.notSingle || (!tied && (words > 0 || (!length && !depth?.explicit)))) return null
        const list = gradeList(elements, next)
        if (isMixed(list.grades)) return null
        // `drilled 350 m and returned 3.2 g/t over 5 m`: the grades belong to the length after them.
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
  if (first.notSingle) return null
  const list = gradeList(elements, at)
  if (isMixed(list.grades)) return null
  let next = list.next
  if (elements[next]?.kind === 'close') next += 1
  const direct = elements[next]
  const isIn = direct?.kind === 'word' && direct.text === 'in' && elements[next + 1]?.kind === 'length'
  if (direct?.kind === 'depth' && direct.to && direct.explicit) {
    // `3.2 g/t Au from 120.0 to 132.5 m (12.5 m)`: the length in brackets, if there is one.
    const behind = elements[next + 1]?.kind === 'open' ? elements[next + 2] : undefined
    const length = behind?.kind === 'length' && !behind.isTrue ? behind : null
    return { length, depth: direct, trueWidth: null, angle: null, grades: list.grades, used: [...list.used, next, ...(length ? [next + 2] : [])] }
  }
  if (direct?.kind !== 'over' && !isIn) return null
  for (let words = 0, place = next + 1; place < next + 9; place++) {
    const element = elements[place]
    if (element?.kind === 'length')
      return { length: element, depth: null, trueWidth: null, angle: null, grades: list.grades, used: [...list.used, place] }
    if (element?.kind === 'depth' && element.to && element.explicit)
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
    if (element.kind === 'grade' && !element.notSingle) {
      // `5.1 g/t Au (0.149 oz/t)`, `5.1 g/t Au or 0.149 oz/t`: the same in another unit.
      const before = elements[at - 1]
      const leads = before?.kind === 'open' || (before?.kind === 'word' && before.text === 'or')
      const converted = leads && isConversion(element.grade, grades)
      if (converted) {
        settleTons(grades, element.grade)
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
/**
 * `0.412 oz/ton (14.13 g/t)`: the conversion shows which ton is meant, if one of the two matches within a hundredth. The grade keeps
 * its figure.
 */
function settleTons(grades: Grade[], conversion: Grade): void {
  const at = grades.findIndex(each => each.unit === 'oz/t' && (conversion.metal === null || each.metal === conversion.metal))
  const grade = grades[at]
  if (!grade || (conversion.unit !== 'g/t' && conversion.unit !== 'ppm')) return
  const unit = tonOf(grade.value, conversion.value)
  if (unit) grades[at] = { ...grade, unit }
}
/** The same metal, or none, in another unit of mass per mass. */
export const isConversion = (grade: Grade, grades: readonly Grade[]): boolean =>
  grades.some(
    each =>
      each.unit !== grade.unit &&
      each.unit !== '%' &&
      grade.unit !== '%' &&
      (grade.metal === null || (each.metal === grade.metal && each.equivalent === grade.equivalent)),
  )
/** `3 g/t and 4 g/t Au`: two grades of one unit, one without its metal. It is ambiguous which interval each belongs to. */
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
