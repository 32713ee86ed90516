// Stored pages of statements and of reported results: one for each symbol of an issuer.
import { issuerTickers } from '../../context/issuer.ts'
import { changedTickers, distinct, hasOnly, isIssuerTicker, isOfIssuer, issuersOf } from './changed.ts'
import type { StoredPage } from './stored-page.ts'

export const fundamentalsPage: StoredPage = {
  from: ['company_facts'],
  standard: (question, context) =>
    hasOnly(question, 'symbol', 'years') && question['years'] === 5 && isIssuerTicker(String(question['symbol']), context),
  changed: (rows, context) => changedTickers(rows, ['company_facts'], 'cik', context).map(symbol => ({ symbol, years: 5 })),
  parts: (questions, context) => ({ company_facts: issuersOf(questions, 'symbol', context) }),
  isCurrent: (payload, question, context) => isOfIssuer(payload, question, 'symbol', context),
}

export const earningsPage: StoredPage = {
  from: ['earnings_evidence', 'company_facts', 'filings'],
  standard: (question, context) =>
    hasOnly(question, 'limit', 'symbol') && question['limit'] === 40 && isIssuerTicker(String(question['symbol']), context),
  // Only filings whose index lists a release of results: a day's index has thousands of others.
  changed: (rows, context) =>
    distinct([
      ...changedTickers(rows, ['earnings_evidence', 'company_facts'], 'cik', context),
      ...(rows.get('filings') ?? [])
        .filter(row => (row['items'] as readonly string[]).some(item => item === '2.02' || item === '12'))
        .flatMap(row => issuerTickers(context, String(row['cik']))),
    ]).map(symbol => ({ symbol, limit: 40 })),
  parts: (questions, context) => {
    const ciks = issuersOf(questions, 'symbol', context)
    return { earnings_evidence: ciks, company_facts: ciks, filings: ciks }
  },
  // When an announced day passes, the page changes although nothing was filed.
  isCurrent: (payload, question, context) => {
    const named = /^.{0,200}?"next_report_date":"(\d{4}-\d\d-\d\d)"/.exec(payload.toString('utf8', 0, 400))?.[1]
    const answers = context.lake.versionOf(['filings', 'earnings_evidence', 'company_facts', 'symbols', 'issuer_tickers']).committed_at
    return isOfIssuer(payload, question, 'symbol', context) && (named === undefined || named >= answers.slice(0, 10))
  },
}
