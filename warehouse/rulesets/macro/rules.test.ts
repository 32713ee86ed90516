import { describe, expect, test } from 'vitest'
import { curatedEvents, releaseOfFred, releaseTitled } from './releases.ts'
import { countries, countriesUsing, findCountry, findIndicator, indicatorsOf, registeredSeries } from './rules.ts'

describe('countries and indicators', () => {
  test('a country is found by two letters or three; no code occurs twice', () => {
    expect(findCountry('can')).toEqual({ country: 'CA', alpha3: 'CAN', name: 'Canada' })
    expect(findCountry('US')?.alpha3).toBe('USA')
    expect(findCountry('EU')).toBeNull()
    expect(new Set(countries.map(each => each.country)).size).toBe(countries.length)
    expect(new Set(countries.map(each => each.alpha3)).size).toBe(countries.length)
  })
  test('Namibia is NA, and is a country', () => {
    expect(findCountry('NA')?.name).toBe('Namibia')
  })
  test('the United States and Canada have more than thirty of their own, every country the annual ones', () => {
    const own = (country: string) => indicatorsOf(country).filter(each => !each.code.startsWith('annual_'))
    expect(own('US').length + own('CA').length).toBeGreaterThan(30)
    for (const code of [
      'gdp',
      'real_gdp',
      'cpi',
      'core_cpi',
      'unemployment_rate',
      'employment',
      'policy_rate',
      'yield_2y',
      'yield_5y',
      'yield_10y',
      'm2',
      'retail_sales',
      'housing_starts',
      'usd_cad',
    ])
      for (const country of ['US', 'CA']) expect(findIndicator(country, code)?.code, `${country}/${code}`).toBe(code)
    expect(indicatorsOf('FR').every(each => each.code.startsWith('annual_'))).toBe(true)
  })
  test('an indicator is found by the name of its series', () => {
    expect(findIndicator('US', 'unrate')?.code).toBe('unemployment_rate')
    expect(findIndicator('CA', 'V2062815')?.code).toBe('unemployment_rate')
    expect(findIndicator('CA', 'UNRATE')).toBeNull()
  })
  test('a series names the page that it changes', () => {
    expect(countriesUsing('bank-of-canada:FXUSDCAD')).toEqual(['US', 'CA'])
    expect(countriesUsing('worldbank:SP.POP.TOTL/JP')).toEqual(['JP'])
    expect(countriesUsing('worldbank:SP.POP.TOTL/1W')).toEqual([])
    expect(countriesUsing('fred:file/x')).toEqual([])
  })
  test('names that sources are asked for are shaped as they spell them', () => {
    expect(registeredSeries('fred').every(id => /^[A-Z0-9]{2,25}$/.test(id))).toBe(true)
    expect(registeredSeries('statcan').every(id => /^v\d+$/.test(id))).toBe(true)
  })
})

describe('releases', () => {
  test('by FRED’s number and by the agency’s title, of the right country', () => {
    expect(releaseOfFred(10)?.agency).toBe('Bureau of Labor Statistics')
    expect(releaseTitled('CA', 'Consumer Price Index')?.agency).toBe('Statistics Canada')
    expect(releaseTitled('US', 'GDP (Advance Estimate), 3rd Quarter 2026')?.fred_release).toBe(53)
    expect(releaseTitled('US', 'Lamps Lit')).toBeNull()
  })
  test('announcements of the central banks are at their hour, daylight saving included', () => {
    const at = (schedule: string, date: string) => curatedEvents().find(each => each.schedule === schedule && each.date === date)?.scheduled_at
    expect(at('bank-of-canada', '2026-07-15')).toBe('2026-07-15T13:45:00Z')
    expect(at('bank-of-canada', '2026-12-09')).toBe('2026-12-09T14:45:00Z')
    expect(at('fomc', '2026-12-09')).toBe('2026-12-09T19:00:00Z')
    expect(curatedEvents().every(each => each.known_from < each.scheduled_at)).toBe(true)
  })
})
