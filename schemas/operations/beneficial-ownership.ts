// Schedules 13D and 13G of the last days.
import { z } from 'zod'
import { envelope, NextCursor, wireFacts } from '../answer.ts'
import { FieldEvidence, ownershipPersons, ownershipSchedules } from '../beneficial-ownership.ts'
import { corrected } from '../corrections.ts'
import { KnownBasis } from '../dataset.ts'
import { AccessionNumber, Count, Flag, Instant, IsoDate, Symbol, Text } from '../values.ts'
import { dataQuestion, operation, research } from './operation.ts'
import { cursor, integer, pageLimit, shaped, symbol } from './parameters.ts'

const person = wireFacts(
  ownershipPersons.facts.omit({
    filing_id: true,
    accession: true,
    issuer_key: true,
    issuer_cik: true,
    no_cik: true,
    excludes_shares: true,
    legal_proceedings: true,
    comment: true,
    evidence: true,
  }),
)
const stake = wireFacts(ownershipPersons.facts.pick({ aggregate: true, percent: true }))
const amounts = wireFacts(
  z.object({
    previous_aggregate: ownershipPersons.facts.shape.aggregate,
    previous_percent: ownershipPersons.facts.shape.percent,
    aggregate_change: ownershipPersons.facts.shape.aggregate,
    percent_change: ownershipPersons.facts.shape.percent,
  }),
)

const Change = z
  .object({
    previous_accession: AccessionNumber.nullable(),
    basis: z
      .enum(['previous_accession', 'same_filer'])
      .describe('cited by the filing, or the last filing of the same filer on the same issuer and class'),
    held: Flag.describe('false: the previous filing is not in this release, so there is no comparison'),
    previous_form: Text.nullable(),
    previous_known_from: Instant.nullable(),
    ...amounts,
  })
  .nullable()
  .describe('compared with the previous filing in the chain; null for the first')

const History = z
  .array(z.object({ accession: AccessionNumber.nullable(), form: Text, known_from: Instant, event_date: IsoDate.nullable(), ...stake }))
  .describe('the chain up to this filing, newest first: percent of class over time')

const Hunk = z.object({
  old_start: Count,
  old_end: Count,
  new_start: Count,
  new_end: Count,
  old_text: Text.describe('removed words; at most 600 characters'),
  new_text: Text.describe('added words'),
})
const PurposeChange = z
  .object({
    status: z.enum(['changed', 'unchanged', 'not_restated', 'previous_without_item', 'previous_not_held']),
    hunk_count: Count,
    hunks: z.array(Hunk).describe('the first 40, in reading order; offsets are in the texts of Item 4'),
  })
  .nullable()
  .describe('Item 4 compared word by word with the previous filing; null for the first of a chain')

const common = {
  ticker: Symbol.nullable().describe("of the issuer in the SEC's ticker map, if it has one"),
  ...wireFacts(
    ownershipSchedules.facts.pick({
      issuer_cik: true,
      issuer_name: true,
      cusips: true,
      class_title: true,
      filing_id: true,
      accession: true,
      form: true,
      amendment: true,
      amendment_number: true,
      filed_date: true,
      event_date: true,
      rules: true,
      filer_cik: true,
    }),
  ),
  ...stake,
  percent_printed: Text.nullable().describe('as printed, if it is not a plain number: less than 1'),
  aggregate_of: Text.nullable().describe('the person whose figures these are'),
  reporting_persons: Count,
  persons: z.array(
    z.object({
      ...person,
      evidence: z.array(FieldEvidence).describe('for an HTML or text document: the position of each field, and the confidence of the rule'),
      corrected,
    }),
  ),
}
const tail = {
  change: Change,
  history: History,
  layout: z.enum(['xml', 'html', 'text']),
  recovered: Flag.describe('true: the XML was malformed, and only its unambiguous part was read'),
  flags: z.array(Text),
  url: Text.nullable().describe('the filing on sec.gov'),
  known_from: Instant,
  known_basis: KnownBasis,
  corrected,
}
const Coverage = z.object({
  status: z.enum(['complete', 'partial', 'nothing_listed', 'none_for_this_question', 'no_sec_registrant']),
  listed: Count.describe('filings of the schedule that the indexes list in the window, each once for all of its parties'),
  read: Count.describe('number of these that were read'),
  note: Text,
})
const answerOf = (filing: z.ZodType) =>
  z.object({
    ticker: Symbol.nullable(),
    cusip: Text.nullable(),
    days: Count,
    window_from: Instant,
    window_to: Instant,
    count: Count.describe('filings on this page'),
    tickers: z.array(Symbol).describe('of the issuers on this page, each once'),
    filings: z.array(filing).describe('newest acceptance first; one per accession, however many persons file it together'),
    aggregate_rule: Text.describe('what aggregate and percent of a filing mean'),
    coverage: Coverage.describe('distinguishes a list that is empty because nothing was filed from one that is empty because nothing was read'),
    next_cursor: NextCursor,
    ...envelope,
  })

