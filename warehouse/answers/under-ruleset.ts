// A stored request answered by another edition of its ruleset: what its answer would have been, and what that changes.
import { z } from 'zod'
import {
  BlueSkyCheckRequest,
  BlueSkyMultiStateRequest,
  ComplianceFTSRequest,
  DelistingRiskRequest,
  FTSCalculateRequest,
} from '#schemas/compliance.ts'
import { DrillInterpretRequest } from '#schemas/drill.ts'
import { BadRequest, CrossfileError } from '#schemas/errors.ts'
import { operationAsked } from '#schemas/operations/asked.ts'
import { blueSkyOperations } from '#schemas/operations/blue-sky.ts'
import { delistingOperations } from '#schemas/operations/delisting.ts'
import { drillOperations } from '#schemas/operations/drill.ts'
import { flowThroughOperations } from '#schemas/operations/flow-through.ts'
import type { Operation, Question } from '#schemas/operations/operation.ts'
import { factsOf } from '#schemas/operations/parameters.ts'
import { shariaOperations } from '#schemas/operations/sharia.ts'
import { withholdingOperations } from '#schemas/operations/withholding.ts'
import { operations } from '#schemas/operations.ts'
import { blueSkyBody, blueSkyStatesBody } from '../blue-sky/body.ts'
import { checkBlueSky, checkBlueSkyStates } from '../blue-sky/check.ts'
import { interpretDrill } from '../drill/interpret.ts'
import { flowThroughBody } from '../flow-through/body.ts'
import { calculateFlowThrough } from '../flow-through/calculate.ts'
import { bothRules, combinedAnswer } from '../flow-through/combined.ts'
import { blueSkyRules, blueSkyRulesets } from '../rulesets/blue-sky/rules.ts'
import { type Change, changesBetween, firstTexts, type Json } from '../rulesets/compare.ts'
import { delistingRulesets } from '../rulesets/delisting/rules.ts'
import { drillRulesets, drillRulesOf } from '../rulesets/drill/rules.ts'
import { flowThroughRules, flowThroughRulesets } from '../rulesets/flow-through/rules.ts'
import { rulesetNamed, shariaRulesets } from '../rulesets/sharia/rules.ts'
import { withholdingRulesets } from '../rulesets/withholding/rules.ts'
import type { Ground } from './answer.ts'
import { buildDelisting } from './delisting.ts'
import { drillBody } from './drill.ts'
import { buildPayload } from './index.ts'
import { withholdingBody } from './withholding.ts'

/** The lake that an answer reads, and the instant of asking. Asked for only by operations that read one. */
export type Standing = () => Promise<{ readonly ground: Ground; readonly now: string }>

type ByRuleset = {
  /** The editions that could answer a question, the newest first. */
  editions(question: Wire): readonly string[]
  /** The answer as JSON. */
  answer(question: Wire, body: unknown, standing: Standing): Promise<string>
}
/** Parameters as they stand in an address. */
type Wire = Readonly<Record<string, string>>

const namesOf = (editions: readonly { readonly ruleset: string }[]): string[] => editions.map(each => each.ruleset)
const [withholding] = withholdingOperations
const [drill] = drillOperations
const [, shariaScreen] = shariaOperations
const [blueSky, blueSkyStates] = blueSkyOperations
const [delisting] = delistingOperations
const [flowThrough, combined] = flowThroughOperations

