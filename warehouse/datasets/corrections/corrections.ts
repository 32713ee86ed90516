import { type FilingCorrection, filingKey } from '#schemas/corrections.ts'
import { type DatasetName, datasetOf } from '#schemas/index.ts'
import type { Lake } from '../../store/lake/lake.ts'
import { sqlIn } from '../../store/sql-files.ts'

const statements = sqlIn(import.meta.dirname, ['find-corrections', 'find-versions'])

type Found = Pick<FilingCorrection, 'filing' | 'dataset' | 'row_key' | 'field' | 'filed' | 'value' | 'reason' | 'evidence' | 'known_from'>
/** `filed` and `value` as printed: decimals as numbers with their digits. */
type Shown = Pick<Found, 'field' | 'reason' | 'evidence' | 'known_from'> & { readonly filed: unknown; readonly value: unknown }
export type CorrectionVersion = Found & Pick<FilingCorrection, 'undone' | 'follows' | 'raw_sha256'> & { readonly release_from: number }

/** A row of a filing: its dataset and the rest of its key (a line, or nothing if the filing has one row). */
type RowPlace = readonly [dataset: DatasetName, rowKey?: string | number]
/** Identifies one row of a filing in an answer with several rows. */
export type RowLine = { readonly dataset: DatasetName; readonly filing: string; readonly line: string | number }
/** Corrections by row. Both functions return `{ corrected: […] }` to spread into the printed row, or an empty object if nothing is corrected. */
export type Corrections = {
  /** Of rows of one filing that are printed as one. */
  readonly of: (filing: string, ...places: readonly RowPlace[]) => { readonly corrected?: readonly Shown[] }
  /** Of lines of several filings that one printed row is made of; each correction names its line. */
  readonly ofLines: (lines: readonly RowLine[]) => {
    readonly corrected?: readonly object[]
  }
}

const nothing: Corrections = { of: () => ({}), ofLines: () => ({}) }

/** The corrections of filings that apply at the lake's release and `asOf`. Costs a query only if the operator corrected something. */
export async function findCorrections(lake: Lake, filings: readonly string[], asOf: string | null): Promise<Corrections> {
  if (filings.length === 0 || lake.versionOf(['filing_corrections']).release === 0) return nothing
  const found = await lake.query<Found>(
    statements['find-corrections'],
    { filings: [...new Set(filings)], as_of: asOf },
    { filing_corrections: 'all' },
  )
  if (found.length === 0) return nothing
  const keyOf = (dataset: string, filing: string, row: string | number): string => `${dataset}|${filing}|${row}`
  const byRow = Map.groupBy(found, row => keyOf(row.dataset, row.filing, row.row_key))
  const shownOf = (dataset: DatasetName, filing: string, row: string | number): readonly Shown[] =>
    (byRow.get(keyOf(dataset, filing, row)) ?? []).map(shown)
  return {
    of: (filing, ...places) => {
      const corrected = places.flatMap(([dataset, row = '']) => shownOf(dataset, filing, row))
      return corrected.length === 0 ? {} : { corrected }
    },
    ofLines: lines => {
      const corrected = lines.flatMap(({ dataset, filing, line }) =>
        shownOf(dataset, filing, line).map(each => ({ filing_id: filing, dataset, line: String(line), ...each })),
      )
      return corrected.length === 0 ? {} : { corrected }
    },
  }
}

const shown = ({ dataset, field, filed, value, reason, evidence, known_from }: Found): Shown => ({
  field,
  filed: printed(dataset as DatasetName, field, filed),
  value: printed(dataset as DatasetName, field, value ?? 'null'),
  reason,
  evidence,
  known_from,
})

/** A stored JSON value as answers print the field: a decimal is a number with its digits. */
function printed(name: DatasetName, field: string, json: string): unknown {
  const value: unknown = JSON.parse(json)
  const decimal = datasetOf(name).columns.find(column => column.name === field)?.decimal === true
  return decimal && typeof value === 'string' ? JSON.rawJSON(value) : value
}

/** Every correction and its undoing, newest first; of one filing or of all. */
export async function findCorrectionVersions(lake: Lake, filing: string | null): Promise<CorrectionVersion[]> {
  return await lake.query<CorrectionVersion>(statements['find-versions'], { filing }, { filing_corrections_history: 'all' })
}

type Rows = ReadonlyMap<DatasetName, readonly Readonly<Record<string, unknown>>[]>
/** Rows that decide which answers of a filing change, if the corrected rows do not name their manager, schedule or issuer. */
const heads: readonly DatasetName[] = ['holdings_reports', 'ownership_schedules', 'insider_filings', 'offerings']

/** The rows of a commit, and those of every filing that it corrects: the same answers change as if the filing came again. */
export async function withCorrectedRows(rows: Rows, lake: Lake): Promise<Rows> {
  const corrected = rows.get('filing_corrections') ?? []
  if (corrected.length === 0) return rows
  const filings = [...new Set(corrected.map(row => String(row['filing'])))]
  const names = [...new Set([...corrected.map(row => row['dataset'] as DatasetName), ...heads])]
  const all = new Map(rows)
  for (const name of names) {
    const column = filingKey(datasetOf(name)).filing
    const found = await lake.query<Readonly<Record<string, unknown>>>(
      `select * from ${name} where "${column}" in (select unnest($filings))`,
      { filings },
      { [name]: 'all' },
    )
    if (found.length > 0) all.set(name, [...(rows.get(name) ?? []), ...found])
  }
  return all
}

/** The documents of corrections (undone ones too) of filings that rows came from: an answer cannot be reproduced without them. */
export async function findCorrectionOrigins(
  lake: Lake,
  rows: readonly { readonly raw_sha256: string; readonly accession?: string | null }[],
  asOf: string | null,
): Promise<{ readonly source: string; readonly raw_sha256: string }[]> {
  if (lake.versionOf(['filing_corrections']).release === 0) return []
  const filings = [...new Set(rows.flatMap(row => [row.accession ?? [], `sha256:${row.raw_sha256}`].flat()))]
  return await lake.query(
    `select distinct source, raw_sha256 from filing_corrections_history
     where filing in (select unnest($filings)) or document_sha256 in (select unnest($documents)) order by raw_sha256`,
    { filings, documents: [...new Set(rows.map(row => row.raw_sha256))], as_of: asOf },
    { filing_corrections_history: 'all' },
  )
}
