// The quick check accepts nothing that zod refuses or changes, and accepts the rows that zod accepts.
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { datasetNames, datasetOf } from './index.ts'
import { quickCheckOf } from './quick-check.ts'

type Node = {
  readonly type: string
  readonly entries?: Record<string, string>
  readonly innerType?: z.ZodType
  readonly element?: z.ZodType
  readonly shape?: Record<string, z.ZodType>
}
const nodeOf = (schema: z.ZodType): Node => schema._zod.def as unknown as Node

const texts = [
  '',
  'AAPL',
  'A b',
  '2024-02-29',
  '2023-02-29',
  '2024-06-30T20:00:00Z',
  '2024-06-30T20:00:00.123456Z',
  '2024-06-30T20:00:00+02:00',
  '0',
  '-0.10',
  '01',
  '1,000',
  '1.',
  'USD',
  'usd',
  'US',
  'accepted',
  '0000320193',
  '320193',
  '0000320193-24-000123',
  '037833100',
  'f'.repeat(64),
  'F'.repeat(64),
  'f'.repeat(63),
  '0\n',
  '\u0000',
]
const others = [
  0,
  1,
  -1,
  1.5,
  -0,
  2 ** 53,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  1n,
  true,
  false,
  null,
  undefined,
  [],
  // With a hole.
  Object.assign(['A b'], { length: 2 }),
  {},
  new Date(0),
  ['x'],
  Symbol.iterator,
]
const values: readonly unknown[] = [...texts, ...others]

/** Values that a schema accepts, made from its definition. */
function accepted(schema: z.ZodType): unknown[] {
  const { type, innerType, element, shape, entries } = nodeOf(schema)
  const simple = values.filter(value => schema.safeParse(value).success)
  if (entries) return Object.values(entries)
  if (type === 'nullable' && innerType) return [null, ...accepted(innerType)]
  if (type === 'array' && element) return [[], ...accepted(element).map(each => [each]), accepted(element)]
  if (type === 'object' && shape) {
    const columns = Object.entries(shape).map(([name, part]) => [name, accepted(part)] as const)
    const most = Math.max(...columns.map(([, each]) => each.length))
    return Array.from({ length: most }, (_, at) => Object.fromEntries(columns.map(([name, each]) => [name, each[at % each.length]])))
  }
  return simple
}

/** Fails if the quick check accepts a value that zod refuses or changes. Returns what it says of the value. */
function compared(schema: z.ZodType, check: (value: unknown) => boolean, value: unknown): boolean {
  const quick = check(value)
  const own = schema.safeParse(value)
  if (quick) expect(own).toEqual({ success: true, data: value })
  return quick
}

describe.each(datasetNames.map(name => ({ name })))('rows of $name', ({ name }) => {
  const schema = datasetOf(name).record
  const rows = accepted(schema) as Record<string, unknown>[]
  const shape = nodeOf(schema).shape ?? {}
  test('are accepted if zod accepts them', () => {
    expect(rows.length).toBeGreaterThan(0)
    const check = quickCheckOf(schema)
    for (const row of rows) expect([compared(schema, check, row), row]).toEqual([true, row])
  })
  test('with any value in any column are accepted if zod accepts them, and only then', () => {
    const row = rows[0] as Record<string, unknown>
    for (const [column, part] of Object.entries(shape)) {
      const check = quickCheckOf(schema)
      for (const value of [...values, ...accepted(part), ...values]) {
        const changed = { ...row, [column]: value }
        expect([column, value, compared(schema, check, changed)]).toEqual([column, value, schema.safeParse(changed).success])
      }
    }
  })
  test('are left to zod if a column is missing, unknown or inherited', () => {
    const check = quickCheckOf(schema)
    const row = rows[0] as Record<string, unknown>
    for (const column of Object.keys(shape)) {
      const { [column]: _absent, ...without } = row
      expect(check(without)).toBe(false)
      expect(check({ ...without, [`${column}_`]: row[column] })).toBe(false)
      expect(check(Object.create(row))).toBe(false)
    }
    expect(check({ ...row, another: 1 })).toBe(false)
    expect(check(null)).toBe(false)
    expect(check([row])).toBe(false)
  })
})

describe('schemas with anything that the quick check does not know', () => {
  test.each([
    ['a transformation', z.string().transform(text => text.length)],
    ['a change of case', z.string().toLowerCase()],
    ['a minimum length', z.string().min(2)],
    ['a format', z.email()],
    ['a coercion', z.coerce.number()],
    ['a maximum', z.number().max(3)],
    ['a default', z.string().default('x')],
    ['an optional value', z.string().optional()],
    ['a union', z.union([z.string(), z.number()])],
    ['a pattern with a state', z.string().regex(/a/g)],
    ['a check of its own', z.string().superRefine(() => {})],
    ['keys of any kind', z.looseObject({ a: z.string() })],
    ['a refined object', z.object({ a: z.string() }).refine(() => false)],
    ['a list with a length', z.array(z.string()).length(2)],
  ] as const)('are left to zod: %s', (_what, schema) => {
    const check = quickCheckOf(schema)
    for (const value of [...values, { a: 'x' }, ['x', 'y']]) expect(check(value)).toBe(false)
  })
  test('and one part of it leaves the row to zod', () => {
    const schema = z.strictObject({ a: z.string(), b: z.string().trim() })
    expect(quickCheckOf(schema)({ a: 'x', b: 'y' })).toBe(false)
  })
})

test('a value is not accepted because the same list had another content before', () => {
  const check = quickCheckOf(z.strictObject({ a: z.array(z.string()), b: z.strictObject({ c: z.string() }) }))
  const [a, b]: [unknown[], Record<string, unknown>] = [['x'], { c: 'y' }]
  expect(check({ a, b })).toBe(true)
  a.push(1)
  expect(check({ a, b })).toBe(false)
  a.pop()
  expect(check({ a, b })).toBe(true)
  b['c'] = 1
  expect(check({ a, b })).toBe(false)
})
