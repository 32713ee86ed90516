// Kysely's types of the tables of migrations/0027-reports.sql.
import type { Generated } from 'kysely'
import type { ReportState } from '#schemas/documents.ts'

export type ReportTables = {
  report_task: {
    task_id: string
    user_id: string
    job_id: string | null
    pdf_path: string
    company_ticker: string | null
    status: ReportState
    pages_read: Generated<number>
    page_count: number | null
    error_code: string | null
    error_detail: string | null
    error_hint: string | null
    issuer_symbol: string | null
    issuer_name: string | null
    issuer_cik: string | null
    issuer_basis: 'request' | 'document' | null
    result: string | null
    created_at: string
    updated_at: string
  }
}

declare module '../store/database.ts' {
  interface Database extends ReportTables {}
}
