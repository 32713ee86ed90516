// PDF documents and annotations: a posted document is read in the request; the worker reads reports of the inbox.
import { AnnotationAnswer, AnnotationRequest } from '../annotations.ts'
import {
  maxPdfBytes,
  maxPdfPages,
  ParsedDocument,
  ParseForm,
  ProcessReportRequest,
  ProcessReportResponse,
  ReportTask,
  RoyaltyAnswer,
  RoyaltyRequest,
} from '../documents.ts'
import { mineral, operation, question } from './operation.ts'
import { shaped } from './parameters.ts'

const shared = { tag: 'Documents', curated: false, cache: 'live' } as const
const task_id = shaped('id of the report', /^rep_[\w-]{1,60}$/, 'an id as POST /api/v1/reports/process gives it', 'rep_k3J0q2mXv1Zp')
/** Allowance for the boundary and the headers of the part. */
const formBytes = 64 * 1024

export const documentOperations = [
  operation('parse_document', 'POST /api/v1/documents/parse', {
    ...shared,
    access: 'session',
    served_from: 'lake',
    limit_class: 'queries',
    cost: 20,
    summary: 'Text, tables and figures of a PDF',
    description: `A form (multipart/form-data) with one part named file: a PDF of at most ${maxPdfBytes} bytes and ${maxPdfPages} pages. Text by page with its places, headings, tables as rows with units, figures and dates of the running text, symbols and issuers, and of mining releases the tables of drill results as bodies for POST /api/v1/data/drill/interpret. The document is not stored. Values that are not printed are null, never inferred; image pages are listed in scanned_pages. A separate process reads the document within 20 seconds and 600 MB and never runs its scripts. A document that is encrypted, damaged, not a PDF, or exceeds these limits is 422 with the reason.`,
    body: ParseForm,
    body_media: ['multipart/form-data'],
    body_bytes: maxPdfBytes + formBytes,
    answer: ParsedDocument,
    example: { body: { file: 'kettle-creek-drill-release.pdf' } },
  }),
  operation('read_royalties', 'POST /api/v1/documents/royalties', {
    ...shared,
    access: 'session',
    served_from: 'lake',
    limit_class: 'queries',
    cost: 10,
    body_bytes: 1024 * 1024,
    summary: 'Royalties that the tables of a document list',
    description:
      'Property, holder, rate and basis (NSR, NPI, …) of each row of the tables of royalties in a text or a small PDF, as printed, with page, table and row. A value that no column and no cell prints is null; a range or several rates in one cell give no rate_pct. Running text is not read. Nothing is kept and nothing is signed.',
    body: RoyaltyRequest,
    answer: RoyaltyAnswer,
    rows: 'royalties',
    calculates: true,
    agents: [
      mineral('royalties', 'tables', ['text', 'pdf_base64'], {
        fields: [
          'tables',
          'count',
          'page',
          'table',
          'row',
          'property',
          'holder',
          'rate',
          'rate_pct',
          'basis',
          'basis_printed',
          'buyback',
          'unread',
          'not_covered',
        ],
      }),
    ],
    quoted_members: ['property', 'holder', 'rate', 'basis_printed', 'buyback', 'cells'],
    example: {
      body: {
        text: 'Table 3. Royalties by property\nProperty\tRoyalty holder\tRoyalty\nIronwood North\tHarrow Lake Royalties Ltd.\t2.0% NSR\nCinder Ridge\tProvince\t15% NPI',
      },
    },
  }),
  operation('annotate_moves', 'POST /api/v1/annotations', {
    ...shared,
    access: 'session',
    served_from: 'lake',
    limit_class: 'queries',
    cost: 5,
    exact_numbers: true,
    body_bytes: 2 * 1024 * 1024,
    summary: 'Notable moves of a price, with the events known before them',
    description:
      "Each move that is large against the volatility of the series, by the rule in the answer, with the headlines and filings known before it, by timestamp: those of the request and the service's own filings. The answer states only the order in time, not causes. It is not signed and not stored.",
    body: AnnotationRequest,
    answer: AnnotationAnswer,
    can_be_missing: true,
    example: {
      body: { ticker: 'DEMO', headlines: [{ title: 'A headline of the morning', published_at: '2026-11-18T13:00:00Z' }] },
    },
  }),
  operation('process_report', 'POST /api/v1/reports/process', {
    ...shared,
    access: 'user',
    served_from: 'pg',
    cost: 5,
    success: 202,
    summary: 'Queues a PDF of the inbox for the worker',
    description:
      "pdf_path is a regular file below the operator's inbox folder (CROSSFILE_INBOX), never a link. Every signed-in user may name any file of the inbox. Only its user and administrators see the task. It is part of the user's export and is deleted after 30 days. A user can have at most 5 waiting or running tasks.",
    body: ProcessReportRequest,
    answer: ProcessReportResponse,
    idempotency_key: true,
    can_be_missing: true,
    example: { body: { pdf_path: 'kettle-creek-drill-release.pdf', company_ticker: 'KCG.V' } },
  }),
  operation('get_report', 'GET /api/v1/reports/{task_id}', {
    ...shared,
    access: 'user',
    served_from: 'pg',
    summary: 'A report with its progress and result',
    description: 'The result has the form of POST /api/v1/documents/parse and is linked to the issuer.',
    question: question({ task_id }),
    answer: ReportTask,
    example: '/api/v1/reports/rep_k3J0q2mXv1Zp',
  }),
  operation('get_any_report', 'GET /api/v1/admin/reports/{task_id}', {
    ...shared,
    tag: 'Admin',
    access: 'admin',
    served_from: 'pg',
    summary: 'A report of any user',
    description: 'The same answer as GET /api/v1/reports/{task_id} returns to its user.',
    question: question({ task_id }),
    answer: ReportTask,
    example: '/api/v1/admin/reports/rep_k3J0q2mXv1Zp',
  }),
] as const
