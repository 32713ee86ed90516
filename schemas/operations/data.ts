// The Developer Data API: filings, Form 4, catalogue, key health.
import { z } from 'zod'
import { envelope, NextCursor, wireFacts } from '../answer.ts'
import { Coverage } from '../coverage.ts'
import { KnownBasis } from '../dataset.ts'
import { filings } from '../filings.ts'
import { insiderFilings, insiderTransactions } from '../insider.ts'
import { Cik, Count, Flag, Instant, IsoDate, Symbol, Text } from '../values.ts'
import { examples } from './examples.ts'
import { dataQuestion, operation, scopes } from './operation.ts'
import { accession, cik, cursor, day, oneOf, pageLimit, shaped, symbol, text } from './parameters.ts'

const limit = pageLimit(100, 1000)
const known = { known_from: Instant, known_basis: KnownBasis }
const DocumentLink = Text.nullable().meta({ description: 'the primary document on sec.gov' })
const IndexLink = Text.meta({ description: 'the page on sec.gov that lists the documents of the filing; url is its full text' })
const FormTitle = Text.nullable().meta({ description: 'what the form type is called; null for rare types' })

const FilingsAnswer = z.object({
  count: Count.meta({ description: 'filings on this page' }),
  filings: z
    .array(
      z.object({
        ...wireFacts(filings.facts.omit({ act: true, film_number: true, documents: true })),
        form_title: FormTitle,
        symbol: Symbol.nullable().meta({ description: 'of the entity at the time of the answer, where we know one' }),
        index_url: IndexLink,
        document_url: DocumentLink,
        ...known,
      }),
    )
    .meta({ description: 'newest first: filed_date, then accession' }),
  next_cursor: NextCursor,
  ...envelope,
})
const FilingAnswer = z.object({
  ...wireFacts(filings.facts.omit({ cik: true, role: true, company: true, file_number: true, film_number: true, documents: true })),
  form_title: FormTitle,
  index_url: IndexLink,
  document_url: DocumentLink,
  entities: z.array(
    z.object({
      ...wireFacts(filings.facts.pick({ cik: true, role: true, company: true, file_number: true, film_number: true })),
      symbol: Symbol.nullable(),
    }),
  ),
  ...known,
  ...envelope,
})
const Owner = z.object({
  cik: Cik.nullable(),
  name: Text.nullable(),
  director: Flag,
  officer: Flag,
  ten_percent_owner: Flag,
  other: Flag,
  officer_title: Text.nullable(),
})
const Form4Answer = z.object({
  ticker: Symbol.nullable(),
  cik: Cik.nullable().meta({ description: 'of the issuer, where one was asked for' }),
  since: IsoDate.nullable(),
  count: Count.meta({ description: 'transactions on this page' }),
  transactions: z
    .array(
      z.object({
        ...wireFacts(insiderTransactions.facts),
        ...wireFacts(insiderFilings.facts.pick({ period_of_report: true, filed_date: true, plan_10b5_1: true, plan_adopted_date: true })),
        owners: z.array(Owner).meta({ description: 'a joint filing is one transaction with n owners' }),
        amends: Text.nullable().meta({ description: 'filing_id of the filing that this amendment restates, where we could link it' }),
        amended_by: Text.nullable().meta({ description: 'filing_id of the amendment that restates this line; the line stays' }),
        url: Text.nullable().meta({ description: 'the filing on sec.gov' }),
        ...known,
      }),
    )
    .meta({ description: 'newest first: known_from, then filing_id and line. Null is not zero: a price that only a footnote gives is null' }),
  coverage: Coverage.nullable().meta({
    description: 'how far the answer reaches, and why it is empty where it is; null for a question that names no issuer and no owner',
  }),
  coverage_note: Text.optional().meta({ description: 'why the list is empty by law, where it is: Canadian issuers report insiders on SEDI' }),
  next_cursor: NextCursor,
  stale: z.boolean().optional().meta({
    description:
      'true where the filings source could not be asked in time and the answer is that of the last release; such an answer carries a receipt only with receipt=1',
  }),
  freshness: Text.optional().meta({ description: 'with stale: why, and of which release the answer is' }),
  ...envelope,
})
const Column = z.object({ name: Text, type: Text, description: Text.nullable() })
const CatalogAnswer = z.object({
  count: Count.meta({ description: 'operations listed' }),
  operations: z.array(
    z.object({
      operation: Text,
      method: Text,
      path: Text,
      tag: Text,
      access: z.enum(['public', 'session', 'key', 'user', 'admin']),
      summary: Text,
      parameters: z.array(Text),
      rows: Text.nullable(),
      formats: z.array(Text),
      limit_class: Text,
      cost: Count,
      freshness: Text,
      example: Text,
      docs: Text,
    }),
  ),
  datasets: z.array(
    z.object({
      name: Text,
      title: Text,
      description: Text,
      key: z.array(Text),
      order: z.array(Text),
      freshness: Text,
      licence: Text,
      columns: z.array(Column),
    }),
  ),
  ...envelope,
})
const DataHealthAnswer = z.object({
  status: z.literal('ok'),
  key: z.object({
    id: Text,
    name: Text,
    last4: Text.meta({ description: 'last four characters of the key' }),
    tier: Text,
    scopes: z.array(z.enum(scopes)).meta({ description: 'permissions of this request: a key in the query has data:read at most' }),
    sent_as: z.enum(['bearer', 'x-api-key', 'query']),
    created_at: Instant,
    expires_at: Instant.nullable(),
  }),
  limits: z.array(
    z.object({
      limit_class: Text,
      limit: Count,
      window_seconds: Count,
      burst: Count,
      daily: Count.nullable(),
      remaining: Count.meta({ description: 'units that would pass at once now' }),
    }),
  ),
  ...envelope,
})

