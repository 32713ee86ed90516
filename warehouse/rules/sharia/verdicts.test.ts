// The vectors and boundaries of the five standards, the effect of missing inputs, and the order of a verdict.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ratioOf } from '../../datasets/prices/ratio.ts'
import { currentRuleset, type ShariaMode, shariaRulesets } from '../../rulesets/sharia/rules.ts'
import type { Review } from './business.ts'
import { type Company, evaluate, type PlainFigures, type Prior, verdictsOf } from './verdicts.ts'

type Given = Partial<Omit<PlainFigures, 'marketValue'>> & { readonly spot?: string | null; readonly average?: string | null }
/** A sound company worth 100 with assets of 200, unless stated otherwise. */
function figures({ spot = '100', average = '100', ...given }: Given = {}): PlainFigures {
  const value = (decimal: string | null) => (decimal === null ? null : ratioOf(decimal))
  return {
    debt: '10',
    interest_bearing_assets: '10',
    cash: '10',
    receivables: '10',
    total_assets: '200',
    revenue: '100',
    interest_income: '1',
    marketValue: months => value(months === 0 ? spot : average),
    ...given,
  }
}
const aReview = (given: Partial<Review> = {}): Review => ({
  symbol: 'NFST',
  status: 'clean',
  categories: [],
  impermissible_revenue_pct: '0',
  quote: null,
  source_url: null,
  accession: null,
  reviewed_at: '2026-03-01',
  reviewer: 'R. Adeyemi',
  ...given,
})
const clean: Company = { type: 'common', review: aReview(), industry: null }
const editionOf = (name: string) => {
  const found = shariaRulesets.find(each => each.ruleset === name || (each.current && each.standard === name))
  if (!found) throw new TypeError(name)
  return found
}
const screen = (name: string, given: Given, company: Company = clean, mode?: ShariaMode, prior: Prior | null = null) => {
  const ruleset = editionOf(name)
  return evaluate(ruleset, mode ?? ruleset.default_mode, figures(given), company, prior)
}
const statusOf = (name: string, id: string, given: Given, mode?: ShariaMode) =>
  screen(name, given, clean, mode).outcomes.find(each => each.test.id === id)?.status

describe('the vectors', () => {
  test('debt 29.9 of 100 passes AAOIFI, 30.0 passes it too, 30.1 fails it and passes Dow Jones', () => {
    expect(statusOf('aaoifi', 'debt', { debt: '29.9' })).toBe('pass')
    expect(statusOf('aaoifi', 'debt', { debt: '30.0' })).toBe('pass')
    expect(statusOf('aaoifi', 'debt', { debt: '30.1' })).toBe('fail')
    expect(statusOf('djim', 'debt', { debt: '30.1' })).toBe('pass')
  })
  test('receivables of 60 in 100 change nothing under Dow Jones and S&P now, and fail their editions of 2021', () => {
    const given = { receivables: '60' }
    expect([screen('djim', given).verdict, screen('sp', given).verdict]).toEqual(['compliant', 'compliant'])
    expect([statusOf('sp-shariah@2021-05', 'receivables', given), screen('sp-shariah@2021-05', given).verdict]).toEqual(['fail', 'non_compliant'])
    expect(statusOf('djim@2021-07', 'receivables', given)).toBe('fail')
  })
  test('receivables and cash of 100 in assets of 200 fail FTSE at exactly 50 %, fail entry to MSCI and pass its retention', () => {
    const given = { receivables: '60', cash: '40' }
    expect(statusOf('ftse', 'receivables_and_cash', given)).toBe('fail')
    expect(statusOf('msci', 'receivables_and_cash', given, 'entry')).toBe('fail')
    expect(statusOf('msci', 'receivables_and_cash', given, 'retention')).toBe('pass')
  })
  test('receivables and cash between a third and 70 % failed retention before the revision of April 2025', () => {
    const given = { receivables: '60', cash: '40' }
    expect(statusOf('msci-islamic@2017-09', 'receivables_and_cash', given, 'retention')).toBe('fail')
  })
})

