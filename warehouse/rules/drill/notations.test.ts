// Notations of real releases that are easy to misread: which parts belong to which figure, and which are no results.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DrillInterpretRequest } from '#schemas/drill.ts'
import { type DrillRules, drillRules } from '../../rulesets/drill/rules.ts'
import { type EvaluatedTree, type Interpretation, interpretDrill } from './interpret.ts'
import { tokenize, withFractions } from './tokens.ts'

const read = (text: string, rules: DrillRules = drillRules): Interpretation => interpretDrill(DrillInterpretRequest.parse({ text }), rules)
const first = (text: string): EvaluatedTree => read(text).intervals[0] as EvaluatedTree
const grades = (text: string): string[] =>
  first(text).node.raw.grades.map(({ metal, value, unit, equivalent }) => `${value} ${unit} ${metal}${equivalent ? 'Eq' : ''}`)
const recoveries = (text: string): Record<string, string> =>
  Object.fromEntries(read(text).stated.recoveries.map(({ metal, percent }) => [metal, percent]))

describe('recoveries', () => {
  it.each([
    ['recoveries of 92% Au, 80% Ag and 88% Cu', { Au: '92', Ag: '80', Cu: '88' }],
    ['recoveries of 90% for gold and silver', { Au: '90', Ag: '90' }],
    ['a recovery of 85% for both gold and silver was assumed', { Au: '85', Ag: '85' }],
    ['gold and silver recoveries of 92% and 85%, respectively', { Au: '92', Ag: '85' }],
    ['gold and silver recoveries of 92%', { Au: '92', Ag: '92' }],
    ['gold, silver and copper recoveries of 92% and 85%', {}],
    ['recovery of gold 92%, silver 80%', { Au: '92', Ag: '80' }],
    ['metallurgical recoveries: 92% gold, silver 80%', { Au: '92', Ag: '80' }],
    ['US$29 per ounce silver and recoveries of 90%', {}],
    ['Recoveries were good. Hole A-26-01 returned 5.0 m at 2.1% Zn from 10 m.', {}],
    ['Core recovery was 98%.', {}],
  ])('%s', (text, expected) => {
    expect(recoveries(text)).toEqual(expected)
  })
  it('of all metals are of every metal', () => {
    expect(recoveries('recoveries of 95% for all metals')).toMatchObject({ Au: '95', Ag: '95', Cu: '95', Zn: '95' })
  })
  it('hide no figure that is none: the grade of a concentrate is listed as unread', () => {
    const { unread } = read('Recoveries were 78.5% Li2O at a concentrate grade of 5.7% Li2O.')
    expect(unread.map(each => each.reason)).toEqual(['grade_without_length'])
  })
  it('end with their sentence', () => {
    expect(grades('Recoveries averaged 91% gold. Hole A-26-01 returned 5.0 m at 2.1% Zn from 10 m.')).toEqual(['2.1 % Zn'])
  })
})

describe('formulas of equivalents', () => {
  it.each([
    ['AuEq = Au + Ag/80', '0.0125'],
    ['AuEq (g/t) = Au (g/t) + Ag (g/t) / 80', '0.0125'],
    ['AuEq = Au + (Ag x 0.0125)', '0.0125'],
    ['Gold equivalent is calculated as gold plus silver divided by 80', '0.0125'],
    ['AuEq was calculated as Au plus Ag times 0.0125', '0.0125'],
  ])('%s', (formula, factor) => {
    expect(read(`5.0 m @ 2.5 g/t AuEq (2.0 g/t Au, 40 g/t Ag). ${formula}.`).stated.factors).toEqual([
      expect.objectContaining({ primary: 'Au', metal: 'Ag', factor }),
    ])
  })
  it.each(['AuEq = Au + Ag/0', 'AuEq of silver as sold', 'AuEq is reported as a guide, Ag x 3'])('%s states none', text => {
    expect(read(text).stated.factors).toEqual([])
  })
})

