// An offering and its tax for one investor, who lives on one side of the border: state law for the United States, the flow-through
// calculation for Canada, and why the other part does not apply.
import type { ComplianceFTSRequest } from '#schemas/compliance.ts'
import { BadRequest } from '#schemas/errors.ts'
import { type BlueSkyRules, blueSkyRules, blueSkyRulesets } from '../../rulesets/blue-sky/rules.ts'
import { citedSources, leastSure } from '../../rulesets/editions.ts'
import { type FlowThroughRules, flowThroughRules, flowThroughRulesets, type Jurisdiction } from '../../rulesets/flow-through/rules.ts'
import { didYouMean, nearestRows, refused } from '../../rulesets/named.ts'
import { blueSkyBody, blueSkySources } from '../blue-sky/body.ts'
import { checkBlueSky } from '../blue-sky/check.ts'
import { exchangeOf, offeringTypeOf, readPlace } from '../blue-sky/places.ts'
import { flowThroughBody, flowThroughSources } from './body.ts'
import { calculateFlowThrough } from './calculate.ts'
import { findJurisdiction } from './places.ts'

export type BothRules = { readonly offering: BlueSkyRules; readonly tax: FlowThroughRules }

/** The editions of one or two names separated by a comma, by default the newest of each family; throws `BadRequest` that lists them. */
export function bothRules(names: string | undefined): BothRules {
  const requested = names === undefined ? [] : names.split(',')
  const isOffering = (name: string): boolean => /^blue-?sky@/.test(name)
  const [offering, ...offerings] = requested.filter(isOffering)
  const [tax, ...taxes] = requested.filter(name => !isOffering(name))
  if (offerings.length + taxes.length > 0) {
    const known = [...blueSkyRulesets, ...flowThroughRulesets].map(each => each.ruleset)
    throw new BadRequest(`ruleset ${names}: two editions of one ruleset`, {
      hint: `ruleset takes one of each family, separated by a comma: ${known.join(', ')}`,
    })
  }
  return { offering: blueSkyRules(offering?.replace('blue-sky@', 'bluesky@')), tax: flowThroughRules(tax) }
}

/** Body and sources of the combined answer. Throws `BadRequest` (422) if the investor's place is neither a state nor a province. */
export function combinedAnswer(request: ComplianceFTSRequest, rules: BothRules) {
  const province = findJurisdiction(rules.tax, request.investor_state)
  return province ? forCanada(request, rules, province) : forStates(request, rules)
}

function forStates(request: ComplianceFTSRequest, rules: BothRules) {
  const { investor_state, offering_type, offering_amount_usd, is_mining_resource, is_flow_through, exchange } = request
  const place = readPlace(rules.offering, investor_state)
  if (place.kind !== 'state') throw noPlace(rules, investor_state)
  const offering = { investor_state, offering_type, offering_amount_usd, is_mining_resource, is_flow_through, exchange }
  const found = checkBlueSky({ ...offering, max_non_accredited: 0, general_solicitation: false }, rules.offering)
  const check = blueSkyBody(found, rules.offering)
  const { code, note, confidence } = rules.tax.abroad
  const { state } = place
  return {
    body: {
      ...headOf(rules, rules.offering, [check.confidence, confidence]),
      investor: { asked: investor_state, code: state.code, name: state.name, country: 'US' as const },
      offering: { status: 'computed' as const, code: null, reason: null, check, notes: [] },
      tax: { status: 'not_applicable' as const, code, reason: `${state.name} is in the United States: ${note}`, calculation: null },
      ...tailOf(['the offering is not advertised to the public, and every investor is accredited: the blue sky check takes other answers']),
    },
    sources: [...blueSkySources(found, rules.offering), ...citedSources(rules.tax.sources, [rules.tax.abroad])],
  }
}

/** The pointers to Canadian exemptions among the notes of the offering's ruleset. */
const canadianNotes = ['ni_45_106', 'life_exemption']

function forCanada(request: ComplianceFTSRequest, rules: BothRules, province: Jurisdiction) {
  // An invalid value is rejected for every investor, even if state law does not apply to this offering.
  offeringTypeOf(rules.offering, request.offering_type)
  exchangeOf(rules.offering, request.exchange)
  const { share_price, num_shares, income, fts_type, commodity, warrant_value } = request
  const found = calculateFlowThrough({ share_price, num_shares, income, fts_type, commodity, warrant_value, jurisdiction: province.code }, rules.tax)
  const calculation = flowThroughBody(found, rules.tax)
  const notes = rules.offering.notes.filter(note => canadianNotes.includes(note.id))
  return {
    body: {
      ...headOf(rules, rules.tax, [calculation.confidence, ...notes.map(note => note.confidence)]),
      investor: { asked: request.investor_state, code: province.code, name: province.name, country: 'CA' as const },
      offering: {
        status: 'not_applicable' as const,
        code: 'state_law_not_reached' as const,
        reason: `${province.name} is in Canada: no state of the United States regulates a sale to an investor there`,
        check: null,
        notes: notes.map(({ id, text, confidence, source }) => ({ code: id, text, confidence, source_ids: source })),
      },
      tax: { status: 'computed' as const, code: null, reason: null, calculation },
      ...tailOf(request.is_flow_through ? [] : ['is_flow_through is false, but the tax part takes the shares to be flow-through shares']),
    },
    sources: [...flowThroughSources(found, rules.tax), ...citedSources(rules.offering.sources, notes)],
  }
}

/** Head of an answer under two rulesets: both names, and the days of the ruleset whose part is calculated. */
const headOf = ({ offering, tax }: BothRules, computed: BlueSkyRules | FlowThroughRules, confidences: Parameters<typeof leastSure>[0]) => ({
  ruleset: `${offering.ruleset},${tax.ruleset}`,
  ruleset_valid_from: computed.valid_from,
  ruleset_valid_to: computed.valid_to,
  confidence: leastSure(confidences),
})
const tailOf = (assumptions: readonly string[]) => ({
  assumptions: ['the investor is resident where it lives, for securities law and for tax', ...assumptions],
  not_covered: ['investors with a residence or taxable income on both sides of the border', 'provincial securities law beyond the pointers'],
  rounding: 'as each part states',
  not_advice: true as const,
})

function noPlace({ offering, tax }: BothRules, text: string): BadRequest {
  const rows = [...offering.jurisdictions, ...tax.jurisdictions].map(({ name, aliases }) => ({ name, spellings: [name, ...aliases] }))
  const provinces = tax.jurisdictions.map(each => each.code).join(', ')
  const hint = `${didYouMean(nearestRows(text, rows, 3))}a state of the United States by code or name, or one of ${provinces}`
  return refused('investor_state', 'there is no such state of the United States, and no such province or territory of Canada', hint)
}
