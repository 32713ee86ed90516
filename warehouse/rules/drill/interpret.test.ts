// Worked examples of drill results, each flag with a text that raises it and one that does not, and properties of every text.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textTable } from '#fixtures/text-table.ts'
import { compareDecimals } from '#schemas/decimals.ts'
import { DrillInterpretRequest, depositTypes } from '#schemas/drill.ts'
import { BadRequest } from '#schemas/errors.ts'
import { drillRules } from '../../rulesets/drill/rules.ts'
import { trueWidth } from './derive.ts'
import { deckOf, equivalentFactor } from './equivalents.ts'
import { type EvaluatedTree, type Interpretation, interpretDrill } from './interpret.ts'
import type { Grade } from './types.ts'
import { metresOf, normalGrade } from './units.ts'

type Query = Partial<{ deposit_type: string; intervals: readonly object[] }>
const read = (text: string, requested: Query = {}): Interpretation => interpretDrill(DrillInterpretRequest.parse({ text, ...requested }), drillRules)
const first = (text: string, requested: Query = {}): EvaluatedTree => read(text, requested).intervals[0] as EvaluatedTree
const codes = (text: string, requested: Query = {}): string[] => read(text, requested).flags.map(flag => flag.code)

describe('the vectors', () => {
  it('grade-thickness of 12.5 m at 3.2 g/t is 40 gram-metres, by the core length', () => {
    expect(first('12.5 m @ 3.2 g/t Au from 120 m').thickness).toEqual([
      { metal: 'Au', value: '40', unit: 'g*m', basis: 'core_length', reading: 'follow-up' },
    ])
    expect(first('12.5 m @ 3.2 g/t Au (10 m true width)').thickness[0]).toMatchObject({ value: '32', basis: 'true_width' })
  })
  it.each([
    ['20 m @ 8 g/t Au incl. 1 m @ 140 g/t Au', '1.0526', '0.875', true],
    ['12.5 m @ 3.2 g/t Au incl. 2 m @ 10 g/t Au', '1.9048', '0.5', true],
    ['10 m @ 2 g/t Au incl. 1 m @ 25 g/t Au', '-0.5556', '1.25', false],
  ])('%s leaves %s g/t, share %s', (text, grade, share, consistent) => {
    expect(first(text).residuals).toEqual([expect.objectContaining({ metal: 'Au', grade, share, consistent })])
    expect(codes(text).includes('arithmetic_inconsistent')).toBe(!consistent)
  })
  it('the factors of gold, silver and molybdenum in copper, at equal recoveries', () => {
    const text = 'Cu at US$4.50/lb, Au at US$3,375/oz, Ag at US$60/oz, Mo at US$25/lb'
    const deck = deckOf(read(text).stated, drillRules)
    const factor = (metal: string): number => Number(equivalentFactor('Cu', metal, deck, drillRules))
    expect(factor('Au')).toBeCloseTo(1.09375, 5)
    expect(factor('Ag')).toBeCloseTo(0.019444, 6)
    expect(factor('Mo') / 10_000).toBeCloseTo(0.0005556, 7)
  })
  it('AuEq of gold, silver and copper at stated prices and recoveries is 3.0483 g/t', () => {
    const text =
      '5 m @ 2.1 g/t Au, 45 g/t Ag and 0.35% Cu. Prices: US$2,000/oz gold, US$25/oz silver, US$4.00/lb copper; recoveries of 92% Au, 80% Ag and 88% Cu.'
    const { intervals, deck, flags } = read(text)
    expect(intervals[0]?.equivalents).toEqual([expect.objectContaining({ metal: 'AuEq', value: '3.0483', basis: 'prices_of_text', left_out: [] })])
    expect(Number(equivalentFactor('Au', 'Ag', deck, drillRules)).toFixed(6)).toBe('0.010870')
    expect(Number(equivalentFactor('Au', 'Cu', deck, drillRules)).toFixed(6)).toBe('1.311801')
    expect(flags.map(flag => flag.code)).not.toContain('recovery_assumed_100')
  })
  it('the true width follows from the angle between core axis and plane', () => {
    expect([trueWidth('10', '30'), trueWidth('10.0', '90'), trueWidth('10', '60')]).toEqual(['5', '10', '8.6603'])
  })
  it.each(textTable`
    3.2   | g/t      | 3.2
    3.2   | ppm      | 3.2
    3200  | ppb      | 3.2
    0.1   | opt      | 3.42857
    0.1   | oz/st    | 3.42857
    0.1   | oz/tonne | 3.11035
    0.001 | %        | 10
    0.002 | kg/t     | 2
  `)('%s %s of gold is %s g/t', (value, unit, normal) => {
    const grade = { metal: 'Au', value, unit, qualifier: null, equivalent: false, capped: false, span: { start: 0, end: 0 } } as Grade
    expect(normalGrade(grade, 'm', drillRules)).toEqual({ value: normal, unit: 'g/t' })
  })
  it('a pound of U3O8 a short ton is 0.05 percent, a foot 0.3048 m', () => {
    const grade: Grade = { metal: 'U3O8', value: '1', unit: 'lb/st', qualifier: null, equivalent: false, capped: false, span: { start: 0, end: 0 } }
    expect(normalGrade(grade, 'ft', drillRules)).toEqual({ value: '0.05', unit: '%' })
    expect(metresOf({ value: '41.0', unit: 'ft', span: { start: 0, end: 0 } }, drillRules)).toBe('12.4968')
  })
  it('ounces per ton are short tons next to feet, and ignored next to metres', () => {
    expect(first('10 ft @ 0.1 oz/ton Au').thickness[0]?.value).toBe('10.45028136')
    expect(first('10 m @ 0.1 oz/ton Au').thickness).toEqual([])
  })
})

