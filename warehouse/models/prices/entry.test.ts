// The bytes of a block give back the same doubles, nulls and texts, of any part of their days.
import { expect, test } from 'vitest'
import { randomOf } from '#fixtures/world/random.ts'
import { Bytes, Reader, readNumbers, readWords, writeNumbers, writeWords } from './column.ts'
import { decodeTable, encodeEntry, everyDay, factorsIn, heldIn, mergeEntries, sectionsOf, type Table } from './entry.ts'

const random = randomOf(20_261_128, 'price blocks')
const through = (values: readonly (number | null)[]): { readonly back: (number | null)[]; readonly bytes: number } => {
  const into = new Bytes()
  writeNumbers(into, values)
  into.uint(77, 1)
  const reader = new Reader(into.copy())
  const back = readNumbers(reader, values.length).slice(0, values.length)
  expect(reader.uint(1)).toBe(77)
  return { back, bytes: into.length - 1 }
}

test('numbers are the same doubles afterwards, also those that are no short decimals', () => {
  const cents = Array.from({ length: 500 }, () => random.int(1, 65_000) / 100)
  const columns: readonly (number | null)[][] = [
    [],
    [null, null],
    [0],
    [0, -0, null, 1],
    [5, 5, 5],
    [0.1 + 0.2, 1 / 3, 5e-324, Number.MAX_VALUE, -Number.MAX_SAFE_INTEGER],
    [0.00000001, 123_456.12345678],
    [Number.MAX_SAFE_INTEGER, 0],
    [2 ** 40 - 1, 0, 2 ** 48 - 1],
    [255, 0],
    [256, 0, null],
    [65_535, 0, null],
    cents,
    cents.map((value, at) => (at % 7 === 0 ? null : value)),
    Array.from({ length: 500 }, () => random.next()),
    Array.from({ length: 500 }, () => random.int(-2_000_000_000, 2_000_000_000)),
  ]
  for (const values of columns) {
    const { back } = through(values)
    expect(back).toHaveLength(values.length)
    for (const [at, value] of values.entries()) expect(Object.is(back[at], value), `${String(value)} became ${String(back[at])}`).toBe(true)
  }
  // 500 prices of up to 650.00 need two bytes each, and instants at one time of the day four, as whole seconds.
  expect(through(cents).bytes).toBeLessThan(2 * 500 + 24)
  const days = Array.from({ length: 500 }, (_, at) => 1_700_000_000_000_000 + at * 86_400_000_000)
  expect(through(days).bytes).toBeLessThan(4 * 500 + 24)
})
test('a value that no row may have is refused', () => {
  expect(() => through([Number.NaN])).toThrow('a price or volume is NaN')
})
test('texts with few values are codes', () => {
  const into = new Bytes()
  const words = ['CAD', 'CAD', 'USD', 'é', 'CAD']
  writeWords(into, words)
  expect(readWords(new Reader(into.copy()), 5)(0, 5)).toEqual(words)
  expect(readWords(new Reader(into.copy()), 5)(2, 4)).toEqual(['USD', 'é'])
})

const aTable = (days: readonly number[]): Table => ({
  day: days,
  open: days.map(day => (day % 3 === 0 ? null : day / 100)),
  high: days.map(day => day / 10),
  low: days.map(day => day / 7),
  close: days.map(day => day + 0.25),
  volume: days.map(day => (day % 2 === 0 ? null : day * 1_000)),
  known_us: days.map(day => day * 86_400_000_000 + 123),
  currency: days.map(() => 'CAD'),
  basis: days.map(day => (day % 5 === 0 ? 'reconstructed' : 'as_traded')),
  source: days.map(day => (day % 4 === 0 ? 'csv' : 'eodhd')),
})
const aFactor = (ex_date: string) => ({
  ex_date,
  split_numerator: '1',
  split_denominator: '1',
  cash_amount: '0.10',
  price_factor: 0.1 + 0.2,
  fx_rate_date: null,
  spinoff: false,
  source: 'eodhd',
  known_from: '2024-01-04T00:00:00.000001Z',
})

test('any days of a table are found, before 1970 too', () => {
  const days = [-400, -1, 0, 5, 9, 10, 20_000]
  const { bars } = sectionsOf(encodeEntry({ bars: aTable(days) }))
  for (const from of [...days, Number.NEGATIVE_INFINITY, 6, 30_000])
    for (const to of [...days, Number.POSITIVE_INFINITY, 6, -500])
      expect(decodeTable(bars as Buffer, from, to)).toEqual(aTable(days.filter(day => from <= day && day <= to)))
})
test('a table with two bars of a day is refused', () => {
  expect(() => encodeEntry({ bars: aTable([1, 2, 2]) })).toThrow('not in ascending order at day 1970-01-03')
})
test('a later entry adds bars and replaces the sections that it has, also by none', () => {
  const older = encodeEntry({ bars: aTable([1, 2, 9]), corrections: aTable([2]), factors: [aFactor('2024-01-04')] })
  const newer = encodeEntry({ bars: aTable([3, 10]), corrections: aTable([]), held: [] })
  const merged = sectionsOf(mergeEntries(older, newer))
  expect(decodeTable(merged.bars as Buffer, ...everyDay)).toEqual(aTable([1, 2, 3, 9, 10]))
  expect(decodeTable(merged.corrections as Buffer, ...everyDay)).toEqual(aTable([]))
  expect(factorsIn(merged.factors)).toEqual([aFactor('2024-01-04')])
  expect(heldIn(merged.held)).toEqual([])
  expect(sectionsOf(encodeEntry({ factors: [] })).bars).toBeNull()
  expect(() => mergeEntries(older, encodeEntry({ bars: aTable([2]) }))).toThrow('ascending order')
})
