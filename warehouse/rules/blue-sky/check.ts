// Checks an offering of securities against federal exemptions and the states' notice filings: a request and a ruleset in, verdicts,
// deadlines and fees out. No I/O, no clock.
import type { BlueSkyCheckRequest, BlueSkyMultiStateRequest } from '#schemas/compliance.ts'
import { difference, sumOf } from '#schemas/decimals.ts'
import { plainDecimal } from '#schemas/values.ts'
import type { BlueSkyRules, Exchange, Jurisdiction, Note, OfferingType, SecFiling } from '../../rulesets/blue-sky/rules.ts'
import { type Confidence, leastSure } from '../../rulesets/editions.ts'
import { refused } from '../../rulesets/named.ts'
import { type Evaluated, evaluate, type Facts, holds, worst } from './evaluate.ts'
import { type Fee, feeRange } from './fees.ts'
import { exchangeOf, nearHint, offeringTypeOf, readPlace, stateOf } from './places.ts'

type Overall = ReturnType<typeof worst>
type Query = Omit<BlueSkyCheckRequest, 'investor_state'>

/** What a state requires, and the results of its checks. */
export type StateFound = {
  readonly state: Jurisdiction
  /** As spelled in the request. */
  readonly requested: readonly string[]
  readonly status: Overall
  readonly checks: readonly Evaluated[]
  readonly preempted: 'yes' | 'no' | 'not_applicable'
  readonly notice: 'due' | 'none' | 'unknown' | 'not_listed' | 'not_applicable'
  /** Null if no notice is required. */
  readonly fee: Fee | null
  readonly late: readonly (Pick<Jurisdiction['late'][number], 'step' | 'how'> & { readonly fee: Fee })[]
}
type Suggestion = { readonly check: string; readonly text: string; readonly offering_type: string | null }
/** Findings that are the same for all states. */
export type OfferingFound = {
  readonly request: Query & { readonly amount: string }
  readonly type: OfferingType
  readonly exchange: Exchange | null
  readonly filing: SecFiling | null
  readonly status: Overall
  readonly checks: readonly Evaluated[]
  readonly changes: readonly Suggestion[]
  readonly notes: readonly Note[]
}
export type BlueSky = OfferingFound & { readonly state: StateFound; readonly confidence: Confidence }
type Totals = {
  /** Sum of the fees that are a single figure. */
  readonly exact_usd: string
  /** Includes the ranges: from their lower to their upper ends. */
  readonly low_usd: string
  readonly high_usd: string
  readonly exact: readonly string[]
  readonly ranges: readonly string[]
  readonly unknown: readonly string[]
  /** The filing system's fee, counted once; 0 if no state is known to require a notice. */
  readonly depository_usd: string
}
export type BlueSkyStates = OfferingFound & {
  readonly states: readonly StateFound[]
  readonly unknown: readonly { readonly requested: string; readonly hint: string }[]
  readonly totals: Totals
  readonly confidence: Confidence
}

/** One investor's state. Throws `BadRequest` (422) for an unknown state, exemption or exchange. */
export function checkBlueSky(request: BlueSkyCheckRequest, rules: BlueSkyRules): BlueSky {
  const { investor_state, ...requested } = request
  const state = stateOf(rules, investor_state, 'investor_state')
  const offering = offeringOf(rules, requested, [state])
  const found = stateFound(rules, offering, { state, requested: [investor_state] })
  return { ...offering, status: worst([offering.status, found.status]), state: found, confidence: surenessOf(rules, offering, [found]) }
}

