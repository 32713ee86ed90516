// Stored pages of registrations: one for each ticker of an issuer.
import { issuerCik } from '../../context/issuer.ts'
import { changedTickers, hasOnly, isIssuerTicker, issuersOf } from './changed.ts'
import type { StoredPage } from './stored-page.ts'

/** A registration by ticker: its issuer's filings change it, under its current and its proposed tickers. */
export const s1Page: StoredPage = {
  from: ['offerings', 'offering_financials'],
  // A symbol that is only proposed, or a CIK, is looked up among all prospectuses: answered from the lake.
  standard: (question, context) => {
    const ticker = String(question['ticker'])
    const known = context.symbols.find(ticker) || context.issuers.cikOf(ticker) !== null
    return hasOnly(question, 'ticker') && Boolean(known) && isIssuerTicker(ticker, context)
  },
  changed: (rows, context) => changedTickers(rows, ['offerings'], 'cik', context).map(ticker => ({ ticker })),
  isCurrent: (payload, question, context) => {
    const ticker = String(question['ticker'])
    const cik = issuerCik(context, ticker)
    const symbol = cik === null ? null : context.issuers.mappedSymbolOf(cik)
    const head = payload.toString('utf8', 0, 2000)
    // The reason of an empty answer depends on more than the issuer's rows: it is evaluated for each request.
    return (
      head.startsWith(`{"ticker":${JSON.stringify(ticker)},"symbol":${JSON.stringify(symbol)},"cik":${JSON.stringify(cik)},`) &&
      head.includes('"coverage":{"status":"read"')
    )
  },
  parts: (questions, context) => {
    const ciks = issuersOf(questions, 'ticker', context)
    return { offerings: ciks, offering_financials: ciks }
  },
}
