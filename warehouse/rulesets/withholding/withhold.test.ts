// The vectors of the withholding rules, every row of their tables, and properties of every request.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareDecimals } from '#schemas/decimals.ts'
import { BadRequest } from '#schemas/errors.ts'
import { amounts } from '../../answers/withholding.ts'
import { withholdingRules, withholdingRulesets } from './rules.ts'
import { accountNames, evaluateWithholding, type WithholdingQuestion, type WithholdingRow } from './withhold.ts'

const rules = withholdingRules(undefined)
const standard: WithholdingQuestion = { payment: 'dividend', underlying: 'us', held_via: 'us_listed_etf', form: 'valid' }
const ask = (requested: Partial<WithholdingQuestion>): WithholdingRow[] => evaluateWithholding(rules, { ...standard, ...requested })
const one = (requested: Partial<WithholdingQuestion>): WithholdingRow => {
  const rows = ask(requested)
  expect(rows).toHaveLength(1)
  return rows[0] as WithholdingRow
}
const us = (account_type: string, requested: Partial<WithholdingQuestion> = {}) => one({ issuer_country: 'US', account_type, ...requested })
const ca = (account_type: string, requested: Partial<WithholdingQuestion> = {}) => one({ issuer_country: 'CA', account_type, ...requested })
const articles = (row: WithholdingRow): string[] => row.treaty_articles.map(({ article, paragraph }) => `${article}(${paragraph})`)

describe('the published vectors', () => {
  it.each([
    ['US', 'rrsp', { instrument: 'common' }, '0', 'not_applicable'],
    ['US', 'tfsa', {}, '15', 'none'],
    ['US', 'rrsp', { instrument: 'etf_ca_listed' }, '15', 'none'],
    ['US', 'rrsp', { instrument: 'mlp' }, '37', 'partial'],
    ['US', 'tfsa', { instrument: 'common', form: 'none' }, '30', 'partial'],
    ['CA', 'roth_ira', {}, '0', 'not_applicable'],
    ['CA', 'us_taxable', { form: 'none' }, '25', 'partial'],
    ['US', 'fhsa', {}, '15', 'none'],
  ] as const)('%s issuer, %s, %j: %s %%, recoverable %s', (issuer_country, account_type, requested, rate, recoverable) => {
    const row = one({ issuer_country, account_type, ...requested })
    expect([row.rate_pct, row.recoverable]).toEqual([rate, recoverable])
  })
})

describe('a US issuer and an account of Canada', () => {
  it.each([
    ...['rrsp', 'spousal_rrsp', 'group_rrsp', 'rrif', 'lif', 'rlif', 'prif', 'lrif', 'lira', 'lrsp', 'rlsp', 'dpsp', 'rpp', 'prpp'].map(
      account => [account, '0', 'XXI(2)', 'granted'] as const,
    ),
    ...['non_registered', 'tfsa', 'resp', 'rdsp', 'fhsa', 'corporate', 'trust_personal'].map(account => [account, '15', 'X(2(b))', 'none'] as const),
    ['charity_registered', '0', 'XXI(1)', 'granted'] as const,
  ])('%s: %s %% under %s', (account, rate, article, exemption) => {
    const row = us(account)
    expect([row.rate_pct, row.rate_without_form_pct, row.statutory_rate_pct, articles(row), row.account_exemption]).toEqual([
      rate,
      '30',
      '30',
      [article],
      exemption,
    ])
    expect(us(account, { form: 'none' })).toMatchObject({ rate_pct: '30', treaty_articles: [], account_exemption: 'none' })
  })
  it('takes 5 % of a corporation that owns a tenth of the votes', () => {
    expect(articles(us('corporate', { ownership_pct: '10' }))).toEqual(['X(2(a))'])
    expect(us('corporate', { ownership_pct: '10' }).rate_pct).toBe('5')
    expect(us('corporate', { ownership_pct: '9.99' }).rate_pct).toBe('15')
    expect(us('non_registered', { ownership_pct: '50' }).rate_pct).toBe('15')
    expect(us('corporate', { ownership_pct: '10', form: 'none' }).rate_pct).toBe('30')
  })
  it('takes nothing of a US person that filed a W-9, and reports that it is one', () => {
    expect(us('non_registered', { form: 'w9' })).toMatchObject({ rate_pct: '0', us_person_flag: true, treaty_articles: [] })
    expect(us('rrsp', { instrument: 'etf_ca_listed', form: 'w9' })).toMatchObject({ rate_pct: '15', us_person_flag: true })
  })
  it('gives the treaty rate for a form that fits the account only', () => {
    expect(us('non_registered', { form: 'w8ben' }).rate_pct).toBe('15')
    expect(us('non_registered', { form: 'nr301' })).toMatchObject({ rate_pct: '30', exceptions: [expect.stringContaining('w8ben')] })
    expect(us('corporate', { form: 'w8ben' }).rate_pct).toBe('30')
    expect(us('corporate', { form: 'w8ben_e' }).rate_pct).toBe('15')
  })
})