describe('fractions', () => {
  const texts = (text: string): string[] => withFractions(tokenize(text)).map(token => token.text)
  it('of feet and ounces are one number', () => {
    expect(texts('5 1/2 feet')).toEqual(['5.5', 'feet'])
    expect(texts('over 3½ ft')).toEqual(['over', '3.5', 'ft'])
    expect(texts('1/4 oz, 12 15/16 inches')).toEqual(['0.25', 'oz', ',', '12.9375', 'inches'])
    expect(first('0.25 oz/ton gold over 5 1/2 feet').node.length).toBe('1.6764')
  })
  it('are none in a date, with another denominator, above one, or before anything else', () => {
    expect(texts('3/4/2026')).toEqual(['3', '/', '4', '/', '2026'])
    expect(texts('5 1/3 feet')).toEqual(['5', '1', '/', '3', 'feet'])
    expect(texts('5 3/2 feet')).toEqual(['5', '3', '/', '2', 'feet'])
    expect(texts('2 1/2 holes')).toEqual(['2', '1', '/', '2', 'holes'])
    expect(texts('10 g/t')).toEqual(['10', 'g', '/', 't'])
  })
})

describe('what a figure belongs to', () => {
  it('a depth in one sentence is no true width because the next one mentions true widths', () => {
    const { intervals, statement } = read(
      '18.4 m of 4.02 g/t gold from 301.6 m, with visible gold at 311.8 metres. True widths are estimated at 70-80% of drilled lengths.',
    )
    expect(intervals[0]?.node.raw.trueWidth).toBeNull()
    expect(statement.share).toMatchObject({ low: '70', high: '80' })
  })
  it('a true width is never longer than its interval', () => {
    const { intervals, unread } = read('Hole A-26-01: 5.0 m @ 2.0 g/t Au from 10 m (true width 50 m)')
    expect([intervals[0]?.node.raw.trueWidth, unread.map(each => each.detail)]).toEqual([null, ['a true width longer than the interval before it']])
  })
  it('a hole that only locates another one has no part in the results', () => {
    for (const where of ['150 m north of LR-26-61', '40 m below drill hole LR-26-61', 'down-dip of hole LR-26-61'])
      expect(first(`Hole LR-26-62, collared ${where}, intersected 12.0 m grading 4.4 g/t gold.`).node.raw.hole).toBe('LR-26-62')
    expect(first('Results of hole LR-26-61: 12.0 m grading 4.4 g/t gold').node.raw.hole).toBe('LR-26-61')
  })
  it('what an equivalent is comprised of are its components', () => {
    expect(grades('215 m averaging 0.9 g/t Au equivalent, comprised of 0.7 g/t Au and 16 g/t Ag, in LR-26-75')).toEqual([
      '0.9 g/t AuEq',
      '0.7 g/t Au',
      '16 g/t Ag',
    ])
  })
  it('a limit to which assays were cut is no assay', () => {
    const text = '53.0 m of 1.02 g/t Au uncut (0.88 g/t Au cut to 20 g/t) from 33 m'
    expect(grades(text)).toEqual(['1.02 g/t Au', '0.88 g/t Au'])
    expect(read(text).unread.map(each => each.reason)).toEqual(['top_cut'])
  })
  it('the depth of a hole is not where its interval begins', () => {
    const { intervals } = read('Hole A-26-01, drilled to a depth of 350 metres, cut 0.65 g/t gold over 142.5 metres starting at 12.0 metres.')
    expect(intervals.map(({ node }) => [node.length, node.from])).toEqual([['142.5', '12.0']])
    expect(first('5.0 m @ 2.0 g/t Au at a depth of 120 m').node.from).toBe('120')
  })
  it('trenches and channels are no drill results, a hole below a trench is one', () => {
    const { count, unread } = read('Trench TR-26-02 returned 24 m grading 1.1 g/t gold. Channel samples: 3.2 m of 14.5 g/t gold.')
    expect([count, unread.map(each => each.reason)]).toEqual([0, ['surface_sample', 'surface_sample']])
    expect(read('Below trench TR-26-02 drill hole A-26-01 returned 5.0 m @ 2.0 g/t Au from 10 m.').count).toBe(1)
    expect(read('Channel samples were taken. Hole A-26-01 returned 5.0 m @ 2.0 g/t Au from 10 m.').count).toBe(1)
  })
  it('one figure for several metals is that of their group, or of none', () => {
    expect(grades('5.0 m @ 0.88 g/t Pt+Pd from 10 m')).toEqual(['0.88 g/t PGE'])
    const { intervals, unread } = read('Hole A-26-01 returned 6.0 m of 9.4% Pb+Zn from 77.0 m.')
    expect([intervals, unread.map(each => each.reason)]).toEqual([[], ['sum']])
  })
  it('the same grade in another unit behind "or" is no second one', () => {
    expect(grades('6 m assaying 22.6 g/t AuEq or 0.66 opt AuEq from 300 to 306 m')).toEqual(['22.6 g/t AuEq'])
    expect(read('6 m assaying 22.6 g/t Au or 0.66 opt Au from 300 to 306 m').count).toBe(1)
  })
  it('a footnote digit is no part of the metal', () => {
    expect(grades('20.5 m grading 0.85% Cu and 0.12 g/t Au (1.02% CuEq1) from 50 m')).toContain('1.02 % CuEq')
  })
  it('a hole in brackets behind a result is its hole, and what it is compared with is no part of it', () => {
    const { intervals } = read('6.4 m at 11.2 g/t Au (hole C-26-77), compared with 5.9 m at 9.8 g/t Au in historical hole C-88-12.')
    expect(intervals.map(each => [each.node.raw.hole, each.node.length, each.parts.length])).toEqual([
      ['C-26-77', '6.4', 0],
      ['C-88-12', '5.9', 0],
    ])
  })
  it('a conversion may be between a figure and what it is of', () => {
    const text = '2.13 metres (7 ft) true width grading 17.5 g/t (0.51 oz/ton) gold and 1,028 g/t (30.0 oz/ton) silver from 283.5 metres'
    expect(grades(text)).toEqual(['17.5 g/t Au', '1028 g/t Ag'])
    expect(first(text).node.raw.isTrueWidth).toBe(true)
    expect(grades('7 m grading 0.51 oz/ton (17.5 g/t) gold')).toEqual(['0.51 oz/st Au'])
  })
  it('a conversion in brackets shows which ton is meant, if it fits one of the two', () => {
    expect(grades('3.05 m of 0.412 oz/ton gold (14.13 g/t)')).toEqual(['0.412 oz/st Au'])
    expect(grades('3.05 m of 0.412 oz/ton gold (12.81 g/t)')).toEqual(['0.412 oz/tonne Au'])
    expect(grades('3.05 m of 0.412 oz/ton gold (20 g/t)')).toEqual(['0.412 oz/t Au'])
  })
})

