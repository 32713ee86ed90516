// Sharia screens of the bundled universe, from files: verdicts with their inputs, what as_of hides, and history.
import { describe, expect, it } from 'vitest'
import { addDocument, worldWarehouse } from '#fixtures/warehouse.ts'
import { businessActivitiesCsv } from '#fixtures/world/figures/ledgers.ts'
import { isSameNumber } from '#schemas/decimals.ts'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import { shariaOperations } from '#schemas/operations/sharia.ts'
import { contextOf } from '../context/release-contexts.ts'
import { buildPayload } from './index.ts'

const warehouse = await worldWarehouse()
const [all, one, purification] = shariaOperations
type Id = (typeof shariaOperations)[number]['id']
type Valued = {
  readonly day: string
  readonly close: number
  readonly price_currency: string
  readonly shares: number
  readonly shares_basis: string
  readonly carried_over_split: boolean
  readonly rate: number
  readonly rate_date: string
  readonly value: number
}
type Test = {
  readonly limit: number
  readonly ratio: number
  readonly margin: number
  readonly denominator: { readonly value: number; readonly months_known: number }
  readonly alternative: object | null
  readonly inputs: readonly object[]
}
type Evaluated = {
  readonly standard: string
  readonly ruleset: string
  readonly valid_to: string
  readonly mode: string
  readonly verdict: string
  readonly reason: string
  readonly business: { readonly status: string }
  readonly tests: readonly [Test, Test, ...Test[]]
}
type Year = { readonly period_end: string; readonly purify: number | null }
type Paid = {
  readonly ex_date: string
  readonly currency: string
  readonly price_currency: string
  readonly rate_date: string
  readonly received: number
  readonly purify: number | null
  readonly missing: readonly string[]
}
/** What the tests look at; the whole is checked against the operation's own schema. */
type Body = Evaluated & {
  readonly as_of: string
  readonly position: { readonly period_end: string }
  readonly review: { readonly symbol: string; readonly impermissible_revenue_pct: number }
  readonly market_value: { readonly currency: string; readonly obstacle: string | null; readonly spot: Valued }
  readonly verdicts: readonly [Evaluated, Evaluated, Evaluated, Evaluated, Evaluated]
  readonly months: readonly Valued[]
  readonly history: { readonly changes: readonly { readonly date: string; readonly verdict: string; readonly cause: string }[] } | null
  readonly prior: object | null
  readonly sources: readonly { readonly accession: string | null }[]
  readonly fiscal_years: readonly object[]
  readonly dividend_method: { readonly dividends: readonly Paid[]; readonly totals: readonly object[] }
  readonly holding_method: { readonly years: readonly Year[] }
}

async function ask(id: Id, parameters: Readonly<Record<string, string>>, release?: number): Promise<{ readonly body: Body; readonly text: string }> {
  const operation = shariaOperations.find(each => each.id === id) ?? expect.fail()
  const question = operation.question.parse(parameters) as { as_of?: string }
  const context = await contextOf(await warehouse.lake(release), question.as_of ?? null)
  const built = (await buildPayload(id, context, question as never, '2026-11-21T12:00:00Z')) ?? expect.fail()
  const text = built.payload.toString()
  const body = JSON.parse(text) as Body
  expect(operation.answer?.safeParse(body).error).toBeUndefined()
  return { body, text }
}
const verdictsOf = async (symbol: string, more: Readonly<Record<string, string>> = {}): Promise<string[]> =>
  (await ask(all.id, { symbol, ...more })).body.verdicts.map(each => `${each.standard} ${each.verdict}`)
const screen = async (symbol: string, more: Readonly<Record<string, string>>): Promise<Body> => (await ask(one.id, { symbol, ...more })).body

