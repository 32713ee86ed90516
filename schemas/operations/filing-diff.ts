// What changed in the risk factors (or another item) between two filings of one issuer.
import { z } from 'zod'
import { envelope, NextCursor } from '../answer.ts'
import { AccessionNumber, Cik, Count, Flag, Int, IsoDate, Real, Sha256, Symbol, Text } from '../values.ts'
import { dataQuestion, operation, research } from './operation.ts'
import { accession, cursor, flag, oneOf, pageLimit, shaped, symbol } from './parameters.ts'

/** Forms of one family are compared with one another: 10-K405 and 10-KT with 10-K, 10-QT with 10-Q. */
const diffForms = ['10-K', '10-Q', '20-F', '40-F', 'S-1', 'F-1', 'S-11', 'F-10'] as const

const DiffFiling = z.object({
  accession: AccessionNumber,
  form: Text,
  filed_date: IsoDate,
  period_of_report: IsoDate.nullable(),
  status: Text.describe('of the section: full, update, no_material_change, not_required …'),
  reason: Text.nullable().describe('the statement in the filing, if it is not the full section'),
  words: Count.nullable().describe('of the section, including its heading'),
  factors: Count.describe('risk factors; for another item, its paragraphs of 40 words or more'),
  text_sha256: Sha256.nullable().describe('of the visible text of the section'),
  url: Text,
})
const Factor = z.object({
  factor_id: Text.nullable().describe(
    'stable across years: assigned when the factor first appears, and inherited by its matches; null for other items than risk factors',
  ),
  rank: Int,
  group: Text.nullable(),
  heading: Text,
  words: Count,
  sha256: Sha256.describe('of heading, line feed, body'),
  source_start: Int.nullable().describe('character offset in the document as filed'),
  source_end: Int.nullable(),
  untrusted_text: Text.optional().describe('with texts=1: heading, line feed, body, to which the offsets of hunks refer'),
})
const Hunk = z.object({
  old_start: Int.describe('character offset in heading, line feed, body of the old factor'),
  old_end: Int,
  new_start: Int,
  new_end: Int,
  old_text: Text,
  new_text: Text,
  truncated: Flag.describe('one of the texts is longer than the quotation'),
})
const Change = z.object({
  class: z.enum(['unchanged', 'modified_minor', 'modified', 'new', 'removed', 'moved', 'numbers_only', 'split', 'merged']),
  similarity: Real.nullable().describe('score of the pair, 0 to 1; for a split or merge, the smallest containment; null without a counterpart'),
  same_text: Flag.describe("equal except for dates, years and the filer's name"),
  moved: Flag,
  old: z.array(Factor),
  new: z.array(Factor),
  rewritten: Text.nullable().describe('factor_id of the rewritten counterpart of a removed or new factor'),
  numbers: z.array(z.object({ old: Text, new: Text })).describe('for numbers_only: each changed number'),
  hunks: z.array(Hunk).describe('the differences in words, in reading order; for a new or removed factor, its beginning'),
  hunks_total: Count,
})
const Sentences = z.object({
  old: Count,
  new: Count,
  unchanged: Count.describe('sentences of the new section that appear anywhere in the old'),
  added: Count,
  removed: Count.describe('sentences of the old section that appear nowhere in the new'),
  unchanged_ratio: Real.nullable().describe('unchanged / new'),
  added_ratio: Real.nullable().describe('added / new'),
  removed_ratio: Real.nullable().describe('removed / old'),
})
const Metrics = z.object({
  old_words: Count,
  new_words: Count,
  cosine: Real.describe('of the word counts of the two sections, 0 to 1'),
  share_new: Real.describe('words of new factors / words of all factors of the new section'),
  share_removed: Real.describe('words of removed factors / words of all factors of the old section'),
  reading_order_change: Real.describe('share of the paired factors whose order changed'),
  sentences: Sentences,
})
const Summary = z.object({
  unchanged: Count,
  modified_minor: Count,
  modified: Count,
  rewritten: Count.describe('pairs; each is also counted as one removed and one new'),
  new: Count,
  removed: Count,
  moved: Count,
  numbers_only: Count,
  split: Count,
  merged: Count,
})
const FilingDiffAnswer = z.object({
  ticker: Symbol,
  cik: Cik.nullable(),
  form: Text,
  item: Text,
  coverage: z.object({
    status: z.enum(['compared', 'no_update', 'not_required', 'one_filing', 'no_filing', 'not_read', 'not_covered']),
    detail: Text.describe('one sentence that explains the result'),
  }),
  no_update: Flag.describe('the newer filing states that nothing material changed; nothing was removed'),
  old: DiffFiling.nullable(),
  new: DiffFiling.nullable(),
  summary: Summary.nullable(),
  metrics: Metrics.nullable(),
  ruleset: Text,
  thresholds: z.record(z.string(), z.number()).describe('of the ruleset, such as the minimum score of an unchanged pair'),
  warnings: z.array(Text),
  count: Count.describe('changes on this page'),
  changes: z.array(Change).describe('every factor of both filings once, in the reading order of the newer one'),
  next_cursor: NextCursor,
  ...envelope,
})

export const filingDiffOperations = [
  operation('get_filing_diff', 'GET /api/v1/data/filing-diff/{ticker}', {
    tag: 'Developer Data API',
    access: 'key',
    summary: 'New, removed and modified risk factors between two filings',
    description:
      'Compares the two latest filings of a form family, or those given by old and new, factor by factor, with word-level differences, the thresholds applied and ids that are stable across years. A filing whose section cannot be found is an error and is never reported as unchanged.',
    question: dataQuestion({
      ticker: symbol('symbol of the issuer in any usual spelling', 'BRLX'),
      form: oneOf('form family; amendments count if they restate the section', diffForms, '10-K').default('10-K'),
      item: shaped(
        'item number; 1A means the risk factors of any form',
        /^(?:[1-9]\d?[A-K]?|[1-9]\d?\.[A-K0-9]{1,2})$/,
        'an item number such as 1A, 7 or 3.D',
        '1A',
        raw => raw.toUpperCase(),
      ).default('1A'),
      old: accession('the older filing (default: the one before the newer)').optional(),
      new: accession('the newer filing (default: the latest)').optional(),
      texts: flag('1: add the whole text of each factor').optional(),
      limit: pageLimit(100, 200, 'changes'),
      cursor,
    }),
    answer: FilingDiffAnswer,
    rows: 'changes',
    data: true,
    served_from: 'page',
    freshness: '30 minutes',
    cursor_key: ['count'],
    agents: [research('risk_changes', 'changes', ['ticker', 'form', 'item', 'old', 'new', 'limit', 'cursor'], { defaults: { limit: 20 } })],
    quoted_members: ['heading', 'group', 'reason', 'old_text', 'new_text'],
    example: '/api/v1/data/filing-diff/BRLX?form=10-K',
  }),
] as const
