// `crossfile delisting`: one listing against the rules of its exchange, from stored data and the given options.
import { readFileSync } from 'node:fs'
import { DelistingRiskRequest } from '#schemas/compliance.ts'
import { BadRequest } from '#schemas/errors.ts'
import { delistingOperations } from '#schemas/operations/delisting.ts'
import { factsOf } from '#schemas/operations/parameters.ts'
import { buildDelisting } from '#warehouse/answers/delisting.ts'
import { readArguments, type ValuesOf } from './arguments.ts'
import { commands } from './commands.ts'
import { printDelisting } from './delisting-print.ts'
import type { Io } from './io.ts'
import { printJson } from './output.ts'
import { postedBy } from './posted.ts'
import { withContext } from './warehouse-contexts.ts'

type Values = ValuesOf<(typeof commands)['delisting']['options']>
/** Members of the request by the option that sets them. */
const options = {
  ticker: 'TICKER',
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
const posted = postedBy('delisting', options)

/** Prints the evaluation. Returns 0, or 1 if a check fails; throws `BadRequest` that names the option. */
export async function delistingCommand(argv: readonly string[], io: Io): Promise<number> {
  const { values, rest } = readArguments('delisting', commands.delisting.options, argv, { least: 1, most: 1, what: 'TICKER' })
  const ruleset = rulesetOf(values.ruleset)
  const request = requestOf(rest[0] ?? '', values)
  const { body, as_of, release, sources } = await posted.namingLater(() => withContext(io, context => buildDelisting(context, request, ruleset)))
  if (values.json) printJson(io, { ...body, as_of, release, sources })
  else printDelisting(io, body, request.press_release_text)
  return body.failing.length > 0 ? 1 : 0
}

function rulesetOf(text: string | undefined): string | undefined {
  const { question } = delistingOperations[0]
  const checked = question.safeParse(text === undefined ? {} : { ruleset: text })
  if (checked.success) return checked.data.ruleset
  throw new BadRequest(`delisting: --ruleset ${JSON.stringify(text)}: expected ${factsOf(question.shape.ruleset).expects}`, {
    hint: 'crossfile help delisting',
  })
}

function requestOf(ticker: string, values: Values): DelistingRiskRequest {
  const shares = (option: 'total-shares' | 'insider-shares' | 'institutional-shares' | 'restricted-shares') => posted.number(option, values[option])
  return posted.checked(DelistingRiskRequest, {
    ticker,
    exchange: values.exchange,
    total_shares: shares('total-shares'),
    insider_shares: shares('insider-shares'),
    institutional_shares: shares('institutional-shares'),
    restricted_shares: shares('restricted-shares'),
    press_release_text: values['press-release'] === undefined ? undefined : textOf(values['press-release']),
    operations_country: values.country,
    auditor_jurisdiction: values['auditor-country'],
    audit_firm_name: values.auditor,
    is_reverse_merger: values['reverse-merger'],
    is_shell_company: values.shell,
  })
}

function textOf(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8')
  } catch (cause) {
    throw new BadRequest(`delisting: --press-release ${path} cannot be read`, { cause, hint: 'a text file in UTF-8, or - for standard input' })
  }
}
