// What was read from a filing, by dataset: tables for rows of the same kind, names and values for the rest. A value with a known place leads
// to it.
import type { AnswerOf } from '#schemas/operations.ts'
import { hasElement } from '#warehouse/documents/xml-places.ts'
import { filingPath } from '../components/parts.ts'
import { facts, table } from '../components/table.ts'
import { type Content, type Html, html } from '../html.ts'
import { valueKey } from './document.ts'

type Values = AnswerOf<'get_filing_values'>
type ReadRecord = Values['records'][number]
type Shown = {
  readonly accession: string
  /** Values whose places are in the slice of the document that the page shows. */
  readonly placed: ReadonlySet<string>
  readonly at: string | undefined
  /** Values of these datasets may have places in the XML of a form that is not on the page: in another document, or outside of the slice. */
  readonly elsewhere: ReadonlySet<string>
}

type Column = { readonly field: string; readonly label: string; readonly numeric?: boolean; readonly tight?: boolean }
const column = (field: string, label: string, kind?: 'numeric' | 'tight'): Column => ({
  field,
  label,
  ...(kind === 'numeric' ? { numeric: true } : kind === 'tight' ? { tight: true } : {}),
})
const insiderColumns = [
  column('transaction_date', 'Day', 'tight'),
  column('code', 'Code', 'tight'),
  column('acquired_disposed', 'A/D', 'tight'),
  column('shares', 'Shares', 'numeric'),
  column('price', 'Price', 'numeric'),
  column('shares_after', 'Held after', 'numeric'),
  column('direct_or_indirect', 'D/I', 'tight'),
  column('nature_of_ownership', 'Nature'),
]
/** Datasets with many rows of a kind: their columns; all other values of a row are behind it. */
const tables: Readonly<Record<string, readonly Column[]>> = {
  insider_transactions: [column('security_title', 'Security'), ...insiderColumns],
  insider_holdings: [
    column('security_title', 'Security'),
    column('shares_after', 'Held', 'numeric'),
    column('direct_or_indirect', 'D/I', 'tight'),
    column('nature_of_ownership', 'Nature'),
    column('underlying_title', 'Underlying'),
    column('underlying_shares', 'Underlying shares', 'numeric'),
    column('exercise_date', 'Exercisable', 'tight'),
    column('expiration_date', 'Expires', 'tight'),
  ],
  holdings: [
    column('issuer_name', 'Issuer'),
    column('class_title', 'Class'),
    column('cusip', 'CUSIP', 'tight'),
    column('value', 'Value as filed', 'numeric'),
    column('shares', 'Shares', 'numeric'),
    column('shares_type', 'Kind', 'tight'),
    column('put_call', 'Option', 'tight'),
    column('voting_sole', 'Sole vote', 'numeric'),
  ],
  ownership_persons: [
    column('name', 'Person'),
    column('aggregate', 'Shares', 'numeric'),
    column('percent', 'Percent', 'numeric'),
    column('sole_voting', 'Sole vote', 'numeric'),
    column('shared_voting', 'Shared vote', 'numeric'),
    column('citizenship', 'Place', 'tight'),
    column('types', 'Type', 'tight'),
  ],
  report_items: [
    column('item', 'Item', 'tight'),
    column('title', 'Title'),
    column('status', 'State'),
    column('words', 'Words', 'numeric'),
    column('reason', 'Reason'),
  ],
  report_exhibits: [
    column('type', 'Exhibit', 'tight'),
    column('title', 'First line'),
    column('description', 'Description'),
    column('words', 'Words', 'numeric'),
  ],
  risk_factors: [column('heading', 'Risk factor'), column('group_heading', 'Group'), column('words', 'Words', 'numeric')],
  earnings_evidence: [
    column('kind', 'States', 'tight'),
    column('quote', 'In its words'),
    column('period_end', 'Period', 'tight'),
    column('announced_date', 'Day', 'tight'),
  ],
  offering_financials: [
    column('label', 'Line'),
    column('column_heading', 'Column'),
    column('value', 'Value', 'numeric'),
    column('unit', 'Unit', 'tight'),
    column('scale', 'Times', 'numeric'),
    column('basis', 'Basis', 'tight'),
  ],
}
/** Shown as rows where a single row has lists of the same kind. */
const titles: Readonly<Record<string, string>> = {
  insider_filings: 'The form',
  insider_transactions: 'Transactions',
  insider_holdings: 'Holdings',
  holdings_reports: 'Cover and summary',
  holdings: 'Information table',
  ownership_schedules: 'The schedule',
  ownership_persons: 'Reporting persons',
  report_items: 'Items',
  report_exhibits: 'Exhibits',
  risk_factors: 'Risk factors',
  earnings_evidence: 'Statements about results',
  offerings: 'The offering',
  offering_financials: 'Financial tables',
}

/** All records of the page, grouped by dataset. */
export function readValues(answer: Values, shown: Shown): Html {
  const groups = Map.groupBy(answer.records, each => each.dataset)
  return html`<div class="read">${[...groups].map(
    ([dataset, records]) => html`<h3 id="${dataset}">${titles[dataset] ?? dataset.replaceAll('_', ' ')}</h3>
${tables[dataset] ? rowsOf(dataset, tables[dataset] ?? [], records, shown) : records.map(record => single(record, shown))}`,
  )}</div>`
}

