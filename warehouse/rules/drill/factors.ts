// The formula of an equivalent as a text states it: the value of one unit of each metal.
import { compareDecimals, quotientOf } from '#schemas/decimals.ts'
import { isMark, isWord, metalAt } from './metals.ts'
import type { Token } from './tokens.ts'
import type { Span } from './types.ts'

export type StatedFactor = { readonly metal: string; readonly factor: string; readonly primary: string; readonly span: Span }

/** `AuEq = Au + (Ag x 0.0109) + Cu*1.31`, `AuEq = Au + Ag/82.6`, `gold equivalent is calculated as gold plus silver divided by 82.6`. */
export function statedFactors(tokens: readonly Token[], french: boolean): StatedFactor[] {
  const factors: StatedFactor[] = []
  for (let at = 0; at < tokens.length; at++) {
    const primary = metalAt(tokens, at, french)
    if (!primary?.equivalent) continue
    const formula = formulaAt(tokens, primary.next)
    if (formula === null) continue
    for (let next = formula; next < formula + 60 && next < tokens.length; next++) {
      if (tokens[next]?.kind === 'line' && tokens[next + 1]?.kind === 'line') break
      const factor = factorAt(tokens, next, french)
      if (factor && factor.metal !== primary.metal) factors.push({ ...factor, primary: primary.metal })
    }
    at = formula - 1
  }
  return factors
}

/** After `=`, or after words such as `is calculated as`; null if no formula begins. */
function formulaAt(tokens: readonly Token[], from: number): number | null {
  for (let place = from; place < from + 10; place++) {
    if (isMark(tokens[place], '=')) return place + 1
    if (isWord(tokens[place], 'equals') || (isWord(tokens[place], 'as') && isWord(tokens[place - 1], 'calculated', 'determined', 'defined')))
      return place + 1
    const leads =
      isUnit(tokens[place]) ||
      isWord(tokens[place], 'is', 'are', 'was', 'were', 'has', 'been', 'grade', 'grades', 'values', 'calculated', 'determined', 'defined')
    if (!leads) return null
  }
  return null
}
const isUnit = (token: Token | undefined): boolean =>
  isMark(token, '(') || isMark(token, ')') || isMark(token, '%') || isMark(token, '/') || isWord(token, 'g', 't', 'gpt', 'ppm')

function factorAt(tokens: readonly Token[], at: number, french: boolean): Omit<StatedFactor, 'primary'> | null {
  const metal = metalAt(tokens, at, french)
  if (!metal || metal.equivalent) return null
  let next = metal.next
  // `Ag (g/t) x`: the unit is between; a slash before a figure divides.
  while (next < metal.next + 6 && isUnit(tokens[next]) && !(isMark(tokens[next], '/') && tokens[next + 1]?.kind === 'number')) next += 1
  const by = isWord(tokens[next + 1], 'by') ? next + 2 : next + 1
  const divides = isMark(tokens[next], '/') || isMark(tokens[next], '÷') || isWord(tokens[next], 'divided')
  const multiplies = isMark(tokens[next], '*') || isMark(tokens[next], 'x') || isWord(tokens[next], 'x', 'times', 'multiplied')
  const number = tokens[by]
  if (!(divides || multiplies) || number?.kind !== 'number' || compareDecimals(number.text, '0') <= 0) return null
  const factor = divides ? quotientOf('1', number.text, 10) : number.text
  return { metal: metal.metal, factor, span: { start: (tokens[at] as Token).start, end: number.end } }
}
