// Every exemption and rule of f.1, the notes of f.3, and what must hold of every offering.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { refusalOf } from '#fixtures/refusal.ts'
import { textTable } from '#fixtures/text-table.ts'
import { BlueSkyCheckRequest, BlueSkyMultiStateRequest } from '#schemas/compliance.ts'
import { type BlueSkyRules, blueSkyRules, blueSkyRulesets } from '../../rulesets/blue-sky/rules.ts'
import { type BlueSky, type BlueSkyStates, checkBlueSky, checkBlueSkyStates } from './check.ts'
import type { Evaluated } from './evaluate.ts'

const rules = blueSkyRules(undefined)
type Query = Partial<ReturnType<typeof BlueSkyCheckRequest.parse>>
const ask = (requested: Query, by: BlueSkyRules = rules): BlueSky =>
  checkBlueSky(BlueSkyCheckRequest.parse({ investor_state: 'NY', ...requested }), by)
const many = (states: readonly string[], requested: Query = {}): BlueSkyStates =>
  checkBlueSkyStates(BlueSkyMultiStateRequest.parse({ states, ...requested }), rules)
const checkOf = (found: BlueSky, name: string): Evaluated => {
  const evaluated = [...found.checks, ...found.state.checks].find(each => each.check === name)
  expect(evaluated, name).toBeDefined()
  return evaluated as Evaluated
}
const of = (name: string, requested: Query): [string, string] => {
  const { status, code } = checkOf(ask(requested), name)
  return [status, code]
}
const types = rules.offering_types.map(row => row.offering_type)

describe('the exemptions', () => {
  it.each([
    ['reg_d_506b', null, '35', 'Form D', 'yes', 'due', 'secondary'],
    ['reg_d_506c', null, '0', 'Form D', 'yes', 'due', 'secondary'],
    ['reg_d_504', '10000000', null, 'Form D', 'no', 'not_applicable', 'secondary'],
    ['reg_a_tier1', '20000000', null, 'Form 1-A', 'no', 'not_applicable', 'secondary'],
    ['reg_a_tier2', '75000000', null, 'Form 1-A', 'yes', 'not_listed', 'secondary'],
    ['reg_cf', '5000000', null, 'Form C', 'yes', 'not_listed', 'general_knowledge'],
    ['intrastate_147', null, null, null, 'no', 'not_applicable', 'secondary'],
    ['intrastate_147a', null, null, null, 'no', 'not_applicable', 'secondary'],
    ['section_4a2', null, null, null, 'no', 'not_applicable', 'secondary'],
    ['reg_s', null, null, null, 'not_applicable', 'not_applicable', 'general_knowledge'],
  ])('%s: cap %s, investors %s, %s, pre-empted %s', (offering_type, cap, limit, form, preempted, notice, confidence) => {
    const found = ask({ offering_type })
    expect([found.type.cap_usd, found.type.non_accredited_limit, found.filing?.form ?? null]).toEqual([cap, limit, form])
    expect([found.state.preempted, found.state.notice, found.type.confidence]).toEqual([preempted, notice, confidence])
  })
  it.each([
    ['reg_d_506b', 'fail'],
    ['reg_d_506c', 'pass'],
    ['reg_d_504', 'warn'],
    ['reg_a_tier1', 'warn'],
    ['reg_a_tier2', 'warn'],
    ['reg_cf', 'warn'],
    ['intrastate_147', 'warn'],
    ['intrastate_147a', 'pass'],
    ['section_4a2', 'fail'],
    ['reg_s', 'unknown'],
  ])('%s advertised to the public: %s', (offering_type, status) => {
    expect(of('general_solicitation', { offering_type, general_solicitation: true })[0]).toBe(status)
    expect(of('general_solicitation', { offering_type, general_solicitation: false })).toEqual(['pass', 'no_solicitation'])
  })
  it('are named in the usual ways', () => {
    for (const name of ['506(b)', 'Rule 506(b)', 'REG_D_506B', 'reg d 506b', '17 CFR 230.506(b)'])
      expect(ask({ offering_type: name }).type.offering_type).toBe('reg_d_506b')
    expect(ask({ offering_type: 'Regulation A, Tier 2' }).type.offering_type).toBe('reg_a_tier2')
  })
})

