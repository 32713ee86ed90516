// Prints the check of an offering on a terminal.
import type { blueSkyBody, blueSkyStatesBody } from '#warehouse/rules/blue-sky/body.ts'
import type { Io } from './io.ts'
import { columnsOf, count, heading, printFacts, printTable, some, wrapped } from './output.ts'

type One = ReturnType<typeof blueSkyBody>
type States = ReturnType<typeof blueSkyStatesBody>
type Notice = One['notice_filing']
type Fee = Pick<NonNullable<Notice['fee']>, 'basis' | 'exact_usd' | 'low_usd' | 'high_usd' | 'rule'>

const money = (value: object | null): string => (value === null ? 'not known' : `$${count(Number(JSON.stringify(value)))}`)

export function printOne(io: Io, body: One): void {
  title(io, body, body.investor_state.name)
  checks(io, body)
  io.out('')
  const { notice_filing: notice, sec_filing: filing, filing_system: system } = body
  printFacts(io, [
    ['SEC filing', filing === null ? 'none' : `${filing.form}, ${filing.due}; ${filing.amendments}`],
    ['pre-empted', `registration in ${body.investor_state.name}: ${body.state_registration_preempted.replaceAll('_', ' ')}`],
    ['notice', noticeWords(notice)],
    ...(notice.fee === null ? [] : [['fee', feeWords(notice.fee)] as const]),
    ...notice.late_fees.map(late => ['late', `${lateWords[late.how]}: ${feeWords(late)}`] as const),
    ...notice.other_fees.map(fee => ['other', `${fee.about}: ${money(fee.amount_usd)}`] as const),
    ...(notice.note === null ? [] : [['note', notice.note] as const]),
    ...(system === null ? [] : [['filed by', `${system.name}: ${money(system.fee_usd)} for a ${system.per}`] as const]),
  ])
  closing(io, body)
}

export function printStates(io: Io, body: States): void {
  title(io, body, `${body.count} ${body.count === 1 ? 'state' : 'states'}`)
  checks(io, body)
  io.out('')
  const rows = body.states.map(({ code, name, status, state_registration_preempted, notice_filing: { due_days, fee } }) => [
    code,
    status,
    state_registration_preempted.replaceAll('_', ' '),
    due_days,
    fee === null ? '-' : amount(fee),
    `${name}${fee === null || fee.basis === 'exact' ? '' : `: ${fee.rule}`}`,
  ])
  const columns = columnsOf('STATE', 'STATUS', 'PRE-EMPTED', '>DAYS', '>FEE', '*NAME AND FEE RULE')
  printTable(io, columns, rows)
  for (const line of reasons(io, body.states)) io.out(line)
  const { totals } = body
  io.out('')
  printFacts(io, [
    ...(totals.exact.length === 0 ? [] : [['fees', `${money(totals.exact_usd)} in ${states(totals.exact)}`] as const]),
    ...(totals.ranges.length === 0
      ? []
      : [['with ranges', `${money(totals.low_usd)} to ${money(totals.high_usd)}, ${states(totals.ranges)} by the amount sold there`] as const]),
    ...(totals.unknown.length === 0 ? [] : [['unknown', `${totals.unknown.join(', ')}: in no total`] as const]),
    ['filing system', `${money(totals.filing_system_usd)}, once for all states, in no total`],
    ...body.not_states.map(({ asked: requested, hint }) => ['no state', `${requested}: ${hint}`] as const),
  ])
  closing(io, body)
}
/** Why states do not pass: each reason once, with its states. */
function reasons(io: Io, states: States['states']): string[] {
  const found = new Map<string, { readonly status: string; readonly text: string; readonly codes: string[] }>()
  for (const state of states)
    for (const { code, status, explanation } of state.checks) {
      if (status === 'pass' || status === 'not_applicable') continue
      const text = explanation.replaceAll(state.name, 'the state')
      const reason = found.get(code) ?? { status, text, codes: [] }
      reason.codes.push(state.code)
      found.set(code, reason)
    }
  return [...found.values()].flatMap(({ status, text, codes }) => ['', ...wrapped(io, `${status} in ${codes.join(', ')}: ${text}`)])
}
const states = (codes: readonly string[]): string => some(codes.length, 'state')

function title(io: Io, { status, offering }: One | States, where: string): void {
  io.out(heading(io, `${status.toUpperCase()}  ${offering.title}, ${money(offering.offering_amount_usd)}, ${where}`))
}

/** Every check that applies with its reason and what to change, and the names of the others. */
function checks(io: Io, body: One | States): void {
  const width = Math.max(...body.checks.map(({ status }) => status.length))
  for (const { check, title, status, explanation } of body.checks) {
    if (status === 'not_applicable') continue
    io.out('')
    io.out(`${status.replaceAll('_', ' ').padEnd(width)}  ${heading(io, title)}`)
    for (const line of wrapped(io, explanation, width + 2)) io.out(line)
    for (const change of body.changes.filter(each => each.check === check))
      for (const line of wrapped(io, `change: ${change.text}${change.offering_type === null ? '' : ` (${change.offering_type})`}`, width + 2))
        io.out(line)
  }
}

function closing(io: Io, body: One | States): void {
  for (const [name, texts] of [
    ['Notes', body.notes.map(({ text }) => text)],
    ['Assumptions', body.assumptions],
  ] as const) {
    if (texts.length === 0) continue
    io.out('')
    io.out(heading(io, name))
    for (const text of texts) for (const line of wrapped(io, text, 2)) io.out(line)
  }
  io.err(`${body.ruleset}; confidence: ${body.confidence.replaceAll('_', ' ')}; not advice`)
}

const noticeText: Readonly<Record<Notice['status'], string>> = {
  due: 'due',
  none: 'none is required',
  unknown: 'unknown: the collected list has no rule for this place',
  not_listed: 'unknown: the collected list covers Rule 506 only',
  not_applicable: 'does not apply',
}
const noticeWords = ({ status, form, due_days, due_after, list_dated }: Notice): string =>
  status === 'due' ? `${form} within ${due_days} days after ${due_after} (list of ${list_dated})` : noticeText[status]

const lateWords = {
  added: 'added to the fee',
  in_place_of: 'in its place',
  not_said: 'added or in its place: the list does not state which',
} as const
const amount = (fee: Fee): string =>
  fee.basis === 'unknown'
    ? 'not known'
    : fee.exact_usd !== null
      ? money(fee.exact_usd)
      : fee.basis === 'most'
        ? `at most ${money(fee.high_usd)}`
        : `${money(fee.low_usd)}-${money(fee.high_usd)}`
const feeWords = (fee: Fee): string => {
  const shown = amount(fee)
  return shown === fee.rule || fee.basis === 'unknown' ? shown : `${shown} (${fee.rule})`
}
