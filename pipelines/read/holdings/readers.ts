// Covers and information tables of 13Fs as bare XML, or as the page that EDGAR renders of a table, without the submission around them. The submission's own reader is in ../filings/.
import { Unreadable } from '#schemas/errors.ts'
import { decodeText } from '#warehouse/documents/prose/decode.ts'
import { accessionIn, cikOf, fileName } from '../filings/address.ts'
import type { Fact, Parsed, RawDocument, Reader, Refused } from '../parsed.ts'
import { reader } from '../reader.ts'
import { isCoverXml, isTableXml, xmlRows } from './content.ts'
import { parseCover } from './cover.ts'
import { isTablePage, pageRows } from './page.ts'
import { buildReport } from './report.ts'
import { type HoldingDraft, holdingOf } from './rows.ts'

const folder = /^https:\/\/www\.sec\.gov\/Archives\/edgar\/data\/(\d{1,10})\/\d{18}\/(?!xsl)[^/?#]+\.xml$/
const managerIn = (url: string): string | null => cikOf(folder.exec(url)?.[1] ?? '')

/**
 * A cover gives a report without rows. A table gives rows without a quarter, since it names neither day nor manager (its address may
 * name the manager), and without dollars, since its unit depends on the day of filing. The submission has all of it.
 */
export function parseBareHoldings(document: RawDocument): Parsed {
  const text = decodeText(document.body)
  const accession = accessionIn(document.url)
  const filingId = accession ?? `sha256:${document.sha256}`
  const subject = `13F ${filingId}`
  if (isCoverXml(text)) {
    const cover = parseCover(subject, text)
    const cik = cover.manager_cik ?? managerIn(document.url)
    if (cik === null) throw new Unreadable('manager_missing', `${subject}: the cover gives no CIK`)
    const context = { filing_id: filingId, accession, form: null, filed_date: null, period_of_report: null, manager_cik: cik }
    const { report, refused } = buildReport(context, cover, { kind: 'none', rows: [], refused: [] }, cik)
    return { facts: { holdings_reports: [{ ...report, flags: [...report.flags, 'bare_cover'] }] }, refused, skipped: {}, follow: [] }
  }
  if (!isTableXml(text)) throw new Unreadable('not_13f', `${subject}: neither the cover nor the information table of a 13F`)
  const heading = { quarter: 'unknown', manager_cik: managerIn(document.url), filing_id: filingId, accession, period_of_report: null, managers: null }
  const refused: Refused[] = []
  const read: HoldingDraft[] = []
  for (const row of xmlRows(subject, [{ text, bytes: document.body }])) read.push(holdingOf(row, read.length + 1, heading, refused))
  return { facts: { holdings: read satisfies readonly Fact<'holdings'>[] }, refused, skipped: {}, follow: [] }
}

const holdingsReader = reader('edgar.holdings', 'filings', {
  // Only names that a 13F's documents have by convention: any other XML in a filing's folder may be another form's.
  reads: url => folder.test(url) && /13f|info(?:rmation)?_?table/i.test(fileName(url)),
  matches: head => {
    // Inside a submission the document has a header around it, and that header's own reader.
    if (/ACCESSION[ -]NUMBER[>:]/.test(head)) return false
    const isCover = isCoverXml(head) && /thirteenffiler|<(?:[\w.-]{1,40}:)?submissionType>\s*13F/.test(head)
    return isCover || isTableXml(head)
  },
  parse: parseBareHoldings,
})

/** EDGAR's rendered page of an information table: the same rows, without the values that a bare table lacks too. */
export function parseHoldingsPage(document: RawDocument): Parsed {
  const accession = accessionIn(document.url)
  const filingId = accession ?? `sha256:${document.sha256}`
  const rows = pageRows(`13F page ${filingId}`, decodeText(document.body))
  const manager = cikOf(/\/edgar\/data\/(\d{1,10})\//.exec(document.url)?.[1] ?? '')
  const heading = { quarter: 'unknown', manager_cik: manager, filing_id: filingId, accession, period_of_report: null, managers: null }
  const refused: Refused[] = []
  const read = rows.map((row, at) => holdingOf(row, at + 1, heading, refused))
  return { facts: { holdings: read }, fills: true, refused, skipped: {}, follow: [] }
}

export const holdingsPageReader = reader('edgar.holdings_page', 'filings', {
  reads: url => /^https:\/\/www\.sec\.gov\/Archives\/edgar\/data\/\d{1,10}\/\d{18}\/xslForm13F[^/?#]{0,12}\/[^/?#]+\.(?:xml|html?)$/.test(url),
  matches: head => !/ACCESSION[ -]NUMBER[>:]/.test(head) && isTablePage(head),
  parse: parseHoldingsPage,
})

export const holdingsReaders: readonly Reader[] = [holdingsReader, holdingsPageReader]
