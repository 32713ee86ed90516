// `/calculators/blue-sky`: an offering of securities to investors of a state of the United States.
import { BlueSkyCheckRequest } from '#schemas/compliance.ts'
import type { AnswerOf } from '#schemas/operations.ts'
import { blueSkyRules } from '#warehouse/rulesets/blue-sky/rules.ts'
import { day, number, orUnknown } from '../components/format.ts'
import { section } from '../components/parts.ts'
import { facts, numeric, table, tight } from '../components/table.ts'
import { type Content, html, join } from '../html.ts'
import type { Faults } from '../page.ts'
import { sentence } from '../words.ts'
import { calculatorPage, confidence, list, rulesSection, statusBadge } from './calculator.ts'

type Answer = AnswerOf<'check_blue_sky'>
const types = blueSkyRules(undefined).offering_types.map(each => [each.offering_type, each.title] as const)

export const blueSkyPage = calculatorPage('/calculators/blue-sky', 'Blue sky', {
  summary: 'An offering of securities in a state of the United States: exemption, notice filing, deadline and fees.',
  lead: 'Whether an offering fits its exemption, what must be filed with the SEC and with the state of the investor, when, and for which fee.',
  operation: 'check_blue_sky',
  fields: [
    { name: 'investor_state', label: 'State of the investor', kind: 'text', value: 'NY', help: 'Code or name of a state, district or territory.' },
    { name: 'offering_type', label: 'Exemption', kind: { options: types }, value: 'reg_d_506b' },
    { name: 'offering_amount_usd', label: 'Amount of the offering, USD', kind: 'number', value: '5000000' },
    { name: 'max_non_accredited', label: 'Investors who are not accredited, at most', kind: 'number', value: '0' },
    { name: 'exchange', label: 'Exchange of the class', kind: 'text', value: '', help: 'Empty if it is not listed.' },
    { name: 'general_solicitation', label: 'The offering is advertised to the public', kind: 'flag', value: '' },
    { name: 'is_mining_resource', label: 'The issuer explores for or mines minerals', kind: 'flag', value: '' },
    { name: 'is_flow_through', label: 'Canadian flow-through shares', kind: 'flag', value: '' },
  ],
  start: { investor_state: 'NY' },
  request: BlueSkyCheckRequest,
  faults: ({ investor_state }): Faults =>
    investor_state === undefined ? { investor_state: 'Give a state, district or territory of the United States.' } : {},
  result,
})

const dollars = (value: number): string => `${number(value)}\u00a0USD`
const feeText = (fee: {
  readonly exact_usd: number | null
  readonly low_usd: number | null
  readonly high_usd: number | null
  readonly basis: string
}): string =>
  fee.exact_usd !== null
    ? dollars(fee.exact_usd)
    : fee.low_usd !== null && fee.high_usd !== null
      ? `${dollars(fee.low_usd)} to ${dollars(fee.high_usd)}`
      : fee.basis === 'none'
        ? 'none'
        : 'not known'

function result({
  status,
  investor_state,
  offering,
  sec_filing,
  notice_filing,
  checks,
  changes,
  not_evaluated,
  notes,
  filing_system,
  ...answer
}: Answer): Content {
  return html`${section({
    id: 'result',
    title: html`${offering.title} in ${investor_state.name}: ${statusBadge(status)}`,
    lead: html`${offering.law}. ${sentence(offering.investors)}`,
    body: html`${table({
      caption: 'Checks',
      captionHidden: true,
      columns: ['Check', tight('Result'), 'Why', numeric('Room'), tight('Basis'), tight('Sources')],
      rows: checks.map(each => [
        each.title,
        statusBadge(each.status),
        sentence(each.explanation),
        orUnknown(each.distance?.room, value => number(value)),
        confidence(each.confidence),
        join(each.source_ids, ', '),
      ]),
    })}
${changes.length > 0 && html`<h3>What would help</h3><ul>${changes.map(each => html`<li>${sentence(each.text)}</li>`)}</ul>`}
${list('For a person to check', not_evaluated)}`,
  })}
${section({
  id: 'filings',
  title: 'What is to be filed',
  body: html`${facts([
    ['With the SEC', sec_filing === null ? 'nothing' : sec_filing.form],
    ['Due', sec_filing?.due ?? 'not applicable'],
    ['With the state', notice_filing.form ?? notice_filing.status.replaceAll('_', ' ')],
    ['Due', notice_filing.due_days === null ? 'not stated' : `${notice_filing.due_days} days after ${notice_filing.due_after ?? 'the first sale'}`],
    ['Fee', notice_filing.fee === null ? 'not known' : feeText(notice_filing.fee)],
    ['List dated', orUnknown(notice_filing.list_dated, day)],
    ...(filing_system === null ? [] : [[filing_system.name, `${dollars(filing_system.fee_usd)} per ${filing_system.per}`] as const]),
  ])}
${notice_filing.fee !== null && html`<p class="small">${sentence(notice_filing.fee.rule)} ${notice_filing.note !== null && sentence(notice_filing.note)}</p>`}
${
  notice_filing.late_fees.length > 0 &&
  table({
    caption: 'If it is late',
    columns: ['Step', numeric('Fee'), 'How'],
    rows: notice_filing.late_fees.map(each => [each.step, feeText(each), each.how.replaceAll('_', ' ')]),
  })
}`,
})}
${rulesSection(
  answer,
  list(
    'Notes',
    notes.map(each => each.text),
  ),
)}`
}
