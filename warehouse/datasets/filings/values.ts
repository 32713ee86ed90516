// Everything that was read from one filing: the rows of every dataset as records of named values, with the place of a value in the document
// where the reader of the form states it.
import { type DatasetName, datasetOf } from '#schemas/index.ts'
import type { Lake } from '../../store/lake/lake.ts'

/** Offsets count characters of the document's source text. */
type ReadValue = { readonly field: string; readonly value: string; readonly start: number | null; readonly end: number | null }
export type ReadRecord = {
  readonly dataset: DatasetName
  /** Of the row in the filing; null if the filing has one row. */
  readonly line: number | null
  /** File name of the document that the row was read from; null: the only or main one. */
  readonly document: string | null
  readonly values: readonly ReadValue[]
  /** Of a 13F report. */
  readonly quarter: string | null
  readonly source: string
  readonly raw_sha256: string
}
type Row = Readonly<Record<string, unknown>> & { readonly source: string; readonly raw_sha256: string }

/** Datasets that the readers of a form fill, in their order in answers. */
const byForm: readonly (readonly [form: RegExp, datasets: readonly DatasetName[]])[] = [
  [/^[345](?:\/A)?$/, ['insider_filings', 'insider_transactions', 'insider_holdings']],
  [/^13F/, ['holdings_reports', 'holdings']],
  [/^(?:SC|SCHEDULE) 13[DG]/, ['ownership_schedules', 'ownership_persons']],
  [/./, ['offerings', 'offering_financials', 'report_items', 'report_exhibits', 'earnings_evidence', 'risk_factors']],
]
export const valueDatasets = [...new Set(byForm.flatMap(([, datasets]) => datasets))]
/** Rows in which `line` or `rank` is the number within the filing. */
const lineOf = (row: Row): number | null => {
  const line = row['line'] ?? row['rank']
  return line === undefined || line === null ? null : Number(line)
}

/** Columns that identify the row, hold a whole section, or state places. */
const left: ReadonlySet<string> = new Set(
  [
    'accession filing_id line rank cik issuer_key form filed_date known_from known_basis source raw_sha256 withdrawn release_from release text body',
    'text_sha256 use_of_proceeds_text use_of_proceeds_sha256 use_of_proceeds_start use_of_proceeds_end evidence source_start source_end start end',
    'document flags placeholder confidence owner_ciks owner_names value_usd quarter footnote_ids',
  ].flatMap(each => each.split(' ')),
)
const longest = 600

/** Rows of the filing, by dataset and line. `ciks`: its entities, under which most rows are kept. */
export async function findFilingValues(
  lake: Lake,
  { accession, form, ciks }: { readonly accession: string; readonly form: string; readonly ciks: readonly string[] },
  asOf: string | null,
): Promise<ReadRecord[]> {
  const datasets = byForm.find(([pattern]) => pattern.test(form))?.[1] ?? []
  const found: ReadRecord[] = []
  for (const name of datasets) {
    const { columns, key } = datasetOf(name)
    const order = key.includes('rank') ? 'rank' : key.includes('line') ? 'line' : 'accession'
    const rows = await lake.query<Row>(
      `select * from ${name} where accession = $accession order by ${order}`,
      { accession, as_of: asOf },
      { [name]: rangeOf(name, ciks, found) },
    )
    const names = columns.map(column => column.name).filter(column => !left.has(column))
    for (const row of rows) found.push(recordOf(name, row, names))
  }
  return found
}

/** The parts of a dataset that can hold rows of the filing: most are kept by entity, the lines of a 13F by the quarter of its report. */
function rangeOf(name: DatasetName, ciks: readonly string[], found: readonly ReadRecord[]): readonly string[] {
  if (name !== 'holdings') return ciks
  return [...new Set(found.flatMap(({ quarter }) => quarter ?? []))]
}

function recordOf(dataset: DatasetName, row: Row, names: readonly string[]): ReadRecord {
  const places = placesOf(row)
  const values = names.flatMap(name => flattened(name, row[name])).map(each => ({ ...each, ...(each.start === null ? places.get(each.field) : {}) }))
  const whole = wholePlace(dataset, row)
  return {
    dataset,
    line: lineOf(row),
    document: typeof row['document'] === 'string' ? row['document'] : null,
    values: values.map(each => (whole?.[0] === each.field && each.start === null ? { ...each, start: whole[1], end: whole[2] } : each)),
    quarter: typeof row['quarter'] === 'string' ? row['quarter'] : null,
    source: row.source,
    raw_sha256: row.raw_sha256,
  }
}

/** The value that represents a row whose place is stated: the heading of a factor, the title of an item, the figure of a table. */
const headOf: { readonly [D in DatasetName]?: string } = {
  report_items: 'item',
  risk_factors: 'heading',
  earnings_evidence: 'quote',
  offering_financials: 'value',
}
function wholePlace(dataset: DatasetName, row: Row): readonly [string, number, number] | null {
  const field = headOf[dataset]
  const [start, end] = [row['source_start'] ?? row['start'], row['source_end'] ?? row['end']]
  return field === undefined || start === null || start === undefined || end === null || end === undefined
    ? null
    : [field, Number(start), Number(end)]
}

type Stated = { readonly field: string; readonly start: number; readonly end: number }
function placesOf(row: Row): Map<string, { readonly start: number; readonly end: number }> {
  const stated = (row['evidence'] ?? []) as readonly Stated[]
  return new Map(stated.map(({ field, start, end }) => [field, { start: Number(start), end: Number(end) }]))
}

/** A value and its parts: `owners.1.name` is the name of the first owner. Null, empty texts and empty lists have none. */
function flattened(field: string, value: unknown): ReadValue[] {
  if (value === null || value === undefined || value === '') return []
  if (Array.isArray(value)) {
    if (value.every(each => each === null || typeof each !== 'object'))
      return value.length === 0 ? [] : [{ field, value: value.join(', '), start: null, end: null }]
    return value.flatMap((each, at) => flattened(`${field}.${at + 1}`, each))
  }
  if (typeof value === 'object') {
    const { start, end, ...members } = value as Readonly<Record<string, unknown>>
    const parts = Object.entries(members).flatMap(([name, member]) => flattened(`${field}.${name}`, member))
    return typeof start === 'number' && typeof end === 'number' && parts[0] ? [{ ...parts[0], start, end }, ...parts.slice(1)] : parts
  }
  const text = String(value)
  return [{ field, value: text.length > longest ? `${text.slice(0, longest)}…` : text, start: null, end: null }]
}
