// The results of reading a PDF document (POST /documents/parse and /reports/process), and the limits.
import { z } from 'zod'
import { Amount, Source } from './answer.ts'
import { DrillInterpretRequest } from './drill.ts'
import { plainText } from './plain-text.ts'
import { Cik, Count, Currency, Flag, Instant, Int, IsoDate, Release, Sha256, Symbol, Text } from './values.ts'

/** Maximum bytes of a PDF in a request. */
export const maxPdfBytes = 32 * 1024 * 1024
/** Maximum pages of a PDF in a request, or of a report of the inbox. */
export const maxPdfPages = 300
export const maxReportPages = 1_000
/** Maximum characters of text that are read from one document. */
export const maxPdfCharacters = 4_000_000

const Points = z.number().describe('PDF points (1/72 inch) from the top left corner of the page, turned so that most of its text is upright')
const Place = { x: Points, y: Points, width: Points, height: Points }
const start = Count.describe('first character, counted from 0 in characters (Unicode code points) of the text of the page')
const end = Count.describe('behind the last')
const page = Count.describe('page, counted from 1')

const Line = z.strictObject({
  start,
  end,
  ...Place,
  size: z.number().describe('size of the font in points'),
  bold: Flag,
  angle: Int.describe('degrees by which the line is turned; 0: upright'),
  role: z.enum(['text', 'heading', 'table', 'running']).describe('running: a header or footer that is repeated from page to page'),
})
const Page = z.strictObject({
  page,
  width: z.number(),
  height: z.number(),
  kind: z
    .enum(['text', 'scanned', 'empty', 'unmapped', 'unreadable'])
    .describe(
      'scanned: images and no text, so nothing is read from it; empty: neither; unmapped: the fonts do not define which characters are drawn; unreadable: the page is damaged',
    ),
  text: Text.describe('lines end with a line feed; cells and columns of one line are separated by a tab'),
  lines: z.array(Line),
})
const Heading = z.strictObject({ text: Text, level: Int.describe('1: the largest style of headings'), page, start, end })
const Column = z.strictObject({
  name: Text.nullable().describe('of all lines of the head; null: the table has no head'),
  unit: Text.nullable().describe('as the head prints it; null: it prints none'),
  x: Points,
  width: Points,
})
const Row = z.strictObject({
  cells: z.array(Text.nullable()).describe('as printed, one for each column; null: nothing is printed there'),
  values: z
    .array(Amount.nullable())
    .describe('the number of each cell, negative if it is in brackets; null: the cell is not a number (text, a dash, "<0.5")'),
  y: Points,
})
const Table = z.strictObject({
  id: Text.describe('t1, t2, … in the order of the document'),
  page,
  title: Text.nullable(),
  unit: Text.nullable().describe('of the whole table, as its title or head prints it: in thousands of US dollars'),
  continues: Text.nullable().describe('id of the table of an earlier page that continues here'),
  ...Place,
  columns: z.array(Column),
  rows: z.array(Row),
})
const DateFound = z.strictObject({
  printed: Text,
  date: IsoDate.nullable().describe('the first day of the printed date or period; null: the order of day and month is ambiguous'),
  precision: z.enum(['day', 'month', 'quarter', 'year']),
  page,
  start,
  end,
})
const Figure = z.strictObject({
  printed: Text,
  kind: z.enum(['money', 'percent', 'quantity']),
  value: Amount.describe('with the printed word for thousand, million or billion applied; negative in brackets or after a minus'),
  unit: Text.nullable().describe('as printed; null for money'),
  currency: Currency.nullable().describe('null: the sign alone ($) does not show which, or no money'),
  dates: z.array(Text).describe('dates printed in the same sentence, as printed; none is inferred'),
  page,
  start,
  end,
})
const SymbolFound = z.strictObject({
  printed: Text,
  venue: Text.describe('as printed'),
  symbol: Symbol.nullable().describe('canonical; null: a venue that this service does not cover'),
  known: Flag.describe('whether a directory lists the symbol'),
  name: Text.nullable().describe('of the listing that is known'),
  page,
  start,
  end,
})
const IssuerFound = z.strictObject({
  printed: Text.describe('a name with a legal form (Inc., Corp., Ltd.), as printed first'),
  symbol: Symbol.nullable().describe('of the only issuer with that name, otherwise of the symbol printed after it; null: neither is known'),
  cik: Cik.nullable(),
  basis: z.enum(['name', 'symbol']).nullable().describe('by which the issuer is known'),
  mentions: Count,
  page,
  start,
  end,
})
/** A request of POST /api/v1/data/drill/interpret, ready to send. */
const DrillRequest = z.strictObject({ text: Text, deposit_type: DrillInterpretRequest.shape.deposit_type.unwrap(), intervals: z.array(z.never()) })
const DrillTable = z.strictObject({
  tables: z.array(Text).describe('ids of the table and of those that go on with it'),
  page,
  intervals: Count.describe('rows that drill/interpret reads as intervals'),
  request: DrillRequest.describe('a body for POST /api/v1/data/drill/interpret'),
})
const Drill = z.strictObject({
  tables: z.array(DrillTable),
  document: DrillRequest.nullable().describe('the whole text with its tables as such a body; null: it is longer than drill/interpret reads'),
})
/** Maximum bytes of text, and of a PDF in base64, in a request for royalties: they fit into a message of an agent. */
const maxRoyaltyText = 256 * 1024
const maxRoyaltyPdf = 700_000
const royaltyPlace = {
  page,
  table: Text.describe('t1, t2, … in the order of the document'),
  row: Count.describe('row of that table, counted from 1 after its head'),
}
const cells = z.array(Text.nullable()).describe('the row as printed')
const Royalty = z.strictObject({
  ...royaltyPlace,
  property: Text.nullable().describe('as printed in the one column that is named for it; null: there is none, or the cell is empty'),
  holder: Text.nullable().describe('as printed in the one column that is named for it; null: there is none, or the cell is empty'),
  rate: Text.describe('as printed'),
  rate_pct: Amount.nullable().describe('the one percentage that is printed; null: a range, several rates, or no percentage'),
  basis: z
    .enum(['nsr', 'npi', 'gsr', 'gor', 'nvr', 'production'])
    .nullable()
    .describe(
      'net smelter returns, net profits, gross smelter returns, gross overriding or revenue, net value, or a payment per unit of production, as the cell or the head prints it; null: neither does, or several',
    ),
  basis_printed: Text.nullable().describe('the cell or head that prints the basis'),
  buyback: Text.nullable().describe('as printed in a column that is named for it'),
  cells,
})
export const RoyaltyRequest = z
  .strictObject({
    text: z
      .string()
      .refine(
        text => text.length <= maxRoyaltyText && new TextEncoder().encode(text).byteLength <= maxRoyaltyText,
        `the text has more than ${maxRoyaltyText} bytes: send the pages with the tables`,
      )
      .default('')
      .describe(
        `text of the document with its tables, as pages of POST /api/v1/documents/parse print it: tabs (or | or two spaces) between cells, a form feed after each page; at most ${maxRoyaltyText} bytes`,
      ),
    pdf_base64: z
      .string()
      .max(maxRoyaltyPdf, `the PDF has more than ${maxRoyaltyPdf} characters of base64: send it to POST /api/v1/documents/parse`)
      .regex(/^[A-Za-z0-9+/\s]*={0,2}\s*$/, 'expected base64')
      .default('')
      .describe(`in place of text: the PDF in base64, at most ${maxRoyaltyPdf} characters`),
  })
  .refine(({ text, pdf_base64 }) => (text === '') !== (pdf_base64 === ''), 'expected either text or pdf_base64')
