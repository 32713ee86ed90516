// Clusters of insider trades, and what the price did after each.
import { z } from 'zod'
import { Amount, envelope, NextCursor } from '../answer.ts'
import { AccessionNumber, Cik, Count, Flag, Instant, IsoDate, Real, Symbol, Text } from '../values.ts'
import { dataQuestion, operation } from './operation.ts'
import { cik, cursor, day, integer, oneOf, pageLimit, symbol } from './parameters.ts'

const sides = ['buy', 'sell'] as const
const roles = ['any', 'officers_and_directors', 'officers', 'directors', 'ten_percent_owners'] as const
const plans = ['exclude', 'include', 'only'] as const

const Cluster = z.object({
  issuer_cik: Cik,
  issuer_name: Text.nullable(),
  symbol: Symbol.nullable().describe('listing whose prices are used; null: none is known'),
  first_date: IsoDate.nullable().describe('day of the first trade of the cluster'),
  last_date: IsoDate.nullable().describe('day of its last trade'),
  people: Count,
  owners: z.array(
    z.object({
      cik: Cik.nullable(),
      name: Text.nullable(),
      director: Flag,
      officer: Flag,
      ten_percent_owner: Flag,
      officer_title: Text.nullable(),
    }),
  ),
  trades: Count,
  shares: Amount.nullable().describe('shares of all trades together; null if no trade gives them'),
  amount: Amount.nullable().describe('dollars of the trades with a price; null if none has one'),
  trades_without_price: Count,
  accessions: z.array(AccessionNumber),
  known_from: Instant.describe('acceptance of the filing with which the cluster had enough people'),
  entry_date: IsoDate.nullable().describe('first session after the day of known_from in New York; null: no such close is held'),
  entry_close: Real.nullable(),
  since: z
    .array(z.object({ sessions: Count, date: IsoDate.nullable(), return_pct: Real.nullable() }))
    .describe('adjusted close against that of entry_date, in percent; null: so many sessions have not passed'),
  latest: z.object({ sessions: Count, date: IsoDate, return_pct: Real }).nullable(),
})
const ClustersAnswer = z.object({
  ticker: Symbol.nullable(),
  cik: Cik.nullable(),
  from: IsoDate,
  to: IsoDate,
  definition: z.object({
    side: z.enum(sides),
    people: Count,
    days: Count,
    roles: z.enum(roles),
    plans: z.enum(plans),
    amount: Count,
    sentence: Text,
  }),
  total: Count.describe('clusters of the period, on all pages'),
  trades_considered: Count.describe('transaction lines that the definition admits'),
  count: Count,
  clusters: z.array(Cluster).describe('every cluster of the period, newest known first: none is left out for its outcome'),
  outcomes: z
    .array(
      z.object({
        sessions: Count,
        measured: Count,
        up: Count,
        down: Count,
        not_yet: Count.describe('clusters whose horizon has not passed, or without prices'),
        median_pct: Real.nullable(),
        lowest_pct: Real.nullable(),
        highest_pct: Real.nullable(),
      }),
    )
    .describe('over the clusters of this page'),
  next_cursor: NextCursor,
  ...envelope,
})

export const insiderClusterOperations = [
  operation('list_insider_clusters', 'GET /api/v1/data/form4/clusters', {
    tag: 'Developer Data API',
    access: 'key',
    curated: false,
    summary: 'Clusters of insider trades, and what happened since',
    description:
      'Several insiders of one issuer on the same side of the open market within a few days, by a definition of people, days, amount, roles and plans, with the adjusted price 5, 21, 63, 126 and 252 sessions after each cluster was known. Every cluster of the period is listed, whatever happened since. A past return states nothing about the next one.',
    question: dataQuestion({
      ticker: symbol('only this issuer, by a symbol in any usual spelling', 'BRLX').optional(),
      cik: cik('only this issuer').optional(),
      from: day('first day of trades; default: a year before to').optional(),
      to: day('last day of trades; default: the day of the request', '2026-11-20').optional(),
      side: oneOf('purchases or sales', sides, 'buy').default('buy'),
      people: integer('different people, at least', 2, 20, { fallback: 3 }).default(3),
      days: integer('calendar days of a cluster, at most', 1, 90, { fallback: 14 }).default(14),
      amount: integer('dollars of all trades together, at least', 0, 1_000_000_000, { fallback: 0 }).default(0),
      roles: oneOf('whose trades count', roles, 'any').default('any'),
      plans: oneOf('trades under a Rule 10b5-1 plan', plans, 'exclude').default('exclude'),
      limit: pageLimit(50, 200, 'clusters'),
      cursor,
    }),
    answer: ClustersAnswer,
    rows: 'clusters',
    data: true,
    served_from: 'lake',
    freshness: '10 minutes',
    cost: 5,
    cursor_key: ['count'],
    filer_names: ['issuer_name', 'name'],
    example: '/api/v1/data/form4/clusters?people=2&days=30&from=2026-01-01&to=2026-11-20&limit=1',
  }),
] as const