describe('grade bands', () => {
  it.each(drillRules.bands.map(band => [band.deposit_type, band] as const))(
    '%s: a lower bound belongs to the band, the highest one to the band below',
    (type, band) => {
      const metal = band.metals[0] as string
      const evaluate = (grade: string) =>
        first(
          `5.0 m @ ${grade}${band.unit === '%' ? '%' : ' g/t'} ${band.sum[0] ?? metal}${band.sum[1] ? ` and 0.0% ${band.sum[1]}` : ''} from 50 m`,
          { deposit_type: type },
        ).band.band
      expect([evaluate('0.0001'), evaluate(band.low), evaluate(band.moderate), evaluate(band.high), evaluate(`${Number(band.high) + 0.01}`)]).toEqual(
        ['low', 'moderate', 'high', 'high', 'very_high'],
      )
    },
  )
  it('chooses by depth if no type is named, and gives no band if the types differ and no depth is given', () => {
    expect(first('5.0 m @ 4.0 g/t Au from 199.9 m').band).toMatchObject({ deposit_type: 'open_pit_gold', band: 'very_high' })
    expect(first('5.0 m @ 4.0 g/t Au from 200.0 m').band).toMatchObject({ deposit_type: 'underground_gold', band: 'moderate' })
    expect(first('5.0 m @ 4.0 g/t Au').band).toMatchObject({ band: null, reason: expect.stringContaining('no depth') })
    expect(first('5.0 m @ 40.0 g/t Au').band.band).toBe('very_high')
    expect(first('5.0 m @ 4.0% Zn from 10 m').band).toMatchObject({ band: null, reason: expect.stringContaining('no grade of Au') })
  })
  it('has rules for every deposit type that may be named', () => {
    expect(['default', ...drillRules.bands.map(band => band.deposit_type)].sort()).toEqual([...depositTypes].sort())
  })
})

const sound =
  'Jane Roe, P.Geo., is the Qualified Person. QA/QC: standards and blanks. Assays by an accredited laboratory. Collar, azimuth and dip in the table. True widths are unknown. Uncut.'
