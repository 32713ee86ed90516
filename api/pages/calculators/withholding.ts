// `/calculators/withholding`: what is withheld from a dividend between Canada and the United States. The address is the calculation.
import { question } from '#schemas/operations/operation.ts'
import { text } from '#schemas/operations/parameters.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { withholdingRules } from '#warehouse/rulesets/withholding/rules.ts'
import { number, orUnknown, price, unknown } from '../components/format.ts'
import { answerLinks, section } from '../components/parts.ts'
import { facts, numeric, table, tight } from '../components/table.ts'
import { type Html, html, join } from '../html.ts'
import { type Faults, page } from '../page.ts'
import { sentence } from '../words.ts'
import { type CalculatorField, calculatorForm, calculatorHead, confidence, list, noAnswer, rulesSection } from './calculator.ts'

const given = (description: string) => text(description, 60, 'tfsa').optional()
const title = 'Dividend withholding'
const accounts = [
  ...new Map(withholdingRules(undefined).accounts.map(each => [each.account_type, `${each.title} (${each.holder_country})`] as const)),
]
const same = (words: readonly string[]) => words.map(each => [each, each.replaceAll('_', ' ')] as const)
const fields: readonly CalculatorField[] = [
  {
    name: 'issuer_country',
    label: 'Issuer resident in',
    kind: {
      options: [
        ['', 'either country'],
        ['CA', 'Canada'],
        ['US', 'the United States'],
      ],
    },
    value: 'US',
  },
  { name: 'account_type', label: 'Account', kind: { options: [['', 'every account'], ...accounts] }, value: 'tfsa' },
  { name: 'amount', label: 'Gross amount', kind: 'number', value: '1000.00', help: 'In the currency of the payment.' },
  {
    name: 'payment',
    label: 'Payment',
    kind: { options: same(['dividend', 'interest', 'return_of_capital', 'capital_gain', 'sale_proceeds', 'substitute', 'fund_interest_related']) },
    value: 'dividend',
  },
  {
    name: 'instrument',
    label: 'Security',
    kind: {
      options: [['', 'common share'], ...same(['preferred', 'reit', 'mlp', 'etf_us_listed', 'etf_ca_listed', 'trust_unit', 'split_share', 'adr'])],
    },
    value: '',
  },
  {
    name: 'form',
    label: 'Form on file',
    kind: {
      options: [
        ['valid', 'the one that the account needs'],
        ['none', 'none'],
      ],
    },
    value: 'valid',
  },
]

export const withholdingPage = page('/calculators/withholding', title, {
  summary: 'What is withheld from a dividend between Canada and the United States, by kind of account, with treaty articles.',
  question: question(Object.fromEntries(fields.map(each => [each.name, given(each.label)]))),
  operations: ['get_withholding'],
  sample: '/calculators/withholding?issuer_country=US&account_type=tfsa&amount=1000.00&payment=dividend&form=valid',
  async render({ question: sent, ask }) {
    const typed = Object.fromEntries(
      Object.entries(sent as Readonly<Record<string, string | undefined>>).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    )
    const isGiven = Object.keys(typed).length > 0
    const found = await ask('get_withholding', isGiven ? typed : { issuer_country: 'US', account_type: 'tfsa', amount: '1000.00' })
    const faults: Faults =
      !found.ok && found.status === 400
        ? {
            [fields.find(({ name }) => found.error.detail.includes(name))?.name ?? '']:
              `${sentence(found.error.detail)} ${sentence(found.error.hint ?? '')}`,
          }
        : {}
    const form = calculatorForm({
      id: 'withholding',
      action: '/calculators/withholding',
      method: 'get',
      fields,
      typed: isGiven ? typed : null,
      faults,
      token: null,
      submit: 'Calculate',
    })
    const head = calculatorHead(
      title,
      'By the treaty between Canada and the United States and the law of both countries. Without an account, the table of all accounts is shown.',
    )
    if (!found.ok) return { main: html`${head}${form}${found.status !== 400 && noAnswer(found, 'The calculation')}` }
    const { rows, value } = { rows: found.value.rows, value: found.value }
    const [first] = rows
    return {
      main: html`${head}${form}
${section({
  id: 'result',
  title: rows.length === 1 ? (first?.account_title ?? 'Result') : `${rows.length} combinations`,
  tools: answerLinks(found, 'the calculation'),
  body: html`${
    rows.length === 1 &&
    first &&
    facts([
      ['Withheld', html`<strong>${orUnknown(first.effective_rate_pct, each => `${number(each)}\u00a0%`)}</strong>`],
      ['Of the gross amount', orUnknown(first.gross_amount, price)],
      ['Tax', orUnknown(first.withheld_amount, price)],
      ['Left', orUnknown(first.net_amount, price)],
      ['Without the form', orUnknown(first.rate_without_form_pct, each => `${number(each)}\u00a0%`)],
      ['By law, before the treaty', `${number(first.statutory_rate_pct)}\u00a0%`],
      ['Recoverable', first.recoverable.replaceAll('_', ' ')],
    ])
  }
${rateTable(rows)}
${first && rows.length === 1 && html`${list('Conditions', first.conditions)}${list('Exceptions', first.exceptions)}${list('Law of the country', first.domestic_law)}${first.note !== null && html`<p class="small">${sentence(first.note)}</p>`}`}`,
})}
${rulesSection(value)}`,
    }
  },
})

const rateTable = (rows: AnswerOf<'get_withholding'>['rows']): Html =>
  table({
    caption: 'Rates by account, with their rules',
    columns: [
      'Account',
      tight('Issuer'),
      numeric('Rate'),
      numeric('All levels'),
      numeric('Tax'),
      numeric('Left'),
      'Recovery',
      tight('Treaty'),
      tight('Basis'),
    ],
    rows: rows.map(row => [
      row.account_title,
      row.issuer_country,
      row.rate_pct === null ? unknown : `${number(row.rate_pct)}\u00a0%`,
      row.effective_rate_pct === null ? unknown : `${number(row.effective_rate_pct)}\u00a0%`,
      orUnknown(row.withheld_amount, price),
      orUnknown(row.net_amount, price),
      row.recovery_mechanism ?? row.recoverable.replaceAll('_', ' '),
      join(
        row.treaty_articles.map(
          each => html`<span title="${each.text_ref}">${each.article}${each.paragraph !== '' && html`(${each.paragraph})`}</span>`,
        ),
        ', ',
      ),
      confidence(row.confidence),
    ]),
  })