describe('a Canadian issuer and an account of the United States', () => {
  it.each<readonly [string, string, string, string]>([
    ['us_taxable', '15', 'X(2(b))', 'none'],
    ...['ira', 'sep_ira', 'simple_ira', '401k', '403b', '457', 'defined_benefit'].map(account => [account, '0', 'XXI(2)', 'granted'] as const),
    ...['hsa', '529', 'coverdell', 'utma'].map(account => [account, '15', 'X(2(b))', 'uncertain'] as const),
    ['us_corporate', '15', 'X(2(b))', 'none'],
    ['us_charity', '0', 'XXI(1)', 'granted'],
  ])('%s: %s %% under %s', (account, rate, article, exemption) => {
    const row = ca(account)
    expect([row.rate_pct, row.rate_without_form_pct, articles(row), row.account_exemption]).toEqual([rate, '25', [article], exemption])
  })
  it('treats a Roth IRA as a pension', () => {
    expect(articles(ca('roth_ira'))).toEqual(['XXI(2)', 'XVIII(3(b))'])
  })
  it('reports for a trust unit that the exemption of the account is contested', () => {
    for (const instrument of ['trust_unit', 'reit'])
      expect(ca('ira', { instrument })).toMatchObject({ rate_pct: '15', account_exemption: 'contested', certainty: 'contested' })
    expect(ca('us_taxable', { instrument: 'trust_unit', payment: 'return_of_capital' })).toMatchObject({
      rate_pct: '15',
      domestic_law: ['Part XIII.2 of the Income Tax Act'],
    })
  })
  it('takes 5 % of a corporation that owns a tenth of the votes', () => {
    expect(ca('us_corporate', { ownership_pct: '25' }).rate_pct).toBe('5')
  })
})

/** Level by level: who takes it and whether it comes back. */
const levels = (row: WithholdingRow): string[] =>
  row.levels.map(({ level, withheld_by, rate_pct, recoverable }) => `${level} ${withheld_by === 'US' ? 'US' : 'abroad'} ${rate_pct} ${recoverable}`)
describe('funds: levels of tax by wrapper', () => {
  const wrappers = [
    ['etf_us_listed', 'us', 'direct', ['II US 0 not_applicable'], ['II US 15 none'], ['II US 15 full']],
    ['etf_ca_listed', 'us', 'us_listed_etf', ['I US 15 none'], ['I US 15 none'], ['I US 15 full']],
    [
      'etf_us_listed',
      'foreign',
      'direct',
      ['I abroad null none', 'II US 0 not_applicable'],
      ['I abroad null none', 'II US 15 none'],
      ['I abroad null none', 'II US 15 full'],
    ],
    [
      'etf_ca_listed',
      'foreign',
      'us_listed_etf',
      ['I abroad null none', 'II US 15 none'],
      ['I abroad null none', 'II US 15 none'],
      ['I abroad null none', 'II US 15 full'],
    ],
    ['etf_ca_listed', 'foreign', 'direct', ['I abroad null none'], ['I abroad null none'], ['I abroad null full']],
    ['common', 'us', 'direct', ['I US 0 not_applicable'], ['I US 15 none'], ['I US 15 full']],
    ['adr', 'foreign', 'direct', ['I abroad null none'], ['I abroad null none'], ['I abroad null full']],
  ] as const
  it.each(wrappers)('%s of %s shares (%s)', (instrument, underlying, held_via, rrsp, tfsa, open) => {
    const requested = { instrument, underlying, held_via } as const
    expect(levels(us('rrsp', requested))).toEqual(rrsp)
    for (const account of ['tfsa', 'resp', 'rdsp', 'fhsa']) expect(levels(us(account, requested))).toEqual(tfsa)
    expect(levels(us('non_registered', requested))).toEqual(open)
  })
  it('compounds two levels, and knows none where one is not known', () => {
    const requested = { instrument: 'etf_ca_listed', underlying: 'foreign' } as const
    expect(us('tfsa', requested).effective_rate_pct).toBeNull()
    expect(us('tfsa', { ...requested, underlying_rate_pct: '10' }).effective_rate_pct).toBe('23.5')
    expect(us('rrsp', { instrument: 'adr', underlying_rate_pct: '26.375' })).toMatchObject({ rate_pct: '26.375', effective_rate_pct: '26.375' })
    expect(us('rrsp', { instrument: 'adr' }).rate_pct).toBeNull()
  })
})

