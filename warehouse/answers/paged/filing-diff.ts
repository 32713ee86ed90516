// Stored pages of changed risk factors: one for each ticker and form of an issuer.
import { issuerTickers } from '../../context/issuer.ts'
import { diffFamily } from '../../rules/risk-factors/pair.ts'
import { distinct, hasOnly, isIssuerTicker, isOfIssuer } from './changed.ts'
import type { StoredPage } from './stored-page.ts'

/** More filings in one batch are the index of a past year: its lines do not change any page. */
const listedAtOnce = 10_000
const diffSources = ['risk_factors', 'report_items', 'filings'] as const
export const filingDiffPage: StoredPage = {
  from: diffSources,
  standard: (question, context) =>
    hasOnly(question, 'form', 'item', 'limit', 'ticker') &&
    question['item'] === '1A' &&
    question['limit'] === 100 &&
    isIssuerTicker(String(question['ticker']), context),
  // A filing that is listed but not read changes the warnings of an answer.
  changed: (rows, context) => {
    const listed = diffSources.flatMap(name => (name === 'filings' && (rows.get(name)?.length ?? 0) > listedAtOnce ? [] : (rows.get(name) ?? [])))
    const pairs = listed.map(row => `${row['cik']} ${diffFamily(String(row['form']))}`)
    return distinct(pairs).flatMap(pair => {
      const [cik = '', form = ''] = pair.split(' ')
      return form === '' ? [] : issuerTickers(context, cik).map(ticker => ({ ticker, form, item: '1A', limit: 100 }))
    })
  },
  // A chain of twenty years of filings takes about a third of a second: a backfill of hundreds must not wait for them.
  atOnce: 8,
  isCurrent: (payload, question, context) => isOfIssuer(payload, question, 'ticker', context),
}
