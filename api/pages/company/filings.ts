// What the issuer and its insiders filed: filings, insider trades, risk factors, holders, analysts.
import type { AnswerOf } from '#schemas/operations.ts'
import { compact, day, number, orUnknown, price, unknown } from '../components/format.ts'
import { badge } from '../components/notice.ts'
import { companyPath, filingLink, managerPath } from '../components/parts.ts'
import { facts, numeric, table, tight } from '../components/table.ts'
import { type Html, html } from '../html.ts'
import { sentence } from '../words.ts'

const mostRows = 8

export const filingsTable = ({ filings }: AnswerOf<'search_filings'>): Html =>
  table({
    caption: 'Newest filings',
    captionHidden: true,
    columns: [tight('Filed'), tight('Form'), 'Description', 'By'],
    rows: filings
      .slice(0, mostRows)
      .map(({ filed_date, form, form_title, company, accession, items }) => [
        day(filed_date),
        filingLink(accession, form),
        html`${form_title}${items.length > 0 && html` <span class="small">items ${items.join(', ')}</span>`}`,
        company,
      ]),
    empty: 'No filing of this issuer is held.',
  })

const codes: Readonly<Record<string, readonly [string, 'good' | 'bad' | 'plain']>> = {
  open_market_buy: ['bought', 'good'],
  open_market_sell: ['sold', 'bad'],
}

export function insidersTable({ transactions, coverage, coverage_note, ticker }: AnswerOf<'get_form4'>): Html {
  return html`${table({
    caption: 'Newest transactions on Forms 3, 4 and 5',
    captionHidden: true,
    columns: [tight('Day'), 'Insider', tight('What'), numeric('Shares'), numeric('Price'), numeric('Held after'), tight('Form')],
    rows: transactions.slice(0, mostRows).map(line => {
      const [word, tone] = codes[line.code_class ?? ''] ?? [(line.code_class ?? line.code ?? 'other').replaceAll('_', ' '), 'plain']
      return [
        orUnknown(line.transaction_date, day),
        line.owner_names.join(', '),
        html`${badge(word, tone)}${line.plan_10b5_1 === 'yes' && html` ${badge('plan')}`}`,
        orUnknown(line.shares, value => number(value)),
        orUnknown(line.price, price),
        orUnknown(line.shares_after, value => number(value)),
        filingLink(line.accession, line.form),
      ]
    }),
    empty: sentence(coverage?.sentence ?? coverage_note ?? 'no transaction is held'),
  })}${ticker !== null && html`<p class="small"><a href="${`${companyPath(ticker)}/insiders`}">All trades over the price, with clusters and what followed</a></p>`}`
}

const classNames = [
  ['new', 'New', 'warn'],
  ['removed', 'Removed', 'info'],
  ['modified', 'Reworded', 'warn'],
  ['modified_minor', 'Slightly reworded', 'warn'],
  ['rewritten', 'Rewritten', 'warn'],
  ['numbers_only', 'Only numbers', 'plain'],
  ['moved', 'Moved', 'plain'],
  ['unchanged', 'Unchanged', 'plain'],
] as const

export function riskFactors({ summary, changes, old, new: current, coverage, ticker, form }: AnswerOf<'get_filing_diff'>): Html {
  if (summary === null || old === null || current === null) return html`<p class="empty">${sentence(coverage.detail)}</p>`
  const marked = changes.filter(each => each.class !== 'unchanged' && each.class !== 'numbers_only').slice(0, 6)
  return html`<p>${current.form} of ${day(current.filed_date)} against that of ${day(old.filed_date)}.</p>
${facts(classNames.map(([name, label]) => [label, number(summary[name])]))}
${table({
  caption: 'Factors that changed',
  columns: [tight('Change'), 'Factor'],
  rows: marked.map(change => {
    const [, label, tone] = classNames.find(([name]) => name === change.class) ?? ['', change.class.replaceAll('_', ' '), 'plain' as const]
    return [badge(label, tone), (change.new[0] ?? change.old[0])?.heading ?? unknown]
  }),
  empty: 'No factor was added, removed or changed.',
})}
<p class="small"><a href="${`${companyPath(ticker)}/risk-factors?form=${encodeURIComponent(form)}`}">Compare word by word</a></p>`
}

export const holdersTable = ({ holders, quarter, coverage }: AnswerOf<'get_13f_issuer'>): Html =>
  table({
    caption: html`Largest positions by Form 13F for ${quarter}`,
    columns: ['Manager', numeric('Shares'), numeric('Value'), tight('Filing')],
    rows: holders
      .filter(({ put_call }) => put_call === null)
      .slice(0, mostRows)
      .map(({ manager, manager_cik, shares, value_usd, accession }) => [
        html`<a href="${managerPath(manager_cik)}">${manager ?? manager_cik}</a>`,
        orUnknown(shares, value => number(value)),
        orUnknown(value_usd, value => compact(value, 'USD')),
        filingLink(accession, '13F'),
      ]),
    empty: coverage.note ?? 'No manager reports a position.',
  })

export function analystsTable({ consensus, coverage }: AnswerOf<'get_analyst_recs'>): Html {
  const rows = consensus.flatMap(({ source_name, current }) => (current === null ? [] : [{ source_name, ...current }]))
  return table({
    caption: 'As the sources count and print it',
    columns: [
      tight('Source'),
      tight('Month'),
      ...['Strong buy', 'Buy', 'Hold', 'Sell', 'Strong sell', 'Mean target'].map(label => ({ label, numeric: true })),
    ],
    rows: rows.map(row => [
      row.source_name,
      row.month,
      ...[row.strong_buy, row.buy, row.hold, row.sell, row.strong_sell].map(value => orUnknown(value, each => number(each))),
      row.target_mean === null ? unknown : html`${price(row.target_mean)} ${row.target_currency}`,
    ]),
    empty: coverage.sentence,
  })
}
