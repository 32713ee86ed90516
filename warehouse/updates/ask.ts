// Answers for sentences: each requested once, at the release and the end of the day of the update.
import type { TextJson } from '#schemas/number-text.ts'
import { nameOf, type OperationId, operationOf } from '#schemas/operations.ts'
import { buildPayload, type LakeOperation } from '../answers/index.ts'
import type { Payload, ReleaseContext } from '../context/answer.ts'
import { readAnswer } from './reference.ts'

type Question = Readonly<Record<string, unknown>>
/** An answer, and the question by which it is stored, signed and requested again. */
export type UpdateAnswer = {
  readonly operation: LakeOperation
  readonly question: Question
  readonly payload: Payload
  readonly answer: TextJson
  /** `/api/v1/…` with the instant and the release. */
  readonly request: string
}
export type Ask = (operation: LakeOperation & OperationId, parameters: Readonly<Record<string, string>>) => Promise<UpdateAnswer | null>

/** Requests answers like a client: parameters as text, defaults filled in. Null if the subject does not exist at the instant. */
export function askAt(context: ReleaseContext, asOf: string): Ask {
  const held = new Map<string, Promise<UpdateAnswer | null>>()
  return (operation, parameters) => {
    const question = operationOf(operation).question.parse({ ...parameters, as_of: asOf }) as Question
    const name = nameOf(operation, question as never)
    let source = held.get(name)
    if (!source) {
      source = make(operation, question, name)
      held.set(name, source)
    }
    return source
  }
  async function make(operation: LakeOperation, question: Question, name: string): Promise<UpdateAnswer | null> {
    const built = await buildPayload(operation, context, question as never, asOf)
    if (built === null) return null
    // An answer may compute its origins from all rows that it read. On a day of a large market, thousands of answers wait for signing:
    // with the origins computed now, none of them keeps its rows.
    const origins = await built.origins()
    const payload = { ...built, origins: async () => origins }
    const path = name.slice(name.indexOf(' ') + 1)
    const request = `${path}${path.includes('?') ? '&' : '?'}release=${Math.max(payload.release, 1)}`
    return { operation, question, payload, answer: readAnswer(payload.payload), request }
  }
}
