// Flow-through shares: the published vectors, every kind of share, credits and their last days, and properties for every investor.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FTSCalculateRequest } from '#schemas/compliance.ts'
import { compare, decimalOf, plus, type Ratio, ratioOf } from '../../datasets/prices/ratio.ts'
import { flowThroughRules, flowThroughRulesets } from '../../rulesets/flow-through/rules.ts'
import { combinedPct, least, most, zero } from './bands.ts'
import { flowThroughBody } from './body.ts'
import { calculateFlowThrough, type FlowThrough } from './calculate.ts'
import { calculateAfterTax } from './terms.ts'

const rules = flowThroughRules(undefined)
const standard = { share_price: 1, num_shares: 10_000, income: 1_000_000, jurisdiction: 'ON' }
const ask = (requested: Partial<FTSCalculateRequest> = {}, day?: string): FlowThrough =>
  calculateFlowThrough(FTSCalculateRequest.parse({ ...standard, ...requested }), rules, day)
const cents = (amount: Ratio): string => decimalOf(amount, 2)
const body = (requested: Partial<FTSCalculateRequest> = {}) => JSON.parse(JSON.stringify(flowThroughBody(ask(requested), rules)))
const critical = { fts_type: 'critical_mineral', commodity: 'copper' } as const

describe('the published vectors', () => {
  it('1,000 dollars in British Columbia at 43.7 %: 757 of benefits, 139.84 taken back, 617.16 in all', () => {
    // The example's rate is 29 % federal and 14.7 % provincial tax, without the fall of the basic amount, which makes 43.99 % of it
    // in 2026: so the rates are listed here and are not those of the ruleset.
    const bands = [{ from: zero, to: null, federal_pct: ratioOf('29'), provincial_pct: ratioOf('14.7') }]
    const thousand = ratioOf('1000')
    const credits = { federal_credit_pct: '15', provincial_credit_pct: '20', provincial_refundable: false }
    const found = calculateAfterTax({
      cost: thousand,
      eligible: thousand,
      income: ratioOf('170000'),
      deduction_pct: '100',
      bands,
      ...credits,
      inclusion_pct: '50',
    })
    expect([found.saving, found.provincial.amount, found.federal.amount, found.benefit, found.recapture.tax].map(cents)).toEqual([
      '437',
      '200',
      '120',
      '757',
      '139.84',
    ])
    expect(cents(found.net_cost)).toBe('382.84')
  })
  // At an income of 1,000,000 the whole deduction is in the highest bracket of 2026: the marginal rate is the last of the table.
  it.each([
    ['AB', 'METC', '48', 0, '4420', '5815.79'],
    ['ON', 'METC', '53.53', 0, '3752.45', '5123.85'],
    ['ON', 'CMETC', '53.53', 0, '3090.26', '4219.64'],
    ['BC', 'METC', '53.5', 0, '3162', '4316.72'],
    ['BC', 'CMETC', '53.5', 0, '2604', '3554.95'],
    ['SK', 'METC', '47.5', 0, '3123.75', '4096.72'],
    ['SK', 'CMETC', '47.5', 0, '2572.5', '3373.77'],
    ['MB', 'METC', '50.4', 0, '2951.2', '3945.45'],
    ['AB', 'METC', '48', 0.05, '4699', '6182.89'],
  ])(
    '10,000 dollars in %s with the %s at %s %%, %d of each share for the warrant: net %s, break-even %s',
    (jurisdiction, credit, rate, warrant, net, even) => {
      const { result, federal_credit } = ask({ jurisdiction, warrant_value: warrant, ...(credit === 'CMETC' ? critical : {}) })
      expect([federal_credit?.credit, decimalOf(result.marginal_pct), cents(result.net_cost), cents(result.break_even)]).toEqual([
        credit,
        rate,
        net,
        even,
      ])
    },
  )
})

