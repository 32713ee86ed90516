// Financials of each issuer by the standard line items, as in the fundamentals operation: the trailing twelve months if four quarters
// follow on one another, else the last fiscal year; levels at the end of the newest period.

import { addDays, daysBetween } from '#schemas/days.ts'
import { type Standard, type StandardPeriod, standardOf } from '../../datasets/fundamentals/standard.ts'
import type { FactRow } from '../../datasets/fundamentals/statements.ts'
import { conceptsOf, type LineItemRules, lineItems } from '../../rulesets/line-items/rules.ts'
import type { ScratchDatabase } from '../../store/lake/scratch-database.ts'
import type { Listed } from './listings.ts'
import type { Moment } from './moment.ts'
import { sqlOf } from './sql.ts'

const flows = [
  'revenue',
  'gross_profit',
  'operating_income',
  'net_income',
  'operating_cash_flow',
  'free_cash_flow',
  'depreciation_and_amortization',
  'research_and_development',
] as const
const levels = ['assets', 'liabilities', 'equity', 'total_debt', 'cash', 'current_assets', 'current_liabilities'] as const
/** Line items that the screen's figures use, directly or through other items: not all that the rules define. */
const needed = new Set<string>([...flows, ...levels, 'capex', 'cost_of_revenue', 'eps_diluted', 'shares_outstanding'])
const rules: LineItemRules = { ...lineItems, items: withParts(lineItems.items) }
const concepts = conceptsOf(rules)
/** Issuers whose facts are in memory at a time. */
const together = 200
/** Fiscal years that are computed, and the range of their facts: the second year may have ended three years ago if a report is late. */
const years = 2
const factDays = 1_300

function withParts(items: LineItemRules['items']): LineItemRules['items'] {
  const wanted = new Set(needed)
  for (const item of items.toReversed()) {
    if (!wanted.has(item.item)) continue
    for (const rule of item.rules) for (const part of 'sum' in rule ? rule.sum : []) if ('item' in part) wanted.add(part.item)
  }
  return items.filter(({ item }) => wanted.has(item))
}

const columns = {
  cik: 'VARCHAR',
  basis: 'VARCHAR',
  period_end: 'DATE',
  report_currency: 'VARCHAR',
  ...Object.fromEntries([...flows, ...levels].map(name => [name, 'DOUBLE'])),
  eps: 'DOUBLE',
  shares_outstanding: 'DOUBLE',
  shares_date: 'DATE',
  revenue_growth_pct: 'DOUBLE',
  net_income_growth_pct: 'DOUBLE',
  eps_growth_pct: 'DOUBLE',
  revenue_growth_quarter_pct: 'DOUBLE',
}

/** Fills `financials`: one row per CIK with a period of a statement. */
export async function fillFinancials(shop: ScratchDatabase, listed: readonly Listed[], { date, asOf }: Moment): Promise<void> {
  const oldest = addDays(date, -factDays)
  const ciks = [...new Set(listed.map(row => row.cik).filter(cik => cik !== null))].sort()
  await shop.fill('financials', columns, [])
  for (let from = 0; from < ciks.length; from += together) {
    const some = ciks.slice(from, from + together)
    const rows =
      asOf === null
        ? await shop.query<FactRow & { readonly cik: string }>(sqlOf('facts'), { concepts, oldest }, { company_facts: some })
        : await shop.query<FactRow & { readonly cik: string }>(
            sqlOf('facts-at'),
            { concepts, oldest, at: asOf },
            { company_facts: some, filings: some },
          )
    const found = [...Map.groupBy(rows, row => row.cik)].map(([cik, own]) => financialsOf(cik, standardOf(own, rules, years, { restated: false })))
    await shop.fill(
      'financials',
      columns,
      found.filter(row => row !== null),
    )
  }
}

type Row = Readonly<Record<string, string | number | null>>

function financialsOf(cik: string, { annual, quarterly, ttm }: Standard): Row | null {
  const [year, yearBefore] = annual
  const [quarter] = quarterly
  // The newest balance sheet: of the last quarter, or of a year that ended after it.
  const newest = !quarter || (year && year.period_end >= quarter.period_end) ? year : quarter
  if (!newest) return null
  const trailing = ttm && (!year || ttm.period_end >= year.period_end) ? ttm : null
  const flowOf = (item: string): number | null => numberOf(trailing ? trailing.values.get(item)?.value : year?.values.get(item)?.value)
  const shares = newest.values.get('shares_outstanding') ?? null
  const sameQuarter = quarter && quarterly.find(each => isYearBefore(each, quarter))
  return {
    cik,
    basis: trailing ? 'ttm' : year ? 'annual' : null,
    period_end: trailing?.period_end ?? year?.period_end ?? newest.period_end,
    report_currency: trailing?.currency ?? year?.currency ?? newest.currency,
    ...Object.fromEntries(flows.map(item => [item, flowOf(item)])),
    ...Object.fromEntries(levels.map(item => [item, valueOf(newest, item)])),
    eps: trailing ? trailingRate(quarterly, annual, 'eps_diluted') : year ? valueOf(year, 'eps_diluted') : null,
    shares_outstanding: numberOf(shares?.value),
    shares_date: shares === null ? null : (shares.at ?? newest.period_end),
    revenue_growth_pct: growth(year, yearBefore, 'revenue'),
    net_income_growth_pct: growth(year, yearBefore, 'net_income'),
    eps_growth_pct: growth(year, yearBefore, 'eps_diluted'),
    revenue_growth_quarter_pct: growth(quarter, sameQuarter, 'revenue'),
  }
}

const numberOf = (decimal: string | null | undefined): number | null => (decimal === null || decimal === undefined ? null : Number(decimal))
const valueOf = (period: StandardPeriod, item: string): number | null => numberOf(period.values.get(item)?.value)

/**
 * A per-share figure of the last four quarters as their sum; null if one is missing. Few companies state a fourth quarter: it is the year
 * less its first three quarters.
 */
function trailingRate(quarterly: readonly StandardPeriod[], annual: readonly StandardPeriod[], item: string): number | null {
  const values = quarterly.slice(0, 4).map(quarter => valueOf(quarter, item) ?? fourthQuarter(quarter, quarterly, annual, item))
  return values.length === 4 && values.every(value => value !== null) ? values.reduce((sum, value) => sum + value, 0) : null
}

function fourthQuarter(
  quarter: StandardPeriod,
  quarterly: readonly StandardPeriod[],
  annual: readonly StandardPeriod[],
  item: string,
): number | null {
  const year = annual.find(each => each.period_end === quarter.period_end && each.currency === quarter.currency)
  if (!year) return null
  const before = quarterly.filter(each => each.period_start >= year.period_start && each.period_end < year.period_end)
  const [whole, parts] = [valueOf(year, item), before.map(each => valueOf(each, item))]
  return whole !== null && parts.length === 3 && parts.every(part => part !== null) ? parts.reduce((rest, part) => rest - part, whole) : null
}

const isYearBefore = (earlier: StandardPeriod, later: StandardPeriod): boolean =>
  Math.abs(daysBetween(earlier.period_end, later.period_end) - 365) <= 10 && earlier.currency === later.currency

/** Change in percent of the amount a year before; null if that was zero or a loss, for which a percentage has no meaning. */
function growth(later: StandardPeriod | undefined, earlier: StandardPeriod | undefined, item: string): number | null {
  if (!later || !earlier || !isYearBefore(earlier, later)) return null
  const [now, before] = [valueOf(later, item), valueOf(earlier, item)]
  return now === null || before === null || before <= 0 ? null : (now / before - 1) * 100
}
