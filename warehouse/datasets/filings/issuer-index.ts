// The CIK of a ticker: the SEC's map first, then what issuers put on their insiders' filings.

import type { DatasetName } from '#schemas/index.ts'
import { issuerKey } from '#schemas/issuer-name.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import type { Lake } from '../../store/lake/lake.ts'

export type IssuerIndex = {
  /** The CIK of a canonical symbol, or null. */
  cikOf(symbol: string): string | null
  /** A current symbol of the CIK, or null; never one that the map, or a later filing, gives to another issuer. */
  symbolOf(cik: string): string | null
  /** Every symbol of the CIK: the lines of its classes, warrants and units, sorted. */
  symbolsOf(cik: string): readonly string[]
  /** The CIK's symbol in the SEC's map, or null: answers print it, because a single document is its source. */
  mappedSymbolOf(cik: string): string | null
  /** The one symbol of the SEC's map whose issuer has this name (`issuerKey`); null if it has none, or several lines. */
  symbolNamed(key: string): string | null
  /** True if Forms 3, 4 or 5 of the issuer were read. */
  hasInsiderFilings(cik: string): boolean
  /** The same index, which reports each filing whose symbol it returns because the SEC's map has none: the answer depends on that document. */
  observed(onFiling: (origin: FilingOrigin) => void): IssuerIndex
  /** Of an observed index, the datasets besides the SEC's map on which its results depend: a result that the map lacks can change with each filing. */
  datasets(): readonly DatasetName[]
}

/** The document of a Form 3, 4 or 5. */
type FilingOrigin = { readonly accession: string | null; readonly source: string; readonly raw_sha256: string }

type Pair = { readonly symbol: string; readonly cik: string; readonly name?: string }
/** Of a filing; without a document in tests of names. */
type FiledPair = Pair & Partial<FilingOrigin>

/** Reads the pairs of a release: about 10,000 from the SEC's map, and the newest symbol of each issuer of Forms 3, 4 and 5. */
export async function loadIssuerIndex(lake: Lake, asOf: string | null): Promise<IssuerIndex> {
  const [mapped, filed, reported] = await Promise.all([
    lake.query<Pair>('select symbol, cik, name from issuer_tickers order by symbol, cik', { as_of: asOf }, { issuer_tickers: 'all' }),
    lake.query<FiledPair>(
      `select issuer_symbol as symbol, issuer_cik as cik, accession, source, raw_sha256 from insider_filings where issuer_symbol is not null
       qualify row_number() over (partition by issuer_cik order by known_from desc, filing_id) = 1 order by known_from, filing_id`,
      { as_of: asOf },
      { insider_filings: 'all' },
    ),
    lake.query<{ cik: string }>('select distinct issuer_cik as cik from insider_filings', { as_of: asOf }, { insider_filings: 'all' }),
  ])
  return issuerIndexOf(mapped, filed, new Set(reported.map(row => row.cik)))
}

/** `mapped` wins over `filed`; within `filed` the later row wins. Skips symbols that no listing can have (NONE, N/A). */
export function issuerIndexOf(mapped: readonly Pair[], filed: readonly FiledPair[], reported: ReadonlySet<string>): IssuerIndex {
  const ciks = new Map<string, string>()
  const symbols = new Map<string, string>()
  const filings = new Map<string, FilingOrigin>()
  /** The issuer that has a symbol now, by the issuer whose own filing gave it the symbol earlier. */
  const laterIssuers = new Map<string, string>()
  for (const pair of filed) {
    const symbol = listed(pair.symbol)
    if (!symbol) continue
    const earlier = ciks.get(symbol)
    if (earlier !== undefined && earlier !== pair.cik) {
      symbols.delete(earlier)
      laterIssuers.set(earlier, pair.cik)
    }
    ciks.set(symbol, pair.cik)
    symbols.set(pair.cik, symbol)
    const { accession, source, raw_sha256 } = pair
    if (accession !== undefined && source !== undefined && raw_sha256 !== undefined) filings.set(pair.cik, { accession, source, raw_sha256 })
  }
  const own = new Map<string, string>()
  const inMap = new Set<string>()
  const named = new Map<string, Set<string>>()
  for (const pair of mapped) {
    const symbol = listed(pair.symbol)
    if (!symbol) continue
    const filer = ciks.get(symbol)
    if (filer !== undefined && filer !== pair.cik && !inMap.has(symbol)) symbols.delete(filer)
    ciks.set(symbol, pair.cik)
    inMap.add(symbol)
    if (!own.has(pair.cik)) own.set(pair.cik, symbol)
    const key = issuerKey(pair.name ?? '')
    if (key !== '') named.set(key, (named.get(key) ?? new Set()).add(symbol))
  }
  const all = new Map<string, string[]>()
  for (const [symbol, cik] of [...ciks].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const list = all.get(cik)
    if (list) list.push(symbol)
    else all.set(cik, [symbol])
  }
  const index: IssuerIndex = {
    cikOf: symbol => ciks.get(symbol) ?? null,
    symbolOf: cik => own.get(cik) ?? symbols.get(cik) ?? null,
    symbolsOf: cik => all.get(cik) ?? [],
    mappedSymbolOf: cik => own.get(cik) ?? null,
    symbolNamed: key => {
      const symbols = named.get(key)
      return symbols?.size === 1 ? ([...symbols][0] ?? null) : null
    },
    hasInsiderFilings: cik => reported.has(cik),
    datasets: () => [],
    observed: onFiling => observedIndex(index, { own, inMap, filings, laterIssuers }, onFiling),
  }
  return index
}

/** What results of an index depend on: the map's symbols, and the filings of issuers. */
type Evidence = {
  /** The symbol of each issuer of the map. */
  readonly own: ReadonlyMap<string, string>
  readonly inMap: ReadonlySet<string>
  readonly filings: ReadonlyMap<string, FilingOrigin>
  readonly laterIssuers: ReadonlyMap<string, string>
}

function observedIndex(index: IssuerIndex, { own, inMap, filings, laterIssuers }: Evidence, onFiling: (origin: FilingOrigin) => void): IssuerIndex {
  let dependsOnFilings = false
  const note = (cik: string | null): void => {
    dependsOnFilings = true
    for (const each of [cik, cik === null ? undefined : laterIssuers.get(cik)]) {
      const origin = filings.get(each ?? '')
      if (origin !== undefined) onFiling(origin)
    }
  }
  return {
    ...index,
    datasets: () => (dependsOnFilings ? ['insider_filings'] : []),
    cikOf(symbol) {
      const cik = index.cikOf(symbol)
      if (!inMap.has(symbol)) note(cik)
      return cik
    },
    symbolOf(cik) {
      if (!own.has(cik)) note(cik)
      return index.symbolOf(cik)
    },
    // Filings can give an issuer of the map one more symbol; the answer is then made again with its next change of another dataset.
    symbolsOf(cik) {
      const found = index.symbolsOf(cik)
      if (!own.has(cik) || found.some(symbol => !inMap.has(symbol))) note(cik)
      return found
    },
  }
}

/** What filers enter if an issuer has no symbol. `NA` is National Bank's in Toronto only. */
const noSymbol = new Set(['NONE', 'NA', 'N/A', 'NULL', 'N.A.', '-', '0'])
const listed = (text: string): string | null => (noSymbol.has(text.trim().toUpperCase()) ? null : (parseSymbol(text)?.symbol ?? null))
