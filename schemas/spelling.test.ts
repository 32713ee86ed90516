import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nearestNames, nearestSymbols, parseSymbol, parseSymbolOn, symbolReadings } from './spelling.ts'
import { Symbol } from './values.ts'
import { alphaVantage, cqs, eodhd, nasdaqAct, nasdaqIntegrated, readTmx, sec, tiingo, writeTmx, yahoo } from './vendor-spelling.ts'

const vendors = { alphaVantage, cqs, eodhd, nasdaqAct, nasdaqIntegrated, readTmx, sec, tiingo, writeTmx, yahoo }

const spellings: Readonly<Record<string, string>> = {
  'RY.TO': 'RY.TO',
  'TSX:RY': 'RY.TO',
  'tse:ry': 'RY.TO',
  'RY:CA': 'RY.TO',
  'RY CN Equity': 'RY.TO',
  'SHOP:TSX': 'SHOP.TO',
  'TSX:V': 'V.TO',
  'TSXV:XYZ': 'XYZ.V',
  'CVE:XYZ': 'XYZ.V',
  'TSX-V:XYZ': 'XYZ.V',
  'TSX Venture:XYZ': 'XYZ.V',
  'XYZ.V': 'XYZ.V',
  'BRK.B': 'BRK-B',
  'BRK/B': 'BRK-B',
  BRK_B: 'BRK-B',
  'BRK-B': 'BRK-B',
  'BRK B': 'BRK-B',
  'brk.b': 'BRK-B',
  'NYSE:BRK.B': 'BRK-B',
  'NASDAQ:AAPL': 'AAPL',
  'AAPL.US': 'AAPL',
  'AAPL US': 'AAPL',
  'AAPL:US': 'AAPL',
  $AAPL: 'AAPL',
  ' aapl ': 'AAPL',
  'CA:US': 'CA',
  'US:CBOE': 'CBOE',
  'NYSE:TRV': 'TRV',
  'TSX:TSX.TO': 'TSX.TO',
  'TSX:CJR.B': 'CJR-B.TO',
  'CJR.B.TO': 'CJR-B.TO',
  'TECK.B.TO': 'TECK-B.TO',
  'TSX:TECK.B.TO': 'TECK-B.TO',
  'BEP.UN': 'BEP-UN.TO',
  'HISU.U': 'HISU-U.TO',
  'ARL.P': 'ARL-P.V',
  'FIVD.P.V': 'FIVD-P.V',
  'X.WT.A': 'X-WT-A.TO',
  'RY.PR.Z': 'RY-PR-Z.TO',
  'RY-PZ.TO': 'RY-PR-Z.TO',
  'ENB-PFA.TO': 'ENB-PF-A.TO',
  'SHOP.TRT': 'SHOP.TO',
  'XYZ.TRV': 'XYZ.V',
  AA$: 'AA-P',
  BAC$L: 'BAC-PL',
  AAp: 'AA-P',
  BACpL: 'BAC-PL',
  CpK: 'C-PK',
  'BAC-PL': 'BAC-PL',
  'BAC-P-L': 'BAC-PL',
  'BAC PRL': 'BAC-PL',
  'TFC-PR': 'TFC-PR',
  'ACHR/WS': 'ACHR-WT',
  'NYSE:ACHR.W': 'ACHR-WT',
  'OUST-WTA': 'OUST-WTA',
  'NYSE:AACT.U': 'AACT-UN',
  Up: 'UP',
  NA: 'NA',
  'NA.TO': 'NA.TO',
  NAN: 'NAN',
  true: 'TRUE',
  INF: 'INF',
  '000001': '000001',
  'A-1.TO': 'A-1.TO',
}