export type RoyaltyRequest = z.output<typeof RoyaltyRequest>

const Warning = z.strictObject({ code: Text, page: page.nullable(), detail: Text })

/** Results from the bytes only: the same for every user. */
export const documentFacts = {
  sha256: Sha256.describe('of the file'),
  bytes: Count,
  pdf_version: Text.nullable(),
  title: Text.nullable().describe('of the metadata of the file, which its author wrote'),
  page_count: Count,
  scanned_pages: z.array(page).describe('pages of images without text: nothing is read from them'),
  pages: z.array(Page),
  headings: z.array(Heading),
  tables: z.array(Table),
  figures: z.array(Figure).describe('numbers with a unit in the running text; those of tables are in tables; at most 5,000'),
  dates: z.array(DateFound).describe('at most 5,000'),
  drill: Drill.nullable().describe('null: no table reads as drill results'),
  royalties: z.array(Royalty).describe('rows of tables of royalties'),
  warnings: z.array(Warning),
} as const
/** Results that depend on the listings of a release. */
const documentMentions = { symbols: z.array(SymbolFound), issuers: z.array(IssuerFound) } as const
const documentEnvelope = {
  as_of: Instant.describe('of the listings by which symbols and issuers were found'),
  release: Release.nullable(),
  sources: z.array(Source),
} as const
export const ParsedDocument = z.strictObject({ ...documentFacts, ...documentMentions, ...documentEnvelope })
export type ParsedDocument = z.infer<typeof ParsedDocument>

