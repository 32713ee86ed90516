// `/m/{cik}`: the holdings that a manager reported on Form 13F for a quarter, how they add up, and what changed since the quarter before.
import { question } from '#schemas/operations/operation.ts'
import { cik, cursor, quarter } from '#schemas/operations/parameters.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { change, compact, day, number, orUnknown, percent } from '../components/format.ts'
import { badge, shown } from '../components/notice.ts'
import { answerLinks, companyLink, filingPath, linkTabs, managerPath, pageHead, pager, section } from '../components/parts.ts'
import { facts, numeric, table, tight } from '../components/table.ts'
import { type Content, html, join } from '../html.ts'
import { page } from '../page.ts'
import { counted } from '../words.ts'

const quartersShown = 8
const changeTones = { new: 'good', added: 'good', reduced: 'warn', sold_out: 'bad', unchanged: 'plain' } as const
const changeWords = { new: 'new', added: 'added', reduced: 'reduced', sold_out: 'sold out', unchanged: 'unchanged' } as const
const unitWords = {
  filing_date: 'by the date of the filing (thousands before 2023-01-03, dollars since)',
  form_version: 'by the version of the form',
  implied_price: 'corrected, because the printed values only fit the prices of that day in the other unit',
  cover_ratio: 'corrected, because the table adds up to the cover page only in the other unit',
  price: 'confirmed by the prices of that day',
} as const

export const managerPage = page('/m/{cik}', 'Manager', {
  summary: 'Holdings that a manager reported on Form 13F, with sums that tie to the cover page and changes by quarter.',
  question: question({ cik: cik('CIK of the manager', '0009980001'), period: quarter('the quarter, by its last day').optional(), cursor }),
  operations: ['get_13f_manager', 'get_13f_changes'],
  sample: '/m/0009980001',
  async render({ question: { cik: id, period, cursor: after }, ask }) {
    const query = { cik: id, ...(period === undefined ? {} : { period }) }
    const [holdings, changes] = await Promise.all([
      ask('get_13f_manager', { ...query, limit: 100, ...(after === undefined ? {} : { cursor: after }) }),
      ask('get_13f_changes', { ...query, limit: 200 }),
    ])
    const name = holdings.ok ? (holdings.value.manager ?? `Manager ${id}`) : `Manager ${id}`
    const here = managerPath(id)
    const address = (next: string | null): string | null =>
      next === null
        ? null
        : `${here}?${new URLSearchParams({ ...(holdings.ok ? { period: holdings.value.quarter } : {}), ...(next === '' ? {} : { cursor: next }) })}#holdings`
    return {
      title: name,
      main: html`${pageHead(name, html`Institutional investment manager, CIK <code>${id}</code>. Holdings as reported on Form 13F.`)}
${
  holdings.ok &&
  holdings.value.quarters.length > 1 &&
  linkTabs(
    'Quarter',
    holdings.value.quarters
      .slice(0, quartersShown)
      .map(each => ({ label: quarterName(each), href: `${here}?period=${each}`, current: each === holdings.value.quarter })),
  )
}
<div class="panels">
${section({
  id: 'totals',
  wide: true,
  title: holdings.ok ? html`Totals of ${quarterName(holdings.value.quarter)}` : 'Totals',
  tools: answerLinks(holdings, 'holdings'),
  body: shown(holdings, 'Holdings', totalsOf),
})}
${section({
  id: 'reports',
  title: 'Filings and their sums',
  wide: true,
  lead: 'The sum of the rows is compared with the total that the cover page prints. A restatement replaces the table before it; new holdings are added to it.',
  body: shown(holdings, 'Filings', reportsTable),
})}
${section({
  id: 'changes',
  title: changes.ok ? html`Changes since ${quarterName(changes.value.quarter_before)}` : 'Changes',
  wide: true,
  tools: answerLinks(changes, 'changes'),
  body: shown(changes, 'Changes', changesOf),
})}
${section({
  id: 'holdings',
  title: 'Holdings',
  wide: true,
  tools: answerLinks(holdings, 'holdings'),
  body: shown(holdings, 'Holdings', ({ holdings: rows, next_cursor }) => [
    table({
      caption: 'Rows of the information table that count, in the order of the filing',
      captionHidden: true,
      columns: ['Security', tight('CUSIP'), 'Kind', numeric('Shares'), numeric('Value'), numeric('Sole vote'), tight('Filing')],
      rows: rows.map(each => [
        [securityName(each), each.corrected !== undefined && html` ${badge('corrected', 'warn')}`],
        each.cusip ?? each.cusip_filed,
        each.put_call === null ? (each.shares_type === 'PRN' ? 'principal' : 'shares') : badge(each.put_call, 'info'),
        orUnknown(each.shares, value => number(value)),
        orUnknown(each.value_usd, value => compact(value, 'USD')),
        orUnknown(each.voting_sole, value => number(value)),
        each.accession === null ? null : html`<a class="source" href="${filingPath(each.accession)}">line ${each.line}</a>`,
      ]),
      empty: 'No holding is reported for this quarter.',
    }),
    pager({ first: after === undefined ? null : address(''), next: address(next_cursor) }),
  ]),
})}
</div>`,
    }
  },
})