describe('the rules', () => {
  it('1: general solicitation fails under 506(b), and 506(c) is suggested', () => {
    const found = ask({ general_solicitation: true })
    expect([found.status, found.changes]).toEqual(['fail', [expect.objectContaining({ check: 'general_solicitation', offering_type: 'reg_d_506c' })]])
  })
  it('1: 506(c) is not suggested where investors are not accredited', () => {
    const [change] = ask({ general_solicitation: true, max_non_accredited: 5 }).changes
    expect(change?.offering_type).toBe('reg_a_tier2')
  })
  it.each([
    ['reg_d_506b', 0, 'pass', 'all_accredited'],
    ['reg_d_506b', 1, 'warn', 'information_requirements'],
    ['reg_d_506b', 35, 'warn', 'information_requirements'],
    ['reg_d_506b', 36, 'fail', 'non_accredited_over_limit'],
    ['reg_d_506c', 0, 'pass', 'all_accredited'],
    ['reg_d_506c', 1, 'fail', 'accredited_only'],
    ['reg_d_504', 400, 'pass', 'no_limit_on_investors'],
    ['reg_a_tier1', 400, 'pass', 'no_limit_on_investors'],
    ['reg_a_tier2', 400, 'warn', 'investment_limit_tier2'],
    ['reg_cf', 400, 'warn', 'investment_limit_cf'],
    ['intrastate_147', 400, 'pass', 'no_limit_on_investors'],
    ['section_4a2', 1, 'warn', 'not_a_public_offering'],
    ['reg_s', 1, 'not_applicable', 'investors_abroad'],
  ])('2: %s with %i investors who are not accredited: %s', (offering_type, max_non_accredited, status, code) => {
    expect(of('non_accredited_investors', { offering_type, max_non_accredited })).toEqual([status, code])
  })
  it('2: states how far above 35', () => {
    const evaluated = checkOf(ask({ max_non_accredited: 48 }), 'non_accredited_investors')
    expect(evaluated.distance).toEqual({ value: '48', limit: '35', room: '-13', unit: 'investors' })
    expect(evaluated.explanation).toContain('13 more than the 35')
  })
  it('2: the limit of Tier 2 is lifted for a class on a national exchange', () => {
    expect(of('non_accredited_investors', { offering_type: 'reg_a_tier2', max_non_accredited: 400, exchange: 'NYSE American' })[1]).toBe(
      'investment_limit_lifted',
    )
  })
  it('3: Form D within 15 days of the first sale, the notice within 15 days of the first sale in the state', () => {
    const found = ask({})
    expect([found.filing?.due_days, found.filing?.after, found.state.state.days]).toEqual([15, expect.stringContaining('irrevocably committed'), 15])
    expect(of('sec_filing', {})).toEqual(['not_evaluated', 'form_d_due'])
  })
  it('4: verification under 506(c), with the relief of 2025-03-12', () => {
    const evaluated = checkOf(ask({ offering_type: 'reg_d_506c' }), 'accredited_verification')
    expect([evaluated.status, evaluated.valid_from]).toEqual(['not_evaluated', '2025-03-12'])
    for (const part of ['$200,000', '$1,000,000', '2025-03-12']) expect(evaluated.explanation).toContain(part)
    expect(of('accredited_verification', {})[0]).toBe('not_applicable')
  })
  it('5: disqualified persons are never evaluated, whatever the exemption', () => {
    for (const offering_type of types) expect(of('bad_actors', { offering_type })[0]).toBe('not_evaluated')
  })
  it('6: late Forms D were cases of their own', () => {
    expect(ask({}).notes.map(note => note.id)).toContain('late_form_d')
    expect(ask({ offering_type: 'reg_cf' }).notes.map(note => note.id)).not.toContain('late_form_d')
  })
  it.each([
    ['reg_d_504', 10_000_000, 'reg_a_tier1'],
    ['reg_a_tier1', 20_000_000, 'reg_a_tier2'],
    ['reg_a_tier2', 75_000_000, 'reg_d_506b'],
    ['reg_cf', 5_000_000, 'reg_a_tier1'],
  ])('7: %s up to its cap of %i, not above', (offering_type, cap, instead) => {
    expect(of('cap', { offering_type, offering_amount_usd: cap })).toEqual(['pass', 'within_cap'])
    const over = ask({ offering_type, offering_amount_usd: cap + 0.01 })
    expect([checkOf(over, 'cap').status, checkOf(over, 'cap').distance?.room]).toEqual(['fail', '-0.01'])
    expect([over.status, over.changes[0]?.offering_type]).toEqual(['fail', instead])
  })
  it('7: no cap is no limit, and the states cap intrastate offerings by themselves', () => {
    expect(of('cap', { offering_amount_usd: 1e12 })).toEqual(['pass', 'no_cap'])
    expect(of('cap', { offering_type: 'intrastate_147', offering_amount_usd: 1_000_000 })).toEqual(['pass', 'below_state_caps'])
    expect(of('cap', { offering_type: 'intrastate_147', offering_amount_usd: 1_000_001 })).toEqual(['unknown', 'state_cap_possible'])
  })
  it.each(textTable`
    NASDAQ        | pass           | listed_on_national_exchange
    nyse american | pass           | listed_on_national_exchange
    TSX-V         | not_applicable | listed_in_canada
    OTCQB         | not_applicable | listed_elsewhere
                  | not_applicable | not_listed
  `)('8: a class on "%s": %s', (exchange, status, code) => {
    expect(of('covered_by_listing', { exchange })).toEqual([status, code])
    const preempted = ask({ exchange, offering_type: 'section_4a2' }).state.preempted
    expect(preempted).toBe(status === 'pass' ? 'yes' : 'no')
  })
  it('an intrastate offering has one state, and it is not stated to be the issuer’s', () => {
    expect(of('residence', { offering_type: 'intrastate_147a' })).toEqual(['unknown', 'issuer_state_unknown'])
    const found = many(['NY', 'NJ'], { offering_type: 'intrastate_147a' })
    expect([found.status, found.checks.find(each => each.check === 'residence')?.code]).toEqual(['fail', 'more_than_one_state'])
  })
  it('Regulation S does not reach an investor in the United States', () => {
    const found = ask({ offering_type: 'reg_s' })
    expect([found.status, found.changes[0]?.offering_type, found.state.fee]).toEqual(['fail', 'reg_d_506b', null])
  })
})