/** Several states, each once, in the requested order; unknown ones are listed. Throws `BadRequest` (422) if none is a state. */
export function checkBlueSkyStates(request: BlueSkyMultiStateRequest, rules: BlueSkyRules): BlueSkyStates {
  const { states, ...requested } = request
  const known = new Map<Jurisdiction, string[]>()
  const unknown: { requested: string; hint: string }[] = []
  for (const text of states) {
    const place = readPlace(rules, text)
    if (place.kind === 'state') known.set(place.state, [...(known.get(place.state) ?? []), text])
    else if (!unknown.some(each => each.requested === text))
      unknown.push({ requested: text, hint: place.kind === 'elsewhere' ? rules.elsewhere_hint : nearHint(rules, place.nearest) })
  }
  if (known.size === 0) throw refused('states', 'none of them is a state of the United States', unknown[0]?.hint ?? '')
  const offering = offeringOf(rules, requested, [...known.keys()])
  const found = [...known].map(([state, spellings]) => stateFound(rules, offering, { state, requested: spellings }))
  return {
    ...offering,
    // A state that could not be recognized is not evaluated.
    status: worst([offering.status, ...found.map(each => each.status), ...(unknown.length > 0 ? ['unknown' as const] : [])]),
    states: found,
    unknown,
    totals: totalsOf(rules, found),
    confidence: surenessOf(rules, offering, found),
  }
}

function offeringOf(rules: BlueSkyRules, requested: Query, states: readonly Jurisdiction[]): OfferingFound {
  const type = offeringTypeOf(rules, requested.offering_type)
  const exchange = exchangeOf(rules, requested.exchange)
  const filing = rules.sec_filings.find(each => each.id === type.sec_filing) ?? null
  const request = { ...requested, amount: plainDecimal(requested.offering_amount_usd) }
  const facts = factsOf(rules, request, type, exchange, states)
  const checks = evaluated(rules, 'offering', type, facts)
  const changes = checks.flatMap(({ check, change }): Suggestion[] =>
    change ? [{ check, text: change.text, offering_type: firstThatFits(rules, change.offering_types, request, exchange, states) }] : [],
  )
  const notes = rules.notes.filter(note => note.any.length === 0 || note.any.some(condition => holds(condition, facts)))
  return { request, type, exchange, filing, status: worst(checks.map(each => each.status)), checks, changes, notes }
}

const evaluated = (rules: BlueSkyRules, scope: 'offering' | 'state', type: OfferingType, facts: Facts): Evaluated[] =>
  rules.checks.filter(check => check.scope === scope).map(check => evaluate(rules, check, type, facts))

/** The first of some exemptions under which no check of the same offering fails. */
function firstThatFits(
  rules: BlueSkyRules,
  names: readonly string[],
  request: OfferingFound['request'],
  exchange: Exchange | null,
  states: readonly Jurisdiction[],
): string | null {
  const fits = (name: string): boolean => {
    const type = offeringTypeOf(rules, name)
    return evaluated(rules, 'offering', type, factsOf(rules, request, type, exchange, states)).every(each => each.status !== 'fail')
  }
  return names.find(fits) ?? null
}

function factsOf(
  rules: BlueSkyRules,
  request: OfferingFound['request'],
  type: OfferingType,
  exchange: Exchange | null,
  states: readonly Jurisdiction[],
): Facts {
  const [state] = states
  const filing = rules.sec_filings.find(each => each.id === type.sec_filing)
  return {
    offering_amount_usd: request.amount,
    max_non_accredited: String(request.max_non_accredited),
    general_solicitation: request.general_solicitation,
    is_mining_resource: request.is_mining_resource,
    is_flow_through: request.is_flow_through,
    exchange_title: exchange?.title ?? null,
    exchange_kind: exchange?.kind ?? null,
    offering_title: type.title,
    cap_usd: type.cap_usd,
    cap_months: String(type.cap_months),
    non_accredited_limit: type.non_accredited_limit,
    sec_form: filing?.form ?? null,
    sec_text: filing?.text ?? null,
    states_count: String(states.length),
    state_name: namesOf(states),
    notice: state ? noticeOf(type, state) : null,
    notice_days: state?.days == null ? null : String(state.days),
  }
}
/** More than three are counted instead of listed, to keep the sentence readable. */
const namesOf = (states: readonly Jurisdiction[]): string =>
  states.length > 3
    ? `these ${states.length} states`
    : states
        .map(state => state.name)
        .join(', ')
        .replace(/, ([^,]+)$/, ' and $1')

