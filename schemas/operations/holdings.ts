// The Developer Data API: Form 13F by manager, by issuer, and a quarter against the one before.
import { z } from 'zod'
import { Amount, envelope, NextCursor, wireFacts } from '../answer.ts'
import { KnownBasis } from '../dataset.ts'
import { holdings, holdingsReports, OtherManager, UnitSource } from '../holdings.ts'
import { Cik, Count, Flag, Instant, IsoDate, Real, Symbol, Text } from '../values.ts'
import { examples } from './examples.ts'
import { dataQuestion, operation } from './operation.ts'
import { cik, cursor, oneOf, pageLimit, quarter, text } from './parameters.ts'

const limit = pageLimit(100, 1000)
const period = quarter('quarter as its last day or by name; default: the newest with a report').optional()
const manager = cik('manager that files the 13F', '0009980001')

const Coverage = z.object({
  status: z
    .enum(['reported', 'notice', 'confidential', 'unreadable', 'no_report', 'no_holder', 'not_read', 'not_13f_security'])
    .meta({ description: 'why there are rows or none: nothing there, and nothing read yet, are two things' }),
  note: Text,
})
const UnitFacts = {
  unit: holdingsReports.facts.shape.unit.meta({ description: 'of the values as filed' }),
  unit_source: UnitSource.nullable().meta({ description: 'what told the unit; price: the closes that we hold' }),
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
    .meta({ description: 'how the filing counts: base is the portfolio, adds comes on top, restates_part replaces only what it names' }),
  reasons: z.array(Text).meta({ description: 'why the role is another than the filing says, e.g. partial_restatement' }),
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
    compared: Count.meta({ description: 'rows with a close of the quarter’s end to compare with' }),
    median_ratio: Real.nullable().meta({ description: 'of value per share over that close, before any correction' }),
    value_unit_corrected: Flag,
  }),
  confidential_omitted: Text.nullable(),
  confidential_denied_or_expired: Text.nullable(),
  url: Text.nullable(),
  known_from: Instant,
  known_basis: KnownBasis,
})
const Match = z
  .object({ method: z.enum(['name', 'name_normalised', 'name_truncated', 'name_of_sec_map']), confidence: Real })
  .nullable()
  .meta({ description: 'how the symbol was found from issuer name and class; null: unmatched, and counted all the same' })
