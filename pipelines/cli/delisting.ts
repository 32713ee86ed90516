// `crossfile delisting`: one listing against the rules of its exchange, from what this installation holds and what is given.
import { readFileSync } from 'node:fs'
import { DelistingRiskRequest } from '#schemas/compliance.ts'
import { BadRequest } from '#schemas/errors.ts'
import { delistingOperations } from '#schemas/operations/delisting.ts'
import { factsOf } from '#schemas/operations/parameters.ts'
import { buildDelisting } from '#warehouse/answers/delisting.ts'
import { readArguments, type ValuesOf } from './arguments.ts'
import { commands } from './commands.ts'
import { printDelisting } from './delisting-print.ts'
import { withGround } from './ground.ts'
import type { Io } from './io.ts'
import { printJson } from './output.ts'

type Values = ValuesOf<(typeof commands)['delisting']['options']>
/** Members of the request by the option that sets them. */
const options = {
  exchange: 'exchange',
  total_shares: 'total-shares',
  insider_shares: 'insider-shares',
  institutional_shares: 'institutional-shares',
  restricted_shares: 'restricted-shares',
  press_release_text: 'press-release',
  operations_country: 'country',
  auditor_jurisdiction: 'auditor-country',
  audit_firm_name: 'auditor',
} as const
const hint = 'crossfile help delisting'

/** Prints the judgement. Returns 0, or 1 where a check fails; throws `BadRequest` that names the option. */
export async function delistingCommand(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('delisting', commands.delisting.options, argv, { least: 1, most: 1, what: 'TICKER' })
  const ruleset = rulesetOf(values.ruleset)
  const request = requestOf(rest[0] ?? '', values)
  const { body, as_of, release, sources } = await naming(() => withGround(io, ground => buildDelisting(ground, request, ruleset)))
  if (values.json) printJson(io, { ...body, as_of, release, sources })
  else printDelisting(io, body, request.press_release_text)
  return body.failing.length > 0 ? 1 : 0
}

function rulesetOf(text: string | undefined): string | undefined {
  const { question } = delistingOperations[0]
  const checked = question.safeParse(text === undefined ? {} : { ruleset: text })
  if (checked.success) return checked.data.ruleset
  throw new BadRequest(`delisting: --ruleset ${JSON.stringify(text)}: expected ${factsOf(question.shape.ruleset).expects}`, { hint })
}

function requestOf(ticker: string, values: Values): DelistingRiskRequest {
  const given = Object.entries(options).flatMap(([member, option]) => {
    const text = values[option]
    if (text === undefined) return []
    return [[member, member.endsWith('_shares') ? wholeShares(option, text) : member === 'press_release_text' ? textOf(text) : text]]
  })
  const asked = { ...Object.fromEntries(given), ticker, is_reverse_merger: values['reverse-merger'], is_shell_company: values.shell }
  const checked = DelistingRiskRequest.safeParse(asked)
  if (checked.success) return checked.data
  const [issue] = checked.error.issues
  throw new BadRequest(`delisting: ${nameOf(String(issue?.path[0] ?? ''))}: ${issue?.message ?? ''}`, { hint })
}

const nameOf = (member: string): string =>
  member in options ? `--${options[member as keyof typeof options]}` : member === 'ticker' ? 'TICKER' : member

/** `1,250,000` and `1250000` shares. */
function wholeShares(option: string, text: string): number {
  const digits = text.replaceAll(/[,_ ]/g, '')
  if (/^\d{1,14}$/.test(digits)) return Number(digits)
  throw new BadRequest(`delisting: --${option} ${JSON.stringify(text)}: expected a whole number of shares, 0 or more`, { hint })
}

function textOf(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8')
  } catch (cause) {
    throw new BadRequest(`delisting: --press-release ${path} cannot be read`, { cause, hint: 'a text file in UTF-8, or - for standard input' })
  }
}

/** What is refused of the request names its members: on the command line they are options. */
async function naming<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof BadRequest)) throw error
    const said = (text: string): string => Object.entries(options).reduce((all, [member, option]) => all.replaceAll(member, `--${option}`), text)
    throw new BadRequest(`delisting: ${said(error.message)}`, { cause: error, hint: said(error.hint ?? hint) })
  }
}