describe('exactly on a limit', () => {
  test.each([
    ['aaoifi', 'debt', { debt: '30' }, 'pass'],
    ['aaoifi', 'interest_assets', { interest_bearing_assets: '30.000' }, 'pass'],
    ['aaoifi', 'impermissible_income', { interest_income: '5' }, 'pass'],
    ['djim', 'debt', { debt: '33' }, 'fail'],
    ['djim', 'debt', { debt: '32.99999999999999999' }, 'pass'],
    ['djim', 'impermissible_income', { interest_income: '5' }, 'fail'],
    ['ftse', 'debt', { debt: '66.666' }, 'fail'],
    ['ftse', 'debt', { debt: '66.665' }, 'pass'],
    ['ftse', 'interest_assets', { interest_bearing_assets: '66.666' }, 'fail'],
    ['ftse', 'impermissible_income', { interest_income: '5' }, 'pass'],
    ['msci', 'debt', { debt: '60' }, 'pass'],
    ['msci', 'debt', { debt: '60.01' }, 'fail'],
    ['msci', 'receivables_and_cash', { receivables: '82', cash: '10' }, 'pass'],
    ['msci', 'impermissible_income', { interest_income: '5' }, 'pass'],
    ['sp', 'debt', { debt: '33' }, 'fail'],
    ['sp', 'impermissible_income', { interest_income: '5' }, 'fail'],
    ['sp-shariah@2021-05', 'receivables', { receivables: '49' }, 'fail'],
  ] as const)('%s %s of %j is a %s', (name, id, given, status) => {
    expect(statusOf(name, id, given)).toBe(status)
  })
  test('retention of MSCI holds at 33.33 % exactly', () => {
    expect([statusOf('msci', 'debt', { debt: '66.66' }, 'retention'), statusOf('msci', 'debt', { debt: '66.6601' }, 'retention')]).toEqual([
      'pass',
      'fail',
    ])
  })
  test('the margin is limit less ratio, from the same fraction', () => {
    const [debt] = screen('aaoifi', { debt: '29.9' }).outcomes
    expect([debt?.ratio, debt?.margin, debt?.limit, debt?.operator]).toEqual([0.299, 0.001, '0.30', 'lte'])
    expect(screen('djim', { debt: '33' }).outcomes[0]?.margin).toBe(0)
    expect(screen('djim', { debt: '40' }).outcomes[0]?.margin).toBe(-0.07)
  })
})

describe('what is missing', () => {
  test.each([
    ['aaoifi', { debt: null }, 'debt', 'debt_missing'],
    ['aaoifi', { spot: null }, 'debt', 'market_value_missing'],
    ['djim', { average: null }, 'debt', 'market_value_missing'],
    ['ftse', { cash: null }, 'receivables_and_cash', 'receivables_and_cash_missing'],
    ['ftse', { total_assets: null }, 'debt', 'total_assets_missing'],
    ['msci', { revenue: null }, 'impermissible_income', 'total_income_missing'],
    ['sp', { interest_income: null }, 'impermissible_income', 'impermissible_income_missing'],
    ['sp', { average: '0' }, 'debt', 'market_value_not_positive'],
    ['djim', { revenue: '0' }, 'impermissible_income', 'revenue_not_positive'],
    ['djim', { revenue: '-4' }, 'impermissible_income', 'revenue_not_positive'],
    ['ftse', { debt: '-1' }, 'debt', 'debt_negative'],
  ] as const)('%s with %j leaves %s unknown: %s', (name, given, id, reason) => {
    const { verdict, outcomes } = screen(name, given)
    const outcome = outcomes.find(each => each.test.id === id)
    expect([outcome?.status, outcome?.reason, verdict]).toEqual(['unknown', reason, 'unknown'])
  })
  test('a test that fails on what is known fails whatever is not', () => {
    const unmeasured = { ...clean, review: aReview({ impermissible_revenue_pct: null }) }
    const income = (interest: string | null) => screen('djim', { interest_income: interest }, unmeasured).outcomes[1]
    expect([income('7')?.status, income('7')?.at_least]).toEqual(['fail', true])
    expect([income('1')?.status, income('1')?.reason]).toEqual(['unknown', 'impermissible_income_incomplete'])
    const measured = { ...clean, review: aReview({ status: 'questionable', categories: ['alcohol'], impermissible_revenue_pct: '6' }) }
    expect(screen('sp', { interest_income: null }, measured).outcomes[1]?.status).toBe('fail')
    expect(screen('sp', { interest_income: null }, measured).verdict).toBe('non_compliant')
  })
  test('an average of the other window is not used instead', () => {
    const only24 = { ...figures(), marketValue: (months: number) => (months === 24 ? ratioOf('100') : null) }
    const [aaoifi, djim, , , sp] = verdictsOf(only24, clean).map(each => each.verdict)
    expect([aaoifi, djim, sp]).toEqual(['unknown', 'compliant', 'unknown'])
  })
})

