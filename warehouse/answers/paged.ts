// The register of stored pages: for each operation with pages, its standard request, and the requests whose answers a batch of rows
// changes. The pipeline builds pages by it and the API serves by it; every other request is answered from the lake.
import type { ScheduleKind } from '#schemas/beneficial-ownership.ts'
import type { DatasetName } from '#schemas/index.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import type { ReleaseContext } from '../context/answer.ts'
import { issuerCik, issuerTickers } from '../context/issuer.ts'
import { spansOf } from '../datasets/bars/bars.ts'
import { formsOf } from '../datasets/beneficial-ownership/beneficial-ownership.ts'
import { diffFamily } from '../rules/risk-factors/pair.ts'
import type { LakeOperation } from './index.ts'
import { analystRecsPage } from './paged/analyst-recs.ts'
import { arbPairPage, arbPairsPage, dualListingsPage } from './paged/cross-border.ts'
import { macroCountriesPage, macroCountryPage } from './paged/macro.ts'
import type { ChangedRows, PagedOperation, PageQuestion } from './paged/paged-operation.ts'
import { themesPage } from './paged/themes.ts'

export type { ChangedRows, PagedOperation, PageQuestion } from './paged/paged-operation.ts'

/** Distinct values of a column over the changed rows of some datasets, in order. */
function changedValues(rows: ChangedRows, names: readonly DatasetName[], column: string): string[] {
  return distinct(names.flatMap(name => (rows.get(name) ?? []).map(row => String(row[column]))))
}
export const distinct = (texts: readonly string[]): string[] => [...new Set(texts)].sort()

/** The tickers of issuers with changed rows. */
const changedTickers = (rows: ChangedRows, names: readonly DatasetName[], column: string, context: ReleaseContext): string[] =>
  distinct(changedValues(rows, names, column).flatMap(cik => issuerTickers(context, cik)))

/** True if a request has exactly these members, in alphabetical order. */
const hasOnly = (question: PageQuestion, ...names: readonly string[]): boolean => Object.keys(question).sort().join() === names.join()

/** True if the ticker is one of the issuer's page tickers: those that listings or the SEC's map give it. */
function isIssuerTicker(ticker: string, context: ReleaseContext): boolean {
  const cik = issuerCik(context, ticker)
  return cik !== null && issuerTickers(context, cik).includes(ticker)
}

const symbolPage: PagedOperation = {
  operation: 'get_symbol',
  from: ['symbols'],
  // A CUSIP has no page: its meaning depends on filings.
  standard: (question, context) =>
    hasOnly(question, 'symbol') &&
    parseSymbol(String(question['symbol']))?.symbol === question['symbol'] &&
    context.symbols.find(String(question['symbol'])) !== null,
  changed: (rows, context) =>
    distinct(changedValues(rows, ['symbols'], 'instrument_id').flatMap(id => context.symbols.history(id).map(each => each.symbol))).map(symbol => ({
      symbol,
    })),
}

const actionsPage: PagedOperation = {
  operation: 'list_corporate_actions',
  from: ['corporate_actions', 'action_verdicts', 'adjustment_factors', 'listing_events'],
  standard: question => hasOnly(question, 'symbol'),
  // An instrument's actions are requested under every symbol that it had.
  changed: (rows, context) =>
    distinct(
      changedValues(rows, ['corporate_actions', 'action_verdicts', 'adjustment_factors', 'listing_events'], 'symbol').flatMap(symbol => [
        symbol,
        ...context.symbols.spans(context.symbols.find(symbol)?.instrument_id ?? '').map(span => span.symbol),
      ]),
    ).map(symbol => ({ symbol })),
  parts: (questions, context) => {
    const symbols = distinct(questions.flatMap(question => spansOf(context.symbols, String(question['symbol'])).map(span => span.symbol)))
    return { corporate_actions: symbols, action_verdicts: symbols, adjustment_factors: symbols, listing_events: symbols, bars: symbols }
  },
  // Each receipt lists the bars around its ex-dates: if there are more than a few, the page is built on request.
  atOnce: 25,
  // An unknown symbol stays unknown until something is loaded.
  isCurrent: (payload, _question, context) =>
    !payload.subarray(0, 200).includes('"count":0,') ||
    context.lake.versionOf(['bars', 'corporate_actions', 'listing_events']).release <= releaseOf(payload),
}

