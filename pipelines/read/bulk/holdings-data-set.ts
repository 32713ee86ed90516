// The SEC's data set of Form 13F: every column of cover, summary page and information table, read by the same report builder as the
// filings themselves. Columns: the data set's readme. Rows of the information table are taken in the order of INFOTABLE_SK.
import { Unreadable } from '#schemas/errors.ts'
import { decimalText } from '#schemas/values.ts'
import { archiveUrl, cikOf } from '../filings/address.ts'
import { blankFiling, type FilingFact, knownFrom } from '../filings/facts.ts'
import { blankCover, type Cover, type Manager } from '../holdings/cover.ts'
import { buildReport } from '../holdings/report.ts'
import { emptyRow, type TableRow } from '../holdings/table-row.ts'
import type { Fact, Parsed, RawDocument, Refused } from '../parsed.ts'
import { reader } from '../reader.ts'
import { dataSetDay, openTables, type Row, type Table } from './tables.ts'

const required = ['SUBMISSION', 'COVERPAGE', 'INFOTABLE'] as const
const optional = ['SUMMARYPAGE', 'OTHERMANAGER', 'OTHERMANAGER2', 'SIGNATURE'] as const
type Tables = Record<(typeof required)[number] | (typeof optional)[number], Table>

/** Rows of information tables of one part, which is one commit; one filing's rows stay together. */
const partRows = 60_000
const is13f = /^13F-(?:HR|NT|CTR)(?:\/A)?$/

const dayOr = (text: string | null): string | null => {
  const day = dataSetDay(text)
  return day !== null && /^\d{4}-\d\d-\d\d$/.test(day) ? day : null
}
const decimalOr = (text: string | null): string | null => (text === null ? null : decimalText(text))

const managerOf = (row: Row): Manager => {
  const cik = row.cell('CIK')
  return {
    number: row.cell('SEQUENCENUMBER'),
    cik: cik === null ? null : cikOf(cik),
    file_number: row.cell('FORM13FFILENUMBER'),
    crd_number: row.cell('CRDNUMBER'),
    sec_file_number: row.cell('SECFILENUMBER'),
    name: row.cell('NAME'),
  }
}

function coverOf(tables: Tables, accession: string): Cover {
  const [page] = tables.COVERPAGE.rowsOf(accession)
  const [summary] = tables.SUMMARYPAGE.rowsOf(accession)
  const [signature] = tables.SIGNATURE.rowsOf(accession)
  const cellOf = (row: Row | undefined, column: string): string | null => row?.cell(column) ?? null
  return {
    ...blankCover,
    manager_name: cellOf(page, 'FILINGMANAGER_NAME'),
    period_of_report: dayOr(cellOf(page, 'REPORTCALENDARORQUARTER')),
    report_type: cellOf(page, 'REPORTTYPE'),
    is_amendment: cellOf(page, 'ISAMENDMENT'),
    amendment_number: cellOf(page, 'AMENDMENTNO'),
    amendment_type_filed: cellOf(page, 'AMENDMENTTYPE'),
    confidential_denied_or_expired: cellOf(page, 'CONFDENIEDEXPIRED'),
    date_denied_or_expired: dayOr(cellOf(page, 'DATEDENIEDEXPIRED')),
    date_reported: dayOr(cellOf(page, 'DATEREPORTED')),
    reason_for_disclosure: cellOf(page, 'REASONFORNONCONFIDENTIALITY'),
    confidential_omitted: cellOf(summary, 'ISCONFIDENTIALOMITTED'),
    file_number: cellOf(page, 'FORM13FFILENUMBER'),
    crd_number: cellOf(page, 'CRDNUMBER'),
    sec_file_number: cellOf(page, 'SECFILENUMBER'),
    street1: cellOf(page, 'FILINGMANAGER_STREET1'),
    street2: cellOf(page, 'FILINGMANAGER_STREET2'),
    city: cellOf(page, 'FILINGMANAGER_CITY'),
    state: cellOf(page, 'FILINGMANAGER_STATEORCOUNTRY'),
    zip: cellOf(page, 'FILINGMANAGER_ZIPCODE'),
    additional_information: cellOf(page, 'ADDITIONALINFORMATION'),
    signature_name: cellOf(signature, 'NAME'),
    signature_title: cellOf(signature, 'TITLE'),
    signature_date: dayOr(cellOf(signature, 'SIGNATUREDATE')),
    cover_managers: tables.OTHERMANAGER.rowsOf(accession).map(managerOf),
    included_managers: tables.OTHERMANAGER2.rowsOf(accession).map(managerOf),
    included_managers_count: decimalOr(cellOf(summary, 'OTHERINCLUDEDMANAGERSCOUNT')),
    entry_total: decimalOr(cellOf(summary, 'TABLEENTRYTOTAL')),
    value_total: decimalOr(cellOf(summary, 'TABLEVALUETOTAL')),
    flags: ['order_of_data_set'],
  }
}

