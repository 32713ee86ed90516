// Fundamentals of the issuer: a picture of the years, and a table whose values name their filings.
import type { AnswerOf } from '#schemas/operations.ts'
import { lineChart } from '../components/chart.ts'
import { compact, day, number, unknown } from '../components/format.ts'
import { badge } from '../components/notice.ts'
import { filingPath } from '../components/parts.ts'
import { numeric, table } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import { counted } from '../words.ts'

type Answer = AnswerOf<'get_fundamentals'>
type Value = NonNullable<Answer['annual'][number]['values'][string]>

/** Line items of the table, in the order of statements. */
const items = [
  ['revenue', 'Revenue'],
  ['gross_profit', 'Gross profit'],
  ['operating_income', 'Operating income'],
  ['net_income', 'Net income'],
  ['eps_diluted', 'Earnings per share, diluted'],
  ['dividends_per_share', 'Dividends per share'],
  ['operating_cash_flow', 'Cash from operations'],
  ['capex', 'Capital expenditure'],
  ['free_cash_flow', 'Free cash flow'],
  ['cash', 'Cash'],
  ['assets', 'Total assets'],
  ['total_debt', 'Total debt'],
  ['equity', 'Equity'],
  ['shares_outstanding', 'Shares outstanding'],
] as const
const mostYears = 5

export function fundamentalsSection(answer: Answer): Html {
  const { annual, ttm, coverage, restatements } = answer
  if (annual.length === 0) return html`<p class="empty">${coverage.sentence}</p>`
  const years = annual.slice(0, mostYears)
  const currency = years[0]?.currency ?? ''
  const shown = items.filter(([name]) => years.some(({ values }) => (values[name] ?? null) !== null))
  const chronological = [...years].reverse()
  const series = (['revenue', 'net_income'] as const).map(name => ({
    label: name === 'revenue' ? 'Revenue' : 'Net income',
    values: chronological.map(({ values }) => values[name]?.value ?? null),
  }))
  return html`${lineChart({
    id: 'fundamentals-chart',
    label: 'Revenue and net income by fiscal year',
    unit: currency,
    times: chronological.map(yearName),
    series,
    style: 'bars',
    decimals: 0,
    size: 'small',
  })}
${table({
  caption: html`Fiscal years in ${currency}, as filed. Each value links to its filing; a derived value is the sum of filed ones.`,
  columns: [
    'Item',
    ...years.map(year => ({ label: html`${yearName(year)}<br><span class="small">to ${day(year.period_end)}</span>`, numeric: true })),
    ...(ttm === null ? [] : [numeric('Last four quarters')]),
  ],
  rows: shown.map(([name, label]) => [
    label,
    ...years.map(({ values }) => cell(values[name] ?? null)),
    ...(ttm === null ? [] : [plainCell(ttm.values[name] ?? null)]),
  ]),
})}
${
  restatements.length > 0 &&
  html`<p class="small">${counted(restatements.length, 'figure')} of these years ${restatements.length === 1 ? 'was' : 'were'} restated by a later filing; the table shows the later ones.</p>`
}`
}

const yearName = ({ fiscal_year, period_end }: { readonly fiscal_year: number | null; readonly period_end: string }): string =>
  String(fiscal_year ?? period_end.slice(0, 4))

const shownValue = ({ value, unit }: { readonly value: number; readonly unit: string }): Content =>
  unit.includes('/') || Math.abs(value) < 1e6 ? number(value, { least: Number.isInteger(value) ? 0 : 2, most: 4 }) : compact(value)

/** A value with its filing, or how it was derived. */
function cell(value: Value | null): Content {
  if (value === null) return unknown
  const { accession, form, formula, filed_date } = value
  if (accession !== null)
    return html`<a class="value" href="${filingPath(accession)}" title="${form ?? 'filing'} ${accession}, filed ${filed_date}">${shownValue(value)}</a>`
  return html`${shownValue(value)} <span title="${formula ?? 'derived'}">${badge('derived')}</span>`
}
const plainCell = (value: { readonly value: number; readonly unit: string } | null): Content => (value === null ? unknown : shownValue(value))
