// The type of an operation's answer from the lake: each file with builders exports one map of `Answers`, and index.ts collects them.
import type { z } from 'zod'
import type { NotFound } from '#schemas/errors.ts'
import type { DatasetName } from '#schemas/index.ts'
import type { lakeOperations } from '#schemas/operations/lake-operations.ts'
import type { Built, ReleaseContext } from '../context/answer.ts'
import type { StoredPage } from './paged/stored-page.ts'

type Table = (typeof lakeOperations)[number]
type OperationId = Table['id']
/** The input of that operation's builder. */
export type QuestionOf<Id extends OperationId> = z.output<Extract<Table, { readonly id: Id }>['question']>
/** A question of any operation, without `release` and `receipt`. */
export type AnyQuestion = Readonly<Record<string, unknown>>
/** The instant of a request, and whether it names a release. */
export type RequestedAt = { readonly now: string; readonly pinned: boolean }

export type Answer<Id extends OperationId> = {
  /** The answer of a release; null if its subject does not exist. `now`: the instant of the request, for what the question leaves open. */
  readonly build: (context: ReleaseContext, question: QuestionOf<Id>, now: string) => Promise<Built | null>
  /** The questions with a stored page, and the rows that change it. */
  readonly page?: StoredPage
  /** Adds what the request leaves open and the answer depends on, so that the same question can be answered again. */
  readonly complete?: (question: AnyQuestion, at: RequestedAt) => AnyQuestion
  /** A symbol that neither a directory nor a bar names is 404 before anything is built. */
  readonly needs_symbol?: true
  /** The issuer's newest filings are requested first, if the question is about the present. */
  readonly refreshes_issuer?: true
  /** Answered from a model: without a release, from the newest release that has a build of it. */
  readonly from_model?: true
  /**
   * The datasets that decide the answer together with its question: it depends neither on the instant of the request nor on other state.
   * Their release and the question then name its bytes, so that an ETag needs no hash of the bytes.
   */
  readonly decided_by?: readonly DatasetName[]
  /** The error if the subject does not exist. */
  readonly missing?: (question: AnyQuestion) => NotFound
}
/** A map of operations to their answers; an unknown operation is a type error. */
export type Answers = { readonly [Id in OperationId]?: Answer<Id> }
