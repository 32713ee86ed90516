// The SEC's quarterly data set of Forms 3, 4 and 5. Its rows are converted back to the shape of the form, so one reader handles every
// format. A data set lacks the time of acceptance, the schema's version, and the original order of transactions and holdings. Columns:
// sec.gov/files/insider_transactions_readme.pdf.
import { Unreadable } from '#schemas/errors.ts'
import { archiveUrl, isOwnershipForm } from '../filings/address.ts'
import { blankFiling, type FilingFact, knownFrom } from '../filings/facts.ts'
import { readOwnershipTree } from '../insider/parse.ts'
import type { Fact, Parsed, RawDocument, Refused } from '../parsed.ts'
import { reader } from '../reader.ts'
import { type InsiderTables, treeOf } from './insider-tree.ts'
import { dataSetDay, openTables, type Row } from './tables.ts'

const required = ['SUBMISSION', 'REPORTINGOWNER', 'NONDERIV_TRANS', 'NONDERIV_HOLDING', 'DERIV_TRANS', 'DERIV_HOLDING'] as const
const optional = ['FOOTNOTES', 'OWNER_SIGNATURE'] as const
/** Filings of one part, which is one commit. */
const partFilings = 4000

type Part = {
  filings: FilingFact[]
  insider_filings: Fact<'insider_filings'>[]
  insider_transactions: Fact<'insider_transactions'>[]
  insider_holdings: Fact<'insider_holdings'>[]
  refused: Refused[]
}
const emptyPart = (): Part => ({ filings: [], insider_filings: [], insider_transactions: [], insider_holdings: [], refused: [] })
const parsedOf = ({ refused, ...facts }: Part): Parsed => ({ facts, refused, skipped: {}, follow: [], fills: true })

/** The values of SUBMISSION for a filing, or why it cannot be read with them. */
function headingOf(
  submission: Row | undefined,
): { readonly filed: string; readonly form: string } | { readonly reason: string; readonly detail: string } {
  if (submission === undefined) return { reason: 'submission_missing', detail: 'rows without a row of SUBMISSION' }
  const filed = dataSetDay(submission.cell('FILING_DATE'))
  const form = submission.cell('DOCUMENT_TYPE')
  if (filed === null || !/^\d{4}-\d\d-\d\d$/.test(filed))
    return { reason: 'filed_date_missing', detail: `FILING_DATE is ${JSON.stringify(submission.cell('FILING_DATE'))}` }
  if (form === null || !isOwnershipForm(form)) return { reason: 'not_ownership', detail: `DOCUMENT_TYPE is ${JSON.stringify(form)}` }
  return { filed, form }
}

/** Reads one filing into the part; refuses only an unreadable filing. */
function readFiling(part: Part, tables: InsiderTables, accession: string): void {
  const refuse = ({ reason, detail }: { readonly reason: string; readonly detail: string }): void => {
    part.refused.push({ dataset: 'insider_filings', reason, detail: `form345 ${accession}: ${detail}`, subject: accession, record: { accession } })
  }
  const [submission, second] = tables.SUBMISSION.rowsOf(accession)
  const heading = headingOf(submission)
  if (second !== undefined) refuse({ reason: 'submission_twice', detail: 'two rows of SUBMISSION; the first is read' })
  if (submission === undefined || 'reason' in heading) {
    if ('reason' in heading) refuse(heading)
    return
  }
  const { filed, form } = heading
  try {
    const known = knownFrom(form, null, filed)
    const context = { filing_id: accession, accession, filed_date: filed, issuer_cik: null, form }
    const read = readOwnershipTree(treeOf(tables, accession, submission), context)
    const stamped = <F extends object>(fact: F): F => ({ ...fact, ...known })
    part.insider_filings.push(stamped({ ...read.filing, flags: [...read.filing.flags, 'order_of_data_set'] }))
    part.insider_transactions.push(...read.transactions.map(stamped))
    part.insider_holdings.push(...read.holdings.map(stamped))
    part.refused.push(...read.refused)
    const names = new Map([
      [read.filing.issuer_cik, read.filing.issuer_name],
      ...read.filing.owners.flatMap(each => (each.cik ? [[each.cik, each.name] as const] : [])),
    ])
    for (const [cik, company] of names)
      part.filings.push({ ...blankFiling, accession, cik, company, form, filed_date: filed, url: archiveUrl(cik, accession), ...known })
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    refuse({ reason: error.reason, detail: error.message })
  }
}

/** Rows whose filing SUBMISSION does not name, and lines that are no rows. */
function strayRows(tables: InsiderTables): Refused[] {
  const listed = new Set(tables.SUBMISSION.accessions())
  const refused: Refused[] = []
  for (const [name, table] of Object.entries(tables)) {
    for (const { line, text } of table.misshapen)
      refused.push({
        dataset: 'insider_filings',
        reason: 'line_misshapen',
        detail: `${name}.tsv line ${line}: has another number of cells than its heading`,
        subject: `${name} line ${line}`,
        record: { line, text },
      })
    for (const accession of table.accessions()) {
      if (listed.has(accession)) continue
      const detail = `${name}.tsv: ${table.count(accession)} rows of ${accession}, which SUBMISSION does not name`
      refused.push({ dataset: 'insider_filings', reason: 'submission_missing', detail, subject: accession, record: { accession, table: name } })
    }
  }
  return refused
}

export async function* readInsiderDataSet(document: Pick<RawDocument, 'url' | 'body'>): AsyncGenerator<Parsed> {
  const tables: InsiderTables = await openTables(`data set ${document.url}`, document.body, required, optional)
  let part = { ...emptyPart(), refused: strayRows(tables) }
  for (const accession of tables.SUBMISSION.accessions()) {
    readFiling(part, tables, accession)
    if (part.insider_filings.length < partFilings) continue
    yield parsedOf(part)
    part = emptyPart()
  }
  yield parsedOf(part)
}

export const insiderDataSetReader = reader('edgar.insider-data-set', 'insider_filings', {
  reads: url => /\/insider-transactions-data-sets\/\d{4}q[1-4]_form345\.zip$/.test(url),
  matches: (_head, path) => /(?:^|\/)\d{4}q[1-4]_form345\.zip$/i.test(path),
  parse: ({ url }) => {
    throw new Unreadable('read_in_parts', `data set ${url}: a whole quarter, read in parts only`)
  },
  parts: readInsiderDataSet,
})