export const RoyaltyAnswer = z.strictObject({
  tables: Count.describe('tables that were found'),
  count: Count,
  royalties: z.array(Royalty),
  unread: z.array(z.strictObject({ ...royaltyPlace, cells })).describe('rows of tables of royalties in which no rate is printed'),
  not_covered: z.array(Text),
  as_of: Instant,
  release: Release.nullable(),
  sources: z.array(Source),
})

/** The form of POST /documents/parse, as it is described and read: one part named `file`. */
export const ParseForm = z.strictObject({ file: z.file().describe(`the PDF, at most ${maxPdfBytes} bytes and ${maxPdfPages} pages`) })

/** Names below a folder, one after the other: none is empty, begins with a dot, or contains a character that a system interprets. */
const isBelow = (path: string): boolean => path.split('/').every(name => /^[^.\s]/.test(name) && !/[\\:*?"<>|]/.test(name) && name.length <= 255)
const ReportPath = plainText(512)
  .refine(path => !/[\t\r\n]/.test(path), 'expected a path without line breaks and tabs')
  .refine(
    isBelow,
    'expected a path below the inbox such as 2026/release.pdf: no leading slash, no name that begins with a dot, no backslash or colon',
  )
  .refine(path => path.toLowerCase().endsWith('.pdf'), 'expected a path that ends with .pdf')
  .describe('path of a PDF below the inbox folder of the operator (CROSSFILE_INBOX)')
export const ProcessReportRequest = z.strictObject({
  pdf_path: ReportPath,
  company_ticker: plainText(16).default('').describe('the issuer that the report is about; empty: the one that the document names'),
})
export type ProcessReportRequest = z.infer<typeof ProcessReportRequest>
const reportStates = ['queued', 'running', 'succeeded', 'failed'] as const
export type ReportState = (typeof reportStates)[number]
export const ProcessReportResponse = z.strictObject({
  task_id: Text,
  status: z.enum(reportStates),
  message: Text.describe('what happens next'),
})
export const ReportTask = z.strictObject({
  task_id: Text,
  status: z.enum(reportStates),
  message: Text,
  pdf_path: Text,
  company_ticker: Symbol.nullable().describe('as the request named it, canonical; null: it named none'),
  created_at: Instant,
  updated_at: Instant,
  progress: z.strictObject({ pages_read: Count, page_count: Count.nullable() }),
  error: z.strictObject({ code: Text, detail: Text, hint: Text.nullable() }).nullable().describe('of a task that failed'),
  issuer: z
    .strictObject({ symbol: Symbol, name: Text, cik: Cik.nullable(), basis: z.enum(['request', 'document']) })
    .nullable()
    .describe('the issuer that the report is linked to; null: none was named, and the document names none or several'),
  result: ParsedDocument.nullable().describe('as POST /documents/parse answers; null until the task succeeded'),
})
