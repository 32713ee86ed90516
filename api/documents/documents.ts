// Everything under /api/v1/documents, /annotations and /reports.
import { createHash, randomBytes } from 'node:crypto'
import type { AnnotationRequest } from '#schemas/annotations.ts'
import { maxPdfPages, type ProcessReportRequest, type RoyaltyRequest } from '#schemas/documents.ts'
import { Broken } from '#schemas/errors.ts'
import { buildAnnotations } from '#warehouse/answers/annotations.ts'
import { renderPayload } from '#warehouse/context/answer.ts'
import { resolveListing } from '#warehouse/datasets/symbols/symbol-index.ts'
import { answerDocument } from '#warehouse/documents/answer.ts'
import { openInboxFile } from '#warehouse/documents/inbox.ts'
import { openPdfReader, type PdfLimits, type PdfReader } from '#warehouse/documents/read-pdf.ts'
import { addReport, getAnyReport, getReport, isAbandoned, noteReportJob, type ReportRow } from '#warehouse/documents/reports.ts'
import { type RoyaltyTables, royaltiesOf, textTables } from '#warehouse/documents/royalties.ts'
import type { TextTable } from '#warehouse/documents/table-text.ts'
import { asService, asUser } from '#warehouse/people/users/own-rows.ts'
import { reportsQueue } from '#warehouse/store/queue.ts'
import { type Answered, type Handlers, partyOf } from '../handler.ts'
import { administrator } from '../users/admin.ts'
import { type UserTools, userOf, written } from '../users/tools.ts'

type Documents = 'parse_document' | 'read_royalties' | 'annotate_moves' | 'process_report' | 'get_report' | 'get_any_report'
const parseLimits: PdfLimits = { pages: maxPdfPages, ms: 20_000, wallMs: 60_000, megabytes: 600 }
/** Documents that one API process reads at a time, and that wait. */
const [atOnce, waiting] = [2, 8]
/** Milliseconds that a document waits for its turn. */
const waitMs = 30_000

