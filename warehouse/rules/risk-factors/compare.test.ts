import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffRules } from '../../rulesets/rfdiff/rules.ts'
import type { FactorSide, FactorText } from './align.ts'
import { hungarian } from './assign.ts'
import { type ChangeClass, compareFactors } from './compare.ts'
import { idsOfChain } from './ids.ts'
import { sentencesOf } from './sentences.ts'
import { candidatePairs, jaccard, signatureOf } from './shingles.ts'
import { ownNames, wordsOfFactor } from './words.ts'

const vocabulary =
  'battery plant supplier tariff insurer flood engineer customer order price loan lender dividend model regulator province claim software intruder river'.split(
    ' ',
  )
const factors = fc.array(
  fc.record({
    group: fc.constantFrom(null, 'Risks Related to Our Business', 'Financial Risks'),
    heading: fc.array(fc.constantFrom(...vocabulary), { minLength: 3, maxLength: 8 }).map(words => words.join(' ')),
    body: fc.array(fc.constantFrom(...vocabulary, 'may', '12', '2024', '$4.1'), { minLength: 6, maxLength: 60 }).map(words => words.join(' ')),
  }),
  { maxLength: 9 },
)
const side = (all: readonly FactorText[], company: string | null = null): FactorSide => ({ company, factors: all })
const factor = (heading: string, body: string, group: string | null = null): FactorText => ({ heading, body, group })
const opposite: Partial<Record<ChangeClass, ChangeClass>> = { new: 'removed', removed: 'new', split: 'merged', merged: 'split' }

