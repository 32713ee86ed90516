// Standard line items from constructed statements: the filing that is used, what is derived and how, and what stays unknown.
import { describe, expect, test } from 'vitest'
import { isRounding, isSameNumber, signedSum } from '#schemas/decimals.ts'
import { conceptsOf, type LineItemRules, lineItems } from '../../rulesets/line-items/rules.ts'
import { type Standard, type StandardPeriod, standardOf } from './standard.ts'
import type { FactRow } from './statements.ts'

type Given = readonly [concept: string, start: string | null, end: string, value: string, unit?: string]
let serial = 0
/** What one filing states. */
function filing(form: string, filed: string, fy: number | null, given: readonly Given[], accession?: string): FactRow[] {
  serial += 1
  const own = accession ?? `0000990900-${filed.slice(2, 4)}-${String(serial).padStart(6, '0')}`
  return given.map(([name, start, end, value, unit = 'USD']) => {
    const [taxonomy = '', concept = ''] = name.includes(':') ? name.split(':') : ['us-gaap', name]
    return { taxonomy, concept, unit, period_start: start, period_end: end, value, fy, form, filed_date: filed, accession: own, place: 1 }
  })
}
const year = (of: number): readonly [string, string] => [`${of}-01-01`, `${of}-12-31`]
const standard = (...rows: readonly (readonly FactRow[])[]): Standard => standardOf(rows.flat(), lineItems, 5)
const valuesAt = (periods: readonly StandardPeriod[], end: string) => (item: string) =>
  periods.find(period => period.period_end === end)?.values.get(item) ?? null

/** Three quarterly reports and an annual one of a calendar year, with cash flow stated for the year to date. */
function reported(of: number, revenue: readonly [string, string, string, string], cash: readonly [string, string, string, string]): FactRow[][] {
  const ends = [`${of}-03-31`, `${of}-06-30`, `${of}-09-30`, `${of}-12-31`] as const
  const starts = [`${of}-01-01`, `${of}-04-01`, `${of}-07-01`] as const
  const toDate = (at: number): string => signedSum(revenue.slice(0, at + 1).map(value => ({ sign: 1, value })))
  return ends.map((end, at) =>
    at === 3
      ? filing('10-K', `${of + 1}-02-20`, of, [
          ['Revenues', ...year(of), toDate(3)],
          ['NetCashProvidedByUsedInOperatingActivities', ...year(of), cash[3]],
        ])
      : filing('10-Q', `${of}-${String(at * 3 + 5).padStart(2, '0')}-05`, of, [
          ['Revenues', starts[at] as string, end, revenue[at] as string],
          ...(at > 0 ? [['Revenues', `${of}-01-01`, end, toDate(at)] as const] : []),
          ['NetCashProvidedByUsedInOperatingActivities', `${of}-01-01`, end, cash[at] as string],
        ]),
  )
}
const calendar = reported(2025, ['100', '110.5', '120', '130'], ['20', '45', '60', '95'])

