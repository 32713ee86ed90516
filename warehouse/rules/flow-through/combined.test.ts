// One answer for an investor on either side of the border: the part that reaches it, and why the other does not.
import { describe, expect, it } from 'vitest'
import { ComplianceFTSRequest } from '#schemas/compliance.ts'
import { blueSkyRules } from '../../rulesets/blue-sky/rules.ts'
import { bothRules, combinedAnswer } from './combined.ts'

const ask = (asked: Partial<ComplianceFTSRequest> & { investor_state: string }, ruleset?: string) =>
  combinedAnswer(ComplianceFTSRequest.parse(asked), bothRules(ruleset))

describe('an investor in the United States', () => {
  const { body, sources } = ask({ investor_state: 'new york', is_flow_through: true, is_mining_resource: true })
  it('gets the check of the offering, with the warning that Canadian tax gives it nothing', () => {
    expect(body.investor).toEqual({ asked: 'new york', code: 'NY', name: 'New York', country: 'US' })
    expect(body.offering).toMatchObject({ status: 'computed', check: { investor_state: { code: 'NY' }, notice_filing: { status: 'due' } } })
    expect(body.offering.check?.checks.find(each => each.code === 'no_us_tax_benefit')?.status).toBe('warn')
  })
  it('gets no calculation of tax', () => {
    expect(body.tax).toEqual({
      status: 'not_applicable',
      code: 'no_us_tax_benefit',
      reason: expect.stringContaining('Canadian taxable income'),
      calculation: null,
    })
    expect(body.assumptions.join()).toContain('not advertised')
    expect(sources.length).toBeGreaterThan(1)
  })
  it('is in California if the place is CA', () => {
    expect(ask({ investor_state: 'CA' }).body.investor).toMatchObject({ code: 'CA', country: 'US' })
  })
})

describe('an investor in Canada', () => {
  const { body } = ask({ investor_state: 'Québec', is_flow_through: true, is_mining_resource: true, income: 300_000 })
  it('gets the calculation of its province, with the defaults of the request', () => {
    expect(body.investor).toMatchObject({ code: 'QC', country: 'CA' })
    expect(body.tax.status).toBe('computed')
    const calculation = JSON.parse(JSON.stringify(body.tax.calculation))
    expect(calculation).toMatchObject({
      cost: 10_000,
      understood: { jurisdiction: 'QC', num_shares: 10_000, share_price: 1 },
      marginal_rate_pct: 53.31,
    })
  })
  it('is reached by no state law, and gets the pointers to Canadian exemptions', () => {
    expect(body.offering).toMatchObject({ status: 'not_applicable', code: 'state_law_not_reached', check: null })
    expect(body.offering.notes.map(note => note.code)).toEqual(['ni_45_106', 'life_exemption'])
  })
  it('of shares that are not stated to be flow-through lists the assumption', () => {
    expect(ask({ investor_state: 'ON' }).body.assumptions.join()).toContain('is_flow_through is false')
    expect(body.assumptions.join()).not.toContain('is_flow_through is false')
  })
  it('has its words checked all the same', () => {
    expect(() => ask({ investor_state: 'ON', offering_type: 'reg_x' })).toThrow(expect.objectContaining({ status: 422 }))
    expect(() => ask({ investor_state: 'ON', exchange: 'Atlantis' })).toThrow(expect.objectContaining({ status: 422 }))
  })
})

describe('both rulesets', () => {
  it('are named together, each may be pinned', () => {
    const newest = 'bluesky@2026-11,fts@2026'
    expect(ask({ investor_state: 'ON' }).body).toMatchObject({ ruleset: newest, ruleset_valid_from: '2026-01-01', ruleset_valid_to: '2026-12-31' })
    expect(ask({ investor_state: 'NY' }).body).toMatchObject({ ruleset: newest, ruleset_valid_from: blueSkyRules(undefined).valid_from })
    expect(ask({ investor_state: 'ON' }, 'fts@2025').body).toMatchObject({
      ruleset: 'bluesky@2026-11,fts@2025',
      tax: { calculation: { tax_year: 2025 } },
    })
    expect(ask({ investor_state: 'NY' }, 'flow-through@2026-11,blue-sky@2026-11').body.ruleset).toBe(newest)
  })
  it.each(['fts@1999', 'bluesky@1999-01', 'fts@2026,fts@2025', 'bluesky@2026-11,withholding@2026-11'])(
    '%s is refused with the names that there are',
    names => {
      expect(() => ask({ investor_state: 'ON' }, names)).toThrow(
        expect.objectContaining({ status: 400, hint: expect.stringMatching(/fts@2026|bluesky@2026-11/) }),
      )
    },
  )
})

it('a place on neither side is refused with the nearest', () => {
  expect(() => ask({ investor_state: 'Sakatchewan' })).toThrow(
    expect.objectContaining({ status: 422, hint: expect.stringContaining('Saskatchewan') }),
  )
  expect(() => ask({ investor_state: 'Bavaria' })).toThrow(expect.objectContaining({ status: 422, hint: expect.stringContaining('ON') }))
})
