// Which issuer a ticker means, and which tickers mean an issuer.
import { NotFound } from '#schemas/errors.ts'
import type { Ground } from './answer.ts'

/** The issuer's CIK of a symbol: the listing's, else the SEC's map. Null for a known listing without one; throws `NotFound` where nobody knows the symbol. */
export function issuerCik(ground: Ground, ticker: string): string | null {
  const listing = ground.symbols.find(ticker)
  const own = listing
    ? [listing.cik, ...ground.symbols.history(listing.instrument_id).map(each => each.cik), ground.issuers.cikOf(listing.successor ?? ticker)]
    : []
  const cik = own.find(each => each !== null) ?? ground.issuers.cikOf(ticker)
  if (cik !== null && cik !== undefined) return cik
  if (listing) return null
  const near = ground.symbols.nearest(ticker)
  throw new NotFound(`no symbol ${ticker} is known`, { hint: near.length > 0 ? `nearest symbols: ${near.join(', ')}; or ask by cik` : 'ask by cik' })
}

/** The tickers under which an issuer's Form 4 page stands: every one that the listings or the SEC's map give it. */
export function issuerTickers(ground: Ground, cik: string): string[] {
  const listed = ground.symbols.byCik(cik).map(each => each.symbol)
  return [...new Set([...listed, ...ground.issuers.symbolsOf(cik)])].filter(ticker => issuerCik(ground, ticker) === cik).sort()
}
