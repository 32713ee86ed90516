// The Developer Data API: Form 13F by manager, by issuer, and a quarter compared with the previous one.
import { z } from 'zod'
import { Amount, envelope, NextCursor, wireFacts } from '../answer.ts'
import { corrected, correctedLines } from '../corrections.ts'
import { KnownBasis } from '../dataset.ts'
import { holdings, holdingsReports, OtherManager, UnitSource } from '../holdings.ts'
import { Cik, Count, Flag, Instant, IsoDate, Real, Symbol, Text } from '../values.ts'
import { type AgentUse, dataQuestion, operation, research } from './operation.ts'
import { cik, cursor, oneOf, pageLimit, quarter, text } from './parameters.ts'

const limit = pageLimit(100, 1000)
const period = quarter('quarter as its last day or by name; default: the newest with a report').optional()
const manager = cik('manager that files the 13F', '0009980001')

const Coverage = z.object({
  status: z
    .enum(['reported', 'notice', 'confidential', 'unreadable', 'no_report', 'no_holder', 'not_read', 'not_13f_security'])
    .describe('why there are rows or none: distinguishes no data from data that is not read yet'),
  note: Text,
})
const UnitFacts = {
  unit: holdingsReports.facts.shape.unit.describe('of the values as filed'),
  unit_source: UnitSource.nullable().describe('the evidence for the unit; price: the closes held here'),
}
const PlacedReport = z.object({
  ...wireFacts(
    holdingsReports.facts.pick({
      filing_id: true,
      accession: true,
      form: true,
      filed_date: true,
      report_type: true,
      amendment_number: true,
      amendment_type: true,
    }),
  ),
  role: z
    .enum(['base', 'adds', 'restates_part', 'superseded', 'notice', 'no_table', 'unreadable'])
    .describe('how the filing counts: base is the portfolio, adds is added to it, restates_part replaces only the rows it lists'),
  reasons: z.array(Text).describe('why the role differs from the one stated in the filing, e.g. partial_restatement'),
  ...UnitFacts,
  ...wireFacts(
    holdingsReports.facts.pick({
      table: true,
      rows_read: true,
      rows_refused: true,
      placeholders: true,
      entry_total: true,
      entry_difference: true,
      value_sum: true,
      value_total: true,
      value_difference: true,
      flags: true,
    }),
  ),
  unit_check: z.object({
    compared: Count.describe('rows with a close at the end of the quarter for comparison'),
    median_ratio: Real.nullable().describe('of value per share divided by that close, before any correction'),
    value_unit_corrected: Flag,
  }),
  confidential_omitted: Text.nullable(),
  confidential_denied_or_expired: Text.nullable(),
  url: Text.nullable(),
  known_from: Instant,
  known_basis: KnownBasis,
  corrected,
})
const Match = z
  .object({ method: z.enum(['name', 'name_normalised', 'name_truncated', 'name_of_sec_map']), confidence: Real })
  .nullable()
  .describe('how the symbol was matched from issuer name and class; null: unmatched, but included in the totals')