/** Every operation whose question takes `ruleset`. */
export const answersByRuleset: Readonly<Record<string, ByRuleset>> = {
  [withholding.id]: {
    editions: () => namesOf(withholdingRulesets),
    answer: async question => JSON.stringify(withholdingBody(checkedQuestion(withholding, question))),
  },
  [drill.id]: {
    editions: () => namesOf(drillRulesets),
    answer: async (question, body) => {
      const rules = drillRulesOf(checkedQuestion(drill, question).ruleset)
      const request = checkedBody(drill, DrillInterpretRequest, body)
      return JSON.stringify(drillBody(request, interpretDrill(request, rules), rules))
    },
  },
  [blueSky.id]: {
    editions: () => namesOf(blueSkyRulesets),
    answer: async (question, body) => {
      const rules = blueSkyRules(checkedQuestion(blueSky, question).ruleset)
      return JSON.stringify(blueSkyBody(checkBlueSky(checkedBody(blueSky, BlueSkyCheckRequest, body), rules), rules))
    },
  },
  [blueSkyStates.id]: {
    editions: () => namesOf(blueSkyRulesets),
    answer: async (question, body) => {
      const rules = blueSkyRules(checkedQuestion(blueSkyStates, question).ruleset)
      return JSON.stringify(blueSkyStatesBody(checkBlueSkyStates(checkedBody(blueSkyStates, BlueSkyMultiStateRequest, body), rules), rules))
    },
  },
  [flowThrough.id]: {
    editions: () => namesOf(flowThroughRulesets),
    answer: async (question, body) => {
      const rules = flowThroughRules(checkedQuestion(flowThrough, question).ruleset)
      return JSON.stringify(flowThroughBody(calculateFlowThrough(checkedBody(flowThrough, FTSCalculateRequest, body), rules), rules))
    },
  },
  [combined.id]: {
    // One name pins one of its two rulesets; a request may name both.
    editions: ({ ruleset }) => [...(ruleset?.includes(',') ? [ruleset] : []), ...namesOf(flowThroughRulesets), ...namesOf(blueSkyRulesets)],
    answer: async (question, body) => {
      const rules = bothRules(checkedQuestion(combined, question).ruleset)
      return JSON.stringify(combinedAnswer(checkedBody(combined, ComplianceFTSRequest, body), rules).body)
    },
  },
  [delisting.id]: {
    editions: () => namesOf(delistingRulesets),
    answer: async (question, body, standing) => {
      const { ruleset } = checkedQuestion(delisting, question)
      const request = checkedBody(delisting, DelistingRiskRequest, body)
      return JSON.stringify((await buildDelisting((await standing()).ground, request, ruleset)).body)
    },
  },
  [shariaScreen.id]: {
    editions: ({ standard, ruleset = '' }) => {
      const asked = standard?.toLowerCase() ?? rulesetNamed(ruleset)?.standard
      return namesOf(shariaRulesets.filter(each => asked === undefined || each.standard === asked))
    },
    answer: async (question, _body, standing) => {
      const { standard: _current, ...asked } = question
      // One edition takes the place of the standard's current one.
      const checked = checkedQuestion(shariaScreen, question['ruleset'] === undefined ? question : asked)
      const { ground, now } = await standing()
      const payload = await buildPayload(shariaScreen.id, ground, checked, now)
      return String(payload?.payload ?? 'null')
    },
  },
}

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
  const byAddress = operationAsked(operations, address)
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
 * Answers a request by the ruleset that it names (the newest without one) and by `other`, or by every other edition in turn. An
 * edition that cannot answer says why. Throws `BadRequest` for an operation without editions and for an edition that is none of it.
 */
export async function answerUnder(request: StoredRequest, other: string | undefined, standing: Standing): Promise<Compared> {
  const { operation, question, body } = request
  const by = answersByRuleset[operation.id]
  if (!by) throw new BadRequest(`${operation.id} takes no ruleset`, { hint: takers() })
  const editions = by.editions(question)
  const ruleset = question['ruleset'] ?? editions[0] ?? ''
  const wanted = other === undefined ? editions.filter(each => each !== ruleset) : [other]
  for (const each of [ruleset, ...wanted])
    if (!editions.includes(each))
      throw new BadRequest(`${operation.id} has no ruleset ${each.slice(0, 80)}`, { hint: `one of ${editions.join(', ')}` })
  const answerBy = async (asked: Wire): Promise<Json> => jsonWithDigits(await by.answer(asked, body, standing))
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

function checkedQuestion<Q extends Question>(operation: { readonly id: string; readonly question: Q }, asked: Wire): z.output<Q> {
  const checked = operation.question.safeParse(asked)
  if (checked.success) return checked.data
  const [issue] = checked.error.issues
  const name = String(issue?.path[0] ?? (issue && 'keys' in issue ? issue.keys[0] : ''))
  const schema = operation.question.shape[name]
  throw new BadRequest(`${operation.id}: ${name === '' ? 'the question' : name} is not as described`, {
    hint: schema ? `expected ${factsOf(schema).expects}` : `parameters: ${Object.keys(operation.question.shape).join(', ')}`,
  })
}

function checkedBody<B extends z.ZodType>(operation: { readonly id: string }, schema: B, body: unknown): z.output<B> {
  const checked = schema.safeParse(body)
  if (checked.success) return checked.data
  const [issue] = checked.error.issues
  throw new BadRequest(`${operation.id}: body ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`, { hint: 'body is what is posted, as JSON' })
}
