// `/calculators/delisting`: a listing against the continued-listing rules of its exchange.
import { DelistingRiskRequest } from '#schemas/compliance.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { day, number, orUnknown, percent, unknown } from '../components/format.ts'
import { badge } from '../components/notice.ts'
import { companyLink, filingLink, section } from '../components/parts.ts'
import { facts, numeric, table, tight } from '../components/table.ts'
import { type Content, type Html, html, join } from '../html.ts'
import { sentence } from '../words.ts'
import { calculatorPage, confidence, rulesSection, statusBadge } from './calculator.ts'

type Answer = AnswerOf<'check_delisting_risk'>

export const delistingPage = calculatorPage('/calculators/delisting', 'Delisting', {
  summary: 'A listing against the continued-listing rules of its exchange: price clocks, values, filings, float and auditor.',
  lead: 'Prices, figures and filings come from this service, share numbers from you. A missing input gives unknown, never a pass.',
  operation: 'check_delisting_risk',
  fields: [
    { name: 'ticker', label: 'Symbol', kind: 'text', value: 'HLTB' },
    {
      name: 'exchange',
      label: 'Exchange',
      kind: {
        options: ['Nasdaq Capital Market', 'Nasdaq Global Market', 'Nasdaq Global Select Market', 'NASDAQ', 'NYSE', 'NYSE American'].map(
          each => [each, each] as const,
        ),
      },
      value: 'Nasdaq Capital Market',
    },
    {
      name: 'total_shares',
      label: 'Shares outstanding',
      kind: 'number',
      value: '',
      help: 'Empty if it is not known: then the checks that need it are unknown, not passed.',
    },
    { name: 'insider_shares', label: 'Of them, of insiders', kind: 'number', value: '' },
    { name: 'institutional_shares', label: 'Of them, of institutions', kind: 'number', value: '' },
    { name: 'restricted_shares', label: 'Of them, restricted', kind: 'number', value: '' },
    { name: 'operations_country', label: 'Country of operations', kind: 'text', value: 'US', help: 'Two letters.' },
    { name: 'auditor_jurisdiction', label: 'Country of the auditor', kind: 'text', value: 'US', help: 'Two letters.' },
    { name: 'audit_firm_name', label: 'Audit firm', kind: 'text', value: '' },
    { name: 'is_reverse_merger', label: 'Listed by a reverse merger', kind: 'flag', value: '' },
    { name: 'is_shell_company', label: 'No or nominal operations', kind: 'flag', value: '' },
    { name: 'press_release_text', label: 'Press release about the listing', kind: 'area', value: '' },
  ],
  start: { ticker: 'HLTB', exchange: 'Nasdaq Capital Market' },
  request: DelistingRiskRequest,
  empty: { ticker: '' },
  refused: ({ status, error }) => (status === 404 ? { ticker: `${sentence(error.detail)} ${sentence(error.hint ?? '')}` } : null),
  result,
})

const quantity = (value: number | null, unit: string | null): Content =>
  value === null ? unknown : `${number(value, { most: 4 })}${unit === null ? '' : `\u00a0${unit}`}`

function result(answer: Answer): Content {
  const { checks, press_release, score_breakdown } = answer
  const order = ['fail', 'watch', 'unknown', 'proposed', 'pass', 'not_applicable']
  const sorted = [...checks].sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status))
  return html`${section({
    id: 'result',
    title: html`${companyLink(answer.ticker)} on ${answer.exchange}: ${answer.score === null ? 'no score' : html`score ${number(answer.score)} of 100`}`,
    lead: html`${sentence(answer.exchange_coverage.sentence)} As of ${day(answer.day)}: ${answer.coverage}.`,
    body: html`${facts([
      ['Failing', number(answer.failing.length)],
      ['Watching', number(answer.watching.length)],
      ['Unknown', number(answer.unknown.length)],
      ['Known share of the score', percent(answer.score_coverage_pct, 0)],
      ['Enough for a score', answer.score_sufficient ? 'yes' : badge('no', 'warn')],
    ])}
${table({
  caption: 'Parts of the score',
  columns: ['Part', numeric('Weight'), numeric('Points'), 'Not known'],
  rows: score_breakdown.map(each => [
    each.title,
    number(each.weight),
    orUnknown(each.points, value => number(value)),
    join(
      each.not_known.map(part => part.replaceAll('_', ' ')),
      ', ',
    ),
  ]),
})}`,
  })}
${section({
  id: 'checks',
  title: 'Rules, failing first',
  body: table({
    caption: 'Every rule of the exchange',
    captionHidden: true,
    columns: ['Rule', tight('Result'), numeric('Value'), numeric('Limit'), numeric('Distance'), 'Clock or reason', tight('Basis')],
    rows: sorted.map(each => [
      html`${sentence(each.title).replace(/\.$/, '')} <span class="soft">${each.rule}</span>`,
      html`${statusBadge(each.status)}${each.role !== 'required' && html` ${badge(each.role)}`}`,
      quantity(each.value, each.unit),
      each.threshold === null ? unknown : html`${each.operator} ${quantity(each.threshold, null)}`,
      each.distance_to_breach_pct === null ? unknown : percent(each.distance_to_breach_pct, 1),
      html`${each.clock !== null ? sentence(each.clock.sentence) : each.reason === null ? (each.consequence === null ? '' : sentence(each.consequence)) : sentence(each.reason)} ${join(
        each.documents.map(accession => filingLink(accession, accession)),
        ', ',
      )}`,
      confidence(each.confidence),
    ]),
  }),
})}
${floatSection(answer)}
${
  press_release.length > 0 &&
  section({
    id: 'release',
    title: 'Words of the press release',
    body: table({
      caption: 'Words about the listing',
      captionHidden: true,
      columns: ['Words', tight('State'), numeric('Times')],
      rows: press_release.map(each => [each.title, statusBadge(each.status), number(each.count)]),
    }),
  })
}
${rulesSection({ ...answer, sources: answer.rules_sources })}`
}

const floatSection = ({ float, auditor }: Answer): Html =>
  section({
    id: 'float',
    title: 'Float and auditor',
    body: html`${facts([
      ['Public float', orUnknown(float.public_float_shares, value => number(value))],
      ['Of all shares', orUnknown(float.public_float_pct, percent)],
      ['Of retail holders', orUnknown(float.retail_pct, percent)],
      ['Band', float.band?.replaceAll('_', ' ') ?? null],
      ['Auditor', statusBadge(auditor.status)],
    ])}
<p class="small">${sentence(auditor.explanation)}</p>
${float.flags.length > 0 && html`<ul class="reasons">${float.flags.map(each => html`<li>${sentence(each.explanation)}</li>`)}</ul>`}`,
  })
