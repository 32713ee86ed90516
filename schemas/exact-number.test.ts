import { expect, it } from 'vitest'
import { z } from 'zod'
import { exactNumber, parseExactly } from './exact-number.ts'

const body = z.strictObject({ n: exactNumber(), cost: exactNumber({ minimum: 0 }).nullable().default(null) })
const read = (json: string) => body.safeParse(parseExactly(json))

it.each([
  ['1.50', '1.50'],
  ['-100', '-100'],
  ['0', '0'],
  ['-0.00', '0.00'],
  ['12345678901234567890.123456789012', '12345678901234567890.123456789012'],
  ['0.1e3', '100'],
  ['1.5E-2', '0.015'],
  ['-2e-12', '-0.000000000002'],
])('%s is read as %s', (sent, kept) => {
  expect(read(`{"n":${sent}}`).data).toEqual({ n: kept, cost: null })
  expect(read(`{"n":1,"cost":${sent}}`).success).toBe(!sent.startsWith('-') || /^-0/.test(sent))
})
it.each([
  '"5"',
  'null',
  'true',
  '[1]',
  '{"rawJSON":"5"}',
  '1e400',
  '1e27',
  '1e-13',
  '0.1234567890123',
  '123456789012345678901234567',
  `0.${'0'.repeat(80)}1`,
])('%s is refused, not rounded', sent => {
  const { error } = read(`{"n":${sent}}`)
  expect(error?.issues.map(issue => [issue.path, issue.message])).toEqual([[['n'], expect.stringContaining('expected')]])
})
it('plain values are read too, and the description has type number', () => {
  expect(body.parse({ n: 1e-7, cost: 2.5 })).toEqual({ n: '0.0000001', cost: '2.5' })
  const described = z.toJSONSchema(body, { io: 'input' }).properties as Record<string, unknown>
  expect(described['n']).toEqual({ type: 'number' })
  expect(described['cost']).toEqual({ anyOf: [{ type: 'number', minimum: 0 }, { type: 'null' }] })
})
