// Bars that are printed from columns are the bytes of the bars as records, for values that the bundled universe does not have.
import { expect, test } from 'vitest'
import { type Random, randomOf } from '#fixtures/world/random.ts'
import type { BarBasis } from '#schemas/bars.ts'
import { dayMs, utcDay } from '#schemas/days.ts'
import { type ReleaseContext, renderPayload } from '../context/answer.ts'
import type { PriceModel } from '../context/price-model.ts'
import type { Days, Factor } from '../datasets/bars/bars.ts'
import type { HeldAction } from '../datasets/corporate-actions/corporate-actions.ts'
import { decodeColumns } from '../models/prices/columns.ts'
import { dayNumber, decodeTable, encodeEntry, everyDay, foundPrices, joinTables, sectionsOf, type Table } from '../models/prices/entry.ts'
import { buildEod, type EodQuestion } from './eod.ts'

const seed = Number(process.env['CROSSFILE_TEST_SEED'] ?? 20_261_129)

type Case = { readonly parts: readonly Table[]; readonly factors: readonly Factor[]; readonly held: readonly HeldAction[] }

const oddPrices = [
  0,
  -0,
  0.01,
  1e-6,
  9.9e-7,
  1e-8,
  5e-324,
  1 / 3,
  0.1 + 0.2,
  -1.25,
  -1e-9,
  99_999.995,
  1e6,
  999_999.99,
  1e12,
  123_456.12345678,
  2 ** 31,
  1e21,
  1.5e300,
]
const oddVolumes = [0, 1, 0.5, 12.75, 2 ** 31, 2 ** 53, 2 ** 53 + 2, 1e16, 1e19, 1e21, -5, 1 / 3]

function priceOf(random: Random, isOdd: boolean): number {
  if (isOdd && random.chance(0.5)) return random.pick(oddPrices)
  const places = random.pick([2, 2, 2, 4, 8])
  return random.int(1, 10 ** random.int(places, 9)) / 10 ** places
}

function tableOf(random: Random, days: readonly number[], isOdd: boolean, bases: readonly BarBasis[]): Table {
  const column = <T>(value: () => T): T[] => days.map(value)
  const price = (): number => priceOf(random, isOdd)
  const maybe = (value: () => number): number | null => (isOdd && random.chance(0.2) ? null : value())
  return {
    day: days,
    open: column(() => maybe(price)),
    high: column(() => maybe(price)),
    low: column(() => maybe(price)),
    close: column(price),
    volume: column(() => maybe(() => (isOdd && random.chance(0.5) ? random.pick(oddVolumes) : random.int(0, 1e9)))),
    known_us: column(() => random.int(1_700_000_000, 1_790_000_000) * 1e6),
    currency: column(() => random.pick(['USD', 'CAD'])),
    basis: column(() => random.pick(bases)),
    source: column(() => random.pick(['eodhd', 'tiingo', 'edgar'])),
  }
}

/** Days of a part, ascending, from about a day on; some before 1970. */
function daysOf(random: Random, from: number): number[] {
  const days: number[] = []
  for (let left = random.int(0, 60); left > 0; left -= 1) days.push((days.at(-1) ?? from) + random.pick([1, 1, 1, 3, 40]))
  return days
}

function caseOf(random: Random): Case {
  const isOdd = random.chance(0.7)
  const bases = random.pick<readonly BarBasis[]>([
    ['as_traded'],
    ['as_traded', 'reconstructed'],
    ['as_traded', 'reconstructed', 'split_adjusted_unknown'],
  ])
  const parts: Table[] = []
  let next = random.pick([-30_000, -40, 0, 10_900, 20_000])
  for (let count = random.int(1, 4); count > 0; count -= 1) {
    const days = daysOf(random, next)
    parts.push(tableOf(random, days, isOdd, random.chance(0.3) ? ['as_traded'] : bases))
    // Sometimes the next part begins before the end of this one.
    next = (days.at(-1) ?? next) - (random.chance(0.15) ? 5 : 0)
  }
  const all = [...new Set(parts.flatMap(part => [...part.day]))].sort((a, b) => a - b)
  const exDates = [
    ...new Set(
      Array.from(
        { length: random.chance(0.25) ? 0 : random.int(1, 8) },
        () => random.pick([...all.slice(0, 1), ...all.slice(-1), ...all, 20_500, 30_000]) + random.pick([0, 0, 1, -1]),
      ),
    ),
  ]
  return { parts, factors: exDates.sort((a, b) => a - b).map(day => factorOf(random, day)), held: [] }
}