const Totals = z.object({
  holdings_count: Count,
  positions_count: Count.describe('securities, options and principal amounts, counted separately'),
  value_usd: Amount.nullable().describe('of shares and principal amounts; excludes options'),
  put_value_usd: Amount.nullable(),
  call_value_usd: Amount.nullable(),
  unmatched_count: Count.describe('holdings whose issuer matches no known listing; included in every total'),
  placeholders: Count.describe('zero or confidential placeholders, which are not holdings'),
})
const ManagerAnswer = z.object({
  cik: Cik,
  manager: Text.nullable(),
  quarter: Text,
  period_of_report: IsoDate.nullable(),
  view: z.enum(['effective', 'raw']),
  holdings_count: Count.describe('rows that are holdings in this view, on all pages'),
  totals: Totals,
  coverage: Coverage,
  reports: z.array(PlacedReport).describe('every filing of the quarter, in the order of publication'),
  other_managers: z.array(OtherManager).describe('managers included in these reports, by the number that rows cite'),
  reported_by: z.array(OtherManager).describe('managers that report for this one'),
  quarters: z.array(Text).describe('quarters with a filing of this manager, newest first'),
  holdings: z
    .array(
      z.object({
        ...wireFacts(
          holdings.facts.omit({
            quarter: true,
            manager_cik: true,
            period_of_report: true,
            issuer_key: true,
            placeholder: true,
            value: true,
            value_usd: true,
          }),
        ),
        value: Amount.nullable().describe('as filed'),
        value_usd: Amount.nullable(),
        unit_source: UnitSource.nullable(),
        symbol: Symbol.nullable(),
        match: Match,
        placeholder: Flag,
        corrected,
      }),
    )
    .describe('largest value first (view=raw: in the order of the filings)'),
  next_cursor: NextCursor,
  ...envelope,
})
const Side = { shares: Amount.nullable(), value_usd: Amount.nullable() }
const ChangesAnswer = z.object({
  cik: Cik,
  manager: Text.nullable(),
  quarter: Text,
  quarter_before: Text,
  status: z
    .enum(['compared', 'no_report', 'no_report_before'])
    .describe('no_report_before: the previous quarter has no table, so no position is marked as new'),
  coverage: Coverage,
  counts: z.object({ new: Count, added: Count, reduced: Count, sold_out: Count, unchanged: Count }),
  changes: z
    .array(
      z.object({
        change: z.enum(['new', 'added', 'reduced', 'sold_out', 'unchanged']),
        issuer_name: Text.nullable(),
        class_title: Text.nullable(),
        cusip: Text.nullable(),
        cusip_before: Text.nullable().describe('the previous CUSIP, if it changed'),
        put_call: holdings.facts.shape.put_call,
        shares_type: holdings.facts.shape.shares_type,
        symbol: Symbol.nullable(),
        match: Match,
        split_numerator: Amount.describe('new shares …'),
        split_denominator: Amount.describe('… for so many old ones, between the two quarters’ ends'),
        ...Side,
        shares_before: Amount.nullable().describe('adjusted for the splits'),
        shares_before_filed: Amount.nullable(),
        value_before_usd: Amount.nullable(),
        shares_change: Amount,
        shares_change_pct: Real.nullable(),
        corrected: correctedLines,
      }),
    )
    .describe('largest change of value first'),
  next_cursor: NextCursor,
  ...envelope,
})
const ManagersAnswer = z.object({
  count: Count.describe('managers on this page'),
  managers: z
    .array(
      z.object({
        cik: Cik,
        manager: Text.nullable(),
        filings: Count,
        amendments: Count,
        first_period: IsoDate.nullable(),
        last_period: IsoDate.nullable(),
        last_quarter: Text.nullable(),
        last_filed_date: IsoDate.nullable(),
        last_status: Coverage.shape.status,
        holdings_count: Count.nullable().describe(
          'of the newest quarter; null if a partial restatement overlaps with the restated rows, or nothing is reported',
        ),
        value_usd: Amount.nullable(),
        corrected: correctedLines,
      }),
    )
    .describe('by CIK'),
  next_cursor: NextCursor,
  ...envelope,
})
const IssuerAnswer = z.object({
  query: Text,
  query_kind: z.enum(['cusip', 'symbol', 'cik', 'name']),
  symbol: Symbol.nullable(),
  cik: Cik.nullable(),
  issuer: Text.nullable(),
  quarter: Text,
  coverage: Coverage,
  holders_count: Count.describe('managers that hold any of the securities, on all pages'),
  securities: z.array(
    z.object({
      cusip: Text.nullable(),
      issuer_name: Text.nullable(),
      class_title: Text.nullable(),
      symbol: Symbol.nullable(),
      match: Match,
      holders: Count,
      shares: Amount,
      principal: Amount,
      value_usd: Amount,
      put_shares: Amount,
      put_value_usd: Amount,
      call_shares: Amount,
      call_value_usd: Amount,
      price_usd: Real.nullable().describe('close at the end of the quarter, else the median implied by the holders'),
      price_basis: z.enum(['close', 'median_of_holders']).nullable(),
      price_note: Text.optional().describe('why the stored close is not used; omitted if it is used, or if there is none'),
    }),
  ),
  holders: z
    .array(
      z.object({
        manager_cik: Cik,
        manager: Text.nullable(),
        accession: Text.nullable(),
        filing_id: Text,
        cusip: Text.nullable(),
        class_title: Text.nullable(),
        put_call: holdings.facts.shape.put_call,
        shares_type: holdings.facts.shape.shares_type,
        shares: Amount.nullable(),
        value: Amount.nullable().describe('as filed'),
        value_usd: Amount.nullable(),
        unit_source: UnitSource.nullable(),
        discretion: Text.nullable(),
        flags: z.array(Text),
        url: Text.nullable(),
        known_from: Instant,
        corrected,
      }),
    )
    .describe('one row per line of an effective table, largest value first'),
  next_cursor: NextCursor,
  ...envelope,
})

