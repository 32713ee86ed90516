// The question types of the operations, as their zod schemas give them.
import type { z } from 'zod'
import type { lakeOperations } from '#schemas/operations/lake-operations.ts'

type Table = (typeof lakeOperations)[number]
type OperationId = Table['id']
/** The input of that operation's builder. */
export type QuestionOf<Id extends OperationId> = z.output<Extract<Table, { readonly id: Id }>['question']>
