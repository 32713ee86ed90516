import { describe, expect, test } from 'vitest'
import { shariaStandards } from '#schemas/sharia.ts'
import { currentRulesets, rulesetNamed, ShariaRuleset, shariaConcepts, shariaItems, shariaRulesets, sicPrior } from './rules.ts'

const limits = (name: string, id: string) =>
  rulesetNamed(name)
    ?.tests.find(each => each.id === id)
    ?.limits.map(({ limit, operator }) => `${operator} ${limit}`)

describe('the editions', () => {
  test('each standard has one current edition; the older ones stay answerable', () => {
    expect(currentRulesets.map(each => each.standard)).toEqual([...shariaStandards])
    expect(shariaRulesets.filter(each => !each.current).map(each => each.ruleset)).toEqual([
      'djim@2021-07',
      'msci-islamic@2017-09',
      'sp-shariah@2021-05',
    ])
    expect(new Set(shariaRulesets.map(each => each.ruleset)).size).toBe(shariaRulesets.length)
    for (const { current, valid_from, valid_to } of shariaRulesets) {
      expect(current).toBe(valid_to === null)
      if (valid_to !== null) expect(valid_from < valid_to).toBe(true)
    }
  })

  test.each([
    ['aaoifi-ss21@2026', 'debt', ['lte 0.30']],
    ['aaoifi-ss21@2026', 'interest_assets', ['lte 0.30']],
    ['aaoifi-ss21@2026', 'impermissible_income', ['lte 0.05']],
    ['djim@2026-02', 'debt', ['lt 0.33']],
    ['djim@2026-02', 'impermissible_income', ['lt 0.05']],
    ['djim@2021-07', 'receivables', ['lt 0.33']],
    ['ftse-yasaar@4.6', 'debt', ['lt 0.33333']],
    ['ftse-yasaar@4.6', 'interest_assets', ['lt 0.33333']],
    ['ftse-yasaar@4.6', 'receivables_and_cash', ['lt 0.50']],
    ['ftse-yasaar@4.6', 'impermissible_income', ['lte 0.05']],
    ['msci-islamic@2025-12', 'debt', ['lte 0.30', 'lte 0.3333']],
    ['msci-islamic@2025-12', 'receivables_and_cash', ['lte 0.46', 'lte 0.70']],
    ['msci-islamic@2017-09', 'receivables_and_cash', ['lte 0.30', 'lte 0.3333']],
    ['sp-shariah@2025-05', 'debt', ['lt 0.33']],
    ['sp-shariah@2021-05', 'receivables', ['lt 0.49']],
  ])('%s limits %s to %j', (name, id, expected) => {
    expect(limits(name, id)).toEqual(expected)
  })

  test('Dow Jones and S&P screen leverage and income alone since 2023', () => {
    for (const name of ['djim@2026-02', 'sp-shariah@2025-05'])
      expect(rulesetNamed(name)?.tests.map(each => each.id)).toEqual(['debt', 'impermissible_income'])
    expect(rulesetNamed('djim@2021-07')?.tests).toHaveLength(4)
    expect(rulesetNamed('sp-shariah@2021-05')?.tests).toHaveLength(4)
    const windows = (name: string) => rulesetNamed(name)?.tests.map(each => each.window_months)
    expect([windows('aaoifi-ss21@2026'), windows('djim@2026-02'), windows('sp-shariah@2025-05')]).toEqual([
      [0, 0, null],
      [24, null],
      [36, null],
    ])
  })

  test('every row states where it is from, when it was read and how sure it is', () => {
    for (const { tests, activities, instruments } of shariaRulesets)
      for (const row of [...tests, ...activities, ...instruments])
        expect([row.source.length > 2, row.retrieved_at >= '2026-07-01', row.confidence !== 'primary']).toEqual([true, true, true])
    for (const row of sicPrior.rows) expect(row.source).toContain('SEC')
  })

  test('an edition whose mode has no limit, or whose window depends on nothing, is refused', () => {
    const [aaoifi] = shariaRulesets
    const broken = (change: object) => ShariaRuleset.safeParse({ ...aaoifi, ...change }).error?.issues.map(each => each.message) ?? []
    expect(broken({ modes: ['point_in_time', 'retention'] })).toContain('aaoifi-ss21@2026: debt has not one limit in mode retention')
    expect(broken({ modes: ['point_in_time', 'index'] })[0]).toContain('the mode index requires its rule, and the rule requires the mode')
    expect(broken({ default_mode: 'entry' })[0]).toContain('none of its modes')
    expect(broken({ tests: aaoifi?.tests.map(each => ({ ...each, window_months: 12 })) })).toContain(
      'aaoifi-ss21@2026: impermissible_income: a window belongs to a market value',
    )
  })
})

test('the inputs are standard line items, those of IFRS among them, and counts of shares', () => {
  expect(shariaItems.items.map(each => each.item)).toEqual(
    expect.arrayContaining([
      'total_debt',
      'cash',
      'receivables',
      'assets',
      'revenue',
      'interest_income',
      'interest_bearing_assets',
      'debt_with_operating_leases',
    ]),
  )
  expect(shariaConcepts).toEqual(
    expect.arrayContaining([
      'us-gaap:LongTermDebtNoncurrent',
      'us-gaap:CommercialPaper',
      'us-gaap:FinanceLeaseLiabilityNoncurrent',
      'ifrs-full:Borrowings',
      'ifrs-full:NoncurrentPortionOfNoncurrentBorrowings',
      'us-gaap:InvestmentIncomeInterest',
      'dei:EntityCommonStockSharesOutstanding',
    ]),
  )
})
