// The slider over days: its places, the addresses that they lead to, and what it shows without script.
import { describe, expect, it } from 'vitest'
import { knownSlider, placeOf, slidAddress } from './known-slider.ts'

const days = ['2026-01-05', '2026-02-06', '2026-03-06']
const slider = { path: '/macro', kept: { country: 'CA' }, days, as_of: null, today: '2026-03-20' }

describe('the place of a day', () => {
  it.each([
    [null, 2],
    ['2026-03-06', 2],
    ['2026-03-05', 1],
    ['2026-02-06', 1],
    ['2026-01-05', 0],
    ['1999-01-01', 0],
  ])('%s is at %d', (day, place) => expect(placeOf(days, day)).toBe(place))
  it('without days it is the beginning', () => expect([placeOf([], null), placeOf([], '2026-01-01')]).toEqual([0, 0]))
})

describe('a place', () => {
  it.each([
    [0, '/macro?country=CA&as_of=2026-01-05'],
    [1, '/macro?country=CA&as_of=2026-02-06'],
    // The last day is the present state, and so is everything behind it.
    [2, '/macro?country=CA'],
    [100_000, '/macro?country=CA'],
  ])('%d leads to %s', (place, address) => expect(slidAddress(slider, place)).toBe(address))
  it('without further parameters and days leads to the page', () => expect(slidAddress({ path: '/macro/us/gdp', days: [] }, 3)).toBe('/macro/us/gdp'))
})

describe('the form', () => {
  const text = (as_of: string | null, of: readonly string[] = days): string => `${knownSlider({ ...slider, days: of, as_of })}`
  it('has the place of the day, and links to the days before and after it', () => {
    const shown = text('2026-02-06')
    expect(shown).toContain('min="0" max="2" step="1" value="1"')
    expect(shown).toContain('href="/macro?country=CA&amp;as_of=2026-01-05" rel="prev"')
    expect(shown).toContain('href="/macro?country=CA" rel="next"')
    expect(shown).toContain('<input type="hidden" name="country" value="CA">')
  })
  it('has no link beyond its ends', () => {
    expect(text(null)).not.toContain('rel="next"')
    expect(text('2026-01-05')).not.toContain('rel="prev"')
  })
  it('is only a field for a day if there is nothing to slide over', () => {
    expect(text(null, ['2026-01-05'])).not.toContain('type="range"')
    expect(text(null, [])).toContain('type="date"')
  })
})
