// Applies the operator's corrections of filings when a dataset is read. Stored rows keep the filed values and their provenance; only the
// corrected columns differ. A release or an as_of before a correction returns the filed value.
import { filingKey } from '#schemas/corrections.ts'
import type { DatasetDefinition } from '#schemas/dataset.ts'

const quoted = (name: string): string => `"${name}"`
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The corrected value, JSON in `text`, as the column's type. */
function valueOf(text: string, type: string): string {
  const nested = type.endsWith('[]') || type.startsWith('STRUCT')
  return nested ? `(${text}::json)::${type}` : `(${text}::json ->> '$')::${type}`
}

/** The part of a row's key after its filing, as corrections name it. */
const rowKey = (rest: readonly string[]): string =>
  rest.length === 0 ? "''" : `concat_ws(' ', ${rest.map(column => `${quoted(column)}::varchar`).join(', ')})`

/**
 * `rows` (a SELECT of all columns of `dataset`) with the corrections of `fields` applied. `corrections` is a SELECT of the newest
 * version of each row of `filing_corrections`.
 */
export function withCorrections(dataset: DatasetDefinition, rows: string, corrections: string, fields: readonly string[]): string {
  const { filing, rest } = filingKey(dataset)
  const columns = dataset.columns.filter(column => fields.includes(column.name))
  if (columns.length === 0) return rows
  const changed = columns.map(
    ({ name }) => `bool_or(field = ${literal(name)}) as "is_${name}", any_value("value") filter (field = ${literal(name)}) as "to_${name}"`,
  )
  const replaced = columns.map(
    ({ name, type }) => `case when k."is_${name}" then ${valueOf(`k."to_${name}"`, type)} else n.${quoted(name)} end as ${quoted(name)}`,
  )
  const own = `select filing as k_filing, row_key as k_row, ${changed.join(', ')} from (${corrections}) where dataset = ${literal(dataset.name)} and not undone group by all`
  return `select n.* exclude (k_of) replace (${replaced.join(', ')}) from (select *, ${rowKey(rest)} as k_of from (${rows})) as n left join (${own}) as k on k.k_filing = n.${quoted(filing)} and k.k_row = n.k_of`
}

/** Lists which fields of which datasets were ever corrected: only those columns are read with corrections. */
export const correctedFieldsSql = (corrections: string): string =>
  `select dataset, list_sort(list(distinct field)) as fields from (${corrections}) group by dataset order by dataset`