const Totals = z.object({
  holdings_count: Count,
  positions_count: Count.meta({ description: 'securities, options and principal amounts each apart' }),
  value_usd: Amount.nullable().meta({ description: 'of shares and principal amounts; options are apart' }),
  put_value_usd: Amount.nullable(),
  call_value_usd: Amount.nullable(),
  unmatched_count: Count.meta({ description: 'holdings whose issuer no known listing names; they are in every total' }),
  placeholders: Count.meta({ description: 'zero or confidential placeholders, which are no holdings' }),
})
const ManagerAnswer = z.object({
  cik: Cik,
  manager: Text.nullable(),
  quarter: Text,
  period_of_report: IsoDate.nullable(),
  view: z.enum(['effective', 'raw']),
  holdings_count: Count.meta({ description: 'rows that are holdings in this view, on all pages' }),
  totals: Totals,
  coverage: Coverage,
  reports: z.array(PlacedReport).meta({ description: 'every filing of the quarter in the order in which they became known' }),
  other_managers: z.array(OtherManager).meta({ description: 'managers included in these reports, by the number that rows cite' }),
  reported_by: z.array(OtherManager).meta({ description: 'managers that report for this one' }),
  quarters: z.array(Text).meta({ description: 'quarters with a filing of this manager, newest first' }),
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
        value: Amount.nullable().meta({ description: 'as filed' }),
        value_usd: Amount.nullable(),
        unit_source: UnitSource.nullable(),
        symbol: Symbol.nullable(),
        match: Match,
        placeholder: Flag,
      }),
    )
    .meta({ description: 'largest value first (view=raw: in the order of the filings)' }),
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
    .meta({ description: 'no_report_before: the quarter before has no table, so nothing is called new' }),
  coverage: Coverage,
  counts: z.object({ new: Count, added: Count, reduced: Count, sold_out: Count, unchanged: Count }),
  changes: z
    .array(
      z.object({
        change: z.enum(['new', 'added', 'reduced', 'sold_out', 'unchanged']),
        issuer_name: Text.nullable(),
        class_title: Text.nullable(),
        cusip: Text.nullable(),
        cusip_before: Text.nullable().meta({ description: 'where the security got another CUSIP' }),
        put_call: holdings.facts.shape.put_call,
        shares_type: holdings.facts.shape.shares_type,
        symbol: Symbol.nullable(),
        match: Match,
        split_numerator: Amount.meta({ description: 'new shares …' }),
        split_denominator: Amount.meta({ description: '… for so many old ones, between the two quarters’ ends' }),
        ...Side,
        shares_before: Amount.nullable().meta({ description: 'counted as after the splits' }),
        shares_before_filed: Amount.nullable(),
        value_before_usd: Amount.nullable(),
        shares_change: Amount,
        shares_change_pct: Real.nullable(),
      }),
    )
    .meta({ description: 'largest change of value first' }),
  next_cursor: NextCursor,
  ...envelope,
})
const ManagersAnswer = z.object({
  count: Count.meta({ description: 'managers on this page' }),
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
        holdings_count: Count.nullable().meta({
          description: 'of the newest quarter; null where a partial restatement overlaps with what it restates, or nothing is reported',
        }),
        value_usd: Amount.nullable(),
      }),
    )
    .meta({ description: 'by CIK' }),
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
  holders_count: Count.meta({ description: 'managers that hold any of the securities, on all pages' }),
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
      price_usd: Real.nullable().meta({ description: 'close of the quarter’s end, else the median that the holders imply' }),
      price_basis: z.enum(['close', 'median_of_holders']).nullable(),
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
        value: Amount.nullable().meta({ description: 'as filed' }),
        value_usd: Amount.nullable(),
        unit_source: UnitSource.nullable(),
        discretion: Text.nullable(),
        flags: z.array(Text),
        url: Text.nullable(),
        known_from: Instant,
      }),
    )
    .meta({ description: 'one row per line of an effective table, largest value first' }),
  next_cursor: NextCursor,
  ...envelope,
})

export const holdingsOperations = [
  operation({
    id: 'list_13f_managers',
    path: '/api/v1/data/13f/managers',
    tag: 'Developer Data API',
    access: 'key',
    summary: 'Managers with a Form 13F',
    description: 'Every manager that filed a 13F we read, with the quarters it reaches over and its newest one.',
    question: dataQuestion({ q: text('words of the manager’s name, or its CIK', 128, 'ridge').optional(), limit, cursor }),
    answer: ManagersAnswer,
    rows: 'managers',
    data: true,
    served_from: 'page',
    freshness: '30 minutes',
    example: examples.list_13f_managers,
  }),
  operation({
    id: 'get_13f_manager',
    path: '/api/v1/data/13f/manager/{cik}',
    tag: 'Developer Data API',
    access: 'key',
    summary: 'Positions of one manager by Form 13F',
    description:
      'The holdings of a quarter with every column as filed, values in dollars, and how they reconcile with the cover. view=effective: restatements replace, new holdings add, a partial restatement replaces only what it names. view=raw: every row of every filing.',
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
    example: examples.get_13f_manager,
  }),
  operation({
    id: 'get_13f_changes',
    path: '/api/v1/data/13f/manager/{cik}/changes',
    tag: 'Developer Data API',
    access: 'key',
    summary: 'A manager’s quarter against the one before',
    description: 'new, added, reduced, sold_out or unchanged per security, on split-adjusted shares; puts and calls apart.',
    question: dataQuestion({ cik: manager, period, limit, cursor }),
    answer: ChangesAnswer,
    rows: 'changes',
    data: true,
    served_from: 'page',
    freshness: '30 minutes',
    example: examples.get_13f_changes,
  }),
  operation({
    id: 'get_13f_issuer',
    path: '/api/v1/data/13f/issuer/{query}',
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
    example: examples.get_13f_issuer,
  }),
] as const
