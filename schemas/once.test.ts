import { expect, test } from 'vitest'
import { z } from 'zod'
import { madeOnce, parseOnce } from './once.ts'

test('a value is made at its first use, and once', () => {
  let made = 0
  const list = madeOnce(() => {
    made += 1
    return [made]
  })
  expect(made).toBe(0)
  expect(list()).toBe(list())
  expect(made).toBe(1)
})

test('a value that cannot be made is tried again, and null is a value', () => {
  let tries = 0
  const value = madeOnce(() => {
    tries += 1
    if (tries === 1) throw new Error('not yet')
    return null
  })
  expect(() => value()).toThrow('not yet')
  expect([value(), value(), tries]).toEqual([null, null, 2])
})

test('a table is parsed by the same rules, with the same errors', () => {
  const Table = z.strictObject({ name: z.string(), rows: z.array(z.strictObject({ count: z.int().default(0) })) })
  expect(parseOnce(Table, { name: 'a', rows: [{}, { count: 2 }] })).toEqual({ name: 'a', rows: [{ count: 0 }, { count: 2 }] })
  const wrong = { name: 'a', rows: [{ count: 1.5, more: true }] }
  const both = [Table.safeParse(wrong).error?.issues, Table.safeParse(wrong, { jitless: true }).error?.issues]
  expect(both[1]).toEqual(both[0])
  expect(() => parseOnce(Table, wrong)).toThrow(z.ZodError)
})