describe('spellings of a symbol', () => {
  test.each(Object.entries(spellings))('%s is %s', (text, symbol) => {
    expect(parseSymbol(text)?.symbol).toBe(symbol)
    expect(parseSymbol(symbol)?.symbol).toBe(symbol)
  })
  test.each([
    '',
    ' ',
    '.',
    '-B',
    'AAPL.',
    'A..B',
    'LSE:VOD',
    'RY:LN',
    'ABC.NE',
    'ABC.DE',
    'ABCDEFGHIJK',
    `${'A'.repeat(40)}`,
    'naïve',
    "A'B",
    'A;B',
    'A$$',
    '../A',
    'X.V.V.V.V.V',
  ])('"%s" is no symbol of the United States or Canada', text => {
    expect(parseSymbol(text)).toBeNull()
  })
  test('a bare dotted class can also be Canadian, and .V can be a class V of the United States', () => {
    expect(symbolReadings('CJR.B').map(({ symbol }) => symbol)).toEqual(['CJR-B', 'CJR-B.TO', 'CJR-B.V'])
    expect(symbolReadings('MKC.V').map(({ symbol }) => symbol)).toEqual(['MKC.V', 'MKC-V'])
    expect(symbolReadings('HISU.U').map(({ symbol }) => symbol)).toEqual(['HISU-U.TO', 'HISU-UN', 'HISU-U.V'])
    expect(symbolReadings('AIS:CA').map(({ symbol }) => symbol)).toEqual(['AIS.TO', 'AIS.V'])
    expect(symbolReadings('TSX:RY')).toHaveLength(1)
  })
  test('where the exchange is known, no symbol is taken for one', () => {
    expect(parseSymbolOn('US', 'MKC.V')?.symbol).toBe('MKC-V')
    expect(parseSymbolOn('US', 'CBOE')?.symbol).toBe('CBOE')
    expect(parseSymbolOn('TO', 'RY.TO')?.symbol).toBe('RY.TO')
    expect(parseSymbolOn('V', 'US')?.symbol).toBe('US.V')
    expect(parseSymbolOn('US', 'RY:CA')).toBeNull()
  })
  test('whatever is read fits the shape of a symbol and reads as itself', () => {
    const text = fc.oneof(fc.string({ maxLength: 34 }), fc.stringMatching(/^[A-Za-z]{1,5}[.\-/_$ :][A-Za-z]{0,3}([.-][A-Za-z]{1,2})?$/))
    fc.assert(
      fc.property(text, value => {
        for (const reading of symbolReadings(value)) {
          expect(Symbol.safeParse(reading.symbol).success).toBe(true)
          expect(parseSymbol(reading.symbol)).toEqual(reading)
        }
      }),
      { numRuns: 3000, seed: 20260105 },
    )
  })
})

const rows = [
  // canonical, Nasdaq, ACT, CQS, Tiingo, Yahoo, EODHD, Alpha Vantage
  ['AAPL', 'AAPL', 'AAPL', 'AAPL', 'aapl', 'AAPL', 'AAPL.US', 'AAPL'],
  ['BRK-B', 'BRK.B', 'BRK.B', 'BRK.B', 'brk-b', 'BRK-B', 'BRK-B.US', 'BRK-B'],
  ['BAC-PL', 'BAC-L', 'BAC$L', 'BACpL', 'bac-p-l', 'BAC-PL', 'BAC-PL.US', 'BAC-P-L'],
  ['AA-P', 'AA-', 'AA$', 'AAp', 'aa-p', 'AA-P', 'AA-P.US', 'AA-P'],
  ['ACHR-WT', 'ACHR+', 'ACHR.W', 'ACHR.WS', 'achr-ws', 'ACHR-WT', 'ACHR-WT.US', 'ACHR-WS'],
  ['OUST-WTA', 'OUST+A', null, 'OUST.WS.A', 'oust-ws-a', 'OUST-WTA', 'OUST-WTA.US', 'OUST-WS-A'],
  ['GAB-RT', 'GAB^', 'GAB.R', 'GABr', 'gab-r', 'GAB-RI', 'GAB-RI.US', 'GAB-R'],
  ['AACT-UN', 'AACT=', 'AACT.U', 'AACT.U', 'aact-u', 'AACT-UN', 'AACT-UN.US', 'AACT-U'],
] as const