/** A view of the agents' tool for managers, whose lists are shorter than over HTTP. */
const agentView = (view: string, takes: readonly string[]): AgentUse => ({
  endpoint: 'research',
  tool: 'manager_holdings',
  view,
  takes,
  defaults: { limit: 20 },
})

export const holdingsOperations = [
  operation('list_13f_managers', 'GET /api/v1/data/13f/managers', {
    tag: 'Developer Data API',
    access: 'key',
    summary: 'Managers with a Form 13F',
    description: 'Every manager with a 13F in this service, with its range of quarters and the newest one.',
    question: dataQuestion({ q: text('words of the manager’s name, or its CIK', 128, 'ridge').optional(), limit, cursor }),
    answer: ManagersAnswer,
    rows: 'managers',
    data: true,
    served_from: 'page',
    freshness: '30 minutes',
    cursor_key: ['text'],
    agents: [agentView('managers', ['q', 'limit', 'cursor'])],
    filer_names: ['manager'],
    example: '/api/v1/data/13f/managers?limit=2',
  }),
  operation('get_13f_manager', 'GET /api/v1/data/13f/manager/{cik}', {
    tag: 'Developer Data API',
    access: 'key',
    summary: 'Positions of one manager by Form 13F',
    description:
      'The holdings of a quarter with every column as filed, values in dollars, and their reconciliation with the cover. view=effective: restatements replace, new holdings add, a partial restatement replaces only the rows it lists. view=raw: every row of every filing.',
    question: dataQuestion({
      cik: manager,
      period,
      view: oneOf('which rows', ['effective', 'raw'], 'effective').default('effective'),
      limit,
      cursor,
    }),
    answer: ManagerAnswer,
    rows: 'holdings',
    data: true,
    served_from: 'page',
    freshness: '30 minutes',
    cursor_key: ['count'],
    agents: [agentView('holdings', ['manager=cik', 'period', 'limit', 'cursor'])],
    quoted_members: ['class_title'],
    filer_names: ['manager', 'issuer_name', 'name'],
    example: '/api/v1/data/13f/manager/0009980001?period=2026-06-30&limit=2',
  }),
  operation('get_13f_changes', 'GET /api/v1/data/13f/manager/{cik}/changes', {
    tag: 'Developer Data API',
    access: 'key',
    summary: 'A manager’s quarter compared with the previous one',
    description: 'new, added, reduced, sold_out or unchanged per security, on split-adjusted shares; puts and calls separately.',
    question: dataQuestion({ cik: manager, period, limit, cursor }),
    answer: ChangesAnswer,
    rows: 'changes',
    data: true,
    served_from: 'page',
    freshness: '30 minutes',
    cursor_key: ['count'],
    agents: [agentView('changes', ['manager=cik', 'period', 'limit', 'cursor'])],
    quoted_members: ['class_title'],
    filer_names: ['manager', 'issuer_name'],
    example: '/api/v1/data/13f/manager/0009980001/changes?period=2026-06-30&limit=3',
  }),
  operation('get_13f_issuer', 'GET /api/v1/data/13f/issuer/{query}', {
    tag: 'Developer Data API',
    access: 'key',
    summary: 'Which managers hold an issuer',
    description:
      'Holders of an issuer’s securities in a quarter by name, ticker, CUSIP or CIK: shares, puts and calls of each, by effective filings.',
    question: dataQuestion({ query: text('name, ticker, CUSIP or CIK of the issuer', 100, 'BRLX'), period, limit, cursor }),
    answer: IssuerAnswer,
    rows: 'holders',
    data: true,
    served_from: 'lake',
    freshness: '30 minutes',
    cursor_key: ['count'],
    agents: [research('holders', '13f', ['issuer=query', 'period', 'limit', 'cursor'], { defaults: { limit: 20 } })],
    quoted_members: ['class_title'],
    filer_names: ['manager', 'issuer_name'],
    example: '/api/v1/data/13f/issuer/BRLX?period=2026-06-30&limit=2',
  }),
] as const
