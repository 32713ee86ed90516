// `crossfile flow-through`: the after-tax cost of Canadian flow-through shares. `crossfile offering`: an offering and its tax for one investor.
import { ComplianceFTSRequest, FTSCalculateRequest } from '#schemas/compliance.ts'
import { flowThroughBody } from '#warehouse/rules/flow-through/body.ts'
import { calculateFlowThrough } from '#warehouse/rules/flow-through/calculate.ts'
import { bothRules, combinedAnswer } from '#warehouse/rules/flow-through/combined.ts'
import { flowThroughRules } from '#warehouse/rulesets/flow-through/rules.ts'
import { readArguments } from './arguments.ts'
import { printOne as printOffering } from './blue-sky-print.ts'
import { commands } from './commands.ts'
import { printFlowThrough } from './flow-through-print.ts'
import type { Io } from './io.ts'
import { heading, printJson, wrapped } from './output.ts'
import { postedBy } from './posted.ts'

const shares = {
  share_price: 'share-price',
  num_shares: 'shares',
  income: 'income',
  fts_type: 'type',
  commodity: 'commodity',
  warrant_value: 'warrant',
}

/** Prints the calculation; throws `BadRequest` that names the option. */
export function flowThroughCommand(argv: readonly string[], io: Io): number {
  const { values } = readArguments('flow-through', commands['flow-through'].options, argv)
  const posted = postedBy('flow-through', { ...shares, jurisdiction: 'jurisdiction' })
  const rules = flowThroughRules(values.ruleset)
  const request = posted.checked(FTSCalculateRequest, {
    share_price: posted.number('share-price', values['share-price']),
    num_shares: posted.number('shares', values.shares),
    income: posted.number('income', values.income),
    jurisdiction: values.jurisdiction,
    fts_type: values.type,
    commodity: values.commodity,
    warrant_value: posted.number('warrant', values.warrant),
  })
  const body = posted.naming(() => flowThroughBody(calculateFlowThrough(request, rules), rules))
  if (values.json) printJson(io, body)
  else printFlowThrough(io, body)
  return 0
}

const offering = { investor_state: 'investor', offering_type: 'offering-type', offering_amount_usd: 'amount', exchange: 'exchange' }

/** Prints the part that applies to the investor, and why the other does not. Returns 1 if a check of the offering fails. */
export function offeringCommand(argv: readonly string[], io: Io): number {
  const { values } = readArguments('offering', commands.offering.options, argv)
  const posted = postedBy('offering', { ...shares, ...offering })
  const rules = bothRules(values.ruleset)
  const request = posted.checked(ComplianceFTSRequest, {
    investor_state: values.investor,
    offering_type: values['offering-type'],
    offering_amount_usd: posted.number('amount', values.amount),
    is_mining_resource: values.mining,
    is_flow_through: values['flow-through'],
    exchange: values.exchange,
    share_price: posted.number('share-price', values['share-price']),
    num_shares: posted.number('shares', values.shares),
    income: posted.number('income', values.income),
    fts_type: values.type,
    commodity: values.commodity,
    warrant_value: posted.number('warrant', values.warrant),
  })
  const { body } = posted.naming(() => combinedAnswer(request, rules))
  if (values.json) printJson(io, body)
  else printBoth(io, body)
  return body.offering.check?.status === 'fail' ? 1 : 0
}

function printBoth(io: Io, { offering: law, tax, assumptions, ruleset }: ReturnType<typeof combinedAnswer>['body']): void {
  const apart = (title: string, reason: string | null): void => {
    io.out('')
    io.out(heading(io, `${title}: does not apply`))
    for (const line of wrapped(io, reason ?? '', 2)) io.out(line)
  }
  if (law.check) printOffering(io, law.check)
  if (tax.calculation) printFlowThrough(io, tax.calculation)
  if (!law.check) {
    apart('State law', law.reason)
    for (const { text } of law.notes) for (const line of wrapped(io, text, 2)) io.out(line)
  }
  if (!tax.calculation) apart('Tax', `${tax.code}: ${tax.reason}`)
  io.out('')
  for (const text of assumptions) for (const line of wrapped(io, `assumption:  ${text}`)) io.out(line)
  io.err(`${ruleset}; not advice`)
}