describe('the deduction', () => {
  it('is taxed bracket by bracket', () => {
    const { deduction, marginal_rate_pct } = body({ num_shares: 20_000, income: 190_000 })
    expect(
      deduction.brackets.map((row: Record<string, number>) => [row['income_from'], row['income_to'], row['rate_pct'], row['tax_saving']]),
    ).toEqual([
      [170_000, 181_440, 44.97, 5144.57],
      [181_440, 190_000, 48.26, 4131.06],
    ])
    expect([deduction.tax_saving, marginal_rate_pct]).toEqual([9275.62, 48.26])
  })
  it.each([
    ['none', 'CEE', '10000', null],
    ['development', 'CDE', '3000', null],
    ['oil_gas', 'CEE', '10000', null],
    ['renewable', 'CRCE', '10000', null],
    ['regular', 'CEE', '10000', 'METC'],
    ['critical_mineral', 'CEE', '10000', 'CMETC'],
  ])('%s: %s, %s dollars in the first year, credit %s', (fts_type, expense, amount, credit) => {
    const found = ask({ fts_type, commodity: fts_type === 'critical_mineral' ? 'nickel' : 'gold', jurisdiction: 'MB' })
    expect([found.type.expense, cents(found.result.deduction.amount), found.federal_credit?.credit ?? null]).toEqual([expense, amount, credit])
    expect(found.provincial_credit !== null).toBe(credit !== null)
  })
  it('of development expense leaves seventy per cent in the pool, and no credit', () => {
    const { deduction, total_benefit, recapture, hints } = body({ fts_type: 'cde', jurisdiction: 'AB' })
    expect([deduction.left_in_pool, total_benefit, recapture.tax]).toEqual([7000, 1440, 0])
    expect(hints.join()).toContain('later')
  })
  it('never makes tax negative: what passes the income stays in the pool, and absorbs what credits would have taken back', () => {
    const { deduction, tax, federal_credit, provincial_credit, recapture, hints } = body({ income: 4000 })
    expect(deduction).toMatchObject({ amount: 10_000, used_this_year: 4000, left_in_pool: 6000, tax_saving: 0 })
    expect([tax.before, tax.after_deduction]).toEqual([0, 0])
    expect([federal_credit.used_this_year, federal_credit.carried, provincial_credit.used_this_year, recapture.income]).toEqual([0, 1425, 500, 0])
    expect(hints.join()).toContain('stays in the pool')
    expect(hints.join()).toContain('bears no tax')
    expect(hints.join()).toContain('carried')
  })
  it('with credits takes no more than the tax of each level', () => {
    // 40,000 less 15,000: federal tax is left on 8,548 dollars, Saskatchewan's on 4,619.
    const { tax, federal_credit: national, provincial_credit: own, net_cost } = body({ num_shares: 15_000, income: 40_000, jurisdiction: 'SK' })
    expect([tax.federal_after_deduction, tax.provincial_after_deduction]).toEqual([1196.72, 485])
    expect([national.amount, national.used_this_year, national.carried]).toEqual([1575, 1196.72, 378.28])
    expect([own.amount, own.used_this_year, own.carried]).toEqual([4500, 485, 4015.01])
    expect(net_cost).toBeLessThan(15_000)
  })
  it('of no shares is nothing, and has no price per share', () => {
    const nothing = body({ num_shares: 0 })
    expect(nothing).toMatchObject({
      cost: 0,
      net_cost: 0,
      net_cost_pct: null,
      effective_rate_pct: null,
      break_even: { proceeds: 0, per_share: null },
    })
  })
  it('is of the price without the warrant, which is cut to the price and echoed', () => {
    expect(body({ share_price: 2, warrant_value: 0.5 })).toMatchObject({
      eligible_amount: 15_000,
      understood: { warrant_value: 0.5, warrant_clamped: false },
    })
    const cut = body({ share_price: 2, warrant_value: 3 })
    expect(cut).toMatchObject({ eligible_amount: 0, net_cost: 20_000, understood: { warrant_value: 2, warrant_clamped: true } })
    expect(cut.hints.join()).toContain('warrant_value')
  })
  it('is exact where a binary float is not, and echoes every digit', () => {
    expect(body({ share_price: 1.5e-13, warrant_value: 1e-300 }).understood).toMatchObject({ share_price: 1.5e-13, warrant_value: 1e-300 })
    expect(body({ share_price: 0.1, num_shares: 3, warrant_value: 1e-7 })).toMatchObject({
      cost: 0.3,
      understood: { share_price: 0.1, warrant_value: 1e-7 },
    })
    expect(body({ share_price: 1e9, num_shares: 1e13 }).cost).toBe(1e22)
  })
})