const ActivistAnswer = answerOf(
  z.object({
    ...common,
    purpose_excerpt: Text.nullable().describe('Item 4, at most 600 characters'),
    purpose_words: Count.nullable(),
    funds_source_excerpt: Text.nullable().describe('Item 3, at most 600 characters'),
    purpose_change: PurposeChange,
    ...tail,
  }),
)
const PassiveAnswer = answerOf(z.object({ ...common, ...tail }))

const parameters = {
  days: integer('days to look back from as_of', 1, 60, { fallback: 21 }).default(21),
  ticker: symbol('symbol of the issuer in any usual spelling', 'BRLX').optional(),
  cusip: shaped('CUSIP of the class, nine characters', /^[0-9A-Z*@#]{9}$/, 'a CUSIP of nine characters', '990001AA1', raw =>
    raw.toUpperCase().replace(/[ -]/g, ''),
  ).optional(),
  limit: pageLimit(100, 500),
  cursor,
}

const schedules = {
  tag: 'Developer Data API',
  access: 'key',
  question: dataQuestion(parameters),
  rows: 'filings',
  data: true,
  served_from: 'page',
  freshness: '30 minutes',
  cursor_key: ['instant', 'text'],
  filer_names: ['issuer_name', 'aggregate_of', 'name'],
} as const

export const beneficialOwnershipOperations = [
  operation('list_activist_13d', 'GET /api/v1/data/activist-13d', {
    ...schedules,
    summary: 'Schedule 13D filings of about the last 21 days',
    description:
      'Holders of more than five percent who may seek influence, by acceptance, under both form names (SC 13D, SCHEDULE 13D) with amendments. Each has its reporting persons, percent of class, Item 4 and the changes since the previous filing. Figures of several persons overlap and are never added up.',
    answer: ActivistAnswer,
    agents: [research('holders', '13d', ['ticker', 'days', 'limit', 'cursor'], { defaults: { limit: 15 } })],
    quoted_members: ['class_title', 'old_text', 'new_text', 'purpose_excerpt', 'funds_source_excerpt'],
    example: '/api/v1/data/activist-13d?limit=1&as_of=2026-11-20T18:00:00Z',
  }),
  operation('list_passive_13g', 'GET /api/v1/data/passive-13g', {
    ...schedules,
    summary: 'Schedule 13G filings of about the last 21 days',
    description:
      'Passive holders of more than five percent, by acceptance, under both form names (SC 13G, SCHEDULE 13G) with amendments. Each has its reporting persons, the rule it is filed under and the changes since the previous filing. Figures of several persons overlap and are never added up.',
    answer: PassiveAnswer,
    agents: [research('holders', '13g', ['ticker', 'days', 'limit', 'cursor'], { defaults: { limit: 15 } })],
    quoted_members: ['class_title'],
    example: '/api/v1/data/passive-13g?limit=1&as_of=2026-11-20T18:00:00Z',
  }),
] as const