describe('years and quarters', () => {
  test('the fourth quarter is the year less nine months, and so is every quarter of cash flow but the first', () => {
    const { annual, quarterly } = standard(...calendar)
    expect(annual.map(period => [period.fiscal_year, period.period_start, period.period_end, period.days])).toEqual([[2025, ...year(2025), 365]])
    expect(quarterly.map(period => [period.fiscal_period, period.values.get('revenue')?.value, period.values.get('revenue')?.basis])).toEqual([
      ['Q4', '130.0', 'derived'],
      ['Q3', '120', 'reported'],
      ['Q2', '110.5', 'reported'],
      ['Q1', '100', 'reported'],
    ])
    expect(quarterly.map(period => period.values.get('operating_cash_flow')?.value)).toEqual(['35', '15', '25', '20'])
    const fourth = quarterly[0]?.values.get('revenue')
    expect(fourth?.formula).toBe('us-gaap:Revenues: 12 months - 9 months')
    expect(fourth?.parts.map(part => [part.sign, part.value])).toEqual([
      [1, '460.5'],
      [-1, '330.5'],
    ])
  })

  test('without the nine months there is no fourth quarter of it, and without four quarters no trailing twelve months', () => {
    const { quarterly, ttm } = standard(calendar[0] ?? [], calendar[1] ?? [], calendar[3] ?? [])
    expect(quarterly.map(period => period.period_end)).toEqual(['2025-06-30', '2025-03-31'])
    expect(ttm).toBeNull()
  })

  test('the trailing twelve months are four quarters that follow on one another, never a fiscal year', () => {
    const next = filing('10-Q', '2026-05-05', 2026, [
      ['Revenues', '2026-01-01', '2026-03-31', '140'],
      ['NetCashProvidedByUsedInOperatingActivities', '2026-01-01', '2026-03-31', '30'],
      ['NetIncomeLoss', '2026-01-01', '2026-03-31', '9'],
    ])
    const { ttm, annual } = standard(...calendar, next)
    expect([ttm?.period_start, ttm?.period_end]).toEqual(['2025-04-01', '2026-03-31'])
    expect(ttm?.values.get('revenue')).toEqual({
      value: '500.5',
      unit: 'USD',
      quarters: [
        { period_end: '2025-06-30', value: '110.5', basis: 'reported' },
        { period_end: '2025-09-30', value: '120', basis: 'reported' },
        { period_end: '2025-12-31', value: '130.0', basis: 'derived' },
        { period_end: '2026-03-31', value: '140', basis: 'reported' },
      ],
    })
    expect(ttm?.values.get('net_income')).toBeNull()
    expect(ttm?.values.has('assets')).toBe(false)
    expect(annual[0]?.values.get('revenue')?.value).toBe('460.5')
  })

  test('per-share amounts and average shares are never taken apart or added up', () => {
    const rows = calendar.map((own, at) => [
      ...own,
      ...(at === 3
        ? filing('10-K', '2026-02-20', 2025, [['EarningsPerShareDiluted', ...year(2025), '4.10', 'USD/shares']], own[0]?.accession)
        : filing(
            '10-Q',
            own[0]?.filed_date ?? '',
            2025,
            [['EarningsPerShareDiluted', '2025-01-01', own[0]?.period_end ?? '', '1.00', 'USD/shares']],
            own[0]?.accession,
          )),
    ])
    const { quarterly, annual, ttm } = standard(...rows)
    expect(annual[0]?.values.get('eps_diluted')?.value).toBe('4.10')
    expect(valuesAt(quarterly, '2025-12-31')('eps_diluted')).toBeNull()
    expect(ttm?.values.has('eps_diluted')).toBe(false)
  })

  test('years of 52 and 53 weeks, a first quarter of 16 weeks, and months since an acquisition that are no quarter', () => {
    const { annual, quarterly } = standard(
      filing('10-K', '2025-03-20', 2024, [['Revenues', '2024-01-28', '2025-02-01', '530']]),
      filing('10-Q', '2025-07-01', 2025, [
        ['Revenues', '2025-02-02', '2025-05-24', '160'],
        ['NetIncomeLoss', '2025-02-02', '2025-05-24', '16'],
        ['Revenues', '2025-02-20', '2025-05-24', '3'],
      ]),
      filing('10-Q', '2025-09-20', 2025, [
        ['Revenues', '2025-05-25', '2025-08-16', '120'],
        ['Revenues', '2025-02-02', '2025-08-16', '280'],
      ]),
      filing('10-K', '2024-03-20', 2023, [['Revenues', '2023-01-29', '2024-01-27', '500']]),
    )
    expect(annual.map(period => [period.fiscal_year, period.days])).toEqual([
      [2024, 371],
      [2023, 364],
    ])
    expect(quarterly.map(period => [period.fiscal_year, period.fiscal_period, period.days, period.values.get('revenue')?.value])).toEqual([
      [2025, 'Q2', 84, '120'],
      [2025, 'Q1', 112, '160'],
    ])
  })

  test("a utility's twelve months in a quarterly report are no fiscal year, and a proxy's figures are no statement", () => {
    const { annual, restatements } = standard(
      calendar[3] ?? [],
      filing('10-Q', '2025-08-05', 2025, [['Revenues', '2024-07-01', '2025-06-30', '440']]),
      filing('DEF 14A', '2026-04-11', null, [['Revenues', ...year(2025), '461000']]),
    )
    expect(annual.map(period => period.period_end)).toEqual(['2025-12-31'])
    expect(annual[0]?.values.get('revenue')?.value).toBe('460.5')
    expect(restatements).toEqual([])
  })
})

