// Which tables a statement reads, and which part of each.
import type { DatasetName } from '#schemas/index.ts'
import type { Range } from './relation.ts'

/**
 * The tables that a statement names, and which part of each it needs: a dataset (newest row of each key), or `<dataset>_history`
 * (every version up to the release).
 */
export type Table = DatasetName | `${DatasetName}_history`
export type Scope = { readonly [T in Table]?: Range }
