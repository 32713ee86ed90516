// Prints a flow-through calculation: the interpreted input, the deduction bracket by bracket, and the net cost step by step.
import type { flowThroughBody } from '#warehouse/rules/flow-through/body.ts'
import type { Io } from './io.ts'
import { heading, printFacts, printTable, wrapped } from './output.ts'

type Body = ReturnType<typeof flowThroughBody>
/** A number of the body as its digits, with thousands grouped. */
const grouped = (value: unknown): string => {
  const [whole = '', fraction] = JSON.stringify(value).split('.')
  return `${whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')}${fraction === undefined ? '' : `.${fraction}`}`
}
const money = (value: unknown): string => {
  const [whole = '', fraction = ''] = grouped(value).split('.')
  return `${whole}.${fraction.padEnd(2, '0')}`
}
const percent = (value: unknown): string => (value === null ? 'none' : `${JSON.stringify(value)} %`)

export function printFlowThrough(io: Io, body: Body): void {
  const { understood: requested } = body
  io.out(heading(io, `${requested.jurisdiction_name}, tax year ${body.tax_year}: ${requested.fts_title}`))
  const explored = requested.commodities.map(each => each.mineral ?? `${each.text} (not known)`).join(', ')
  printFacts(io, [
    ['shares', `${grouped(requested.num_shares)} at ${grouped(requested.share_price)} ${body.currency}${warrantOf(body)}`],
    ['income', `${money(requested.income)} before the deduction; marginal rate ${percent(body.marginal_rate_pct)}`],
    ['commodity', explored === '' ? 'none' : explored],
    ['eligible', `${money(body.eligible_amount)} of ${money(body.cost)}`],
  ])
  if (body.deduction.brackets.length > 0) {
    io.out('')
    printTable(io, bracketColumns, body.deduction.brackets.map(bracketRow))
  }
  io.out('')
  printTable(io, sumColumns, sumRows(body))
  io.out('')
  closing(io, body)
}

const warrantOf = ({ understood }: Body): string =>
  JSON.stringify(understood.warrant_value) === '0'
    ? ''
    : `, of which ${grouped(understood.warrant_value)} for the warrant${understood.warrant_clamped ? ' (cut to the price)' : ''}`

const right = (head: string) => ({ head, right: true })
const bracketColumns = ['INCOME ABOVE', 'UP TO', 'DEDUCTED', 'RATE %', 'FEDERAL', 'PROV.', 'SAVES'].map(right)
const bracketRow = (row: Body['deduction']['brackets'][number]): string[] => [
  money(row.income_from),
  money(row.income_to),
  money(row.amount),
  grouped(row.rate_pct),
  grouped(row.federal_rate_pct),
  grouped(row.provincial_rate_pct),
  money(row.tax_saving),
]

const sumColumns = [{ head: 'CANADIAN DOLLARS', wide: true }, right('')]
function sumRows({ cost, deduction, provincial_credit: own, federal_credit: national, recapture, ...body }: Body): string[][] {
  const credit = (name: string, row: NonNullable<typeof own | typeof national>): string[] => {
    const rest = JSON.stringify(row.carried) === '0' ? '' : `; ${money(row.carried)} carried`
    return [`less ${name}, ${percent(row.rate_pct)} of ${money(row.base)}${row.refundable ? ' (refundable)' : ''}${rest}`, money(row.used_this_year)]
  }
  return [
    ['cost of the shares', money(cost)],
    [`less tax saved by deducting ${money(deduction.used_this_year)} (${deduction.expense}, ${percent(deduction.pct)})`, money(deduction.tax_saving)],
    ...(own ? [credit(`credit of ${body.understood.jurisdiction_name}`, own)] : []),
    ...(national ? [credit(national.credit, national)] : []),
    ...(own || national
      ? [[`plus tax next year on credits of ${money(recapture.income)}, at ${percent(recapture.rate_pct)}`, money(recapture.tax)]]
      : []),
    [`net cost${body.net_cost_pct === null ? '' : `, ${percent(body.net_cost_pct)} of the cost`}`, money(body.net_cost)],
    [
      `sale proceeds that recover it after tax${body.break_even.per_share === null ? '' : `: ${grouped(body.break_even.per_share)} per share`}`,
      money(body.break_even.proceeds),
    ],
  ]
}

function closing(io: Io, body: Body): void {
  const { alternative: other } = body
  printFacts(io, [
    ...body.hints.map(hint => ['note', hint] as const),
    ...(other
      ? [[`with ${other.credit}`, `net cost ${money(other.net_cost)}, break-even ${money(other.break_even_proceeds)}: ${other.applies_if}`] as const]
      : []),
    ...body.ended_measures.map(each => ['ended', `${each.ended}: ${each.measure}; ${each.note}`] as const),
    ['minimum tax', body.minimum_tax.note],
  ])
  io.out('')
  io.out(heading(io, 'Assumptions'))
  for (const text of body.assumptions) for (const line of wrapped(io, text, 2)) io.out(line)
  io.err(`${body.ruleset}; confidence: ${body.confidence.replaceAll('_', ' ')}; not advice`)
}
