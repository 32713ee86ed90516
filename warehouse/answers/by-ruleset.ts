// Every operation with a `ruleset` parameter, from its request to its answer under one edition. All comparisons use this map.
import type { z } from 'zod'
import {
  BlueSkyCheckRequest,
  BlueSkyMultiStateRequest,
  ComplianceFTSRequest,
  DelistingRiskRequest,
  FTSCalculateRequest,
} from '#schemas/compliance.ts'
import { DrillInterpretRequest } from '#schemas/drill.ts'
import { BadRequest } from '#schemas/errors.ts'
import { blueSkyOperations } from '#schemas/operations/blue-sky.ts'
import { delistingOperations } from '#schemas/operations/delisting.ts'
import { drillOperations } from '#schemas/operations/drill.ts'
import { flowThroughOperations } from '#schemas/operations/flow-through.ts'
import type { Question } from '#schemas/operations/operation.ts'
import { factsOf } from '#schemas/operations/parameters.ts'
import { shariaOperations } from '#schemas/operations/sharia.ts'
import { withholdingOperations } from '#schemas/operations/withholding.ts'
import type { ReleaseContext } from '../context/answer.ts'
import { blueSkyBody, blueSkyStatesBody } from '../rules/blue-sky/body.ts'
import { checkBlueSky, checkBlueSkyStates } from '../rules/blue-sky/check.ts'
import { interpretDrill } from '../rules/drill/interpret.ts'
import { flowThroughBody } from '../rules/flow-through/body.ts'
import { calculateFlowThrough } from '../rules/flow-through/calculate.ts'
import { bothRules, combinedAnswer } from '../rules/flow-through/combined.ts'
import { blueSkyRules, blueSkyRulesets } from '../rulesets/blue-sky/rules.ts'
import { delistingRulesets } from '../rulesets/delisting/rules.ts'
import { drillRulesets, drillRulesOf } from '../rulesets/drill/rules.ts'
import { flowThroughRules, flowThroughRulesets } from '../rulesets/flow-through/rules.ts'
import { rulesetNamed, shariaRulesets } from '../rulesets/sharia/rules.ts'
import { withholdingRulesets } from '../rulesets/withholding/rules.ts'
import { buildDelisting } from './delisting.ts'
import { drillBody } from './drill.ts'
import { buildPayload } from './index.ts'
import { withholdingBody } from './withholding.ts'

/** The lake for an answer, and the instant of the request. Called only by operations that read a lake. */
export type OpenContext = () => Promise<{ readonly context: ReleaseContext; readonly now: string }>

type ByRuleset = {
  /** The editions that could answer a request, the newest first. */
  editions(question: Wire): readonly string[]
  /** The answer as JSON. */
  answer(question: Wire, body: unknown, openContext: OpenContext): Promise<string>
}
/** Parameters as in a URL. */
export type Wire = Readonly<Record<string, string>>

const namesOf = (editions: readonly { readonly ruleset: string }[]): string[] => editions.map(each => each.ruleset)
const [withholding] = withholdingOperations
const [drill] = drillOperations
const [, shariaScreen] = shariaOperations
const [blueSky, blueSkyStates] = blueSkyOperations
const [delisting] = delistingOperations
const [flowThrough, combined] = flowThroughOperations

/** Every operation with a `ruleset` parameter. */
export const answersByRuleset: Readonly<Record<string, ByRuleset>> = {
  [withholding.id]: {
    editions: () => namesOf(withholdingRulesets),
    answer: async question => JSON.stringify(withholdingBody(checkedQuestion(withholding, question))),
  },
  [drill.id]: calculated(drill, drillRulesets, drillRulesOf, DrillInterpretRequest, (request, rules) =>
    drillBody(request, interpretDrill(request, rules), rules),
  ),
  [blueSky.id]: calculated(blueSky, blueSkyRulesets, blueSkyRules, BlueSkyCheckRequest, (request, rules) =>
    blueSkyBody(checkBlueSky(request, rules), rules),
  ),
  [blueSkyStates.id]: calculated(blueSkyStates, blueSkyRulesets, blueSkyRules, BlueSkyMultiStateRequest, (request, rules) =>
    blueSkyStatesBody(checkBlueSkyStates(request, rules), rules),
  ),
  [flowThrough.id]: calculated(flowThrough, flowThroughRulesets, flowThroughRules, FTSCalculateRequest, (request, rules) =>
    flowThroughBody(calculateFlowThrough(request, rules), rules),
  ),
  [combined.id]: {
    // One name selects one of the two rulesets; a request may name both.
    editions: ({ ruleset }) => [...(ruleset?.includes(',') ? [ruleset] : []), ...namesOf(flowThroughRulesets), ...namesOf(blueSkyRulesets)],
    answer: async (question, body) => {
      const rules = bothRules(checkedQuestion(combined, question).ruleset)
      return JSON.stringify(combinedAnswer(checkedBody(combined, ComplianceFTSRequest, body), rules).body)
    },
  },
  [delisting.id]: {
    editions: () => namesOf(delistingRulesets),
    answer: async (question, body, openContext) => {
      const { ruleset } = checkedQuestion(delisting, question)
      const request = checkedBody(delisting, DelistingRiskRequest, body)
      return JSON.stringify((await buildDelisting((await openContext()).context, request, ruleset)).body)
    },
  },
  [shariaScreen.id]: {
    editions: ({ standard, ruleset = '' }) => {
      const requested = standard?.toLowerCase() ?? rulesetNamed(ruleset)?.standard
      return namesOf(shariaRulesets.filter(each => requested === undefined || each.standard === requested))
    },
    answer: async (question, _body, openContext) => {
      const { standard: _current, ...requested } = question
      // One edition replaces the standard's current one.
      const checked = checkedQuestion(shariaScreen, question['ruleset'] === undefined ? question : requested)
      const { context, now } = await openContext()
      const payload = await buildPayload(shariaScreen.id, context, checked, now)
      return String(payload?.payload ?? 'null')
    },
  },
}

/** An answer that is calculated from the posted request and one edition of its rules alone. */
function calculated<Q extends Question & z.ZodType<{ ruleset?: string | undefined }>, B extends z.ZodType, R>(
  operation: { readonly id: string; readonly question: Q },
  editions: readonly { readonly ruleset: string }[],
  rulesOf: (ruleset: string | undefined) => R,
  schema: B,
  answer: (request: z.output<B>, rules: R) => object,
): ByRuleset {
  return {
    editions: () => namesOf(editions),
    answer: async (question, body) => {
      const rules = rulesOf(checkedQuestion(operation, question).ruleset)
      return JSON.stringify(answer(checkedBody(operation, schema, body), rules))
    },
  }
}

function checkedQuestion<Q extends Question>(operation: { readonly id: string; readonly question: Q }, requested: Wire): z.output<Q> {
  const checked = operation.question.safeParse(requested)
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