/** A text that raises a flag, and the same text corrected. */
const raised: Readonly<Record<string, readonly [string, string, string?]>> = {
  no_from_to: ['5.0 m @ 2.0 g/t Au', '5.0 m @ 2.0 g/t Au from 10.0 m'],
  interval_mismatch: ['5.0 m @ 2.0 g/t Au from 10.0 to 15.2 m', '5.0 m @ 2.0 g/t Au from 10.0 to 15.1 m'],
  sub_interval_exceeds_parent: ['5.0 m @ 2.0 g/t Au from 10.0 m incl. 6.0 m @ 3.0 g/t Au', '5.0 m @ 2.0 g/t Au from 10.0 m incl. 4.0 m @ 2.2 g/t Au'],
  sub_grade_below_parent: ['5.0 m @ 2.0 g/t Au incl. 1.0 m @ 1.9 g/t Au', '5.0 m @ 2.0 g/t Au incl. 1.0 m @ 2.0 g/t Au'],
  arithmetic_inconsistent: ['5.0 m @ 2.0 g/t Au incl. 4.0 m @ 3.0 g/t Au', '5.0 m @ 2.0 g/t Au incl. 4.0 m @ 2.5 g/t Au'],
  smearing_suspected: ['20.0 m @ 8.0 g/t Au incl. 1.0 m @ 140.0 g/t Au', '20.0 m @ 8.0 g/t Au incl. 1.0 m @ 40.0 g/t Au'],
  narrow_high_grade: ['0.9 m @ 40.0 g/t Au', '1.0 m @ 40.0 g/t Au'],
  true_width_missing: ['5.0 m @ 2.0 g/t Au', '5.0 m @ 2.0 g/t Au. True widths are not known.'],
  top_cut_not_stated: ['5.0 m @ 40.0 g/t Au', '5.0 m @ 40.0 g/t Au. Assays were not capped.'],
  qaqc_missing: ['5.0 m @ 2.0 g/t Au', '5.0 m @ 2.0 g/t Au. Certified reference standards were inserted: QA/QC.'],
  qp_missing: ['5.0 m @ 2.0 g/t Au. A qualified person approved this.', '5.0 m @ 2.0 g/t Au. Jane Roe, P.Geo., is the qualified person.'],
  lab_missing: ['5.0 m @ 2.0 g/t Au', '5.0 m @ 2.0 g/t Au, assayed at the laboratory.'],
  hole_location_missing: ['5.0 m @ 2.0 g/t Au', '5.0 m @ 2.0 g/t Au. Azimuth 270, dip -60.'],
  equivalent_without_components: ['5.0 m @ 2.0 g/t AuEq', '5.0 m @ 2.0 g/t AuEq (1.0 g/t Au, 60 g/t Ag)'],
  equivalent_no_assumptions: ['5.0 m @ 2.0 g/t AuEq', '5.0 m @ 2.0 g/t AuEq at US$2,000/oz gold.'],
  gross_value_language: ['5.0 m @ 2.0 g/t Au, an in-situ value of $300 per tonne', '5.0 m @ 2.0 g/t Au in situ'],
  historical_or_visual: ['Historic drill hole H-12: 5.0 m @ 2.0 g/t Au', 'A historic district: hole H-12: 5.0 m @ 2.0 g/t Au'],
  selective_reporting: ['5.0 m @ 2.0 g/t Au. Assays are pending.', '5.0 m @ 2.0 g/t Au. All assays are in.'],
  unit_ambiguous: ['5.0 m @ 0.2 oz/t Au', '5.0 ft @ 0.2 oz/t Au'],
  recovery_assumed_100: ['5.0 m @ 2.0 g/t Au and 50 g/t Ag', '5.0 m @ 2.0 g/t Au and 50 g/t Ag, recoveries of 90% Au and 80% Ag'],
  equivalent_mismatch: [
    '5.0 m @ 3.3 g/t AuEq (2.0 g/t Au, 100 g/t Ag). AuEq = Au + Ag x 0.011',
    '5.0 m @ 3.1 g/t AuEq (2.0 g/t Au, 100 g/t Ag). AuEq = Au + Ag x 0.011',
  ],
}
describe('flags', () => {
  it.each(Object.entries(raised))('%s', (code, [text, mended]) => {
    const flag = read(text).flags.find(each => each.code === code)
    expect(flag).toMatchObject({
      code,
      severity: drillRules.flags.find(each => each.code === code)?.severity,
      explanation: expect.stringMatching(/\w/),
    })
    expect(codes(mended)).not.toContain(code)
  })
  it('every flag of the rules is tried here', () => {
    expect([...Object.keys(raised), 'text_intervals_disagree'].sort()).toEqual(drillRules.flags.map(flag => flag.code).sort())
  })
  it('show where in the text they arise', () => {
    const text = `Results. 20.0 m @ 8.0 g/t Au from 5.0 m incl. 1.0 m @ 140.0 g/t Au from 7.0 m. ${sound}`
    const [flag] = read(text).flags
    expect(flag?.code).toBe('smearing_suspected')
    expect(flag?.evidence.map(({ start, end }) => text.slice(start, end))).toEqual(['20.0 m @ 8.0 g/t Au from 5.0', '1.0 m @ 140.0 g/t Au from 7.0'])
  })
  it('of a text without fault there are none', () => {
    expect(codes(`Hole A-26-01 returned 5.0 m @ 2.0 g/t Au from 10.0 to 15.0 m. ${sound}`)).toEqual([])
  })
  it('nothing of a text is missing where there is no text', () => {
    const { flags, checklist } = read('', { intervals: [{ hole: 'A-1', from: 10, to: 15, true_width: 4, au_gpt: 2 }] })
    expect(flags).toEqual([])
    expect(checklist.filter(item => item.status === 'missing').map(item => item.item)).toEqual(['higher_grade_parts'])
  })
})