describe('credits', () => {
  it.each([
    ['BC', '20', false, 3, 10],
    ['MB', '30', false, 3, 10],
    ['ON', '5', true, null, null],
    ['SK', '30', false, 3, 10],
  ])('%s: %s %%, refundable %s', (jurisdiction, rate, refundable, back, forward) => {
    const { provincial_credit: own, net_of_assistance_base, federal_credit } = body({ jurisdiction })
    expect(own).toMatchObject({ rate_pct: Number(rate), refundable, carry_back_years: back, carry_forward_years: forward })
    expect(federal_credit.base).toBe(net_of_assistance_base)
    expect(net_of_assistance_base).toBe(10_000 - own.amount)
  })
  it.each(['AB', 'NB', 'NL', 'NS', 'NT', 'NU', 'PE', 'QC', 'YT'])('%s has no separate one', jurisdiction => {
    expect(body({ jurisdiction })).toMatchObject({ provincial_credit: null, net_of_assistance_base: 10_000 })
  })
  it('end with agreements after 2027-03-31', () => {
    expect(ask({}, '2027-03-31').federal_credit?.credit).toBe('METC')
    const after = ask({}, '2027-04-01')
    expect([after.federal_credit, after.minerals.status, after.hints.join()]).toEqual([null, 'not_applicable', expect.stringContaining('2027-03-31')])
    expect(ask(critical, '2027-04-01').federal_credit).toBeNull()
  })
  it('of Quebec: the extra deductions are listed as ended and not reckoned with', () => {
    const quebec = body({ jurisdiction: 'QC' })
    expect(quebec.ended_measures).toHaveLength(3)
    expect(quebec.ended_measures[0]).toMatchObject({ ended: '2025-03-25', confidence: 'secondary' })
    expect(quebec).toMatchObject({ deduction: { amount: 10_000 }, marginal_rate_pct: 53.31 })
    expect(body({ jurisdiction: 'ON' }).ended_measures).toEqual([])
  })
})

describe('what is explored for', () => {
  it('critical: the CMETC', () => {
    expect(body({ ...critical, commodity: 'Cu-Zn' })).toMatchObject({
      federal_credit: { credit: 'CMETC' },
      critical_minerals: { status: 'pass' },
      alternative: null,
    })
  })
  it.each([
    ['gold', 'fail'],
    ['gold and copper', 'unknown'],
    ['unobtainium', 'unknown'],
    ['', 'unknown'],
  ])('%j: the METC in place of the CMETC, with a hint and the other result', (commodity, status) => {
    const found = body({ fts_type: 'critical_mineral', commodity })
    expect(found).toMatchObject({ federal_credit: { credit: 'METC' }, critical_minerals: { status }, net_cost: 3752.45 })
    expect(found.alternative).toMatchObject({ credit: 'CMETC', net_cost: 3090.26, break_even_proceeds: 4219.64, break_even_per_share: 0.422 })
    expect(found.hints.join()).toContain('CMETC')
  })
  it('critical, asked for as regular: the METC, with a hint that the CMETC may apply', () => {
    const found = body({ commodity: 'lithium brine' })
    expect(found).toMatchObject({ federal_credit: { credit: 'METC' }, alternative: { credit: 'CMETC', net_cost: 3090.26 } })
    expect(found.hints.join()).toContain('critical_mineral')
    expect(body({ commodity: 'silver' })).toMatchObject({ hints: [], alternative: null })
  })
  it('a regular share fails no list that its credit does not go by', () => {
    for (const commodity of ['gold', 'copper', 'helium', ''])
      expect(body({ commodity }).critical_minerals).toMatchObject({ status: 'not_applicable', explanation: expect.stringContaining('METC does not') })
  })
  it.each(['oil', ''])('regular with %j: the METC, and a hint what it is for', commodity => {
    expect(body({ commodity })).toMatchObject({ federal_credit: { credit: 'METC' }, hints: [expect.stringContaining('flow-through mining')] })
  })
  it('the second list is for agreements after 2025-11-04', () => {
    expect(ask({ fts_type: 'critical_mineral', commodity: 'tin' }, '2025-11-04').minerals.status).toBe('fail')
    expect(ask({ fts_type: 'critical_mineral', commodity: 'tin' }, '2025-11-05').minerals.status).toBe('pass')
  })
})