describe('which filing holds', () => {
  test('a later report restates: the later figure is the value, the change is listed, rounding is none', () => {
    const { annual, restatements } = standard(
      filing('10-K', '2025-02-20', 2024, [
        ['Revenues', ...year(2024), '500000'],
        ['WeightedAverageNumberOfSharesOutstandingBasic', ...year(2024), '297717099', 'shares'],
      ]),
      filing('10-K/A', '2025-06-02', 2024, [['Revenues', ...year(2024), '480000']]),
      filing('10-K', '2026-02-20', 2025, [
        ['RevenueFromContractWithCustomerExcludingAssessedTax', ...year(2024), '475000'],
        ['Revenues', ...year(2025), '510000'],
        ['WeightedAverageNumberOfSharesOutstandingBasic', ...year(2024), '297717000', 'shares'],
      ]),
    )
    const of2024 = valuesAt(annual, '2024-12-31')
    expect([of2024('revenue')?.value, of2024('revenue')?.concept, of2024('revenue')?.filed_date]).toEqual([
      '475000',
      'us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax',
      '2026-02-20',
    ])
    expect(restatements.map(each => [each.item, each.before.value, each.after.value, each.after.form])).toEqual([
      ['revenue', '500000', '480000', '10-K/A'],
      ['revenue', '480000', '475000', '10-K'],
    ])
  })

  test('a quarter is not made of a restated year and nine months that were not', () => {
    const { quarterly } = standard(...calendar, filing('10-K', '2027-02-20', 2026, [['Revenues', ...year(2025), '400']]))
    expect(valuesAt(quarterly, '2025-12-31')('revenue')?.value).toBe('130.0')
  })

  test('of one filing the total precedes its part, and a fallback never precedes what it replaces', () => {
    const { annual } = standard(
      filing('10-K', '2026-02-20', 2025, [
        ['RevenueFromContractWithCustomerExcludingAssessedTax', ...year(2025), '90'],
        ['Revenues', ...year(2025), '100'],
        ['NetIncomeLoss', ...year(2025), '10'],
        ['StockholdersEquity', null, '2025-12-31', '70'],
      ]),
      // Three years later the statement of changes in equity covers more years than the balance sheet.
      filing('10-K', '2027-02-20', 2026, [['StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest', null, '2025-12-31', '75']]),
    )
    const value = valuesAt(annual, '2025-12-31')
    expect(value('revenue')?.value).toBe('100')
    expect(value('equity')?.value).toBe('70')
  })

  test('the currency of a period is the one that its filing reports in, not that of a convenience translation', () => {
    const { annual } = standard(
      filing('20-F', '2025-04-20', 2024, [
        ['ifrs-full:Revenue', ...year(2023), '8000', 'CNY'],
        ['ifrs-full:Revenue', ...year(2024), '9000', 'CNY'],
        ['ifrs-full:BasicEarningsLossPerShare', ...year(2024), '1.25', 'CNY/shares'],
        ['ifrs-full:Revenue', ...year(2024), '1300', 'USD'],
        ['ifrs-full:BasicEarningsLossPerShare', ...year(2024), '0.18', 'USD/shares'],
      ]),
    )
    expect(annual.map(period => [period.currency, period.values.get('revenue')?.value])).toEqual([
      ['CNY', '9000'],
      ['CNY', '8000'],
    ])
    expect(annual[0]?.values.get('eps_basic')?.unit).toBe('CNY/shares')
    // A year without a known report gets the number before that of the next year.
    expect(annual.map(period => period.fiscal_year)).toEqual([2024, 2023])
  })

  test('the count on the cover is of the report on the period, on its own day', () => {
    const report = filing('10-K', '2026-02-20', 2025, [
      ['Revenues', ...year(2025), '100'],
      ['dei:EntityCommonStockSharesOutstanding', null, '2026-02-11', '41000000', 'shares'],
      ['CommonStockSharesOutstanding', null, '2025-12-31', '40900000', 'shares'],
    ])
    const value = valuesAt(standard(report).annual, '2025-12-31')('shares_outstanding')
    expect([value?.value, value?.at]).toEqual(['41000000', '2026-02-11'])
    // What happened after the year's end does not make it a report on February.
    const later = [
      ...report,
      ...filing(
        '10-K',
        '2026-02-20',
        2025,
        [
          ['NetIncomeLoss', ...year(2025), '9'],
          ['IncomeTaxExpenseBenefit', ...year(2025), '2'],
          ['PaymentsForRepurchaseOfCommonStock', '2026-01-01', '2026-02-11', '7'],
        ],
        report[0]?.accession,
      ),
    ]
    expect(standard(later).annual[0]?.fiscal_year).toBe(2025)
    expect(valuesAt(standard(later).annual, '2025-12-31')('shares_outstanding')?.value).toBe('41000000')
    const without = valuesAt(standard(report.filter(row => row.taxonomy !== 'dei')).annual, '2025-12-31')('shares_outstanding')
    expect([without?.value, without?.at]).toEqual(['40900000', null])
  })
})

