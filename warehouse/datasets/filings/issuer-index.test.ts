// Which filings an answer depends on through the symbols of issuers: only those of symbols that the SEC's map lacks.
import { describe, expect, it } from 'vitest'
import { issuerIndexOf } from './issuer-index.ts'

const filed = (symbol: string, cik: string) => ({ symbol, cik, accession: `${cik}-26-000001`, source: 'edgar', raw_sha256: cik.padStart(64, '0') })
const index = issuerIndexOf(
  [{ symbol: 'AAA', cik: '0000000001', name: 'Amber Inc' }],
  [filed('AAA', '0000000001'), filed('BBB', '0000000002'), filed('AAA.B', '0000000001')],
  new Set(),
)

function used(ask: (observed: typeof index) => unknown): { readonly answer: unknown; readonly filings: string[] } {
  const filings: string[] = []
  return { answer: ask(index.observed(({ accession }) => filings.push(String(accession)))), filings }
}

describe('the observed index', () => {
  it('reports the filing of a symbol or an issuer that the map lacks', () => {
    expect(used(({ cikOf }) => cikOf('BBB'))).toEqual({ answer: '0000000002', filings: ['0000000002-26-000001'] })
    expect(used(({ symbolOf }) => symbolOf('0000000002'))).toEqual({ answer: 'BBB', filings: ['0000000002-26-000001'] })
    expect(used(({ symbolsOf }) => symbolsOf('0000000001'))).toEqual({ answer: ['AAA', 'AAA-B'], filings: ['0000000001-26-000001'] })
  })
  it('reports none for what the map has, and for what no document names', () => {
    expect(used(({ cikOf }) => cikOf('AAA'))).toEqual({ answer: '0000000001', filings: [] })
    expect(used(({ symbolOf }) => symbolOf('0000000001'))).toEqual({ answer: 'AAA', filings: [] })
    expect(used(({ cikOf }) => cikOf('CCC'))).toEqual({ answer: null, filings: [] })
    expect(used(({ symbolNamed }) => symbolNamed('AMBER'))).toEqual({ answer: 'AAA', filings: [] })
  })
})