export const dataOperations = [
  operation({
    id: 'search_filings',
    path: '/api/v1/data/filings/search',
    tag: 'Developer Data API',
    access: 'key',
    summary: 'Filings by ticker, form, day or words',
    description:
      'Index metadata of SEC filings of every form with accession number and deep links, newest first. form is one type or a list (10-K,10-Q), taken exactly: 10-K does not find 10-K/A; a star takes every type that begins so (10-K*). With amendments a type means the form and its amendments together: include takes both, exclude the originals, only the amendments. q finds filings by whole words: of company, form, its title and the main document description, or of one heading inside the filing (items of reports); every word must be there. A day range may be open on either side.',
    question: dataQuestion({
      ticker: symbol('symbol of the filer in any usual spelling').optional(),
      cik: cik('filer or other entity of the filing').optional(),
      form: text(
        'form types, exact, separated by commas; a star at the end takes what begins so: 10-K, 10-K*, SC 13D,SCHEDULE 13D',
        200,
        '4',
      ).optional(),
      amendments: oneOf('whether form means originals, amendments or both; left out: the types exactly as given', [
        'include',
        'exclude',
        'only',
      ]).optional(),
      from: day('first filed day').optional(),
      to: day('last filed day', '2024-12-31').optional(),
      items: shaped(
        'item numbers of a current report, separated by commas: filings that have any of them',
        /^\d{1,2}(?:\.\d{2})?(?:,\d{1,2}(?:\.\d{2})?){0,19}$/,
        'item numbers such as 2.02 or 1.01,5.02',
        '2.02',
      ).optional(),
      q: text('words of company, form, description or headings; all must be there', 128, 'annual report').optional(),
      limit,
      cursor,
    }),
    answer: FilingsAnswer,
    rows: 'filings',
    data: true,
    served_from: 'lake',
    freshness: '30 minutes',
    example: examples.search_filings,
  }),
  operation({
    id: 'get_filing',
    path: '/api/v1/data/filings/{accession}',
    tag: 'Developer Data API',
    access: 'key',
    summary: 'One filing by accession number',
    description: 'Index metadata of one filing and every entity named in it.',
    question: dataQuestion({ accession: accession('accession number, with or without dashes') }),
    answer: FilingAnswer,
    rows: 'entities',
    data: true,
    served_from: 'page',
    freshness: '30 minutes',
    example: examples.get_filing,
  }),
  operation({
    id: 'get_form4',
    path: '/api/v1/data/form4',
    tag: 'Developer Data API',
    access: 'key',
    summary: 'Insider transactions of Forms 3, 4 and 5',
    description:
      'Transaction lines of tables I and II as filed, digits kept, newest first. Give ticker or cik of the issuer, or owner. A request for one issuer asks the filings source for what is new, at most once a minute, and waits up to 8 seconds for it; an answer that could not wait says stale. An empty list says in coverage why it is empty.',
    question: dataQuestion({
      ticker: symbol('symbol of the issuer in any usual spelling', 'BRLX').optional(),
      cik: cik('issuer').optional(),
      owner: cik('reporting owner', '0009950003').optional(),
      since: day('transactions filed on or after this day').optional(),
      limit,
      cursor,
    }),
    answer: Form4Answer,
    rows: 'transactions',
    data: true,
    served_from: 'page',
    repeat_ms: 60_000,
    freshness: '10 minutes',
    example: examples.get_form4,
  }),
  operation({
    id: 'get_catalog',
    path: '/api/v1/data/catalog',
    tag: 'Developer Data API',
    access: 'key',
    summary: 'Index of operations and datasets',
    description: 'Every operation with its parameters, cost and formats, and every dataset with its columns: what this page says, for machines.',
    question: dataQuestion({}),
    answer: CatalogAnswer,
    rows: 'operations',
    data: true,
    served_from: 'page',
    freshness: 'with the service',
    example: examples.get_catalog,
  }),
  operation({
    id: 'get_data_health',
    path: '/api/v1/data/health',
    tag: 'Developer Data API',
    access: 'key',
    summary: 'Your key: tier, permissions, limits',
    description: 'Echoes what the key may do and how much of each limit is left. Never the key itself.',
    question: dataQuestion({}),
    answer: DataHealthAnswer,
    rows: 'limits',
    data: true,
    served_from: 'pg',
    cache: 'live',
    freshness: 'immediate',
    example: examples.get_data_health,
  }),
] as const
