// Reads a PDF of the inbox for the user who requested it (POST /api/v1/reports/process) and stores its result with the end of the job.
import { z } from 'zod'
import { maxReportPages } from '#schemas/documents.ts'
import { CrossfileError, Upstream } from '#schemas/errors.ts'
import { answerDocument, type FoundIssuer } from '#warehouse/documents/answer.ts'
import { readInboxFile } from '#warehouse/documents/inbox.ts'
import { openPdfReader, type PdfLimits } from '#warehouse/documents/read-pdf.ts'
import { endReport, findReport, noteProgress, type ReportEnd } from '#warehouse/documents/reports.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { openLake } from '#warehouse/store/lake/open.ts'
import type { Claimed, Queue } from '#warehouse/store/queue.ts'
import type { IngestTools } from '../../ingest/ingest.ts'

const ReportRequest = z.object({ task_id: z.string() })
/** Two at a time: within the job's two minutes, one that waits for another still has its full time. */
const readPdf = openPdfReader(2, 64)
const limits: PdfLimits = { pages: maxReportPages, ms: 50_000, wallMs: 100_000, megabytes: 700 }
/** Interval between two writes of progress. */
const progressMs = 500

export type ReportTools = {
  readonly ingest: Pick<IngestTools, 'db' | 'writer' | 'contexts'>
  readonly queue: Queue
  readonly inbox: string
  /** Aborted if the worker stops or the job was taken over. */
  readonly signal: AbortSignal
  readonly now: () => Date
}

/** Completes the job for any document; a failure of this service (the database, the reader) leaves it to the next attempt. */
export async function processReport({ ingest, queue, inbox, signal, now }: ReportTools, claimed: Claimed): Promise<void> {
  const { db } = ingest
  const { task_id } = ReportRequest.parse(claimed.data.request)
  const task = await findReport(db, task_id)
  if (!task) return await db.transaction().execute(async trx => queue.complete(claimed, { gone: true }, trx))
  await noteProgress(db, task_id, { read: 0, of: null }, now())
  const end = await read(task).catch((error: unknown): ReportEnd => {
    signal.throwIfAborted()
    if (!(error instanceof CrossfileError) || (error instanceof Upstream && !claimed.last)) throw error
    return { error: { code: error.code, detail: error.message, hint: error.hint ?? null } }
  })
  await db.transaction().execute(async trx => {
    await endReport(trx, task_id, end, now())
    await queue.complete(claimed, { status: 'error' in end ? 'failed' : 'succeeded' }, trx)
  })

  async function read({ pdf_path, company_ticker }: NonNullable<typeof task>): Promise<ReportEnd> {
    const bytes = await readInboxFile(inbox, pdf_path)
    let written = 0
    let pages = 0
    const document = await readPdf(bytes, limits, signal, (done, of) => {
      pages = of
      const at = performance.now()
      if (at - written < progressMs) return
      written = at
      // For display only: losing one of these figures changes nothing.
      noteProgress(db, task_id, { read: done, of }, now()).catch(() => undefined)
    })
    const lake = openLake(await loadCatalogue(db), ingest.writer.connections, ingest.writer.verifier)
    const context = await ingest.contexts(lake, null)
    const answer = answerDocument(document, context)
    const listing = company_ticker === null ? null : context.symbols.find(company_ticker)
    const named: FoundIssuer | null =
      listing === null ? null : { symbol: listing.symbol, name: listing.name, cik: listing.cik ?? context.issuers.cikOf(listing.symbol) }
    const issuer = named ? { ...named, basis: 'request' as const } : answer.issuer ? { ...answer.issuer, basis: 'document' as const } : null
    return { result: answer.body.toString('utf8'), pages, issuer }
  }
}