describe('how sure it is', () => {
  it('names every rule that the figures depend on, and is as sure as the least sure', () => {
    const found = body({ jurisdiction: 'BC', ...critical })
    expect(found.rules.map((row: { rule: string }) => row.rule)).toEqual(
      expect.arrayContaining(['federal brackets', 'brackets of British Columbia', 'critical minerals: copper']),
    )
    expect(found.confidence).toBe('general_knowledge')
    expect(found.minimum_tax.flag).toBe('amt_not_modelled')
    expect(found.not_covered.join()).toContain('Part XII.6')
  })
  it('names the brackets of the previous year that are used', () => {
    expect(body({ jurisdiction: 'NU' }).assumptions).toContain('brackets of Nunavut for 2026 are not held: those of 2025 serve')
    expect(body({ jurisdiction: 'SK' }).assumptions.join()).not.toContain('are not held')
    expect(body({ jurisdiction: 'NU' }).rules[2]).toMatchObject({
      rule: 'brackets of Nunavut',
      confidence: 'general_knowledge',
      valid_to: '2025-12-31',
    })
  })
  it('answers under another edition', () => {
    const older = flowThroughRules('fts@2025')
    const found = calculateFlowThrough(FTSCalculateRequest.parse({ ...standard, income: 40_000, jurisdiction: 'BC' }), older)
    expect([decimalOf(found.result.marginal_pct), cents(found.result.saving)]).toEqual(['19.56', '1956'])
    expect(cents(ask({ income: 40_000, jurisdiction: 'BC' }).result.saving)).toBe('1960')
    expect(flowThroughRules('flow-through@2025-12')).toBe(older)
    expect(() => flowThroughRules('fts@1999')).toThrow(expect.objectContaining({ hint: expect.stringContaining('fts@2025') }))
  })
})

describe('places and kinds of share', () => {
  it.each([
    ['ontario', 'ON'],
    [' Québec ', 'QC'],
    ['CA-ON', 'ON'],
    ['Ontario, Canada', 'ON'],
    ['Province of Manitoba', 'MB'],
    ['the Yukon', 'YT'],
    ["l'Île-du-Prince-Édouard", 'PE'],
    ['P.E.I.', 'PE'],
    ['Newfoundland', 'NL'],
    ['NWT', 'NT'],
    ['Yukon Territory', 'YT'],
    ['b.c.', 'BC'],
  ])('%j is %s', (jurisdiction, code) => {
    expect(ask({ jurisdiction }).jurisdiction.code).toBe(code)
  })
  it.each([
    ['NY', 400, 'New York'],
    ['texas', 400, 'Texas'],
    ['FR', 400, 'France'],
    ['Ontaria', 422, 'did you mean Ontario?'],
    ['XX', 422, 'one of AB, BC'],
    ['', 422, 'one of AB, BC'],
  ])('%j is refused with %d', (jurisdiction, status, says) => {
    const refusal = (): unknown => {
      try {
        return ask({ jurisdiction })
      } catch (error) {
        return error
      }
    }
    const error = refusal() as { status: number; message: string; hint: string }
    expect(error.status).toBe(status)
    expect(`${error.message} ${error.hint}`).toContain(says)
    expect(error.hint).toContain('ON')
  })
  it('an unknown kind of share is refused with the list', () => {
    expect(() => ask({ fts_type: 'regluar' })).toThrow(
      expect.objectContaining({ status: 422, hint: expect.stringContaining('did you mean regular?') }),
    )
    expect(ask({ fts_type: 'Critical Mineral', commodity: 'Ni' }).type.fts_type).toBe('critical_mineral')
  })
})