type Holdings = AnswerOf<'get_13f_manager'>
const totalsOf = ({ totals, coverage, reports, other_managers }: Holdings): Content => [
  coverage.status !== 'reported' && html`<p class="empty">${coverage.note}</p>`,
  facts([
    ['Rows of the table', number(totals.holdings_count)],
    ['Positions', number(totals.positions_count)],
    ['Value', orUnknown(totals.value_usd, value => compact(value, 'USD'))],
    ['Puts', orUnknown(totals.put_value_usd, value => compact(value, 'USD'))],
    ['Calls', orUnknown(totals.call_value_usd, value => compact(value, 'USD'))],
    ['Securities without a listing here', number(totals.unmatched_count)],
  ]),
  reports.length > 0 &&
    html`<p class="small">${counted(reports.length, 'filing')} of this quarter${other_managers.length > 0 && html`, also for ${counted(other_managers.length, 'other manager')}`}.</p>`,
]

const reportsTable = ({ reports }: Holdings): Content =>
  table({
    caption: 'Form 13F filings of the quarter',
    captionHidden: true,
    columns: [tight('Filing'), tight('Filed'), 'Effect', numeric('Rows'), numeric('Sum'), numeric('Cover page'), numeric('Difference'), 'Unit'],
    rows: reports.map(each => [
      each.accession === null ? each.form : html`<a href="${filingPath(each.accession)}">${each.form}</a>`,
      each.filed_date === null ? null : day(each.filed_date),
      [
        badge(each.role.replaceAll('_', ' '), each.role === 'base' || each.role === 'adds' ? 'good' : 'plain'),
        each.flags.length > 0 &&
          html` ${join(
            each.flags.map(flag => badge(flag.replaceAll('_', ' '), 'warn')),
            ' ',
          )}`,
      ],
      number(each.rows_read),
      compact(each.value_sum, 'USD'),
      orUnknown(each.value_total, value => compact(value, 'USD')),
      orUnknown(each.value_difference, value => number(value)),
      each.unit === null || each.unit_source === null ? null : html`${each.unit}, ${unitWords[each.unit_source]}`,
    ]),
    empty: 'No filing of this quarter is held.',
  })

const changesOf = ({ status, counts, changes: rows, coverage }: AnswerOf<'get_13f_changes'>): Content =>
  status !== 'compared'
    ? html`<p class="empty">${status === 'no_report' ? coverage.note : 'The quarter before has no report to compare with.'}</p>`
    : [
        facts([
          ['New', number(counts.new)],
          ['Added', number(counts.added)],
          ['Reduced', number(counts.reduced)],
          ['Sold out', number(counts.sold_out)],
          ['Unchanged', number(counts.unchanged)],
        ]),
        table({
          caption: 'Positions that changed; shares of the quarter before are adjusted for splits',
          columns: ['Security', 'Change', numeric('Shares'), numeric('Before'), numeric('Difference'), numeric('Value')],
          rows: rows
            .filter(each => each.change !== 'unchanged')
            .map(each => [
              securityName(each),
              badge(changeWords[each.change], changeTones[each.change]),
              orUnknown(each.shares, value => number(value)),
              orUnknown(each.shares_before, value => number(value)),
              change(
                each.shares_change,
                `${number(each.shares_change)}${each.shares_change_pct === null ? '' : ` (${percent(each.shares_change_pct, 1)})`}`,
              ),
              orUnknown(each.value_usd, value => compact(value, 'USD')),
            ]),
          empty: 'No position changed.',
          tall: true,
        }),
      ]

type Security = { readonly issuer_name: string | null; readonly class_title: string | null; readonly symbol: string | null }
const securityName = ({ issuer_name, class_title, symbol }: Security): Content =>
  html`${symbol !== null && html`${companyLink(symbol)} `}${issuer_name ?? 'name not given'}${class_title !== null && html` <span class="soft">${class_title}</span>`}`

/** `2026-09-30` and `2026Q3` give `Q3 2026`. */
export function quarterName(quarterEnd: string): string {
  const [, year = '', rest = ''] = /^(\d{4})-?(Q\d|\d\d)/.exec(quarterEnd) ?? []
  return rest.startsWith('Q') ? `${rest} ${year}` : year === '' ? quarterEnd : `Q${Math.ceil(Number(rest) / 3)} ${year}`
}