describe('mining and flow-through shares', () => {
  it('flow-through shares bring no tax benefit in the United States', () => {
    expect(of('us_tax_benefit', { is_flow_through: true })).toEqual(['warn', 'no_us_tax_benefit'])
    const found = ask({ is_flow_through: true })
    expect([found.status, found.notes.map(note => note.id)]).toEqual(['warn', expect.arrayContaining(['pfic', 'ni_45_106', 'life_exemption'])])
  })
  it('a miner gets notes on its disclosure, and on forms that bar it', () => {
    expect(ask({ is_mining_resource: true }).notes.map(note => note.id)).toEqual(
      expect.arrayContaining(['sk_1300', 'reg_a_for_canadian_issuers', 'ni_45_106', 'life_exemption']),
    )
    expect(of('mining_program', { is_mining_resource: true })[0]).toBe('not_applicable')
    for (const offering_type of ['reg_d_504', 'reg_a_tier1', 'intrastate_147', 'intrastate_147a'])
      expect(of('mining_program', { is_mining_resource: true, offering_type })).toEqual(['warn', 'mining_program_barred'])
  })
  it('no such note is given for another offering', () => {
    expect(ask({}).notes.map(note => note.id)).toEqual(['antifraud', 'late_form_d'])
  })
})

describe('the verdict', () => {
  it('passes what passes, although disqualified persons are not evaluated', () => {
    const found = ask({})
    expect([found.status, found.confidence]).toEqual(['pass', 'secondary'])
  })
  it('is unknown where registration is not pre-empted, and where a place has no rule', () => {
    expect(ask({ offering_type: 'reg_d_504' }).status).toBe('unknown')
    expect(ask({ investor_state: 'Guam' }).status).toBe('unknown')
    expect(ask({ investor_state: 'Guam', general_solicitation: true }).status).toBe('fail')
  })
  it('is as sure as its least sure rule', () => {
    expect(ask({ exchange: 'NASDAQ' }).confidence).toBe('general_knowledge')
    expect(ask({ investor_state: 'CA' }).confidence).toBe('general_knowledge')
  })
  it('fills every place in every sentence', () => {
    for (const offering_type of types)
      for (const requested of [
        {},
        { exchange: 'TSX', is_mining_resource: true, max_non_accredited: 36 },
        { general_solicitation: true, is_flow_through: true },
      ])
        for (const { explanation } of [...ask({ offering_type, ...requested }).checks, ...ask({ offering_type, ...requested }).state.checks])
          expect(explanation).not.toMatch(/[{}]|null|undefined|\$-/)
  })
})

describe('an older edition', () => {
  const before = blueSkyRules('bluesky@2021-03')
  it('knows nothing of the relief of 2025-03-12, nor of the cases of December 2024', () => {
    const found = ask({ offering_type: 'reg_d_506c' }, before)
    expect(checkOf(found, 'accredited_verification').explanation).toBe('reasonable steps to verify that each purchaser is accredited are required')
    expect(found.notes.map(note => note.id)).toEqual(['antifraud'])
  })
  it('ends the day before the relief, and has the same fees', () => {
    expect([before.valid_from, before.valid_to]).toEqual(['2021-03-15', '2025-03-11'])
    expect(before.jurisdictions).toEqual(rules.jurisdictions)
  })
})

describe('an exchange', () => {
  it.each([
    ['nasdaq capital market', 'NASDAQ'],
    ['Nasdaq Global Select Market', 'NASDAQ'],
    ['NYSE American LLC', 'NYSE American'],
    ['TSX-V', 'TSXV'],
    ['toronto', 'TSX'],
  ])('%s is %s', (exchange, expected) => expect(ask({ exchange }).exchange?.exchange).toBe(expected))
})