describe('whatever the investor', () => {
  const minerals = fc.constantFrom('gold', 'copper', 'gold and copper', 'nothing known')
  const investor = fc.record({
    share_price: fc.integer({ min: 0, max: 50_000 }).map(price => price / 100),
    num_shares: fc.integer({ min: 0, max: 200_000 }),
    income: fc.integer({ min: 0, max: 1_500_000 }),
    jurisdiction: fc.constantFrom(...rules.jurisdictions.map(each => each.code)),
    fts_type: fc.constantFrom(...rules.types.map(each => each.fts_type)),
    commodity: minerals,
    warrant_value: fc.integer({ min: 0, max: 60_000 }).map(value => value / 100),
  })
  const edition = fc.constantFrom(...flowThroughRulesets)
  const holds = (property: (request: FTSCalculateRequest, ask: (requested: FTSCalculateRequest) => FlowThrough) => void): void =>
    fc.assert(
      fc.property(investor, edition, (request, under) => property(request, requested => calculateFlowThrough(requested, under))),
      { numRuns: 300 },
    )

  it('the net cost is between nothing and the cost, and a sale has to bring no less than it', () => {
    holds((request, ask) => {
      const { result, terms } = ask(request)
      expect(compare(result.net_cost, terms.cost)).toBeLessThanOrEqual(0)
      expect(compare(result.net_cost, zero)).toBeGreaterThanOrEqual(0)
      expect(compare(result.break_even, result.net_cost)).toBeGreaterThanOrEqual(0)
    })
  })
  it('more shares never cost less after tax, nor save less', () => {
    holds((request, ask) => {
      const [few, many] = [ask(request).result, ask({ ...request, num_shares: request.num_shares + 1000 }).result]
      expect(compare(many.net_cost, few.net_cost)).toBeGreaterThanOrEqual(0)
      expect(compare(many.saving, few.saving)).toBeGreaterThanOrEqual(0)
    })
  })
  it('a warrant never lowers the net cost', () => {
    holds((request, ask) => {
      const [without, with_] = [ask({ ...request, warrant_value: 0 }).result, ask(request).result]
      expect(compare(with_.net_cost, without.net_cost)).toBeGreaterThanOrEqual(0)
    })
  })
  it('the CMETC never leaves a higher cost than the METC', () => {
    holds((request, ask) => {
      const costOf = (fts_type: string): Ratio => ask({ ...request, fts_type, commodity: 'copper' }).result.net_cost
      expect(compare(costOf('critical_mineral'), costOf('regular'))).toBeLessThanOrEqual(0)
    })
  })
  it('what a credit uses and carries is the credit, and no level pays out more than its tax but where it refunds', () => {
    holds((request, ask) => {
      const { result, terms } = ask(request)
      for (const credit of [result.federal, result.provincial]) expect(plus(credit.used, credit.carried)).toEqual(credit.amount)
      expect(compare(result.federal.used, result.tax.federal.after)).toBeLessThanOrEqual(0)
      if (!terms.provincial_refundable) expect(compare(result.provincial.used, result.tax.provincial.after)).toBeLessThanOrEqual(0)
    })
  })
  it('the effective rate of the deduction lies between the lowest and the highest rate', () => {
    holds((request, ask) => {
      const { result, terms } = ask(request)
      if (result.effective_pct === null) return
      const rates = terms.bands.map(combinedPct)
      expect(compare(result.effective_pct, rates.reduce(least))).toBeGreaterThanOrEqual(0)
      expect(compare(result.effective_pct, rates.reduce(most))).toBeLessThanOrEqual(0)
    })
  })
})
