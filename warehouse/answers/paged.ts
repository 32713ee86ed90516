// The register of stored pages: for each operation that has them, which question is the standard one, and which questions a batch
// of rows changes. The pipeline builds by it, the API serves by it; every other question is answered from the lake.
import type { ScheduleKind } from '#schemas/beneficial-ownership.ts'
import type { DatasetName } from '#schemas/index.ts'
import { parseSymbol } from '#schemas/spelling.ts'
import { spansOf } from '../bars/bars.ts'
import { formsOf } from '../beneficial-ownership/beneficial-ownership.ts'
import { diffFamily } from '../risk-factors/pair.ts'
import type { Ground } from './answer.ts'
import type { LakeOperation } from './index.ts'
import { issuerCik, issuerTickers } from './issuer.ts'
import { analystRecsPage } from './paged/analyst-recs.ts'
import { arbPairPage, arbPairsPage, dualListingsPage } from './paged/cross-border.ts'
import { macroCountriesPage, macroCountryPage } from './paged/macro.ts'
import { themesPage } from './paged/themes.ts'

type Row = Readonly<Record<string, unknown>>
export type ChangedRows = ReadonlyMap<DatasetName, readonly Row[]>
/** A question as it is stored: without `release`, `receipt` and `as_of`, defaults filled in. */
export type PageQuestion = Readonly<Record<string, unknown>>

export type PagedOperation = {
  readonly operation: LakeOperation
  /** The datasets whose rows change its answers; a commit of none of them leaves its pages alone. */
  readonly from: readonly DatasetName[]
  /** True for a question that has a page. */
  readonly standard: (question: PageQuestion, ground: Ground) => boolean
  /** The questions that the rows of a commit change; `ground` stands on the new release. */
  readonly changed: (rows: ChangedRows, ground: Ground) => readonly PageQuestion[]
  /** Keys of datasets that the pages of these questions read, so that they are read once for all of them. */
  readonly parts?: (questions: readonly PageQuestion[], ground: Ground) => { readonly [D in DatasetName]?: readonly string[] }
  /** Most pages that one commit builds at once; above it they are made when first asked. Default 1000: an answer is cheap. */
  readonly atOnce?: number
  /** False where the stored answer is of another subject than the question now means. */
  readonly stands?: (payload: Buffer, question: PageQuestion, ground: Ground) => boolean
}

/** Distinct values of a column over the changed rows of some datasets, in order. */
export function changedValues(rows: ChangedRows, names: readonly DatasetName[], column: string): string[] {
  return distinct(names.flatMap(name => (rows.get(name) ?? []).map(row => String(row[column]))))
}
export const distinct = (texts: readonly string[]): string[] => [...new Set(texts)].sort()

/** The tickers under which issuers with changed rows are asked for. */
export const changedTickers = (rows: ChangedRows, names: readonly DatasetName[], column: string, ground: Ground): string[] =>
  distinct(changedValues(rows, names, column).flatMap(cik => issuerTickers(ground, cik)))

/** True where a question has exactly these members, in the order of the alphabet. */
export const hasOnly = (question: PageQuestion, ...names: readonly string[]): boolean => Object.keys(question).sort().join() === names.join()

/** True where the ticker is spelled as the issuer's pages are: one of the tickers that listings or the SEC's map give it. */
export function isIssuerTicker(ticker: string, ground: Ground): boolean {
  const cik = issuerCik(ground, ticker)
  return cik !== null && issuerTickers(ground, cik).includes(ticker)
}

const symbolPage: PagedOperation = {
  operation: 'get_symbol',
  from: ['symbols'],
  // A CUSIP has no page: what it means hangs on filings.
  standard: (question, ground) =>
    hasOnly(question, 'symbol') &&
    parseSymbol(String(question['symbol']))?.symbol === question['symbol'] &&
    ground.symbols.find(String(question['symbol'])) !== null,
  changed: (rows, ground) =>
    distinct(changedValues(rows, ['symbols'], 'instrument_id').flatMap(id => ground.symbols.history(id).map(each => each.symbol))).map(symbol => ({
      symbol,
    })),
}

