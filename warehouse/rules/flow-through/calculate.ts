// A flow-through investment of one individual: which rows of the ruleset apply to a request, and the result.
import type { FTSCalculateRequest } from '#schemas/compliance.ts'
import { plainDecimal } from '#schemas/values.ts'
import { compare, minus, type Ratio, ratioOf, times } from '../../datasets/prices/ratio.ts'
import type { Confidence } from '../../rulesets/editions.ts'
import {
  type FederalCredit,
  type FlowThroughRules,
  federal,
  type Jurisdiction,
  type ProvincialCredit,
  type ShareType,
} from '../../rulesets/flow-through/rules.ts'
import { type Band, bandsOf, combinedPct, least } from './bands.ts'
import { type Commodity, readCommodity } from './commodity.ts'
import { jurisdictionOf, shareTypeOf } from './places.ts'
import { calculateAfterTax, type FlowThroughResult, type Terms } from './terms.ts'

type DatedRow = { readonly confidence: Confidence; readonly source: readonly string[]; readonly valid_from: string; readonly valid_to: string | null }
/** A row that the answer depends on. */
type UsedRow = DatedRow & { readonly rule: string }
/** Of a credit for listed minerals only. pass: each one named is listed; fail: none is; unknown: cannot be determined; not_applicable: no such credit is claimed. */
type MineralCheck = { readonly status: 'pass' | 'fail' | 'unknown' | 'not_applicable'; readonly explanation: string }
export type Alternative = { readonly credit: FederalCredit; readonly result: FlowThroughResult; readonly applies_if: string }
export type FlowThrough = {
  readonly jurisdiction: Jurisdiction
  readonly type: ShareType
  readonly commodity: Commodity
  readonly request: FTSCalculateRequest
  readonly shares: Ratio
  /** The assumed day of the agreement. */
  readonly day: string
  readonly terms: Terms
  readonly result: FlowThroughResult
  readonly federal_credit: FederalCredit | null
  readonly provincial_credit: ProvincialCredit | null
  readonly minerals: MineralCheck
  /** The same with the other federal credit, if the expenses may qualify for it. */
  readonly alternative: Alternative | null
  readonly hints: readonly string[]
  readonly assumptions: readonly string[]
  readonly used: readonly UsedRow[]
}

const exact = (number: number): Ratio => ratioOf(plainDecimal(number))
const holds = (row: DatedRow, day: string): boolean => row.valid_from <= day && (row.valid_to === null || row.valid_to >= day)

/**
 * The cost of the shares after deduction, credits, recapture and tax on a sale. `day` is the day of the agreement. Throws `BadRequest` for
 * an unknown jurisdiction (400 abroad, 422 otherwise) or kind of share (422).
 */
export function calculateFlowThrough(request: FTSCalculateRequest, rules: FlowThroughRules, day: string = rules.reckoned_on): FlowThrough {
  const jurisdiction = jurisdictionOf(rules, request.jurisdiction)
  const type = shareTypeOf(rules, request.fts_type)
  const commodity = readCommodity(rules, request.commodity, day)
  const [price, shares, income] = [exact(request.share_price), exact(request.num_shares), exact(request.income)]
  // A warrant's value is at most the whole price.
  const warrant = least(exact(request.warrant_value), price)
  const chosen = chooseCredit(rules, type, commodity, day)
  const provincial = type.provincial_credit
    ? (rules.provincial_credits.find(row => row.jurisdiction === jurisdiction.code && holds(row, day)) ?? null)
    : null
  const bands = bandsOf(rules, jurisdiction.code)
  const terms = termsOf(
    rules,
    { cost: times(shares, price), eligible: times(shares, minus(price, warrant)), income, bands },
    type,
    chosen.credit,
    provincial,
  )
  const result = calculateAfterTax(terms)
  const alternative = chosen.other && {
    credit: chosen.other.credit,
    result: calculateAfterTax({ ...terms, federal_credit_pct: chosen.other.credit.rate_pct }),
    applies_if: chosen.other.applies_if,
  }
  return {
    jurisdiction,
    type,
    commodity,
    request,
    shares,
    day,
    terms,
    result,
    federal_credit: chosen.credit,
    provincial_credit: provincial,
    minerals: chosen.check,
    alternative,
    hints: [...chosen.hints, ...hintsOf(result, type, request)],
    assumptions: assumptionsOf(rules, jurisdiction, day),
    used: usedRows(rules, jurisdiction, type, commodity, chosen.credit, provincial),
  }
}

type Money = Pick<Terms, 'cost' | 'eligible' | 'income'> & { readonly bands: readonly Band[] }
const termsOf = (
  rules: FlowThroughRules,
  money: Money,
  type: ShareType,
  credit: FederalCredit | null,
  provincial: ProvincialCredit | null,
): Terms => ({
  ...money,
  deduction_pct: type.deduction_pct,
  federal_credit_pct: credit?.rate_pct ?? '0',
  provincial_credit_pct: provincial?.rate_pct ?? '0',
  provincial_refundable: provincial?.kind === 'refundable',
  inclusion_pct: rules.gain.inclusion_pct,
})

type Chosen = {
  readonly credit: FederalCredit | null
  readonly check: MineralCheck
  readonly other: { readonly credit: FederalCredit; readonly applies_if: string } | null
  readonly hints: readonly string[]
}

