// `crossfile blue-sky`: an offering against its exemption and the notice filing of one or more states.
import { BlueSkyCheckRequest, BlueSkyMultiStateRequest } from '#schemas/compliance.ts'
import { BadRequest } from '#schemas/errors.ts'
import { blueSkyOperations } from '#schemas/operations/blue-sky.ts'
import { blueSkyBody, blueSkyStatesBody } from '#warehouse/rules/blue-sky/body.ts'
import { checkBlueSky, checkBlueSkyStates } from '#warehouse/rules/blue-sky/check.ts'
import { readPlace } from '#warehouse/rules/blue-sky/places.ts'
import { type BlueSkyRules, blueSkyRules } from '#warehouse/rulesets/blue-sky/rules.ts'
import { readArguments, type ValuesOf } from './arguments.ts'
import { printOne, printStates } from './blue-sky-print.ts'
import { commands } from './commands.ts'
import type { Io } from './io.ts'
import { printJson } from './output.ts'
import { postedBy } from './posted.ts'

type Values = ValuesOf<(typeof commands)['blue-sky']['options']>
/** Members of the request by the option that sets them. */
const options = {
  investor_state: 'state',
  states: 'state',
  offering_type: 'type',
  offering_amount_usd: 'amount',
  max_non_accredited: 'non-accredited',
  exchange: 'exchange',
}
const posted = postedBy('blue-sky', options, text => text.replace('POST /api/v1/compliance/combined', 'crossfile offering'))

/** Prints the check of one state, or a row for each. Returns 0, or 1 if a check fails; throws `BadRequest` that names the option. */
export function blueSkyCommand(argv: readonly string[], io: Io): number {
  const { values } = readArguments('blue-sky', commands['blue-sky'].options, argv)
  const rules = blueSkyRules(rulesetOf(values.ruleset))
  const states = statesOf(rules, values.state)
  const offering = offeringOf(values)
  const [investor_state, ...more] = states
  return posted.naming(() => {
    if (investor_state !== undefined && more.length === 0) {
      const body = blueSkyBody(checkBlueSky(posted.checked(BlueSkyCheckRequest, { investor_state, ...offering }), rules), rules)
      if (values.json) printJson(io, body)
      else printOne(io, body)
      return body.status === 'fail' ? 1 : 0
    }
    const body = blueSkyStatesBody(checkBlueSkyStates(posted.checked(BlueSkyMultiStateRequest, { states, ...offering }), rules), rules)
    if (values.json) printJson(io, body)
    else printStates(io, body)
    return body.status === 'fail' ? 1 : 0
  })
}

/** `--state NY --state Texas`, and `--state NY,TX`. A name may also contain a comma (Washington, D.C.). */
function statesOf(rules: BlueSkyRules, text: string | undefined): string[] {
  if (text === undefined) throw new BadRequest('blue-sky: --state is missing', { hint: 'crossfile blue-sky --state NY' })
  return text.split('\n').flatMap(each => (readPlace(rules, each).kind === 'unknown' ? each.split(',').map(part => part.trim()) : [each]))
}

function rulesetOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const question = blueSkyOperations[0].question.safeParse({ ruleset: text })
  return question.success ? question.data.ruleset : text
}

const offeringOf = (values: Values): Record<string, unknown> => ({
  offering_type: values.type,
  offering_amount_usd: posted.number('amount', values.amount),
  max_non_accredited: posted.number('non-accredited', values['non-accredited']),
  general_solicitation: values.solicitation,
  is_mining_resource: values.mining,
  is_flow_through: values['flow-through'],
  exchange: values.exchange,
})