const actionsPage: PagedOperation = {
  operation: 'list_corporate_actions',
  from: ['corporate_actions', 'action_verdicts', 'adjustment_factors', 'listing_events'],
  standard: question => hasOnly(question, 'symbol'),
  // An instrument's actions are asked for under every symbol that it wore.
  changed: (rows, ground) =>
    distinct(
      changedValues(rows, ['corporate_actions', 'action_verdicts', 'adjustment_factors', 'listing_events'], 'symbol').flatMap(symbol => [
        symbol,
        ...ground.symbols.spans(ground.symbols.find(symbol)?.instrument_id ?? '').map(span => span.symbol),
      ]),
    ).map(symbol => ({ symbol })),
  parts: (questions, ground) => {
    const symbols = distinct(questions.flatMap(question => spansOf(ground.symbols, String(question['symbol'])).map(span => span.symbol)))
    return { corporate_actions: symbols, action_verdicts: symbols, adjustment_factors: symbols, listing_events: symbols, bars: symbols }
  },
  // The receipt of each names the bars around its ex-dates: more than a few are made when they are asked for.
  atOnce: 25,
  // That nothing is known of a symbol holds until something is loaded.
  stands: (payload, _question, ground) =>
    !payload.subarray(0, 200).includes('"count":0,') ||
    ground.lake.versionOf(['bars', 'corporate_actions', 'listing_events']).release <= releaseOf(payload),
}

const form4Page: PagedOperation = {
  operation: 'get_form4',
  from: ['insider_filings', 'insider_transactions'],
  standard: (question, ground) =>
    hasOnly(question, 'limit', 'ticker') &&
    question['limit'] === 100 &&
    isIssuerTicker(String(question['ticker']), ground) &&
    // Why there is nothing hangs on more than the issuer's own rows: it is said anew each time.
    ground.issuers.hasInsiderFilings(issuerCik(ground, String(question['ticker'])) ?? ''),
  changed: (rows, ground) =>
    changedTickers(rows, ['insider_filings', 'insider_transactions'], 'issuer_cik', ground).map(ticker => ({ ticker, limit: 100 })),
  parts: (questions, ground) => {
    const ciks = distinct(questions.map(question => issuerCik(ground, String(question['ticker']))).filter(cik => cik !== null))
    return { insider_transactions: ciks, insider_filings: ciks }
  },
  stands: (payload, question, ground) => {
    const ticker = String(question['ticker'])
    const start = `{"ticker":${JSON.stringify(ticker)},"cik":${JSON.stringify(issuerCik(ground, ticker))},`
    return payload.toString('utf8', 0, start.length) === start
  },
}

/** What answers about a manager's quarter stand on beside the filings themselves. */
const holdingsGrounds = ['holdings_reports', 'holdings', 'symbols', 'issuer_tickers', 'bars', 'bar_corrections', 'adjustment_factors'] as const
/** The release that a stored answer names behind its rows. */
function releaseOf(payload: Buffer): number {
  const at = payload.lastIndexOf('"release":')
  return at < 0 ? 0 : Number.parseInt(payload.toString('latin1', at + 10, at + 26), 10)
}

/** A manager's newest quarter, and its comparison; a late filing of an older quarter may change what is newest as well. */
const managerPage = (operation: 'get_13f_manager' | 'get_13f_changes', more: PageQuestion, ...names: readonly string[]): PagedOperation => ({
  operation,
  from: ['holdings_reports', 'holdings'],
  standard: question =>
    hasOnly(question, ...names) && question['limit'] === 100 && Object.entries(more).every(([name, value]) => question[name] === value),
  changed: rows => changedValues(rows, ['holdings_reports'], 'manager_cik').map(cik => ({ cik, limit: 100, ...more })),
  // Units are checked against closes and shares counted as after splits, which may come later than the filing.
  stands: (payload, _question, ground) => ground.lake.versionOf(holdingsGrounds).release <= releaseOf(payload),
})
const managersPage: PagedOperation = {
  operation: 'list_13f_managers',
  from: ['holdings_reports'],
  standard: question => hasOnly(question, 'limit') && question['limit'] === 100,
  changed: rows => ((rows.get('holdings_reports') ?? []).length > 0 ? [{ limit: 100 }] : []),
}

/** The last 21 days of one schedule: also what an index lists and nobody has read yet is counted in the answer. */
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

/** True where an answer that begins with symbol and CIK is of the issuer that the symbol means now. */
function isOfIssuer(payload: Buffer, question: PageQuestion, ground: Ground): boolean {
  const symbol = String(question['symbol'])
  const start = `{"symbol":${JSON.stringify(symbol)},"cik":${JSON.stringify(issuerCik(ground, symbol))},`
  return payload.toString('utf8', 0, start.length) === start
}
const factsOfIssuers = (questions: readonly PageQuestion[], ground: Ground): string[] =>
  distinct(questions.map(question => issuerCik(ground, String(question['symbol']))).filter(cik => cik !== null))

const fundamentalsPage: PagedOperation = {
  operation: 'get_fundamentals',
  from: ['company_facts'],
  standard: (question, ground) =>
    hasOnly(question, 'symbol', 'years') && question['years'] === 5 && isIssuerTicker(String(question['symbol']), ground),
  changed: (rows, ground) => changedTickers(rows, ['company_facts'], 'cik', ground).map(symbol => ({ symbol, years: 5 })),
  parts: (questions, ground) => ({ company_facts: factsOfIssuers(questions, ground) }),
  stands: isOfIssuer,
}

