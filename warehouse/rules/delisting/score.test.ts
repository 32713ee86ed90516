import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decimalOf, over, ratioOf } from '../../datasets/prices/ratio.ts'
import { type DelistingRules, delistingRules } from '../../rulesets/delisting/rules.ts'
import type { DelistingAssessment } from './evaluate.ts'
import { closesOf, evaluated, statusesOf, usd } from './fakes.ts'

describe('the score', () => {
  const score = (verdict: DelistingAssessment): number => Number(verdict.score.score)
  it('has every part, those that are unknown too, and states how much of the weights is known', () => {
    const { score: found } = evaluated({ press_release_text: 'delisting' })
    expect(found.parts.map(({ weight }) => weight).reduce((sum, each) => sum + each)).toBe(100)
    // Structure (5, nothing) and the words (10, two fifths of it) are known.
    expect(found).toMatchObject({ score: '26.7', coverage_pct: '15', sufficient: false })
    expect(found.parts.filter(({ status }) => status === 'unknown').map(({ component }) => component)).toEqual([
      'price',
      'standards',
      'reverse_splits',
      'distribution',
      'filings',
      'auditor',
    ])
  })
  it('is none where only what the request left unsaid is known', () => {
    expect(evaluated({}).score).toMatchObject({ score: null, coverage_pct: '5', sufficient: false })
    expect(evaluated({ is_shell_company: true }).score.score).toBe('100')
    expect(evaluated({ press_release_text: 'Drilling began.' }).score.score).toBe('0')
  })
  it('rises with what fails', () => {
    const fine = evaluated({}, { closes: closesOf('5', 60), filings: [] })
    const low = evaluated({}, { closes: [...closesOf('5', 60), '0.9'], filings: [] })
    const deficient = evaluated({}, { closes: [...closesOf('5', 60), ...closesOf('0.9', 30)], filings: [] })
    expect([score(fine), score(low) > score(fine), score(deficient) > score(low)]).toEqual([0, true, true])
  })
  const closes: fc.Arbitrary<(string | null)[]> = fc.array(
    fc.constantFrom<string | null>('0.05', '0.10', '0.50', '0.99', '1.00', '1.01', '4.00', null),
    { minLength: 1, maxLength: 90 },
  )
  const figures = fc.record({
    closes,
    total_shares: fc.constantFrom<number>(0, 400_000, 600_000, 1_200_000, 60_000_000),
    equity: fc.constantFrom(null, '-1', '2500000', '10000000', '60000000'),
    exchange: fc.constantFrom('NASDAQ', 'NASDAQGM', 'NASDAQCM', 'NYSE', 'NYSE American'),
    text: fc.constantFrom('', 'It may delist.', 'A deficiency and a going concern.', 'Form 25'),
    auditor: fc.constantFrom('US', 'CN'),
    flagged: fc.boolean(),
  })
  type Figures = typeof figures extends fc.Arbitrary<infer F> ? F : never
  const made = (
    { closes, total_shares, equity, exchange, text, auditor, flagged }: Figures,
    more: { text?: string; closes?: Figures['closes']; equity?: string; rules?: DelistingRules } = {},
  ) =>
    evaluated(
      {
        exchange,
        total_shares,
        insider_shares: total_shares === 0 ? 0 : 1,
        press_release_text: more.text ?? text,
        auditor_jurisdiction: auditor,
        is_shell_company: flagged,
      },
      { closes: more.closes ?? closes, equity: (more.equity ?? equity) === null ? null : usd((more.equity ?? equity) as string), filings: [] },
      more.rules,
    )
  it('lies between 0 and 100, and so does its coverage', () => {
    fc.assert(
      fc.property(figures, given => {
        const { score: found } = made(given)
        expect(Number(found.coverage_pct)).toBeGreaterThan(0)
        expect(Number(found.coverage_pct)).toBeLessThanOrEqual(100)
        expect(Number(found.score)).toBeGreaterThanOrEqual(0)
        expect(Number(found.score)).toBeLessThanOrEqual(100)
      }),
      { numRuns: 60 },
    )
  })
  it('never falls where a cue is added to the text', () => {
    const sentence = fc.constantFrom(
      'There is a deficiency.',
      'It filed a Form 25.',
      'A reverse split comes.',
      'The Hearings Panel met.',
      'Weather was fine.',
    )
    fc.assert(
      fc.property(figures, fc.array(sentence, { minLength: 1, maxLength: 4 }), sentence, (given, result, more) => {
        const [before, after] = [made(given, { text: result.join(' ') }), made(given, { text: [...result, more].join(' ') })]
        expect(score(after)).toBeGreaterThanOrEqual(score(before))
      }),
      { numRuns: 60 },
    )
  })
  it('a higher price or more equity never turns a pass into a failure', () => {
    const worse = (before: DelistingAssessment, after: DelistingAssessment): string[] =>
      [...statusesOf(after)].filter(([id, status]) => status === 'fail' && statusesOf(before).get(id) === 'pass').map(([id]) => id)
    fc.assert(
      fc.property(figures, given => {
        const higher = given.closes.map(close => close && String(Number((Number(close) * 2).toFixed(4))))
        expect(worse(made(given), made(given, { closes: higher }))).toEqual([])
        expect(worse(made(given), made(given, { equity: String(Number(given.equity ?? 0) + 3_000_000) }))).toEqual([])
        expect(worse(made(given), made({ ...given, total_shares: given.total_shares * 10 }))).toEqual([])
      }),
      { numRuns: 60 },
    )
  })
  it('a lower limit never turns a pass into a failure', () => {
    const rules = delistingRules(undefined)
    const half = (limit: string): string => decimalOf(over(ratioOf(limit), ratioOf('2')))
    const eased = {
      ...rules,
      rules: rules.rules.map(rule => {
        const { test } = rule
        if (test.kind === 'level' || test.kind === 'average' || test.kind === 'losses')
          return { ...rule, test: { ...test, threshold: half(test.threshold) } }
        return test.kind === 'sessions' ? { ...rule, test: { ...test, price: half(test.price) } } : rule
      }),
    }
    fc.assert(
      fc.property(figures, given => {
        const [before, after] = [made(given), made(given, { rules: eased })]
        expect([...statusesOf(after)].filter(([id, status]) => status === 'fail' && statusesOf(before).get(id) === 'pass')).toEqual([])
      }),
      { numRuns: 60 },
    )
  })
})