describe('tables', () => {
  const depths = (text: string): (string | null)[][] => read(text).intervals.map(({ node }) => [node.raw.hole, node.from, node.to, node.length])
  it.each([
    ['bars', 'Hole | Depth (m) | Length (m) | Cu (%)\nK-44 | 120.5-132.0 | 11.5 | 0.62\n'],
    ['tabs, with a word between', 'Hole\tFrom - To (m)\tCu (%)\nK-44\t120.5 to 132.0\t0.62\n'],
    ['one space', 'Hole Depth (m) Length (m) Cu (%)\nK-44 120.5-132.0 11.5 0.62\n'],
    ['the interval itself', '| Hole | Interval (m) | Cu (%) | Total depth (m) |\n| K-44 | 120.5-132.0 | 0.62 | 250 |\n'],
  ])('two depths in one cell, parted by %s', (_how, text) => {
    expect(depths(text)).toEqual([['K-44', '120.5', '132.0', '11.5']])
  })
  it('a note below a table is no row of it, however many figures it holds', () => {
    const table = 'Hole  From (m)  To (m)  Width (m)  Au g/t  Ag g/t  Cu %  CuEq %\nA-1  18.0  31.0  13.0  0.31  2.1  0.42  0.66\n'
    const note = '(1) CuEq assumes US$4.00/lb Cu, US$2,200/oz Au and US$27/oz Ag; recoveries of 88% Cu, 70% Au and 65% Ag.'
    expect(read(`${table}${note}`).intervals.map(each => each.node.raw.hole)).toEqual(['A-1'])
  })
  it('depths that run backwards are unread', () => {
    expect(read('Hole | Depth (m) | Cu (%)\nK-44 | 132.0-120.5 | 0.62\nK-45 | 10-20 | 0.3\n')).toMatchObject({
      count: 1,
      unread: [{ reason: 'table_row' }],
    })
  })
})

