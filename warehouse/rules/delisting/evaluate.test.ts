import { describe, expect, it } from 'vitest'
import { refusalOf } from '#fixtures/refusal.ts'
import { textTable } from '#fixtures/text-table.ts'
import { addDays } from '#schemas/days.ts'
import { delistingRules, delistingRulesets } from '../../rulesets/delisting/rules.ts'
import type { DelistingAssessment } from './evaluate.ts'
import { aFiling, checkOf, closesOf, evaluated, reverseSplit, statusesOf, today, usd, yearsOf } from './fakes.ts'

const failing = (verdict: DelistingAssessment): string[] => verdict.checks.filter(({ status }) => status === 'fail').map(({ row }) => row.id)

describe('exchanges', () => {
  it.each([
    ['nasdaq', 'nasdaq'],
    ['Nasdaq Capital Market', 'nasdaq_capital'],
    ['NASDAQ-GM', 'nasdaq_global'],
    ['XNGS', 'nasdaq_global_select'],
    ['nyse american', 'nyse_american'],
    ['AMEX', 'nyse_american'],
    ['New York Stock Exchange', 'nyse'],
    ['TSX-V', 'tsxv'],
  ])('%s is %s', (name, id) => {
    expect(evaluated({ exchange: name }).exchange.id).toBe(id)
  })
  it('another name is refused with the names that are known', () => {
    const error = refusalOf(() => evaluated({ exchange: 'LSE' }))
    expect([error.status, error.code, error.hint, error.items?.[0]?.loc]).toEqual([
      422,
      'validation_error',
      expect.stringContaining('NYSE'),
      ['body', 'exchange'],
    ])
  })
  it('an empty name is that of the directory, and refused where none lists the ticker', () => {
    const listing = { mic: 'XNYS', exchange: 'US', currency: 'USD', type: 'common', valid_to: null }
    expect(evaluated({ exchange: '' }, { listing }).exchange.id).toBe('nyse')
    expect(evaluated({ exchange: 'NASDAQ' }, { listing }).other_exchange).toContain('New York Stock Exchange')
    expect(refusalOf(() => evaluated({ exchange: ' ' })).status).toBe(422)
  })
  it.each(['TSX', 'TSXV', 'CSE', 'OTC', 'OTCQB', 'ARCA'])('%s has no checks here and no score', exchange => {
    const verdict = evaluated({ exchange, press_release_text: 'delisting' })
    expect([verdict.checks, verdict.score.score, verdict.exchange.coverage === 'covered']).toEqual([[], null, false])
  })
  it('if the tier was not stated, a failure counts only where every tier would fail', () => {
    // Enough shares for the Capital Market only.
    const some = evaluated({ exchange: 'NASDAQ', total_shares: 600_000, insider_shares: 1 }, { closes: closesOf('10', 40), equity: usd('3000000') })
    expect(checkOf(some, 'global_standards')).toMatchObject({ status: 'unknown', reason: expect.stringContaining('the request states no tier') })
    expect(statusesOf(some).get('capital_standards')).toBe('pass')
    const poor = evaluated(
      { exchange: 'NASDAQ', total_shares: 400_000, insider_shares: 1 },
      {
        closes: closesOf('1.00', 40),
        equity: usd('1'),
        years: yearsOf('net_income', ['0', '0', '0']).map(year => ({ ...year, assets: usd('1'), revenue: usd('1') })),
      },
    )
    expect(failing(poor)).toEqual(expect.arrayContaining(['capital_public_shares', 'global_standards', 'capital_standards']))
  })
})

