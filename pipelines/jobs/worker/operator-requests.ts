// Requests of administrators that need the worker: the routes of a backfill, the queues of jobs, and the readers.
import { utcDay } from '#schemas/days.ts'
import { CrossfileError } from '#schemas/errors.ts'
import { type Claimed, OperatorRequest } from '#warehouse/store/queue.ts'
import { decideFindings } from '../../ingest/decide.ts'
import { countUnread } from '../../ingest/read-held.ts'
import { costsOf } from '../backfill/backfill-cost.ts'
import { planBackfill } from '../backfill/backfill-plan.ts'
import { getJob } from '../backfill/named-job.ts'
import { planRun } from '../backfill/plan-run.ts'
import { readBackups } from '../backup/run.ts'
import { defineQueue, whyOff } from '../jobs-file.ts'
import { correctValue, listCorrections, readFilingValues } from './correction-requests.ts'
import { continueReceiptLog, readSigning, revoke, rotate } from './key-requests.ts'
import type { RequestTools } from './request-tools.ts'

/** Does what the administrator requested, and completes the job with the result, or with the reason why it cannot be done. */
export async function runOperatorRequest(tools: RequestTools, claimed: Claimed): Promise<void> {
  const request = OperatorRequest.parse(claimed.data.request)
  const output = await resultOf(tools, claimed, request).catch(error => {
    if (!(error instanceof CrossfileError) || error.status >= 500) throw error
    return { refused: error.message, hint: error.hint ?? null }
  })
  await tools.ingest.db.transaction().execute(async trx => tools.queue.complete(claimed, output, trx))
}

async function resultOf(tools: RequestTools, { fence }: Claimed, request: OperatorRequest): Promise<object> {
  if (request.kind === 'cost') return costOf(tools, request)
  if (request.kind === 'run') return await sendRun(tools, request)
  if (request.kind === 'decide') return await decide(tools, request, fence.attempt > 0)
  if (request.kind === 'backups') return await readBackups(tools.config)
  if (request.kind === 'unread') return await readUnread(tools)
  if (request.kind === 'signing') return await readSigning(tools.ingest)
  if (request.kind === 'filing_values') return await readFilingValues(tools, request)
  if (request.kind === 'corrections') return await listCorrections(tools, request)
  if (request.kind === 'correct') return await correctValue(tools, request, fence.attempt > 0)
  if (request.kind === 'rotate') return await rotate(tools, request)
  if (request.kind === 'revoke') return await revoke(tools, request)
  return await continueReceiptLog(tools, request)
}

type Of<Kind extends OperatorRequest['kind']> = Extract<OperatorRequest, { kind: Kind }>

async function decide({ ingest, raw, now, onRelease }: RequestTools, request: Of<'decide'>, again: boolean): Promise<object> {
  const deciding = { db: ingest.db, raw, ingest }
  const { decision: word, note, finding } = request
  const [effect] = await decideFindings(deciding, [finding], { word, note, at: now().toISOString(), again })
  if (effect && effect.release !== null) onRelease(effect.release)
  return { read: effect?.url !== null, release: effect?.release ?? null, rows: effect?.rows ?? {}, newly_held: effect?.newly_held ?? 0 }
}

/** Documents that were stored and never read. */
async function readUnread({ ingest: { db } }: RequestTools): Promise<object> {
  const { unread, example } = await countUnread(db)
  return { documents: unread, example }
}

function costOf({ jobs, config, dataNow }: RequestTools, { job: name, from, to, symbols }: Of<'cost'>): object {
  const job = getJob(jobs, name)
  const today = utcDay(dataNow())
  const plan = planBackfill(job, { from, to, symbols: symbols?.join(',') }, today)
  return { windows: plan.windows.length, off: whyOff(job, config, jobs), ...costsOf(plan, today) }
}

/** Sends a run; one that waits or runs already is not sent again. */
async function sendRun({ jobs, queue, config, dataNow }: RequestTools, { job: name, date, symbols }: Of<'run'>): Promise<object> {
  const job = getJob(jobs, name)
  const off = whyOff(job, config, jobs)
  if (off !== null) return { refused: `${job.name} is off: ${off}`, hint: null }
  const data = planRun(job, { date: date ?? undefined, symbols: symbols?.join(',') }, utcDay(dataNow()))
  await defineQueue(queue, jobs, job.name)
  const sent = await queue.send(job.name, data, { priority: 1 })
  return { partition: data.partition, joined: sent === null }
}
