// Answers a stored request by another edition of its ruleset: what its answer would have been, and what changes.
import { z } from 'zod'
import { BadRequest, CrossfileError } from '#schemas/errors.ts'
import { requestedOperation } from '#schemas/operations/find-operation.ts'
import type { Operation } from '#schemas/operations/operation.ts'
import { operations } from '#schemas/operations.ts'
import { type Change, changesBetween, firstTexts, type Json } from '../rulesets/compare.ts'
import { answersByRuleset, type OpenContext, type Wire } from './by-ruleset.ts'

export type StoredRequest = { readonly operation: Operation; readonly question: Wire; readonly body: unknown }

const Stored = z.strictObject({
  operation: z.string({ error: 'expected the id of an operation, or METHOD /path' }),
  question: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  body: z.unknown().optional(),
})

/** A stored request `{"operation", "question", "body"}`: the operation by its id or by method and path. Throws `BadRequest`. */
export function readStoredRequest(value: unknown): StoredRequest {
  const stored = Stored.safeParse(value)
  if (!stored.success) {
    const [issue] = stored.error.issues
    throw new BadRequest(`the request: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`, {
      hint: 'an object such as {"operation": "get_withholding", "question": {"account_type": "tfsa"}}; body for what is posted',
    })
  }
  const { operation: name, question, body } = stored.data
  const [address = '', query = ''] = name.split('?', 2)
  const byAddress = requestedOperation(operations, address)
  const operation = byAddress?.operation ?? operations.find(each => each.id === name)
  if (!operation) throw new BadRequest(`there is no operation ${name.slice(0, 100)}`, { hint: takers() })
  const texts = Object.fromEntries(Object.entries(question).map(([key, each]) => [key, String(each)]))
  return { operation, question: { ...Object.fromEntries(new URLSearchParams(query)), ...byAddress?.parameters, ...texts }, body }
}

const takers = (): string => `answered by a ruleset are ${Object.keys(answersByRuleset).join(', ')}`

/** The ruleset by which a request was answered, and its answers under others. */
export type Compared = {
  readonly ruleset: string
  readonly answer: Json
  readonly others: readonly { readonly ruleset: string; readonly answer: Json; readonly changes: readonly Change[]; readonly error: string | null }[]
}

/**
 * Answers a request by the ruleset that it names (the newest without one) and by `other`, or by every other edition in turn. An edition
 * that cannot answer gives the reason. Throws `BadRequest` for an operation without editions and for an edition of another ruleset.
 */
export async function answerUnder(request: StoredRequest, other: string | undefined, openContext: OpenContext): Promise<Compared> {
  const { operation, question, body } = request
  const by = answersByRuleset[operation.id]
  if (!by) throw new BadRequest(`${operation.id} takes no ruleset`, { hint: takers() })
  const editions = by.editions(question)
  const ruleset = question['ruleset'] ?? editions[0] ?? ''
  const wanted = other === undefined ? editions.filter(each => each !== ruleset) : [other]
  for (const each of [ruleset, ...wanted])
    if (!editions.includes(each))
      throw new BadRequest(`${operation.id} has no ruleset ${each.slice(0, 80)}`, { hint: `one of ${editions.join(', ')}` })
  const answerBy = async (requested: Wire): Promise<Json> => jsonWithDigits(await by.answer(requested, body, openContext))
  const answer = await answerBy(question)
  const others = []
  for (const edition of wanted) {
    try {
      const found = await answerBy({ ...question, ruleset: edition })
      others.push({ ruleset: edition, answer: found, changes: changesBetween(answer, found, firstTexts), error: null })
    } catch (error) {
      if (!(error instanceof CrossfileError)) throw error
      others.push({ ruleset: edition, answer: null, changes: [], error: [error.message, ...(error.hint ? [error.hint] : [])].join('; ') })
    }
  }
  return { ruleset, answer, others }
}

/** JSON whose numbers keep the digits in which they are printed. */
function jsonWithDigits(text: string): Json {
  const read = JSON.parse as (text: string, reviver: (name: string, value: Json, context: { readonly source?: string }) => unknown) => Json
  return read(text, (_name, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? JSON.rawJSON(source) : value,
  )
}