describe('the business', () => {
  const verdicts = (company: Company, given: Given = {}) => verdictsOf(figures(given), company).map(each => each.verdict)
  const review = (given: Partial<Review>): Company => ({ type: 'common', review: aReview(given), industry: null })

  test('prohibited comes first, and the ratios are reckoned all the same', () => {
    const found = screen('ftse', { debt: '199' }, review({ status: 'prohibited', categories: ['gambling'] }))
    expect([found.verdict, found.reason]).toEqual(['non_compliant', 'business: gambling'])
    expect(found.outcomes.map(each => each.status)).toEqual(['fail', 'pass', 'pass', 'pass'])
  })
  test('a failed ratio comes before questionable, questionable before unknown', () => {
    const doubtful = review({ status: 'questionable', categories: ['alcohol'], impermissible_revenue_pct: '2' })
    expect(verdicts(doubtful)).toEqual(Array(5).fill('questionable'))
    expect(verdicts(doubtful, { debt: '150' })).toEqual(Array(5).fill('non_compliant'))
    expect(verdicts(doubtful, { debt: null })).toEqual(Array(5).fill('questionable'))
  })
  test('what one standard excludes another does not: hotels, defence, spyware', () => {
    expect(verdicts(review({ status: 'prohibited', categories: ['hotels'] }))).toEqual([
      'compliant',
      'compliant',
      'non_compliant',
      'non_compliant',
      'compliant',
    ])
    expect(verdicts(review({ status: 'prohibited', categories: ['weapons_and_defence'] }))).toEqual([
      'questionable',
      'compliant',
      'non_compliant',
      'non_compliant',
      'non_compliant',
    ])
    expect(verdicts(review({ status: 'prohibited', categories: ['online_dating'] }))[3]).toBe('non_compliant')
  })
  test('a share of revenue counts whole where every finding is excluded, not at all where none is, and bounds where some are', () => {
    const both = review({ status: 'questionable', categories: ['hotels', 'alcohol'], impermissible_revenue_pct: '8' })
    const income = (name: string, company: Company) => screen(name, {}, company).outcomes.find(each => each.test.id === 'impermissible_income')
    expect(income('msci', both)).toMatchObject({ status: 'fail', ratio: 0.09, at_least: false })
    expect(income('djim', both)).toMatchObject({ status: 'unknown', ratio: 0.01, at_least: true })
    expect(income('djim', review({ status: 'questionable', categories: ['hotels'], impermissible_revenue_pct: '8' }))).toMatchObject({
      status: 'pass',
      ratio: 0.01,
    })
  })
  test('an industry code may fail an unreviewed company, never pass one; a review takes its place', () => {
    const bank = { sic: '6021', title: null }
    expect(verdicts({ type: 'common', review: null, industry: bank })).toEqual(Array(5).fill('non_compliant'))
    expect(verdicts({ type: 'common', review: null, industry: { sic: '7372', title: null } })).toEqual(Array(5).fill('unknown'))
    expect(verdicts({ type: 'common', review: null, industry: null })).toEqual(Array(5).fill('unknown'))
    expect(verdicts({ ...clean, industry: bank })).toEqual(Array(5).fill('compliant'))
  })
  test('preferred shares fail AAOIFI alone; funds and warrants are not covered', () => {
    expect(verdicts({ ...clean, type: 'preferred' })).toEqual(['non_compliant', ...Array(4).fill('compliant')])
    for (const type of ['etf', 'fund', 'warrant', 'note'] as const) expect(verdicts({ ...clean, type })).toEqual(Array(5).fill('not_covered'))
  })
  test('an unreviewed company that fails a ratio is not compliant: what is known decides', () => {
    expect(verdicts({ type: 'common', review: null, industry: null }, { debt: '150' })).toEqual(Array(5).fill('non_compliant'))
  })
})