const form4Page: PagedOperation = {
  operation: 'get_form4',
  from: ['insider_filings', 'insider_transactions'],
  standard: (question, context) =>
    hasOnly(question, 'limit', 'ticker') &&
    question['limit'] === 100 &&
    isIssuerTicker(String(question['ticker']), context) &&
    // Why there is nothing depends on more than the issuer's rows: it is evaluated for each request.
    context.issuers.hasInsiderFilings(issuerCik(context, String(question['ticker'])) ?? ''),
  changed: (rows, context) =>
    changedTickers(rows, ['insider_filings', 'insider_transactions'], 'issuer_cik', context).map(ticker => ({ ticker, limit: 100 })),
  parts: (questions, context) => {
    const ciks = distinct(questions.map(question => issuerCik(context, String(question['ticker']))).filter(cik => cik !== null))
    return { insider_transactions: ciks, insider_filings: ciks }
  },
  isCurrent: (payload, question, context) => {
    const ticker = String(question['ticker'])
    const start = `{"ticker":${JSON.stringify(ticker)},"cik":${JSON.stringify(issuerCik(context, ticker))},`
    return payload.toString('utf8', 0, start.length) === start
  },
}

/** The inputs of answers about a manager's quarter in addition to the filings. */
const holdingsDatasets = ['holdings_reports', 'holdings', 'symbols', 'issuer_tickers', 'bars', 'bar_corrections', 'adjustment_factors'] as const
/** The release that a stored answer names for its rows. */
function releaseOf(payload: Buffer): number {
  const at = payload.lastIndexOf('"release":')
  return at < 0 ? 0 : Number.parseInt(payload.toString('latin1', at + 10, at + 26), 10)
}

/** A manager's newest quarter, and its comparison; a late filing of an older quarter may also change which is newest. */
const managerPage = (operation: 'get_13f_manager' | 'get_13f_changes', more: PageQuestion, ...names: readonly string[]): PagedOperation => ({
  operation,
  from: ['holdings_reports', 'holdings'],
  standard: question =>
    hasOnly(question, ...names) && question['limit'] === 100 && Object.entries(more).every(([name, value]) => question[name] === value),
  changed: rows => changedValues(rows, ['holdings_reports'], 'manager_cik').map(cik => ({ cik, limit: 100, ...more })),
  // Units are checked against closes, and shares are adjusted for splits; both may arrive later than the filing.
  isCurrent: (payload, _question, context) => context.lake.versionOf(holdingsDatasets).release <= releaseOf(payload),
})
const managersPage: PagedOperation = {
  operation: 'list_13f_managers',
  from: ['holdings_reports'],
  standard: question => hasOnly(question, 'limit') && question['limit'] === 100,
  changed: rows => ((rows.get('holdings_reports') ?? []).length > 0 ? [{ limit: 100 }] : []),
}

/** The last 21 days of one schedule: the answer also counts filings that an index lists and that are not read yet. */
const schedulePage = (operation: 'list_activist_13d' | 'list_passive_13g', schedule: ScheduleKind): PagedOperation => ({
  operation,
  from: ['ownership_schedules', 'filings'],
  standard: question => hasOnly(question, 'days', 'limit') && question['days'] === 21 && question['limit'] === 100,
  changed: rows =>
    changedValues(rows, ['ownership_schedules'], 'schedule').includes(schedule) ||
    changedValues(rows, ['filings'], 'form').some(form => formsOf(schedule).includes(form))
      ? [{ days: 21, limit: 100 }]
      : [],
})

/** True if an answer that begins with symbol and CIK is of the issuer that the symbol means now. */
function isOfIssuer(payload: Buffer, question: PageQuestion, context: ReleaseContext): boolean {
  const symbol = String(question['symbol'])
  const start = `{"symbol":${JSON.stringify(symbol)},"cik":${JSON.stringify(issuerCik(context, symbol))},`
  return payload.toString('utf8', 0, start.length) === start
}
const factsOfIssuers = (questions: readonly PageQuestion[], context: ReleaseContext): string[] =>
  distinct(questions.map(question => issuerCik(context, String(question['symbol']))).filter(cik => cik !== null))

