// Sentences over answers of the bundled universe, with the verdict on each of their figures written by hand (fixtures/assistant/claims).
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ClaimCheck } from '#schemas/claims.ts'
import { checkClaims } from './check-text.ts'
import { at, leafOf, parseAnswer } from './json-values.ts'

type Row = readonly [text: string, answers: readonly string[], figures: readonly string[]]
const folder = new URL('../../fixtures/assistant/claims/', import.meta.url)
const read = (name: string): Record<string, unknown> => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Record<string, unknown>
/** The answers as they are printed: a number keeps its digits. */
const answers = parseAnswer(readFileSync(new URL('answers.json', folder), 'utf8')) as Record<string, unknown>
const printed = (value: unknown): string => JSON.stringify(value)
const { about: _about, ...groups } = read('sentences.json') as { about: string } & Record<string, readonly Row[]>
const rows = Object.entries(groups).flatMap(([group, list]) => list.map(([text, names, figures]) => [group, text, names, figures] as const))

const receiptOf = (at_: number): string => `r1_${'abcdefgh'[at_]?.repeat(51)}a`
const check = (text: string, names: readonly string[]) =>
  checkClaims(
    text,
    names.map((name, place) => ({ text: printed(answers[name]), receipt_id: receiptOf(place) })),
  )

it('has at least 120 sentences, and each kind of verdict', () => {
  expect(rows.length).toBeGreaterThanOrEqual(120)
  const codes = new Set(rows.flatMap(([, , , figures]) => figures.map(each => /(?: = .*| ([a-z_]+))$/.exec(each)?.[1] ?? 'bound')))
  for (const code of ['bound', 'several_places', 'other_field', 'denied', 'parentheses', 'absent', 'other_unit', 'other_scale', 'other_sign'])
    expect(codes).toContain(code)
  for (const code of ['other_rounding', 'other_count', 'other_subject', 'other_time', 'comparison', 'not_a_number']) expect(codes).toContain(code)
})

it.each(rows)('%s: %s', (_group, text, names, expected) => {
  const checked = check(text, names)
  expect(ClaimCheck.parse(checked)).toEqual(checked)
  const found = checked.figures.map(figure => {
    const { binding } = figure
    const place = names[names.findIndex((_name, at_) => receiptOf(at_) === binding?.receipt_id)]
    return `${figure.text} ${binding === null ? figure.code : `= ${place} ${binding.pointer}`}`
  })
  expect(found).toEqual(expected)
  for (const { binding, status, text: figure, start, end } of checked.figures) {
    expect(text.slice(start, end)).toBe(figure)
    expect(binding !== null).toBe(status === 'supported')
    if (binding === null) continue
    // The bound value is what the payload prints at its place.
    const payload = answers[names[names.findIndex((_name, at_) => receiptOf(at_) === binding.receipt_id)] ?? '']
    const value = at(payload, binding.pointer)
    const leaf = leafOf(value)
    expect(Array.isArray(value) ? String(value.length) : typeof leaf === 'object' ? leaf?.number : leaf).toBe(binding.value)
  }
})