describe('given intervals', () => {
  const text = 'Hole A-26-01 returned 12.5 m @ 3.2 g/t Au from 120.0 to 132.5 m, including 2.0 m @ 10.0 g/t Au from 124.0 m.'
  it('are evaluated as those of a text are, with their parts', () => {
    const given = read('', {
      intervals: [{ from: 120, to: 132.5, grades: [{ metal: 'gold', value: '3.20' }], including: [{ length: 2, au_gpt: 10 }] }],
    })
    expect(given.count).toBe(2)
    expect(given.intervals[0]).toMatchObject({ origin: 'intervals', residuals: [expect.objectContaining({ grade: '1.9048' })] })
  })
  it('agree with the text where they say the same, and are not counted twice', () => {
    const both = read(text, {
      intervals: [{ hole: 'a-26-01', from: 120, to: 132.5, au_gpt: 3.2, including: [{ from: 124, length: 2, au_gpt: 10 }] }],
    })
    expect([both.count, both.disagreements, both.intervals[0]?.origin, both.intervals[0]?.parts[0]?.origin]).toEqual([2, [], 'both', 'both'])
  })
  it('are kept separate if they do not', () => {
    const other = read(text, {
      intervals: [
        { from: 120, to: 132.5, au_gpt: 3.4 },
        { from: 200, to: 205, au_gpt: 1 },
      ],
    })
    expect(other.disagreements).toEqual([
      { given: 'intervals.0', interval_ref: '1', field: 'Au', given_value: '3.4', text_value: '3.2' },
      { given: 'intervals.1', interval_ref: '2', field: 'interval', given_value: '5 m', text_value: null },
    ])
    expect(other.flags.filter(flag => flag.code === 'text_intervals_disagree')).toHaveLength(2)
  })
  it('may be in feet, and name metals and units in their usual ways', () => {
    const feet = read('', { intervals: [{ from_ft: 100, to_ft: 120, au_opt: 0.105, mo_ppm: 180, cueq_pct: 0.5, note: 'x' }] })
    expect(feet.intervals[0]?.node.length).toBe('6.096')
    expect(feet.intervals[0]?.node.raw.grades.map(({ metal, unit, equivalent }) => `${metal} ${unit} ${equivalent}`)).toEqual([
      'Au opt false',
      'Mo ppm false',
      'Cu % true',
    ])
    expect(feet.unread).toEqual([{ reason: 'member', span: null, detail: 'intervals.0.note is no member that is read' }])
  })
  it.each([
    [{ from: 10, to: 5, au_gpt: 1 }, 'intervals.0.to'],
    [{ length: -1, au_gpt: 1 }, 'intervals.0.length'],
    [{ length: 0, au_gpt: 1 }, 'intervals.0.length'],
    [{ length: 'ten', au_gpt: 1 }, 'intervals.0.length'],
    [{ length: 5 }, 'intervals.0'],
    [{ au_gpt: 5 }, 'intervals.0'],
    [{ length: 5, cu_pct: 101 }, 'intervals.0.cu_pct'],
    [{ length: 5, grades: [{ metal: 'Xx', value: 1 }] }, 'intervals.0.grades.0.metal'],
    [{ length: 5, grades: [{ metal: 'Au', value: 1, unit: 'stone' }] }, 'intervals.0.grades.0.unit'],
    [{ length: 5, au_gpt: 1, including: 'none' }, 'intervals.0.including'],
    [{ length: 5, au_gpt: 1, unit: 'yards' }, 'intervals.0.unit'],
    [{ length: 5, au_gpt: Number.POSITIVE_INFINITY }, 'intervals.0.au_gpt'],
  ])('%j is refused at %s', (interval, path) => {
    expect(() => read('', { intervals: [interval] })).toThrow(BadRequest)
    expect(() => read('', { intervals: [interval] })).toThrow(
      expect.objectContaining({ status: 422, hint: expect.stringContaining(`body.${path}:`) }),
    )
  })
})

