// Requests from the API to the worker, which alone has the signing key, the readers and the routes of backfills: sign an answer,
// rebuild a signed answer from raw bytes, sign a receipt as JWS, build a model, split a backfill into windows, answer a question with the language model,
// read a report of the inbox, do what an administrator requests.

import { z } from 'zod'
import { utcDay } from '#schemas/days.ts'
import { BadRequest, Broken } from '#schemas/errors.ts'
import { inputSha256 } from '#schemas/operations/canonical.ts'
import { lakeOperations } from '#schemas/operations/lake-operations.ts'
import { buildPayload, isLakeOperation } from '#warehouse/answers/index.ts'
import { models } from '#warehouse/models/model.ts'
import { buildModel } from '#warehouse/models/store.ts'
import { loadCatalogue } from '#warehouse/store/lake/catalogue.ts'
import { openLake } from '#warehouse/store/lake/open.ts'
import type { Db } from '#warehouse/store/postgres.ts'
import {
  answerQueue,
  backfillQueue,
  buildQueue,
  type Claimed,
  jwsQueue,
  operatorQueue,
  reportsQueue,
  type SignOutput,
  signQueue,
} from '#warehouse/store/queue.ts'
import { openLogFolder } from '#warehouse/store/receipts/log/open-folder.ts'
import { signJws } from '#warehouse/store/receipts/sign-jws.ts'
import { sweepAfter, sweepRequested } from '#warehouse/store/requested-answers.ts'
import { reproduce } from '../../ingest/reproduce.ts'
import { storeSigned } from '../../ingest/sign-answer.ts'
import { findSigningLogged } from '../../ingest/signing.ts'
import { createWorkerCalls } from '../assistant/calls.ts'
import { planBackfill } from '../backfill/backfill-plan.ts'
import { sendWindows } from '../backfill/backfill-rows.ts'
import { getJob } from '../backfill/named-job.ts'
import { whyOff } from '../jobs-file.ts'
import { runOperatorRequest } from './operator-requests.ts'
import { processReport } from './process-report.ts'
import type { RequestTools } from './request-tools.ts'
import { finishRun, startRun } from './runs.ts'

const SignRequest = z.object({
  operation: z.string(),
  question: z.record(z.string(), z.unknown()),
  release: z.int(),
  now: z.string(),
  /** The posted body, if the question names it by its hash. */
  body: z.unknown().optional(),
})
const ReceiptRequest = z.object({ receipt_id: z.string() })

const BackfillRequest = z.object({ backfill_id: z.int() })

const BuildRequest = z.object({ model: z.string(), release: z.int(), as_of: z.string().nullable() })

const operations = new Map(lakeOperations.map(operation => [operation.id as string, operation]))

/** Answers one request and completes its job. */
export async function runRequest(tools: RequestTools, claimed: Claimed): Promise<void> {
  if (claimed.queue === signQueue) await signAnswer(tools, claimed)
  else if (claimed.queue === buildQueue) await requestedBuild(tools, claimed)
  else if (claimed.queue === backfillQueue) await cutBackfill(tools, claimed)
  else if (claimed.queue === answerQueue) await requestedAnswer(tools, claimed)
  else if (claimed.queue === reportsQueue) await processReport({ ...tools, inbox: tools.config.inboxFolder }, claimed)
  else if (claimed.queue === jwsQueue) await exportReceipt(tools, claimed)
  else if (claimed.queue === operatorQueue) await runOperatorRequest(tools, claimed)
  else {
    const { receipt_id } = ReceiptRequest.parse(claimed.data.request)
    const result = await reproduce(tools.ingest, tools.raw, receipt_id)
    await tools.ingest.db.transaction().execute(async trx => tools.queue.complete(claimed, result, trx))
  }
}

/** Signs a receipt as JWS, in the transaction that completes the job. */
async function exportReceipt({ ingest, queue, config }: RequestTools, claimed: Claimed): Promise<void> {
  const { receipt_id } = ReceiptRequest.parse(claimed.data.request)
  await ingest.db.transaction().execute(async trx => {
    const signed = await signJws(trx, { log: openLogFolder(config.dataFolder, ingest.writer.remote ?? null), keys: ingest.keysFolder }, receipt_id)
    await queue.complete(claimed, signed, trx)
  })
}

/**
 * Splits an administrator's backfill into windows and sends their jobs. If it is killed half way, the next attempt sends the rest.
 * If it is impossible, a failed run of the job states why.
 */
