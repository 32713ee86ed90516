// A grade: a number with its unit, and the metal after or before it.

import { isNumber } from './lengths.ts'
import { gradeUnitAt, isMark, isWord, metalAt, metalSumAt, skipOf } from './metals.ts'
import type { Token } from './tokens.ts'
import { tonOf } from './tons.ts'
import type { Element, FoundElement, Grade, NotSingle, Qualifier } from './types.ts'

/** The grade at a number; `before` are the elements read so far. */
export function gradeAt(tokens: readonly Token[], at: number, french: boolean, before: readonly Element[]): FoundElement | null {
  const unit = gradeUnitAt(tokens, at + 1, french)
  if (!unit) return null
  const token = tokens[at] as Token
  const converted = unit.metal ? null : conversionAt(tokens, unit.next, french)
  const behind = unit.metal ? null : metalAt(tokens, skipOf(tokens, converted?.next ?? unit.next), french)
  const leading = unit.metal || behind ? null : metalBefore(tokens, at, french, before)
  const metal = unit.metal ?? behind ?? leading
  // A percentage without a metal is a share of something else: of a width, of a recovery.
  if (unit.unit === '%' && !metal) return null
  const sum = behind && metalSumAt(tokens, behind, french)
  const next = sum?.next ?? behind?.next ?? unit.next
  const grade: Grade = {
    metal: sum?.metal ?? metal?.metal ?? null,
    value: token.text,
    unit: (unit.unit === 'oz/t' && behind && converted?.gramsPerTonne && tonOf(token.text, converted.gramsPerTonne)) || unit.unit,
    qualifier: qualifierBefore(tokens, at),
    equivalent: metal?.equivalent ?? false,
    // `cut 3.2 g/t over 5 m` is a hole that cut it.
    capped: isWord(tokens[next], 'cut', 'capped', 'coupé') || isWord(tokens[at - 1], 'capped'),
    span: { start: token.start, end: (tokens[next - 1] as Token).end },
  }
  return { element: { kind: 'grade', grade, at, notSingle: sum?.metal === null ? 'sum' : notSingleAt(tokens, at) }, next }
}

/** `17.5 g/t (0.51 oz/ton) gold`: the same in another unit, between a grade and its metal. */
function conversionAt(
  tokens: readonly Token[],
  open: number,
  french: boolean,
): { readonly gramsPerTonne: string | null; readonly next: number } | null {
  if (!isMark(tokens[open], '(') || !isNumber(tokens[open + 1])) return null
  const unit = gradeUnitAt(tokens, open + 2, french)
  if (!unit || unit.metal || !isMark(tokens[unit.next], ')')) return null
  return { gramsPerTonne: unit.unit === 'g/t' || unit.unit === 'ppm' ? (tokens[open + 1]?.text ?? null) : null, next: unit.next + 1 }
}

/** One end of a range, or a limit: not an interval's figure. */
function notSingleAt(tokens: readonly Token[], at: number): NotSingle | null {
  if (isLimit(tokens, at)) return 'top_cut'
  return (isMark(tokens[at - 1], '-') || isWord(tokens[at - 1], 'to', 'à')) && isNumber(tokens[at - 2]) ? 'range' : null
}

/** `cut to 20 g/t`, `capped at 20 g/t`: the limit that assays were cut to, not an assay. */
const isLimit = (tokens: readonly Token[], at: number): boolean =>
  (isWord(tokens[at - 1], 'to') && isWord(tokens[at - 2], 'cut', 'capped', 'cap', 'capping')) ||
  (isWord(tokens[at - 1], 'at', 'of') && isWord(tokens[at - 2], 'capped', 'cap', 'capping'))

/** `Au 3.2 g/t`, `gold: 3.2 g/t`: the metal precedes the grade and does not end the previous grade. */
function metalBefore(
  tokens: readonly Token[],
  at: number,
  french: boolean,
  before: readonly Element[],
): { metal: string; equivalent: boolean } | null {
  let place = at - 1
  while (
    place > at - 6 &&
    (isMark(tokens[place], ':') ||
      isMark(tokens[place], '=') ||
      isWord(tokens[place], 'grades', 'grade', 'of', 'at', 'mineralization', 'mineralisation', 'values', 'assays', 'averaging', 'grading') ||
      isMark(tokens[place], '~'))
  )
    place -= 1
  const last = before.at(-1)
  if (last?.kind === 'grade' && last.grade.span.end > (tokens[place]?.start ?? 0)) return null
  for (const start of [place - 1, place]) {
    const found = start < 0 ? null : metalAt(tokens, start, french)
    if (found && found.next === place + 1) return found
  }
  return null
}

function qualifierBefore(tokens: readonly Token[], at: number): Qualifier | null {
  const mark = tokens[at - 1]
  if (mark?.kind !== 'mark') return null
  return mark.text === '<' || mark.text === '>' || mark.text === '~' ? mark.text : null
}