export function documentHandlers(tools: UserTools, read: PdfReader = openPdfReader(atOnce, waiting, waitMs)): Pick<Handlers, Documents> {
  const { db, queue, serving, config } = tools
  return {
    parse_document: async (_question, context) => {
      const { body, client, release } = context
      const { file } = body as { readonly file: File }
      const data = new Uint8Array(await file.arrayBuffer())
      const document = await read(data, parseLimits, client.gone ?? new AbortController().signal, undefined, partyOf(context))
      return bytes(answerDocument(document, await serving.releaseContext(release, null)).body)
    },
    read_royalties: async (_question, { body, client, release }) => {
      const { text, pdf_base64 } = body as RoyaltyRequest
      const data = Buffer.from(pdf_base64, 'base64')
      const signal = client.gone ?? new AbortController().signal
      const tables =
        pdf_base64 === ''
          ? textTables(text)
          : (JSON.parse((await read(new Uint8Array(data), parseLimits, signal)).body.toString('utf8')) as { tables: TextTable[] }).tables
      const sha256 = createHash('sha256')
        .update(pdf_base64 === '' ? text : data)
        .digest('hex')
      const version = (await serving.releaseContext(release, null)).lake.versionOf(['symbols'])
      const answer = bytes(royaltyBody(tables.length, royaltiesOf(tables), sha256, version))
      return answer.kind === 'bytes' ? { ...answer, release: version.release === 0 ? null : version.release } : answer
    },
    annotate_moves: async (_question, { body, release, dataNow }) => {
      const releaseContext = await serving.releaseContext(release, null)
      const now = `${dataNow().toISOString().slice(0, 19)}Z`
      const built = await buildAnnotations(
        releaseContext,
        body as AnnotationRequest,
        now,
        config.mode === 'bundled' || serving.dataClock().frozen_at !== null,
      )
      return bytes(renderPayload(built, releaseContext.lake, null).payload)
    },
    process_report: async (_question, context) => {
      const { user_id } = userOf(context)
      const { pdf_path, company_ticker } = context.body as ProcessReportRequest
      const { symbols } = await serving.releaseContext(null, null)
      const ticker = company_ticker.trim() === '' ? null : resolveListing(symbols, company_ticker).symbol
      // The worker opens and checks the file again: this check only avoids a task that cannot succeed.
      const { file } = await openInboxFile(config.inboxFolder, pdf_path)
      await file.close()
      const task_id = `rep_${randomBytes(9).toString('base64url')}`
      return await written(tools, context, async trx => {
        await addReport(trx, user_id, { task_id, pdf_path, company_ticker: ticker }, context.now())
        const job = await asService(trx, () =>
          queue.send(
            reportsQueue,
            { partition: task_id, from: null, to: null, symbols: null, backfill_id: null, request: { task_id } },
            { key: task_id, transaction: trx },
          ),
        )
        if (job === null) throw new Broken(`report ${task_id}: its job was not sent`)
        await noteReportJob(trx, user_id, task_id, job)
        return { status: 202, body: { task_id, status: 'queued', message: `GET /api/v1/reports/${task_id} shows its progress and its result` } }
      })
    },
    get_report: async ({ task_id }, context) => {
      const { user_id } = userOf(context)
      return await printed(await asUser(db, user_id, trx => getReport(trx, user_id, task_id)))
    },
    get_any_report: async ({ task_id }, context) => {
      await administrator(tools, context)
      return await printed(await getAnyReport(db, task_id))
    },
  }

  async function printed(row: ReportRow): Promise<Answered> {
    const abandoned = await isAbandoned(db, row)
    const status = abandoned ? 'failed' : row.status
    const { error_code, error_detail, error_hint, issuer_symbol: symbol, issuer_name: name, issuer_cik: cik, issuer_basis: basis } = row
    const error = abandoned
      ? { code: 'upstream_unavailable', detail: 'the worker ended before the report was read', hint: 'process the report again' }
      : error_code === null
        ? null
        : { code: error_code, detail: error_detail ?? '', hint: error_hint }
    const head = {
      task_id: row.task_id,
      status,
      message: messages[status],
      pdf_path: row.pdf_path,
      company_ticker: row.company_ticker,
      created_at: row.created_at,
      updated_at: row.updated_at,
      progress: { pages_read: row.pages_read, page_count: row.page_count },
      error,
      issuer: symbol === null || basis === null ? null : { symbol, name: name ?? symbol, cik, basis },
    }
    // The result is already JSON of several megabytes, so it is inserted without parsing.
    return bytes(Buffer.from(`${JSON.stringify(head).slice(0, -1)},"result":${row.result ?? 'null'}}`))
  }
}

const messages = {
  queued: 'the report waits for the worker',
  running: 'the worker reads the report',
  succeeded: 'the report was read: result holds what was read',
  failed: 'the report was not read: error holds the reason',
} as const

function royaltyBody(
  tables: number,
  { royalties, unread }: RoyaltyTables,
  sha256: string,
  version: { readonly release: number; readonly committed_at: string },
): Buffer {
  const sources = [{ name: 'the document as sent', accession: null, url: null, retrieved_at: null, sha256 }]
  const release = version.release === 0 ? null : version.release
  const not_covered = ['royalties that are stated in running text or in images', 'whether a royalty is still in force']
  return Buffer.from(
    JSON.stringify({ tables, count: royalties.length, royalties, unread, not_covered, as_of: version.committed_at, release, sources }),
  )
}

/** Bytes that belong to one client: never cached, never signed. */
function bytes(body: Buffer): Answered {
  const etag = createHash('sha256').update(body).digest('base64url').slice(0, 27)
  return { kind: 'bytes', body, etag, release: null, last_modified: null, receipt_id: null, immutable: false }
}
