// Which issuer a ticker means, and which tickers mean an issuer.
import { NotFound } from '#schemas/errors.ts'
import { interlisted } from '../symbols/interlisted.ts'
import type { Ground } from './answer.ts'

/** The issuer's CIK of a symbol: the listing's, else the SEC's map, else that of the issuer's lines across the border. Null for a known listing without one; throws `NotFound` where nobody knows the symbol. */
export function issuerCik(ground: Ground, ticker: string): string | null {
  const listing = ground.symbols.find(ticker)
  const own = listing
    ? [listing.cik, ...ground.symbols.history(listing.instrument_id).map(each => each.cik), ground.issuers.cikOf(listing.successor ?? ticker)]
    : []
  const cik = own.find(each => each !== null) ?? ground.issuers.cikOf(ticker)
  if (cik !== null && cik !== undefined) return cik
  if (listing) return cikAcross(ground, ticker)
  const near = ground.symbols.nearest(ticker)
  throw new NotFound(`no symbol ${ticker} is known`, { hint: near.length > 0 ? `nearest symbols: ${near.join(', ')}; or ask by cik` : 'ask by cik' })
}

/** The CIK of a Canadian line's issuer by its lines in the United States; null where they name none, or more than one. */
function cikAcross({ symbols, issuers }: Ground, ticker: string): string | null {
  if (!/\.(TO|V)$/.test(ticker)) return null
  const ciks = new Set(
    interlisted(symbols, ticker)
      .map(symbol => symbols.find(symbol)?.cik ?? issuers.cikOf(symbol))
      .filter(each => each !== null),
  )
  return ciks.size === 1 ? ([...ciks][0] as string) : null
}

/** The tickers under which an issuer's Form 4 page stands: every one that the listings or the SEC's map give it, and its lines across the border. */
export function issuerTickers(ground: Ground, cik: string): string[] {
  const named = [...ground.symbols.byCik(cik).map(each => each.symbol), ...ground.issuers.symbolsOf(cik)]
  const across = named.flatMap(symbol => interlisted(ground.symbols, symbol))
  return [...new Set([...named, ...across])].filter(ticker => issuerCik(ground, ticker) === cik).sort()
}
