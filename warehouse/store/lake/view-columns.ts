// The meaning of each column of the views of warehouse.duckdb: the comment of the column, and its text in docs/reference/views.md.
import { z } from 'zod'
import { columnText } from '#schemas/column-texts.ts'
import type { DatasetDefinition } from '#schemas/dataset.ts'
import { type DatasetName, datasetOf } from '#schemas/index.ts'

/** Columns of every dataset, by name. */
export const provenanceTexts: Readonly<Record<string, string>> = Object.fromEntries(
  ['known_from', 'known_basis', 'source', 'raw_sha256', 'withdrawn', 'release_from'].map(name => [name, columnText('', name) ?? '']),
)

/** Columns of views that are not columns of a dataset. */
const derived: Readonly<Record<string, string>> = {
  address: 'the address of the bucket',
  adjusted_close: 'the close adjusted for splits and cash dividends (Yahoo/CRSP convention)',
  split_open: 'the open adjusted for splits',
  split_high: 'the high adjusted for splits',
  split_low: 'the low adjusted for splits',
  split_close: 'the close adjusted for splits',
  split_volume: 'the volume adjusted for splits',
  version: 'the version of the Delta log of the dataset',
  committed_at: 'the instant of the release; null for release 0, which is before the first commit and has no rows',
  split_factor: 'old shares for each new one of the splits of the ex-date: 0.5 for 2 new for 1 old',
  correction_reason: 'why the row was corrected; null if it was not',
  dataset: 'the name of the dataset',
  sha256: 'the SHA-256 of the file',
  found: 'how the file is damaged',
  amount_in_price_currency: 'amount in price_currency, at fx_rate',
  price_currency: 'the currency of the price',
  amount_split_adjusted: 'amount_in_price_currency per share of today',
  from_date: 'the first day; 0001-01-01: no beginning',
  price_multiplier: 'the product of the price factors of later actions',
  split_multiplier: 'the product of the split ratios of later actions',
  catalogue_version: 'the number of the catalogue, which also rises with a compaction',
  release: 'the number of the release',
}

/** Columns whose meaning differs from that of other views, by view. */
const ofView: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  releases: { kind: 'what made the version: commit, compaction, schema or remade' },
  listing_spans: { to_date: 'the last day; 9999-12-31: no end' },
  factor_rows: { to_date: 'the day after the last' },
  factor_steps: { to_date: 'the day after the last' },
}

/** The values of a column that allows only some; empty for others. */
function valuesOf(dataset: DatasetDefinition, column: string): readonly string[] {
  const schema = dataset.facts.shape[column]
  const inner = schema instanceof z.ZodNullable ? schema.unwrap() : schema
  return inner instanceof z.ZodEnum ? inner.options.map(String) : []
}

const textOf = (dataset: DatasetDefinition, column: string): string | null => dataset.columns.find(each => each.name === column)?.description ?? null

/** The meaning of a column of the view of a dataset. Throws `TypeError` if the code states none. */
export function meaningOf(dataset: DatasetDefinition, column: string): string {
  // DuckDB adds _1 to the second column of a name: a dataset can have a column that is called like the digits of another one.
  const repeated = /^(.+_printed)_1$/.exec(column)?.[1]
  if (repeated !== undefined) return `\`${repeated}\` as the dataset has it: ${textOf(dataset, repeated) ?? 'the printed text'}`
  const base = column.endsWith('_printed') && dataset.columns.every(({ name }) => name !== column) ? column.slice(0, -'_printed'.length) : null
  if (base !== null) return `the digits of \`${base}\` as printed`
  const described = textOf(dataset, column)
  const values = valuesOf(dataset, column).join(', ')
  if (described === null) throw new TypeError(`${dataset.name}.${column}: describe the column in schemas/column-texts.ts`)
  return values === '' ? described : `${described}: ${values}`
}

/** Datasets whose columns a view repeats, by the view's name. */
const originOf: Readonly<Record<string, readonly DatasetName[]>> = {
  applied_actions: ['corporate_actions', 'adjustment_factors'],
  bars_adjusted: ['bars'],
  bars_corrected: ['bars'],
  dividends: ['corporate_actions', 'adjustment_factors'],
  listing_spans: ['symbols'],
  factor_rows: ['adjustment_factors'],
  factor_steps: ['adjustment_factors'],
  restatement_ledger: ['adjustment_factors'],
}

/** The meaning of a column of a view that is not of one dataset. Throws `TypeError` if neither its datasets nor the table above has it. */
export function derivedMeaning(view: string, column: string): string {
  const own = ofView[view]?.[column]
  if (own !== undefined) return own
  if (Object.hasOwn(derived, column)) return derived[column] as string
  if (Object.hasOwn(provenanceTexts, column)) return provenanceTexts[column] as string
  const dataset = (originOf[view] ?? []).map(datasetOf).find(({ columns }) => columns.some(({ name }) => name === column.replace(/_printed$/, '')))
  if (dataset === undefined) throw new TypeError(`${view}.${column}: describe the column in warehouse/store/lake/view-columns.ts`)
  return meaningOf(dataset, column)
}