describe('what is made of several figures', () => {
  const balance = (...given: readonly Given[]) =>
    valuesAt(standard(filing('10-K', '2026-02-20', 2025, [['Revenues', ...year(2025), '100'], ...given])).annual, '2025-12-31')
  const at = '2025-12-31'

  test('debt is the sum of what is stated, one line with two tags counted once', () => {
    const value = balance(
      ['LongTermDebtNoncurrent', null, at, '3970.8'],
      ['LongTermDebtCurrent', null, at, '499.8'],
      ['ShortTermBorrowings', null, at, '499.8'],
    )('total_debt')
    expect([value?.value, value?.basis, value?.formula]).toEqual([
      '4470.6',
      'derived',
      'us-gaap:LongTermDebtNoncurrent + us-gaap:LongTermDebtCurrent',
    ])
    expect(
      balance(['LongTermDebtNoncurrent', null, at, '10'], ['DebtCurrent', null, at, '3'], ['ShortTermBorrowings', null, at, '2'])('total_debt')
        ?.value,
    ).toBe('13')
    expect(balance(['ifrs-full:Borrowings', null, at, '44'])('total_debt')?.basis).toBe('reported')
    expect(balance(['Assets', null, at, '44'])('total_debt')).toBeNull()
  })

  test('gross profit, liabilities and free cash flow say what they are made of, and are null where a part is', () => {
    const value = balance(
      ['CostOfRevenue', ...year(2025), '40.25'],
      ['LiabilitiesAndStockholdersEquity', null, at, '300'],
      ['StockholdersEquity', null, at, '120'],
      ['NetCashProvidedByUsedInOperatingActivities', ...year(2025), '22'],
    )
    expect([value('gross_profit')?.value, value('gross_profit')?.formula]).toEqual(['59.75', 'revenue - cost_of_revenue'])
    expect(value('liabilities')?.value).toBe('180')
    expect(value('free_cash_flow')).toBeNull()
    expect(value('capex')).toBeNull()
  })

  test('every derived value is the signed sum of its parts, and every item has the form that the rules give it', () => {
    for (const period of [...standard(...calendar).annual, ...standard(...calendar).quarterly]) {
      for (const [item, value] of period.values) {
        expect(lineItems.items.some(each => each.item === item)).toBe(true)
        if (value?.basis === 'derived') expect(isSameNumber(signedSum(value.parts), value.value)).toBe(true)
      }
    }
  })
})

describe('the rules', () => {
  test('name concepts of two taxonomies and no item twice', () => {
    const concepts = conceptsOf(lineItems)
    expect(concepts).toContain('us-gaap:Assets')
    expect(concepts).toContain('ifrs-full:Revenue')
    expect(new Set(lineItems.items.map(each => each.item)).size).toBe(lineItems.items.length)
    for (const { rules } of lineItems.items satisfies LineItemRules['items']) expect(rules.length).toBeGreaterThan(0)
  })

  test('sums are exact to the last digit', () => {
    expect(
      signedSum([
        { sign: 1, value: '12345678901234567890.1' },
        { sign: -1, value: '0.05' },
        { sign: -1, value: '12345678901234567890' },
      ]),
    ).toBe('0.05')
    expect(
      signedSum([
        { sign: 1, value: '1' },
        { sign: -1, value: '2.50' },
      ]),
    ).toBe('-1.50')
    expect(isSameNumber('1.50', '1.5')).toBe(true)
    expect(isSameNumber('-0.0', '0')).toBe(true)
    expect(isSameNumber('1.50', '1.51')).toBe(false)
    expect(isRounding('1.048', '1.05')).toBe(true)
    expect(isRounding('-297717099', '-297717000')).toBe(true)
    expect(isRounding('0.048', '0.28')).toBe(false)
    expect(isRounding('500', '480')).toBe(false)
  })
})
