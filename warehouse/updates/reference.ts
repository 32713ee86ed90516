// Sentences whose figures are references: a template, and for each position a pointer into an answer. The renderer inserts the values, so a
// sentence contains only digits of answers.

import { sumOf } from '#schemas/decimals.ts'
import { Broken } from '#schemas/errors.ts'
import { parseWithNumberText, type TextJson } from '#schemas/number-text.ts'
import type { UpdateClaim } from '#schemas/updates.ts'

/** A body with its numbers as text. */
export const readAnswer = (payload: Buffer): TextJson => parseWithNumberText(payload.toString('utf8'))

/** The value at an RFC 6901 pointer; undefined if there is none. */
export function valueAt(answer: TextJson, pointer: string): TextJson | undefined {
  let at: TextJson | undefined = answer
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    at = Array.isArray(at)
      ? (at as readonly TextJson[])[Number(name)]
      : typeof at === 'object' && at !== null
        ? (at as { readonly [name: string]: TextJson })[name]
        : undefined
  }
  return at
}

/** A position of a sentence: one value, or values that are counted or added. `as`: how it is printed; the claim keeps the value. */
export type Reference = {
  readonly pointer?: string
  readonly count?: readonly string[]
  readonly sum?: readonly string[]
  readonly unit?: string
  readonly as?: (value: string) => string
}
export type Sentence = { readonly template: string; readonly text: string; readonly claims: readonly UpdateClaim[] }

/** A number with commas between thousands, other digits as they are. */
export const grouped = (value: string): string => value.replace(/^(-?\d{5,})(?=\.|$)/, whole => whole.replace(/\B(?=(\d{3})+$)/g, ','))

/**
 * A sentence from texts and references. A text between references contains no digit, except in names of forms, items or rules, which
 * `fixed` lists. Throws `Broken` if a pointer has no value or a digit is outside of every reference.
 */
export function sentenceOf(answer: TextJson, parts: readonly (string | Reference)[], fixed: readonly string[] = []): Sentence {
  const claims: UpdateClaim[] = []
  let template = ''
  let text = ''
  for (const part of parts) {
    if (typeof part === 'string') {
      const rest = fixed.reduce((left, each) => left.replaceAll(each, ''), part)
      if (/\d/.test(rest)) throw new Broken(`update: the text "${part.slice(0, 60)}" holds a digit that is no reference`)
      template += part.replaceAll('{', '(').replaceAll('}', ')')
      text += part
      continue
    }
    const claim = claimOf(answer, part)
    template += `{${claims.length}}`
    text += (part.as ?? (each => each))(claim.value)
    claims.push(claim)
  }
  return { template, text, claims }
}

function claimOf(answer: TextJson, { pointer, count, sum, unit = undefined }: Reference): UpdateClaim {
  const read = (at: string): string => {
    const value = valueAt(answer, at)
    if (typeof value !== 'string') throw new Broken(`update: ${at} is ${JSON.stringify(value)?.slice(0, 40)}, expected a value to state`)
    return value
  }
  if (pointer !== undefined) return { value: read(pointer), unit: unit ?? null, pointer, operands: null, computed: null }
  if (count !== undefined) {
    for (const each of count) read(each)
    return { value: String(count.length), unit: unit ?? null, pointer: null, operands: [...count], computed: 'count' }
  }
  const operands = [...(sum ?? [])]
  return { value: sumOf(operands.map(read)), unit: unit ?? null, pointer: null, operands, computed: 'sum' }
}
