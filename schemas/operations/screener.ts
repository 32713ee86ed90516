// Screening: listings by fields that are computed once per release.
import { z } from 'zod'
import { envelope, NextCursor } from '../answer.ts'
import { correctedLines } from '../corrections.ts'
import { CoverageStatus } from '../coverage.ts'
import { Count, IsoDate, Symbol, Text } from '../values.ts'
import { dataQuestion, operation, research } from './operation.ts'
import { cursor, pageLimit, text } from './parameters.ts'

const ScreenerAnswer = z.object({
  count: Count.describe('listings on this page'),
  total: Count.describe('listings that match'),
  universe: Count.describe('listings of the release'),
  session_date: IsoDate.nullable().describe('newest session of any listing'),
  ruleset: Text.describe('the definitions of the fields'),
  coverage: z.object({ status: CoverageStatus, sentence: Text }),
  data: z
    .array(z.object({ code: Symbol, corrected: correctedLines }).catchall(z.union([z.string(), z.number(), z.boolean(), z.null()])))
    .describe('the requested fields, code first; null: an input is missing, never 0'),
  next_cursor: NextCursor,
  ...envelope,
})

const FieldsAnswer = z.object({
  ruleset: Text,
  universe: Count.describe('listings of the release'),
  count: Count,
  fields: z.array(
    z.object({
      name: Text,
      group: Text.describe('in fields=, the name of a group selects all of its fields'),
      type: z.enum(['text', 'number', 'integer', 'date', 'boolean']),
      unit: Text.nullable().describe("currency: the listing's own; report currency: the issuer's statements'"),
      definition: Text,
      datasets: z.array(Text).describe('the datasets it is computed from'),
      eligible_filter: Text.describe('the filter for listings that can have the field'),
      eligible: Count,
      filled: Count.describe('eligible listings that have a value'),
      filled_pct: z.number().nullable(),
      min: z.union([z.number(), z.string()]).nullable(),
      max: z.union([z.number(), z.string()]).nullable(),
      values: z.array(z.string()).nullable().describe('values of a text field with at most 24 different ones'),
      reason: Text.nullable().describe('why eligible listings may have no value'),
    }),
  ),
  ...envelope,
})

const filterDescription =
  "which listings: comparisons (= <> < <= > >=), in (a, b), between a and b, is null, is not null, like 'a%', contains 'a', joined by and, or, not and brackets; a number or day may be compared with another field (close > sma200). Text comparisons ignore case; quote text that has spaces. null matches no comparison"

/** Parameters that agents' tools take. */
const screened = ['filter', 'columns=fields', 'sort', 'limit', 'cursor'] as const

export const screenerOperations = [
  operation('run_screener', 'GET /api/v1/market/screener', {
    tag: 'Screening',
    access: 'public',
    summary: 'Listings that match a filter, in any order',
    description:
      'Every listing with prices, returns, risk, liquidity, dividends, size, fundamentals, valuation, filings and ownership, computed once per release. The fields are described at /api/v1/market/screener/fields; an unknown field is 400 with the nearest names. as_of accepts a day.',
    question: dataQuestion({
      filter: text(filterDescription, 2000, 'market_cap_usd >= 1e9 and pe < 25 and exchange in (TO, US)').optional(),
      fields: text('fields, groups of fields, or all, separated by commas; code always comes first', 4000, 'name,close,market_cap_usd,pe').optional(),
      sort: text('up to four <field>.<direction>, separated by commas; nulls last, ties by code', 300, 'market_cap_usd.desc').optional(),
      limit: pageLimit(100, 1000, 'listings'),
      cursor,
    }),
    answer: ScreenerAnswer,
    rows: 'data',
    data: true,
    served_from: 'lake',
    cache: 'history',
    // A model is built some seconds after its release and creates no release itself.
    repeat_ms: 3_000,
    freshness: 'rebuilt after each release that changed an input; builds take at most a tenth of the time',
    cursor_key: ['text'],
    agents: [
      { endpoint: 'research', tool: 'screener', view: 'run', takes: screened, defaults: { limit: 20 } },
      { endpoint: 'mineral', tool: 'mining_issuers', view: 'screen', takes: screened, defaults: { filter: 'sic between 1000 and 1499', limit: 20 } },
    ],
    example: {
      request:
        '/api/v1/market/screener?filter=exchange+in+(TO,+US)+and+close+%3E+sma200&fields=name,close,return_1y_pct,market_cap_usd,pe&sort=return_1y_pct.desc&limit=5',
    },
  }),
  operation('list_screener_fields', 'GET /api/v1/market/screener/fields', {
    tag: 'Screening',
    access: 'public',
    summary: 'The fields of the screener: definition, inputs, eligible listings and coverage',
    description:
      'Name, type, unit, definition with formula, source datasets, range over the release, the filter for eligible listings and the share of them that have a value, with the reason if it is low.',
    question: dataQuestion({}),
    answer: FieldsAnswer,
    rows: 'fields',
    data: true,
    served_from: 'lake',
    cache: 'history',
    repeat_ms: 3_000,
    freshness: 'as the screener',
    agents: [research('screener', 'fields', [], { fields: ['name', 'group', 'type', 'unit', 'values'] })],
  }),
] as const
