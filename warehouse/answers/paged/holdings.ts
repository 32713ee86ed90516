// Stored pages of 13F: the list of managers, and each manager's newest quarter and its comparison.
import { changedValues, hasOnly, releaseOf } from './changed.ts'
import type { PageQuestion, StoredPage } from './stored-page.ts'

/** The inputs of answers about a manager's quarter in addition to the filings. */
const holdingsDatasets = ['holdings_reports', 'holdings', 'symbols', 'issuer_tickers', 'bars', 'bar_corrections', 'adjustment_factors'] as const

/** A manager's newest quarter, and its comparison; a late filing of an older quarter may also change which is newest. */
const managerPage = (more: PageQuestion, ...names: readonly string[]): StoredPage => ({
  from: ['holdings_reports', 'holdings'],
  standard: question =>
    hasOnly(question, ...names) && question['limit'] === 100 && Object.entries(more).every(([name, value]) => question[name] === value),
  changed: rows => changedValues(rows, ['holdings_reports'], 'manager_cik').map(cik => ({ cik, limit: 100, ...more })),
  // A page reads all rows of two quarters, and serves until the next closes arrive. On the last day of a quarter's filings, thousands come.
  atOnce: 25,
  // Units are checked against closes, and shares are adjusted for splits; both may arrive later than the filing.
  isCurrent: (payload, _question, context) => context.lake.versionOf(holdingsDatasets).release <= releaseOf(payload),
})
export const holdingsPage = managerPage({ view: 'effective' }, 'cik', 'limit', 'view')
export const changesPage = managerPage({}, 'cik', 'limit')

export const managersPage: StoredPage = {
  from: ['holdings_reports'],
  standard: question => hasOnly(question, 'limit') && question['limit'] === 100,
  changed: rows => ((rows.get('holdings_reports') ?? []).length > 0 ? [{ limit: 100 }] : []),
}
