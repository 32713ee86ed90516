// The question types of the operations, as their zod schemas give them.
import type { z } from 'zod'
import type { dataOperations } from '#schemas/operations/data.ts'
import type { marketOperations } from '#schemas/operations/market.ts'

type Table = (typeof marketOperations)[number] | (typeof dataOperations)[number]
export type OperationId = Table['id']
/** What a builder of that operation is asked. */
export type QuestionOf<Id extends OperationId> = z.output<Extract<Table, { readonly id: Id }>['question']>
