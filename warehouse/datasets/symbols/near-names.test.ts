import { describe, expect, it } from 'vitest'
import { aListing } from '#fixtures/listings.ts'
import { textTable } from '#fixtures/text-table.ts'
import { findNearNames } from './near-names.ts'
import { symbolIndexOf } from './symbol-index.ts'

const index = symbolIndexOf(
  [
    aListing('LNTF', 'Lanternfish Semiconductor, Inc. - Common Stock'),
    aListing('QBC.TO', 'Banque du Québec'),
    aListing('RDG', 'Ridge Gold Corp.'),
    aListing('RDGT', 'Ridgeback Timber Corporation'),
    aListing('TRDR', 'Trader Joe Holdings'),
    aListing('KCG.V', 'Kettle Creek Gold Inc.', { instrument_id: 'i_k', valid_from: '2024-01-02' }),
    aListing('KCE.V', 'Kettle Creek Exploration Ltd.', { instrument_id: 'i_k', valid_to: '2024-01-01', end_reason: 'renamed' }),
    aListing('OLD', 'Lanternfish Holdings', { valid_to: '2021-01-01' }),
  ],
  1,
)
const near = (query: string): string[] => findNearNames(index, query).map(each => `${each.symbol} ${each.differing_letters}`)

describe('a misspelled name', () => {
  it.each(textTable`
    lanternfsh               | LNTF 1
    Lantrnfsh semiconductor  | LNTF 2
    lantern fish             | LNTF 0
    ridgebck timbr           | RDGT 2
    quebec                   | QBC.TO 0
    Kettle Creek Exploration | KCG.V 0
    lanternfish inc          | LNTF 0
  `)('%s may mean %s', (query, expected) => {
    expect(near(query)).toEqual([expected])
  })
  it.each(['ridgeback bananas', 'rid', 'inc', '', 'gold bank', '…'])('%s means none of them', query => {
    expect(near(query)).toEqual([])
  })
  it('of a symbol has one slip, on every exchange', () => {
    expect(near('RDTG')).toEqual(['RDG 1', 'RDGT 1'])
    expect(near('KGC')).toEqual(['KCG.V 1'])
    expect(near('KGC.V')).toEqual(['KCG.V 1'])
    expect(near('XX')).toEqual([])
  })
  it('says by which name it matched', () => {
    expect(findNearNames(index, 'kettle creek exploraton')).toEqual([
      { symbol: 'KCG.V', matched_name: 'Kettle Creek Exploration Ltd.', differing_letters: 1 },
    ])
  })
})
