import { describe, expect, it } from 'vitest'
import { themeRules } from '../../rulesets/themes/rules.ts'
import { comparable, fits, type Subject } from './membership.ts'

const aLine = (more: Partial<Subject> = {}): Subject => ({
  symbol: 'ABCD.TO',
  exchange: 'TO',
  type: 'common',
  currency: 'CAD',
  name: comparable('Abcd Gold Corp.'),
  sic: null,
  state: null,
  interlisted: false,
  ...more,
})
const ruleOf = (theme: string, rule: string) => {
  const found = themeRules.themes.find(each => each.id === theme)?.rules.find(each => each.rule === rule)
  if (!found) throw new TypeError(`${theme}: no rule ${rule}`)
  return found
}
const isIn = (theme: string, rule: string, more: Partial<Subject>): boolean => fits(ruleOf(theme, rule), aLine(more), themeRules)

describe('the rules of themes', () => {
  it('are fourteen themes with names of their own, and rules with names of their own', () => {
    expect(new Set(themeRules.themes.map(theme => theme.id)).size).toBe(14)
    for (const theme of themeRules.themes)
      expect([theme.id, new Set(theme.rules.map(rule => rule.rule)).size]).toEqual([theme.id, theme.rules.length])
  })
  it('never let everything in: each states an industry, words, a currency, a kind or dividends', () => {
    for (const rule of themeRules.themes.flatMap(theme => theme.rules))
      expect(rule.sic ?? rule.words ?? rule.currency ?? rule.dividends ?? (Array.isArray(rule.types) ? rule.types : undefined)).toBeDefined()
  })
  it('take words whole: GOLDMAN is no gold, and accents and signs do not matter', () => {
    expect(isIn('gold-silver-miners', 'name', { name: comparable('Goldman Sachs Group') })).toBe(false)
    expect(isIn('gold-silver-miners', 'name', { name: comparable('Mine d’Or GOLD/SILVER Ltée') })).toBe(true)
    expect(isIn('gold-silver-miners', 'name', { name: comparable('Sprott Physical Gold Trust') })).toBe(false)
    expect(isIn('canadian-reits', 'name', { name: comparable('Prairie Sun Real-Estate Investment Trust') })).toBe(true)
    expect(comparable('Énergie  Québec, Inc.')).toBe(' ENERGIE QUEBEC INC ')
  })
  it('take ranges of industry codes with both ends', () => {
    const sic = (code: string | null) => isIn('canadian-banks', 'sic', { sic: code })
    expect([sic('6019'), sic('6020'), sic('6036'), sic('6037'), sic(null)]).toEqual([false, true, true, false, false])
  })
  it('take a US line for Canadian by EDGAR’s data about its issuer, and a Canadian one by its exchange', () => {
    const rail = (more: Partial<Subject>) => isIn('rail-transport', 'sic', { sic: '4011', ...more })
    expect([rail({}), rail({ exchange: 'US', state: 'A2' }), rail({ exchange: 'US', state: 'DE' }), rail({ exchange: 'US', state: null })]).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
  it('leave preferred shares, warrants and funds out where shares are meant', () => {
    const bank = (type: Subject['type']) => isIn('canadian-banks', 'name', { name: comparable('Bank of Somewhere'), type })
    expect((['common', 'trust_unit', 'preferred', 'warrant', 'etf', 'note'] as const).map(bank)).toEqual([true, true, false, false, false, false])
  })
  it('know a line in US dollars only on a Canadian exchange', () => {
    const line = (exchange: Subject['exchange'], currency: string) => isIn('us-dollar-lines', 'currency', { exchange, currency })
    expect([line('TO', 'USD'), line('V', 'USD'), line('TO', 'CAD'), line('US', 'USD')]).toEqual([true, true, false, false])
  })
})
