// Fills in what a request leaves open and its answer depends on: the instant from which an age is counted, the edition of a ruleset.
import type { AnyQuestion, RequestedAt } from './types.ts'

/** The instant as a whole second, so that a signed answer can be requested again. */
export const atTheSecond = (question: AnyQuestion, { now }: Pick<RequestedAt, 'now'>): AnyQuestion =>
  question['as_of'] === undefined ? { ...question, as_of: `${now.slice(0, 19)}Z` } : question

/** The same for a request without a release: an age in the answer of a named release is counted from its commit, as in its stored page. */
export const atTheSecondOfNewest = (question: AnyQuestion, at: RequestedAt): AnyQuestion => (at.pinned ? question : atTheSecond(question, at))

/** The edition of the rules: a signed answer names it, so that it is reproduced by the same rules. */
export const underRuleset =
  (newest: string) =>
  (question: AnyQuestion): AnyQuestion =>
    question['ruleset'] === undefined ? { ...question, ruleset: newest } : question
