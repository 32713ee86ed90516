// Sharia screening: verdicts under five standards, one edition in full, and purification.
import { ShariaPurificationAnswer, ShariaScreenAllAnswer, ShariaScreenAnswer, shariaModes, shariaStandards } from '../sharia.ts'
import { dataQuestion, operation, research } from './operation.ts'
import { day, integer, oneOf, shaped, symbol } from './parameters.ts'

const shared = {
  tag: 'Sharia screening',
  access: 'session',
  data: true,
  served_from: 'lake',
  freshness: 'with the filings and at the end of each month',
} as const

export const shariaOperations = [
  operation('get_sharia_screen_all', 'GET /api/v1/sharia/screen-all/{symbol}', {
    ...shared,
    summary: 'Verdict under each of five Sharia standards',
    description:
      'AAOIFI, Dow Jones, FTSE, MSCI and S&P at their current editions, one verdict each and no combined one. Every ratio has its numerator, denominator, limit, margin, clause and source facts. A missing input is unknown, never 0. Research data, not a religious ruling.',
    question: dataQuestion({ symbol: symbol(undefined, 'LNTF') }),
    answer: ShariaScreenAllAnswer,
    rows: 'verdicts',
    agents: [research('sharia', 'all', ['symbol'])],
    example: '/api/v1/sharia/screen-all/LNTF',
  }),
  operation('get_sharia_screen', 'GET /api/v1/sharia/screen/{symbol}', {
    ...shared,
    summary: 'Screen under one Sharia standard, with its history',
    description:
      'One edition of one standard in full: tests, the months of its market value, and every change of the verdict over the last three years. ruleset= selects an older edition. MSCI has limits for entry (the default) and retention; mode=index applies the rules by which an index keeps a status, starting from prior_verdict.',
    question: dataQuestion({
      symbol: symbol(undefined, 'QT'),
      standard: oneOf('the standard, at its current edition', shariaStandards).optional(),
      mode: oneOf('default: point_in_time, for MSCI entry; index needs prior_verdict', shariaModes).optional(),
      ruleset: shaped('one edition', /^[a-z0-9-]{2,30}@[0-9.-]{1,12}$/, 'an edition such as djim@2021-07', 'djim@2021-07', raw =>
        raw.toLowerCase(),
      ).optional(),
      prior_verdict: oneOf('for mode=index: the verdict of the previous evaluation', ['compliant', 'non_compliant'] as const).optional(),
      prior_evaluations: integer('for mode=index: consecutive evaluations before this one on the other side of the limit', 0, 100, {
        example: 1,
      }).optional(),
    }),
    answer: ShariaScreenAnswer,
    rows: 'tests',
    agents: [research('sharia', 'standard', ['symbol', 'standard'])],
    example: '/api/v1/sharia/screen/QT?standard=djim',
  }),
  operation('get_sharia_purification', 'GET /api/v1/sharia/purification/{symbol}', {
    ...shared,
    summary: 'Income to give away, by dividends and by holding',
    description:
      'Two methods, never merged: dividends received times impermissible income divided by total income, and impermissible income per share on the holding at the end of each fiscal year. Dividends are in their currency, with the rate to the currency of the price. A missing input gives null and is listed.',
    question: dataQuestion({
      symbol: symbol(undefined, 'QT'),
      shares: shaped(
        'shares held at the end of the range, a decimal',
        /^(0|[1-9]\d{0,11})(\.\d{1,8})?$/,
        'a decimal number of shares such as 100 or 12.5',
        '100',
      ).default('1'),
      from: day('first ex-date and first end of a fiscal year (default: a year before to)', '2025-11-20').optional(),
      to: day('last day (default: the day of the answer)', '2026-11-19').optional(),
    }),
    answer: ShariaPurificationAnswer,
    rows: null,
    agents: [research('sharia', 'purification', ['symbol', 'shares', 'from', 'to'])],
    example: '/api/v1/sharia/purification/QT?shares=100',
  }),
] as const
