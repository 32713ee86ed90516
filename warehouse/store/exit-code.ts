// Exit codes of the programs, which documentation and supervisors use.
import { BadRequest, Upstream } from '#schemas/errors.ts'
import { asUpstream } from './connection-errors.ts'

/** 2: a setting or argument is wrong, and another start would fail in the same way. 3: something could not be reached. 1: anything else. */
export function exitCodeOf(error: unknown): 1 | 2 | 3 {
  if (error instanceof BadRequest) return 2
  return asUpstream(error) instanceof Upstream ? 3 : 1
}