describe('spellings of the vendors', () => {
  test.each(rows)('%s', (symbol, ...texts) => {
    const [nasdaqIntegrated, nasdaqAct, cqs, tiingo, yahoo, eodhd, alphaVantage] = texts
    const written = { nasdaqIntegrated, nasdaqAct, cqs, tiingo, yahoo, eodhd, alphaVantage, sec: symbol }
    for (const [vendor, text] of Object.entries(written)) {
      if (text === null) continue // the ACT symbol of a second warrant reads as a class
      const spelling = vendors[vendor as keyof typeof written]
      expect([vendor, spelling.write(symbol)]).toEqual([vendor, text])
      expect([vendor, spelling.read(text)?.symbol]).toEqual([vendor, symbol])
    }
  })
  test('the NASDAQ symbol distinguishes when issued from the class V, which the ACT symbol does not', () => {
    expect(vendors.nasdaqIntegrated.read('LDOS#')?.symbol).toBe('LDOS-WI')
    expect(vendors.nasdaqIntegrated.read('MKC.V')?.symbol).toBe('MKC-V')
    expect(vendors.nasdaqIntegrated.read('PSB-T*')?.symbol).toBe('PSB-PT-CL')
    expect(vendors.cqs.read('PSBpT.CL')?.symbol).toBe('PSB-PT-CL')
    expect(vendors.cqs.read('AIG/WS')?.symbol).toBe('AIG-WT')
    expect(vendors.cqs.read('LDOSw')?.symbol).toBe('LDOS-WI')
    expect(vendors.tiingo.read('AA-W')?.symbol).toBe('AA-WI')
    expect(vendors.tiingo.read('PSB-P-T-CL')?.symbol).toBe('PSB-PT-CL')
  })
  test('Canadian marks: TMX with points, Yahoo with the series joined', () => {
    expect(vendors.readTmx('CJR.B', 'TO')?.symbol).toBe('CJR-B.TO')
    expect(vendors.readTmx('ARL.P', 'V')?.symbol).toBe('ARL-P.V')
    expect(vendors.readTmx('RY.PR.Z', 'TO')?.symbol).toBe('RY-PR-Z.TO')
    expect(vendors.writeTmx('RY-PR-Z.TO')).toBe('RY.PR.Z')
    expect(vendors.yahoo.write('RY-PR-Z.TO')).toBe('RY-PZ.TO')
    expect(vendors.yahoo.write('ENB-PF-A.TO')).toBe('ENB-PFA.TO')
    expect(vendors.yahoo.read('RY-PZ.TO')?.symbol).toBe('RY-PR-Z.TO')
    expect(vendors.eodhd.write('ARL-P.V')).toBe('ARL-P.V')
    expect(vendors.alphaVantage.write('CJR-B.TO')).toBe('CJR-B.TRT')
    for (const vendor of [vendors.tiingo, vendors.sec, vendors.cqs, vendors.nasdaqAct]) expect(vendor.write('RY.TO')).toBeNull()
  })
})

describe('nearest symbols', () => {
  const known = ['AAPL', 'APLE', 'AAP', 'RY.TO', 'RY', 'BRK-B', 'BRK-A', 'GOOG', 'GOOGL']
  test('a slip of the keyboard finds its neighbour first', () => {
    expect(nearestSymbols('APPL', known, 3)).toEqual(['AAPL', 'AAP', 'APLE'])
    expect(nearestSymbols('brk.c', known, 2)).toEqual(['BRK-A', 'BRK-B'])
    expect(nearestSymbols('GOGO', known, 1)).toEqual(['GOOG'])
    expect(nearestSymbols('ZZZZZZ', known, 3)).toEqual([])
  })
  test('names are found by a third of their letters, or by how they begin, in any case', () => {
    const states = ['New York', 'New Jersey', 'Texas', 'Utah']
    expect(nearestNames('new yrok', states, 3)).toEqual(['New York'])
    expect(nearestNames('NEW', states, 3)).toEqual(['New York', 'New Jersey'])
    expect(nearestNames('Texs', states, 1)).toEqual(['Texas'])
    expect([nearestNames('', states, 3), nearestNames('Bavaria', states, 3), nearestNames('x'.repeat(5000), states, 3)]).toEqual([[], [], []])
  })
})