const cellsOf = (row: Row): TableRow => ({
  ...emptyRow(),
  issuer: row.cell('NAMEOFISSUER'),
  title: row.cell('TITLEOFCLASS'),
  cusip: row.cell('CUSIP'),
  figi: row.cell('FIGI'),
  value: row.cell('VALUE'),
  amount: row.cell('SSHPRNAMT'),
  amountType: row.cell('SSHPRNAMTTYPE'),
  putCall: row.cell('PUTCALL'),
  discretion: row.cell('INVESTMENTDISCRETION'),
  otherManager: row.cell('OTHERMANAGER'),
  sole: row.cell('VOTING_AUTH_SOLE'),
  shared: row.cell('VOTING_AUTH_SHARED'),
  none: row.cell('VOTING_AUTH_NONE'),
})

type Part = { filings: FilingFact[]; holdings_reports: Fact<'holdings_reports'>[]; holdings: Fact<'holdings'>[]; refused: Refused[] }
const emptyPart = (): Part => ({ filings: [], holdings_reports: [], holdings: [], refused: [] })
const parsedOf = ({ refused, ...facts }: Part): Parsed => ({ facts, refused, skipped: {}, follow: [], fills: true })
const refusal = (accession: string, reason: string, detail: string): Refused => ({
  dataset: 'holdings_reports',
  reason,
  detail: `13f ${accession}: ${detail}`,
  subject: accession,
  record: { accession },
})

function readFiling(part: Part, tables: Tables, accession: string): void {
  const [submission] = tables.SUBMISSION.rowsOf(accession)
  const filed = dayOr(submission?.cell('FILING_DATE') ?? null)
  const form = submission?.cell('SUBMISSIONTYPE') ?? ''
  const cik = cikOf(submission?.cell('CIK') ?? '')
  if (submission === undefined || filed === null || cik === null || !is13f.test(form)) {
    const detail = `SUBMISSION gives form ${JSON.stringify(form)}, CIK ${JSON.stringify(cik)}, filed ${JSON.stringify(filed)}`
    part.refused.push(refusal(accession, 'submission_unreadable', detail))
    return
  }
  const known = knownFrom(form, null, filed)
  const lines = tables.INFOTABLE.rowsOf(accession).sort((a, b) => Number(a.cell('INFOTABLE_SK') ?? 0) - Number(b.cell('INFOTABLE_SK') ?? 0))
  const context = {
    filing_id: accession,
    accession,
    form,
    filed_date: filed,
    period_of_report: dayOr(submission.cell('PERIODOFREPORT')),
    manager_cik: cik,
  }
  const table = { kind: lines.length > 0 ? ('xml' as const) : ('none' as const), rows: lines.map(cellsOf), refused: [] }
  const read = buildReport(context, coverOf(tables, accession), table, cik)
  part.holdings_reports.push({ ...read.report, ...known })
  for (const row of read.rows) part.holdings.push({ ...row, ...known })
  part.refused.push(...read.refused)
  part.filings.push({
    ...blankFiling,
    accession,
    cik,
    company: read.report.manager_name,
    form,
    filed_date: filed,
    period_of_report: read.report.period_of_report,
    url: archiveUrl(cik, accession),
    ...known,
  })
}

export async function* readHoldingsDataSet(document: Pick<RawDocument, 'url' | 'body'>): AsyncGenerator<Parsed> {
  const tables: Tables = await openTables(`data set ${document.url}`, document.body, required, optional)
  const listed = new Set(tables.SUBMISSION.accessions())
  let part = emptyPart()
  for (const [name, table] of Object.entries(tables)) {
    for (const { line } of table.misshapen)
      part.refused.push(refusal(`${name} line ${line}`, 'line_misshapen', 'has another number of cells than its heading, or no accession number'))
  }
  for (const accession of tables.INFOTABLE.accessions()) {
    if (!listed.has(accession))
      part.refused.push(
        refusal(accession, 'submission_missing', `${tables.INFOTABLE.count(accession)} rows of a filing that SUBMISSION does not name`),
      )
  }
  for (const accession of listed) {
    if (part.holdings.length > 0 && part.holdings.length + tables.INFOTABLE.count(accession) > partRows) {
      yield parsedOf(part)
      part = emptyPart()
    }
    readFiling(part, tables, accession)
  }
  yield parsedOf(part)
}

const name = /(?:^|\/)(?:\d{4}q[1-4]|\d{2}[a-z]{3}\d{4}-\d{2}[a-z]{3}\d{4})_form13f\.zip$/i
export const holdingsDataSetReader = reader('edgar.13f-data-set', 'filings', {
  reads: url => url.includes('/form-13f-data-sets/') && name.test(url),
  matches: (_head, path) => name.test(path),
  parse: ({ url }) => {
    throw new Unreadable('read_in_parts', `data set ${url}: a whole period, read in parts only`)
  },
  parts: readHoldingsDataSet,
})
