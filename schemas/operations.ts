// The table of operations: the register that routes, limits, OpenAPI, catalogue and tools are made from.
// CONTRIBUTING.md describes how to add one.
import type { z } from 'zod'
import { agentOperations } from './operations/agents.ts'
import { bulkOperations } from './operations/bulk.ts'
import { canonicalName } from './operations/canonical.ts'
import { complianceOperations } from './operations/compliance.ts'
import { documentOperations } from './operations/documents.ts'
import { filingDocumentOperations } from './operations/filing-values.ts'
import { lakeOperations } from './operations/lake-operations.ts'
import { areas, type Operation, scopes, tags } from './operations/operation.ts'
import { receiptOperations } from './operations/receipts.ts'
import { statusOperations } from './operations/status.ts'
import { systemOperations } from './operations/system.ts'
import { updateOperations } from './operations/updates.ts'
import { userOperations } from './operations/user-operations.ts'

export type { CacheClass, Operation, Scope, Tag } from './operations/operation.ts'
export { areas, scopes, tags }

const table = [
  ...systemOperations,
  ...lakeOperations,
  ...bulkOperations,
  ...complianceOperations,
  ...documentOperations,
  ...filingDocumentOperations,
  ...receiptOperations,
  ...statusOperations,
  ...agentOperations,
  ...updateOperations,
  ...userOperations,
] as const
type Table = (typeof table)[number]

export type OperationId = Table['id']
/** The question of an operation as its handler receives it: typed, canonical, defaults filled in. */
export type QuestionOf<Id extends OperationId> = z.output<Extract<Table, { id: Id }>['question']>

/** The JSON answer of an operation, as its schema describes it; numbers are those of `JSON.parse`. `null` for operations without one. */
export type AnswerOf<Id extends OperationId> = Extract<Table, { id: Id }>['answer'] extends infer A extends z.ZodType ? z.output<A> : null

export const operations: readonly Operation[] = table as unknown as readonly Operation[]

/** Operations on data of a user, including sign-in: their answers differ between callers. */
export const isOfUsers = ({ tag, access }: Operation): boolean =>
  !ofEverybody.has(tag) && (tag !== 'Documents' || access === 'user') && (areas as readonly string[]).includes(tag)
const ofEverybody: ReadonlySet<string> = new Set(['Agents', 'Compliance', 'Transcripts', 'Daily updates'])

/** The operation with an id; throws if the table does not have it. */
export function operationOf(id: OperationId): Operation {
  const found = operations.find(each => each.id === id)
  if (!found) throw new TypeError(`no operation ${id}`)
  return found
}

/** The canonical name of a question, as receipts and the cache use it. */
export function nameOf<Id extends OperationId>(id: Id, question: QuestionOf<Id>): string {
  const { method, path } = operationOf(id)
  return canonicalName(method, path, question as Readonly<Record<string, unknown>>)
}

export const publicOperations = operations.filter(each => each.curated)
