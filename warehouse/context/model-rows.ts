// A model's rows for answers, from a stored build or computed on request.
import type { Parameters } from '../store/duckdb.ts'

export type ModelSource = { readonly source: string; readonly known_from: string }
export type ModelOrigin = { readonly source: string; readonly raw_sha256: string }
/** The rows of one build while they are open. */
export type ModelRows = {
  /** The table's name in SQL, quoted. */
  readonly table: string
  query<Row>(sql: string, parameters?: Parameters): Promise<Row[]>
  /** Per upstream the newest instant at which a row was known. */
  readonly sources: readonly ModelSource[]
  /** Every raw document behind the rows; may be called after the rows were closed. */
  origins(): Promise<readonly ModelOrigin[]>
}
/** The identity of the build's definition. */
export type ModelName = { readonly name: string; readonly definition: string }
export type Models = {
  /** Runs `work` on the build for exactly this release of its inputs; null if there is none. */
  read<T>(model: ModelName, release: number, asOf: string | null, work: (rows: ModelRows) => Promise<T>): Promise<T | null>
}