function rowsOf(dataset: string, columns: readonly Column[], records: readonly ReadRecord[], shown: Shown): Html {
  const used = columns.filter(({ field }) => records.some(({ values }) => values.some(each => each.field === field)))
  return html`${table({
    caption: titles[dataset] ?? dataset,
    captionHidden: true,
    columns: [{ label: '#', tight: true }, ...used],
    rows: records.map(record => [String(record.line ?? 1), ...used.map(({ field, numeric }) => cell(record, field, shown, numeric === true))]),
    tall: records.length > 15,
  })}
${records.map(record => footnotes(record, shown))}
<details><summary>All values of these rows</summary>${records.map(record => html`<h4>Row ${record.line ?? 1}</h4>${allFacts(record, shown)}`)}</details>`
}

const listField = /^(\w+)\.(\d+)\.([\w.]+)$/
/** Members of lists that are shown first; a list that is not named here shows all. */
const listColumns: Readonly<Record<string, readonly string[]>> = {
  owners: ['name', 'cik', 'director', 'officer', 'ten_percent_owner', 'officer_title', 'other_text', 'city', 'state'],
  uses: ['purpose', 'amount', 'amount_high', 'pct', 'category', 'text'],
  sensitivity: ['driver', 'change', 'effect', 'text'],
  items: ['item', 'title', 'text'],
}

/** A row with lists: its values, then a table for each list. */
function single(record: ReadRecord, shown: Shown): Html {
  const lists = Map.groupBy(
    record.values.filter(({ field }) => listField.test(field) && !field.startsWith('footnotes.')),
    ({ field }) => field.split('.')[0] ?? '',
  )
  return html`${facts(record.values.filter(({ field }) => !listField.test(field)).map(({ field }) => [label(field), cell(record, field, shown, false)] as const))}
${[...lists].map(([list, values]) => {
  const members = [...new Set(values.map(({ field }) => listField.exec(field)?.[3] ?? ''))]
  const columns = (listColumns[list] ?? members).filter(member => members.includes(member))
  const numbers = [...new Set(values.map(({ field }) => listField.exec(field)?.[2] ?? ''))]
  return html`<h4>${label(list)}</h4>${table({
    caption: label(list),
    captionHidden: true,
    columns: columns.map(member => ({ label: label(member), numeric: quantities.test(member) })),
    rows: numbers.map(number => columns.map(member => cell(record, `${list}.${number}.${member}`, shown, quantities.test(member)))),
  })}`
})}
${footnotes(record, shown)}`
}

const allFacts = (record: ReadRecord, shown: Shown): Html =>
  html`${facts(record.values.filter(({ field }) => !field.startsWith('footnotes.')).map(({ field }) => [label(field), cell(record, field, shown, false)] as const))}${footnotes(record, shown)}`

/** Each footnote that the row or the form has, with what it belongs to. */
function footnotes(record: ReadRecord, shown: Shown): Content {
  const numbers = [...new Set(record.values.flatMap(({ field }) => /^footnotes\.(\d+)\./.exec(field)?.[1] ?? []))]
  if (numbers.length === 0) return null
  const of = (number: string, member: string) => record.values.find(({ field }) => field === `footnotes.${number}.${member}`)
  return html`<dl class="reasons">${numbers.map(
    number =>
      html`<dt>Footnote ${of(number, 'id')?.value}${of(number, 'field') && html` to ${label(of(number, 'field')?.value ?? '').toLowerCase()}${record.line !== null && ` of row ${record.line}`}`}</dt><dd>${cell(record, `footnotes.${number}.text`, shown, false)}</dd>`,
  )}</dl>`
}

/** A value with its correction, as a link to its place if it has one. */
function cell(record: ReadRecord, field: string, { accession, placed, at, elsewhere }: Shown, numeric: boolean): Content {
  const found = record.values.find(each => each.field === field)
  if (found === undefined) return null
  const key = valueKey({ dataset: record.dataset, line: record.line, field })
  const text = printed(field, found.value, numeric)
  const correction = record.corrected?.find(each => each.field === field)
  const mark = correction && html` <span class="badge warn" title="${`filed as ${String(correction.filed)}: ${correction.reason}`}">corrected</span>`
  const further = found.start !== null || (elsewhere.has(record.dataset) && hasElement(field))
  if (!placed.has(key) && !further) return html`${text}${mark}`
  return html`<a class="placed" href="${`${filingPath(accession)}?at=${encodeURIComponent(key)}#at`}" data-at="${key}"${key === at && html` aria-current="true"`}>${text}</a>${mark}`
}

const grouped = /^(-?)(\d{4,})(\.\d+)?$/
/** Fields whose digits are numbers to read, not identifiers. */
const quantities =
  /(?:shares|price|value|amount|count|gross|net|total|proceeds|underwriting|expenses|trust|words|voting|dispositive|aggregate|sum)(?:_\w+)?$/
function printed(field: string, value: string, numeric: boolean): string {
  const match = grouped.exec(value)
  if (!match || !(numeric || quantities.test(field))) return value === 'true' ? 'yes' : value === 'false' ? 'no' : value.replaceAll('_', ' ')
  const [, sign = '', whole = '', fraction = ''] = match
  return `${sign === '-' ? '\u2212' : ''}${whole.replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',')}${fraction}`
}

/** `owners.1.officer_title` as `Owner 1: officer title`. */
export function label(field: string): string {
  const [list, number, ...member] = field.split('.')
  const words = (name: string): string =>
    name
      .replaceAll('_', ' ')
      .replace(/\bcik\b/g, 'CIK')
      .replace(/\bcusips?\b/g, 'CUSIP')
      .replace(/10b5 1/, '10b5-1')
  const text =
    number === undefined
      ? words(field)
      : `${words(list ?? '').replace(/s$/, '')} ${number}${member.length === 0 ? '' : `: ${words(member.join(' '))}`}`
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
