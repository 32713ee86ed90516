// Reads of the items of periodic and current reports, and of their exhibits.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReportExhibit, ReportItem } from '#schemas/reports.ts'
import type { Lake } from '../../store/lake/lake.ts'

const sql = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8')
const findItemsSql = sql('find-items.sql')
const findExhibitsSql = sql('find-exhibits.sql')

export type FoundReportItem = Omit<ReportItem, 'withdrawn'>
export type ReportItemQuestion = {
  readonly cik: string
  readonly accession?: string | null
  readonly item?: string | null
  /** As filed, `10-K`; includes its amendments if `amendments` is set. */
  readonly form?: string | null
  readonly amendments?: boolean
  /** The text is the largest part of a row, so it is omitted by default. */
  readonly text?: boolean
  readonly as_of: string | null
  readonly limit: number
}

/** Newest filing first; empty if the issuer has no report that was read. */
export async function findReportItems(lake: Lake, question: ReportItemQuestion): Promise<FoundReportItem[]> {
  const { cik, accession = null, item = null, form = null, amendments = false, text: with_text = false, limit, as_of } = question
  return await lake.query<FoundReportItem>(findItemsSql, { accession, item, form, amendments, with_text, limit, as_of }, { report_items: [cik] })
}

export type ReportExhibitQuestion = {
  readonly cik: string
  readonly accession?: string | null
  /** Only releases of results. */
  readonly releases?: boolean
  readonly as_of: string | null
  readonly limit: number
}

export async function findReportExhibits(lake: Lake, question: ReportExhibitQuestion): Promise<ReportExhibit[]> {
  return await lake.query<ReportExhibit>(
    findExhibitsSql,
    { accession: question.accession ?? null, releases: question.releases ?? false, limit: question.limit, as_of: question.as_of },
    { report_exhibits: [question.cik] },
  )
}
