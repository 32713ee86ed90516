// The tables that a statement reads, and the needed part of each.
import type { DatasetName } from '#schemas/index.ts'
import type { Range } from './relation.ts'

/**
 * The tables of a statement, and the needed part of each: a dataset (newest row of each key), or `<dataset>_history` (every version up to
 * the release).
 */
export type Table = DatasetName | `${DatasetName}_history`
export type Scope = { readonly [T in Table]?: Range }