const noticeOf = (type: OfferingType, state: Jurisdiction): StateFound['notice'] =>
  type.state_notice === 'by_state' ? state.notice : type.state_notice === 'not_listed' ? 'not_listed' : 'not_applicable'

function stateFound(rules: BlueSkyRules, offering: OfferingFound, { state, requested }: Pick<StateFound, 'state' | 'requested'>): StateFound {
  const { type, exchange, request } = offering
  const notice = noticeOf(type, state)
  const checks = evaluated(rules, 'state', type, factsOf(rules, request, type, exchange, [state]))
  const registration = checks.find(each => each.check === 'state_registration')?.status
  const asksNotice = notice !== 'not_applicable'
  return {
    state,
    requested,
    status: worst(checks.map(each => each.status)),
    checks,
    preempted: type.state_registration === 'not_applicable' ? 'not_applicable' : registration === 'pass' ? 'yes' : 'no',
    notice,
    fee: asksNotice ? feeRange(notice === 'not_listed' ? { kind: 'unknown' } : state.fee, request.amount) : null,
    late: notice === 'due' ? state.late.map(({ step, how, fee }) => ({ step, how, fee: feeRange(fee, request.amount) })) : [],
  }
}

/** Fees of the notices. Unknown fees are listed and never counted as zero. */
function totalsOf(rules: BlueSkyRules, states: readonly StateFound[]): Totals {
  const rows = states.flatMap(({ state, fee, notice }) => (fee ? [{ code: state.code, fee, notice }] : []))
  const of = (wanted: (fee: Fee) => boolean) => rows.filter(({ fee }) => wanted(fee))
  const exact = of(fee => fee.exact_usd !== null)
  const ranges = of(fee => fee.exact_usd === null && fee.high_usd !== null)
  const sum = (list: typeof rows, end: keyof Omit<Fee, 'basis'>): string => sumOf(list.map(({ fee }) => fee[end] ?? '0'))
  const codes = (list: typeof rows): string[] => list.map(({ code }) => code)
  return {
    exact_usd: sum(exact, 'exact_usd'),
    low_usd: sum([...exact, ...ranges], 'low_usd'),
    high_usd: sum([...exact, ...ranges], 'high_usd'),
    exact: codes(exact),
    ranges: codes(ranges),
    // If registration is not pre-empted, it costs something too, or the filing of a state's own exemption does.
    unknown: states.filter(({ fee, preempted }) => (fee === null ? preempted === 'no' : fee.high_usd === null)).map(({ state }) => state.code),
    depository_usd: rows.some(({ notice }) => notice === 'due') ? rules.depository.fee_usd : '0',
  }
}

function surenessOf(rules: BlueSkyRules, { type, exchange, checks, notes, filing }: OfferingFound, states: readonly StateFound[]): Confidence {
  const applied = (all: readonly Evaluated[]): readonly Evaluated[] => all.filter(({ status }) => status !== 'not_applicable')
  const rows = [type, ...(exchange ? [exchange] : []), ...applied(checks), ...notes, ...(filing ? [filing] : [])]
  const own = states.flatMap(({ state, checks, notice }) => [...applied(checks), ...(notice === 'not_applicable' ? [] : [state])])
  const depository = states.some(({ notice }) => notice === 'due') ? [rules.depository] : []
  return leastSure([...rows, ...own, ...depository].map(row => row.confidence))
}

/** How far a value is above its limit; `0` if it is not above it. */
export const aboveLimit = ({ value, limit, room }: NonNullable<Evaluated['distance']>): string =>
  room.startsWith('-') ? difference(value, limit) : '0'