const earningsPage: PagedOperation = {
  operation: 'get_earnings',
  from: ['earnings_evidence', 'company_facts', 'filings'],
  standard: (question, ground) =>
    hasOnly(question, 'limit', 'symbol') && question['limit'] === 40 && isIssuerTicker(String(question['symbol']), ground),
  // Of filings only those whose index says that results came out: an index of a day has thousands of others.
  changed: (rows, ground) =>
    distinct([
      ...changedTickers(rows, ['earnings_evidence', 'company_facts'], 'cik', ground),
      ...(rows.get('filings') ?? [])
        .filter(row => (row['items'] as readonly string[]).some(item => item === '2.02' || item === '12'))
        .flatMap(row => issuerTickers(ground, String(row['cik']))),
    ]).map(symbol => ({ symbol, limit: 40 })),
  parts: (questions, ground) => {
    const ciks = factsOfIssuers(questions, ground)
    return { earnings_evidence: ciks, company_facts: ciks, filings: ciks }
  },
  // A day that was named passes: then the page is history, although nothing was filed.
  stands: (payload, question, ground) => {
    const named = /^.{0,200}?"next_report_date":"(\d{4}-\d\d-\d\d)"/.exec(payload.toString('utf8', 0, 400))?.[1]
    const answers = ground.lake.versionOf(['filings', 'earnings_evidence', 'company_facts', 'symbols', 'issuer_tickers']).committed_at
    return isOfIssuer(payload, question, ground) && (named === undefined || named >= answers.slice(0, 10))
  },
}

/** A registration by ticker: its issuer's filings change it, under the tickers that it has and those that they propose. */
const s1Page: PagedOperation = {
  operation: 'get_s1',
  from: ['offerings', 'offering_financials'],
  // A symbol that is only proposed, or a CIK, is looked up among all prospectuses: answered from the lake.
  standard: (question, ground) => {
    const ticker = String(question['ticker'])
    const known = ground.symbols.find(ticker) || ground.issuers.cikOf(ticker) !== null
    return hasOnly(question, 'ticker') && Boolean(known) && isIssuerTicker(ticker, ground)
  },
  changed: (rows, ground) => changedTickers(rows, ['offerings'], 'cik', ground).map(ticker => ({ ticker })),
  stands: (payload, question, ground) => {
    const ticker = String(question['ticker'])
    const cik = issuerCik(ground, ticker)
    const symbol = cik === null ? null : ground.issuers.mappedSymbolOf(cik)
    const head = payload.toString('utf8', 0, 2000)
    // Why there is nothing hangs on more than the issuer's own rows: it is said anew each time.
    return (
      head.startsWith(`{"ticker":${JSON.stringify(ticker)},"symbol":${JSON.stringify(symbol)},"cik":${JSON.stringify(cik)},`) &&
      head.includes('"coverage":{"status":"read"')
    )
  },
  parts: (questions, ground) => {
    const ciks = distinct(questions.map(question => issuerCik(ground, String(question['ticker']))).filter(cik => cik !== null))
    return { offerings: ciks, offering_financials: ciks }
  },
}

/** More filings at once are an index of a year that has passed: its lines are not news about any page. */
const listedAtOnce = 10_000
const diffSources = ['risk_factors', 'report_items', 'filings'] as const
const filingDiffPage: PagedOperation = {
  operation: 'get_filing_diff',
  from: diffSources,
  standard: (question, ground) =>
    hasOnly(question, 'form', 'item', 'limit', 'ticker') &&
    question['item'] === '1A' &&
    question['limit'] === 100 &&
    isIssuerTicker(String(question['ticker']), ground),
  // A filing that is only listed yet changes what an answer warns of.
  changed: (rows, ground) => {
    const told = diffSources.flatMap(name => (name === 'filings' && (rows.get(name)?.length ?? 0) > listedAtOnce ? [] : (rows.get(name) ?? [])))
    const pairs = told.map(row => `${row['cik']} ${diffFamily(String(row['form']))}`)
    return distinct(pairs).flatMap(pair => {
      const [cik = '', form = ''] = pair.split(' ')
      return form === '' ? [] : issuerTickers(ground, cik).map(ticker => ({ ticker, form, item: '1A', limit: 100 }))
    })
  },
  // A chain of twenty years of filings takes about a third of a second: a backfill of hundreds must not wait for them.
  atOnce: 8,
  stands: (payload, question, ground) => {
    const ticker = String(question['ticker'])
    const start = `{"ticker":${JSON.stringify(ticker)},"cik":${JSON.stringify(issuerCik(ground, ticker))},`
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
/** How the pages of an operation are asked and built; undefined where it has none. */
export const pagedOperation = (id: LakeOperation): PagedOperation | undefined => byOperation.get(id)
