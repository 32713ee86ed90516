import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { flowThroughRules } from '../../rulesets/flow-through/rules.ts'
import { readCommodity } from './commodity.ts'

const rules = flowThroughRules(undefined)
const read = (text: string, day = rules.reckoned_on) => readCommodity(rules, text, day)
const named = (text: string) => read(text).named.map(({ text: words, mineral }) => mineral?.mineral ?? `?${words}`)

describe('a commodity', () => {
  it.each([
    ['gold', ['gold'], 'not_listed'],
    ['Au', ['gold'], 'not_listed'],
    ['ag', ['silver'], 'not_listed'],
    ['Gold & Silver', ['gold', 'silver'], 'not_listed'],
    ['copper', ['copper'], 'listed'],
    ['Cu-Ni', ['copper', 'nickel'], 'listed'],
    ['nickel/cobalt ore', ['nickel', 'cobalt'], 'listed'],
    ['Rare Earth Elements', ['rare earths'], 'listed'],
    ['REE', ['rare earths'], 'listed'],
    ['neodymium and praseodymium', ['rare earths'], 'listed'],
    ['platinum group', ['platinum group metals'], 'listed'],
    ['Pt, Pd', ['platinum group metals'], 'listed'],
    ['lithium (brine)', ['lithium'], 'listed'],
    ['U3O8', ['uranium'], 'listed'],
    ['In', ['indium'], 'listed'],
    ['tungsten', ['tungsten'], 'listed'],
    ['copper-gold', ['copper', 'gold'], 'mixed'],
    ['gold in quartz', ['gold', '?quartz'], 'unknown'],
    ['dilithium crystals', ['?dilithium crystals'], 'unknown'],
    ['iron ore', ['iron'], 'not_listed'],
    ['   ', [], 'unknown'],
  ])('%j names %j: %s', (text, minerals, listing) => {
    expect([named(text), read(text).listing]).toEqual([minerals, listing])
  })
  it.each([
    'nickel',
    'cobalt',
    'graphite',
    'copper',
    'rare earths',
    'vanadium',
    'tellurium',
    'gallium',
    'scandium',
    'titanium',
    'magnesium',
    'zinc',
    'platinum group metals',
    'uranium',
    'lithium',
  ])('%s is on the first list', mineral => {
    expect(read(mineral, '2025-11-04').listing).toBe('listed')
  })
  it.each(['bismuth', 'cesium', 'chromium', 'fluorspar', 'germanium', 'indium', 'manganese', 'molybdenum', 'niobium', 'tantalum', 'tin', 'tungsten'])(
    '%s is on the list since 2025-11-05',
    mineral => {
      expect([read(mineral, '2025-11-04').listing, read(mineral, '2025-11-05').listing]).toEqual(['not_listed', 'listed'])
    },
  )
  it('of any text is read, and never listed for what is not known', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 100 }), text => {
        const { named: found, listing } = read(text)
        expect(listing === 'listed').toBe(found.length > 0 && found.every(({ mineral }) => mineral?.critical === true))
      }),
    )
  })
})