describe('filings', () => {
  const of = (id: string, ...filings: readonly ReturnType<typeof aFiling>[]) => checkOf(evaluated({}, { filings, no_filings: null }), id)
  it('are unknown where none of the issuer is held, and pass where none is of the kind', () => {
    expect(checkOf(evaluated({}), 'exchange_notice').status).toBe('unknown')
    expect(of('exchange_notice').status).toBe('pass')
  })
  it.each([
    ['exchange_notice', aFiling('8-K', 20, { items: ['3.01', '9.01'] }), 'watch'],
    ['exchange_notice', aFiling('8-K', 20, { items: ['3.02'] }), 'pass'],
    ['exchange_notice', aFiling('8-K', 364, { items: ['3.01'] }), 'watch'],
    ['exchange_notice', aFiling('8-K', 365, { items: ['3.01'] }), 'pass'],
    ['auditor_recently_changed', aFiling('8-K', 20, { items: ['4.01'] }), 'watch'],
    ['removal_from_listing', aFiling('25-NSE', 3), 'fail'],
    ['deregistration', aFiling('15-12B', 3), 'fail'],
  ])('%s: %o is %s', (id, filing, status) => {
    const check = of(id, filing)
    expect([check.status, check.documents]).toEqual([status, status === 'pass' ? [] : [filing.accession]])
  })
  it('a notice of a late report fails once its extension has passed without the report', () => {
    const notice = (form: string, days: number) => of('late_reports', aFiling(form, days))
    expect([notice('NT 10-Q', 5).status, notice('NT 10-Q', 6).status]).toEqual(['watch', 'fail'])
    expect([notice('NT 10-K', 15).status, notice('NT 10-K', 16).status]).toEqual(['watch', 'fail'])
    expect(notice('NT 10-K', 16).clock).toMatchObject({ stage: 'report', days: 180, days_elapsed: 16, days_left: 164, until: addDays(today, 164) })
  })
  it('the report of the same period answers it, another report does not', () => {
    const late = aFiling('NT 10-Q', 60, { period_of_report: '2026-06-30' })
    expect(of('late_reports', aFiling('10-Q', 50, { period_of_report: '2026-06-30' }), late).status).toBe('pass')
    expect(of('late_reports', aFiling('10-Q', 2, { period_of_report: '2026-09-30' }), late).status).toBe('fail')
    expect(of('late_reports', aFiling('10-K', 50), late).status).toBe('fail')
  })
})

describe('auditor and structure', () => {
  it.each(textTable`
    CN        | watch
    hk        | watch
    Hong Kong | watch
    US        | clear
    Canada    | clear
    MO        | clear
  `)('an auditor in %s: %s, never a breach today', (auditor_jurisdiction, status) => {
    expect(evaluated({ auditor_jurisdiction }).auditor.status).toBe(status)
  })
  it('operations in China are another thing than the auditor’s seat', () => {
    const flags = (operations_country: string) =>
      evaluated({ operations_country }).auditor.flags.find(({ flag }) => flag === 'china_based_issuer')?.status
    expect(['CN', 'HK', 'MO', 'TW', 'US'].map(flags)).toEqual(['raised', 'raised', 'raised', 'clear', 'clear'])
    expect(evaluated({ operations_country: 'CN' }).auditor.status).toBe('clear')
  })
  it('flags: a register that is not read is unknown, a changed auditor and a VIE are derived from their evidence', () => {
    const flag = (verdict: DelistingAssessment, name: string) => verdict.auditor.flags.find(each => each.flag === name)?.status
    expect(flag(evaluated({ audit_firm_name: 'Any & Co.' }), 'auditor_not_pcaob_registered')).toBe('unknown')
    expect(flag(evaluated({}), 'auditor_recently_changed')).toBe('unknown')
    expect(flag(evaluated({}, { filings: [aFiling('8-K', 9, { items: ['4.01'] })] }), 'auditor_recently_changed')).toBe('raised')
    const vie = (press_release_text: string) => flag(evaluated({ press_release_text }), 'vie_structure')
    expect(['', 'Drilling began.', 'We have no VIE structure.'].map(vie)).toEqual(['unknown', 'unknown', 'clear'])
    expect(flag(evaluated({ press_release_text: 'our VIE structure' }), 'vie_structure')).toBe('raised')
  })
  it.each(textTable`
    U.S.                       | US
    usa                        | US
    UK                         | GB
    South Korea                | KR
    Russia                     | RU
    People’s Republic of China | CN
    Côte d'Ivoire              | CI
  `)('operations in %j are in %s', (operations_country, country) => {
    expect(evaluated({ operations_country }).auditor.operations_country).toBe(country)
  })
  it('what looks like a country or an exchange is proposed', () => {
    expect(refusalOf(() => evaluated({ operations_country: 'Untied States' })).hint).toContain('did you mean US (United States)')
    expect(refusalOf(() => evaluated({ exchange: 'naasdaq' })).hint).toContain('did you mean NASDAQ?')
    expect(refusalOf(() => evaluated({ exchange: 'LSE' })).hint).toMatch(/^exchange: one of NASDAQ/)
  })
  it('an exchange without rules here is not reported as evaluated', () => {
    const listing = { mic: 'XNAS', exchange: 'US', currency: 'USD', type: 'common', valid_to: null } as const
    expect(evaluated({ exchange: 'NYSE' }, { listing }).other_exchange).toContain('the rules of New York Stock Exchange were applied')
    expect(evaluated({ exchange: 'TSX-V' }, { listing }).other_exchange).toMatch(/XNAS.*the request names TSX Venture Exchange$/)
  })
  it.each(['Nasdaq Stock Market LLC', 'the nasdaq', 'Nasdaq, tier not said'])('%s is Nasdaq', exchange => {
    expect(evaluated({ exchange }).exchange.id).toBe('nasdaq')
  })
  it('an unknown country is rejected', () => {
    for (const field of ['operations_country', 'auditor_jurisdiction'])
      expect(refusalOf(() => evaluated({ [field]: 'XX' }))).toMatchObject({ status: 422, items: [{ loc: ['body', field] }] })
  })
  it('a reverse merger is watched, with the closes of $4 on 30 of the last 60 sessions', () => {
    const of = (closes: readonly string[]) => checkOf(evaluated({ is_reverse_merger: true }, { closes }), 'reverse_merger')
    expect(of([...closesOf('3.99', 30), ...closesOf('4.00', 30)])).toMatchObject({ status: 'watch', value: '30', distance: '0' })
    expect(of([...closesOf('3.99', 31), ...closesOf('4.00', 29)])).toMatchObject({ value: '29', distance: '-1' })
    expect(of(closesOf('9', 59))).toMatchObject({ status: 'watch', value: null })
    expect(checkOf(evaluated({}, { closes: closesOf('1', 90) }), 'reverse_merger').status).toBe('not_applicable')
  })
  it('a shell by the request or by its industry', () => {
    expect(checkOf(evaluated({ is_shell_company: true }), 'shell_company').status).toBe('watch')
    expect(checkOf(evaluated({}, { sic: '6770' }), 'shell_company')).toMatchObject({ status: 'watch', basis: 'lake' })
    expect(checkOf(evaluated({}, { sic: '2834' }), 'shell_company').status).toBe('not_applicable')
  })
})

