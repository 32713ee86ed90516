// `crossfile withholding`: the withholding tax rate on dividends between Canada and the United States, or the table.

import { BadRequest } from '#schemas/errors.ts'
import { factsOf } from '#schemas/operations/parameters.ts'
import { withholdingOperations } from '#schemas/operations/withholding.ts'
import { withholdingBody } from '#warehouse/answers/withholding.ts'
import { readArguments } from './arguments.ts'
import { commands } from './commands.ts'
import type { Io } from './io.ts'
import { columnsOf, facts, heading, printJson, printTable, some } from './output.ts'

const [operation] = withholdingOperations
/** Options that have a different name than their parameter. */
const parameters: Readonly<Record<string, string>> = { account: 'account_type', ownership: 'ownership_pct', 'underlying-rate': 'underlying_rate_pct' }

/** Prints one combination or the table; throws `BadRequest` that names the option. */
export function withholdingCommand(argv: readonly string[], io: Io): number {
  const { values } = readArguments('withholding', commands.withholding.options, argv)
  const requested: Record<string, string> = {}
  for (const [option, value] of Object.entries(values)) {
    if (typeof value === 'string') requested[parameters[option] ?? option.replaceAll('-', '_')] = value
  }
  const question = operation.question.safeParse(requested)
  if (!question.success) throw badOption(question.error.issues[0]?.path[0])
  const body = withholdingBody(question.data)
  if (values.json) printJson(io, body)
  else if (body.rows.length === 1) printOne(io, body)
  else printRates(io, body)
  return 0
}

function badOption(name: PropertyKey | undefined): BadRequest {
  const parameter = String(name ?? '')
  const option = Object.entries(parameters).find(([, each]) => each === parameter)?.[0] ?? parameter.replaceAll('_', '-')
  const schema = operation.question.shape[parameter as keyof typeof operation.question.shape]
  const described = schema ? factsOf(schema) : null
  return new BadRequest(`withholding: --${option} is not ${described?.expects ?? 'as described'}`, {
    hint: described ? `for example --${option} ${described.example}` : 'crossfile help withholding',
  })
}

type Body = ReturnType<typeof withholdingBody>
const percent = (value: object | null): string => (value === null ? 'not known' : `${JSON.stringify(value)} %`)

function printOne(io: Io, body: Body): void {
  const [row] = body.rows
  if (!row) return
  const list = (lines: readonly string[]): string => (lines.length === 0 ? 'none' : lines.join('; '))
  io.out(heading(io, `${row.account_title}: ${row.payment} of a ${row.issuer_country} issuer (${row.instrument})`))
  const levels = row.levels.map(level => `${level.level} by ${level.withheld_by}: ${percent(level.rate_pct)}, recoverable: ${level.recoverable}`)
  for (const line of facts(io, [
    ['rate at source', percent(row.rate_pct)],
    ['without a form', percent(row.rate_without_form_pct)],
    ['all levels', percent(row.effective_rate_pct)],
    ...levels.map(level => ['level', level] as const),
    ...('gross_amount' in row
      ? [
          [
            'amount',
            `${JSON.stringify(row.gross_amount)}: ${JSON.stringify(row.withheld_amount)} withheld, ${JSON.stringify(row.net_amount)} left`,
          ] as const,
        ]
      : []),
    ['recoverable', row.recovery_mechanism ? `${row.recoverable}: ${row.recovery_mechanism}` : row.recoverable],
    ['treaty', list(row.treaty_articles.map(({ article, paragraph }) => `Article ${article}(${paragraph})`))],
    ['law', list(row.domestic_law)],
    ['conditions', list(row.conditions)],
    ['exceptions', list(row.exceptions)],
    ['note', row.note ?? 'none'],
    ['certainty', `${row.certainty}; the rules are ${row.confidence.replaceAll('_', ' ')}`],
    ['ruleset', `${body.ruleset}; not advice`],
  ]))
    io.out(line)
}

function printRates(io: Io, body: Body): void {
  const columns = columnsOf('ISSUER', 'ACCOUNT', 'INSTRUMENT', '>RATE', '>NO FORM', 'RECOVERABLE', '*NOTE')
  const cell = (value: object | null): string => (value === null ? '-' : JSON.stringify(value))
  const rows = body.rows.map(row => [
    row.issuer_country,
    row.account_type,
    row.instrument,
    cell(row.rate_pct),
    cell(row.rate_without_form_pct),
    row.recoverable,
    row.note ?? '',
  ])
  printTable(io, columns, rows)
  io.err(`${some(body.rows.length, 'combination')} of ${body.ruleset}; rates in percent, not advice`)
}