const fundamentalsPage: PagedOperation = {
  operation: 'get_fundamentals',
  from: ['company_facts'],
  standard: (question, context) =>
    hasOnly(question, 'symbol', 'years') && question['years'] === 5 && isIssuerTicker(String(question['symbol']), context),
  changed: (rows, context) => changedTickers(rows, ['company_facts'], 'cik', context).map(symbol => ({ symbol, years: 5 })),
  parts: (questions, context) => ({ company_facts: factsOfIssuers(questions, context) }),
  isCurrent: isOfIssuer,
}

const earningsPage: PagedOperation = {
  operation: 'get_earnings',
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
    const ciks = factsOfIssuers(questions, context)
    return { earnings_evidence: ciks, company_facts: ciks, filings: ciks }
  },
  // An announced day passes: then the page changes, although nothing was filed.
  isCurrent: (payload, question, context) => {
    const named = /^.{0,200}?"next_report_date":"(\d{4}-\d\d-\d\d)"/.exec(payload.toString('utf8', 0, 400))?.[1]
    const answers = context.lake.versionOf(['filings', 'earnings_evidence', 'company_facts', 'symbols', 'issuer_tickers']).committed_at
    return isOfIssuer(payload, question, context) && (named === undefined || named >= answers.slice(0, 10))
  },
}

/** A registration by ticker: its issuer's filings change it, under its current and its proposed tickers. */
const s1Page: PagedOperation = {
  operation: 'get_s1',
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
    // Why there is nothing depends on more than the issuer's rows: it is evaluated for each request.
    return (
      head.startsWith(`{"ticker":${JSON.stringify(ticker)},"symbol":${JSON.stringify(symbol)},"cik":${JSON.stringify(cik)},`) &&
      head.includes('"coverage":{"status":"read"')
    )
  },
  parts: (questions, context) => {
    const ciks = distinct(questions.map(question => issuerCik(context, String(question['ticker']))).filter(cik => cik !== null))
    return { offerings: ciks, offering_financials: ciks }
  },
}

/** More filings in one batch are the index of a past year: its lines do not change any page. */
const listedAtOnce = 10_000
const diffSources = ['risk_factors', 'report_items', 'filings'] as const
const filingDiffPage: PagedOperation = {
  operation: 'get_filing_diff',
  from: diffSources,
  standard: (question, context) =>
    hasOnly(question, 'form', 'item', 'limit', 'ticker') &&
    question['item'] === '1A' &&
    question['limit'] === 100 &&
    isIssuerTicker(String(question['ticker']), context),
  // A filing that is listed but not read changes the warnings of an answer.
  changed: (rows, context) => {
    const changedRows = diffSources.flatMap(name =>
      name === 'filings' && (rows.get(name)?.length ?? 0) > listedAtOnce ? [] : (rows.get(name) ?? []),
    )
    const pairs = changedRows.map(row => `${row['cik']} ${diffFamily(String(row['form']))}`)
    return distinct(pairs).flatMap(pair => {
      const [cik = '', form = ''] = pair.split(' ')
      return form === '' ? [] : issuerTickers(context, cik).map(ticker => ({ ticker, form, item: '1A', limit: 100 }))
    })
  },
  // A chain of twenty years of filings takes about a third of a second: a backfill of hundreds must not wait for them.
  atOnce: 8,
  isCurrent: (payload, question, context) => {
    const ticker = String(question['ticker'])
    const start = `{"ticker":${JSON.stringify(ticker)},"cik":${JSON.stringify(issuerCik(context, ticker))},`
    return payload.toString('utf8', 0, start.length) === start
  },
}

export const pagedOperations: readonly PagedOperation[] = [
  analystRecsPage,
  macroCountriesPage,
  macroCountryPage,
  arbPairsPage, // reads what the pages of single pairs are made of too
  arbPairPage,
  dualListingsPage,
  themesPage,
  filingDiffPage,
  s1Page,
  fundamentalsPage,
  earningsPage,
  symbolPage,
  actionsPage,
  form4Page,
  schedulePage('list_activist_13d', '13D'),
  schedulePage('list_passive_13g', '13G'),
  managersPage,
  managerPage('get_13f_manager', { view: 'effective' }, 'cik', 'limit', 'view'),
  managerPage('get_13f_changes', {}, 'cik', 'limit'),
]

const byOperation = new Map(pagedOperations.map(paged => [paged.operation, paged]))
/** How the pages of an operation are requested and built; undefined if it has none. */
export const pagedOperation = (id: LakeOperation): PagedOperation | undefined => byOperation.get(id)