describe('editions', () => {
  const deficient = { closes: [...closesOf('2', 10), ...closesOf('0.9', 30)], splits: [reverseSplit('10', '2026-03-02')] }
  it('before January 2025 a reverse split within a year left the compliance period, since then it does not', () => {
    expect(failing(evaluated({}, deficient, 'delisting@2026-11'))).toContain('reverse_split_one_year')
    expect(statusesOf(evaluated({}, deficient, 'delisting@2024-12')).has('reverse_split_one_year')).toBe(false)
    const nyse = [...statusesOf(evaluated({ exchange: 'NYSE' }, deficient, 'delisting@2024-12')).keys()]
    expect(nyse.filter(id => id.includes('split'))).toEqual([])
  })
  it('a hearing stayed the suspension after 360 days, and no longer does', () => {
    const of = (name: string) => checkOf(evaluated({}, {}, name), 'bid_period_over').row
    expect([of('delisting@2024-12').consequence, of('delisting@2026-11').consequence]).toEqual([
      expect.stringContaining('stays the suspension'),
      expect.stringContaining('does not stay'),
    ])
    expect(of('delisting@2026-11').effective_from).toBe('2025-01-17')
  })
  it('the $5 million rule is proposed: shown with what it would say, never counted', () => {
    const verdict = evaluated({ total_shares: 1_000_000 }, { closes: closesOf('2', 40) })
    expect(checkOf(verdict, 'mvls_minimum')).toMatchObject({ status: 'proposed', would_be: 'fail', role: 'information' })
    expect(verdict.score.parts.flatMap(({ from, unknown }) => [...from, ...unknown])).not.toContain('mvls_minimum')
    expect(statusesOf(evaluated({}, {}, 'delisting@2024-12')).has('mvls_minimum')).toBe(false)
  })
  it('an edition that is not there is refused with those that are', () => {
    expect(refusalOf(() => delistingRules('delisting@1999-01')).hint).toContain('delisting@2026-11, delisting@2024-12')
    expect(delistingRulesets.map(({ ruleset }) => ruleset)).toEqual(['delisting@2026-11', 'delisting@2024-12'])
  })
})