describe('factors of two filings', () => {
  it('a filing compared with itself is unchanged, every factor paired with itself', () => {
    fc.assert(
      fc.property(factors, all => {
        const { changes, reading_order_change } = compareFactors(side(all), side(all), diffRules)
        expect(changes.map(change => [change.class, change.same_text, change.moved])).toEqual(all.map(() => ['unchanged', true, false]))
        for (const change of changes) {
          const [before, after] = [all[change.old[0] as number], all[change.new[0] as number]]
          expect([before?.heading, before?.body]).toEqual([after?.heading, after?.body])
        }
        expect(reading_order_change).toBe(0)
      }),
    )
  })
  it('every factor of either filing is in exactly one change', () => {
    fc.assert(
      fc.property(factors, factors, (old, recent) => {
        const { changes } = compareFactors(side(old), side(recent), diffRules)
        expect(changes.flatMap(change => change.old).sort((a, b) => a - b)).toEqual(old.map((_, at) => at))
        expect(changes.flatMap(change => change.new).sort((a, b) => a - b)).toEqual(recent.map((_, at) => at))
      }),
    )
  })
  it('the other direction is the mirror image', () => {
    fc.assert(
      fc.property(factors, factors, (old, recent) => {
        const there = compareFactors(side(old), side(recent), diffRules)
        const back = compareFactors(side(recent), side(old), diffRules)
        const seen = (changes: typeof there.changes) =>
          changes.map(change => JSON.stringify([change.class, change.old, change.new, change.similarity])).sort()
        const mirrored = back.changes.map(change => ({ ...change, class: opposite[change.class] ?? change.class, old: change.new, new: change.old }))
        expect(seen(there.changes)).toEqual(seen(mirrored))
        expect(back.reading_order_change).toBe(there.reading_order_change)
      }),
    )
  })
  it('what is only reordered is unchanged or moved', () => {
    const distinct = fc.uniqueArray(fc.integer({ min: 0, max: 99 }), { minLength: 2, maxLength: 12 })
    fc.assert(
      fc.property(distinct, fc.infiniteStream(fc.nat()), (numbers, random) => {
        const all = numbers.map(number => factor(`heading word${number}`, Array.from({ length: 50 }, (_, at) => `w${number}x${at}`).join(' ')))
        const shuffled = all
          .map(each => [random.next().value as number, each] as const)
          .sort((a, b) => a[0] - b[0])
          .map(([, each]) => each)
        const { changes } = compareFactors(side(all), side(shuffled), diffRules)
        expect(changes.every(change => change.class === 'unchanged' || change.class === 'moved')).toBe(true)
        expect(changes.every(change => change.same_text)).toBe(true)
      }),
    )
  })
  it('a factor between 0.30 and 0.40 is rewritten, below it is removed and new', () => {
    const words = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}${at}`).join(' ')
    const old = factor('our plant may stop', `${words('kept', 30)} ${words('old', 50)}`)
    const near = factor('our plant may stop', `${words('kept', 30)} ${words('new', 50)}`)
    const far = factor('something else entirely', words('new', 80))
    const classes = (a: FactorText, b: FactorText) => compareFactors(side([a]), side([b]), diffRules).changes.map(change => change.class)
    expect(classes(old, near)).toEqual(['rewritten'])
    expect(classes(old, far).sort()).toEqual(['new', 'removed'])
  })
  it('a filer that changes its name, its fiscal year and its dates is unchanged; an amount is another thing', () => {
    const old = factor('We may fail', 'As of January 28, 2024 Northferry Storage had 40 plants. In fiscal 2024 it spent $5.1 million on page 12.')
    const renamed = factor('We may fail', 'As of January 26, 2025 Ferrywell had 40 plants. In fiscal year 2025 it spent $5.1 million on page 14.')
    const richer = { ...renamed, body: renamed.body.replace('$5.1', '$7') }
    const against = (recent: FactorText) =>
      compareFactors(side([old], 'NORTHFERRY STORAGE CORP'), side([recent], 'Ferrywell, Inc.'), diffRules).changes[0]
    expect(against({ ...renamed, body: renamed.body.replace('fiscal year', 'fiscal') })).toMatchObject({ class: 'unchanged', same_text: true })
    expect(against(richer)).toMatchObject({ class: 'numbers_only', numbers: [{ old: '$5.1', new: '$7' }] })
  })
})

describe('words of a factor', () => {
  it.each([
    ['On March 3, 2024 and in May 2023', ['on', '<date>', 'and', 'in', '<date>']],
    ['we may 5 times', ['we', 'may', '<num>', 'times']],
    ['during fiscal 2024 and FY25, 2023-2024', ['during', '<date>', 'and', '<date>', '<date>']],
    ['$2,019.50 of 2019 or 12.5%', ['<num>', 'of', '<date>', 'or', '<num>']],
    ['H20 chips, the Company’s', ['h20', 'chips', '<self>', 's']],
  ])('%s', (text, masked) => {
    expect(wordsOfFactor(text, ownNames(null)).masked).toEqual(masked)
  })
})

describe('ids across years', () => {
  const body = (name: string) => Array.from({ length: 60 }, (_, at) => `${name}${at}`).join(' ')
  const filing = (accession: string, ...names: string[]) => ({
    cik: '0000990501',
    accession,
    company: null,
    factors: names.map(name => factor(`heading ${name}`, body(name))),
  })
  it('a factor keeps the id of its first appearance wherever it is later, and after a year of absence is a new one', () => {
    const chain = [
      filing('a-1', 'flood', 'loan'),
      filing('a-2', 'tariff', 'flood', 'loan'),
      filing('a-3', 'tariff', 'flood'),
      filing('a-4', 'loan', 'flood'),
    ]
    const [first, second, third, fourth] = idsOfChain(chain, diffRules) as [string[], string[], string[], string[]]
    expect(second.slice(1)).toEqual(first)
    expect(third).toEqual(second.slice(0, 2))
    expect(fourth[1]).toBe(first[0])
    expect(fourth[0]).not.toBe(first[1])
    expect(new Set([...first, ...second, ...third, ...fourth]).size).toBe(4)
    for (const id of first) expect(id).toMatch(/^rf_[0-9a-f]{16}$/)
  })
  it('later filings change no id of earlier ones', () => {
    const chain = [filing('a-1', 'flood', 'loan'), filing('a-2', 'loan', 'tariff')]
    expect(idsOfChain([...chain, filing('a-3', 'tariff')], diffRules).slice(0, 2)).toEqual(idsOfChain(chain, diffRules))
  })
})

describe('tools', () => {
  it('the assignment has the least sum of all', () => {
    const matrix = fc
      .integer({ min: 1, max: 5 })
      .chain(size => fc.array(fc.integer({ min: 0, max: 50 }), { minLength: size * size, maxLength: size * size }))
    const least = (cost: readonly number[], size: number, row = 0, used = 0): number =>
      row === size
        ? 0
        : Math.min(
            ...Array.from({ length: size }, (_, at) =>
              (used >> at) & 1 ? Number.POSITIVE_INFINITY : (cost[row * size + at] as number) + least(cost, size, row + 1, used | (1 << at)),
            ),
          )
    fc.assert(
      fc.property(matrix, cost => {
        const size = Math.sqrt(cost.length)
        const columns = hungarian(Float64Array.from(cost), size)
        expect([...columns].sort()).toEqual(Array.from({ length: size }, (_, at) => at))
        expect(columns.reduce((sum, column, row) => sum + (cost[row * size + column] as number), 0)).toBe(least(cost, size))
      }),
    )
  })
  it('pairs of Jaccard 0.3 are candidates with a probability of 0.95 and more', () => {
    let found = 0
    for (let trial = 0; trial < 400; trial += 1) {
      const [shared, own] = [60, 70]
      const numbers = (from: number, count: number) =>
        Array.from({ length: count }, (_, at) => Math.imul(trial * 1000 + from + at + 1, 0x9e3779b1) >>> 0)
      const [a, b] = [
        [...numbers(0, shared), ...numbers(200, own)],
        [...numbers(0, shared), ...numbers(400, own)],
      ].map(each => Uint32Array.from(each).sort()) as [Uint32Array, Uint32Array]
      expect(jaccard(a, b)).toBeCloseTo(0.3, 10)
      const [left, right] = [a, b].map(each => signatureOf(each, diffRules.permutations, diffRules.seed)) as [Int32Array, Int32Array]
      found += candidatePairs([left], [right], diffRules).length
    }
    expect(found / 400).toBeGreaterThanOrEqual(0.95)
  })
  it('a sentence ends at a stop and a blank, has six words, and no running head in it', () => {
    const text =
      'Our U.S. plant may stop for many weeks. Too short here. Table of Contents We may lose U.S.-based orders in May; that hurts us all very much: so be it.'
    expect(sentencesOf(text)).toEqual(['plant may stop for many weeks', 'we may lose usbased orders in may', 'that hurts us all very much'])
  })
})
