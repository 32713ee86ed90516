// What an operation with stored pages declares, next to its builder.
import type { DatasetName } from '#schemas/index.ts'
import type { ReleaseContext } from '../../context/answer.ts'

type Row = Readonly<Record<string, unknown>>
export type ChangedRows = ReadonlyMap<DatasetName, readonly Row[]>
/** A request in stored form: without `release`, `receipt` and `as_of`, with defaults filled in. */
export type PageQuestion = Readonly<Record<string, unknown>>

export type StoredPage = {
  /** The datasets whose rows change its answers; other commits leave its pages unchanged. */
  readonly from: readonly DatasetName[]
  /** True for a request that has a page. */
  readonly standard: (question: PageQuestion, context: ReleaseContext) => boolean
  /** The requests whose answers the rows of a commit change; `context` is at the new release. */
  readonly changed: (rows: ChangedRows, context: ReleaseContext) => readonly PageQuestion[]
  /** Keys of datasets that the pages of these requests read, so that they are read once for all of them. */
  readonly parts?: (questions: readonly PageQuestion[], context: ReleaseContext) => { readonly [D in DatasetName]?: readonly string[] }
  /** Maximum number of pages that one commit builds; above it they are built on first request. Default 1000: an answer is cheap. */
  readonly atOnce?: number
  /** False if the stored answer has another subject than the request has now. */
  readonly isCurrent?: (payload: Buffer, question: PageQuestion, context: ReleaseContext) => boolean
}
