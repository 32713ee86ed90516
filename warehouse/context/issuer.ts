// The issuer of a ticker, and the tickers of an issuer.
import { NotFound } from '#schemas/errors.ts'
import { interlisted } from '../datasets/symbols/interlisted.ts'
import type { ReleaseContext } from './answer.ts'

/**
 * The issuer's CIK of a symbol: the listing's, else the SEC's map, else that of the issuer's lines across the border. Null for a listing
 * without one, and for a symbol with stored bars only; throws `NotFound` if neither a directory nor a bar has the symbol.
 */
export function issuerCik(context: ReleaseContext, ticker: string): string | null {
  const listing = context.symbols.find(ticker)
  const listed = listing && [listing, ...context.symbols.history(listing.instrument_id)].map(each => each.cik).find(each => each !== null)
  // The index is used only if no directory states the issuer: what it returns decides the datasets and the documents of an answer.
  const cik = listed ?? (listing?.successor ? context.issuers.cikOf(listing.successor) : null) ?? context.issuers.cikOf(ticker)
  if (cik !== null) return cik
  if (listing) return cikAcross(context, ticker)
  if (context.unlisted?.has(ticker)) return null
  const near = context.symbols.nearest(ticker)
  throw new NotFound(`no symbol ${ticker} is known`, { hint: near.length > 0 ? `nearest symbols: ${near.join(', ')}; or ask by cik` : 'ask by cik' })
}

/** The CIK of a Canadian line's issuer by its lines in the United States; null if they name none, or more than one. */
function cikAcross({ symbols, issuers }: ReleaseContext, ticker: string): string | null {
  if (!/\.(TO|V)$/.test(ticker)) return null
  const ciks = new Set(
    interlisted(symbols, ticker)
      .map(symbol => symbols.find(symbol)?.cik ?? issuers.cikOf(symbol))
      .filter(each => each !== null),
  )
  return ciks.size === 1 ? ([...ciks][0] as string) : null
}

/** The tickers of an issuer's Form 4 page: every one that the listings or the SEC's map give it, and its lines across the border. */
export function issuerTickers(context: ReleaseContext, cik: string): string[] {
  const named = [...context.symbols.byCik(cik).map(each => each.symbol), ...context.issuers.symbolsOf(cik)]
  const across = named.flatMap(symbol => interlisted(context.symbols, symbol))
  return [...new Set([...named, ...across])].filter(ticker => issuerCik(context, ticker) === cik).sort()
}