async function cutBackfill({ ingest: { db }, queue, jobs, config, dataNow }: RequestTools, claimed: Claimed): Promise<void> {
  const { backfill_id } = BackfillRequest.parse(claimed.data.request)
  const requested = await db.selectFrom('backfill').selectAll().where('backfill_id', '=', backfill_id).executeTakeFirstOrThrow()
  try {
    const job = getJob(jobs, requested.job)
    const why = whyOff(job, config, jobs)
    if (why !== null) throw new BadRequest(`${job.name} is off: ${why}`)
    const plan = planBackfill(job, { from: requested.from_date, to: requested.to_date, symbols: requested.symbols?.join(',') }, utcDay(dataNow()))
    const { done, waiting, sent } = await sendWindows(db, queue, plan, backfill_id, null)
    await db.transaction().execute(async trx => queue.complete(claimed, { windows: plan.windows.length, done, waiting, sent }, trx))
  } catch (error) {
    if (!(error instanceof BadRequest)) throw error
    await db.transaction().execute(async trx => {
      const data = { ...claimed.data, backfill_id }
      const run = await startRun(trx, { job: requested.job, claimed: { ...claimed, data }, worker: 'backfills' })
      const tally = { documents: 0, fetched: 0, rows: 0, refused: 0, release: null }
      await finishRun(trx, run, data, { state: 'failed', tally, error: error.message })
      await queue.complete(claimed, { refused: error.message }, trx)
    })
  }
}

/** Answers a question with the language model. The run records the outcome: the job is done in either case. */
async function requestedAnswer({ ingest, queue, config, now, dataNow, signal }: RequestTools, claimed: Claimed): Promise<void> {
  // Loaded with the first question: most installations have no language model.
  const { AnswerRequest, answerRun } = await import('../assistant/answer-run.ts')
  const { run_id } = AnswerRequest.parse(claimed.data.request)
  const call = createWorkerCalls(ingest, dataNow)
  const ended = await answerRun({ db: ingest.db, log: ingest.log, model: config.model, call, now, dataNow }, run_id, signal)
  await ingest.db.transaction().execute(async trx => queue.complete(claimed, ended, trx))
}

/** Builds a model of a requested release or day. */
async function requestedBuild({ ingest, queue }: RequestTools, claimed: Claimed): Promise<void> {
  const { model: name, release, as_of } = BuildRequest.parse(claimed.data.request)
  const model = models.find(each => each.name === name)
  if (!model) throw new BadRequest(`there is no model ${name.slice(0, 40)}`)
  const build = await buildModel({ db: ingest.db, writer: ingest.writer }, model, release, as_of)
  await ingest.db.transaction().execute(async trx => queue.complete(claimed, { rows: build?.rows ?? 0 }, trx))
}

/** Requests that each worker's database has signed since the bound was last applied. */
const signedSince = new WeakMap<Db, number>()

/** Applies the bound on requested answers after some signed requests; the daily job applies it too. */
async function boundRequested(db: Db): Promise<void> {
  const count = (signedSince.get(db) ?? 0) + 1
  signedSince.set(db, count % sweepAfter)
  if (count >= sweepAfter) await sweepRequested(db)
}

async function signAnswer({ ingest, queue }: RequestTools, claimed: Claimed): Promise<void> {
  const { operation: id, question, release, now, body } = SignRequest.parse(claimed.data.request)
  const operation = operations.get(id)
  if (!operation || !isLakeOperation(id)) throw new BadRequest(`operation ${id.slice(0, 40)}: its answers are not signed`)
  if (operation.body !== null && question['input_sha256'] !== inputSha256(body))
    throw new Broken(`operation ${id}: the body is not the one that its question names`)
  const { db, writer } = ingest
  const catalogue = await loadCatalogue(db)
  const asOf = typeof question['as_of'] === 'string' ? question['as_of'] : null
  const known = await ingest.contexts(openLake(catalogue, writer.connections, writer.verifier, release), asOf)
  const context = ingest.models ? { ...known, models: ingest.models } : known
  const answer = await buildPayload(id, context, (operation.body === null ? question : { ...question, body }) as never, now)
  await db.transaction().execute(async trx => {
    const { signer } = await findSigningLogged(trx, ingest)
    if (answer && signer) await storeSigned(trx, signer, operation, question, answer, context)
    await queue.complete(claimed, { signed: answer !== null && signer !== null, signing: signer === null ? 'off' : 'on' } satisfies SignOutput, trx)
  })
  await boundRequested(db)
}