describe('special payers and payments', () => {
  it('takes the highest rate of a partnership in every account, with a form or without', () => {
    for (const account of accountNames(rules, 'CA').filter(name => name !== 'corporate'))
      for (const form of ['valid', 'none']) expect(us(account, { instrument: 'mlp', form }).rate_pct).toBe('37')
    expect(us('corporate', { instrument: 'mlp' }).rate_pct).toBe('21')
    expect(us('rrsp', { instrument: 'mlp', payment: 'sale_proceeds' }).rate_pct).toBe('10')
  })
  it('gives the treaty rate of a REIT under three conditions, and none of it to a large holder', () => {
    expect(us('non_registered', { instrument: 'reit' })).toMatchObject({
      rate_pct: '15',
      conditions: expect.arrayContaining([expect.stringContaining('10 %')]),
    })
    expect(us('non_registered', { instrument: 'reit', ownership_pct: '10' }).rate_pct).toBe('15')
    expect(us('non_registered', { instrument: 'reit', ownership_pct: '10.01' }).rate_pct).toBe('30')
    expect(us('rrsp', { instrument: 'reit' }).rate_pct).toBe('0')
    expect(us('tfsa', { instrument: 'reit', payment: 'capital_gain' })).toMatchObject({ rate_pct: '21', certainty: 'uncertain' })
  })
  it('takes nothing of interest, and states its certainty for a return of capital', () => {
    expect(us('tfsa', { payment: 'interest' }).rate_pct).toBe('0')
    expect(ca('us_taxable', { payment: 'interest', form: 'none' }).rate_pct).toBe('0')
    expect(us('tfsa', { payment: 'return_of_capital' })).toMatchObject({ rate_pct: '15', certainty: 'uncertain' })
    expect(ca('ira', { payment: 'return_of_capital' })).toMatchObject({ rate_pct: '0', certainty: 'uncertain' })
    expect(us('tfsa', { payment: 'substitute' }).rate_pct).toBe('15')
    expect(us('tfsa', { payment: 'fund_interest_related', instrument: 'etf_us_listed' }).rate_pct).toBe('0')
    expect(ca('ira', { instrument: 'split_share' }).rate_pct).toBe('0')
  })
  it('has not moved by the section 899 that was proposed in 2025', () => {
    expect([us('non_registered').rate_pct, us('non_registered').statutory_rate_pct, ca('us_taxable').rate_pct]).toEqual(['15', '30', '15'])
  })
})