function factorOf(random: Random, day: number): Factor {
  const [numerator, denominator] = random.pick([
    [1, 1],
    [2, 1],
    [1, 10],
    [3, 2],
    [7, 3],
    [1, 250],
    [9_007_199_254_740_993n, 2],
    [15, 14],
  ] as const)
  const cash = random.chance(0.5) ? random.int(800_000, 999_999) / 1e6 : 1
  return {
    symbol: 'X',
    ex_date: utcDay(day * dayMs),
    split_numerator: String(numerator),
    split_denominator: String(denominator),
    cash_amount: cash === 1 ? null : '0.25',
    price_factor: (cash * Number(denominator)) / Number(numerator),
    fx_rate_date: null,
    spinoff: random.chance(0.1),
    source: 'eodhd',
    known_from: '2026-01-05T00:00:00Z',
  }
}

const tablesOf = ({ parts }: Case): Buffer[] => parts.map(bars => sectionsOf(encodeEntry({ bars })).bars as Buffer)
const rangeOf = ({ from, to }: Days) => [from === null ? everyDay[0] : dayNumber(from), to === null ? everyDay[1] : dayNumber(to)] as const

/** A model of one symbol; `printed` counts its answers from columns. */
function modelOf(own: Case, tables: readonly Buffer[], hasColumns: boolean, look: { printed: number }): PriceModel {
  const { factors, held } = own
  return {
    readSymbol: async () =>
      hasColumns
        ? {
            factors,
            held,
            columns(days) {
              const columns = decodeColumns(tables, ...rangeOf(days))
              if (columns) look.printed += 1
              return columns
            },
          }
        : null,
    read: async (_symbols, days) => {
      const table = joinTables(tables.map(bytes => decodeTable(bytes, ...rangeOf(days))))
      return { prices: foundPrices([{ symbol: 'X', table, corrected: false }]), factors, held }
    },
  }
}

const version = { release: 7, committed_at: '2026-11-20T09:30:00Z' }
const contextWith = (prices: PriceModel): ReleaseContext =>
  ({
    prices,
    lake: { versionOf: () => version },
    symbols: { find: () => null, nearest: () => [] },
  }) as unknown as ReleaseContext

function questionOf(random: Random, { parts }: Case): EodQuestion {
  const all = parts.flatMap(part => [...part.day])
  const day = (): string => utcDay(((all.length > 0 ? random.pick(all) : 0) + random.int(-2, 2)) * dayMs)
  return {
    symbol: 'X',
    adjust: random.pick(['none', 'split', 'all']),
    order: random.pick(['asc', 'desc']),
    ...(random.chance(0.4) ? { limit: random.pick([1, 2, 10, 5_000]) } : {}),
    ...(random.chance(0.4) ? { from: day() } : {}),
    ...(random.chance(0.4) ? { to: day() } : {}),
  } as EodQuestion
}

async function ask(context: ReleaseContext, question: EodQuestion): Promise<string> {
  return renderPayload(await buildEod(context, question), context.lake, null).payload.toString()
}

test(`odd prices, volumes, days, factors and parts have the bytes of the records: seed ${seed}`, async () => {
  const random = randomOf(seed, 'bars from columns')
  const look = { printed: 0 }
  let asked = 0
  for (let round = 0; round < 120; round += 1) {
    const own = caseOf(random)
    const tables = tablesOf(own)
    const [columns, rows] = [contextWith(modelOf(own, tables, true, look)), contextWith(modelOf(own, tables, false, look))]
    const questions = Array.from({ length: 4 }, () => questionOf(random, own))
    // All at once: the requests share the arrays of the columns and the buffers.
    const answers = await Promise.all(questions.map(question => ask(columns, question)))
    for (const [at, question] of questions.entries()) {
      const expected = await ask(rows, question)
      expect(answers[at], `round ${round}: ${JSON.stringify(question)}`).toBe(expected)
      expect(() => JSON.parse(expected)).not.toThrow()
      asked += 1
    }
  }
  expect(look.printed).toBeGreaterThan(asked / 2)
})

test('more bars than the shared arrays and buffers held before, and fewer after them, have the bytes of the records', async () => {
  const random = randomOf(seed, 'many bars')
  const look = { printed: 0 }
  for (const counts of [[4_096], [4_097], [3_000, 1, 6_000], [5], [9_000]]) {
    let next = -20_000
    const parts = counts.map(count => {
      const days = Array.from({ length: count }, (_, at) => next + at + 1)
      next += count
      return tableOf(random, days, true, ['as_traded', 'reconstructed'])
    })
    const own: Case = { parts, factors: [-19_990, 0, next].map(day => factorOf(random, day)), held: [] }
    const tables = tablesOf(own)
    const [columns, rows] = [contextWith(modelOf(own, tables, true, look)), contextWith(modelOf(own, tables, false, look))]
    for (const adjust of ['none', 'all'] as const) {
      const question = { symbol: 'X', adjust, order: 'desc' } as EodQuestion
      const [first, second] = await Promise.all([ask(columns, question), ask(columns, { ...question, order: 'asc' })])
      const [same, ascending] = [first === (await ask(rows, question)), second === (await ask(rows, { ...question, order: 'asc' }))]
      expect({ counts, adjust, same, ascending }).toEqual({ counts, adjust, same: true, ascending: true })
    }
  }
  expect(look.printed).toBe(20)
})
