// Reports of the inbox that users have processed: one row each, written by the API (queued) and by the worker (running, succeeded, failed).

import { sql } from 'kysely'
import { daysBefore } from '#schemas/days.ts'
import type { ReportState } from '#schemas/documents.ts'
import { BadRequest, NotFound } from '#schemas/errors.ts'
import type { Trx } from '../people/users/own-rows.ts'
import type { Db } from '../store/postgres.ts'
import type { FoundIssuer } from './answer.ts'

/** Maximum tasks of one user that wait or run at a time, and that are stored. */
const mostOpen = 5
const mostKept = 200
/** Days that a task and its result are kept. */
const reportDays = 30

export type ReportRow = {
  readonly task_id: string
  readonly job_id: string | null
  readonly pdf_path: string
  readonly company_ticker: string | null
  readonly status: ReportState
  readonly pages_read: number
  readonly page_count: number | null
  readonly error_code: string | null
  readonly error_detail: string | null
  readonly error_hint: string | null
  readonly issuer_symbol: string | null
  readonly issuer_name: string | null
  readonly issuer_cik: string | null
  readonly issuer_basis: 'request' | 'document' | null
  readonly result: string | null
  readonly created_at: string
  readonly updated_at: string
}
export type NewReport = { readonly task_id: string; readonly pdf_path: string; readonly company_ticker: string | null }

/** Writes a queued task. Throws 409 `conflict` if the user has too many open or kept. */
export async function addReport(trx: Trx, userId: string, report: NewReport, now: Date): Promise<void> {
  // One writer of a user's tasks at a time, so that the count holds.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`reports ${userId}`}, 0))`.execute(trx)
  const rows = await trx.selectFrom('report_task').select(['task_id', 'status']).where('user_id', '=', userId).execute()
  const open = rows.filter(row => row.status === 'queued' || row.status === 'running').length
  if (open >= mostOpen)
    throw new BadRequest(`${open} reports wait or are being read, at most ${mostOpen} may`, {
      status: 409,
      code: 'conflict',
      hint: 'wait until one of them is done',
    })
  if (rows.length >= mostKept)
    throw new BadRequest(`${rows.length} reports of the last ${reportDays} days are kept, at most ${mostKept} are`, {
      status: 409,
      code: 'conflict',
      hint: `a report is deleted ${reportDays} days after it was requested`,
    })
  const at = now.toISOString()
  await trx
    .insertInto('report_task')
    .values({ ...report, user_id: userId, status: 'queued', created_at: at, updated_at: at })
    .execute()
}

/** Records the job that was sent for a task. */
export async function noteReportJob(trx: Trx, userId: string, taskId: string, jobId: string): Promise<void> {
  await trx.updateTable('report_task').set({ job_id: jobId }).where('user_id', '=', userId).where('task_id', '=', taskId).execute()
}

/** A task of the user. Throws `NotFound`, also for a task of another user. */
export async function getReport(trx: Trx, userId: string, taskId: string): Promise<ReportRow> {
  const row = await trx.selectFrom('report_task').selectAll().where('user_id', '=', userId).where('task_id', '=', taskId).executeTakeFirst()
  if (!row) throw noReport(taskId)
  return row
}
/** A task of any user, for administrators. Throws `NotFound`. */
export async function getAnyReport(db: Db, taskId: string): Promise<ReportRow> {
  const row = await db.selectFrom('report_task').selectAll().where('task_id', '=', taskId).executeTakeFirst()
  if (!row) throw noReport(taskId)
  return row
}
const noReport = (taskId: string): NotFound =>
  new NotFound(`there is no report ${taskId}`, {
    hint: `POST /api/v1/reports/process gives the id; a report is deleted ${reportDays} days after it was requested`,
  })

/** True if the job of a task is over and did not write its end: its workers ended, or the queue moved it to the dead letters. */
export async function isAbandoned(db: Db, row: Pick<ReportRow, 'task_id' | 'status' | 'job_id'>): Promise<boolean> {
  if ((row.status !== 'queued' && row.status !== 'running') || row.job_id === null) return false
  // One statement sees the task and its job at one instant: a job that ends writes both in one transaction.
  const { rows } = await sql<{ abandoned: boolean }>`
    select not exists (select from pgboss.job where id = t.job_id and state in ('created', 'retry', 'active')) as abandoned
    from report_task as t where t.task_id = ${row.task_id} and t.status in ('queued', 'running')`.execute(db)
  return rows[0]?.abandoned === true
}

/** The data of a task for the worker; null if the account or the task is gone. */
export async function findReport(db: Db, taskId: string): Promise<Pick<ReportRow, 'task_id' | 'pdf_path' | 'company_ticker'> | null> {
  const row = await db.selectFrom('report_task').select(['task_id', 'pdf_path', 'company_ticker']).where('task_id', '=', taskId).executeTakeFirst()
  return row ?? null
}
export async function noteProgress(db: Db, taskId: string, pages: { readonly read: number; readonly of: number | null }, now: Date): Promise<void> {
  await db
    .updateTable('report_task')
    .set({ status: 'running', pages_read: pages.read, page_count: pages.of, updated_at: now.toISOString() })
    .where('task_id', '=', taskId)
    .where('status', 'in', ['queued', 'running'])
    .execute()
}
export type ReportEnd =
  | { readonly result: string; readonly pages: number; readonly issuer: (FoundIssuer & { readonly basis: 'request' | 'document' }) | null }
  | { readonly error: { readonly code: string; readonly detail: string; readonly hint: string | null } }
/** Writes the end of a task, in the transaction that completes its job. */
export async function endReport(trx: Db, taskId: string, end: ReportEnd, now: Date): Promise<void> {
  const at = now.toISOString()
  const values =
    'error' in end
      ? { status: 'failed' as const, error_code: end.error.code, error_detail: end.error.detail, error_hint: end.error.hint }
      : {
          status: 'succeeded' as const,
          result: end.result,
          pages_read: end.pages,
          page_count: end.pages,
          issuer_symbol: end.issuer?.symbol ?? null,
          issuer_name: end.issuer?.name ?? null,
          issuer_cik: end.issuer?.cik ?? null,
          issuer_basis: end.issuer?.basis ?? null,
        }
  await trx
    .updateTable('report_task')
    .set({ ...values, updated_at: at })
    .where('task_id', '=', taskId)
    .execute()
}

/** Deletes expired tasks; returns their number. */
export async function sweepReports(db: Db, now: Date): Promise<number> {
  const gone = await db.deleteFrom('report_task').where('created_at', '<=', daysBefore(now, reportDays).toISOString()).executeTakeFirst()
  return Number(gone.numDeletedRows)
}