describe('Spanish', () => {
  it('is read as French is: decimal commas, metals and words', () => {
    const { intervals } = read(
      'El sondaje S-26-12 interceptó 12,5 metros con 3,2 g/t de oro y 85 g/t de plata desde 120,0 metros, incluyendo 2,0 m con 10,4 g/t de oro.',
    )
    expect(intervals.map(({ node, parts }) => [node.raw.hole, node.length, node.from, parts.map(part => part.node.length)])).toEqual([
      ['S-26-12', '12.5', '120.0', ['2.0']],
    ])
    expect(intervals[0]?.node.raw.grades.map(grade => `${grade.value} ${grade.metal}`)).toEqual(['3.2 Au', '85 Ag'])
  })
})

describe('limits', () => {
  it('a wider tolerance never raises a flag that a narrower one does not', () => {
    const share = fc.integer({ min: 1, max: 99 }).map(hundredths => `0.${String(hundredths).padStart(2, '0')}`)
    const tenths = (min: number, max: number) => fc.integer({ min, max }).map(value => (value / 10).toFixed(1))
    fc.assert(
      fc.property(share, share, tenths(20, 400), tenths(1, 19), tenths(10, 900), (a, b, length, part, high) => {
        const text = `Hole A-26-01 returned ${length} m @ 2.0 g/t Au from 10.0 to 40.0 m, including ${part} m @ ${high} g/t Au.`
        const flagged = (limits: Partial<DrillRules['limits']>): string[] =>
          read(text, { ...drillRules, limits: { ...drillRules.limits, ...limits } }).flags.map(flag => flag.code)
        const [low, up] = Number(a) <= Number(b) ? [a, b] : [b, a]
        const [strict, lax] = [
          { smear_share: low, smear_residual: up, interval_mismatch_metres: low, interval_mismatch_pct: low },
          { smear_share: up, smear_residual: low, interval_mismatch_metres: up, interval_mismatch_pct: up },
        ].map(flagged)
        for (const code of ['smearing_suspected', 'interval_mismatch']) if (lax?.includes(code)) expect(strict).toContain(code)
      }),
      { numRuns: 200, seed: 11 },
    )
  })
})

describe('depths say what is part of what', () => {
  it('where the end follows from the length, and whatever the words are', () => {
    const [whole] = read('34.0 m @ 1.8 g/t Au from 12 m; incl. 4.0 m @ 7.6 g/t Au from 20 m; and incl. 1.0 m @ 21.3 g/t Au from 22 m').intervals
    expect(whole?.parts.map(part => [part.node.length, part.parts.map(each => each.node.length)])).toEqual([['4.0', ['1.0']]])
    const [other] = read('34.0 m @ 1.8 g/t Au from 12 m; incl. 4.0 m @ 7.6 g/t Au from 20 m; and incl. 1.0 m @ 21.3 g/t Au from 30 m').intervals
    expect(other?.parts.map(part => part.node.length)).toEqual(['4.0', '1.0'])
  })
})