describe('the five verdicts', () => {
  it.each([
    ['LNTF', ['compliant', 'compliant', 'compliant', 'compliant', 'unknown']],
    ['RDGT', ['non_compliant', 'compliant', 'compliant', 'compliant', 'unknown']],
    ['QT', ['non_compliant', 'non_compliant', 'compliant', 'compliant', 'unknown']],
    ['PMBF', Array(5).fill('questionable')],
    ['MPLS', Array(5).fill('unknown')],
    ['MPLS.TO', Array(5).fill('unknown')],
    ['CFB', Array(5).fill('non_compliant')],
    ['CBC.TO', Array(5).fill('non_compliant')],
    ['CPPL', Array(5).fill('questionable')],
    ['SDLX', Array(5).fill('not_covered')],
    ['NA.TO', Array(5).fill('not_covered')],
  ])('of %s', async (symbol, verdicts) => {
    expect(await verdictsOf(symbol)).toEqual(['aaoifi', 'djim', 'ftse', 'msci', 'sp'].map((standard, at) => `${standard} ${verdicts[at]}`))
  })

  it('say from which facts: the newest balance sheet, the cover of the report on it, the last fiscal year', async () => {
    const { body } = await ask(all.id, { symbol: 'RDGT' })
    const debt = body.verdicts[0].tests[0]
    expect(body.position).toMatchObject({ period_end: '2026-09-30', currency: 'USD', fiscal_year_end: '2025-12-31' })
    expect(body.market_value.spot).toMatchObject({ date: '2026-09-30', shares: 83_990_000, shares_at: '2026-11-02', shares_basis: 'cover' })
    expect(debt).toMatchObject({ id: 'debt', status: 'fail', clause: '3/4/2', limit: 0.3, operator: 'lte', numerator: { value: 347_000_000 } })
    expect(debt.denominator.value).toBeCloseTo(83_990_000 * body.market_value.spot.close, 2)
    expect(debt.ratio).toBeCloseTo(347_000_000 / debt.denominator.value, 10)
    expect(debt.margin).toBeCloseTo(0.3 - debt.ratio, 10)
    expect(debt.alternative).toMatchObject({ value: 378_000_000, status: 'fail' })
    expect(debt.inputs).toEqual(
      expect.arrayContaining([
        {
          concept: 'us-gaap:LongTermDebtNoncurrent',
          value: 331_000_000,
          accession: '0009990002-26-000085',
          period_end: '2026-09-30',
          filed_at: '2026-11-09T21:40:45Z',
        },
        {
          concept: 'dei:EntityCommonStockSharesOutstanding',
          value: 83_990_000,
          accession: '0009990002-26-000085',
          period_end: '2026-11-02',
          filed_at: '2026-11-09T21:40:45Z',
        },
      ]),
    )
    expect(body.sources.map(each => each.accession)).toContain('0009990002-26-000085')
  })

  it('S&P needs 27 of 36 months: the universe has fewer, so that it is unknown, with the reason', async () => {
    const { verdict, reason, tests, months } = await screen('LNTF', { standard: 'sp' })
    expect([verdict, reason]).toEqual(['unknown', 'not known: debt (market value missing)'])
    expect(tests[0].denominator).toMatchObject({ value: null, months_required: 27, window_months: 36 })
    expect(tests[0].denominator.months_known).toBe(months.filter(month => month.value !== null).length)
    expect(months).toHaveLength(36)
  })

  it('months before a split count fewer shares at a higher price, and the value goes on without a step', async () => {
    const { months } = await screen('LNTF', { standard: 'djim' })
    const of = (day: string) => months.find(month => month.day === day) ?? expect.fail()
    expect([of('2025-07-31').shares, of('2025-08-31').shares]).toEqual([39_650_000, 158_600_000])
    expect([of('2025-07-31').shares_basis, of('2025-07-31').carried_over_split, of('2025-08-31').carried_over_split]).toEqual([
      'balance_sheet',
      true,
      false,
    ])
    expect(of('2025-08-31').value / of('2025-07-31').value).toBeCloseTo(1.057, 2)
  })

  it('a Canadian line of an issuer whose statements are in US dollars is valued at the rate of the day', async () => {
    const { body } = await ask(all.id, { symbol: 'MPLS.TO' })
    const { spot } = body.market_value
    // The Bank of Canada publishes no rate on 30 September.
    expect([spot.price_currency, body.market_value.currency, spot.rate_date]).toEqual(['CAD', 'USD', '2026-09-29'])
    expect(spot.value).toBeCloseTo(spot.close * spot.shares * spot.rate, 2)
    const own = (await ask(all.id, { symbol: 'MPLS' })).body.market_value.spot
    expect(spot.value / own.value).toBeCloseTo(1, 1)
    expect(own.rate).toBeNull()
  })

  it('statements in Canadian dollars: the line in New York is valued at the rate, the one in Toronto needs none', async () => {
    const [there, here] = [(await ask(all.id, { symbol: 'GLPR' })).body.market_value, (await ask(all.id, { symbol: 'GLPR.TO' })).body.market_value]
    expect([there.currency, there.spot.price_currency, here.currency, here.spot.price_currency, here.spot.rate]).toEqual([
      'CAD',
      'USD',
      'CAD',
      'CAD',
      null,
    ])
    expect(there.spot.rate).toBeGreaterThan(1.2)
    expect(there.spot.value / here.spot.value).toBeCloseTo(1, 1)
  })

  it('a review of one line of an issuer is of its others too', async () => {
    const { body } = await ask(all.id, { symbol: 'MPLS.TO' })
    expect([body.review.symbol, body.verdicts[0].business.status]).toEqual(['MPLS', 'clean'])
  })

  it('classes at different prices have no value that closes tell', async () => {
    expect((await ask(all.id, { symbol: 'BXH-B' })).body.market_value.obstacle).toContain('several classes')
  })

  it('an unknown symbol does not exist; a company without an SEC filing is not covered, with the reason', async () => {
    await expect(ask(all.id, { symbol: 'ZZZZZ' })).rejects.toThrow(NotFound)
    expect((await ask(all.id, { symbol: 'NA.TO' })).body).toMatchObject({ cik: null, coverage: { status: 'home_country' }, position: null })
  })
})