describe('questions that are open or cannot be answered', () => {
  it('gives the table where no account is named', () => {
    const all = ask({})
    expect(new Set(all.map(row => row.account_type)).size).toBe(rules.accounts.length)
    expect(ask({ issuer_country: 'CA' }).every(row => row.holder_country === 'US')).toBe(true)
    expect(ask({ issuer_country: 'US', instrument: 'common' })).toHaveLength(accountNames(rules, 'CA').length)
    const keys = all.map(row => `${row.issuer_country} ${row.account_type} ${row.instrument}`)
    expect(new Set(keys).size).toBe(keys.length)
  })
  it('knows the usual other names of an account', () => {
    expect(us('margin').account_type).toBe('non_registered')
    expect(us('taxable').account_type).toBe('non_registered')
    expect(ca('taxable').account_type).toBe('us_taxable')
    expect(ca('traditional_ira').account_type).toBe('ira')
  })
  it('takes nothing between an issuer and a holder of one country', () => {
    expect(ca('tfsa')).toMatchObject({ rate_pct: '0', note: expect.stringContaining('one country') })
    expect(us('ira')).toMatchObject({ rate_pct: '0', us_person_flag: true })
  })
  it('names the accounts that it knows', () => {
    expect(() => us('isa')).toThrow(BadRequest)
    expect(() => us('isa')).toThrow(expect.objectContaining({ hint: expect.stringContaining('tfsa') }))
    expect(() => us('tfsa', { holder_country: 'US' })).toThrow(expect.objectContaining({ hint: expect.stringContaining('roth_ira') }))
    expect(() => us('tfsa', { instrument: 'trust_unit' })).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('etf_ca_listed (dividend)') }),
    )
    expect(() => withholdingRules('withholding@1999-01')).toThrow(expect.objectContaining({ hint: expect.stringContaining('withholding@2026-11') }))
  })
})

describe('for every question', () => {
  const question = fc.record({
    issuer_country: fc.constantFrom('US' as const, 'CA' as const),
    account_type: fc.constantFrom(...rules.accounts.map(account => account.account_type)),
    instrument: fc.constantFrom(...new Set(rules.rules.flatMap(rule => rule.instrument))),
    payment: fc.constantFrom(...new Set(rules.rules.map(rule => rule.payment))),
    underlying: fc.constantFrom('us' as const, 'foreign' as const),
    held_via: fc.constantFrom('direct' as const, 'us_listed_etf' as const),
    form: fc.constantFrom('valid', 'none', 'w8ben', 'w8ben_e', 'w9', 'nr301'),
    ownership_pct: fc.integer({ min: 0, max: 100 }).map(String),
    underlying_rate_pct: fc.option(fc.integer({ min: 0, max: 100 }).map(String), { nil: undefined }),
  })
  const rowsOf = (requested: WithholdingQuestion): WithholdingRow[] => {
    try {
      return evaluateWithholding(rules, requested)
    } catch (error) {
      if (error instanceof BadRequest) return []
      throw error
    }
  }
  it('no more than the gross amount is withheld, tax and remainder make it up, and neither is negative', () => {
    fc.assert(
      fc.property(question, fc.integer({ min: 0, max: 10_000_000 }), fc.integer({ min: 0, max: 4 }), (requested, whole, places) => {
        const gross = (whole / 10 ** places).toFixed(places)
        for (const row of rowsOf(requested)) {
          const text = JSON.stringify(amounts(row, gross))
          const { withheld_amount, net_amount } = JSON.parse(text) as { withheld_amount: number | null; net_amount: number | null }
          if (row.effective_rate_pct === null) expect([withheld_amount, net_amount]).toEqual([null, null])
          else {
            expect(withheld_amount).toBeGreaterThanOrEqual(0)
            expect(net_amount).toBeGreaterThanOrEqual(0)
            expect(Number(withheld_amount) + Number(net_amount)).toBeCloseTo(Number(gross), 6)
          }
        }
      }),
      { numRuns: 500, seed: 5 },
    )
  })
  it('a valid form never raises the rate, and no rate is above what the law takes from income of a partnership', () => {
    fc.assert(
      fc.property(question, requested => {
        for (const row of rowsOf({ ...requested, form: 'valid' })) {
          if (row.rate_pct === null || row.rate_without_form_pct === null) continue
          expect(compareDecimals(row.rate_pct, row.rate_without_form_pct)).toBeLessThanOrEqual(0)
          if (row.instrument !== 'adr') expect(compareDecimals(row.rate_pct, '37')).toBeLessThanOrEqual(0)
        }
      }),
      { numRuns: 500, seed: 6 },
    )
  })
  it('every row cites a law or the treaty, a source and how sure it is', () => {
    for (const row of ask({})) {
      expect(row.source_ids.length).toBeGreaterThan(0)
      expect(['primary', 'secondary', 'general_knowledge']).toContain(row.confidence)
      expect(row.treaty_articles.length + row.domestic_law.length + (row.instrument === 'adr' ? 1 : 0)).toBeGreaterThan(0)
    }
    expect(withholdingRulesets.map(each => each.ruleset)).toEqual(['withholding@2026-11'])
  })
})
