// What was read from a filing, by dataset: tables for rows of the same kind, names and values for the rest. A value with a known place leads
// to it.
import type { AnswerOf } from '#schemas/operations.ts'
import { hasElement } from '#warehouse/documents/xml-places.ts'
import { filingPath } from '../components/parts.ts'
import { type Column, facts, isNumeric, numeric, table, tight } from '../components/table.ts'
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

/** Columns by the field that they show, in their order. */
type Columns = Readonly<Record<string, Column>>
const insiderColumns: Columns = {
  transaction_date: tight('Day'),
  code: tight('Code'),
  acquired_disposed: tight('A/D'),
  shares: numeric('Shares'),
  price: numeric('Price'),
  shares_after: numeric('Held after'),
  direct_or_indirect: tight('D/I'),
  nature_of_ownership: 'Nature',
}
/** Datasets with many rows of a kind: their columns; all other values of a row are behind it. */
const tables: Readonly<Record<string, Columns>> = {
  insider_transactions: { security_title: 'Security', ...insiderColumns },
  insider_holdings: {
    security_title: 'Security',
    shares_after: numeric('Held'),
    direct_or_indirect: tight('D/I'),
    nature_of_ownership: 'Nature',
    underlying_title: 'Underlying',
    underlying_shares: numeric('Underlying shares'),
    exercise_date: tight('Exercisable'),
    expiration_date: tight('Expires'),
  },
  holdings: {
    issuer_name: 'Issuer',
    class_title: 'Class',
    cusip: tight('CUSIP'),
    value: numeric('Value as filed'),
    shares: numeric('Shares'),
    shares_type: tight('Kind'),
    put_call: tight('Option'),
    voting_sole: numeric('Sole vote'),
  },
  ownership_persons: {
    name: 'Person',
    aggregate: numeric('Shares'),
    percent: numeric('Percent'),
    sole_voting: numeric('Sole vote'),
    shared_voting: numeric('Shared vote'),
    citizenship: tight('Place'),
    types: tight('Type'),
  },
  report_items: {
    item: tight('Item'),
    title: 'Title',
    status: 'State',
    words: numeric('Words'),
    reason: 'Reason',
  },
  report_exhibits: {
    type: tight('Exhibit'),
    title: 'First line',
    description: 'Description',
    words: numeric('Words'),
  },
  risk_factors: { heading: 'Risk factor', group_heading: 'Group', words: numeric('Words') },
  earnings_evidence: {
    kind: tight('States'),
    quote: 'In its words',
    period_end: tight('Period'),
    announced_date: tight('Day'),
  },
  offering_financials: {
    label: 'Line',
    column_heading: 'Column',
    value: numeric('Value'),
    unit: tight('Unit'),
    scale: numeric('Times'),
    basis: tight('Basis'),
  },
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
${tables[dataset] ? rowsOf(dataset, tables[dataset] ?? {}, records, shown) : records.map(record => single(record, shown))}`,
  )}</div>`
}

function rowsOf(dataset: string, columns: Columns, records: readonly ReadRecord[], shown: Shown): Html {
  const used = Object.entries(columns).filter(([field]) => records.some(({ values }) => values.some(each => each.field === field)))
  return html`${table({
    caption: titles[dataset] ?? dataset,
    captionHidden: true,
    columns: [tight('#'), ...used.map(([, column]) => column)],
    rows: records.map(record => [String(record.line ?? 1), ...used.map(([field, column]) => cell(record, field, shown, isNumeric(column)))]),
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
function cell(record: ReadRecord, field: string, { accession, placed, at, elsewhere }: Shown, isNumber: boolean): Content {
  const found = record.values.find(each => each.field === field)
  if (found === undefined) return null
  const key = valueKey({ dataset: record.dataset, line: record.line, field })
  const text = printed(field, found.value, isNumber)
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
function printed(field: string, value: string, isNumber: boolean): string {
  const match = grouped.exec(value)
  if (!match || !(isNumber || quantities.test(field))) return value === 'true' ? 'yes' : value === 'false' ? 'no' : value.replaceAll('_', ' ')
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