/** The federal credit that a kind of share claims, and how the commodity affects it. */
function chooseCredit(rules: FlowThroughRules, type: ShareType, commodity: Commodity, day: string): Chosen {
  const creditOf = (name: string | null): FederalCredit | null => rules.federal_credits.find(row => row.credit === name && holds(row, day)) ?? null
  const ended = rules.federal_credits.find(row => row.credit === type.federal_credit && !holds(row, day))
  if (type.federal_credit === null || ended) {
    const check = { status: 'not_applicable', explanation: 'no federal credit is claimed, so that the commodity does not matter' } as const
    return {
      credit: null,
      check,
      other: null,
      hints: ended ? [`the ${ended.credit} is not for agreements of ${day}: it is for those from ${ended.valid_from} to ${ended.valid_to}`] : [],
    }
  }
  const { status, sentence } = listings[commodity.listing]
  const named = commodity.named.map(each => each.mineral?.mineral ?? each.text).join(', ')
  const explanation = named === '' ? 'no commodity is named, so it is unknown whether it is a critical mineral' : `${named}: ${sentence}`
  const own = creditOf(type.federal_credit)
  const listed = rules.federal_credits.find(row => row.minerals === 'listed' && holds(row, day)) ?? null
  if (own?.minerals === 'listed') {
    const check = { status, explanation }
    if (status === 'pass') return { credit: own, check, other: null, hints: [] }
    const credit = creditOf(type.otherwise)
    const hint = `the ${own.credit} is not included (${explanation}): ${credit ? `the ${credit.credit} is` : 'no credit is'}; commodity says what is explored for`
    return { credit, check, other: { credit: own, applies_if: qualifies(own) }, hints: [hint] }
  }
  const check = { status: 'not_applicable', explanation: `${explanation}; the ${own?.credit} does not go by that list` } as const
  if (listed && (commodity.listing === 'listed' || commodity.listing === 'mixed')) {
    const hint = `${explanation}: the ${listed.credit} of ${listed.rate_pct} % may apply; ask with fts_type critical_mineral`
    return { credit: own, check, other: { credit: listed, applies_if: qualifies(listed) }, hints: [hint] }
  }
  const strange = `${named === '' ? 'no commodity is named' : `${named}: not known to the ruleset`}; the ${own?.credit} is reckoned all the same, and is only for ${own?.condition}`
  return { credit: own, check, other: null, hints: commodity.listing === 'unknown' ? [strange] : [] }
}

const qualifies = (credit: FederalCredit): string => `only for ${credit.condition}`
const listings = {
  listed: { status: 'pass', sentence: 'on the list of critical minerals' },
  not_listed: { status: 'fail', sentence: 'not on the list of critical minerals' },
  mixed: { status: 'unknown', sentence: 'in part on the list of critical minerals: which of them the expenses primarily explore for decides' },
  unknown: { status: 'unknown', sentence: 'not known to the ruleset, so it is unknown whether it is a critical mineral' },
} as const

function hintsOf(found: FlowThroughResult, type: ShareType, request: FTSCalculateRequest): string[] {
  const { deduction, federal: national, provincial } = found
  const untaxed = deduction.slices[0] && combinedPct(deduction.slices[0].band).numerator === 0n
  return [
    ...(request.warrant_value > request.share_price
      ? ['warrant_value is more than share_price: the whole price was taken for the warrant, so that nothing is eligible']
      : []),
    ...(compare(deduction.amount, deduction.used) > 0
      ? ['the deduction is more than the income: what is left over stays in the pool and is deducted in later years']
      : []),
    ...(untaxed ? ['part of the deduction is set off against income that bears no tax: it may be kept in the pool for later years instead'] : []),
    ...(national.carried.numerator > 0n || provincial.carried.numerator > 0n
      ? ['credits pass the tax that is left this year: the rest is carried and is not in the net cost']
      : []),
    ...(type.note === null ? [] : [type.note]),
  ]
}

/** The ruleset's assumptions, and one if a schedule of an earlier year has to be used. */
function assumptionsOf(rules: FlowThroughRules, jurisdiction: Jurisdiction, day: string): string[] {
  const earlier = rules.schedules.filter(row => [jurisdiction.code, federal].includes(row.jurisdiction) && row.tax_year < rules.tax_year)
  return [
    ...rules.assumptions,
    `the agreement was made on ${day}`,
    ...earlier.map(
      row =>
        `brackets of ${row.jurisdiction === federal ? 'the federal tax' : jurisdiction.name} for ${rules.tax_year} are not held: those of ${row.tax_year} serve`,
    ),
  ]
}

/** Every row that the figures depend on; the least certain one determines the certainty of the answer. */
function usedRows(
  rules: FlowThroughRules,
  { code, name }: Jurisdiction,
  type: ShareType,
  commodity: Commodity,
  credit: FederalCredit | null,
  provincial: ProvincialCredit | null,
): UsedRow[] {
  const used = (rule: string, row: DatedRow | null | undefined): UsedRow[] => {
    if (!row) return []
    const { confidence, source, valid_from, valid_to } = row
    return [{ rule, confidence, source, valid_from, valid_to }]
  }
  const of = <R extends { readonly jurisdiction: string }>(rows: readonly R[], place: string): R | undefined =>
    rows.find(row => row.jurisdiction === place)
  const credits = credit !== null || provincial !== null
  return [
    ...used('federal brackets', of(rules.schedules, federal)),
    ...used('federal basic amount', of(rules.basic_amounts, federal)),
    ...used(`brackets of ${name}`, of(rules.schedules, code)),
    ...used(`basic amount of ${name}`, of(rules.basic_amounts, code)),
    ...used(`federal abatement of ${name}`, of(rules.abatements, code)),
    ...used(`deduction of ${type.expense}`, type),
    ...used(`federal credit ${credit?.credit}`, credit),
    ...used('carry of federal credits', credit && rules.federal_carry),
    ...used(`credit of ${name}`, provincial),
    ...(credit === null ? [] : commodity.named.flatMap(({ mineral }) => used(`critical minerals: ${mineral?.mineral}`, mineral))),
    ...used('recapture of credits', credits ? rules.recapture : null),
    ...used('cost base and capital gain', rules.gain),
  ]
}