describe('what is refused', () => {
  it.each([
    [{ investor_state: 'Ontario' }, 'investor_state', 'combined'],
    [{ investor_state: 'qc' }, 'investor_state', 'combined'],
    [{ investor_state: 'New Yrok' }, 'investor_state', 'New York'],
    [{ investor_state: 'NX' }, 'investor_state', 'NY'],
    [{ investor_state: '' }, 'investor_state', 'WY'],
    [{ investor_state: 'Calif.' }, 'investor_state', 'California'],
    [{ offering_type: 'Reg A' }, 'offering_type', 'did you mean reg_a_tier1 or reg_a_tier2?'],
    [{ exchange: 'nyse a' }, 'exchange', 'did you mean NYSE American or NYSE Arca?'],
    [{ offering_type: '506d' }, 'offering_type', 'did you mean reg_d_506b or reg_d_506c?'],
    [{ offering_type: '' }, 'offering_type', 'section_4a2'],
    [{ exchange: 'Nasdak' }, 'exchange', 'did you mean NASDAQ?'],
  ])('%j', (requested, member, hint) => {
    const error = refusalOf(() => ask(requested))
    expect([error.status, error.items?.[0]?.loc, error.hint]).toEqual([422, ['body', member], expect.stringContaining(hint)])
  })
  it('an edition that is none, with those that are', () => {
    expect(refusalOf(() => blueSkyRules('bluesky@2020-01'))).toMatchObject({
      status: 400,
      hint: expect.stringContaining(blueSkyRulesets[0]?.ruleset ?? '?'),
    })
  })
})

describe('of every offering', () => {
  const offering = fc.record({
    offering_type: fc.constantFrom(...types),
    offering_amount_usd: fc.integer({ min: 0, max: 100_000_000 }),
    max_non_accredited: fc.integer({ min: 0, max: 80 }),
    general_solicitation: fc.boolean(),
    is_mining_resource: fc.boolean(),
    is_flow_through: fc.boolean(),
    exchange: fc.constantFrom('', 'NYSE', 'TSXV', 'OTCQX'),
    investor_state: fc.constantFrom(...rules.jurisdictions.map(row => row.code)),
  })
  const passesAt = (found: BlueSky, name: string): boolean => checkOf(found, name).status !== 'fail'

  it('a lower amount never turns pass into fail', () => {
    fc.assert(
      fc.property(offering, fc.nat(100_000_000), (requested, less) => {
        const lower = { ...requested, offering_amount_usd: Math.max(0, requested.offering_amount_usd - less) }
        if (passesAt(ask(requested), 'cap')) expect(passesAt(ask(lower), 'cap')).toBe(true)
      }),
    )
  })
  it('a higher cap never turns pass into fail', () => {
    const raised = (by: number): BlueSkyRules => ({
      ...rules,
      offering_types: rules.offering_types.map(row => ({ ...row, cap_usd: row.cap_usd && String(Number(row.cap_usd) + by) })),
    })
    fc.assert(
      fc.property(offering, fc.nat(50_000_000), (requested, by) => {
        if (passesAt(ask(requested), 'cap')) expect(passesAt(ask(requested, raised(by)), 'cap')).toBe(true)
      }),
    )
  })
  it('a higher limit of investors, or fewer of them, never turns pass into fail', () => {
    const raised = (by: number): BlueSkyRules => ({
      ...rules,
      offering_types: rules.offering_types.map(row => ({
        ...row,
        non_accredited_limit: row.non_accredited_limit && String(Number(row.non_accredited_limit) + by),
      })),
    })
    fc.assert(
      fc.property(offering, fc.nat(60), (requested, by) => {
        if (!passesAt(ask(requested), 'non_accredited_investors')) return
        expect(passesAt(ask(requested, raised(by)), 'non_accredited_investors')).toBe(true)
        const fewer = { ...requested, max_non_accredited: Math.max(0, requested.max_non_accredited - by) }
        expect(passesAt(ask(fewer), 'non_accredited_investors')).toBe(true)
      }),
    )
  })
  it('what is suggested fails in nothing', () => {
    fc.assert(
      fc.property(offering, requested => {
        for (const { offering_type } of ask(requested).changes)
          if (offering_type !== null) expect(ask({ ...requested, offering_type }).checks.map(each => each.status)).not.toContain('fail')
      }),
    )
  })
  it('the verdict is fail exactly where a check fails, and pass only where none is unknown', () => {
    fc.assert(
      fc.property(offering, requested => {
        const found = ask(requested)
        const statuses = [...found.checks, ...found.state.checks].map(each => each.status)
        expect(found.status === 'fail').toBe(statuses.includes('fail'))
        if (found.status === 'pass') expect(statuses).not.toContain('unknown')
      }),
    )
  })
})