describe('one edition', () => {
  it('with the history of its verdict: a review, months enough, and a loan change it', async () => {
    const history = async (standard: string) =>
      ((await screen('QT', { standard })).history?.changes ?? []).map(each => [each.date, each.verdict, each.cause])
    expect(await history('aaoifi')).toEqual([
      ['2026-10-30', 'non_compliant', 'filing'],
      ['2025-04-15', 'compliant', 'review'],
      [expect.any(String), 'unknown', 'start'],
    ])
    expect((await history('djim'))[1]).toEqual(['2026-04-01', 'compliant', 'month_end'])
  })
  it('answers by an older edition as by a current one', async () => {
    const legacy = await screen('QT', { ruleset: 'djim@2021-07' })
    expect([legacy.ruleset, legacy.valid_to, legacy.tests.length]).toEqual(['djim@2021-07', '2023-02-28', 4])
    expect((await screen('QT', { standard: 'msci', mode: 'retention' })).tests.at(2)?.limit).toBe(0.7)
    expect((await screen('QT', { standard: 'msci' })).mode).toBe('entry')
  })
  it('mode=index needs the verdict before it', async () => {
    const kept = await screen('QT', { standard: 'djim', mode: 'index', prior_verdict: 'compliant', prior_evaluations: '0' })
    expect([kept.verdict, kept.history, kept.prior]).toEqual(['non_compliant', null, { verdict: 'compliant', evaluations: 0 }])
    await expect(screen('QT', { standard: 'djim', mode: 'index' })).rejects.toThrow(/requires the verdict/)
  })
  it.each([
    [{}, /neither standard nor ruleset/],
    [{ ruleset: 'djim@1999-01' }, /no ruleset djim@1999-01/],
    [{ ruleset: 'djim@2021-07', standard: 'sp' }, /is of djim, not of sp/],
    [{ standard: 'aaoifi', mode: 'index' }, /has no mode index/],
    [{ standard: 'ftse', prior_verdict: 'compliant' }, /belong to mode=index/],
  ])('%j is a request that can be corrected', async (parameters, result) => {
    await expect(screen('QT', parameters)).rejects.toThrow(result)
    await expect(screen('QT', parameters)).rejects.toThrow(BadRequest)
  })
})

