// Corrections of filings by an administrator, as `crossfile correct` makes them. A worker reads and writes the rows.
import { CorrectionIn, CorrectionOut, Corrections, FilingValues } from '../admin-correct.ts'
import { proof, rowLimit, shared } from './admin-parameters.ts'
import { operation, question } from './operation.ts'
import { shaped, text } from './parameters.ts'

const exampleFiling = '0009990001-26-000033'
const filing = shaped(
  'accession number, or filing_id of an answer',
  /^[\w:.-]{1,100}$/,
  'an accession number such as 0009990001-26-000033',
  exampleFiling,
)
const exampleChange = {
  dataset: 'insider_transactions',
  line: '1',
  field: 'price',
  filed: '1250.00',
  value: '12.50',
  undone: false,
  follows: null,
} as const
const exampleEvidence = 'https://www.example.com/statement.pdf'

export const adminCorrectOperations = [
  operation('list_corrections', 'GET /api/v1/admin/corrections', {
    ...shared,
    summary: 'Corrections of filings, newest first',
    description: 'Every correction and withdrawal of one filing, or of all. A worker reads them; 503 if none answers.',
    question: question({
      filing: filing.optional(),
      limit: rowLimit(50),
    }),
    answer: Corrections,
    rows: 'corrections',
    example: {
      request: `/api/v1/admin/corrections?filing=${exampleFiling}`,
      answer: {
        count: 1,
        of: 1,
        corrections: [
          {
            filing: exampleFiling,
            ...exampleChange,
            reason: 'decimal point',
            evidence: exampleEvidence,
            known_from: '2026-11-20T21:05:00Z',
            release: 15,
          },
        ],
      },
    },
  }),
  operation('get_filing_corrections', 'GET /api/v1/admin/corrections/{filing}', {
    ...shared,
    summary: 'The values of a filing that can be corrected',
    description:
      'The datasets that have rows of the filing with their fields, and at most 50 rows with the filed and the present values; dataset and line select rows. 400 if no row of the filing can be corrected. A worker reads them; 503 if none answers.',
    question: question({
      filing,
      dataset: text('one dataset', 64, 'insider_transactions').optional(),
      line: text('one line', 100, '1').optional(),
    }),
    answer: FilingValues,
    rows: 'rows',
    example: {
      request: `/api/v1/admin/corrections/${exampleFiling}?dataset=insider_transactions&line=1`,
      answer: {
        filing: exampleFiling,
        datasets: [{ dataset: 'insider_transactions', rows: 2, first_line: '1', last_line: '2', fields: ['code', 'price', 'shares'] }],
        count: 1,
        of: 1,
        rows: [{ dataset: 'insider_transactions', line: '1', fields: [{ field: 'price', filed: '1250.00', value: '1250.00', corrected: false }] }],
      },
    },
  }),
  operation('correct_filing_value', 'POST /api/v1/admin/corrections', {
    ...shared,
    success: 202,
    summary: 'Corrects one value of a filing, or withdraws a correction',
    description: `The filed value is kept: answers show it with the correction, and an as_of or release before gives it. Values that follow by rule (dollars of a 13F row, the sum of its table, the class of a transaction code) are corrected with it. dry_run shows the changes and writes nothing. ${proof}`,
    body: CorrectionIn,
    answer: CorrectionOut,
    idempotency_key: true,
    example: {
      body: {
        filing: exampleFiling,
        dataset: 'insider_transactions',
        line: '1',
        field: 'price',
        value: '12.50',
        reason: 'decimal point',
        evidence: exampleEvidence,
        dry_run: true,
      },
      answer: { state: 'preview', filing: exampleFiling, release: null, changes: [{ ...exampleChange, before: '1250.00' }] },
    },
  }),
] as const