describe('modes of an index', () => {
  const index = (debt: string, verdict: Prior['verdict'], evaluations: number) => screen('djim', { debt }, clean, 'index', { verdict, evaluations })
  test('Dow Jones keeps a status within two points until the third evaluation in a row, and not outside', () => {
    expect(index('34.9', 'compliant', 0)).toMatchObject({ verdict: 'compliant', outcomes: [{ reason: 'kept_by_buffer' }, {}] })
    expect(index('34.9', 'compliant', 1).verdict).toBe('compliant')
    expect(index('34.9', 'compliant', 2).verdict).toBe('non_compliant')
    expect(index('35', 'compliant', 0).verdict).toBe('compliant')
    expect(index('35.0001', 'compliant', 0).verdict).toBe('non_compliant')
    expect(index('31.5', 'non_compliant', 0)).toMatchObject({
      verdict: 'non_compliant',
      reason: 'failed: debt 0.3150, limit below 0.33 (kept by the buffer)',
    })
    expect(index('31.5', 'non_compliant', 2).verdict).toBe('compliant')
    expect(index('30.9', 'non_compliant', 0).verdict).toBe('compliant')
    expect(index('20', 'compliant', 0).verdict).toBe('compliant')
  })
  test('a clean ratio of a company that was out for another reason is not held against it by a test it always passed', () => {
    expect(index('20', 'non_compliant', 0).verdict).toBe('compliant')
  })
  test('MSCI holds constituents to retention and all others to entry', () => {
    const msci = (verdict: Prior['verdict']) => screen('msci', { debt: '65' }, clean, 'index', { verdict, evaluations: 0 }).verdict
    expect([msci('compliant'), msci('non_compliant')]).toEqual(['compliant', 'non_compliant'])
  })
})

describe('properties', () => {
  const decimal = fc.integer({ min: 0, max: 400_000 }).map(n => String(n / 1000))
  const ranking = { pass: 0, unknown: 1, fail: 2 }
  const statuses = (given: Given) =>
    shariaRulesets.flatMap(ruleset =>
      (ruleset.modes.includes('retention') ? (['entry', 'retention'] as const) : ([ruleset.default_mode] as const)).map(
        mode => evaluate(ruleset, mode, figures(given), clean).outcomes.find(each => each.test.id === 'debt')?.status ?? 'unknown',
      ),
    )
  test('more debt never turns a fail into a pass', () => {
    fc.assert(
      fc.property(decimal, decimal, fc.integer({ min: 1, max: 500 }), (debt, more, value) => {
        const given = { spot: String(value), average: String(value), total_assets: String(value) }
        const higher = String(Number(debt) + Number(more))
        const [before, after] = [statuses({ ...given, debt }), statuses({ ...given, debt: higher })]
        for (const [at, status] of before.entries()) expect(ranking[after[at] ?? 'pass']).toBeGreaterThanOrEqual(ranking[status])
      }),
      { numRuns: 300 },
    )
  })
  test('a higher limit never turns a pass into a fail', () => {
    const ruleset = currentRuleset('aaoifi')
    const withLimit = (limit: string) => ({
      ...ruleset,
      tests: ruleset.tests.map(each => ({ ...each, limits: each.limits.map(row => ({ ...row, limit })) })),
    })
    fc.assert(
      fc.property(decimal, fc.integer({ min: 0, max: 900 }), fc.integer({ min: 0, max: 900 }), (debt, low, more) => {
        const of = (limit: number) =>
          evaluate(withLimit((limit / 1000).toFixed(3)), 'point_in_time', figures({ debt }), clean).outcomes[0]?.status ?? 'unknown'
        expect(ranking[of(low + more)]).toBeLessThanOrEqual(ranking[of(low)])
      }),
      { numRuns: 300 },
    )
  })
  test('taking an input away never makes a verdict compliant', () => {
    const names = ['debt', 'interest_bearing_assets', 'cash', 'receivables', 'total_assets', 'revenue', 'interest_income'] as const
    fc.assert(
      fc.property(fc.record({ debt: decimal, interest_bearing_assets: decimal, receivables: decimal }), fc.constantFrom(...names), (given, name) => {
        const [whole, less] = [given, { ...given, [name]: null }].map(each => verdictsOf(figures(each), clean).map(({ verdict }) => verdict))
        for (const [at, verdict] of (less ?? []).entries()) if (verdict === 'compliant') expect(whole?.[at]).toBe('compliant')
      }),
      { numRuns: 300 },
    )
  })
})