describe('for every text', () => {
  const size = 32 * 1024
  const hostile = [
    '1',
    '1 ',
    '1,',
    '1.',
    '1 234 ',
    'a-',
    'a1-',
    '(',
    '"',
    "'",
    '|',
    '\t',
    '\n',
    ' ',
    'from ',
    'from 1 to ',
    'including ',
    'and ',
    'hole ',
    'hole A-12 ',
    'true width ',
    '70% of core true ',
    'AuEq = ',
    '$2,000/oz gold ',
    'recovery 92% Au ',
    '1m@1g/t incl ',
    '3 g/t Au, ',
    'From To Interval Au (g/t)\n',
    'From\nTo\nInterval\nAu (g/t)\n',
    '1 2 3 4 5\n',
    'qualified person ',
    'lab',
    '😀',
    'İ',
    '\ud800',
    '\u0000',
  ]
  it.each(hostile)('%j without end is read to its end', unit => {
    const text = unit.repeat(Math.ceil(size / unit.length))
    const result = read(text)
    expect(result.count).toBeLessThanOrEqual(2000)
    for (const { evidence } of result.flags) for (const { start, end } of evidence) expect(start < end && end <= text.length).toBe(true)
  })
  const words = fc.constantFrom(
    'm',
    '@',
    'g/t',
    'Au',
    'Ag',
    '%',
    'Cu',
    'CuEq',
    'from',
    'to',
    'incl.',
    'and',
    'over',
    'of',
    'true width',
    'hole',
    'DDH-21-005',
    ',',
    '.',
    '(',
    ')',
    '\n',
    '\t',
    '|',
    ';',
    'oz/t',
    'ft',
    '-',
    '3.2',
    '12.5',
    '120',
    '0',
    '1,250',
    'within',
    'à',
    'sur',
    '<',
    '~',
  )
  it('words of releases in any order are read without an error, and no amount is negative', () => {
    fc.assert(
      fc.property(fc.array(words, { maxLength: 60 }), parts => {
        const text = parts.join(' ')
        const look = (trees: readonly EvaluatedTree[]): void => {
          for (const tree of trees) {
            for (const { value } of [...tree.thickness, ...tree.equivalents]) expect(value.startsWith('-')).toBe(false)
            expect(compareDecimals(tree.node.length, '0')).toBeGreaterThanOrEqual(0)
            look(tree.parts)
          }
        }
        look(read(text).intervals)
      }),
      { numRuns: 1000, seed: 7 },
    )
  })
  const tenths = (min: number, max: number) => fc.integer({ min, max }).map(value => (value / 10).toFixed(1))
  it('a part never raises the grade of its whole: neither what is read of it nor what is left', () => {
    fc.assert(
      fc.property(tenths(20, 900), tenths(1, 400), tenths(1, 19), tenths(1, 4000), (length, grade, part, high) => {
        const whole = `Hole A-26-01 returned ${length} m @ ${grade} g/t Au from 10.0 m`
        const alone = first(`${whole}.`)
        const parted = first(`${whole}, including ${part} m @ ${high} g/t Au.`)
        expect(parted.node.raw.grades).toEqual(alone.node.raw.grades)
        expect(parted.thickness).toEqual(alone.thickness)
        const left = parted.residuals[0]?.grade
        if (compareDecimals(high, grade) >= 0) expect(compareDecimals(String(left), grade)).toBeLessThanOrEqual(0)
      }),
      { numRuns: 300, seed: 8 },
    )
  })
  it('what is written in one notation reads as in any other', () => {
    const notations: readonly ((l: string, g: string, f: string) => string)[] = [
      (l, g, f) => `${l} m @ ${g} g/t Au from ${f} m`,
      (l, g, f) => `${l} metres grading ${g} grams per tonne gold, starting at ${f} metres`,
      (l, g, f) => `${g} g/t Au over ${l} m from ${f} m`,
      (l, g, f) => `${l}m@${g}g/t Au from ${f}m`,
      (l, g, f) => `from ${f} m, ${l} m averaging ${g} gpt gold`,
      (l, g, f) => `${l.replace('.', ',')} m à ${g.replace('.', ',')} g/t d'or à partir de ${f.replace('.', ',')} m`,
    ]
    fc.assert(
      fc.property(tenths(1, 999), tenths(1, 9999), tenths(1, 9999), (length, grade, from) => {
        for (const notation of notations) {
          const { node } = first(notation(length, grade, from))
          expect([node.length, node.from, node.raw.grades.map(each => `${each.value} ${each.unit} ${each.metal}`)]).toEqual([
            length,
            from,
            [`${grade} g/t Au`],
          ])
        }
      }),
      { numRuns: 200, seed: 9 },
    )
  })
})
