// A model: rows that are a pure function of one release, computed once and kept as one sealed Parquet file (store.ts).
import { createHash } from 'node:crypto'
import type { DatasetName } from '#schemas/index.ts'
import type { ReleaseContext } from '../context/answer.ts'
import { curated } from '../rulesets/dual-listings/rules.ts'
import { lineItems } from '../rulesets/line-items/rules.ts'
import { screenerDatasets, screenerFields, screenerRulesDigest } from '../rulesets/screener/fields.ts'
import type { ScratchDatabase } from '../store/lake/scratch-database.ts'
import { buildScreener } from './screener/build.ts'
import { allSql } from './screener/sql.ts'

export type Model = {
  readonly name: 'screener'
  /** The definition of the rows: another definition is another model, and is rebuilt. */
  readonly definition: string
  /** The inputs of the rows: a release that changes none of them has the model of the previous one. */
  readonly inputs: readonly DatasetName[]
  /** For the analyst: what a row is. */
  readonly comment: string
  /** The definition of a column of the file, with its unit. Throws `TypeError` for a column that has none. */
  readonly columnText: (column: string) => string
  /**
   * Writes the rows to a table with the model's name, in their order, and the raw documents behind them to `origins`. `report` is called
   * with a line about the progress of a long build.
   */
  build(shop: ScratchDatabase, context: ReleaseContext, asOf: string | null, report?: (line: string) => void): Promise<void>
}

const digestOf = (...parts: readonly string[]): string => createHash('sha256').update(parts.join('\n')).digest('hex')

/** Increased with every change of the functions in screener/ that changes rows; changes of statements and rules are detected by their text. */
const screenerVersion = 1

export const screener: Model = {
  name: 'screener',
  definition: `screener@${screenerVersion}-${digestOf(allSql(), screenerRulesDigest, JSON.stringify(lineItems), JSON.stringify(curated)).slice(0, 12)}`,
  inputs: screenerDatasets,
  comment:
    'One row per listing of today with everything that the screener operation can query: computed by the worker once per release; GET /api/v1/market/screener/fields describes each column. Null: an input is missing.',
  columnText(column) {
    const field = screenerFields.find(({ name }) => name === column)
    if (field === undefined) throw new TypeError(`screener.${column}: describe the column in warehouse/rulesets/screener`)
    return field.unit === null ? field.definition : `${field.definition} Unit: ${field.unit}.`
  },
  build: buildScreener,
}
export const models: readonly Model[] = [screener]
