// The result of reading a document with the listings that it names, as the body of an answer.
import type { Source } from '#schemas/answer.ts'
import { issuerKey } from '#schemas/issuer-name.ts'
import { type ExchangeCode, parseSymbolOn } from '#schemas/spelling.ts'
import type { ReleaseContext } from '../context/answer.ts'
import type { PrintedIssuer, PrintedSymbol } from './mentions.ts'
import type { ReadPdf } from './read-pdf.ts'

export type FoundIssuer = { readonly symbol: string; readonly name: string; readonly cik: string | null }
export type DocumentAnswer = {
  /** The body, as JSON. */
  readonly body: Buffer
  readonly as_of: string
  readonly release: number | null
  /** The one listed issuer that the document names; null: none, or several. */
  readonly issuer: FoundIssuer | null
}
const directories = ['symbols', 'issuer_tickers'] as const

const exchanges: readonly (readonly [RegExp, ExchangeCode])[] = [
  [/^TSX[\s.-]?V|^TSX\sVenture/i, 'V'],
  [/^TSX$/i, 'TO'],
  [/^(?:NYSE|NASDAQ|AMEX)/i, 'US'],
]
/** The canonical symbol; null for a venue that is not covered, and for a text that no listing there can have. */
function canonicalOf({ venue, ticker }: PrintedSymbol): string | null {
  const exchange = exchanges.find(([pattern]) => pattern.test(venue))?.[1]
  return exchange === undefined ? null : (parseSymbolOn(exchange, ticker)?.symbol ?? null)
}

/** Adds the symbols and issuers of the release. */
export function answerDocument(read: ReadPdf, context: ReleaseContext): DocumentAnswer {
  const symbols = read.symbols.map(({ ticker: _ticker, printed, venue, ...place }, at) => {
    const symbol = canonicalOf(read.symbols[at] as PrintedSymbol)
    const listing = symbol === null ? null : context.symbols.find(symbol)
    return { printed, venue, symbol, known: listing !== null, name: listing?.name ?? null, ...place }
  })
  const issuers = read.issuers.map(issuer => ({ printed: issuer.printed, ...issuerOf(issuer, context), ...placeOf(issuer) }))
  const version = context.lake.versionOf(directories)
  const release = version.release === 0 ? null : version.release
  const sources: Source[] = [{ name: 'the document as sent', accession: null, url: null, retrieved_at: null, sha256: read.sha256 }]
  const head = JSON.stringify({ sha256: read.sha256, bytes: read.bytes })
  const tail = JSON.stringify({ symbols, issuers, as_of: version.committed_at, release, sources })
  // The facts are already JSON, several megabytes for a long document: they are inserted without parsing.
  const body = Buffer.concat([Buffer.from(`${head.slice(0, -1)},`), read.body.subarray(1, -1), Buffer.from(`,${tail.slice(1)}`)])
  const named = new Set(
    [...symbols.filter(each => each.known).map(each => each.symbol), ...issuers.map(each => each.symbol)].filter(each => each !== null),
  )
  return { body, as_of: version.committed_at, release, issuer: oneIssuer([...named], context) }
}
const placeOf = ({ mentions, page, start, end }: PrintedIssuer) => ({ mentions, page, start, end })

function issuerOf(
  { printed, behind }: PrintedIssuer,
  context: ReleaseContext,
): { symbol: string | null; cik: string | null; basis: 'name' | 'symbol' | null } {
  const byName = context.issuers.symbolNamed(issuerKey(printed))
  if (byName !== null) return { symbol: byName, cik: context.issuers.cikOf(byName), basis: 'name' }
  const symbol = behind === null ? null : canonicalOf(behind)
  const listing = symbol === null ? null : context.symbols.find(symbol)
  if (!listing) return { symbol: null, cik: null, basis: null }
  return { symbol: listing.symbol, cik: listing.cik ?? context.issuers.cikOf(listing.symbol), basis: 'symbol' }
}

/** The issuer if all symbols are its lines: the same CIK, or one symbol. */
function oneIssuer(symbols: readonly string[], context: ReleaseContext): FoundIssuer | null {
  const known = symbols.flatMap(symbol => {
    const listing = context.symbols.find(symbol)
    return listing ? [{ symbol, name: listing.name, cik: listing.cik ?? context.issuers.cikOf(symbol) }] : []
  })
  const [first] = known
  if (!first) return null
  return known.every(each => each.symbol === first.symbol || (each.cik !== null && each.cik === first.cik)) ? first : null
}
