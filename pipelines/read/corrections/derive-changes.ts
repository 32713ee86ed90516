// From one corrected value to every stored value that follows from it by rule: the class of a transaction code, a holding's dollars, the sum
// of a 13F table, the key of an issuer's name. A pure function of the filing's rows and of the corrections in force.
import { filingKey } from '#schemas/corrections.ts'
import { difference, shiftDecimal, sumOf } from '#schemas/decimals.ts'
import { type DatasetName, datasetOf } from '#schemas/index.ts'
import { issuerKey } from '#schemas/issuer-name.ts'
import { codeClass } from '../insider/codes.ts'
import type { Change } from './document.ts'

type Values = Readonly<Record<string, unknown>>
/** One row of a filing: as filed, with the corrections in force, and which fields the operator (null) or a rule (its cause) corrected. */
export type FilingRow = {
  readonly dataset: DatasetName
  readonly row_key: string
  readonly filed: Values
  readonly current: Values
  readonly corrected: ReadonlyMap<string, string | null>
}

/** The row's key within its filing: its line, or another column of the key; empty if the filing has one row. */
export const rowKeyOf = (dataset: DatasetName, row: Values): string =>
  filingKey(datasetOf(dataset))
    .rest.map(column => String(row[column]))
    .join(' ')

const json = (value: unknown): string => JSON.stringify(value ?? null)

/** `value` undefined: the filed value applies again. Returns the changes of the field and of what follows from it. */
export function changesOf(rows: readonly FilingRow[], at: FilingRow, field: string, value: unknown): Change[] {
  const next = new Map<FilingRow, Record<string, unknown>>(rows.map(row => [row, { ...row.current }]))
  const wanted = next.get(at) as Record<string, unknown>
  wanted[field] = value === undefined ? at.filed[field] : value
  const changes = [changeOf(at, field, wanted[field], null, value === undefined)]
  const cause = `${at.dataset}.${field}`
  const follow = (row: FilingRow, name: string, computed: unknown): void => {
    // A value that the operator gave is not overwritten by a rule.
    const own = row === at && name === field
    if (own || row.corrected.get(name) === null) return
    const target = next.get(row) as Record<string, unknown>
    if (json(row.current[name]) === json(computed)) return
    target[name] = computed
    changes.push(changeOf(row, name, computed, cause, json(row.filed[name]) === json(computed)))
  }
  const of = (row: FilingRow): Record<string, unknown> => next.get(row) as Record<string, unknown>
  if (cause === 'insider_transactions.code') follow(at, 'code_class', codeClass(wanted['code'] as string | null))
  if (cause === 'holdings.issuer_name') follow(at, 'issuer_key', issuerKey((wanted['issuer_name'] as string | null) ?? ''))
  const report = rows.find(row => row.dataset === 'holdings_reports')
  const table = rows.filter(row => row.dataset === 'holdings')
  if (cause === 'holdings.value' || cause === 'holdings_reports.unit') {
    const unit = (report ? of(report)['unit'] : unitOf(at)) as 'dollars' | 'thousands' | null
    for (const row of cause === 'holdings.value' ? [at] : table) follow(row, 'value_usd', inDollars(of(row)['value'] as string | null, unit))
  }
  if (report && cause === 'holdings.value' && table.length === Number(report.filed['rows_read']))
    follow(report, 'value_sum', sumOf(table.flatMap(row => (of(row)['value'] as string | null) ?? [])))
  if (report && ['holdings.value', 'holdings_reports.value_sum', 'holdings_reports.value_total'].includes(cause)) {
    const { value_sum: sum, value_total: total } = of(report)
    follow(report, 'value_difference', typeof total === 'string' ? difference(String(sum), total) : null)
  }
  return changes
}

function changeOf(row: FilingRow, field: string, value: unknown, follows: string | null, undone: boolean): Change {
  return {
    dataset: row.dataset,
    row_key: row.row_key,
    field,
    filed: json(row.filed[field]),
    value: undone ? null : json(value),
    undone,
    follows,
    document_sha256: String(row.filed['raw_sha256']),
  }
}

const inDollars = (value: string | null, unit: 'dollars' | 'thousands' | null): string | null =>
  value === null || unit === null ? null : unit === 'dollars' ? value : shiftDecimal(value, 3)

/** The unit of a row whose report is not held, by its own two values. */
function unitOf({ filed }: FilingRow): 'dollars' | 'thousands' | null {
  const { value, value_usd } = filed
  if (typeof value !== 'string' || typeof value_usd !== 'string') return null
  return value === value_usd ? 'dollars' : 'thousands'
}
