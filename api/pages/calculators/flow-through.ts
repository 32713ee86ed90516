// `/calculators/flow-through`: Canadian flow-through shares after tax.
import { FTSCalculateRequest } from '#schemas/compliance.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { day, money, number, orUnknown, percent } from '../components/format.ts'
import { badge } from '../components/notice.ts'
import { section } from '../components/parts.ts'
import { facts, numeric, table, tight } from '../components/table.ts'
import { type Content, type Html, html, join } from '../html.ts'
import { sentence } from '../words.ts'
import { calculatorPage, confidence, list, orDay, rulesSection } from './calculator.ts'

type Answer = AnswerOf<'calculate_flow_through'>
const kinds = ['regular', 'critical_mineral', 'none', 'development', 'oil_gas', 'renewable']
const provinces = ['AB', 'BC', 'MB', 'NB', 'NL', 'NS', 'NT', 'NU', 'ON', 'PE', 'QC', 'SK', 'YT']

export const flowThroughPage = calculatorPage('/calculators/flow-through', 'Flow-through shares', {
  summary: 'Canadian flow-through shares after deduction, credits and recapture, with the price at which a sale breaks even.',
  lead: 'The deduction, the federal and provincial credits, what is added back, and the price at which a sale leaves nothing lost.',
  action: 'calculate',
  operation: 'calculate_flow_through',
  fields: [
    { name: 'share_price', label: 'Price of a share, CAD', kind: 'number', value: '1.00' },
    { name: 'num_shares', label: 'Shares', kind: 'number', value: '10000' },
    { name: 'income', label: 'Taxable income of the year, CAD', kind: 'number', value: '150000', help: 'Before the deduction. It is not stored.' },
    { name: 'jurisdiction', label: 'Province or territory', kind: { options: provinces.map(each => [each, each] as const) }, value: 'ON' },
    { name: 'fts_type', label: 'Kind', kind: { options: kinds.map(each => [each, each.replaceAll('_', ' ')] as const) }, value: 'regular' },
    { name: 'commodity', label: 'Commodity', kind: 'text', value: 'gold' },
    { name: 'warrant_value', label: 'Value of the warrant of a share, CAD', kind: 'number', value: '0' },
  ],
  start: { share_price: 1, num_shares: 10_000, income: 150_000, jurisdiction: 'ON' },
  request: FTSCalculateRequest,
  result,
})

const cad = (value: number): string => money(value, 'CAD')

type Step = readonly [name: Content, how: Content, amount: Content]
type Credit = { readonly rate_pct: number; readonly base: number; readonly used_this_year: number }
const creditStep = (name: string, { rate_pct, base, used_this_year }: Credit): Step => [
  name,
  `${number(rate_pct)} % of ${cad(base)}`,
  `−${cad(used_this_year)}`,
]

function result(answer: Answer): Content {
  const { deduction, federal_credit, provincial_credit, recapture, break_even, understood } = answer
  const steps: Step[] = [
    ['Cost', 'shares times price', cad(answer.cost)],
    [
      `Deduction (${deduction.expense}, ${number(deduction.pct)} %)`,
      `saves tax on ${cad(deduction.used_this_year)}`,
      `−${cad(deduction.tax_saving)}`,
    ],
    ...(federal_credit === null ? [] : [creditStep(federal_credit.title, federal_credit)]),
    ...(provincial_credit === null ? [] : [creditStep(provincial_credit.programme, provincial_credit)]),
    ['Tax on credits in the next year', `${number(recapture.rate_pct)} % of ${cad(recapture.income)}`, cad(recapture.tax)],
  ]
  return html`${section({
    id: 'result',
    title: html`Net cost ${cad(answer.net_cost)}${answer.net_cost_pct !== null && html`, ${percent(answer.net_cost_pct)} of the cost`}`,
    lead: html`${understood.fts_title}, ${understood.jurisdiction_name}, tax year ${answer.tax_year}.`,
    body: html`${table({
      caption: 'From the cost to the net cost',
      captionHidden: true,
      columns: ['Step', 'How', numeric('Amount')],
      rows: [...steps, [html`<strong>Net cost</strong>`, 'what remains', html`<strong>${cad(answer.net_cost)}</strong>`]],
    })}
${facts([
  ['A sale breaks even at', html`${cad(break_even.proceeds)}${break_even.per_share !== null && html`, ${number(break_even.per_share)} a share`}`],
  ['Marginal rate', percent(answer.marginal_rate_pct)],
  ['Tax saved of the deduction', orUnknown(answer.effective_rate_pct, percent)],
  ['Critical minerals', html`${badge(answer.critical_minerals.status.replaceAll('_', ' '))}`],
])}
<p class="small">${sentence(answer.critical_minerals.explanation)} ${sentence(break_even.note)} ${sentence(answer.minimum_tax.note)}</p>
${list('Hints', answer.hints)}`,
  })}
${bracketSection(deduction)}
${rulesSection(
  answer,
  table({
    caption: 'Rules that the figures depend on',
    columns: ['Rule', tight('Valid from'), tight('to'), tight('Basis'), tight('Sources')],
    rows: answer.rules.map(each => [each.rule, day(each.valid_from), orDay(each.valid_to), confidence(each.confidence), join(each.source_ids, ', ')]),
  }),
)}`
}

const bracketSection = (deduction: Answer['deduction']): Html =>
  section({
    id: 'brackets',
    title: 'Tax brackets that the deduction crosses',
    body: table({
      caption: 'Brackets, lowest first',
      captionHidden: true,
      columns: ['Income from', 'to', 'Deducted', 'Federal rate', 'Provincial rate', 'Tax saved'].map(numeric),
      rows: deduction.brackets.map(each => [
        cad(each.income_from),
        cad(each.income_to),
        cad(each.amount),
        percent(each.federal_rate_pct),
        percent(each.provincial_rate_pct),
        cad(each.tax_saving),
      ]),
      empty: 'The income is too low for a deduction.',
    }),
  })
