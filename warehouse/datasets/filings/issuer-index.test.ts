// Which filings an answer depends on through the symbols of issuers: only those of symbols that the SEC's map lacks.
import { describe, expect, it } from 'vitest'
import { issuerIndexOf } from './issuer-index.ts'

const filed = (symbol: string, cik: string) => ({ symbol, cik, accession: `${cik}-26-000001`, source: 'edgar', raw_sha256: cik.padStart(64, '0') })
const index = issuerIndexOf(
  [{ symbol: 'AAA', cik: '0000000001', name: 'Amber Inc' }],
  [filed('AAA', '0000000001'), filed('BBB', '0000000002'), filed('AAA.B', '0000000001')],
  new Set(),
)

function used(ask: (observed: typeof index) => unknown, of = index): { readonly answer: unknown; readonly filings: string[] } {
  const filings: string[] = []
  return { answer: ask(of.observed(({ accession }) => filings.push(String(accession)))), filings }
}
/** The datasets of an answer that asks the index this. */
function datasetsOf(ask: (observed: typeof index) => unknown): readonly string[] {
  const observed = index.observed(() => undefined)
  ask(observed)
  return observed.datasets()
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

describe('a symbol that filings of two issuers give', () => {
  const [first, second] = ['0000000002', '0000000003']
  const both = issuerIndexOf([{ symbol: 'AAA', cik: '0000000001', name: 'Amber Inc' }], [filed('BBB', first), filed('BBB', second)], new Set())
  it('is that of the later filing, and answers about the earlier issuer depend on both filings', () => {
    expect(used(({ cikOf }) => cikOf('BBB'), both)).toEqual({ answer: second, filings: [`${second}-26-000001`] })
    expect(used(({ symbolOf }) => symbolOf(first), both)).toEqual({ answer: null, filings: [`${first}-26-000001`, `${second}-26-000001`] })
    expect(used(({ symbolsOf }) => symbolsOf(first), both)).toEqual({ answer: [], filings: [`${first}-26-000001`, `${second}-26-000001`] })
  })
  it('is the issuer of the map, if the map has it', () => {
    const mapped = issuerIndexOf([{ symbol: 'BBB', cik: second, name: 'Beryl Inc' }], [filed('BBB', first)], new Set())
    expect(mapped.symbolOf(first)).toBeNull()
    expect(mapped.symbolOf(second)).toBe('BBB')
  })
})

describe('the datasets of an answer', () => {
  it('include the filings if the map does not have what was searched, found or not', () => {
    for (const ask of [
      ({ cikOf }: typeof index) => cikOf('BBB'),
      ({ cikOf }: typeof index) => cikOf('CCC'),
      ({ symbolOf }: typeof index) => symbolOf('0000000009'),
      ({ symbolsOf }: typeof index) => symbolsOf('0000000009'),
      ({ symbolsOf }: typeof index) => symbolsOf('0000000001'),
    ])
      expect(datasetsOf(ask)).toEqual(['insider_filings'])
  })
  it('do not include them for what the map has, nor before a search', () => {
    expect(datasetsOf(() => null)).toEqual([])
    expect(datasetsOf(({ cikOf }) => cikOf('AAA'))).toEqual([])
    expect(datasetsOf(({ symbolOf }) => symbolOf('0000000001'))).toEqual([])
    expect(index.datasets()).toEqual([])
  })
})