describe('an earlier instant', () => {
  it('is never after the release: a day that has not come is the day of the release', async () => {
    const [now, ahead] = [(await ask(all.id, { symbol: 'QT' })).body, (await ask(all.id, { symbol: 'QT', as_of: '2031-01-01' })).body]
    expect([ahead.verdicts, ahead.market_value, ahead.as_of]).toEqual([now.verdicts, now.market_value, now.as_of])
  })
  it('knows no later filing, review or close', async () => {
    expect(await verdictsOf('QT', { as_of: '2026-10-30T12:00:00Z' })).toContain('msci compliant')
    const before = (await ask(all.id, { symbol: 'QT', as_of: '2026-10-30T12:00:00Z' })).body
    expect([before.position.period_end, before.as_of]).toEqual(['2025-12-31', '2026-10-30T12:00:00Z'])
    const early = (await ask(all.id, { symbol: 'QT', as_of: '2025-04-01' })).body
    expect([early.review, early.position.period_end]).toEqual([null, '2024-12-31'])
    expect(early.verdicts.every(each => each.verdict === 'unknown')).toBe(true)
  })
})

describe('purification', () => {
  it('by dividends and by holding, side by side', async () => {
    const { body } = await ask(purification.id, { symbol: 'QT', shares: '100', from: '2025-11-20', to: '2026-11-19' })
    const { dividend_method: dividends, holding_method: holding, fiscal_years: years } = body
    expect(years).toHaveLength(1)
    expect(years[0]).toMatchObject({ impermissible_income: 21_000_000, total_income: 5_020_000_000, missing: [] })
    expect(dividends.dividends.map(each => [each.ex_date, each.received, each.purify])).toEqual(
      ['2026-02-09', '2026-05-07', '2026-08-07', '2026-11-09'].map(day => [day, 48, 0.2008]),
    )
    expect(dividends.totals).toEqual([{ currency: 'USD', amount: 0.8032 }])
    expect(holding.years[0]).toMatchObject({ period_end: '2025-12-31', shares_outstanding: 60_950_000, purify: 34.4545 })
    expect(body).not.toHaveProperty('total')
  })
  it('a dividend in another currency than the price keeps its own, with the rate of the day', async () => {
    const { body } = await ask(purification.id, { symbol: 'ASG.TO', shares: '10', from: '2025-01-01', to: '2026-11-19' })
    const { dividends } = body.dividend_method
    expect(dividends.length).toBeGreaterThan(0)
    for (const each of dividends) {
      expect([each.currency, each.price_currency]).toEqual(['USD', 'CAD'])
      expect(each.rate_date < each.ex_date).toBe(true)
      expect([each.purify, each.missing.length > 0]).toEqual([null, true])
    }
    expect(body.dividend_method.totals).toEqual([{ currency: 'USD', amount: null }])
  })
  it('without interest income there is no amount, and the input is named', async () => {
    const { body } = await ask(purification.id, { symbol: 'CAYM', shares: '5' })
    expect(body.holding_method.years[0]).toMatchObject({ purify: null, missing: ['interest_income', 'impermissible_revenue_pct'] })
  })
  it('a range that ends before it begins is a request that can be corrected', async () => {
    await expect(ask(purification.id, { symbol: 'QT', from: '2026-02-01', to: '2026-01-01' })).rejects.toThrow(BadRequest)
  })
})

describe('releases', () => {
  it('a new review changes the answer of the next release and of no earlier one', async () => {
    const { release } = await warehouse.lake()
    const question = { symbol: 'LNTF', as_of: '2026-11-20T12:00:00Z' }
    const held = await ask(all.id, question, release)
    const [header] = businessActivitiesCsv.split('\n')
    const made = await addDocument(
      warehouse,
      'file:more-reviews.csv',
      `${header}\nLNTF,prohibited,weapons_and_defence,60,Most of our sales are guidance systems for missiles.,https://www.lanternfish.example/10k,,2026-11-18,R. Adeyemi\n`,
    )
    expect(made).toBeGreaterThan(release)
    expect((await ask(all.id, question, release)).text).toBe(held.text)
    const now = (await ask(all.id, question)).body
    expect(now.verdicts.map(each => each.verdict)).toEqual(['questionable', 'compliant', 'non_compliant', 'non_compliant', 'non_compliant'])
    expect(isSameNumber(String(now.review.impermissible_revenue_pct), '60')).toBe(true)
  })
})
