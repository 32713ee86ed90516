// `crossfile blue-sky`: an offering against its exemption and the notice filing of one state or of several.
import { BlueSkyCheckRequest, BlueSkyMultiStateRequest } from '#schemas/compliance.ts'
import { BadRequest } from '#schemas/errors.ts'
import { blueSkyOperations } from '#schemas/operations/blue-sky.ts'
import { decimalText } from '#schemas/values.ts'
import { blueSkyBody, blueSkyStatesBody } from '#warehouse/blue-sky/body.ts'
import { checkBlueSky, checkBlueSkyStates } from '#warehouse/blue-sky/check.ts'
import { readPlace } from '#warehouse/blue-sky/places.ts'
import { type BlueSkyRules, blueSkyRules } from '#warehouse/rulesets/blue-sky/rules.ts'
import { readArguments, type ValuesOf } from './arguments.ts'
import { printOne, printStates } from './blue-sky-print.ts'
import { commands } from './commands.ts'
import type { Io } from './io.ts'
import { printJson } from './output.ts'

type Values = ValuesOf<(typeof commands)['blue-sky']['options']>
/** Members of the request by the option that sets them. */
const options: Readonly<Record<string, string>> = {
  investor_state: 'state',
  states: 'state',
  offering_type: 'type',
  offering_amount_usd: 'amount',
  max_non_accredited: 'non-accredited',
  exchange: 'exchange',
}

/** Prints the check of one state, or a row for each. Returns 0, or 1 where a check fails; throws `BadRequest` that names the option. */
export function blueSkyCommand(argv: readonly string[], io: Io): number {
  const { values } = readArguments('blue-sky', commands['blue-sky'].options, argv)
  const rules = blueSkyRules(rulesetOf(values.ruleset))
  const states = statesOf(rules, values.state)
  const offering = offeringOf(values)
  const [investor_state, ...more] = states
  return naming(() => {
    if (investor_state !== undefined && more.length === 0) {
      const body = blueSkyBody(checkBlueSky(checked(BlueSkyCheckRequest, { investor_state, ...offering }), rules), rules)
      if (values.json) printJson(io, body)
      else printOne(io, body)
      return body.status === 'fail' ? 1 : 0
    }
    const body = blueSkyStatesBody(checkBlueSkyStates(checked(BlueSkyMultiStateRequest, { states, ...offering }), rules), rules)
    if (values.json) printJson(io, body)
    else printStates(io, body)
    return body.status === 'fail' ? 1 : 0
  })
}

/** `--state NY --state Texas`, and `--state NY,TX`: a comma may also stand in a name (Washington, D.C.). */
function statesOf(rules: BlueSkyRules, text: string | undefined): string[] {
  if (text === undefined) throw new BadRequest('blue-sky: --state is missing', { hint: 'crossfile blue-sky --state NY' })
  return text.split('\n').flatMap(each => (readPlace(rules, each).kind === 'unknown' ? each.split(',').map(part => part.trim()) : [each]))
}

function rulesetOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const question = blueSkyOperations[0].question.safeParse({ ruleset: text })
  return question.success ? question.data.ruleset : text
}

function offeringOf(values: Values): Record<string, unknown> {
  const number = (option: 'amount' | 'non-accredited', expects: string): number | undefined => {
    const text = values[option]
    if (text === undefined) return undefined
    const decimal = decimalText(text)
    if (decimal !== null) return Number(decimal)
    throw new BadRequest(`blue-sky: --${option} ${JSON.stringify(text)}: expected ${expects}`, { hint: 'crossfile help blue-sky' })
  }
  const given = {
    offering_type: values.type,
    offering_amount_usd: number('amount', 'US dollars such as 5000000'),
    max_non_accredited: number('non-accredited', 'a whole number'),
    general_solicitation: values.solicitation,
    is_mining_resource: values.mining,
    is_flow_through: values['flow-through'],
    exchange: values.exchange,
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

type Schema<T> = {
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: { issues: readonly { path: PropertyKey[]; message: string }[] } }
}
function checked<T>(schema: Schema<T>, request: unknown): T {
  const read = schema.safeParse(request)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new BadRequest(`blue-sky: --${options[String(issue?.path[0])] ?? 'state'}: ${issue?.message ?? ''}`, { hint: 'crossfile help blue-sky' })
}

/** A refusal that names a member of the request names the option instead. */
function naming<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    const member = error instanceof BadRequest ? String(error.items?.[0]?.loc[1] ?? '') : ''
    const option = options[member]
    if (!(error instanceof BadRequest) || option === undefined) throw error
    const said = (text: string): string => text.replace(`${member}: `, '').replace('POST /api/v1/compliance/combined', 'crossfile offering')
    throw new BadRequest(`blue-sky: --${option}: ${said(error.message)}`, { hint: said(error.hint ?? 'crossfile help blue-sky'), cause: error })
  }
}
