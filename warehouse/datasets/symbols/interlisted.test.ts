import { describe, expect, it } from 'vitest'
import { interlisted } from './interlisted.ts'
import { type Interval, symbolIndexOf } from './symbol-index.ts'

const line = (symbol: string, issuer: string | null): Interval =>
  ({
    instrument_id: `i_${symbol}`,
    symbol,
    exchange: symbol.endsWith('.TO') ? 'TO' : symbol.endsWith('.V') ? 'V' : 'US',
    issuer,
    name: issuer ?? '',
    cik: null,
    valid_from: '2024-01-02',
    valid_to: null,
    release_from: 1,
  }) as unknown as Interval

const index = symbolIndexOf(
  [
    line('NGP', 'Northgate Pipelines Inc.'),
    line('NGP.TO', 'Northgate Pipelines Incorporated'),
    line('BRLX', 'Borealis Copper Corp.'),
    line('BRLC.TO', 'BOREALIS COPPER CORP'),
    line('BRLC-W.V', 'Borealis Copper Corp.'),
    line('BRX.V', 'Borealis Copper Inc.'),
    line('QT', 'Quartz Tractor Company'),
    line('QT.TO', 'Quill Telecom Inc.'),
    line('ZZ.TO', null),
    line('ZZ', 'Zephyr Zinc Corp.'),
  ].sort((a, b) => (a.symbol < b.symbol ? -1 : 1)),
  1,
)

describe('lines across the border', () => {
  it('are of one issuer where the root is the same and the name apart from its legal form', () => {
    expect(interlisted(index, 'NGP.TO')).toEqual(['NGP'])
    expect(interlisted(index, 'NGP')).toEqual(['NGP.TO'])
  })
  it('are of one issuer under other symbols where the whole name is the same', () => {
    expect(interlisted(index, 'BRLX')).toEqual(['BRLC-W.V', 'BRLC.TO'])
    expect(interlisted(index, 'BRLC-W.V')).toEqual(['BRLX'])
  })
  it('are not linked by a symbol that two companies share, nor by a name that only sounds alike, nor without a name', () => {
    expect(interlisted(index, 'QT.TO')).toEqual([])
    expect(interlisted(index, 'BRX.V')).toEqual([])
    expect(interlisted(index, 'ZZ.TO')).toEqual([])
    expect(interlisted(index, 'NONE.TO')).toEqual([])
  })
})
