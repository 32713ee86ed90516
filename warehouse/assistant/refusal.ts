// Why a question is not answered: thrown when it is known, and written as an answer at the end.
import type { Candidate, RefusalCode } from '#schemas/assistant.ts'
import type { Part } from './writer.ts'

export class Refusal extends Error {
  readonly code: RefusalCode
  /** The sentences of the answer, if they are more than the reason. */
  readonly parts: readonly Part[]
  readonly candidates: readonly Candidate[]
  constructor(
    code: RefusalCode,
    reason: string,
    { parts = [], candidates = [] }: { parts?: readonly Part[]; candidates?: readonly Candidate[] } = {},
  ) {
    super(reason)
    this.name = 'Refusal'
    this.code = code
    this.parts = parts
    this.candidates = candidates
  }
}
