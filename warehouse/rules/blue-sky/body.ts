// The result of a check of an offering as the answer prints it; also used by the command line.
import type { Source } from '#schemas/answer.ts'
import { digits } from '../../context/answer.ts'
import type { BlueSkyRules, FeeRule } from '../../rulesets/blue-sky/rules.ts'
import { citedSources } from '../../rulesets/editions.ts'
import { aboveLimit, type BlueSky, type BlueSkyStates, type OfferingFound, type StateFound } from './check.ts'
import type { Evaluated } from './evaluate.ts'
import { type Fee, feeWords } from './fees.ts'

/** The body for one state. */
export function blueSkyBody(found: BlueSky, rules: BlueSkyRules) {
  const checks = [...found.checks, ...found.state.checks]
  return {
    ...head(found, rules),
    investor_state: {
      asked: found.state.requested[0] ?? '',
      code: found.state.state.code,
      name: found.state.state.name,
      kind: found.state.state.kind,
    },
    ...offeringOnWire(found),
    checks: checks.map(checkOnWire),
    ...listsOf(found, checks),
    ...stateOnWire(found.state),
    ...tail(found, rules, [found.state]),
  }
}

/** The body for several states: the common findings once, then a row for each state. */
export function blueSkyStatesBody(found: BlueSkyStates, rules: BlueSkyRules) {
  const { totals } = found
  return {
    ...head(found, rules),
    ...offeringOnWire(found),
    checks: found.checks.map(checkOnWire),
    ...listsOf(found, found.checks),
    count: found.states.length,
    states: found.states.map(each => ({
      code: each.state.code,
      name: each.state.name,
      kind: each.state.kind,
      asked: each.requested,
      status: each.status,
      checks: each.checks.map(checkOnWire),
      ...stateOnWire(each),
    })),
    not_states: found.unknown.map(({ requested, hint }) => ({ asked: requested, hint })),
    totals: {
      exact_usd: digits(totals.exact_usd),
      low_usd: digits(totals.low_usd),
      high_usd: digits(totals.high_usd),
      exact: totals.exact,
      ranges: totals.ranges,
      unknown: totals.unknown,
      filing_system_usd: digits(totals.depository_usd),
    },
    ...tail(found, rules, found.states),
  }
}

const head = (found: BlueSky | BlueSkyStates, rules: BlueSkyRules) => ({
  ruleset: rules.ruleset,
  ruleset_valid_from: rules.valid_from,
  ruleset_valid_to: rules.valid_to,
  confidence: found.confidence,
  status: found.status,
})

function offeringOnWire({ request, type, exchange, filing }: OfferingFound) {
  return {
    offering: {
      offering_type: type.offering_type,
      title: type.title,
      law: type.law,
      offering_amount_usd: digits(request.amount),
      cap_usd: digits(type.cap_usd),
      cap_months: type.cap_months,
      general_solicitation: request.general_solicitation,
      general_solicitation_allowed: type.general_solicitation,
      max_non_accredited: request.max_non_accredited,
      non_accredited_limit: digits(type.non_accredited_limit),
      investors: type.investors,
      is_mining_resource: request.is_mining_resource,
      is_flow_through: request.is_flow_through,
      exchange: exchange && { exchange: exchange.exchange, title: exchange.title, kind: exchange.kind },
      note: type.note,
    },
    sec_filing: filing && {
      form: filing.form,
      due: filing.text,
      due_days: filing.due_days,
      due_after: filing.after,
      amendments: filing.amendments,
    },
  }
}

const checkOnWire = (evaluated: Evaluated) => ({
  check: evaluated.check,
  title: evaluated.title,
  status: evaluated.status,
  code: evaluated.code,
  explanation: evaluated.explanation,
  distance: evaluated.distance && {
    value: digits(evaluated.distance.value),
    limit: digits(evaluated.distance.limit),
    above_limit: digits(aboveLimit(evaluated.distance)),
    room: digits(evaluated.distance.room.startsWith('-') ? '0' : evaluated.distance.room),
    unit: evaluated.distance.unit,
  },
  confidence: evaluated.confidence,
  source_ids: evaluated.source,
  valid_from: evaluated.valid_from,
})

const listsOf = (found: OfferingFound, checks: readonly Evaluated[]) => ({
  not_evaluated: checks.filter(({ status }) => status === 'not_evaluated').map(({ check }) => check),
  changes: found.changes,
})

const stateOnWire = ({ state, preempted, notice, fee, late }: StateFound) => ({
  state_registration_preempted: preempted,
  notice_filing: {
    status: notice,
    form: notice === 'due' ? 'Form D' : null,
    due_days: notice === 'due' ? state.days : null,
    due_after: notice === 'due' ? ('the first sale in the state' as const) : null,
    fee: fee && feeOnWire(fee, notice === 'not_listed' ? null : state.fee),
    late_fees: late.map(each => ({
      step: each.step,
      how: each.how,
      ...feeOnWire(each.fee, state.late.find(row => row.step === each.step)?.fee ?? null),
    })),
    other_fees: notice === 'due' ? state.other_fees.map(({ about, amount_usd }) => ({ about, amount_usd: digits(amount_usd) })) : [],
    note: notice === 'not_applicable' ? null : state.note,
    list_dated: fee === null ? null : state.as_of,
    confidence: state.confidence,
    source_ids: state.source,
  },
})

const feeOnWire = (fee: Fee, rule: FeeRule | null) => ({
  basis: fee.basis,
  exact_usd: digits(fee.exact_usd),
  low_usd: digits(fee.low_usd),
  high_usd: digits(fee.high_usd),
  rule: feeWords(rule ?? { kind: 'unknown' }),
})

function tail(found: OfferingFound, rules: BlueSkyRules, states: readonly StateFound[]) {
  const ranged = states.some(({ fee }) => fee?.basis === 'range' || fee?.basis === 'most')
  const { depository } = rules
  return {
    filing_system: states.some(({ notice }) => notice === 'due')
      ? {
          name: depository.name,
          fee_usd: digits(depository.fee_usd),
          per: depository.per,
          confidence: depository.confidence,
          source_ids: depository.source,
        }
      : null,
    notes: found.notes.map(({ id, text, confidence, source }) => ({ code: id, text, confidence, source_ids: source })),
    assumptions: [...rules.assumptions, ...(ranged ? [rules.range_assumption] : [])],
    not_covered: rules.not_covered,
    rounding: rules.rounding,
    not_advice: true as const,
  }
}

/** The sources of the rows that were applied. */
export function blueSkySources(found: BlueSky | BlueSkyStates, rules: BlueSkyRules): Source[] {
  const states = 'states' in found ? found.states : [found.state]
  const rows = [
    found.type,
    ...(found.exchange ? [found.exchange] : []),
    ...found.checks,
    ...found.notes,
    ...states.flatMap(each => [each.state, ...each.checks]),
  ]
  return citedSources(rules.sources, [...rows, rules.depository])
}
