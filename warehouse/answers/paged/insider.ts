// Stored pages of insider transactions: one for each ticker of an issuer.
import { issuerCik } from '../../context/issuer.ts'
import { changedTickers, hasOnly, isIssuerTicker, isOfIssuer, issuersOf } from './changed.ts'
import type { StoredPage } from './stored-page.ts'

export const form4Page: StoredPage = {
  from: ['insider_filings', 'insider_transactions'],
  standard: (question, context) =>
    hasOnly(question, 'limit', 'ticker') &&
    question['limit'] === 100 &&
    isIssuerTicker(String(question['ticker']), context) &&
    // The reason of an empty answer depends on more than the issuer's rows: it is evaluated for each request.
    context.issuers.hasInsiderFilings(issuerCik(context, String(question['ticker'])) ?? ''),
  changed: (rows, context) =>
    changedTickers(rows, ['insider_filings', 'insider_transactions'], 'issuer_cik', context).map(ticker => ({ ticker, limit: 100 })),
  parts: (questions, context) => {
    const ciks = issuersOf(questions, 'ticker', context)
    return { insider_transactions: ciks, insider_filings: ciks }
  },
  isCurrent: (payload, question, context) => isOfIssuer(payload, question, 'ticker', context),
}
